//! Says in what way two lines differ.

use core::fmt;

use crate::fold::{self, View};
use crate::grammar::{is_blank, trim, trim_end};

/// Whitespace before the text of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indent {
    /// How many TABs.
    pub tabs: usize,
    /// How many other blanks.
    pub spaces: usize,
}

impl Indent {
    fn of(line: &[u8]) -> Self {
        let blanks = &line[..line.iter().take_while(|&&byte| is_blank(byte)).count()];
        let tabs = blanks.iter().filter(|&&byte| byte == b'\t').count();
        Self { tabs, spaces: blanks.len() - tabs }
    }
}

impl fmt::Display for Indent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count| if count == 1 { "" } else { "s" };
        match (self.tabs, self.spaces) {
            (0, 0) => f.write_str("no blanks"),
            (0, spaces) => write!(f, "{spaces} space{}", plural(spaces)),
            (tabs, 0) => write!(f, "{tabs} TAB{}", plural(tabs)),
            (tabs, spaces) => write!(f, "{tabs} TAB{} and {spaces} space{}", plural(tabs), plural(spaces)),
        }
    }
}

/// The way in which an expected line and a line of the file differ. Columns are characters from 1, in the file line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// One ends in CRLF, the other in LF.
    LineEnding {
        /// Whether the line of the file ends in CRLF.
        file_has_crlf: bool,
    },
    /// The line of the file is its last one and has no line end, but the text has one.
    FinalNewline,
    /// Blanks at the end.
    TrailingWhitespace {
        /// How many the expected line has.
        expected: usize,
        /// How many the line of the file has.
        found: usize,
    },
    /// Blanks at the start.
    Indentation {
        /// Of the expected line.
        expected: Indent,
        /// Of the line of the file.
        found: Indent,
    },
    /// The amount or kind of blanks within the line.
    InnerWhitespace {
        /// Where they differ first.
        column: usize,
    },
    /// A character that looks like the expected one, or cannot be seen.
    Lookalike {
        /// Where it is.
        column: usize,
        /// The character of the expected line, if it has one there.
        expected: Option<char>,
        /// The character of the file, if it has one there.
        found: Option<char>,
    },
    /// Upper or lower case.
    Case {
        /// Where it differs first.
        column: usize,
    },
    /// Other text.
    Text {
        /// Where it differs first.
        column: usize,
    },
}

impl Difference {
    /// Returns the character column of the difference in the file line, from 1; `usize::MAX` for its end.
    pub fn column(&self) -> usize {
        match *self {
            Self::LineEnding { .. } | Self::FinalNewline | Self::TrailingWhitespace { .. } => usize::MAX,
            Self::Indentation { .. } => 1,
            Self::InnerWhitespace { column }
            | Self::Lookalike { column, .. }
            | Self::Case { column }
            | Self::Text { column } => column,
        }
    }

    /// Returns the stable snake_case word for the kind of difference.
    pub fn code(&self) -> &'static str {
        match self {
            Self::LineEnding { .. } => "line_ending",
            Self::FinalNewline => "final_newline",
            Self::TrailingWhitespace { .. } => "trailing_whitespace",
            Self::Indentation { .. } => "indentation",
            Self::InnerWhitespace { .. } => "inner_whitespace",
            Self::Lookalike { .. } => "lookalike",
            Self::Case { .. } => "case",
            Self::Text { .. } => "text",
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::LineEnding { file_has_crlf: true } => {
                f.write_str("the file has CRLF line endings, the text has LF")
            }
            Self::LineEnding { file_has_crlf: false } => {
                f.write_str("the text has CRLF line endings, the file has LF")
            }
            Self::FinalNewline => {
                f.write_str("the file ends with this line and has no final newline, the text has one")
            }
            Self::TrailingWhitespace { expected, found } => {
                write!(f, "trailing blanks differ: {found} in the file, {expected} expected")
            }
            Self::Indentation { expected, found } => {
                write!(f, "indentation differs: {found} in the file, {expected} expected")
            }
            Self::InnerWhitespace { column } => write!(f, "blanks differ at column {column}"),
            Self::Lookalike { column, expected, found } => {
                match found {
                    Some(found) => write!(f, "column {column} of the file has {}", Named(found))?,
                    None => write!(f, "column {column} of the file has nothing")?,
                }
                match expected {
                    Some(expected) => write!(f, ", not {}", Named(expected))?,
                    None => f.write_str(" that is not expected")?,
                }
                if [expected, found].into_iter().flatten().any(fold::is_composed) {
                    f.write_str("; one is the composed form (NFC) and the other the decomposed one (NFD)")?;
                }
                Ok(())
            }
            Self::Case { column } => write!(f, "letter case differs at column {column}"),
            Self::Text { column } => write!(f, "the text differs from column {column} on"),
        }
    }
}

