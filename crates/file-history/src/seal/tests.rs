//! Sealing and opening, below the store.

use super::{At, HEADER_BYTES, Key, KeySource, MemKeys, is_content, open, seal};
use crate::{
    codec,
    error::{Error, Gap},
    store::{BlobHead, BlobId, PathId},
    version::ChangeId,
};

fn keys(byte: u8) -> MemKeys {
    MemKeys::new(Key::new([byte; 32]), [])
}

#[test]
fn a_key_never_shows_its_bytes() {
    let shown = format!("{:?}", At { keys: Some(&keys(0xAB)), path: PathId(1) });
    assert!(!shown.contains("171, 171") && !shown.contains("abab"), "{shown}");
    assert_ne!(keys(1).current().id(), keys(2).current().id());
}

#[test]
fn without_a_key_nothing_is_sealed() {
    assert_eq!(seal(None, ChangeId(1), b"a", b"x").unwrap_err(), Error::NoKey);
}

#[cfg(feature = "seal")]
#[test]
fn sealed_content_is_bound_to_key_change_path_and_every_byte() {
    let source = keys(1);
    let (hash, data) = seal(Some(&source), ChangeId(7), b".env", b"K=1").unwrap();
    let head = BlobHead { id: BlobId(1), hash, base: None, depth: 0, codec: codec::SEALED, raw_len: 3 };
    let read = |source: &dyn KeySource, path: &[u8], data: &[u8]| open(Some(source), path, &head, data);
    assert_eq!(read(&source, b".env", &data), Ok(b"K=1".to_vec()));
    assert_eq!(read(&source, b".env2", &data), Err(Gap::Damaged), "another path");
    assert_eq!(read(&keys(2), b".env", &data), Err(Gap::KeyMismatch));
    assert_eq!(open(None, b".env", &head, &data), Err(Gap::KeyMismatch));
    for at in 0..data.len() {
        let mut forged = data.clone();
        forged[at] ^= 1;
        let told = read(&source, b".env", &forged);
        // The name of the key comes first: what names another key cannot be told from what was sealed with it.
        let wanted = if at < 8 { Gap::KeyMismatch } else { Gap::Damaged };
        assert_eq!(told, Err(wanted), "byte {at}");
    }
    for len in 0..data.len() {
        assert_eq!(read(&source, b".env", &data[..len]), Err(Gap::Damaged), "cut at {len}");
    }
    assert_eq!(is_content(Some(&source), b".env", &head, &data, b"K=1"), Some(true));
    assert_eq!(is_content(Some(&source), b".env", &head, &data, b"K=2"), Some(false));
    assert_eq!(is_content(Some(&keys(2)), b".env", &head, &data, b"K=1"), None);
    // The same content again is neither the same data nor the same hash.
    let (other_hash, other) = seal(Some(&source), ChangeId(8), b".env", b"K=1").unwrap();
    assert_ne!((hash, &data[HEADER_BYTES..]), (other_hash, &other[HEADER_BYTES..]));
    assert_ne!(hash, *blake3::hash(b"K=1").as_bytes());
}

#[cfg(feature = "seal")]
#[test]
fn old_keys_open_and_the_first_one_seals() {
    let (old, new) = (Key::new([1; 32]), Key::new([2; 32]));
    let (hash, data) = seal(Some(&MemKeys::new(old.clone(), [])), ChangeId(1), b"a", b"x").unwrap();
    let head = BlobHead { id: BlobId(1), hash, base: None, depth: 0, codec: codec::SEALED, raw_len: 1 };
    let both = MemKeys::new(new.clone(), [old]);
    assert_eq!(open(Some(&both), b"a", &head, &data), Ok(b"x".to_vec()));
    let (_, data) = seal(Some(&both), ChangeId(2), b"a", b"x").unwrap();
    assert_eq!(data[..8], new.id().0);
}
