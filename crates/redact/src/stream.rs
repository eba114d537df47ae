//! Masking a stream: what cannot be judged yet is held back.

use crate::{engine::REACH, pem::KeyState, redactor::Redactor, report::Report, span::Span};
use alloc::vec::Vec;
use memchr::{memchr, memrchr};

/// The receiver of masked bytes: a `Vec<u8>`, or a closure around a writer.
///
/// # Examples
///
/// A closure makes any `std::io::Write` a sink: `|bytes: &[u8]| writer.write_all(bytes)`.
pub trait Sink {
    /// Why the receiver fails.
    type Error;

    /// Takes all of `bytes`.
    ///
    /// # Errors
    ///
    /// Whatever the receiver reports; the stream passes it on and should not be used afterwards.
    fn put(&mut self, bytes: &[u8]) -> Result<(), Self::Error>;
}

impl Sink for Vec<u8> {
    type Error = core::convert::Infallible;

    fn put(&mut self, bytes: &[u8]) -> Result<(), Self::Error> {
        self.extend_from_slice(bytes);
        Ok(())
    }
}

impl<F, E> Sink for F
where
    F: FnMut(&[u8]) -> Result<(), E>,
{
    type Error = E;

    fn put(&mut self, bytes: &[u8]) -> Result<(), E> {
        self(bytes)
    }
}

/// A line may be this long before it is cut.
const MAX_PENDING: usize = 1 << 20;
/// The context behind a line start that rules over several lines look at.
const CONTEXT: usize = 8 * 1024;
/// This many complete lines are held back.
const LINES: usize = 4;

/// Masks a text that arrives in pieces; the output is that of the whole text, whatever the pieces are.
///
/// The last lines are held back, since a value may go on in the next piece: four complete lines and the one that is not, more
/// where literals are joined over line ends. A line of more than 1 MiB is passed on in parts.
///
/// # Cost
///
/// O(n) for pieces of at least 8 KiB; smaller pieces cost one look at 8 KiB each. Memory: at most about 1.3 MiB beside the pieces themselves.
///
/// # Examples
///
/// ```
/// use redact::{Redactor, StreamRedactor};
///
/// let mut stream = StreamRedactor::new(Redactor::new(), Vec::new());
/// stream.write(b"password: Tr0ub4d")?;
/// stream.write(b"or3x\nport: 8080\n")?;
/// let (out, report) = stream.finish()?;
/// assert_eq!(out, b"password: [FILTERED]\nport: 8080\n");
/// assert_eq!(report.count(), 1);
/// # Ok::<(), core::convert::Infallible>(())
/// ```
#[derive(Debug)]
pub struct StreamRedactor<S> {
    redactor: Redactor,
    sink: S,
    /// Context that was passed on already, then what is pending.
    buffer: Vec<u8>,
    /// The length of the context.
    done: usize,
    /// Whether the context ends inside of a private key, and where that began.
    key: KeyState,
    key_start: usize,
    spans: Vec<Span>,
    report: Report,
}

impl<S: Sink> StreamRedactor<S> {
    /// Starts a stream into `sink`.
    pub const fn new(redactor: Redactor, sink: S) -> Self {
        Self {
            redactor,
            sink,
            buffer: Vec::new(),
            done: 0,
            key: KeyState::OUTSIDE,
            key_start: 0,
            spans: Vec::new(),
            report: Report::EMPTY,
        }
    }

    /// Takes a piece of the text, and passes on what is certain.
    ///
    /// # Errors
    ///
    /// Whatever the sink reports.
    pub fn write(&mut self, mut bytes: &[u8]) -> Result<(), S::Error> {
        while !bytes.is_empty() {
            // Large pieces go through in parts, so that memory stays bounded.
            let (part, rest) = bytes.split_at(bytes.len().min(MAX_PENDING / 4));
            self.buffer.extend_from_slice(part);
            bytes = rest;
            if memchr(b'\n', part).is_some()
                && let Some(cut) = self.cut()
            {
                self.pass(cut)?;
            }
            if self.buffer.len() - self.done > MAX_PENDING + REACH {
                self.pass(self.buffer.len() - REACH)?;
            }
        }
        Ok(())
    }

