//! Where the keys of a JSON text stand, so that a complaint can say line and column.

use std::collections::BTreeMap;

/// Line and column of a key, both counted from 1; columns count characters.
pub(super) type Place = (usize, usize);

/// The places of all keys of all objects that no array encloses, by their path from the root.
///
/// Where a key is given twice, the last one counts, as it does for its value.
///
/// # Cost
///
/// One pass over the text, which has been parsed before: nesting is bounded by the parser. Text that is not JSON gives
/// some places or none, and no error.
pub(super) fn places(text: &str) -> BTreeMap<Vec<String>, Place> {
    let mut scan = Scan { text, at: 0, line: 1, column: 1 };
    let mut found = BTreeMap::new();
    let mut open: Vec<Container> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    // In an object, a string that follows `{` or `,` is a key.
    let mut awaits_key = false;
    while let Some(character) = scan.peek() {
        let place = (scan.line, scan.column);
        match character {
            '{' | '[' => {
                scan.next();
                awaits_key = character == '{';
                open.push(if awaits_key { Container::Object } else { Container::Array });
            }
            '}' | ']' => {
                scan.next();
                if open.pop() == Some(Container::Object) {
                    // The key of the value that ended; the members of this object took theirs along.
                    awaits_key = false;
                }
                leave(&mut path, &open);
            }
            ',' => {
                scan.next();
                leave(&mut path, &open);
                awaits_key = open.last() == Some(&Container::Object);
            }
            '"' => {
                let string = scan.string();
                if awaits_key {
                    awaits_key = false;
                    path.push(string);
                    if !open.contains(&Container::Array) {
                        found.insert(path.clone(), place);
                    }
                }
            }
            _ => {
                scan.next();
            }
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Object,
    Array,
}

/// Drops the key of a member that ended: as many keys stay as objects are open, less the one whose next key is to come.
fn leave(path: &mut Vec<String>, open: &[Container]) {
    let objects = open.iter().filter(|container| **container == Container::Object).count();
    let inside_member = open.last() == Some(&Container::Array);
    path.truncate(if inside_member { objects } else { objects.saturating_sub(1) });
}

/// A text with the place that has been reached.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    column: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        if character == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some(character)
    }

    /// Passes over a string and returns what it says.
    fn string(&mut self) -> String {
        let start = self.at;
        self.next();
        while let Some(character) = self.next() {
            match character {
                '\\' => {
                    self.next();
                }
                '"' => break,
                _ => {}
            }
        }
        serde_json::from_str(&self.text[start..self.at]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn keys_are_found_where_they_stand() {
        let text = "{\"a\": 1,\n \"é\": {\"b\\\"c\": [ {\"x\": 1}, \"y\" ], \"d\": {}},\n  \"e\": \"{\\\"no\\\": 1}\"}";
        let found: Vec<(String, (usize, usize))> =
            places(text).into_iter().map(|(path, place)| (path.join("/"), place)).collect();
        let expected = [("a", (1, 2)), ("e", (3, 3)), ("é", (2, 2)), ("é/b\"c", (2, 8)), ("é/d", (2, 35))];
        assert_eq!(found, expected.map(|(path, place)| (path.to_owned(), place)));
        assert_eq!(places("{\"a\": 1, \"a\": 2}")[&vec!["a".to_owned()]], (1, 10));
        for odd in ["", "[", "{", "{\"", "{\"a", "\"", "]}", "{\"a\":[}]"] {
            let _ = places(odd);
        }
    }
}
