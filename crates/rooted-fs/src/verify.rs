//! Reading back what was written.

use std::os::unix::fs::FileExt;

use rustix::fs::{OFlags, fstat};

use crate::faults::{self, Step};
use crate::meta::id_of;
use crate::open::from_io;
use crate::{Error, RelName, Root, Written};

/// Size of the one buffer that the read-back goes through, whatever the size of the file.
const BUFFER_BYTES: usize = 32 * 1024;

/// Says why a read-back did not confirm a write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The file could not be read.
    #[error("the file cannot be read back: {cause}")]
    Unreadable {
        /// What the system said.
        cause: Error,
    },
    /// The content is another one.
    #[error("the content differs at byte {at}")]
    Mismatch {
        /// Offset in the file of the first byte that differs, is missing or is too many.
        at: u64,
    },
    /// The name leads to another file by now.
    #[error("the name leads to another file by now")]
    Displaced,
}

impl VerifyError {
    /// Returns the stable word for this error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "unreadable",
            Self::Mismatch { .. } => "mismatch",
            Self::Displaced => "displaced",
        }
    }
}

impl Root {
    /// Reads the file that `written` made, from byte `from_offset` on, and compares it with `expected`.
    ///
    /// The bytes come from the handle of the new file, and at the end `name` must lead to it. A file that was
    /// written as a whole must end where `expected` does; behind an append others may have added more.
    ///
    /// # Errors
    ///
    /// [`VerifyError`].
    ///
    /// # Cost
    ///
    /// One pass through a buffer of 32 KiB; the bytes come from the cache of the system as a rule, so this
    /// checks what the file system returns and not what the disk holds.
    pub fn verify(
        &self,
        name: &RelName,
        written: &Written,
        expected: &[u8],
        from_offset: u64,
    ) -> Result<(), VerifyError> {
        let unreadable = |cause| VerifyError::Unreadable { cause };
        faults::at(Step::ReadBack).map_err(|errno| unreadable(errno.into()))?;
        let mut buffer = vec![0; BUFFER_BYTES];
        let mut done = 0;
        loop {
            let at = from_offset.saturating_add(done as u64);
            let left = &expected[done..];
            if left.is_empty() && written.appended {
                break;
            }
            let room = left.len().clamp(1, BUFFER_BYTES);
            let n = match written.file.read_at(&mut buffer[..room], at) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                result => result.map_err(|error| unreadable(from_io(&error)))?,
            };
            if n == 0 && left.is_empty() {
                break;
            }
            let same = buffer[..n].iter().zip(left).take_while(|(a, b)| a == b).count();
            if n == 0 || same < n {
                return Err(VerifyError::Mismatch { at: at + same as u64 });
            }
            done += n;
        }
        let by_name = self
            .nail(name.as_bytes(), OFlags::PATH | OFlags::NOFOLLOW)
            .and_then(fstat)
            .map_err(|_| VerifyError::Displaced)?;
        if id_of(&by_name) == (written.meta.dev, written.meta.ino) {
            Ok(())
        } else {
            Err(VerifyError::Displaced)
        }
    }
}
