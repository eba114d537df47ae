//! Parses a patch that arrives in pieces.

use alloc::vec::Vec;

use memchr::memchr;

use crate::error::ParseError;
use crate::machine::{Event, Machine};
use crate::options::{Options, Profile};

/// Where a stream is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamState {
    /// More may come.
    Open,
    /// `*** End Patch` has been read.
    Complete,
    /// The text is wrong, whatever comes.
    Failed(ParseError),
}

/// An incremental parser: accepts any cut, also inside a CRLF, a character or a directive.
///
/// A line is judged when its newline has arrived, or at [`finish`](Self::finish). A hunk is closed, and may be
/// previewed, when the next header or directive has been read; nothing may be applied before `finish` has said yes.
///
/// # Cost
///
/// O(1) per byte, amortised; the memory is the unfinished line.
///
/// # Examples
///
/// ```
/// use v4a_patch::{Options, PatchStream, Profile};
///
/// let mut stream = PatchStream::new(Profile::EditFile { path: "x.txt" }, &Options::default());
/// stream.push(b"@@\n-caf\xc3", &mut |_| {})?;
/// stream.push(b"\xa9\n+tea\n@@\n", &mut |_| {})?;
/// assert_eq!(stream.closed_hunks(), 1);
/// # Ok::<(), v4a_patch::ParseError>(())
/// ```
#[derive(Debug)]
pub struct PatchStream {
    machine: Machine,
    partial: Vec<u8>,
    /// Bytes that may still come.
    left: usize,
    max: usize,
    failed: Option<ParseError>,
}

impl PatchStream {
    /// Starts a stream.
    pub fn new(profile: Profile<'_>, options: &Options<'_>) -> Self {
        let max = options.limits.max_patch_bytes;
        Self { machine: Machine::new(profile, options), partial: Vec::new(), left: max, max, failed: None }
    }

    /// Takes the next bytes and reports what they complete to `sink`.
    ///
    /// # Errors
    ///
    /// The first mistake, as soon as its line is complete; from then on always the same.
    #[inline]
    pub fn push(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Event<'_>)) -> Result<(), ParseError> {
        // The tight path for text that comes byte by byte.
        if let [byte] = bytes
            && *byte != b'\n'
            && self.left > 0
            && self.failed.is_none()
        {
            self.left -= 1;
            self.partial.push(*byte);
            return Ok(());
        }
        self.push_chunk(bytes, sink)
    }

    fn push_chunk(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Event<'_>)) -> Result<(), ParseError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = self.take(bytes, sink);
        if let Err(error) = &result {
            self.failed = Some(error.clone());
        }
        result
    }

    fn take(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Event<'_>)) -> Result<(), ParseError> {
        let mut rest = &bytes[..bytes.len().min(self.left)];
        while let Some(end) = memchr(b'\n', rest) {
            if self.partial.is_empty() {
                self.machine.line(&rest[..end], sink)?;
            } else {
                self.partial.extend_from_slice(&rest[..end]);
                let result = self.machine.line(&self.partial, sink);
                self.partial.clear();
                result?;
            }
            rest = &rest[end + 1..];
        }
        self.partial.extend_from_slice(rest);
        if bytes.len() > self.left {
            return Err(self.machine.too_long(self.max));
        }
        self.left -= bytes.len();
        Ok(())
    }

    /// Takes the end of the text and judges the patch as a whole; returns the number of hunks.
    ///
    /// # Errors
    ///
    /// The same as [`parse`](crate::parse()) of the whole text.
    pub fn finish(mut self, sink: &mut dyn FnMut(Event<'_>)) -> Result<usize, ParseError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if !self.partial.is_empty() {
            self.machine.line(&self.partial, sink)?;
        }
        self.machine.finish(sink)?;
        Ok(self.machine.closed())
    }

    /// Returns the number of hunks that are closed.
    pub fn closed_hunks(&self) -> usize {
        self.machine.closed()
    }

    /// Returns where the stream is.
    pub fn state(&self) -> StreamState {
        match &self.failed {
            Some(error) => StreamState::Failed(error.clone()),
            None if self.machine.complete => StreamState::Complete,
            None => StreamState::Open,
        }
    }
}
