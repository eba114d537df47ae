//! Random strings without a name, and everything that looks like one and is public.

use crate::{
    alphabet::{A36, ANY_HEX, B62, DIGIT, LOWER, TOKEN, UPPER, all, is, munch},
    keyed::Before,
    names::Name,
    randomness::{Stats, is_hex_like, is_placeholder},
};
use memchr::{memchr, memmem, memrchr};

/// The shortest string that is judged without a name.
pub(crate) const MIN: usize = 28;
/// Longer runs are data, not credentials.
const MAX: usize = 512;
/// How far neighbouring lines are looked at.
const MAX_LINE: usize = 1024;

/// Public ids of well-known services, by prefix.
const PUBLIC: [&[u8]; 34] = [
    b"toolu_",
    b"msg_",
    b"req_",
    b"gen_",
    b"gen-",
    b"chatcmpl-",
    b"resp_",
    b"call_",
    b"run_",
    b"cus_",
    b"pi_",
    b"price_",
    b"prod_",
    b"evt_",
    b"acct_",
    b"pk_live_",
    b"pk_test_",
    b"sub_",
    b"in_",
    b"ch_",
    b"cs_",
    b"seti_",
    b"pm_",
    b"file-",
    b"asst_",
    b"thread_",
    b"step_",
    b"batch_",
    b"phc_",
    b"mob-",
    b"ftjob-",
    b"org-",
    b"proj_",
    b"rs_",
];

/// The first characters of base64 of pictures, fonts, archives, programs, public keys and markup.
const MAGIC: [&[u8]; 17] = [
    b"AAAA",
    b"iVBOR",
    b"/9j/",
    b"R0lGOD",
    b"AGFzbQ",
    b"d09GM",
    b"UklGR",
    b"PD94",
    b"PHN2",
    b"UEsDB",
    b"H4sI",
    b"TVqQ",
    b"MII",
    b"JVBER",
    b"MCowBQYDK2",
    b"MFkwEwYHKo",
    b"MHYwEAYHKo",
];

/// Says whether `text[from..to]`, a piece of the run `run_start..run_end`, is a secret by its randomness alone.
pub(crate) fn is_secret(text: &[u8], from: usize, to: usize, before: Option<&Before<'_>>) -> bool {
    let piece = &text[from..to];
    let body = trim(piece);
    let body = body.strip_prefix(b"0x").unwrap_or(body);
    if !(MIN..=MAX).contains(&body.len()) || is_hex_like(body) {
        return false;
    }
    if !body.iter().any(|&byte| is(byte, DIGIT)) {
        return false;
    }
    let stats = Stats::of(body);
    let joints = body.iter().filter(|&&byte| matches!(byte, b'_' | b'-')).count();
    let identifier = joints >= 2 && (stats.lower == 0 || stats.upper == 0);
    if !stats.is_random()
        || identifier
        || joints >= 5 && memmem::find(body, b"-----").is_some()
        || text.get(to) == Some(&b'@')
    {
        return false;
    }
    // Everything from here on is rare.
    if before.is_some_and(|before| before.judged == Name::Public)
        || in_block(text, from, to)
        || is_digest(text, from, piece)
        || is_public(text, from, body)
        || is_worded(body)
        || is_file(text, body, to)
        || is_mangled(text, from, body)
    {
        return false;
    }
    !in_url_path(text, from, body) && !is_placeholder(body)
}

/// `piece` without padding and joints at its ends.
fn trim(piece: &[u8]) -> &[u8] {
    let joint = |byte: &u8| matches!(byte, b'=' | b'-' | b'_' | b'/' | b'+' | b'~');
    let start = piece.iter().position(|byte| !joint(byte)).unwrap_or(piece.len());
    let end = piece.iter().rposition(|byte| !joint(byte)).map_or(start, |at| at + 1);
    &piece[start..end.max(start)]
}

