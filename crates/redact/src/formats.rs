//! Values with a published shape: the matcher of the format table, and the shapes that have no fixed prefix.

use crate::{
    alphabet::{
        A36, ANY_HEX, B62, B64, B64U, DIGIT, DOTTED_TILDE, HEX, all, is, letters_of, munch, munch_back,
        zeros_of,
    },
    encoded::decode,
    opaque::in_block,
    randomness::{MAX_SAMPLE, Stats, find_sample, is_hex, is_sample, is_uniform},
    span::{Class, Span},
    tables::formats::ROWS,
};
use alloc::vec::Vec;
use core::ops::Range;
use memchr::memmem;

/// No body is followed further than this.
const MAX_BODY: usize = 16 * 1024;

/// This much of a body decides whether it is a token.
const MAX_JUDGED: usize = 256;

/// How far left of a run a prefix may begin, across dots, colons and dollar signs.
const LEFT: usize = 48;

/// The body must contain a digit.
pub(crate) const DIGIT_NEEDED: u8 = 1;
/// The body must look random, since words can follow the prefix.
pub(crate) const MIXED: u8 = 2;
/// Neither dash nor underscore may stand before the prefix.
pub(crate) const STRICT_LEFT: u8 = 4;
/// The last part must end at its greatest length.
pub(crate) const EXACT: u8 = 8;
/// Groups joined by dots may follow.
pub(crate) const LOOSE_DOTS: u8 = 16;
/// The prefix occurs in base64 data: it must begin the string, and not stand in a block of lines.
pub(crate) const IN_DATA: u8 = 32;

/// A stretch of one alphabet, behind a literal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) literal: &'static str,
    pub(crate) set: u16,
    pub(crate) min: u16,
    pub(crate) max: u16,
    pub(crate) optional: bool,
}

/// One token type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) prefix: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) source: &'static str,
    pub(crate) parts: &'static [Part],
    pub(crate) flags: u8,
}

pub(crate) const fn row(
    prefix: &'static str,
    kind: &'static str,
    source: &'static str,
    parts: &'static [Part],
    flags: u8,
) -> Row {
    Row { prefix, kind, source, parts, flags }
}

pub(crate) const fn take(set: u16, min: u16, max: u16) -> Part {
    Part { literal: "", set, min, max, optional: false }
}

pub(crate) const fn join(literal: &'static str, set: u16, min: u16, max: u16) -> Part {
    Part { literal, set, min, max, optional: false }
}

pub(crate) const fn opt(literal: &'static str, set: u16, min: u16, max: u16) -> Part {
    Part { literal, set, min, max, optional: true }
}

/// Which pairs of bytes begin a prefix.
static PAIRS: [u64; 1024] = pairs();

/// How many pairs of `PAIRS` lie before each word of it.
static RANKS: [u16; 1024] = ranks();

/// The rows by the rank of the pair that their prefix begins with: `FIRST[r]..FIRST[r + 1]`.
static FIRST: [u16; ROWS.len() + 1] = first();

/// Every prefix begins with two letters or digits, except those that begin with one of these bytes, eight times each.
const ODD_STARTS: [u64; 2] = {
    let mut at = 0;
    while at < ROWS.len() {
        let prefix = ROWS[at].prefix.as_bytes();
        assert!(
            matches!(prefix[0], b'1' | b's')
                || prefix[0].is_ascii_alphanumeric() && prefix[1].is_ascii_alphanumeric()
        );
        at += 1;
    }
    [u64::from_le_bytes([b'1'; 8]), u64::from_le_bytes([b's'; 8])]
};

/// The first eight bytes of each prefix, and the bits of them that count.
static HEADS: [(u64, u64); ROWS.len()] = heads();

const fn pairs() -> [u64; 1024] {
    let mut bits = [0; 1024];
    let mut at = 0;
    while at < ROWS.len() {
        let prefix = ROWS[at].prefix.as_bytes();
        let pair = prefix[0] as usize * 256 + prefix[1] as usize;
        bits[pair / 64] |= 1 << (pair % 64);
        at += 1;
    }
    bits
}

const fn ranks() -> [u16; 1024] {
    let pairs = pairs();
    let mut ranks = [0; 1024];
    let mut at = 1;
    while at < ranks.len() {
        ranks[at] = ranks[at - 1] + pairs[at - 1].count_ones() as u16;
        at += 1;
    }
    ranks
}

