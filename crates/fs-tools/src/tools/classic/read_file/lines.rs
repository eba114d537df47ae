//! Pages by line number.

use std::path::Path;

use document_text::Kind;
use redact::LineRedactor;
use sandbox_policy::Op;

use super::{Page, ReadFileReply, ReadRange, masked_note};
use crate::error::{Class, ToolError};
use crate::gate::OpenFile;
use crate::limits;
use crate::render::show_name;
use crate::tool::Call;
use crate::workspace::Workspace;

/// Marks a line that was cut at the configured length.
const CUT_MARK: &str = " … [truncated]";
/// Bytes read at a time.
const CHUNK_BYTES: usize = 64 * 1024;

pub(super) fn read(
    workspace: &Workspace,
    path: &str,
    first: u64,
    asked: Option<u64>,
    call: &Call<'_>,
) -> Result<Page, ToolError> {
    let config = workspace.config().read_file;
    let file = workspace.gate().open_file(Op::Read, path, call)?;
    let is_artifact = workspace.is_artifact(&file);
    let head = file.read_range(0..file.size().min(document_text::SEARCH_SNIFF_BYTES as u64))?;
    if let Kind::Binary(format) = document_text::classify(Path::new(file.base_name()), &head) {
        return Err(binary(path, format.name(), file.size()));
    }
    if head.iter().take(document_text::READ_SNIFF_BYTES).any(|&byte| byte == 0) {
        return Err(binary(path, "text with two bytes a character", file.size()));
    }
    let max_lines = asked.unwrap_or(u64::MAX).min(config.max_lines as u64);
    let mut source = LineSource::new(&file, call);
    if !source.skip_to(first)? {
        let empty = super::empty_note(file.size());
        let text = format!("[END OF FILE - no content at or after start_line={first}{empty}]");
        let reply = ReadFileReply::new(text, file.size(), source.offset()..source.offset());
        return Ok(Page { reply, is_artifact });
    }
    let start = source.offset();
    let mut redactor = prime(workspace, &file, start)?;
    let mut body = String::new();
    let (mut number, mut masked, mut stop) = (first, 0, Stop::Lines);
    let (mut crlf, mut lf) = (false, false);
    let mut line = Vec::new();
    while number - first < max_lines {
        if body.len() >= config.max_bytes {
            stop = Stop::Budget;
            break;
        }
        if !source.next_line(&mut line)? {
            break;
        }
        let (content, end) = split_end(&line);
        crlf |= end == "\r\n";
        lf |= end == "\n";
        let shown = redactor.line(content);
        masked += usize::from(shown != content);
        let mut row = format!("{number}|");
        push_cut(&mut row, &String::from_utf8_lossy(&shown), config.max_line_chars);
        row.push_str(end);
        number += 1;
        if body.len() + row.len() > config.max_bytes {
            let mut room = config.max_bytes - body.len();
            while !row.is_char_boundary(room) {
                room -= 1;
            }
            let prefix = row.find('|').map_or(0, |at| at + 1);
            if room > prefix {
                body.push_str(&row[..room]);
                stop = Stop::MidLine;
            } else {
                number -= 1;
                stop = Stop::Budget;
            }
            break;
        }
        body.push_str(&row);
    }
    let at_end = source.at_end()?;
    let last = number - 1;
    let again = |next: u64| match asked {
        Some(asked) => format!("Call read_file again with start_line={next} and max_lines={asked}."),
        None => format!("Call read_file again with start_line={next}."),
    };
    let next = match stop {
        // A first line that alone is over the budget would be cut again; the next page starts behind it.
        Stop::MidLine if last > first => last,
        Stop::MidLine => last + 1,
        _ => number,
    };
    let is_last = at_end && !(matches!(stop, Stop::MidLine) && last > first);
    let status = match stop {
        Stop::MidLine if is_last => format!(
            "[TRUNCATED - line {last} was cut mid-line: the byte budget is {}. It is the last line.]",
            config.max_bytes
        ),
        Stop::MidLine => format!(
            "[TRUNCATED - line {last} was cut mid-line: the byte budget is {}. {}]",
            config.max_bytes,
            again(next)
        ),
        _ if at_end => "[END OF FILE - no further content.]".to_owned(),
        Stop::Budget => {
            format!("[TRUNCATED - the byte budget of {} is reached. {}]", config.max_bytes, again(number))
        }
        Stop::Lines => format!("[PARTIAL - more lines follow. {}]", again(number)),
    };
    let ends = match (crlf, lf) {
        (true, true) => " | line ends: CRLF and LF mixed",
        (true, false) => " | line ends: CRLF",
        _ => "",
    };
    let name = show_name(Path::new(file.base_name())).into_owned();
    let mut text = format!(
        "[file: {name} | read: lines {first}-{last} (1-indexed) | file_bytes: {} | output_bytes: {}{ends}]\n{status}\n{}\n",
        source.offset() - start,
        body.len(),
        masked_note(masked)
    );
    text.push_str(&body);
    if !is_last {
        if !body.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&format!("[lines {first}-{last}; {}", &status[status.find("Call").unwrap_or(0)..]));
    }
    let next = (!is_last).then_some(ReadRange::Lines { start_line: next, max_lines: asked });
    let reply = ReadFileReply {
        content: body,
        lines: Some(first..number),
        next,
        masked,
        ..ReadFileReply::new(text, file.size(), start..source.offset())
    };
    Ok(Page { reply, is_artifact })
}

