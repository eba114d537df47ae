//! Writes a new text in the manner of the place that it goes to: its quotes and its line ends.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::align::Alignment;
use crate::loose::{CURLY_BYTES, Loose, Pass, curly};

/// A byte or a quote of the new text that depends on the place.
#[derive(Debug)]
struct Slot {
    /// Where it is in the new text.
    at: usize,
    length: usize,
    /// The straight quote or the line feed that it stands for.
    plain: u8,
    /// Its partner in the folded old text.
    partner: Option<usize>,
}

/// A new text with what depends on the place.
#[derive(Debug)]
pub(crate) struct Rewording<'t> {
    new: &'t [u8],
    /// In ascending order.
    slots: Vec<Slot>,
    /// The length of the old text as [`Pass::Both`] sees it.
    old_length: usize,
}

/// What of a new text is adapted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Adapt {
    /// Quotes take the style of the place.
    pub(crate) quotes: bool,
    /// Line feeds take the line end of the place.
    pub(crate) line_feeds: bool,
    /// Old and new text have line ends, and the file has both kinds, so those that stay have to be known.
    pub(crate) mixed_line_ends: bool,
}

impl<'t> Rewording<'t> {
    /// A text that is the same at every place.
    pub(crate) fn verbatim(new: &'t [u8]) -> Self {
        Self { new, slots: Vec::new(), old_length: 0 }
    }

    /// Prepares `new` for the places where `old` was found. `cells` bounds the alignment.
    pub(crate) fn new(old: &[u8], new: &'t [u8], adapt: Adapt, cells: &mut usize) -> Self {
        let mut slots = slots(new, adapt);
        if slots.is_empty() || !(adapt.quotes || adapt.mixed_line_ends) {
            return Self { new, slots, old_length: 0 };
        }
        let (old, folded) = (Loose::new(old, Pass::Both), Loose::new(new, Pass::Both));
        let alignment = Alignment::new(&old.text, &folded.text, cells);
        let (mut at, mut original) = (0, 0);
        for slot in &mut slots {
            // The slots ascend, so one walk finds their places in the folded text.
            while original < slot.at {
                at += 1;
                original = folded.original(at);
            }
            slot.partner = alignment.partner(at);
        }
        Self { new, slots, old_length: old.text.len() }
    }

    /// Whether [`Self::at`] looks at the line ending that it is given.
    pub(crate) fn has_line_feeds(&self) -> bool {
        self.slots.iter().any(|slot| slot.plain == b'\n')
    }

    /// Writes the text for the place where `region` is, on a line that ends in `ending`.
    pub(crate) fn at(&self, region: &[u8], ending: &[u8]) -> Cow<'t, [u8]> {
        if self.slots.is_empty() {
            return Cow::Borrowed(self.new);
        }
        let region_folded = Loose::new(region, Pass::Both);
        let has_curly = !region_folded.quotes.is_empty();
        let is_aligned = region_folded.text.len() == self.old_length;
        let mut out = Vec::with_capacity(self.new.len() + self.slots.len());
        let mut copied = 0;
        for slot in &self.slots {
            let own = &self.new[slot.at..slot.at + slot.length];
            out.extend_from_slice(&self.new[copied..slot.at]);
            copied = slot.at + slot.length;
            match slot.partner {
                Some(partner) if is_aligned => {
                    out.extend_from_slice(&region[region_folded.span(partner..partner + 1)]);
                }
                _ if slot.plain == b'\n' => out.extend_from_slice(ending),
                _ if !has_curly => out.push(slot.plain),
                _ if slot.length == CURLY_BYTES => out.extend_from_slice(own),
                _ => out.extend_from_slice(curled(slot.plain, &self.new[..slot.at])),
            }
        }
        out.extend_from_slice(&self.new[copied..]);
        Cow::Owned(out)
    }
}

/// The line feeds without CR and the quotes of a text, as asked for.
fn slots(text: &[u8], adapt: Adapt) -> Vec<Slot> {
    let Adapt { quotes, line_feeds, .. } = adapt;
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let found = match text[at] {
            b'\n' if line_feeds && (at == 0 || text[at - 1] != b'\r') => Some((b'\n', 1)),
            plain @ (b'\'' | b'"') if quotes => Some((plain, 1)),
            0xe2 if quotes => curly(&text[at..]).map(|plain| (plain, CURLY_BYTES)),
            _ => None,
        };
        if let Some((plain, length)) = found {
            out.push(Slot { at, length, plain, partner: None });
        }
        at += found.map_or(1, |(_, length)| length);
    }
    out
}

/// The curly form of a quote behind `before`. An apostrophe between letters follows a letter, so it closes as well.
fn curled(plain: u8, before: &[u8]) -> &'static [u8] {
    let opens = match last_char(before) {
        None => before.is_empty(),
        Some(c) => c.is_whitespace() || matches!(c, '(' | '[' | '{' | '-' | '\u{2010}'..='\u{2015}'),
    };
    let quote = match (plain, opens) {
        (b'\'', true) => "\u{2018}",
        (b'\'', false) => "\u{2019}",
        (_, true) => "\u{201c}",
        (_, false) => "\u{201d}",
    };
    quote.as_bytes()
}

/// The last character of a text; `None` when it has none or does not end in UTF-8.
fn last_char(text: &[u8]) -> Option<char> {
    (1..=text.len().min(4))
        .find_map(|length| core::str::from_utf8(&text[text.len() - length..]).ok())
        .and_then(|tail| tail.chars().next())
}
