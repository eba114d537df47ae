//! PDF without the feature `pdf`.

use std::ops::Range;

use crate::error::Error;
use crate::format::Format;
use crate::limits::Limits;
use crate::unit::Note;

/// Never exists.
#[derive(Clone, Debug)]
pub(crate) enum Pages {}

/// Never exists.
pub(crate) struct Page {
    pub(crate) text: String,
    pub(crate) note: Option<Note>,
}

impl Pages {
    pub(crate) fn open(bytes: &[u8], _: &Limits) -> Result<Self, Error> {
        Err(Error::Disabled { format: Format::Pdf, feature: "pdf", bytes: bytes.len() })
    }

    pub(crate) fn count(&self) -> u64 {
        match *self {}
    }

    pub(crate) fn from(&self, _: Range<u64>) -> impl Iterator<Item = Page> {
        match *self {}
        #[allow(unreachable_code, reason = "says the type of what cannot be reached")]
        std::iter::empty()
    }
}