/// Why a page ended before the end of the file.
#[derive(Clone, Copy)]
enum Stop {
    Lines,
    Budget,
    MidLine,
}

fn binary(path: &str, kind: &str, size: u64) -> ToolError {
    ToolError::new(Class::Usage, "binary_file", format!("the file is binary ({kind}, {size} bytes)"))
        .at(path)
        .hint(
            "line mode shows text only; to see its bytes, the operator can switch read_file mode to 'bytes'",
        )
}

/// Feeds the lines before `start`, as far as masking can depend on them.
fn prime<'a>(workspace: &'a Workspace, file: &OpenFile, start: u64) -> Result<LineRedactor<'a>, ToolError> {
    let mut redactor = LineRedactor::new(workspace.redactor());
    let from = start.saturating_sub(limits::MASK_CONTEXT_BYTES);
    let context = file.read_range(from..start)?;
    for line in context.split_inclusive(|&byte| byte == b'\n') {
        let _ = redactor.line(split_end(line).0);
    }
    Ok(redactor)
}

/// Splits a line into its content and its terminator.
fn split_end(line: &[u8]) -> (&[u8], &'static str) {
    match line {
        [content @ .., b'\r', b'\n'] => (content, "\r\n"),
        [content @ .., b'\n'] => (content, "\n"),
        content => (content, ""),
    }
}

/// Appends a line, cut after `max_chars` characters.
fn push_cut(row: &mut String, text: &str, max_chars: usize) {
    match text.char_indices().nth(max_chars) {
        Some((at, _)) => {
            row.push_str(&text[..at]);
            row.push_str(CUT_MARK);
        }
        None => row.push_str(text),
    }
}

/// Lines of a file in order, in memory that does not depend on its size.
pub(crate) struct LineSource<'a> {
    file: &'a OpenFile<'a>,
    call: &'a Call<'a>,
    chunk: Vec<u8>,
    /// Place of `chunk[at]` in the file.
    offset: u64,
    at: usize,
}

impl<'a> LineSource<'a> {
    pub(crate) fn new(file: &'a OpenFile<'a>, call: &'a Call<'a>) -> Self {
        Self { file, call, chunk: Vec::new(), offset: 0, at: 0 }
    }

    /// Offset of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes that are at hand; reads on when there are none. Empty at the end of the file.
    fn fill(&mut self) -> Result<&[u8], ToolError> {
        if self.at == self.chunk.len() {
            self.call.check()?;
            self.file.read_into(self.offset, CHUNK_BYTES, &mut self.chunk)?;
            self.at = 0;
        }
        Ok(&self.chunk[self.at..])
    }

    fn consume(&mut self, bytes: usize) {
        self.at += bytes;
        self.offset += bytes as u64;
    }

    fn at_end(&mut self) -> Result<bool, ToolError> {
        Ok(self.fill()?.is_empty())
    }

    /// Counts the lines that are left.
    pub(crate) fn count(mut self) -> Result<u64, ToolError> {
        let (mut ends, mut is_open) = (0, false);
        loop {
            let chunk = self.fill()?;
            let Some(last) = chunk.last() else { return Ok(ends + u64::from(is_open)) };
            is_open = *last != b'\n';
            ends += memchr::memchr_iter(b'\n', chunk).count() as u64;
            let used = chunk.len();
            self.consume(used);
        }
    }

    /// Moves to the start of a line, counted from 1 at the place where it is now; `false` when the file ends before it.
    pub(crate) fn skip_to(&mut self, line: u64) -> Result<bool, ToolError> {
        let mut ends_left = line - 1;
        while ends_left > 0 {
            let chunk = self.fill()?;
            if chunk.is_empty() {
                return Ok(false);
            }
            let mut used = chunk.len();
            for end in memchr::memchr_iter(b'\n', chunk) {
                ends_left -= 1;
                if ends_left == 0 {
                    used = end + 1;
                    break;
                }
            }
            self.consume(used);
        }
        Ok(!self.at_end()?)
    }

    /// Reads the next line with its terminator; `false` at the end. What is over the retained length is passed over,
    /// except for the terminator.
    pub(crate) fn next_line(&mut self, line: &mut Vec<u8>) -> Result<bool, ToolError> {
        line.clear();
        let mut any = false;
        loop {
            let chunk = self.fill()?;
            if chunk.is_empty() {
                return Ok(any);
            }
            any = true;
            let end = memchr::memchr(b'\n', chunk);
            let used = end.map_or(chunk.len(), |at| at + 1);
            let room = limits::RETAINED_LINE_BYTES.saturating_sub(line.len());
            line.extend_from_slice(&chunk[..used.min(room)]);
            if end.is_some() && used > room {
                line.push(b'\n');
            }
            self.consume(used);
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}
