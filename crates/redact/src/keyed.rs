//! Values under a name: finds the name in front of a value, and the value behind the name of a password.

use crate::{
    alphabet::{B62, DIGIT, NAME, VALUE, is, munch, munch_back},
    names::{MAX_NAME, Name, judge},
    randomness::{Stats, is_hex_like, is_placeholder},
};
use core::ops::Range;

/// How many blanks may stand between name, sign and value.
const MAX_BLANKS: usize = 16;

/// The longest password.
const MAX_PASSWORD: usize = 256;

/// What stands in front of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before<'t> {
    /// The name, possibly empty.
    pub(crate) name: &'t [u8],
    pub(crate) judged: Name,
    /// The value stands in quotes.
    pub(crate) quoted: bool,
}

fn blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

fn back(text: &[u8], mut at: usize, cap: usize, skip: impl Fn(u8) -> bool) -> usize {
    let floor = at.saturating_sub(cap);
    while at > floor && skip(text[at - 1]) {
        at -= 1;
    }
    at
}

/// Reads the name in front of the value that begins at `at`.
pub(crate) fn before(text: &[u8], at: usize) -> Option<Before<'_>> {
    let mut left = back(text, at, 5, |byte| quote(byte) || byte == b'\\');
    let quoted = left < at;
    // `b"..."`, `r"..."`, `@"..."`.
    if quoted
        && left > 1
        && matches!(text[left - 1], b'b' | b'r' | b'f' | b'u' | b'@' | b'L')
        && !is(text[left - 2], NAME)
    {
        left -= 1;
    }
    let sign = back(text, left, MAX_BLANKS, blank);
    let spaced = sign < left;
    let assigned = text[..sign].ends_with(b"=");
    let end = match text[..sign].last()? {
        b'=' => back(text, sign, 3, |byte| matches!(byte, b'=' | b':' | b'?' | b'+' | b'|')),
        b':' => sign - 1,
        b'>' if text[..sign].ends_with(b"=>") => sign - 2,
        b'>' => return element(text, sign - 1, quoted),
        b',' if quoted => {
            let end = back(text, sign - 1, MAX_BLANKS, blank);
            if !text[..end].last().copied().is_some_and(quote) {
                return None;
            }
            end
        }
        b'(' if quoted => sign - 1,
        &byte if spaced && is(byte, NAME) => {
            let start = munch_back(text, sign, NAME, MAX_NAME);
            let name = &text[start..sign];
            // `ENV name value`, `NAME value` and `--name value`.
            let verb =
                [b"ENV ".as_slice(), b"ARG ", b"setx "].iter().any(|verb| text[..start].ends_with(verb));
            let known =
                verb || name.starts_with(b"--") || name.iter().all(|&byte| !byte.is_ascii_lowercase());
            return known.then(|| Before { name, judged: judge(name), quoted });
        }
        _ => return None,
    };
    let mut end = back(text, end, MAX_BLANKS, blank);
    match text[..end].last()? {
        // `Name { get; } = "..."`.
        b'}' => {
            let open = back(text, end, 32, |byte| byte != b'{' && byte != b'\n');
            end = back(text, open.saturating_sub(1), MAX_BLANKS, blank);
        }
        // `SHA256 (file) = ...`.
        b')' => {
            let open = back(text, end, 160, |byte| byte != b'(' && byte != b'\n');
            end = back(text, open.saturating_sub(1), MAX_BLANKS, blank);
        }
        // `headers["Name"] = ...`.
        b']' => end -= 1,
        _ => {}
    }
    end = back(text, end, 5, |byte| quote(byte) || byte == b'\\');
    let start = munch_back(text, end, NAME, MAX_NAME);
    let name = &text[start..end];
    let judged = judge(name);
    if assigned
        && judged == Name::Plain
        && let Some(named) = typed(text, start, name)
    {
        return Some(Before { quoted, ..named });
    }
    Some(Before { name, judged, quoted })
}

/// `<name>value</name>`; `at` is the closing bracket of the opening tag.
fn element(text: &[u8], at: usize, quoted: bool) -> Option<Before<'_>> {
    let open = back(text, at, MAX_NAME + 1, |byte| byte != b'<' && byte != b'\n');
    if open == 0 || text[open - 1] != b'<' {
        return None;
    }
    let name = &text[open..munch(text, open, NAME, MAX_NAME)];
    Some(Before { name, judged: judge(name), quoted })
}

/// `name: Type = ...` and `name type = ...`: the name stands in front of the type.
fn typed<'t>(text: &'t [u8], start: usize, name: &[u8]) -> Option<Before<'t>> {
    let at = back(text, start, 24, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'&' | b'<' | b'>' | b'\'' | b'_' | b'[' | b'?')
    });
    let end = if at > 1 && text[at - 1] == b':' && text[at - 2] != b':' {
        at - 1
    } else if matches!(name, b"string" | b"String" | b"str" | b"text") {
        back(text, start, MAX_BLANKS, blank)
    } else {
        return None;
    };
    let name = &text[munch_back(text, end, NAME, MAX_NAME)..end];
    let judged = judge(name);
    (judged != Name::Plain).then_some(Before { name, judged, quoted: false })
}