/// A character by number and, where it can be seen, by shape.
struct Named(char);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            '\u{a0}' => " (no-break space)",
            '\u{200b}' => " (zero-width space)",
            '\u{feff}' => " (byte order mark)",
            '\u{ad}' => " (soft hyphen)",
            ' ' => " (space)",
            '\t' => " (TAB)",
            c if c.is_control() => "",
            c if c.is_whitespace() || !fold::is_lookalike(c) && !c.is_ascii() => "",
            c if fold::plain(c).is_none() => " (invisible)",
            c => return write!(f, "U+{:04X} `{c}`", c as u32),
        };
        write!(f, "U+{:04X}{name}", self.0 as u32)
    }
}

/// Compares an expected line with a line of the file, both without ending; `None` when they are equal.
pub(crate) fn compare(expected: &[u8], found: &[u8]) -> Option<Difference> {
    if expected == found {
        return None;
    }
    if trim_end(expected) == trim_end(found) {
        return Some(Difference::TrailingWhitespace {
            expected: expected.len() - trim_end(expected).len(),
            found: found.len() - trim_end(found).len(),
        });
    }
    if trim(expected) == trim(found) {
        return Some(Difference::Indentation { expected: Indent::of(expected), found: Indent::of(found) });
    }
    let column = first_difference(expected, found);
    let same = |view| {
        let (mut a, mut b) = (alloc::vec::Vec::new(), alloc::vec::Vec::new());
        fold::push_line(view, expected, &mut a);
        fold::push_line(view, found, &mut b);
        a == b
    };
    Some(if same(View::Folded) {
        lookalike(expected, found).unwrap_or(Difference::InnerWhitespace { column })
    } else if same(View::Caseless) {
        lookalike(expected, found).unwrap_or(Difference::Case { column })
    } else {
        Difference::Text { column }
    })
}

/// Returns the first look-alike that only one of the lines has.
pub(crate) fn lookalike(expected: &[u8], found: &[u8]) -> Option<Difference> {
    let special = |line: &[u8]| -> alloc::vec::Vec<(usize, char)> {
        chars(line).enumerate().filter(|&(_, c)| c != '\u{fffd}' && fold::is_lookalike(c)).collect()
    };
    let (wanted, present) = (special(expected), special(found));
    let common = wanted.iter().zip(&present).take_while(|(a, b)| a.1 == b.1).count();
    let first = first_difference(expected, found);
    match (wanted.get(common), present.get(common)) {
        (None, None) => None,
        (wanted, Some(&(at, c))) => {
            let wanted =
                wanted.filter(|wanted| fold::plain(wanted.1) == fold::plain(c)).map(|wanted| wanted.1);
            Some(Difference::Lookalike {
                column: at + 1,
                expected: wanted.or(fold::plain(c)),
                found: Some(c),
            })
        }
        (Some(&(_, c)), None) => {
            Some(Difference::Lookalike { column: first, expected: Some(c), found: fold::plain(c) })
        }
    }
}

fn chars(line: &[u8]) -> impl Iterator<Item = char> + '_ {
    line.utf8_chunks()
        .flat_map(|chunk| chunk.valid().chars().chain(chunk.invalid().iter().map(|_| '\u{fffd}')))
}

/// The first column, in characters from 1, where the lines differ.
fn first_difference(a: &[u8], b: &[u8]) -> usize {
    chars(a).zip(chars(b)).take_while(|(a, b)| a == b).count() + 1
}
