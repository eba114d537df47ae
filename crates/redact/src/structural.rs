//! Values that their surroundings prove: URLs with credentials, headers, cookies, password files.

use crate::{
    alphabet::{ALPHA, B62, B64_ANY, CRYPT, DIGIT, DOTTED_TILDE, NAME, URL_VALUE, is, munch, munch_back},
    encoded::{decode, is_text},
    keyed::Before,
    names::is_session,
    randomness::{Stats, is_hex, is_placeholder},
    span::{Class, Span},
};
use alloc::vec::Vec;
use core::ops::Range;

/// The longest authority of a URL.
const MAX_AUTHORITY: usize = 512;
/// The longest value.
const MAX_VALUE: usize = 8 * 1024;
/// How far left the beginning of a line is looked for.
const MAX_LINE: usize = 512;

/// `scheme://user:password@host` and `scheme://token@host`; `at` is the colon.
pub(crate) fn url(text: &[u8], at: usize, out: &mut Vec<Span>) {
    if text.get(at + 2) != Some(&b'/') || at == 0 || !is(text[at - 1], B62) {
        return;
    }
    let from = at + 3;
    let stop = text.len().min(from + MAX_AUTHORITY);
    let ends = |byte: u8| {
        byte <= b' '
            || matches!(byte, b'/' | b'?' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'|' | b'^' | 0x7f)
    };
    let mut last = None;
    let mut colon = None;
    for (index, &byte) in text[from..stop].iter().enumerate() {
        match byte {
            b'@' => last = Some(from + index),
            b':' if colon.is_none() => colon = Some(from + index),
            // A fragment ends the authority, but not a password that was not escaped.
            _ if ends(byte) => break,
            _ => {}
        }
    }
    let Some(end) = last else { return };
    match colon.filter(|&colon| colon < end) {
        Some(colon) => {
            let user = &text[from..colon];
            let password = &text[colon + 1..end];
            if is_url_password(user, password) {
                out.push(Span { start: colon + 1, end, kind: "url_password", class: Class::Structural });
            } else if user.len() >= 20
                && (password == b"x-oauth-basic" || password.is_empty())
                && is_url_token(user)
            {
                out.push(Span { start: from, end: colon, kind: "url_token", class: Class::Structural });
            }
        }
        None if is_url_token(&text[from..end]) => {
            out.push(Span { start: from, end, kind: "url_token", class: Class::Structural });
        }
        None => {}
    }
}

/// Passwords of manuals.
const SAMPLES: [&[u8]; 22] = [
    b"password",
    b"passwd",
    b"pass",
    b"secret",
    b"pw",
    b"pwd",
    b"test",
    b"token",
    b"root",
    b"admin",
    b"guest",
    b"user",
    b"foo",
    b"bar",
    b"postgres",
    b"mysql",
    b"p",
    b"s3cr3t",
    b"mypass",
    b"mypassword",
    b"hunter2",
    b"passw0rd",
];

fn is_url_password(user: &[u8], password: &[u8]) -> bool {
    let bare = password.strip_prefix(b":").unwrap_or(password);
    if bare.len() < 3
        || bare.eq_ignore_ascii_case(user)
        || SAMPLES.iter().any(|sample| bare.eq_ignore_ascii_case(sample))
    {
        return false;
    }
    let template =
        bare.iter().any(|&byte| matches!(byte, b'{' | b'}' | b'(' | b')' | b'[' | b']' | b'$' | b'*'))
            && bare.iter().all(|&byte| !is(byte, DIGIT));
    if template
        || bare.starts_with(b"{")
        || bare.starts_with(b"${")
        || bare.starts_with(b"%s")
        || is_placeholder(bare)
    {
        return false;
    }
    // Short lower-case words stand in examples; what is left is a password, however weak.
    let stats = Stats::of(bare);
    stats.digits > 0 && bare.len() >= 6
        || bare.len() >= 8 && (stats.upper > 0 || stats.signs > 0)
        || bare.len() >= 12
}

fn is_url_token(user: &[u8]) -> bool {
    user.len() >= 16 && user.iter().all(|&byte| is(byte, DOTTED_TILDE)) && !is_placeholder(user) && {
        let stats = Stats::of(user);
        stats.digits > 0 && stats.natural <= 0
    }
}

/// Headers, cookies, signatures and password files around the opaque value `from..to`.
pub(crate) fn value(
    text: &[u8],
    from: usize,
    to: usize,
    before: Option<&Before<'_>>,
    out: &mut Vec<Span>,
) -> bool {
    let mut push = |range: Range<usize>, kind| {
        out.push(Span { start: range.start, end: range.end, kind, class: Class::Structural });
        true
    };
    if let Some(kind) = scheme(text, from) {
        let end = munch(text, from, B64_ANY | DOTTED_TILDE, MAX_VALUE).max(to);
        let value = &text[from..end];
        let stats = Stats::of(value);
        let opaque = if kind == "basic_credentials" {
            is_basic(value)
        } else {
            is_hex(value) && stats.digits > 0 || stats.classes() > 1 && stats.is_unwritten(-12, 0)
        };
        if opaque && stats.len >= 16 && !is_placeholder(value) {
            return push(from..end, kind);
        }
    }
    if let Some(before) = before {
        if is_session(before.name) && in_cookie(text, from) {
            let start = munch_back(text, from, URL_VALUE & !crate::alphabet::bits(b'='), 64);
            let end = munch(text, to, URL_VALUE, MAX_VALUE);
            if Stats::of(&text[start..end]).digits > 0 && !is_placeholder(&text[start..end]) {
                return push(start..end, "session_cookie");
            }
        }
        if is_signature(text, before.name) {
            let start = munch_back(text, from, URL_VALUE & !crate::alphabet::bits(b'='), 64);
            let end = munch(text, to, URL_VALUE, MAX_VALUE);
            if end - start >= 24 && !is_placeholder(&text[start..end]) {
                return push(start..end, "url_signature");
            }
        }
    }
    if let Some(range) = crypt(text, from, to) {
        return push(range, "password_hash");
    }
    if let Some(end) = pgpass(text, from) {
        return push(from..end.max(to), "pgpass_password");
    }
    false
}

