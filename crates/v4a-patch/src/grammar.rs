//! What one line of a patch is: a directive, a hunk header, a body line, a blank or other text.

/// Returns whether `byte` counts as trailing whitespace: space, TAB, CR, VT or FF.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// Cuts trailing whitespace.
pub(crate) fn trim_end(line: &[u8]) -> &[u8] {
    let mut end = line.len();
    while end > 0 && is_blank(line[end - 1]) {
        end -= 1;
    }
    &line[..end]
}

/// Cuts whitespace on both sides.
pub(crate) fn trim(line: &[u8]) -> &[u8] {
    let line = trim_end(line);
    let start = line.iter().position(|&byte| !is_blank(byte)).unwrap_or(line.len());
    &line[start..]
}

/// Cuts whitespace on both sides of text.
pub(crate) fn trim_str(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_ascii() && is_blank(c as u8))
}

/// Cuts trailing whitespace of text.
pub(crate) fn trim_end_str(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_ascii() && is_blank(c as u8))
}

/// A directive line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Directive<'p> {
    Begin,
    End,
    Update(&'p str),
    Add(&'p str),
    Delete(&'p str),
    MoveTo(&'p str),
    EndOfFile,
    Environment(&'p str),
}

/// The class of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'p> {
    /// Whitespace only; `true` when it starts with a space and is an empty context line inside a hunk.
    Blank(bool),
    Directive(Directive<'p>),
    /// Starts with `***` and is no directive.
    UnknownDirective,
    /// Starts with `@@`; the trimmed text after it.
    Header(&'p str),
    /// Starts with one of ` `, `-`, `+`.
    Body(u8),
    Other,
}

/// All directives, for messages.
pub(crate) const DIRECTIVES: &[&str] = &[
    "*** Begin Patch",
    "*** Update File: <path>",
    "*** Add File: <path>",
    "*** Delete File: <path>",
    "*** Move to: <path>",
    "*** End of File",
    "*** End Patch",
];

/// Parses a directive that starts in column 1.
pub(crate) fn directive(line: &str) -> Option<Directive<'_>> {
    let line = trim_end_str(line);
    match line {
        "*** Begin Patch" => return Some(Directive::Begin),
        "*** End Patch" => return Some(Directive::End),
        "*** End of File" => return Some(Directive::EndOfFile),
        _ => {}
    }
    let with_path = |prefix: &str| line.strip_prefix(prefix).map(trim_str);
    if let Some(path) = with_path("*** Update File:") {
        Some(Directive::Update(path))
    } else if let Some(path) = with_path("*** Add File:") {
        Some(Directive::Add(path))
    } else if let Some(path) = with_path("*** Delete File:") {
        Some(Directive::Delete(path))
    } else if let Some(path) = with_path("*** Move to:") {
        Some(Directive::MoveTo(path))
    } else {
        with_path("*** Environment ID:").map(Directive::Environment)
    }
}

/// Returns whether `line` is a directive but for whitespace before it.
pub(crate) fn is_indented_directive(line: &str) -> bool {
    let trimmed = trim_str(line);
    trimmed.len() < trim_end_str(line).len() && directive(trimmed).is_some()
}

/// Classifies a line without its ending.
pub(crate) fn token(line: &str) -> Token<'_> {
    if line.bytes().all(is_blank) {
        return Token::Blank(line.starts_with(' '));
    }
    if line.starts_with("***") {
        return directive(line).map_or(Token::UnknownDirective, Token::Directive);
    }
    if let Some(text) = line.strip_prefix("@@") {
        return Token::Header(trim_str(text));
    }
    match line.as_bytes()[0] {
        prefix @ (b' ' | b'-' | b'+') => Token::Body(prefix),
        _ => Token::Other,
    }
}

/// What encloses a patch, in the lenient mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wrapper<T> {
    Fence(u8, usize),
    Tag(T),
}

/// Recognises the first line of a code fence or of a here-document.
pub(crate) fn wrapper(line: &str) -> Option<Wrapper<&str>> {
    let line = trim_str(line);
    for mark in [b'`', b'~'] {
        let count = line.bytes().take_while(|&byte| byte == mark).count();
        if count >= 3 {
            return (!line[count..].contains('`')).then_some(Wrapper::Fence(mark, count));
        }
    }
    let (before, after) = line.split_once("<<")?;
    let command = trim_str(before);
    if !(command.is_empty() || command.ends_with("apply_patch") || command.ends_with("applypatch")) {
        return None;
    }
    let tag = trim_str(after.strip_prefix('-').unwrap_or(after));
    let tag =
        ['\'', '"'].iter().find_map(|&quote| tag.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(tag);
    let word = !tag.is_empty() && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    word.then_some(Wrapper::Tag(tag))
}

/// Returns whether `line` closes the wrapper.
pub(crate) fn closes<T: AsRef<str>>(wrapper: &Wrapper<T>, line: &str) -> bool {
    match wrapper {
        Wrapper::Fence(mark, count) => {
            let line = trim_str(line);
            line.len() >= *count && line.bytes().all(|byte| byte == *mark)
        }
        Wrapper::Tag(tag) => trim_str(line) == tag.as_ref(),
    }
}
