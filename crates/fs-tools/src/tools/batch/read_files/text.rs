//! Lines of text, numbered.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use document_text::Encoding;
use redact::LineRedactor;

use super::ReadEntry;
use crate::error::ToolError;
use crate::gate::OpenFile;
use crate::limits;
use crate::render::echo;
use crate::tool::Call;
use crate::tools::classic::LineSource;
use crate::workspace::Workspace;

/// Reads a part of a text that is in memory.
pub(super) fn read(workspace: &Workspace, content: &[u8], entry: &ReadEntry) -> Result<String, ToolError> {
    let encoding = document_text::detect(content);
    let decoded = document_text::decode(content, encoding);
    let text = Text::new(&decoded.text);
    let mut page = match entry.around() {
        Some(rows) => around(workspace, &text, rows, entry),
        None => lines(workspace, &text, entry),
    };
    if let Some(note) = encoding_note(encoding, decoded.malformed) {
        page.push('\n');
        page.push_str(&note);
    }
    Ok(page)
}

/// What is said about the encoding of a text, when there is something to say.
fn encoding_note(encoding: Encoding, malformed: bool) -> Option<String> {
    match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom if malformed => {
            Some("[some bytes are not UTF-8 and are shown as U+FFFD; the file is unchanged]".to_owned())
        }
        Encoding::Utf8 | Encoding::Utf8Bom => None,
        other => Some(format!("[decoded as {}; the file is unchanged]", other.name())),
    }
}

/// The lines of a text: ended by line feeds, or by carriage returns where there is no line feed at all.
struct Text<'t> {
    text: &'t str,
    end: u8,
    count: u64,
}

impl<'t> Text<'t> {
    fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let has = |byte| memchr::memchr(byte, bytes).is_some();
        let end = if !has(b'\n') && has(b'\r') { b'\r' } else { b'\n' };
        let ends = memchr::memchr_iter(end, bytes).count() as u64;
        let open = !bytes.is_empty() && bytes.last() != Some(&end);
        Self { text, end, count: ends + u64::from(open) }
    }

    /// Where a line begins.
    fn start(&self, row: u64) -> usize {
        match row.checked_sub(2).map(usize::try_from) {
            None => 0,
            Some(ends) => memchr::memchr_iter(self.end, self.text.as_bytes())
                .nth(ends.unwrap_or(usize::MAX))
                .map_or(self.text.len(), |at| at + 1),
        }
    }

    /// Lines from `row` on, without their ends.
    fn from(&self, row: u64) -> impl Iterator<Item = (u64, &'t str)> {
        let rest = &self.text[self.start(row)..];
        let rest = rest.strip_suffix(char::from(self.end)).unwrap_or(rest);
        let none = row > self.count;
        let lines = rest.split(char::from(self.end)).map(|line| line.strip_suffix('\r').unwrap_or(line));
        (row..).zip(lines).take_while(move |_| !none)
    }

    /// A redactor that knows what stands above a line, as far as masking can depend on it.
    fn redactor<'r>(&self, workspace: &'r Workspace, row: u64) -> LineRedactor<'r> {
        let mut redactor = LineRedactor::new(workspace.redactor());
        let start = self.start(row);
        let from = start.saturating_sub(limits::MASK_CONTEXT_BYTES as usize);
        for line in self.text.as_bytes()[from..start].split(|&byte| byte == self.end) {
            let _ = redactor.line(line);
        }
        redactor
    }
}

/// Rows as they are shown, up to the bytes of one file.
#[derive(Default)]
struct Rows {
    text: String,
    last: u64,
    shown: u64,
    masked: u64,
    full: bool,
}

impl Rows {
    fn push(&mut self, row: u64, line: &[u8], redactor: &mut LineRedactor<'_>) -> bool {
        let masked = redactor.line(line);
        let is_masked = matches!(&masked, Cow::Owned(_));
        let line = String::from_utf8_lossy(&masked);
        let room = limits::BATCH_READ_BYTES.saturating_sub(self.text.len());
        let line = if line.len() + 24 > room {
            if self.shown > 0 {
                self.full = true;
                return false;
            }
            let mut end = room.saturating_sub(96).min(line.len());
            while !line.is_char_boundary(end) {
                end -= 1;
            }
            self.full = true;
            format!("{} … [line of {} bytes, cut]", &line[..end], line.len()).into()
        } else {
            line
        };
        let _ = writeln!(self.text, "{row}\t{line}");
        self.masked += u64::from(is_masked);
        self.last = row;
        self.shown += 1;
        !self.full
    }