/// Digests with an algorithm tag: `sha512-...`, `h1:...`, `SHA256:...`, `md5=...`.
fn is_digest(text: &[u8], from: usize, piece: &[u8]) -> bool {
    let lengths = |len: usize| matches!(len, 22 | 24 | 27 | 28 | 43 | 44 | 64 | 86 | 88);
    let tagged = memchr(b'-', piece).is_some();
    for tag in [b"sha1-".as_slice(), b"sha256-", b"sha384-", b"sha512-", b"md5-"] {
        if tagged
            && let Some(at) = memmem::find(piece, tag)
            && (at == 0 || !is(piece[at - 1], B62))
            && lengths(piece.len() - at - tag.len())
        {
            return true;
        }
    }
    let head = &text[from.saturating_sub(24)..from];
    let tags = [
        b"h1:".as_slice(),
        b"sha1:",
        b"sha256:",
        b"sha384:",
        b"sha512:",
        b"md5:",
        b"md5=",
        b"crc32c=",
        b"sha-256=",
        b"sha-512=",
        b"sha-1=",
        b"|1|",
        b"sha256=",
        b"sha1=",
    ];
    lengths(piece.len()) && tags.iter().any(|tag| head.len() >= tag.len() && head[head.len() - tag.len()..].eq_ignore_ascii_case(tag))
        // The second half of a hashed host name.
        || (piece.len() == 28 && memmem::find(head, b"|").is_some())
}

fn is_public(text: &[u8], from: usize, body: &[u8]) -> bool {
    let head = &text[from.saturating_sub(16)..from];
    if PUBLIC.iter().any(|prefix| body.starts_with(prefix))
        || MAGIC.iter().any(|magic| body.starts_with(magic))
    {
        return true;
    }
    if head.ends_with(b"base64,") || head.ends_with(b"PKI") {
        return true;
    }
    // A minisign public key.
    if body.len() == 56 && body.starts_with(b"RW") {
        return true;
    }
    // The store paths and hashes of Nix: 32 or 52 characters of its own base32.
    let hash = munch(body, 0, A36, 64);
    if (hash == 32 || hash == 52)
        && body[..hash].iter().all(|byte| !matches!(byte, b'e' | b'o' | b'u' | b't'))
        && body.get(hash).is_none_or(|&byte| byte == b'-')
    {
        return true;
    }
    // A prefix of lower-case letters and 26 characters of Crockford's base32: a typed id.
    let id = body.len().saturating_sub(26);
    body.len() >= 28
        && body[id - 1] == b'_'
        && all(&body[id..], A36)
        && body[..id - 1].iter().all(|&byte| is(byte, LOWER) || byte == b'_')
}

/// Says whether most of the string is words, numbers and hexadecimal joined by signs.
fn is_worded(body: &[u8]) -> bool {
    let plain: usize = body
        .split(|&byte| matches!(byte, b'-' | b'_' | b'/' | b'+' | b'~' | b'='))
        .filter(|part| {
            let word = all(part, LOWER) || all(part, UPPER) || all(part, DIGIT) || all(part, ANY_HEX);
            let titled = part.len() > 3 && is(part[0], UPPER) && all(&part[1..], LOWER);
            word || titled || (part.len() <= 8 && Stats::of(part).natural > 0)
        })
        .map(<[u8]>::len)
        .sum();
    plain * 2 > body.len()
}

/// Says whether a file extension follows.
fn is_file(text: &[u8], body: &[u8], to: usize) -> bool {
    if text.get(to) != Some(&b'.') {
        return false;
    }
    let end = munch(text, to + 1, B62, 8);
    let extension = &text[to + 1..end];
    let ends = text.get(end).is_none_or(|&byte| !is(byte, TOKEN));
    (1..=5).contains(&extension.len()) && ends && extension.iter().any(u8::is_ascii_lowercase)
        || memchr(b'/', body).is_some() && !extension.is_empty()
}

fn is_mangled(text: &[u8], from: usize, body: &[u8]) -> bool {
    if [b"_ZN".as_slice(), b"ZN", b"_RN", b"_RI", b"RN", b"RI", b"_R", b"_Z", b"Z", b"_T", b"_$s"].iter().any(
        |start| {
            body.starts_with(start)
                && body.iter().filter(|&&byte| is(byte, DIGIT)).count() >= 3
                && (start.len() > 1 || from == 0 || text[from - 1] == b'_')
                && has_counted_word(body)
        },
    ) {
        return true;
    }
    if from > 0 && matches!(text[from - 1], b'$' | b'?') {
        return true;
    }
    // `17h`, 16 hexadecimal digits, `E`.
    memmem::find(body, b"17h").is_some_and(|at| {
        body.len() >= at + 20 && all(&body[at + 3..at + 19], ANY_HEX) && body[at + 19] == b'E'
    })
}

