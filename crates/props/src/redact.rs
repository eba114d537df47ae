//! Properties of `redact`.

use redact::{LineRedactor, OffsetMap, Pass, Redactor, Span, StreamRedactor, recognised};
use std::time::Instant;

/// The fuzz targets of this module.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[
    ("redact_spans", spans),
    ("redact_idempotent", idempotent),
    ("redact_lines", lines),
    ("redact_chunked", chunked_bytes),
    ("redact_windows", windows_bytes),
    ("redact_passes", passes),
    ("redact_injected", injected_bytes),
    ("redact_linear", linear),
];

/// [`chunked`] with the lengths of the pieces in the first four bytes.
pub fn chunked_bytes(data: &[u8]) {
    let (sizes, text) = data.split_at(data.len().min(4));
    chunked(text, sizes);
}

/// [`windows`] with the size of a window in the first byte.
pub fn windows_bytes(data: &[u8]) {
    let (size, text) = data.split_at(data.len().min(1));
    windows(text, size.first().map_or(1, |&size| usize::from(size)));
}

/// [`injected`] with place and row in the first four bytes.
pub fn injected_bytes(data: &[u8]) {
    let Some((head, text)) = data.split_first_chunk::<4>() else { return };
    injected(
        text,
        usize::from(u16::from_le_bytes([head[0], head[1]])),
        usize::from(u16::from_le_bytes([head[2], head[3]])),
    );
}

/// Returns the spans of `text` after checking that they are sorted, disjoint, inside of the text and on character boundaries.
fn checked(redactor: &Redactor, text: &[u8]) -> Vec<Span> {
    let spans = redactor.spans(text);
    let mut end = 0;
    for span in &spans {
        assert!(
            end <= span.start && span.start < span.end && span.end <= text.len(),
            "span {span:?} behind {end} in {} bytes",
            text.len()
        );
        end = span.end;
    }
    if let Ok(text) = std::str::from_utf8(text) {
        for span in &spans {
            assert!(
                text.is_char_boundary(span.start) && text.is_char_boundary(span.end),
                "span {span:?} cuts a character"
            );
        }
    }
    spans
}

/// Spans are sorted, disjoint, in range and on character boundaries, and the offset map agrees with the masked text.
pub fn spans(text: &[u8]) {
    let redactor = Redactor::new();
    let spans = checked(&redactor, text);
    let masked = redactor.redact_bytes(text);
    assert_eq!(masked.as_ref(), redactor.apply(text, &spans));
    if let Ok(text) = std::str::from_utf8(text) {
        assert_eq!(redactor.redact(text).as_bytes(), masked.as_ref());
    }
    let map = OffsetMap::new(&spans, redactor.marker().len());
    assert_eq!(map.to_masked(text.len()), masked.len());
    for (raw, &byte) in text.iter().enumerate().take(4096) {
        let at = map.to_masked(raw);
        match spans.iter().find(|span| span.range().contains(&raw)) {
            Some(span) => {
                assert!(masked[at..].starts_with(redactor.marker().as_bytes()));
                assert_eq!(map.to_raw(at), span.start);
            }
            None => {
                assert_eq!(masked[at], byte);
                assert_eq!(map.to_raw(at), raw);
            }
        }
    }
}

/// Masking twice is masking once.
pub fn idempotent(text: &[u8]) {
    let redactor = Redactor::new();
    let once = redactor.redact_bytes(text);
    let twice = redactor.redact_bytes(&once);
    assert_eq!(
        String::from_utf8_lossy(&once),
        String::from_utf8_lossy(&twice),
        "of {:?}",
        String::from_utf8_lossy(text)
    );
}

/// Masking keeps the number of lines, for every kind of line end.
pub fn lines(text: &[u8]) {
    let redactor = Redactor::new();
    let masked = redactor.redact_bytes(text);
    for end in [b'\n', b'\r'] {
        let count = |text: &[u8]| text.iter().filter(|&&byte| byte == end).count();
        assert_eq!(count(text), count(&masked));
    }
    let mut reader = LineRedactor::new(&redactor);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        assert_eq!(reader.line(line).ends_with(b"\n"), line.ends_with(b"\n"));
    }
}