const fn first() -> [u16; ROWS.len() + 1] {
    let mut starts = [ROWS.len() as u16; ROWS.len() + 1];
    let mut rank = 0;
    let mut at = 0;
    while at < ROWS.len() {
        let prefix = ROWS[at].prefix.as_bytes();
        let last = if at == 0 { b"\0\0" } else { ROWS[at - 1].prefix.as_bytes() };
        if prefix[0] != last[0] || prefix[1] != last[1] {
            starts[rank] = at as u16;
            rank += 1;
        }
        at += 1;
    }
    starts
}

const fn heads() -> [(u64, u64); ROWS.len()] {
    let mut heads = [(0, 0); ROWS.len()];
    let mut row = 0;
    while row < ROWS.len() {
        let prefix = ROWS[row].prefix.as_bytes();
        let mut at = 0;
        while at < prefix.len() && at < 8 {
            heads[row].0 |= (prefix[at] as u64) << (8 * at);
            heads[row].1 |= 0xff << (8 * at);
            at += 1;
        }
        row += 1;
    }
    heads
}

/// What is known about the text before the current run, so that overlapping candidates do not walk it again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// How far stretches of an alphabet reach.
    slots: [Slot; 4],
    /// A stretch without digits.
    digitless: (usize, usize),
    /// A stretch where no mark of a stand-in begins.
    unmarked: (usize, usize),
    /// The run that was searched last.
    tried: Range<usize>,
    /// The tokens that begin in it or before, near enough to reach over a dot into the current run.
    earlier: Vec<Span>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    set: u16,
    from: usize,
    to: usize,
}

impl Reach {
    /// The end of the stretch of `set` at `from`, at most `cap` bytes long.
    fn munch(&mut self, text: &[u8], from: usize, set: u16, cap: usize) -> usize {
        let slot = &mut self.slots[usize::from(set ^ (set >> 5) ^ (set >> 9)) & 3];
        let known = if slot.set == set && slot.from <= from && from <= slot.to { slot.to } else { from };
        let stop = from.saturating_add(cap).min(text.len());
        if known >= stop {
            return stop;
        }
        let end = munch(text, known, set, stop - known);
        if slot.set == set && slot.from <= from && from <= slot.to {
            slot.to = end;
        } else {
            *slot = Slot { set, from, to: end };
        }
        end
    }

    /// Says whether a digit stands in the range.
    fn has_digit(&mut self, text: &[u8], from: usize, to: usize) -> bool {
        let known = resume(&mut self.digitless, from);
        if known >= to {
            return false;
        }
        let digit = text[known..to].iter().position(|&byte| is(byte, DIGIT));
        self.digitless.1 = digit.map_or(to, |at| known + at);
        digit.is_some()
    }

    /// [`is_sample`] for a part of the text.
    fn is_sample(&mut self, text: &[u8], from: usize, to: usize) -> bool {
        if is_uniform(&text[from..to]) {
            return true;
        }
        let known = resume(&mut self.unmarked, from);
        if known >= to {
            return false;
        }
        let mark = find_sample(&text[known..to]);
        // A mark may begin in the last bytes and end behind them.
        self.unmarked.1 = mark.map_or(known.max((to + 1).saturating_sub(MAX_SAMPLE)), |at| known + at);
        mark.is_some()
    }

    /// The tokens that begin before the current run, near enough to reach into it.
    pub(crate) fn earlier(&self) -> impl Iterator<Item = &Span> {
        self.earlier.iter()
    }
}

/// Starts `known` anew, unless `from` lies in it; returns its end.
fn resume(known: &mut (usize, usize), from: usize) -> usize {
    if !(known.0..=known.1).contains(&from) {
        *known = (from, from);
    }
    known.1
}

/// Says whether a token may begin at `at`: nothing that continues a word stands before it.
fn is_boundary(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    match *before {
        [.., byte] if !is(byte, B62) => true,
        [] => true,
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', high, low] => is(high, ANY_HEX) && is(low, ANY_HEX),
        _ => false,
    }
}

/// Says whether a prefix of the table begins at the first byte of a run: the cheap test for runs without digits.
#[inline]
pub(crate) fn may_begin(text: &[u8], at: usize) -> bool {
    let pair = usize::from(text[at]) * 256 + text.get(at + 1).copied().map_or(0, usize::from);
    PAIRS[pair / 64] >> (pair % 64) & 1 != 0
}

