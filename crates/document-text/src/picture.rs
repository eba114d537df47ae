//! Pictures: looked at by their header, and made smaller where they are large.

use std::borrow::Cow;
use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader};

use crate::document::Picture;
use crate::error::Error;
use crate::format::Format;
use crate::guard;
use crate::limits::Limits;

/// Good enough to read small print, at a third of the size of the best.
const JPEG_QUALITY: u8 = 85;

/// What decoding may allocate: four bytes for each pixel that is allowed, and as much again for the decoder.
const BYTES_PER_PIXEL: u64 = 5;

/// The size that the header declares, without decoding.
pub(crate) fn size(format: Format, bytes: &[u8], limits: &Limits) -> Result<(u32, u32), Error> {
    if bytes.len() > limits.max_picture_bytes {
        return Err(too_large(format, (0, 0), bytes.len(), limits));
    }
    guard::run(format, || {
        let (width, height) = ImageReader::with_format(Cursor::new(bytes), codec(format))
            .into_dimensions()
            .map_err(|it| explain(format, &it))?;
        if u64::from(width) * u64::from(height) > limits.max_picture_pixels {
            return Err(too_large(format, (width, height), bytes.len(), limits));
        }
        if width == 0 || height == 0 {
            return Err(Error::Broken { format, why: "it has no pixels" });
        }
        Ok((width, height))
    })
}

/// The picture as it is to be shown: upright, and no larger than the limit.
pub(crate) fn read<'d>(format: Format, bytes: &'d [u8], limits: &Limits) -> Result<Picture<'d>, Error> {
    let original = size(format, bytes, limits)?;
    guard::run(format, || {
        let broken = |it: ImageError| explain(format, &it);
        let mut reader = ImageReader::with_format(Cursor::new(bytes), codec(format));
        let mut bounds = image::Limits::default();
        bounds.max_alloc = Some(limits.max_picture_pixels.saturating_mul(BYTES_PER_PIXEL));
        reader.limits(bounds);
        let mut decoder = reader.into_decoder().map_err(broken)?;
        let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
        let edge = limits.max_picture_edge;
        if orientation == Orientation::NoTransforms && original.0.max(original.1) <= edge {
            return Ok(Picture {
                mime: format.mime(),
                bytes: Cow::Borrowed(bytes),
                width: original.0,
                height: original.1,
                original,
            });
        }
        let mut pixels = DynamicImage::from_decoder(decoder).map_err(broken)?;
        if original.0.max(original.1) > edge {
            pixels = pixels.thumbnail(edge, edge);
        }
        pixels.apply_orientation(orientation);
        let (width, height) = (pixels.width(), pixels.height());
        let (mime, bytes) = encode(&pixels).map_err(broken)?;
        Ok(Picture { mime, bytes: Cow::Owned(bytes), width, height, original })
    })
}

fn encode(pixels: &DynamicImage) -> Result<(&'static str, Vec<u8>), ImageError> {
    let mut out = Vec::new();
    if pixels.color().has_alpha() {
        DynamicImage::ImageRgba8(pixels.to_rgba8()).write_with_encoder(PngEncoder::new(&mut out))?;
        return Ok((Format::Png.mime(), out));
    }
    let encoder = JpegEncoder::new_with_quality(&mut out, JPEG_QUALITY);
    DynamicImage::ImageRgb8(pixels.to_rgb8()).write_with_encoder(encoder)?;
    Ok((Format::Jpeg.mime(), out))
}

fn codec(format: Format) -> ImageFormat {
    match format {
        Format::Jpeg => ImageFormat::Jpeg,
        Format::Gif => ImageFormat::Gif,
        Format::Webp => ImageFormat::WebP,
        _ => ImageFormat::Png,
    }
}

fn too_large(format: Format, (width, height): (u32, u32), bytes: usize, limits: &Limits) -> Error {
    let (max_pixels, max_bytes) = (limits.max_picture_pixels, limits.max_picture_bytes);
    Error::PictureTooLarge { format, width, height, bytes, max_pixels, max_bytes }
}

/// What the decoder says may quote the file, so it is put in words of our own.
fn explain(format: Format, error: &ImageError) -> Error {
    let why = match error {
        ImageError::Limits(_) => "decoding it takes more memory than is allowed",
        ImageError::Unsupported(_) => "it uses a feature of the format that is not supported",
        _ => "it is damaged or cut off",
    };
    Error::Broken { format, why }
}
