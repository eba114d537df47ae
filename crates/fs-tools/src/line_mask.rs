//! Masking of found lines, with what stands above them: a line may be the inside of a private key.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use memchr::memmem::Finder;
use redact::{KeyState, LineRedactor, MARKER, OffsetMap, Redactor};
use rooted_fs::Handle;
use search_engine::LineRow;

use crate::tree::GateTree;

/// Masks the lines that a search finds, in the order in which it finds them.
pub(crate) struct LineMask<'a> {
    redactor: &'a Redactor,
    tree: &'a GateTree<'a>,
    reader: Option<KeyReader>,
}

impl<'a> LineMask<'a> {
    pub(crate) fn new(redactor: &'a Redactor, tree: &'a GateTree<'a>) -> Self {
        Self { redactor, tree, reader: None }
    }

    /// Masks a whole line; `None` when there is nothing to mask. The map leads from the line to its masked form.
    pub(crate) fn mask(&mut self, row: &LineRow<'_>) -> Option<(Vec<u8>, OffsetMap)> {
        let mut redactor = LineRedactor::with_state(self.redactor, self.key_state(row));
        let spans = redactor.spans(row.text);
        if spans.is_empty() {
            return None;
        }
        Some((self.redactor.apply(row.text, spans), OffsetMap::new(spans, MARKER.len())))
    }

    /// Whether a line stands inside of a private key that began above it.
    fn key_state(&mut self, row: &LineRow<'_>) -> KeyState {
        if !may_be_inside_a_key(row.text) {
            return KeyState::OUTSIDE;
        }
        if self.reader.as_ref().is_none_or(|reader| reader.path != row.path || reader.line > row.line) {
            self.reader = KeyReader::open(self.tree, row.path);
        }
        // What cannot be read again is judged by its own text.
        self.reader
            .as_mut()
            .and_then(|reader| reader.state_before(row.line, self.redactor).ok())
            .unwrap_or_default()
    }
}

/// Whether a line could by its characters be the inside of a key: base64, and the quotes and escapes around it.
fn may_be_inside_a_key(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    !line.is_empty()
        && line.iter().all(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_' | b'"' | b'\'' | b'\\' | b',')
        })
}

/// Reads what stands above the rows of one file, as far as it can hold the start of a key.
struct KeyReader {
    path: PathBuf,
    handle: Arc<Handle>,
    offset: u64,
    /// The last bytes that were read.
    text: Vec<u8>,
    /// How far lines have been counted in `text`.
    at: usize,
    /// Number of the line at `at`.
    line: u64,
}

/// A key is given up this many bytes behind its first line at the latest: twice what the redactor follows.
const KEY_BYTES: usize = 32 * 1024;
/// Bytes of one read.
const CHUNK_BYTES: usize = 128 * 1024;

static KEY_WORDS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| ["PRIVATE KEY", "PuTTY-User-Key-File-"].map(Finder::new));

impl KeyReader {
    fn open(tree: &GateTree<'_>, path: &Path) -> Option<Self> {
        let handle = tree.open_path(path).ok()?;
        Some(Self { path: path.to_owned(), handle, offset: 0, text: Vec::new(), at: 0, line: 1 })
    }

    /// Tells where a reader of all lines before `line` would stand.
    fn state_before(&mut self, line: u64, redactor: &Redactor) -> io::Result<KeyState> {
        while self.line < line {
            if self.at == self.text.len() && !self.fill()? {
                break;
            }
            let rest = &self.text[self.at..];
            let wanted = usize::try_from(line - self.line - 1).unwrap_or(usize::MAX);
            match memchr::memchr_iter(b'\n', rest).nth(wanted) {
                Some(end) => {
                    self.at += end + 1;
                    self.line = line;
                }
                None => {
                    self.line += memchr::memchr_iter(b'\n', rest).count() as u64;
                    self.at = self.text.len();
                }
            }
        }
        let above = &self.text[self.at.saturating_sub(KEY_BYTES)..self.at];
        if !KEY_WORDS.iter().any(|word| word.find(above).is_some()) {
            return Ok(KeyState::OUTSIDE);
        }
        let mut reader = LineRedactor::new(redactor);
        for line in above.split_inclusive(|byte| *byte == b'\n') {
            let _ = reader.spans(line);
        }
        Ok(reader.state())
    }

    /// Reads on, forgetting what lies too far back; `false` at the end of the file.
    fn fill(&mut self) -> io::Result<bool> {
        let keep = self.text.len().min(KEY_BYTES);
        self.text.drain(..self.text.len() - keep);
        self.text.resize(keep + CHUNK_BYTES, 0);
        let read = self.handle.read_at(&mut self.text[keep..], self.offset);
        let filled = *read.as_ref().unwrap_or(&0);
        self.text.truncate(keep + filled);
        self.at = keep;
        self.offset += filled as u64;
        Ok(read? > 0)
    }
}