/// Reports the tokens that begin in the run or shortly before it.
pub(crate) fn find(text: &[u8], start: usize, end: usize, reach: &mut Reach, out: &mut Vec<Span>) {
    let mut at = start;
    if start > 0 && matches!(text[start - 1], b'.' | b'$' | b':') {
        let floor = start.saturating_sub(LEFT);
        while at > floor {
            if at == reach.tried.end {
                at = floor.max(reach.tried.start);
                continue;
            }
            if !(is(text[at - 1], crate::alphabet::TOKEN) || matches!(text[at - 1], b'.' | b'$' | b':')) {
                break;
            }
            at -= 1;
        }
    }
    // What begins in the run before is known already.
    reach.earlier.retain(|span| span.start >= at);
    let tried = reach.tried.end;
    let known = out.len();
    let mut try_at = |at: usize| {
        if let Some(span) = token(text, at, reach) {
            match out[known..].last_mut() {
                // Prefixes in the body of a token only make it longer.
                Some(last) if last.kind == span.kind && last.start <= span.start && span.start < last.end => {
                    last.end = last.end.max(span.end);
                }
                _ => out.push(span),
            }
            if span.start + LEFT > end {
                reach.earlier.push(span);
            }
        }
    };
    for glued in at.max(tried)..start {
        if is(text[glued], B62) && may_begin(text, glued) && is_boundary(text, glued) {
            try_at(glued);
        }
    }
    // A letter behind a letter can only begin a token behind an escape such as `\n` or `%3D`, at the start of the run.
    for glued in [start + 1, start + 2] {
        if glued < end
            && is(text[glued], B62)
            && is(text[glued - 1], B62)
            && may_begin(text, glued)
            && is_boundary(text, glued)
        {
            try_at(glued);
        }
    }
    let mut letter_before = u64::from(start > 0 && is(text[start - 1], B62)) << 7;
    let (words, rest) = text[start..end].as_chunks::<8>();
    let mut base = start;
    for word in words {
        let word = u64::from_le_bytes(*word);
        let letters = letters_of(word);
        // Behind the last byte of the word anything may follow.
        let odd = zeros_of(word ^ ODD_STARTS[0]) | zeros_of(word ^ ODD_STARTS[1]);
        let going_on = letters >> 8 | 0x80 << 56 | odd;
        let mut starts = letters & !(letters << 8 | letter_before) & going_on;
        letter_before = letters >> 56;
        while starts != 0 {
            let at = base + starts.trailing_zeros() as usize / 8;
            if may_begin(text, at) {
                try_at(at);
            }
            starts &= starts - 1;
        }
        base += 8;
    }
    let mut free = letter_before == 0;
    for (index, &byte) in rest.iter().enumerate() {
        let letter = is(byte, B62);
        if letter && free && may_begin(text, base + index) {
            try_at(base + index);
        }
        free = !letter;
    }
    reach.tried = start..end;
    shapes(text, start, end, out);
}

/// The token that begins exactly at `at`, where [`may_begin`] holds.
fn token(text: &[u8], at: usize, reach: &mut Reach) -> Option<Span> {
    let pair = usize::from(text[at]) * 256 + text.get(at + 1).copied().map_or(0, usize::from);
    let before = PAIRS[pair / 64] & ((1 << (pair % 64)) - 1);
    let rank = usize::from(RANKS[pair / 64]) + before.count_ones() as usize;
    let (first, last) = (usize::from(FIRST[rank]), usize::from(FIRST[rank + 1]));
    let rest = &text[at..];
    let window = rest.first_chunk().map_or_else(
        || rest.iter().rev().fold(0, |window, &byte| window << 8 | u64::from(byte)),
        |window| u64::from_le_bytes(*window),
    );
    // A longer prefix comes later, and says more.
    for index in (first..last).rev() {
        let (head, mask) = HEADS[index];
        let row = &ROWS[index];
        if window & mask == head
            && (row.prefix.len() <= 8 || rest.starts_with(row.prefix.as_bytes()))
            && let Some(end) = matches(row, text, at, reach)
        {
            return Some(Span { start: at, end, kind: row.kind, class: Class::Format });
        }
    }
    None
}

