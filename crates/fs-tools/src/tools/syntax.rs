//! The quick syntax check of what was written.

use syntax_scan::{Language, Outcome};

/// What the check says of a whole content.
pub(crate) enum Syntax {
    /// It ran and passed.
    Ok,
    /// It found this.
    Problem(String),
    /// The file's kind is not checked, or the check was not sure.
    Unchecked,
}

/// Checks a file by its name.
pub(crate) fn check_syntax(path: &str, content: &[u8]) -> Syntax {
    let Some(language) = Language::from_file_name(path) else { return Syntax::Unchecked };
    match syntax_scan::scan(language, content) {
        Outcome::Ok => Syntax::Ok,
        Outcome::Problem(problem) => Syntax::Problem(problem.to_string()),
        _ => Syntax::Unchecked,
    }
}