    fn finish(mut self, footer: &str) -> String {
        self.text.push_str(footer);
        if self.masked > 0 {
            if !footer.is_empty() {
                self.text.push('\n');
            }
            let _ = write!(self.text, "[values masked in {} line(s); the file is unchanged]", self.masked);
        }
        self.text.truncate(self.text.trim_end_matches('\n').len());
        self.text
    }
}

fn lines(workspace: &Workspace, text: &Text<'_>, entry: &ReadEntry) -> String {
    let (first, limit) = (entry.offset(), entry.limit());
    if first > text.count {
        return past_end(first, text.count, entry);
    }
    let mut redactor = text.redactor(workspace, first);
    let mut rows = Rows::default();
    for (row, line) in text.from(first).take(usize::try_from(limit).unwrap_or(usize::MAX)) {
        if !rows.push(row, line.as_bytes(), &mut redactor) {
            break;
        }
    }
    let footer = more(first, rows.last, text.count, "lines");
    rows.finish(&footer)
}

/// The last line of a part that does not reach the end.
pub(super) fn more(first: u64, last: u64, count: u64, unit: &str) -> String {
    if last >= count {
        return String::new();
    }
    format!("[{unit} {first}-{last} of {count}; call again with offset={} for more]", last + 1)
}

pub(super) fn past_end(offset: u64, count: u64, entry: &ReadEntry) -> String {
    format!("[offset {offset} exceeds {count} lines of {}]", echo(&entry.path))
}

/// Rows with the lines on each side of them, as ranges that neither overlap nor touch.
fn windows(rows: &[i64], context: u64, count: u64) -> Vec<RangeInclusive<u64>> {
    let mut inside: Vec<u64> = rows
        .iter()
        .filter_map(|row| u64::try_from(*row).ok())
        .filter(|row| (1..=count).contains(row))
        .collect();
    inside.sort_unstable();
    let mut windows: Vec<RangeInclusive<u64>> = Vec::new();
    for row in inside {
        let (start, end) = (row.saturating_sub(context).max(1), row.saturating_add(context).min(count));
        match windows.last_mut() {
            Some(last) if start <= *last.end() + 1 => *last = *last.start()..=end.max(*last.end()),
            _ => windows.push(start..=end),
        }
    }
    windows
}

fn around(workspace: &Workspace, text: &Text<'_>, rows: &[i64], entry: &ReadEntry) -> String {
    let outside: Vec<String> = rows
        .iter()
        .filter(|row| !u64::try_from(**row).is_ok_and(|row| (1..=text.count).contains(&row)))
        .map(i64::to_string)
        .collect();
    let windows = windows(rows, entry.context(), text.count);
    let asked: Vec<String> = rows.iter().map(i64::to_string).collect();
    let asked = asked.join(", ");
    if windows.is_empty() {
        return format!(
            "[none of the rows [{asked}] is in {}, which has {} lines]",
            echo(&entry.path),
            text.count
        );
    }
    let mut shown = Rows::default();
    for (index, window) in windows.iter().enumerate() {
        if index > 0 {
            shown.text.push_str("...\n");
        }
        let mut redactor = text.redactor(workspace, *window.start());
        let length = usize::try_from(window.end() - window.start() + 1).unwrap_or(usize::MAX);
        for (row, line) in text.from(*window.start()).take(length) {
            if !shown.push(row, line.as_bytes(), &mut redactor) {
                break;
            }
        }
        if shown.full {
            break;
        }
    }
    let mut footer = format!("[{} of {} lines shown around rows [{asked}]", shown.shown, text.count);
    if shown.full {
        let _ = write!(footer, "; cut at 1 MiB behind row {}", shown.last);
    }
    if !outside.is_empty() {
        let _ = write!(footer, "; rows [{}] are outside the file", outside.join(", "));
    }
    footer.push(']');
    shown.finish(&footer)
}

