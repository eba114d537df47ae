//! Globs for names: parsed with positions for errors, braces expanded, then the tokens of [`wild`](crate::wild).

use crate::{Error, wild::Token};

/// How many patterns the braces of one glob may expand to.
pub(crate) const MAX_ALTERNATIVES: usize = 1_024;
/// How deep braces may nest.
const MAX_NESTING: usize = 32;

/// A byte of an expanded glob and where it stood in the pattern.
type Placed = (u8, u32);

fn invalid(at: usize, problem: &'static str, hint: &'static str) -> Error {
    Error::InvalidGlob { at, problem, hint }
}

/// Compiles a glob to its alternatives.
pub(crate) fn compile(pattern: &str) -> Result<Vec<Vec<Token>>, Error> {
    let bytes = pattern.as_bytes();
    let mut parser = Parser { bytes, at: 0 };
    let expanded = parser.sequence(0)?;
    expanded.iter().map(|alternative| tokens(alternative)).collect()
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    /// Reads up to the end of the pattern or, inside braces, to the next `,` or `}` and returns all expansions.
    fn sequence(&mut self, depth: usize) -> Result<Vec<Vec<Placed>>, Error> {
        let mut all: Vec<Vec<Placed>> = vec![Vec::new()];
        while let Some(&byte) = self.bytes.get(self.at) {
            let start = self.at;
            match byte {
                b'{' => {
                    let choices = self.braces(depth + 1)?;
                    if all.len() * choices.len() > MAX_ALTERNATIVES {
                        return Err(invalid(start, "the braces have too many combinations", ""));
                    }
                    all = all
                        .iter()
                        .flat_map(|head| choices.iter().map(move |tail| [head.as_slice(), tail].concat()))
                        .collect();
                    continue;
                }
                b'}' if depth == 0 => {
                    return Err(invalid(start, "`}` without `{`", "a literal brace is written `\\}`"));
                }
                b'}' | b',' if depth > 0 => break,
                b'\\' if start + 1 == self.bytes.len() => {
                    return Err(invalid(
                        start,
                        "nothing follows the backslash",
                        "a literal one is written `\\\\`",
                    ));
                }
                b'\\' => self.at += 2,
                b'[' => self.at = class_end(self.bytes, start)?,
                _ => self.at += 1,
            }
            // The bytes of a longer character stay together, since none of them is special.
            let piece = (start..self.at).map(|i| (self.bytes[i], i as u32));
            for alternative in &mut all {
                alternative.extend(piece.clone());
            }
        }
        Ok(all)
    }

    fn braces(&mut self, depth: usize) -> Result<Vec<Vec<Placed>>, Error> {
        let open = self.at;
        if depth > MAX_NESTING {
            return Err(invalid(open, "braces nest too deep", ""));
        }
        let mut choices = Vec::new();
        loop {
            self.at += 1;
            choices.extend(self.sequence(depth)?);
            match self.bytes.get(self.at) {
                Some(b',') if choices.len() <= MAX_ALTERNATIVES => {}
                Some(b',') => return Err(invalid(open, "the braces have too many combinations", "")),
                Some(_) => break,
                None => return Err(invalid(open, "`{` is not closed", "a literal brace is written `\\{`")),
            }
        }
        self.at += 1;
        Ok(choices)
    }
}

/// Returns where the class that starts at `open` ends.
fn class_end(bytes: &[u8], open: usize) -> Result<usize, Error> {
    let mut at = open + 1;
    at += usize::from(matches!(bytes.get(at), Some(b'!' | b'^')));
    let first = at;
    loop {
        match bytes.get(at) {
            None => return Err(invalid(open, "`[` is not closed", "a literal bracket is written `\\[`")),
            Some(b']') if at > first => return Ok(at + 1),
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

/// Compiles one expansion.
fn tokens(pattern: &[Placed]) -> Result<Vec<Token>, Error> {
    let bytes: Vec<u8> = pattern.iter().map(|&(b, _)| b).collect();
    let end = pattern.last().map_or(0, |&(_, at)| at as usize + 1);
    let place = |i: usize| pattern.get(i).map_or(end, |&(_, at)| at as usize);
    let skip = if bytes.starts_with(b"./") { 2 } else { 0 };
    check_components(&bytes[skip..], |i| place(i + skip))?;
    let mut out = Vec::new();
    let mut at = skip;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => {
                out.push(Token::Byte(bytes[at + 1]));
                at += 2;
            }
            b'?' => {
                out.push(Token::AnyChar);
                at += 1;
            }
            b'[' => {
                let end = class_end(&bytes, at)?;
                out.push(char_class(&bytes[at..end], place(at))?);
                at = end;
            }
            b'*' => {
                let stars = bytes[at..].iter().take_while(|&&b| b == b'*').count();
                let whole = (at == skip || bytes[at - 1] == b'/')
                    && matches!(bytes.get(at + stars), None | Some(b'/'));
                if stars == 1 {
                    out.push(Token::Star);
                } else if stars > 2 || !whole {
                    let hint = "write `**/*.ext` for any depth, `*` for part of a name";
                    return Err(invalid(place(at), "`**` must be a whole component", hint));
                } else if at + stars == bytes.len() {
                    // `a/**` is everything below `a`, and `a` itself has no slash.
                    out.push(Token::Rest);
                } else {
                    out.push(Token::Components { may_be_empty: true });
                    at += 1;
                }
                at += stars;
            }
            _ => {
                out.push(Token::Byte(byte));
                at += 1;
            }
        }
    }
    Ok(out)
}

/// Refuses what could never match a relative path, because an empty answer would not say why.
fn check_components(bytes: &[u8], place: impl Fn(usize) -> usize) -> Result<(), Error> {
    let mut start = 0;
    for (i, component) in bytes.split(|&b| b == b'/').enumerate() {
        let last = start + component.len() == bytes.len();
        match component {
            b"" if i == 0 && !last => {
                let hint = "patterns are relative to the searched directory: remove the leading slash";
                return Err(invalid(place(start), "the pattern starts with a slash", hint));
            }
            b"" if last && i > 0 => {
                return Err(invalid(
                    place(start),
                    "the pattern ends with a slash",
                    "add `**` for everything below",
                ));
            }
            b"" if i > 0 => return Err(invalid(place(start), "empty component", "write one slash")),
            b"." | b".." => {
                let hint = "patterns are relative to the searched directory and stay below it";
                return Err(invalid(place(start), "`.` or `..` as a component", hint));
            }
            _ => {}
        }
        start += component.len() + 1;
    }
    Ok(())
}

/// Compiles a class; `text` is the whole of it.
fn char_class(text: &[u8], place: usize) -> Result<Token, Error> {
    let inner = &text[1..text.len() - 1];
    let (negated, inner) = match inner {
        [b'!' | b'^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let chars: Vec<char> = String::from_utf8_lossy(inner).chars().collect();
    let mut units = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let escaped = c == '\\' && at + 1 < chars.len();
        at += usize::from(escaped);
        units.push((chars[at], escaped));
        at += 1;
    }
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(&(low, _)) = units.get(at) {
        match units.get(at + 1..at + 3) {
            Some(&[('-', false), (high, _)]) => {
                if low > high {
                    return Err(invalid(place, "a range in the class is reversed", ""));
                }
                ranges.push((low, high));
                at += 3;
            }
            _ => {
                ranges.push((low, low));
                at += 1;
            }
        }
    }
    Ok(Token::Chars { negated, ranges: ranges.into() })
}
