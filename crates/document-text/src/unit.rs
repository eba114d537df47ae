//! What is to be said of a unit beside its text.

use std::fmt;

use crate::error::Error;

/// Says why a unit has no text, or what is special about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The page is blank.
    Blank,
    /// The page has pictures and no text: a scan, or a drawing.
    PicturesOnly,
    /// Some or all text is in a font that does not say which characters its glyphs are, so it is missing.
    UnknownFont,
    /// The fonts of the page are damaged: letters may be wrong.
    Approximate,
    /// The slide is hidden when the presentation is shown.
    Hidden,
    /// The unit could not be read; the others can.
    Unreadable(Error),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Note::Blank => "no text",
            Note::PicturesOnly => "no text, only pictures",
            Note::UnknownFont => "text is missing: its font does not say which characters it shows",
            Note::Approximate => "letters may be wrong: the fonts are damaged",
            Note::Hidden => "hidden slide",
            Note::Unreadable(error) => return error.fmt(f),
        })
    }
}
