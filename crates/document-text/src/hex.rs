//! Binary bytes as lines that a person can read.

/// Bytes shown on one line.
const PER_LINE: usize = 16;

/// A full line with an eight-digit offset: the offset, a gap before each group of eight and one more, the digits, the
/// characters between bars, and the newline.
const LINE_BYTES: usize = 8 + 3 + PER_LINE * 3 + 1 + PER_LINE + 1 + 1;

/// Shows bytes as hexadecimal, sixteen to a line, with their offset and their printable characters.
///
/// `bytes` is the wanted part of a file and `offset` is the place of its first byte in the file. At most `max_bytes`
/// of it are shown. The dump is ASCII, each line ends with a newline, and no bytes give the empty string.
///
/// # Cost
///
/// O(`max_bytes`) time; the text is about five times as long as what it shows, see [`hex_dump_capacity`].
///
/// # Examples
///
/// ```
/// let dump = document_text::hex_dump(b"\x89PNG\r\n", 0, 16);
/// assert_eq!(dump, "00000000  89 50 4e 47 0d 0a                                |.PNG..|\n");
/// ```
#[must_use]
pub fn hex_dump(bytes: &[u8], offset: u64, max_bytes: usize) -> String {
    let shown = &bytes[..bytes.len().min(max_bytes)];
    let mut out = String::with_capacity(shown.len().div_ceil(PER_LINE).saturating_mul(LINE_BYTES));
    let mut at = offset;
    for line in shown.chunks(PER_LINE) {
        push_line(&mut out, at, line);
        at = at.saturating_add(PER_LINE as u64);
    }
    out
}

/// Counts the bytes whose dump fits into `text_bytes` of text, for offsets below 4 GiB.
///
/// # Examples
///
/// ```
/// let fits = document_text::hex_dump_capacity(1000);
/// assert!(document_text::hex_dump(&[0; 4096], 0, fits).len() <= 1000);
/// ```
#[must_use]
pub const fn hex_dump_capacity(text_bytes: usize) -> usize {
    text_bytes / LINE_BYTES * PER_LINE
}

fn push_line(out: &mut String, at: u64, line: &[u8]) {
    push_offset(out, at);
    out.push(' ');
    for column in 0..PER_LINE {
        if column % 8 == 0 {
            out.push(' ');
        }
        match line.get(column) {
            Some(&byte) => {
                out.push(digit(byte >> 4));
                out.push(digit(byte & 15));
                out.push(' ');
            }
            None => out.push_str("   "),
        }
    }
    out.push('|');
    out.extend(line.iter().map(|&it| if (0x20..0x7f).contains(&it) { char::from(it) } else { '.' }));
    out.push_str("|\n");
}

/// Eight digits at least, more when the offset needs them.
fn push_offset(out: &mut String, at: u64) {
    let digits = (16 - at.leading_zeros() as usize / 4).max(8);
    for place in (0..digits).rev() {
        out.push(digit((at >> (place * 4)) as u8 & 15));
    }
}

fn digit(value: u8) -> char {
    char::from(b"0123456789abcdef"[usize::from(value & 15)])
}