/// Reads a part of a text that is too large for memory, in two passes at most: one for the part, one for the count.
pub(super) fn large(
    workspace: &Workspace,
    file: &OpenFile<'_>,
    entry: &ReadEntry,
    call: &Call<'_>,
) -> Result<String, ToolError> {
    let count = LineSource::new(file, call).count()?;
    let mut rows = Rows::default();
    let mut shown = |windows: &[RangeInclusive<u64>]| -> Result<(), ToolError> {
        let mut source = LineSource::new(file, call);
        let mut next = 1;
        let mut line = Vec::new();
        for (index, window) in windows.iter().enumerate() {
            if index > 0 {
                rows.text.push_str("...\n");
            }
            if !source.skip_to(window.start() - next + 1)? {
                break;
            }
            let mut redactor = LineRedactor::new(workspace.redactor());
            let from = source.offset().saturating_sub(limits::MASK_CONTEXT_BYTES);
            for above in file.read_range(from..source.offset())?.split(|&byte| byte == b'\n') {
                let _ = redactor.line(above);
            }
            for row in window.clone() {
                if !source.next_line(&mut line)? {
                    break;
                }
                let content = line.strip_suffix(b"\n").unwrap_or(&line);
                let content = content.strip_suffix(b"\r").unwrap_or(content);
                let content =
                    if row == 1 { content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content) } else { content };
                next = row + 1;
                if !rows.push(row, content, &mut redactor) {
                    return Ok(());
                }
            }
        }
        Ok(())
    };
    let Some(asked) = entry.around() else {
        let first = entry.offset();
        if first > count {
            return Ok(past_end(first, count, entry));
        }
        shown(&[first..=first.saturating_add(entry.limit() - 1).min(count)])?;
        let footer = more(first, rows.last, count, "lines");
        return Ok(rows.finish(&footer));
    };
    let windows = windows(asked, entry.context(), count);
    if windows.is_empty() {
        return Ok(format!("[none of the rows is in {}, which has {count} lines]", echo(&entry.path)));
    }
    shown(&windows)?;
    let footer = format!("[{} of {count} lines shown around rows {asked:?}]", rows.shown);
    Ok(rows.finish(&footer))
}

#[cfg(test)]
mod tests {
    use super::{Text, windows};

    #[test]
    fn windows_that_overlap_or_touch_are_one() {
        let check = |rows: &[i64], context, count, expected: &[(u64, u64)]| {
            let got: Vec<_> =
                windows(rows, context, count).iter().map(|it| (*it.start(), *it.end())).collect();
            assert_eq!(got, expected, "{rows:?} {context}");
        };
        check(&[3], 1, 5, &[(2, 4)]);
        check(&[1, 5], 0, 5, &[(1, 1), (5, 5)]);
        check(&[2, 4], 1, 5, &[(1, 5)]);
        check(&[2, 3], 0, 5, &[(2, 3)]);
        check(&[5, 1, 5], 0, 5, &[(1, 1), (5, 5)]);
        check(&[0, -1, 99], 3, 5, &[]);
        check(&[i64::MAX, 1], u64::MAX, 5, &[(1, 5)]);
    }

    #[test]
    fn lines_end_as_the_text_ends_them() {
        let check = |text: &str, expected: &[&str]| {
            let lines = Text::new(text);
            assert_eq!(lines.count, expected.len() as u64, "{text:?}");
            let got: Vec<_> = lines.from(1).map(|(_, line)| line).collect();
            assert_eq!(got, expected, "{text:?}");
            for (index, line) in expected.iter().enumerate() {
                assert_eq!(lines.from(index as u64 + 1).next(), Some((index as u64 + 1, *line)), "{text:?}");
            }
            assert_eq!(lines.from(lines.count + 1).next(), None, "{text:?}");
        };
        check("a\nb\n", &["a", "b"]);
        check("a\nb", &["a", "b"]);
        check("\n", &[""]);
        check("a\r\nb\r\n", &["a", "b"]);
        check("a\rb\r", &["a", "b"]);
        check("a\rb", &["a", "b"]);
        check("a\n\n\nb", &["a", "", "", "b"]);
        check("", &[]);
    }
}