/// The kind of the credentials behind an authentication scheme that ends at `at`.
fn scheme(text: &[u8], at: usize) -> Option<&'static str> {
    let end = munch_blank_back(text, at);
    if end == at {
        return None;
    }
    let start = munch_back(text, end, ALPHA, 12);
    let word = &text[start..end];
    if word.eq_ignore_ascii_case(b"bearer") {
        return Some("bearer_token");
    }
    if word.eq_ignore_ascii_case(b"basic") {
        return Some("basic_credentials");
    }
    let head = &text[start.saturating_sub(24)..start];
    let header = crate::randomness::contains_folded(head, b"authorization");
    let smtp = word.eq_ignore_ascii_case(b"plain") && crate::randomness::contains_folded(head, b"auth ");
    if smtp
        || header
            && [b"token".as_slice(), b"apikey", b"key", b"negotiate", b"splunk"]
                .iter()
                .any(|name| word.eq_ignore_ascii_case(name))
    {
        return Some(if smtp { "basic_credentials" } else { "bearer_token" });
    }
    None
}

fn munch_blank_back(text: &[u8], at: usize) -> usize {
    let mut left = at;
    while left > 0 && at - left < 8 && matches!(text[left - 1], b' ' | b'\t') {
        left -= 1;
    }
    left
}

/// Says whether the line up to `at` is a cookie header.
fn in_cookie(text: &[u8], at: usize) -> bool {
    let head = &text[at.saturating_sub(MAX_LINE)..at];
    let line = head.iter().rposition(|&byte| byte == b'\n').map_or(head, |line| &head[line + 1..]);
    crate::randomness::contains_folded(line, b"cookie:")
        || crate::randomness::contains_folded(line, b"cookie\":")
}

/// Names of signature parameters; the short one counts in a query only. `name` is a part of `text`.
fn is_signature(text: &[u8], name: &[u8]) -> bool {
    let at = name.as_ptr() as usize - text.as_ptr() as usize;
    let queried = at > 0 && matches!(text[at - 1], b'?' | b'&' | b';');
    name.eq_ignore_ascii_case(b"sig") && queried
        || [b"x-amz-signature".as_slice(), b"x-amz-security-token", b"x-goog-signature"]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
}

/// Says whether `value` is base64 of `user:password`.
fn is_basic(value: &[u8]) -> bool {
    let mut buffer = [0; 96];
    let len = decode(value, 4, &mut buffer);
    is_text(&buffer[..len]) && buffer[..len].contains(&b':')
}

/// The salt and hash of `crypt`, from the first dollar sign.
fn crypt(text: &[u8], from: usize, to: usize) -> Option<Range<usize>> {
    if from < 3 || text[from - 1] != b'$' {
        return None;
    }
    let start = {
        let mut at = from;
        while at > 0
            && from - at < 64
            && (is(text[at - 1], CRYPT) || matches!(text[at - 1], b'$' | b'=' | b','))
        {
            at -= 1;
        }
        at
    };
    let head = &text[start..from];
    let known = [
        b"$6$".as_slice(),
        b"$5$",
        b"$1$",
        b"$y$",
        b"$2a$",
        b"$2b$",
        b"$2y$",
        b"$argon2id$",
        b"$argon2i$",
        b"$7$",
        b"$apr1$",
    ];
    let at = known.iter().filter_map(|mark| memchr::memmem::find(head, mark)).min()?;
    let mut end = to;
    while end < text.len()
        && end - start < 512
        && (is(text[end], CRYPT) || matches!(text[end], b'$' | b'+' | b'=' | b','))
    {
        end += 1;
    }
    (end - from >= 22).then_some(start + at..end)
}

/// `host:port:database:user:password` at the beginning of a line.
fn pgpass(text: &[u8], from: usize) -> Option<usize> {
    if from == 0 || text[from - 1] != b':' {
        return None;
    }
    let head = &text[from.saturating_sub(MAX_LINE)..from];
    let line = head.iter().rposition(|&byte| byte == b'\n').map_or(head, |line| &head[line + 1..]);
    let mut fields = line.split(|&byte| byte == b':');
    let host = fields.next()?;
    let port = fields.next()?;
    let database = fields.next()?;
    let user = fields.next()?;
    let shape = fields.next().is_some_and(<[u8]>::is_empty) && fields.next().is_none();
    let named = |field: &[u8]| field == b"*" || !field.is_empty() && field.iter().all(|&byte| is(byte, NAME));
    let numbered = port == b"*" || (2..=5).contains(&port.len()) && port.iter().all(|&byte| is(byte, DIGIT));
    if !(shape && named(host) && numbered && named(database) && named(user)) {
        return None;
    }
    let stop = text.len().min(from + 256);
    let end = from + text[from..stop].iter().position(|&byte| byte <= b' ').unwrap_or(stop - from);
    (!is_placeholder(&text[from..end]) && Stats::of(&text[from..end]).natural <= 0).then_some(end)
}
