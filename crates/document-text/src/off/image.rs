//! Pictures without the feature `image`.

use crate::document::Picture;
use crate::error::Error;
use crate::format::Format;
use crate::limits::Limits;

pub(crate) fn size(format: Format, bytes: &[u8], _: &Limits) -> Result<(u32, u32), Error> {
    Err(Error::Disabled { format, feature: "image", bytes: bytes.len() })
}

pub(crate) fn read<'d>(format: Format, bytes: &'d [u8], _: &Limits) -> Result<Picture<'d>, Error> {
    Err(Error::Disabled { format, feature: "image", bytes: bytes.len() })
}