/// The end of the token of `row` whose prefix stands at `at`.
fn matches(row: &Row, text: &[u8], at: usize, reach: &mut Reach) -> Option<usize> {
    let joined = row.flags & STRICT_LEFT != 0 && at > 0 && matches!(text[at - 1], b'-' | b'_');
    if row.flags & IN_DATA != 0 && at > 0 && matches!(text[at - 1], b'-' | b'_' | b'+' | b'/') {
        return None;
    }
    let body = at + row.prefix.len();
    let mut end = body;
    for (index, part) in row.parts.iter().enumerate() {
        let from = end + part.literal.len();
        if !text[end..].starts_with(part.literal.as_bytes()) {
            if part.optional {
                break;
            }
            return None;
        }
        let last = index + 1 == row.parts.len();
        // A part that is glued to its successor ends by count, all others where their alphabet ends.
        let glued = row.parts.get(index + 1).is_some_and(|next| next.literal.is_empty());
        let cap = if glued { usize::from(part.max) } else { MAX_BODY };
        let to = reach.munch(text, from, part.set, cap);
        if to - from < usize::from(part.min)
            || (last && row.flags & EXACT != 0 && to - from > usize::from(part.max))
        {
            if part.optional {
                break;
            }
            return None;
        }
        if row.flags & EXACT != 0 && text.get(to).is_some_and(|&next| is(next, B62)) {
            return None;
        }
        end = to;
    }
    if row.flags & LOOSE_DOTS != 0 {
        while text.get(end) == Some(&b'.') {
            let to = munch(text, end + 1, A36, 32);
            if to < end + 3 {
                break;
            }
            end = to;
        }
    }
    while end > body && matches!(text[end - 1], b'.' | b'-') && row.kind != "jwt" {
        // Punctuation behind a token belongs to the sentence.
        end -= 1;
    }
    let value = &text[body..end];
    if row.flags & IN_DATA != 0 && in_block(text, at, end) {
        return None;
    }
    if joined && (value.len() < 32 || is_hex(value) || !Stats::of(value).is_random()) {
        return None;
    }
    accepts(row, text, at, end, reach).then_some(end)
}

fn accepts(row: &Row, text: &[u8], at: usize, end: usize, reach: &mut Reach) -> bool {
    let from = at + row.prefix.len();
    let to = end.min(from + MAX_JUDGED);
    if row.flags & DIGIT_NEEDED != 0 && !reach.has_digit(text, from, to) {
        return false;
    }
    if reach.is_sample(text, from, to) {
        return false;
    }
    let value = &text[from..to];
    if row.flags & MIXED != 0 {
        let stats = Stats::of(value);
        let random = (stats.digits > 0 || stats.classes() > 1) && stats.is_unwritten(-12, 2);
        let digest = is_hex(value) && stats.digits * 3 > stats.len;
        if !(random || digest) {
            return false;
        }
    }
    if row.kind == "pem_base64" {
        let mut head = [0; 72];
        let len = decode(&text[at..end.min(at + 80)], b"-----BEGIN".len(), &mut head);
        return memmem::find(&head[..len], b"PRIVATE KEY").is_some();
    }
    true
}

/// Shapes whose literal stands in the middle or at the end.
fn shapes(text: &[u8], start: usize, end: usize, out: &mut Vec<Span>) {
    let run = &text[start..end];
    let mut push =
        |from: usize, to: usize, kind| out.push(Span { start: from, end: to, kind, class: Class::Format });
    let before = if start == 0 { 0 } else { text[start - 1] };
    if before == b':' && run.starts_with(b"AA") {
        let digits = munch_back(text, start - 1, DIGIT, 12);
        let to = munch(text, start, B64U, MAX_BODY);
        if (8..=10).contains(&(start - 1 - digits)) && to - start >= 35 && is_boundary(text, digits) {
            push(digits, to, "telegram_bot_token");
        }
    }
    if before == b':' && start >= 4 && run.len() >= 32 {
        let digits = munch_back(text, start - 1, DIGIT, 20);
        let to = munch(text, start, HEX, 64);
        if digits >= 2 && start - 1 - digits >= 8 && &text[digits - 2..digits] == b"1/" && to - start == 32 {
            push(digits - 2, to, "asana_token");
        }
    }
    if before == b'.' && text[..start].ends_with(b".atlasv1.") {
        let from = start - b".atlasv1.".len();
        let id = munch_back(text, from, B62, 20);
        if from - id == 14 {
            let to = munch(text, start, B64U, MAX_BODY);
            if to - start >= 40 {
                push(id, to, "terraform_token");
            }
        }
    }
    if before == b'.' && run.starts_with(b"com/") {
        webhook(text, start, end, &mut push);
    }
    if text.get(end) == Some(&b'.') {
        discord(text, start, end, &mut push);
    }
    // Everything below ends in a fixed length; the pieces between `=` signs are looked at one by one.
    let count = run.iter().rev().take(2).take_while(|&&byte| is(byte, DIGIT)).count();
    if let Some(at) = run.len().checked_sub(count + 3)
        && at >= 32
        && run[at..].starts_with(b"-us")
    {
        let key = start + at - 32;
        let to = munch(text, start + at + 3, DIGIT, 3);
        if all(&text[key..start + at], HEX)
            && to > start + at + 3
            && to < start + at + 6
            && is_boundary(text, key)
        {
            push(key, to, "mailchimp_key");
        }
    }
    if run.len() >= 84
        && let Some(at) = memmem::find(run, b"AZDO")
            .filter(|&at| at >= 76)
            .or_else(|| memmem::find(run, b"JQQJ99").filter(|&at| at >= 52).map(|at| at + 24))
    {
        let from = start + at - 76;
        let to = munch(text, start + at, B62, 64);
        if is_boundary(text, from) && all(&text[from..to], B62) && to - from >= 80 {
            push(from, to, "azure_key");
        }
    }
}

