//! Searches one file line by line, in a buffer that does not grow with the file.

use std::{io::Read, ops::ControlFlow};

use crate::{
    Output,
    pattern::Matcher,
    records::{Batch, Bounds, Emitter, FileRec, Outcome},
    spared::Run,
    utf16::{self, Source},
};

/// The part of a line that is kept and searched.
pub(crate) const MAX_LINE_BYTES: usize = 1 << 20;
/// How much of a file is looked at for a NUL byte.
pub(crate) const SNIFF_BYTES: usize = 8 << 10;
/// Read at once; one that is larger is rolled through the buffer.
const BLOCK_BYTES: usize = 128 << 10;
/// Blocks between two looks at the clock.
const BLOCKS_PER_CHECK: u32 = 4;

/// What the search of one file needs besides the file.
pub(crate) struct Job<'j> {
    pub(crate) output: Output,
    /// Rows that can still be of use.
    pub(crate) want: u64,
    /// Whether to go on for the count when the rows are full.
    pub(crate) count_all: bool,
    /// Asked now and then; `false` stops.
    pub(crate) proceed: &'j dyn Fn() -> bool,
}

/// Buffers that are used for one file after the other.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) buf: Vec<u8>,
}

/// The start of a file in the buffer, once it is known to be text.
pub(crate) struct Opened<R> {
    pub(crate) source: Source<R>,
    pub(crate) filled: usize,
}

