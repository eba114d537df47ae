//! Views of a text in which near misses become equal: trailing blanks, indentation, look-alikes, letter case.

use alloc::vec::Vec;

use unicode_normalization::char::decompose_canonical;

use crate::grammar::{is_blank, trim, trim_end};

/// What a view ignores; each ignores what the previous one does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum View {
    /// Trailing whitespace and the kind of line ending.
    Trailing,
    /// Leading whitespace as well.
    Trimmed,
    /// The amount of inner whitespace, look-alike characters and Unicode normal forms.
    Folded,
    /// Letter case of ASCII.
    Caseless,
}

/// Appends `line`, without its ending, as the view shows it.
pub(crate) fn push_line(view: View, line: &[u8], out: &mut Vec<u8>) {
    match view {
        View::Trailing => out.extend_from_slice(trim_end(line)),
        View::Trimmed => out.extend_from_slice(trim(line)),
        View::Folded => fold_line(line, out),
        View::Caseless => {
            let from = out.len();
            fold_line(line, out);
            out[from..].make_ascii_lowercase();
        }
    }
}

fn fold_line(line: &[u8], out: &mut Vec<u8>) {
    let line = trim(line);
    let from = out.len();
    if line.is_ascii() {
        let mut blank = false;
        for &byte in line {
            if is_blank(byte) {
                blank = true;
                continue;
            }
            if blank {
                out.push(b' ');
                blank = false;
            }
            out.push(byte);
        }
        return;
    }
    for chunk in line.utf8_chunks() {
        for c in chunk.valid().chars() {
            fold_char(c, |c| {
                let blank = c == ' ' || (c.is_ascii() && is_blank(c as u8));
                if !blank {
                    let mut buffer = [0; 4];
                    out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
                } else if out.len() > from && out.last() != Some(&b' ') {
                    out.push(b' ');
                }
            });
        }
        out.extend_from_slice(chunk.invalid());
    }
    if out.len() > from && out.last() == Some(&b' ') {
        out.pop();
    }
}

/// Emits what `c` is taken for.
fn fold_char(c: char, mut emit: impl FnMut(char)) {
    match c {
        '\0'..='\x7f' => emit(c),
        // Quotation marks and primes.
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2035}' | '\u{b4}' => emit('\''),
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{2036}' => emit('"'),
        // Hyphens, dashes and the minus sign.
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => emit('-'),
        // Spaces other than U+0020.
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => emit(' '),
        // Characters without width.
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => {}
        '\u{2026}' => (0..3).for_each(|_| emit('.')),
        '\u{d7}' => emit('x'),
        // Full-width forms of ASCII.
        '\u{ff01}'..='\u{ff5e}' => emit(char::from((c as u32 - 0xff01 + 0x21) as u8)),
        _ => decompose_canonical(c, emit),
    }
}

/// Returns whether the folded form of `c` differs from it.
pub(crate) fn is_lookalike(c: char) -> bool {
    let mut same = false;
    let mut count = 0;
    fold_char(c, |folded| {
        same = folded == c;
        count += 1;
    });
    !(same && count == 1)
}

/// Returns whether `c` is one character that may also be written as several.
pub(crate) fn is_composed(c: char) -> bool {
    let mut count = 0;
    decompose_canonical(c, |_| count += 1);
    count > 1
}

/// Returns the first character that `c` is taken for.
pub(crate) fn plain(c: char) -> Option<char> {
    let mut first = None;
    fold_char(c, |folded| first = first.or(Some(folded)));
    first
}

/// Cuts a line number as readers print it: blanks, digits, then `|`, a TAB or `: `.
pub(crate) fn strip_line_number(line: &[u8]) -> Option<&[u8]> {
    let start = line.iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
    let rest = &line[start..];
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 9 {
        return None;
    }
    let rest = &rest[digits..];
    match rest {
        [b'|' | b'\t', text @ ..] | [b':', b' ', text @ ..] => Some(text),
        [b':', text @ ..] => Some(text),
        // The arrow that some readers print.
        [0xe2, 0x86, 0x92, text @ ..] => Some(text),
        _ => None,
    }
}
