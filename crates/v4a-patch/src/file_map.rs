//! The port through which a multi-file patch reads files, and a map in memory.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// Read-only access to the files that a patch may name.
///
/// Paths arrive normalised lexically (see [`normalize_path`](crate::normalize_path)); whether they may be touched is
/// for the implementor to decide.
pub trait FileMap {
    /// Returns the bytes of the file `path`, or `None` where there is none.
    ///
    /// # Errors
    ///
    /// A reason, when the file is there and cannot be read.
    fn read(&self, path: &str) -> Result<Option<Cow<'_, [u8]>>, String>;
}

/// Files in memory.
pub type MemFiles = BTreeMap<String, Vec<u8>>;

impl FileMap for MemFiles {
    fn read(&self, path: &str) -> Result<Option<Cow<'_, [u8]>>, String> {
        Ok(self.get(path).map(|bytes| Cow::Borrowed(bytes.as_slice())))
    }
}