/// Reads the start of a file and tells whether it is text; byte order marks are dropped, and UTF-16 is decoded.
pub(crate) fn open_text<R: Read>(
    file: R,
    size: u64,
    max_unsized: u64,
    scratch: &mut Scratch,
) -> Result<Opened<R>, (Outcome, u64)> {
    let buf = &mut scratch.buf;
    if buf.len() < BLOCK_BYTES {
        buf.resize(BLOCK_BYTES, 0);
    }
    let mut source = Source::new(file, size, max_unsized);
    let mut filled = 0;
    // Small files are read whole by this, in one call.
    while filled < SNIFF_BYTES && !source.is_at_end() {
        match source.read(&mut buf[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(_) => return Err((Outcome::Unreadable, source.bytes_read)),
        }
    }
    if let Some(order) = utf16::sniff(&buf[..filled]) {
        source.decode(order, &buf[2..filled]);
        filled = 0;
    } else if memchr::memchr(0, &buf[..filled.min(SNIFF_BYTES)]).is_some() {
        return Err((Outcome::Binary, size.min(SNIFF_BYTES as u64)));
    } else if buf[..filled].starts_with(b"\xEF\xBB\xBF") {
        buf.copy_within(3..filled, 0);
        filled -= 3;
    }
    Ok(Opened { source, filled })
}

/// Searches one file. Full batches go to `flush`; `Break` from it ends the file.
///
/// The last part of the file is added to `out` and not flushed.
pub(crate) fn search_lines<R: Read>(
    opened: Opened<R>,
    mut rec: FileRec,
    matcher: &mut Matcher<'_>,
    job: &Job<'_>,
    scratch: &mut Scratch,
    out: &mut Batch,
    flush: &mut dyn FnMut(&mut Batch) -> ControlFlow<()>,
) {
    let mut emitter = Emitter::new(job.output, job.want);
    rec.outcome = region(opened, &mut rec, &mut emitter, matcher, job, scratch, out, flush);
    push_part(&rec, &mut emitter, out, false);
    relax(&mut scratch.buf);
}

/// Searches some parts of a file, each of whole lines, as [`search_lines`] does. `seek` moves in the file.
#[expect(clippy::too_many_arguments, reason = "the file, the pattern, and where the records go")]
pub(crate) fn search_parts<R: Read>(
    mut file: R,
    parts: &[Run],
    seek: &mut dyn FnMut(&mut R, u64) -> bool,
    mut rec: FileRec,
    matcher: &mut Matcher<'_>,
    job: &Job<'_>,
    scratch: &mut Scratch,
    out: &mut Batch,
    flush: &mut dyn FnMut(&mut Batch) -> ControlFlow<()>,
) {
    if scratch.buf.len() < BLOCK_BYTES {
        scratch.buf.resize(BLOCK_BYTES, 0);
    }
    let mut emitter = Emitter::new(job.output, job.want);
    for part in parts {
        if !seek(&mut file, part.start) {
            rec.outcome = Outcome::Unreadable;
            break;
        }
        emitter.jump(part.line, part.start);
        let len = part.end - part.start;
        let source = Source::new(file.by_ref().take(len), len, 0);
        let opened = Opened { source, filled: 0 };
        rec.outcome = region(opened, &mut rec, &mut emitter, matcher, job, scratch, out, flush);
        let first_is_enough = job.output == Output::Files && emitter.matched > 0;
        if rec.outcome != Outcome::Searched || first_is_enough || (emitter.is_over() && !job.count_all) {
            break;
        }
    }
    push_part(&rec, &mut emitter, out, false);
    relax(&mut scratch.buf);
}

/// Searches one file, or a part of whole lines of one.
#[expect(clippy::too_many_arguments, reason = "the file, the pattern, and where the records go")]
fn region<R: Read>(
    opened: Opened<R>,
    rec: &mut FileRec,
    emitter: &mut Emitter,
    matcher: &mut Matcher<'_>,
    job: &Job<'_>,
    scratch: &mut Scratch,
    out: &mut Batch,
    flush: &mut dyn FnMut(&mut Batch) -> ControlFlow<()>,
) -> Outcome {
    let Opened { mut source, mut filled } = opened;
    let before = rec.bytes;
    let buf = &mut scratch.buf;
    let mut head = 0; // what lies before it has been searched and is kept as context
    let mut blocks = 0;
    let outcome = loop {
        // Fill the buffer.
        while filled < buf.len() && !source.is_at_end() {
            match source.read(&mut buf[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(_) => {
                    rec.outcome = Outcome::Unreadable;
                    break;
                }
            }
        }
        if rec.outcome == Outcome::Unreadable {
            break Outcome::Unreadable;
        }
        let ended = source.is_at_end();
        // No region is longer than a line may be, so no line in it is.
        let reach = filled.min(head + MAX_LINE_BYTES + 1);
        let newline = memchr::memrchr(b'\n', &buf[head..reach]).map(|i| head + i + 1);
        let mut cut = false;
        let end = match newline {
            _ if ended && filled - head <= MAX_LINE_BYTES => filled,
            Some(end) => end,
            None if filled - head > MAX_LINE_BYTES => {
                match drop_tail(buf, head + MAX_LINE_BYTES, &mut filled, &mut source, job) {
                    Ok(()) => {}
                    Err(outcome) => break outcome,
                }
                rec.lines_cut = true;
                emitter.mark_cut(buf, head);
                cut = true;
                filled.min(head + MAX_LINE_BYTES + 1)
            }
            None => {
                let wanted = (buf.len() * 2).min(head + MAX_LINE_BYTES + BLOCK_BYTES);
                buf.resize(wanted.max(buf.len() + 1), 0);
                continue;
            }
        };
        if cut {
            search_cut_line(buf, head, end, matcher, emitter, out);
        } else {
            search_region(buf, head, end, job, matcher, emitter, out);
        }
        emitter.context_up_to(buf, end, out);
        let first_is_enough = job.output == Output::Files && emitter.matched > 0;
        if first_is_enough || (emitter.is_over() && !job.count_all) {
            break Outcome::Searched;
        }
        if end == filled && source.is_at_end() {
            break Outcome::Searched;
        }
        blocks += 1;
        if blocks % BLOCKS_PER_CHECK == 0 && !(job.proceed)() {
            break Outcome::Interrupted;
        }
        if out.is_full() {
            rec.bytes = before + source.bytes_read;
            push_part(rec, emitter, out, true);
            if flush(out).is_break() {
                break Outcome::Interrupted;
            }
        }
        // Make room: what has been searched leaves, but for the context of what comes.
        let keep = emitter.keep_from(buf, end);
        emitter.dropped(buf, keep);
        buf.copy_within(keep..filled, 0);
        filled -= keep;
        head = end - keep;
        if buf.len() - filled < BLOCK_BYTES / 2 {
            let len = filled + BLOCK_BYTES;
            buf.resize(len, 0);
        }
    };
    rec.bytes = before + source.bytes_read;
    outcome
}

/// Long context lines made the buffer grow: that is not kept for every thread.
fn relax(buf: &mut Vec<u8>) {
    if buf.len() > 2 * MAX_LINE_BYTES {
        buf.truncate(BLOCK_BYTES);
        buf.shrink_to_fit();
    }
}

pub(crate) fn push_part(rec: &FileRec, emitter: &mut Emitter, out: &mut Batch, more: bool) {
    let (rows, matched) = (emitter.rows, emitter.matched);
    out.files.push(FileRec { rows, matched, lines_end: out.lines.len(), more, ..rec.clone() });
    emitter.next_part();
}

/// Searches whole lines.
fn search_region(
    buf: &[u8],
    head: usize,
    end: usize,
    job: &Job<'_>,
    matcher: &mut Matcher<'_>,
    emitter: &mut Emitter,
    out: &mut Batch,
) {
    let text = &buf[..end];
    let mut at = head;
    while at < end {
        let Some(hit) = matcher.candidate(text, at..end) else { break };
        let start = memchr::memrchr(b'\n', &text[at..hit]).map_or(at, |i| at + i + 1);
        if start == end {
            break; // behind the last line break there is no line
        }
        let newline = memchr::memchr(b'\n', &text[hit..]).map(|i| hit + i);
        let stop = newline.unwrap_or(end);
        let next = newline.map_or(end, |i| i + 1);
        let had_cr = stop > start && text[stop - 1] == b'\r';
        let line = Bounds { start, end: stop - usize::from(had_cr), next };
        if matcher.confirm(text, line.start..line.end, had_cr, false) {
            emitter.matched(buf, line, None, out);
            if job.output == Output::Files || (emitter.is_over() && !job.count_all) {
                break;
            }
        }
        at = next;
    }
}

/// Searches the kept part of a line that is longer than that: to the pattern the line goes on with a NUL byte.
fn search_cut_line(
    buf: &mut Vec<u8>,
    head: usize,
    end: usize,
    matcher: &mut Matcher<'_>,
    emitter: &mut Emitter,
    out: &mut Batch,
) {
    let stop = head + MAX_LINE_BYTES;
    if buf.len() == stop {
        buf.push(0);
    }
    let saved = std::mem::replace(&mut buf[stop], 0);
    let hit = matcher.candidate(&buf[..=stop], head..stop).is_some()
        && matcher.confirm(&buf[..=stop], head..stop, false, true);
    buf[stop] = saved;
    if hit {
        emitter.matched(buf, Bounds { start: head, end: stop, next: end }, None, out);
    }
}

/// Drops the rest of an overlong line: what lies between `from` and the next line break, which moves to `from`.
fn drop_tail<R: Read>(
    buf: &mut [u8],
    from: usize,
    filled: &mut usize,
    source: &mut Source<R>,
    job: &Job<'_>,
) -> Result<(), Outcome> {
    loop {
        if let Some(newline) = memchr::memchr(b'\n', &buf[from..*filled]) {
            buf.copy_within(from + newline..*filled, from);
            *filled -= newline;
            return Ok(());
        }
        *filled = from;
        if source.is_at_end() {
            return Ok(());
        }
        match source.read(&mut buf[from..]) {
            Ok(0) => return Ok(()),
            Ok(n) => *filled = from + n,
            Err(_) => return Err(Outcome::Unreadable),
        }
        if !(job.proceed)() {
            return Err(Outcome::Interrupted);
        }
    }
}
