//! Puts the characters of a page in lines.

use pdf_extract::{ColorSpace, MediaBox, OutputDev, OutputError, Path, Transform};
use unicode_normalization::char::compose;

use super::Page;
use super::content::Facts;

/// A gap of so many times the size of the letters separates words. Letters of one word stand closer even in loose lines.
const WORD_GAP: f64 = 0.1;

/// A step down of so many times the size of the letters begins a new line also to the right.
const LINE_STEP: f64 = 0.6;

/// A smaller step begins one when it also goes back, which an index or an exponent does not.
const BACK_STEP: f64 = 0.3;

/// A step down of so many times the size of the letters leaves a blank line.
const BLANK_STEP: f64 = 2.0;

/// An accent starts within so many times the size of the letters of its letter.
const ACCENT_SHIFT: f64 = 0.4;

type ArtBox = (f64, f64, f64, f64);

/// Collects the text of several pages; a stroke ends each.
pub(super) struct Layout {
    done: Vec<String>,
    text: String,
    /// Pages that may still come.
    pages: usize,
    max_bytes: usize,
    is_full: bool,
    /// Where the last character ended.
    pen: Option<Pen>,
    /// The accent at the end of the text, and where it stands.
    accent: Option<(char, f64)>,
}

#[derive(Clone, Copy)]
struct Pen {
    x: f64,
    y: f64,
    size: f64,
}

impl Layout {
    pub(super) fn new(pages: usize, max_bytes: usize) -> Self {
        Layout {
            done: Vec::with_capacity(pages),
            text: String::new(),
            pages,
            max_bytes,
            is_full: false,
            pen: None,
            accent: None,
        }
    }

    /// Whether a page grew too long, so that the rest was not looked at.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    pub(super) fn finish(mut self, facts: Vec<Facts>) -> Vec<Page> {
        if self.is_full {
            self.end_page();
        }
        let mut texts = self.done.into_iter();
        facts
            .into_iter()
            .map(|facts| {
                let text = texts.next().unwrap_or_default();
                Page { note: facts.note(&text), text }
            })
            .collect()
    }

    fn end_page(&mut self) {
        let text = std::mem::take(&mut self.text);
        if self.done.len() < self.pages {
            self.done.push(text);
        }
        self.pen = None;
        self.accent = None;
    }

    /// Puts the letter before the accent, as one character where there is one.
    fn accented(&mut self, letter: &str, accent: char) {
        self.text.pop();
        let mut letters = letter.chars();
        match letters.next().map(|it| (it, compose(it, accent))) {
            Some((_, Some(composed))) => self.text.push(composed),
            Some((plain, None)) => self.text.extend([plain, accent]),
            None => self.text.push(accent),
        }
        self.push(letters.as_str());
    }

    fn blank(&mut self) {
        if !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    fn push(&mut self, it: &str) {
        for it in it.chars() {
            match ligature(it) {
                Some(letters) => self.text.push_str(letters),
                None if it == '\u{a0}' => self.blank(),
                None if it.is_control() => {}
                None => self.text.push(it),
            }
        }
    }
}

impl OutputDev for Layout {
    fn begin_page(&mut self, _: u32, _: &MediaBox, _: Option<ArtBox>) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn output_character(
        &mut self,
        place: &Transform,
        width: f64,
        _spacing: f64,
        font_size: f64,
        it: &str,
    ) -> Result<(), OutputError> {
        // The side of a square with the area of one letter.
        let size = font_size.abs() * (place.m11 * place.m22 - place.m12 * place.m21).abs().sqrt();
        let (x, y) = (place.m31, place.m32);
        if let Some(pen) = self.pen {
            let unit = size.max(pen.size).max(f64::MIN_POSITIVE);
            let step = (y - pen.y).abs() / unit;
            if self.accent.is_some() && step < LINE_STEP {
                // Compared below.
            } else if step > BLANK_STEP {
                self.text.push_str("\n\n");
            } else if step > LINE_STEP || (step > BACK_STEP && x < pen.x - unit) {
                self.text.push('\n');
            } else if x > pen.x + unit * WORD_GAP || x < pen.x - unit {
                self.blank();
            }
        }
        match self.accent.take() {
            // An accent that was drawn first belongs over the letter that begins where it stands.
            Some((accent, at)) if (x - at).abs() < size * ACCENT_SHIFT => self.accented(it, accent),
            _ => self.push(it),
        }
        if let Some(accent) = self.text.chars().next_back().filter(|it| is_accent(*it)) {
            self.accent = Some((accent, x));
        }
        let scale = (place.m11 * place.m11 + place.m12 * place.m12).sqrt();
        self.pen = Some(Pen { x: x + width * font_size * scale, y, size });
        if self.text.len() > self.max_bytes {
            self.is_full = true;
            return Err(OutputError::FormatError(std::fmt::Error));
        }
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn stroke(&mut self, _: &Transform, _: &ColorSpace, _: &[f64], _: &Path) -> Result<(), OutputError> {
        Layout::end_page(self);
        Ok(())
    }
}

/// The combining marks that go over or under a letter.
fn is_accent(it: char) -> bool {
    matches!(it, '\u{300}'..='\u{36f}')
}

/// Letters that fonts draw as one, as they are searched for.
fn ligature(it: char) -> Option<&'static str> {
    Some(match it {
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        '\u{fb05}' | '\u{fb06}' => "st",
        _ => return None,
    })
}