/// The secret part of a webhook address; host and ids stay visible.
fn webhook(text: &[u8], start: usize, end: usize, push: &mut impl FnMut(usize, usize, &'static str)) {
    let run = &text[start..end];
    for path in [b"com/services/".as_slice(), b"com/workflows/", b"com/triggers/"] {
        if run.starts_with(path) && text[..start].ends_with(b"hooks.slack.") {
            let from = start + path.len();
            let to = munch(text, from, B64U | B64, MAX_BODY);
            if to - from >= 30
                && !is_sample(&text[from..to])
                && text[from..to].iter().any(|&byte| is(byte, DIGIT))
            {
                push(from, to, "slack_webhook");
            }
        }
    }
    if let Some(at) = memmem::find(run, b"/api/webhooks/") {
        let id = start + at + b"/api/webhooks/".len();
        let slash = munch(text, id, DIGIT, 24);
        if slash - id >= 15 && text.get(slash) == Some(&b'/') {
            let to = munch(text, slash + 1, B64U, MAX_BODY);
            if to - slash > 40 && !is_sample(&text[slash + 1..to]) {
                push(slash + 1, to, "discord_webhook");
            }
        }
    }
    if let Some(path) = run.strip_prefix(b"com/webhookb2/")
        && memmem::find(&text[start.saturating_sub(40)..start], b"webhook.").is_some()
    {
        let from = end - path.len();
        let to = munch(text, from, DOTTED_TILDE | B64 | crate::alphabet::VALUE, MAX_BODY);
        if to - from >= 60 {
            push(from, to, "teams_webhook");
        }
    }
}

/// `base64(snowflake).6.27`: the id is base64 of decimal digits.
fn discord(text: &[u8], start: usize, end: usize, push: &mut impl FnMut(usize, usize, &'static str)) {
    let from = munch_back(text, end, B64U, 29).max(start);
    if !(22..=28).contains(&(end - from))
        || !matches!(text[from], b'M' | b'N' | b'O')
        || !is_boundary(text, from)
    {
        return;
    }
    let middle = munch(text, end + 1, B64U, 12);
    if !(6..=7).contains(&(middle - end - 1)) || text.get(middle) != Some(&b'.') {
        return;
    }
    let to = munch(text, middle + 1, B64U, MAX_BODY);
    let mut id = [0; 24];
    let len = decode(&text[from..end], 1, &mut id);
    if to - middle > 24 && len >= 16 && all(&id[..len], DIGIT) {
        push(from, to, "discord_bot_token");
    }
}

/// The Azure client secret around the pair `Q~` at `at`.
pub(crate) fn azure_secret(text: &[u8], at: usize, out: &mut Vec<Span>) {
    if at < 4 {
        return;
    }
    let from = at - 4;
    let to = munch(text, at + 2, DOTTED_TILDE, 128);
    let head = all(&text[from..at - 1], B62 | DOTTED_TILDE) && is(text[at - 1], DIGIT);
    if head && (31..=64).contains(&(to - at - 2)) && is_boundary(text, from) && !is_sample(&text[at + 2..to])
    {
        let end = if to - at - 2 > 31 && text[to - 1] == b'.' { to - 1 } else { to };
        out.push(Span {
            start: from,
            end: end.max(at + 33),
            kind: "azure_client_secret",
            class: Class::Format,
        });
    }
}

/// One token type that the crate recognises.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Recognised {
    /// The stable name, as in [`Span::kind`].
    pub kind: &'static str,
    /// The evidence.
    pub class: Class,
    /// The text that the value begins with, or a note in words where it has no fixed start.
    pub prefix: &'static str,
    /// The least and greatest published length of what follows the prefix, in bytes; longer bodies are found too.
    pub lengths: (usize, usize),
    /// Who issues such values, or the public specification that defines them.
    pub source: &'static str,
}

/// Lists everything that has a kind of its own, for documentation.
///
/// # Examples
///
/// ```
/// assert!(redact::recognised().any(|row| row.kind == "npm_token" && row.lengths == (36, 36)));
/// ```
pub fn recognised() -> impl Iterator<Item = Recognised> {
    let rows = ROWS.iter().map(|row| {
        let sum = |of: fn(&Part) -> u16| {
            row.parts.iter().map(|part| part.literal.len() + usize::from(of(part))).sum()
        };
        let min = row
            .parts
            .iter()
            .filter(|part| !part.optional)
            .map(|part| part.literal.len() + usize::from(part.min))
            .sum();
        Recognised {
            kind: row.kind,
            class: Class::Format,
            prefix: row.prefix,
            lengths: (min, sum(|part| part.max)),
            source: row.source,
        }
    });
    rows.chain(OTHERS.iter().copied())
}

const fn other(
    kind: &'static str,
    class: Class,
    prefix: &'static str,
    lengths: (usize, usize),
    source: &'static str,
) -> Recognised {
    Recognised { kind, class, prefix, lengths, source }
}

/// What is recognised without a row of the table.
#[rustfmt::skip]
static OTHERS: &[Recognised] = &[
    other("telegram_bot_token", Class::Format, "8 to 10 digits, `:AA`", (33, 33), "Telegram"),
    other("asana_token", Class::Format, "`1/`, digits, `:`", (32, 32), "Asana"),
    other("terraform_token", Class::Format, "14 characters, `.atlasv1.`", (60, 70), "HashiCorp Terraform"),
    other("slack_webhook", Class::Format, "path behind `hooks.slack.com/services/`", (30, 80), "Slack"),
    other("discord_webhook", Class::Format, "path behind `/api/webhooks/<id>/`", (60, 80), "Discord"),
    other("teams_webhook", Class::Format, "path behind `/webhookb2/`", (60, 200), "Microsoft Teams"),
    other("discord_bot_token", Class::Format, "base64 of a decimal id, `.`, 6 characters, `.`", (27, 40), "Discord"),
    other("mailchimp_key", Class::Format, "32 hexadecimal digits, `-us`", (1, 2), "Mailchimp"),
    other("azure_key", Class::Format, "76 characters, `AZDO`; 52 characters, `JQQJ99`", (4, 32), "Microsoft Azure"),
    other("azure_client_secret", Class::Format, "3 characters, digit, `Q~`", (31, 34), "Microsoft Entra ID"),
    other("encoded_token", Class::Format, "base64 of a text with a token of this table", (32, 4096), "RFC 4648"),
    other("private_key", Class::Structural, "`BEGIN ... PRIVATE KEY`, each line of the body", (1, 16384), "RFC 7468, RFC 4880, RFC 4716"),
    other("putty_private_key", Class::Structural, "`Private-Lines:`, each line", (1, 16384), "PuTTY"),
    other("url_password", Class::Structural, "`scheme://user:`", (3, 512), "RFC 3986"),
    other("url_token", Class::Structural, "`scheme://`, before `@`", (16, 512), "RFC 3986"),
    other("bearer_token", Class::Structural, "`Bearer `", (16, 8192), "RFC 6750"),
    other("basic_credentials", Class::Structural, "`Basic `", (16, 8192), "RFC 7617"),
    other("session_cookie", Class::Structural, "session-like name in `Cookie:` or `Set-Cookie:`", (16, 8192), "RFC 6265"),
    other("url_signature", Class::Structural, "`sig=`, `X-Amz-Signature=`, `X-Amz-Security-Token=`", (16, 8192), "Azure SAS, AWS Signature V4"),
    other("password_hash", Class::Structural, "`$6$`, `$5$`, `$y$`, `$2b$`, `$argon2id$`", (20, 512), "crypt(5)"),
    other("pgpass_password", Class::Structural, "`host:port:database:user:`", (8, 256), "PostgreSQL password file"),
    other("password", Class::Keyed, "value of a name such as `password`", (8, 256), "name and randomness"),
    other("named_secret", Class::Keyed, "value of a name such as `api_key`", (16, 16384), "name and randomness"),
    other("opaque", Class::Entropy, "a random string without a name", (28, 512), "randomness"),
    other("known_value", Class::Known, "a value that the caller named", (4, 65536), "the caller"),
];

#[cfg(test)]
mod tests;
