//! Sealed content: encrypted with a key of the host, bound to its change and its path.
//!
//! A sealed content is stored as `key id | change id | nonce | XChaCha20-Poly1305 of the content`, with the change id and
//! the path as associated data. It is no patch, shares nothing with equal content elsewhere, and its hash is keyed and
//! covers change and path, so that the store does not even tell whether two files are equal. Cipher key, hash key and key
//! id are derived from the key of the host by BLAKE3.

#[cfg(not(feature = "seal"))]
mod disabled;
#[cfg(feature = "seal")]
mod enabled;

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

#[cfg(not(feature = "seal"))]
use disabled::{decrypt, encrypt};
#[cfg(feature = "seal")]
use enabled::{decrypt, encrypt};

use crate::{
    error::{Error, Gap},
    store::{BlobHead, Hash, PathId},
    version::ChangeId,
};

/// Length of a key in bytes.
pub const KEY_BYTES: usize = 32;
/// Length of a nonce in bytes.
pub const NONCE_BYTES: usize = 24;
/// Length of the tag that XChaCha20-Poly1305 appends.
const TAG_BYTES: usize = 16;
const ID_BYTES: usize = 8;
const HEADER_BYTES: usize = ID_BYTES + 8 + NONCE_BYTES;

/// A key of the host. Its bytes are never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; KEY_BYTES]);

/// Names a key without telling anything about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyId(pub [u8; ID_BYTES]);

impl Key {
    /// Makes a key of 32 bytes, which must be random: nothing strengthens a word that people remember.
    pub fn new(bytes: [u8; KEY_BYTES]) -> Self {
        Self(bytes)
    }

    /// Returns the name of this key.
    pub fn id(&self) -> KeyId {
        let derived = self.derive("fs-tools file-history v1 key id");
        let mut id = [0; ID_BYTES];
        id.copy_from_slice(&derived[..ID_BYTES]);
        KeyId(id)
    }

    fn derive(&self, purpose: &str) -> [u8; KEY_BYTES] {
        blake3::derive_key(purpose, &self.0)
    }

    fn cipher(&self) -> [u8; KEY_BYTES] {
        self.derive("fs-tools file-history v1 cipher key")
    }

    fn hash(&self, place: &[u8], content: &[u8]) -> Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.derive("fs-tools file-history v1 hash key"));
        hasher.update(&(place.len() as u64).to_le_bytes());
        hasher.update(place);
        hasher.update(content);
        *hasher.finalize().as_bytes()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({:?})", self.id())
    }
}

/// The port to the keys of the host.
pub trait KeySource: fmt::Debug + Send + Sync {
    /// Returns the key that new content is sealed with.
    fn current(&self) -> Key;

    /// Returns the key of this name, for content that was sealed earlier.
    fn key(&self, id: KeyId) -> Option<Key>;

    /// Returns random bytes that were never returned before.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] where no randomness can be had. Nothing is recorded then.
    fn nonce(&self) -> Result<[u8; NONCE_BYTES], Error>;
}

/// Keys in memory, for tests. Nonces are counted, so what is sealed with it must not outlive the test.
#[derive(Debug)]
pub struct MemKeys {
    keys: Vec<Key>,
    nonces: AtomicU64,
}

impl MemKeys {
    /// Makes a source of keys; the first one seals.
    pub fn new(first: Key, others: impl IntoIterator<Item = Key>) -> Self {
        Self { keys: [first].into_iter().chain(others).collect(), nonces: AtomicU64::new(1) }
    }
}

impl KeySource for MemKeys {
    fn current(&self) -> Key {
        self.keys[0].clone()
    }

    fn key(&self, id: KeyId) -> Option<Key> {
        self.keys.iter().find(|key| key.id() == id).cloned()
    }

    fn nonce(&self) -> Result<[u8; NONCE_BYTES], Error> {
        let mut nonce = [0; NONCE_BYTES];
        nonce[..8].copy_from_slice(&self.nonces.fetch_add(1, Ordering::Relaxed).to_le_bytes());
        Ok(nonce)
    }
}

/// What a stored content is read with: the keys, where there are any, and the path that it belongs to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) keys: Option<&'a dyn KeySource>,
    pub(crate) path: PathId,
}

/// The associated data: the change that stored the content, and its path.
fn place(change: ChangeId, path: &[u8]) -> Vec<u8> {
    [&change.0.to_le_bytes()[..], path].concat()
}

/// Seals content. Returns its keyed hash and the data to store.
pub(crate) fn seal(
    keys: Option<&dyn KeySource>,
    change: ChangeId,
    path: &[u8],
    content: &[u8],
) -> Result<(Hash, Vec<u8>), Error> {
    let keys = keys.ok_or(Error::NoKey)?;
    let (key, nonce, place) = (keys.current(), keys.nonce()?, place(change, path));
    let sealed = encrypt(&key.cipher(), &nonce, &place, content).ok_or(Error::NoKey)?;
    let data = [&key.id().0[..], &change.0.to_le_bytes(), &nonce, &sealed].concat();
    Ok((key.hash(&place, content), data))
}

/// The parts of stored data.
struct Parts<'a> {
    key: Key,
    place: Vec<u8>,
    nonce: &'a [u8; NONCE_BYTES],
    sealed: &'a [u8],
}

fn parts<'a>(keys: Option<&dyn KeySource>, path: &[u8], data: &'a [u8]) -> Result<Parts<'a>, Gap> {
    let (header, sealed) = data.split_first_chunk::<HEADER_BYTES>().ok_or(Gap::Damaged)?;
    let (id, rest) = header.split_first_chunk::<ID_BYTES>().ok_or(Gap::Damaged)?;
    let (change, nonce) = rest.split_first_chunk::<8>().ok_or(Gap::Damaged)?;
    let nonce = nonce.first_chunk::<NONCE_BYTES>().ok_or(Gap::Damaged)?;
    let key = keys.and_then(|keys| keys.key(KeyId(*id))).ok_or(Gap::KeyMismatch)?;
    Ok(Parts { key, place: place(ChangeId(u64::from_le_bytes(*change)), path), nonce, sealed })
}

/// Opens sealed content.
pub(crate) fn open(
    keys: Option<&dyn KeySource>,
    path: &[u8],
    head: &BlobHead,
    data: &[u8],
) -> Result<Vec<u8>, Gap> {
    if (data.len() as u64).checked_sub((HEADER_BYTES + TAG_BYTES) as u64) != Some(head.raw_len) {
        return Err(Gap::Damaged);
    }
    if cfg!(not(feature = "seal")) {
        return Err(Gap::KeyMismatch);
    }
    let parts = parts(keys, path, data)?;
    let content =
        decrypt(&parts.key.cipher(), parts.nonce, &parts.place, parts.sealed).ok_or(Gap::Damaged)?;
    if parts.key.hash(&parts.place, &content) == head.hash { Ok(content) } else { Err(Gap::Damaged) }
}

/// Tells whether sealed content equals `content`, by the keyed hash; `None` where the key is not there.
pub(crate) fn is_content(
    keys: Option<&dyn KeySource>,
    path: &[u8],
    head: &BlobHead,
    data: &[u8],
    content: &[u8],
) -> Option<bool> {
    match parts(keys, path, data) {
        Ok(parts) => Some(parts.key.hash(&parts.place, content) == head.hash),
        Err(Gap::KeyMismatch) => None,
        Err(_) => Some(false),
    }
}

#[cfg(test)]
mod tests;