/// A stream gives the output of the whole text, whatever the pieces are; `sizes` are their lengths, used in turn.
pub fn chunked(text: &[u8], sizes: &[u8]) {
    let redactor = Redactor::new();
    let mut stream = StreamRedactor::new(redactor.clone(), Vec::new());
    let mut rest = text;
    let mut turn = sizes.iter().cycle();
    while !rest.is_empty() {
        let size = turn.next().map_or(64, |&size| usize::from(size) + 1).min(rest.len());
        let Ok(()) = stream.write(&rest[..size]);
        rest = &rest[size..];
    }
    let Ok((out, report)) = stream.finish();
    let (whole, expected) = redactor.redact_bytes_with_report(text);
    assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&whole));
    assert_eq!(report.count(), expected.count());
}

/// The windows of any partition hide exactly the bytes that the whole text hides.
pub fn windows(text: &[u8], size: usize) {
    let redactor = Redactor::new();
    let whole = redactor.spans(text);
    let size = size.max(1).max(text.len() / 64);
    let mut hidden = vec![false; text.len()];
    let mut spans = Vec::new();
    for start in (0..text.len()).step_by(size) {
        let window = start..(start + size).min(text.len());
        redactor.find_in(text, window.clone(), &mut spans);
        for span in &spans {
            assert!(window.start <= span.start && span.end <= window.end);
            hidden[span.range()].fill(true);
        }
    }
    for (at, &hidden) in hidden.iter().enumerate() {
        assert_eq!(hidden, whole.iter().any(|span| span.range().contains(&at)), "byte {at}");
    }
}

/// The vector pass reports what the scalar pass reports.
pub fn passes(text: &[u8]) {
    let scalar = Redactor::builder().pass(Pass::Scalar).build().unwrap();
    assert_eq!(Redactor::new().spans(text), scalar.spans(text));
}

/// Returns a token of the given row of the table of formats, or nothing for rows without a fixed prefix.
///
/// The body mixes digits and letters that every alphabet of the table has, in the shape that the row's separators ask for.
pub fn token(row: usize) -> Option<String> {
    let rows: Vec<_> = recognised()
        .filter(|row| row.class == redact::Class::Format && !row.prefix.contains([' ', '`']))
        .collect();
    let row = rows.get(row % rows.len())?;
    // Only rows with one part can be built from the public table.
    const PLAIN: [&str; 12] = [
        "github_token",
        "gitlab_token",
        "npm_token",
        "digitalocean_token",
        "shopify_token",
        "rubygems_key",
        "pulumi_token",
        "sonarqube_token",
        "supabase_token",
        "sentry_token",
        "anthropic_key",
        "twilio_key",
    ];
    PLAIN.contains(&row.kind).then(|| {
        let body: String = "9f3b71c60ad8e254".chars().cycle().take(row.lengths.0).collect();
        format!("{}{body}", row.prefix)
    })
}

/// A token at a legal boundary of any text is always covered.
pub fn injected(text: &[u8], at: usize, row: usize) {
    let Some(token) = token(row) else { return };
    let at = at % (text.len() + 1);
    let mut full = text[..at].to_vec();
    // Blanks are a boundary that nothing before or behind can take away.
    full.push(b' ');
    let start = full.len();
    full.extend_from_slice(token.as_bytes());
    let end = full.len();
    full.push(b' ');
    full.extend_from_slice(&text[at..]);
    let spans = Redactor::new().spans(&full);
    for byte in start..end {
        assert!(
            spans.iter().any(|span| span.range().contains(&byte)),
            "byte {byte} of {token:?} at {start}..{end} is visible"
        );
    }
}

/// No text takes longer than a bound that is linear in its length.
pub fn linear(text: &[u8]) {
    if text.is_empty() {
        return;
    }
    // Repeated, a costly piece would show as a costly text; the bound leaves room for a debug build on a busy machine.
    let text = text.repeat((64 * 1024 / text.len()).max(1));
    let start = Instant::now();
    let spans = Redactor::new().spans(&text);
    let nanos = start.elapsed().as_nanos();
    assert!(
        nanos < 2_000_000_000 + 40_000 * text.len() as u128,
        "{} bytes with {} spans took {nanos} ns",
        text.len(),
        spans.len()
    );
}
