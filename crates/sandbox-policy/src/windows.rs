//! Spellings that mean something special on Windows, refused before anything is opened.

use std::fmt;

/// Names what is special about a path on Windows.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WindowsIssue {
    /// `\\?\`, `\\.\`, `\??\`, `GLOBALROOT`: the namespace of devices.
    DeviceNamespace,
    /// `\\host\share`: going there sends credentials to another machine.
    NetworkPath,
    /// `C:name`: relative to the directory of a drive.
    DriveRelative,
    /// `\name`: relative to the current drive.
    RootRelative,
    /// `name:stream`: a second content of a file, or an index of a directory.
    Stream,
    /// `NUL`, `COM1.txt`, `CONIN$`: a device, whatever the directory and the extension.
    ReservedName,
    /// A name that ends in a dot or a blank, which the system drops.
    TrailingDotOrBlank,
    /// One of `<>"|?*` or a control character, which some calls treat as a wildcard.
    ForbiddenCharacter,
}

impl fmt::Display for WindowsIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WindowsIssue::DeviceNamespace => "the path is in the namespace of devices",
            WindowsIssue::NetworkPath => "the path names another machine",
            WindowsIssue::DriveRelative => "the path is relative to the directory of a drive",
            WindowsIssue::RootRelative => "the path is relative to the current drive",
            WindowsIssue::Stream => "the path names a stream of a file",
            WindowsIssue::ReservedName => "the path contains the name of a device",
            WindowsIssue::TrailingDotOrBlank => "a name in the path ends in a dot or a blank",
            WindowsIssue::ForbiddenCharacter => {
                "a name in the path contains a character that Windows forbids"
            }
        })
    }
}

/// Finds what Windows would take for something other than a plain path below a directory.
///
/// The function only looks at the text and behaves the same on every platform; [`crate::RequestPath`] consults it on
/// Windows.
///
/// # Cost
///
/// O(n), no allocation.
///
/// # Source
///
/// <https://learn.microsoft.com/windows/win32/fileio/naming-a-file>
///
/// # Examples
///
/// ```
/// use sandbox_policy::{WindowsIssue, windows_issue};
///
/// assert_eq!(windows_issue(r"src\main.rs"), None);
/// assert_eq!(windows_issue(r"C:\work\main.rs"), None);
/// assert_eq!(windows_issue(r"notes.txt:hidden"), Some(WindowsIssue::Stream));
/// ```
pub fn windows_issue(text: &str) -> Option<WindowsIssue> {
    let is_separator = |c: char| c == '\\' || c == '/';
    let mut leading = text.chars();
    let (first, second) = (leading.next(), leading.next());
    if first.is_some_and(is_separator) {
        if text[1..].starts_with("??") {
            return Some(WindowsIssue::DeviceNamespace);
        }
        if !second.is_some_and(is_separator) {
            return Some(WindowsIssue::RootRelative);
        }
        let host = text[2..].split(is_separator).next().unwrap_or("");
        let is_device = matches!(host, "." | "?" | "??") || host.is_empty();
        return Some(if is_device { WindowsIssue::DeviceNamespace } else { WindowsIssue::NetworkPath });
    }
    let mut rest = text;
    if first.is_some_and(|c| c.is_ascii_alphabetic()) && second == Some(':') {
        rest = &text[2..];
        if !rest.starts_with(is_separator) {
            let is_stream = !rest.is_empty() && rest.contains(':');
            return Some(if is_stream { WindowsIssue::Stream } else { WindowsIssue::DriveRelative });
        }
    }
    rest.split(is_separator).filter(|name| !matches!(*name, "" | "." | "..")).find_map(name_issue)
}

fn name_issue(name: &str) -> Option<WindowsIssue> {
    if name.eq_ignore_ascii_case("GLOBALROOT") {
        return Some(WindowsIssue::DeviceNamespace);
    }
    if name.contains(':') {
        return Some(WindowsIssue::Stream);
    }
    if name.chars().any(|c| c.is_control() || matches!(c, '<' | '>' | '"' | '|' | '?' | '*')) {
        return Some(WindowsIssue::ForbiddenCharacter);
    }
    if is_reserved(name) {
        return Some(WindowsIssue::ReservedName);
    }
    name.ends_with(['.', ' ']).then_some(WindowsIssue::TrailingDotOrBlank)
}

fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ');
    let is = |word: &str| stem.eq_ignore_ascii_case(word);
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].iter().any(|word| is(word)) {
        return true;
    }
    let mut chars = stem.chars();
    let Some(digit) = chars.next_back() else { return false };
    let port = chars.as_str();
    let is_port = port.eq_ignore_ascii_case("COM") || port.eq_ignore_ascii_case("LPT");
    is_port && matches!(digit, '0'..='9' | '¹' | '²' | '³')
}
