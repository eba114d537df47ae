//! Pages by byte offset.

use std::borrow::Cow;
use std::path::Path;

use document_text::{Encoding, Kind};
use sandbox_policy::Op;

use super::{Page, ReadFileReply, ReadRange, masked_note};
use crate::error::ToolError;
use crate::gate::OpenFile;
use crate::limits;
use crate::render::{mask_window, show_name};
use crate::tool::Call;
use crate::workspace::Workspace;

pub(super) fn read(
    workspace: &Workspace,
    path: &str,
    offset: u64,
    length: Option<u64>,
    call: &Call<'_>,
) -> Result<Page, ToolError> {
    let file = workspace.gate().open_file(Op::Read, path, call)?;
    let max = workspace.config().read_file.max_bytes as u64;
    let size = file.size();
    let length = length.unwrap_or(max).min(max);
    let is_artifact = workspace.is_artifact(&file);
    if offset >= size {
        let text = format!("[END OF FILE - no content at this offset{}]", super::empty_note(size));
        return Ok(Page { reply: ReadFileReply::new(text, size, offset..offset), is_artifact });
    }
    let end = offset.saturating_add(length).min(size);
    let head = file.read_range(0..limits_head(size))?;
    let reply = match document_text::classify(Path::new(file.base_name()), &head) {
        Kind::Binary(format) => hex_page(&file, format.name(), offset, end, max)?,
        Kind::Text(encoding) if is_utf16(encoding) => utf16_page(workspace, &file, encoding, offset, end)?,
        _ => text_page(workspace, &file, offset, end)?,
    };
    Ok(Page { reply, is_artifact })
}

fn limits_head(size: u64) -> u64 {
    size.min(document_text::SEARCH_SNIFF_BYTES as u64)
}

fn is_utf16(encoding: Encoding) -> bool {
    encoding.name().starts_with("UTF-16")
}

/// A page over the bytes `start..end`: header, status, blank line and content.
fn frame(file: &OpenFile, note: &str, start: u64, end: u64, masked: usize, body: String) -> ReadFileReply {
    let name = show_name(Path::new(file.base_name()));
    let (size, more) = (file.size(), end < file.size());
    let last = end.saturating_sub(1).max(start);
    let mut text = format!("[file: {name} | total: {size} bytes | read: bytes {start}-{last}{note}]\n");
    if more {
        text.push_str(&format!(
            "[TRUNCATED - file has more content. Call read_file again with offset={end}.]\n"
        ));
    } else {
        text.push_str("[END OF FILE - no further content.]\n");
    }
    text.push_str(&masked_note(masked));
    text.push('\n');
    text.push_str(&body);
    if more {
        if !body.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&format!("[bytes {start}-{last} of {size}; next offset={end}]"));
    }
    ReadFileReply {
        content: body,
        next: more.then_some(ReadRange::Bytes { offset: end, length: None }),
        masked,
        ..ReadFileReply::new(text, size, start..end)
    }
}

fn text_page(
    workspace: &Workspace,
    file: &OpenFile,
    start: u64,
    end: u64,
) -> Result<ReadFileReply, ToolError> {
    let from = start.saturating_sub(limits::MASK_CONTEXT_BYTES);
    let buffer = file.read_range(from..end.saturating_add(limits::MASK_CONTEXT_BYTES).min(file.size()))?;
    let window_start = (start - from) as usize;
    let wanted = ((end - from) as usize).min(buffer.len());
    let window_end = char_end(&buffer, window_start, wanted);
    let masked = mask_window(workspace.redactor(), &buffer, window_start..window_end);
    let end = from + window_end as u64;
    let body = lossy(masked.text);
    Ok(frame(file, "", start, end, masked.count, body))
}

/// Text out of bytes: validating a whole text is many times faster than looking for its malformed places.
fn lossy(bytes: Cow<'_, [u8]>) -> String {
    match std::str::from_utf8(&bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => String::from_utf8_lossy(&bytes).into_owned(),
    }
}

/// Moves the end of a window back to a character boundary, or forward when no whole character would be left.
fn char_end(buffer: &[u8], start: usize, end: usize) -> usize {
    let is_continuation = |at: usize| buffer.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    if !is_continuation(end) {
        return end;
    }
    // A character has at most three continuation bytes; more than that is no UTF-8 and is cut where asked.
    let Some(lead) = (end.saturating_sub(3)..end).rev().find(|&at| !is_continuation(at)) else { return end };
    let width = match buffer[lead] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return end,
    };
    let next = lead + width;
    if next <= end || next > buffer.len() {
        return end;
    }
    if lead > start { lead } else { next }
}

fn utf16_page(
    workspace: &Workspace,
    file: &OpenFile,
    encoding: Encoding,
    start: u64,
    end: u64,
) -> Result<ReadFileReply, ToolError> {
    // Whole code units; a pair of surrogates that is cut is shown by both pages as a replacement character.
    let (start, end) = (start & !1, if end < file.size() { (end & !1).max(start + 2) } else { end });
    let from = start.saturating_sub(limits::MASK_CONTEXT_BYTES);
    let buffer = file.read_range(from..end.saturating_add(limits::MASK_CONTEXT_BYTES).min(file.size()))?;
    let cut = |at: u64| ((at - from) as usize).min(buffer.len());
    let (before, rest) = buffer.split_at(cut(start));
    let (inside, after) = rest.split_at(cut(end) - cut(start));
    let decode = |bytes| document_text::decode(bytes, encoding).text.into_owned();
    let (before, inside, after) = (decode(before), decode(inside), decode(after));
    let window = before.len()..before.len() + inside.len();
    let all = format!("{before}{inside}{after}");
    let masked = mask_window(workspace.redactor(), all.as_bytes(), window);
    let body = lossy(masked.text);
    let note = format!(" | shown as UTF-8, the file is {}", encoding.name());
    Ok(frame(file, &note, start, end, masked.count, body))
}

fn hex_page(
    file: &OpenFile,
    kind: &'static str,
    start: u64,
    end: u64,
    max: u64,
) -> Result<ReadFileReply, ToolError> {
    let capacity = document_text::hex_dump_capacity(max as usize).max(16) as u64;
    let end = end.min(start.saturating_add(capacity));
    let bytes = file.read_range(start..end)?;
    let dump = document_text::hex_dump(&bytes, start, usize::try_from(capacity).unwrap_or(usize::MAX));
    let note = format!(" | binary: {kind}, shown as a hex dump");
    Ok(ReadFileReply { binary: Some(kind), ..frame(file, &note, start, end, 0, dump) })
}

#[cfg(test)]
mod tests {
    use super::char_end;

    #[test]
    fn windows_end_on_character_boundaries() {
        let text = "aé日😀".as_bytes();
        assert_eq!(char_end(text, 0, 1), 1);
        assert_eq!(char_end(text, 0, 2), 1);
        assert_eq!(char_end(text, 1, 2), 3);
        assert_eq!(char_end(text, 0, 5), 3);
        assert_eq!(char_end(text, 0, 9), 6);
        assert_eq!(char_end(text, 6, 7), 10);
        assert_eq!(char_end(&[0x80; 10], 0, 5), 5);
    }
}
