//! Searches one file as a whole, with a pattern that may span lines.

use std::{io::Read, ops::ControlFlow};

use crate::{
    Output,
    lines::{Job, Opened, Scratch, push_part},
    pattern::Matcher,
    records::{Batch, Emitter, FileRec, Outcome, bounds_at},
};

/// Matches between two looks at the clock.
const MATCHES_PER_CHECK: u64 = 4_096;

/// Searches one file that is read to its end first; one larger than `max_bytes` is not searched.
#[expect(clippy::too_many_arguments, reason = "the file, the pattern, and where the records go")]
pub(crate) fn search_whole<R: Read>(
    opened: Opened<R>,
    mut rec: FileRec,
    max_bytes: u64,
    matcher: &mut Matcher<'_>,
    job: &Job<'_>,
    scratch: &mut Scratch,
    out: &mut Batch,
    flush: &mut dyn FnMut(&mut Batch) -> ControlFlow<()>,
) {
    let Opened { mut source, mut filled } = opened;
    let mut emitter = Emitter::new(job.output, job.want);
    let buf = &mut scratch.buf;
    rec.outcome = loop {
        if filled as u64 > max_bytes {
            break Outcome::TooLarge;
        }
        if source.is_at_end() {
            break Outcome::Searched;
        }
        if filled == buf.len() {
            // Twice the size, but not much more than the file needs.
            let wanted = (filled as u64 * 2).min(rec.size.max(filled as u64) + 4_096) as usize;
            buf.resize(wanted, 0);
        }
        match source.read(&mut buf[filled..]) {
            Ok(0) => break Outcome::Searched,
            Ok(n) => filled += n,
            Err(_) => break Outcome::Unreadable,
        }
    };
    rec.bytes = source.bytes_read;
    if rec.outcome == Outcome::Searched {
        let text = &buf[..filled];
        let valid = std::str::from_utf8(text).is_ok();
        let mut at = 0; // where the next match may start
        let mut row = 0; // start of the first line that is not a row yet
        let mut found = 0;
        while at <= text.len()
            && let Some(hit) = matcher.in_file(text, at, valid)
        {
            let last = if hit.is_empty() { hit.start } else { hit.end - 1 };
            // What lies before `row` is given already, so that many matches on one long line cost no more than the line.
            let from = row.min(hit.start);
            let first_line = memchr::memrchr(b'\n', &text[from..hit.start]).map_or(from, |i| from + i + 1);
            let mut start = first_line.max(row);
            while start <= last && start < text.len() {
                let line = bounds_at(text, start, text.len());
                let from = hit.start.clamp(line.start, line.end) - line.start;
                let to = hit.end.clamp(line.start, line.end) - line.start;
                emitter.matched(text, line, Some((from, to)), out);
                (start, row) = (line.next, line.next);
            }
            let enough = job.output == Output::Files && emitter.matched > 0;
            if enough || (emitter.is_over() && !job.count_all) {
                break;
            }
            found += 1;
            if found % MATCHES_PER_CHECK == 0 && !(job.proceed)() {
                rec.outcome = Outcome::Interrupted;
                break;
            }
            if out.is_full() {
                push_part(&rec, &mut emitter, out, true);
                if flush(out).is_break() {
                    rec.outcome = Outcome::Interrupted;
                    break;
                }
            }
            at = if hit.is_empty() {
                hit.end + crate::wild::first_char(&text[hit.end..]).0.max(1)
            } else {
                hit.end
            };
        }
        emitter.context_up_to(text, filled, out);
    }
    push_part(&rec, &mut emitter, out, false);
    buf.truncate(buf.len().min(4 << 20));
    buf.shrink_to(4 << 20);
}