/// The whole value around `from..to`: up to its quotes, or to the characters that end a bare value.
pub(crate) fn around(text: &[u8], from: usize, to: usize) -> Range<usize> {
    let start =
        back(text, from, MAX_NAME, |byte| is(byte, VALUE) && !matches!(byte, b'=' | b'@' | b'?' | b'#'));
    let end = munch(text, to, VALUE, MAX_PASSWORD);
    let mut end = end.max(to);
    // Punctuation at the end belongs to the sentence, an address to itself.
    while end > to && matches!(text[end - 1], b'.' | b'?' | b'!' | b'#' | b'@') {
        end -= 1;
    }
    start..end
}

/// Says whether `value` under a name of this judgement is a secret.
pub(crate) fn is_secret(value: &[u8], name: Name, quoted: bool, next: Option<u8>) -> bool {
    let body = value.trim_ascii_end();
    let unpadded = &body[..body.len() - body.iter().rev().take_while(|&&byte| byte == b'=').count()];
    if unpadded.len() < 16 || is_placeholder(body) || is_code(body, quoted, next) {
        return false;
    }
    let stats = Stats::of(unpadded);
    if !quoted && unpadded.starts_with(b"0x") {
        return false;
    }
    if is_hex_like(unpadded) {
        return matches!(name, Name::Strong | Name::Password)
            && stats.distinct >= 6
            && stats.digits < stats.len
            && !stats.is_sequence();
    }
    if unpadded.starts_with(b"/") && stats.natural > -20
        || unpadded.starts_with(b"./")
        || unpadded.starts_with(b"~/")
    {
        return false;
    }
    // Without signs there are no words to tell apart.
    let signs = stats.signs > 0 || stats.len < unpadded.len();
    stats.is_random_under_name() && !(signs && is_worded(unpadded))
}

/// Says whether words joined by signs make up nearly half of the value, as in `prod/deploy-7ufXi7`.
fn is_worded(value: &[u8]) -> bool {
    let words: usize = value
        .split(|byte| !byte.is_ascii_alphanumeric())
        .filter(|part| {
            part.len() >= 4
                && part.len() < value.len()
                && part[1..].iter().all(u8::is_ascii_lowercase)
                && part[0].is_ascii_alphabetic()
        })
        .map(<[u8]>::len)
        .sum();
    words * 100 >= value.len() * 45
}

/// Says whether `value` is an expression of a program rather than a literal.
fn is_code(value: &[u8], quoted: bool, next: Option<u8>) -> bool {
    if quoted {
        return false;
    }
    if matches!(next, Some(b'(' | b'[' | b'{')) || matches!(value.last(), Some(b'?')) {
        return true;
    }
    // `credentials?.password`, `self.config.secret2`: words joined by dots.
    let dotted = value
        .split(|&byte| byte == b'.')
        .filter(|part| part.first().is_some_and(u8::is_ascii_alphabetic))
        .count();
    dotted >= 2 && Stats::of(value).natural > -10
}

/// Reads the value behind the name that contains `at`, if that is the name of a password, and says how far it looked.
pub(crate) fn password(text: &[u8], at: usize) -> (Option<Range<usize>>, usize) {
    let end = munch(text, at, NAME, MAX_NAME);
    // Most words that hold the pair are followed by nothing that leads to a value.
    if !text.get(end).is_some_and(|&byte| {
        blank(byte) || quote(byte) || matches!(byte, b'\\' | b']' | b'=' | b':' | b'>' | b'(' | b',')
    }) {
        return (None, end);
    }
    let start = munch_back(text, at, NAME, MAX_NAME);
    if judge(&text[start..end]) != Name::Password {
        return (None, end);
    }
    match value_behind(text, start, end) {
        Some((from, to, quoted)) => (accept(text, from, to, quoted), to),
        None => (None, end),
    }
}