    /// Passes on everything, also what could still change.
    ///
    /// A value that goes on in the next piece is cut in two by this and may be recognised in part only.
    ///
    /// # Errors
    ///
    /// Whatever the sink reports.
    pub fn flush(&mut self) -> Result<(), S::Error> {
        self.pass(self.buffer.len())
    }

    /// Passes on the rest, and returns the sink and the counts.
    ///
    /// # Errors
    ///
    /// Whatever the sink reports.
    pub fn finish(mut self) -> Result<(S, Report), S::Error> {
        self.flush()?;
        Ok((self.sink, self.report))
    }

    /// Returns the counts so far.
    pub const fn report(&self) -> &Report {
        &self.report
    }

    /// The last line start that is behind no literal which may be joined, with [`LINES`] complete lines after it.
    fn cut(&self) -> Option<usize> {
        let mut end = self.buffer.len();
        for _ in 0..=LINES {
            end = self.done + memrchr(b'\n', self.buffer.get(self.done..end)?)?;
        }
        loop {
            if is_apart(&self.buffer, end + 1) {
                return Some(end + 1);
            }
            end = self.done + memrchr(b'\n', &self.buffer[self.done..end])?;
        }
    }

    /// Passes on the buffer up to `cut`.
    fn pass(&mut self, cut: usize) -> Result<(), S::Error> {
        self.redactor.find(&self.buffer, &mut self.spans);
        let mut from = self.done;
        let mut passed = Vec::new();
        for span in self.spans.iter().take_while(|span| span.start < cut) {
            if span.end <= self.done {
                continue;
            }
            if span.start >= self.done {
                self.sink.put(&self.buffer[from..span.start])?;
                self.sink.put(self.redactor.marker().as_bytes())?;
                passed.push(*span);
            }
            from = span.end.min(cut);
        }
        self.sink.put(&self.buffer[from..cut])?;
        self.report.add(&passed);
        self.advance(cut);
        Ok(())
    }

    /// Makes the text up to `cut` context, and forgets what no rule looks at any more.
    fn advance(&mut self, cut: usize) {
        let whole = cut == 0 || self.buffer[cut - 1] == b'\n';
        passed_lines(&self.buffer[..cut], self.done, |from, to| {
            let was_inside = self.key.is_inside();
            self.spans.clear();
            self.key.line(&self.buffer[from..to], 0, &mut self.spans);
            if !was_inside && self.key.is_inside() {
                self.key_start = from;
            }
        });
        let keep = if whole { CONTEXT } else { REACH };
        let mut start = cut.saturating_sub(keep);
        if self.key.is_inside() {
            start = start.min(self.key_start.max(cut.saturating_sub(REACH)));
        }
        self.buffer.drain(..start);
        self.done = cut - start;
        self.key_start = self.key_start.saturating_sub(start);
    }
}

/// Calls `each` with every line of `text` from `from` on.
fn passed_lines(text: &[u8], mut from: usize, mut each: impl FnMut(usize, usize)) {
    while from < text.len() {
        let to = memchr(b'\n', &text[from..]).map_or(text.len(), |end| from + end + 1);
        each(from, to);
        from = to;
    }
}

/// Says whether no literal can be joined over the line start `at`.
fn is_apart(text: &[u8], at: usize) -> bool {
    let joins = |byte: Option<&u8>| matches!(byte, Some(b'"' | b'\'' | b'+' | b'\\'));
    let visible = |byte: &&u8| !byte.is_ascii_whitespace();
    let before = text[..at].iter().rev().take(64).find(visible);
    let after = text[at..].iter().take(64).find(visible);
    !joins(before) && !joins(after)
}