/// Says whether a number is followed by that many letters, as in mangled symbols.
fn has_counted_word(body: &[u8]) -> bool {
    let mut at = 0;
    while at < body.len() {
        let end = munch(body, at, DIGIT, 2);
        if end > at {
            let count = body[at..end].iter().fold(0, |count, byte| count * 10 + usize::from(byte - b'0'));
            if count >= 3
                && body.len() >= end + count
                && body[end..end + count].iter().all(|&byte| byte.is_ascii_alphabetic() || byte == b'_')
            {
                return true;
            }
        }
        at = end.max(at + 1);
    }
    false
}

/// Says whether the string is in the path of a URL, and no single segment of it is long.
fn in_url_path(text: &[u8], from: usize, body: &[u8]) -> bool {
    let left = {
        let floor = from.saturating_sub(MAX_LINE);
        let mut at = from;
        while at > floor
            && !matches!(text[at - 1], 0..=b' ' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'?' | b'&' | b'#')
        {
            at -= 1;
        }
        &text[at..from]
    };
    // `host/path` may be in the run itself: a scheme stands before it, or a host name.
    let scheme = memmem::find(left, b"://").is_some();
    let relative = body.len() < text.len() && left.ends_with(b".") && memchr(b'/', body).is_some();
    if !scheme && !relative {
        return false;
    }
    let longest = body.split(|&byte| byte == b'/').map(<[u8]>::len).max().unwrap_or(0);
    longest < 48
}

/// Says whether the string is a line of a block of data: three lines in a row have a long run at the same column.
pub(crate) fn in_block(text: &[u8], from: usize, to: usize) -> bool {
    if in_escaped_block(text, from, to) {
        return true;
    }
    let Some(column) = column(text, from) else { return false };
    let start = from - column;
    let wide = |line: Option<usize>| line.is_some_and(|line| is_wide(text, line, column));
    let before = previous(text, start);
    let second = before.and_then(|line| previous(text, line));
    let after = next(text, to);
    let fourth = after.and_then(|line| next(text, line));
    let (above, below) = (wide(before), wide(after));
    let whole = to - from >= 40;
    // The last line of a block may be shorter than the two above it.
    let last = above && wide(second);
    let inner = whole && above && below;
    let first = whole && below && wide(fourth);
    last || inner || first
}

/// Says whether the string is a line of a block whose line ends are written as `\n` or `&#10;`.
fn in_escaped_block(text: &[u8], from: usize, to: usize) -> bool {
    let glued = from > 0 && text[from - 1] == b'\\' && matches!(text[from], b'n' | b'r');
    let before = glued
        || [b"&#10;".as_slice(), b"&#13;", b"&#xA;", b"&#xa;"].iter().any(|end| text[..from].ends_with(end));
    let rest = &text[to..];
    let after = [b"\\n".as_slice(), b"\\r", b"&#1", b"&#x"].iter().any(|end| rest.starts_with(end));
    let width = to - from - usize::from(glued);
    before && after && width >= 48 || (before || after) && (60..=78).contains(&width)
}

/// The distance from the start of the line.
fn column(text: &[u8], at: usize) -> Option<usize> {
    let head = &text[at.saturating_sub(MAX_LINE)..at];
    match memrchr(b'\n', head) {
        Some(line) => Some(head.len() - line - 1),
        None if at <= MAX_LINE => Some(at),
        None => None,
    }
}

/// The start of the line before the one that starts at `line`.
fn previous(text: &[u8], line: usize) -> Option<usize> {
    let end = line.checked_sub(1)?;
    let head = &text[end.saturating_sub(MAX_LINE)..end];
    match memrchr(b'\n', head) {
        Some(at) => Some(end - head.len() + at + 1),
        None if end <= MAX_LINE => Some(0),
        None => None,
    }
}

/// The start of the line behind the one that contains `at`.
fn next(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at..text.len().min(at + MAX_LINE)];
    memchr(b'\n', rest).map(|end| at + end + 1)
}

/// Says whether a run of at least 40, or a mask in its place, starts at this column; the last line of a block may be shorter.
fn is_wide(text: &[u8], line: usize, column: usize) -> bool {
    let at = line + column;
    let Some(rest) = text.get(at..) else { return false };
    if memchr(b'\n', &text[line..at]).is_some() {
        return false;
    }
    let glued = column > 0 && is(text[at - 1], TOKEN);
    !glued && (munch(text, at, TOKEN, 64) - at >= 40 || rest.starts_with(b"[FILTERED]"))
}