/// The value behind the name `start..end`, and whether it is quoted.
fn value_behind(text: &[u8], start: usize, end: usize) -> Option<(usize, usize, bool)> {
    let name = &text[start..end];
    let peek = |at: usize| text.get(at).copied().unwrap_or(0);
    let skip = |mut at: usize, cap: usize, set: fn(u8) -> bool| {
        let stop = at + cap;
        while at < stop && set(peek(at)) {
            at += 1;
        }
        at
    };
    let closed = skip(end, 6, |byte| quote(byte) || matches!(byte, b'\\' | b']'));
    let mut sign = skip(closed, MAX_BLANKS, blank);
    // `password: &str = "..."`.
    if peek(sign) == b':' && peek(sign + 1) != b':' {
        let from = skip(sign + 1, MAX_BLANKS, blank);
        let of_type = skip(from, 24, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'&' | b'<' | b'>' | b'_' | b'?')
        });
        let assign = skip(of_type, MAX_BLANKS, blank);
        if of_type > from && peek(assign) == b'=' && assign > of_type {
            sign = assign;
        }
    }
    let mut bare = true;
    let from = match (peek(sign), peek(sign + 1)) {
        (b'=', b'>') | (b':', b'=') => sign + 2,
        (b'=' | b':', _) => sign + 1,
        (b'>', _) if start > 0 && text[start - 1] == b'<' => {
            bare = false;
            sign + 1
        }
        (b'(', byte) if quote(byte) => sign + 1,
        (b',', _) if closed > end => sign + 1,
        _ if sign > closed && closed == end => return after_blank(text, start, name, sign),
        _ => return None,
    };
    let from = skip(from, MAX_BLANKS, blank);
    let open = skip(from, 4, |byte| byte == b'\\');
    let (from, to, quoted) = if quote(peek(open)) {
        let mark = peek(open);
        let from = open + 1;
        let stop = text.len().min(from + MAX_PASSWORD);
        let to = from + text[from..stop].iter().position(|&byte| byte == mark || byte == b'\n')?;
        if text[to] != mark {
            return None;
        }
        // An escaped value ends before the backslash of its quote.
        let to = if open > from - 1 || text[to - 1] == b'\\' {
            back(text, to, 3, |byte| byte == b'\\').max(from)
        } else {
            to
        };
        (from, to, true)
    } else if bare {
        (open, munch_password(text, open), false)
    } else {
        let stop = text.len().min(from + MAX_PASSWORD);
        let to = from + text[from..stop].iter().position(|&byte| matches!(byte, b'<' | b'\n'))?;
        (from, to, true)
    };
    Some((from, to, quoted))
}

/// The end of an unquoted password.
fn munch_password(text: &[u8], from: usize) -> usize {
    let stop = text.len().min(from + MAX_PASSWORD);
    (from..stop).find(|&at| ends_password(text, at)).unwrap_or(stop)
}

fn ends_password(text: &[u8], at: usize) -> bool {
    match text[at] {
        0..=b' ' | 0x7f.. => true,
        b'"' | b'\'' | b'`' | b';' | b',' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'\\'
        | b'|' => true,
        // In a query, the next parameter begins here.
        b'&' => text.get(munch(text, at + 1, NAME, MAX_NAME)) == Some(&b'='),
        _ => false,
    }
}

/// `password VALUE`: only where the line has the shape of a password file, or the name that of a flag.
fn after_blank(text: &[u8], start: usize, name: &[u8], from: usize) -> Option<(usize, usize, bool)> {
    let to = munch_password(text, from);
    let line = back(text, start, 256, |byte| byte != b'\n');
    let head = &text[line..start];
    let alone = head.iter().all(|&byte| blank(byte)) && matches!(text.get(to), None | Some(b'\n' | b'\r'));
    let netrc =
        memchr::memmem::find(head, b"login ").is_some() || memchr::memmem::find(head, b"machine ").is_some();
    let flag = name.starts_with(b"--")
        || (name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase));
    let ldap = name.eq_ignore_ascii_case(b"bindpw") || name.eq_ignore_ascii_case(b"rootpw");
    (alone || netrc || flag || ldap).then_some((from, to, false))
}

fn accept(text: &[u8], from: usize, to: usize, quoted: bool) -> Option<Range<usize>> {
    // What stands behind a mask is judged on its own.
    let from = memchr::memmem::rfind(&text[from..to], b"[FILTERED]").map_or(from, |at| from + at + 10);
    let value = &text[from..to];
    if value.len() < 8
        || !quoted && value.starts_with(b"0x")
        || value.iter().any(|&byte| byte <= b' ')
        || is_placeholder(value)
        || is_code(value, quoted, text.get(to).copied())
    {
        return None;
    }
    is_password(value, quoted).then_some(from..to)
}

/// Says whether `value` mixes characters as passwords do and words do not.
fn is_password(value: &[u8], quoted: bool) -> bool {
    let stats = Stats::of(value);
    if stats.distinct < 5 || stats.is_sequence() || is_path(value) {
        return false;
    }
    if is_hex_like(value) {
        return value.len() >= 16 && stats.lower + stats.upper > 0 && stats.digits > 0;
    }
    let symbols =
        value.iter().any(|&byte| !is(byte, B62) && !matches!(byte, b'_' | b'-' | b'.' | b'/' | b':'));
    let digits = value.iter().any(|&byte| is(byte, DIGIT));
    if quoted && digits && value.iter().any(|&byte| byte >= 0x80) {
        return true;
    }
    if digits && stats.lower > 0 && stats.upper > 0 {
        return stats.natural <= if symbols { 20 } else { 8 };
    }
    if digits || (symbols && quoted && stats.signs <= 3) {
        return stats.natural <= -8 && stats.lower + stats.upper >= 3;
    }
    stats.lower > 0 && stats.upper > 0 && stats.natural <= -18 && stats.changes >= 3
}

fn is_path(value: &[u8]) -> bool {
    value.starts_with(b"/")
        || value.starts_with(b"./")
        || value.starts_with(b"~/")
        || memchr::memmem::find(value, b"://").is_some()
        || memchr::memmem::find(value, b"::").is_some()
}
