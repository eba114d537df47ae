//! Pictures.

use std::io::Cursor;
use std::path::Path;

use document_text::{Content, Document, Limits, Picture, UnitKind};
use image::{DynamicImage, ImageFormat, RgbImage, RgbaImage};

fn encode(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    image.write_to(&mut out, format).unwrap();
    out.into_inner()
}

fn plain(width: u32, height: u32) -> DynamicImage {
    DynamicImage::ImageRgb8(RgbImage::from_fn(width, height, |x, y| image::Rgb([x as u8, y as u8, 7])))
}

#[track_caller]
fn check(name: &str, bytes: &[u8], look: impl FnOnce(&Picture<'_>)) {
    let document = Document::open(Path::new(name), bytes, Limits::STANDARD).unwrap();
    assert_eq!((document.unit(), document.count()), (UnitKind::Picture, 1));
    let part = document.read(1..9).unwrap();
    let Content::Picture(picture) = &part.units[0].content else { panic!("{part:?}") };
    look(picture);
    assert_eq!(part.next, None);
    assert_eq!(document.read(2..9).unwrap().units.len(), 0);
}

#[test]
fn a_small_picture_is_passed_on_as_it_is() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
        let bytes = encode(&plain(20, 10), format);
        // The name does not matter.
        check("a.jpg", &bytes, |it| {
            assert_eq!(it.bytes.as_ref(), bytes);
            assert_eq!(
                (it.mime, it.width, it.height, it.original),
                (format.to_mime_type(), 20, 10, (20, 10))
            );
        });
    }
}

#[test]
fn a_large_picture_is_made_smaller() {
    let bytes = encode(&plain(4000, 1000), ImageFormat::Png);
    check("a.png", &bytes, |it| {
        assert_eq!((it.mime, it.width, it.height, it.original), ("image/jpeg", 2000, 500, (4000, 1000)));
        let again = image::load_from_memory(&it.bytes).unwrap();
        assert_eq!((again.width(), again.height()), (2000, 500));
    });
    let clear = DynamicImage::ImageRgba8(RgbaImage::from_pixel(100, 3000, image::Rgba([1, 2, 3, 4])));
    check("a.png", &encode(&clear, ImageFormat::Png), |it| {
        assert_eq!((it.mime, it.width, it.height), ("image/png", 67, 2000));
    });
}

#[test]
fn a_picture_is_turned_upright() {
    // An Exif segment with the one tag that says: turn by 90 degrees.
    let exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let jpeg = encode(&plain(20, 10), ImageFormat::Jpeg);
    let length = (exif.len() + 2) as u16;
    let turned = [&jpeg[..2], b"\xff\xe1", &length.to_be_bytes(), exif, &jpeg[2..]].concat();
    check("a.jpg", &turned, |it| {
        assert_eq!((it.mime, it.width, it.height, it.original), ("image/jpeg", 10, 20, (20, 10)));
    });
}

#[test]
fn limits_come_before_decoding() {
    let limits = Limits { max_picture_bytes: 100, ..Limits::STANDARD };
    let bytes = encode(&plain(50, 50), ImageFormat::Png);
    let error = Document::open(Path::new("a.png"), &bytes, limits).unwrap_err();
    assert_eq!(error.code(), "picture_too_large");
    let limits = Limits { max_picture_pixels: 2499, ..Limits::STANDARD };
    let error = Document::open(Path::new("a.png"), &bytes, limits).unwrap_err();
    assert!(error.to_string().contains("50 x 50 pixels"), "{error}");
}
