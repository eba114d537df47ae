//! Masking a line at a time, with the state of private keys between lines.

use crate::{engine::Keys, pem::KeyState, redactor::Redactor, span::Span};
use alloc::{borrow::Cow, vec::Vec};

/// Masks lines one by one: search results, diffs, numbered reads.
///
/// The state says whether the next line is inside of a private key, and may be kept and restored to read on from the middle of a file.
/// A line is judged without the lines behind it. So a block of data may be masked where a look at the whole text would
/// have told it from a credential; nothing is shown that the whole text would hide but for tokens that go on in the next line.
///
/// # Examples
///
/// ```
/// use redact::{LineRedactor, Redactor};
///
/// let redactor = Redactor::new();
/// let mut lines = LineRedactor::new(&redactor);
/// assert_eq!(lines.line(b"DB_PASSWORD=Tr0ub4dor&3x").as_ref(), b"DB_PASSWORD=[FILTERED]");
/// assert_eq!(lines.line(b"DB_PASSWORD='Tr0ub4dor&3x'").as_ref(), b"DB_PASSWORD='[FILTERED]'");
/// ```
#[derive(Clone, Debug)]
pub struct LineRedactor<'r> {
    redactor: &'r Redactor,
    state: KeyState,
    spans: Vec<Span>,
}

impl<'r> LineRedactor<'r> {
    /// Starts outside of any private key.
    pub const fn new(redactor: &'r Redactor) -> Self {
        Self::with_state(redactor, KeyState::OUTSIDE)
    }

    /// Starts where another reader stopped.
    pub const fn with_state(redactor: &'r Redactor, state: KeyState) -> Self {
        Self { redactor, state, spans: Vec::new() }
    }

    /// Returns the state behind the last line.
    pub const fn state(&self) -> KeyState {
        self.state
    }

    /// Masks every credential in `line`, which is one line with or without its terminator, in any encoding.
    ///
    /// The result borrows `line` when nothing was found.
    pub fn line<'t>(&mut self, line: &'t [u8]) -> Cow<'t, [u8]> {
        let spans = self.spans(line);
        if spans.is_empty() {
            Cow::Borrowed(line)
        } else {
            Cow::Owned(self.redactor.apply(line, &self.spans))
        }
    }

    /// Returns the credentials of `line`: sorted, disjoint, on character boundaries, counted from the start of the line.
    pub fn spans(&mut self, line: &[u8]) -> &[Span] {
        let before = self.state;
        let Self { redactor, spans, .. } = self;
        redactor.settled(line, spans, |line, out| {
            redactor.search(line, Keys::Leave, out);
            { before }.line(line, 0, out);
        });
        self.state.line(line, 0, &mut Vec::new());
        &self.spans
    }
}
