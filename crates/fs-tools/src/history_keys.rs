//! The keys that versions of sensitive files are sealed with: a file of the operator.

use std::fmt;
use std::fs::OpenOptions;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use file_history::{Error, KEY_BYTES, Key, KeyId, KeySource, NONCE_BYTES};

/// A key file holds a few lines; anything longer is some other file.
const MAX_BYTES: u64 = 4096;

/// A key file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the key file of the history, {}, {why}", path.display())]
pub struct KeyFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it, and what to do.
    pub why: String,
}

/// The keys of one file. The first seals; all open.
pub(crate) struct KeyFile {
    keys: Vec<Key>,
}

impl fmt::Debug for KeyFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.keys).finish()
    }
}

impl KeyFile {
    /// Reads a key file: one key a line, as 64 hexadecimal digits. The first one seals, the others open what was sealed
    /// with them.
    ///
    /// # Errors
    ///
    /// [`KeyFileError`] for a path that is not absolute or leads into the workspace, a file that is not a regular one,
    /// can be read by others or belongs to somebody else, and for lines that are no keys. What they hold is never shown.
    pub(crate) fn read(path: &Path, workspace: &Path) -> Result<Self, KeyFileError> {
        let failed = |why: String| KeyFileError { path: path.to_owned(), why };
        if !path.is_absolute() {
            return Err(failed("has to be named by an absolute path".into()));
        }
        let io = |error: std::io::Error| failed(format!("cannot be read: {error}"));
        if path.canonicalize().map_err(io)?.starts_with(workspace) {
            return Err(failed("lies inside the workspace, where the agent works: keep it elsewhere".into()));
        }
        let nonblock = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(nonblock).open(path).map_err(io)?;
        let meta = file.metadata().map_err(io)?;
        if !meta.is_file() {
            return Err(failed("is not a regular file".into()));
        }
        let user = rustix::process::geteuid().as_raw();
        if meta.uid() != user && meta.uid() != 0 {
            return Err(failed("belongs to another user: make one of your own".into()));
        }
        if meta.mode() & 0o077 != 0 {
            return Err(failed(format!(
                "is open to others (mode {:03o}): make a new key and keep it for yourself alone (chmod 600)",
                meta.mode() & 0o777
            )));
        }
        if meta.len() > MAX_BYTES {
            return Err(failed(format!("is longer than {MAX_BYTES} bytes, so it is no key file")));
        }
        let mut text = String::new();
        file.take(MAX_BYTES).read_to_string(&mut text).map_err(io)?;
        let mut keys = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let key = parse(line).ok_or_else(|| {
                let number = number + 1;
                failed(format!("has something else than 64 hexadecimal digits in line {number}: {HOW_TO}"))
            })?;
            keys.push(key);
        }
        if keys.is_empty() { Err(failed(format!("holds no key: {HOW_TO}"))) } else { Ok(Self { keys }) }
    }
}

const HOW_TO: &str = "`(umask 077; openssl rand -hex 32 > FILE)` makes one";

fn parse(line: &str) -> Option<Key> {
    let digits = line.as_bytes();
    if digits.len() != 2 * KEY_BYTES {
        return None;
    }
    let mut bytes = [0; KEY_BYTES];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let high = char::from(pair[0]).to_digit(16)?;
        let low = char::from(pair[1]).to_digit(16)?;
        *byte = u8::try_from(high * 16 + low).ok()?;
    }
    Some(Key::new(bytes))
}

impl KeySource for KeyFile {
    fn current(&self) -> Key {
        self.keys[0].clone()
    }

    fn key(&self, id: KeyId) -> Option<Key> {
        self.keys.iter().find(|key| key.id() == id).cloned()
    }

    fn nonce(&self) -> Result<[u8; NONCE_BYTES], Error> {
        let mut nonce = [0; NONCE_BYTES];
        let got = rustix::rand::getrandom(&mut nonce[..], rustix::rand::GetRandomFlags::empty());
        match got {
            Ok(filled) if filled == NONCE_BYTES => Ok(nonce),
            Ok(_) => Err(Error::Unavailable("too few random bytes".into())),
            Err(errno) => Err(Error::Unavailable(format!("no random bytes: {errno}"))),
        }
    }
}
