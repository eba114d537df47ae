//! DOCX and PPTX without the feature `office`.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::ops::Range;

use crate::error::Error;
use crate::format::Format;
use crate::limits::Limits;
use crate::unit::Note;

/// Never exists.
#[derive(Clone, Debug)]
pub(crate) struct Deck<'d> {
    never: Infallible,
    bytes: PhantomData<&'d [u8]>,
}

/// Never exists.
pub(crate) struct Slide {
    pub(crate) text: String,
    pub(crate) note: Option<Note>,
}

pub(crate) fn docx(bytes: &[u8], _: &Limits) -> Result<String, Error> {
    Err(Error::Disabled { format: Format::Docx, feature: "office", bytes: bytes.len() })
}

impl<'d> Deck<'d> {
    pub(crate) fn open(bytes: &'d [u8], _: &Limits) -> Result<Self, Error> {
        Err(Error::Disabled { format: Format::Pptx, feature: "office", bytes: bytes.len() })
    }

    pub(crate) fn count(&self) -> u64 {
        match self.never {}
    }

    pub(crate) fn from(&self, _: Range<u64>) -> impl Iterator<Item = Slide> {
        let _ = self.bytes;
        match self.never {}
        #[allow(unreachable_code, reason = "says the type of what cannot be reached")]
        std::iter::empty()
    }
}
