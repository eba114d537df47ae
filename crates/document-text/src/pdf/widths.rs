//! Widths of letters: they decide where one word ends and the next one begins.

use pdf_extract::{Dictionary, Document, Object};

/// The most widths that one font states in its own right.
const MAX_WIDTHS: usize = 70_000;

/// The widths of all 256 codes, in thousandths; `None` when the font states none.
pub(super) fn simple(
    file: &Document,
    font: &Dictionary,
    descriptor: Option<&Dictionary>,
) -> Option<Vec<Object>> {
    let stated = font.get_deref(b"Widths", file).and_then(Object::as_array).ok()?;
    let missing =
        descriptor.and_then(|it| it.get_deref(b"MissingWidth", file).and_then(Object::as_float).ok());
    let widths = spread(file, font, stated, missing.unwrap_or(0.0));
    Some(widths.into_iter().map(Object::Real).collect())
}

/// The same for a font that draws its letters: its matrix says what a unit is.
pub(super) fn drawn(file: &Document, font: &Dictionary) -> Vec<Object> {
    let matrix = font.get_deref(b"FontMatrix", file).and_then(Object::as_array).ok();
    let unit = matrix.and_then(|it| it.first()?.as_float().ok()).unwrap_or(0.001).abs();
    let stated = font.get_deref(b"Widths", file).and_then(Object::as_array).map_or(&[][..], Vec::as_slice);
    spread(file, font, stated, 0.0).into_iter().map(|it| Object::Real(it * unit * 1000.0)).collect()
}

fn spread(file: &Document, font: &Dictionary, stated: &[Object], missing: f32) -> [f32; 256] {
    let first = font.get_deref(b"FirstChar", file).and_then(Object::as_i64).unwrap_or(0);
    let mut widths = [missing; 256];
    for (at, width) in stated.iter().take(256).enumerate() {
        let place = usize::try_from(first.saturating_add(at as i64)).ok();
        if let (Some(slot), Some(width)) = (place.and_then(|it| widths.get_mut(it)), value(file, width)) {
            *slot = width;
        }
    }
    widths
}

/// The table of a font with codes of several bytes, with each range written out: `c [w w ...]`.
pub(super) fn composite(file: &Document, list: &[Object]) -> Vec<Object> {
    let mut out = Vec::new();
    let mut left = MAX_WIDTHS;
    let mut rest = list;
    while let [first, second, ..] = rest {
        let Some(from) = value(file, first).map(|it| it as i64).filter(|it| (0..=0xffff).contains(it)) else {
            break;
        };
        let widths: Vec<Object> = match resolved(file, second) {
            Object::Array(widths) => {
                rest = &rest[2..];
                widths.iter().take(left).map(|it| Object::Real(value(file, it).unwrap_or(0.0))).collect()
            }
            second => {
                let Some(to) =
                    value(file, second).map(|it| it as i64).filter(|it| (from..=0xffff).contains(it))
                else {
                    break;
                };
                let Some(width) = rest.get(2).and_then(|it| value(file, it)) else { break };
                rest = &rest[3..];
                let count = usize::try_from(to - from + 1).unwrap_or(0).min(left);
                vec![Object::Real(width); count]
            }
        };
        left -= widths.len();
        out.push(Object::Integer(from));
        out.push(Object::Array(widths));
        if left == 0 {
            break;
        }
    }
    out
}

fn resolved<'f>(file: &'f Document, object: &'f Object) -> &'f Object {
    file.dereference(object).map_or(&Object::Null, |it| it.1)
}

fn value(file: &Document, object: &Object) -> Option<f32> {
    resolved(file, object).as_float().ok().filter(|it| it.is_finite())
}

/// The font among those that every reader has whose letters are about as wide.
pub(super) fn core_font(name: &str) -> &'static str {
    const CORE: &[&str] = &[
        "Courier-BoldOblique",
        "Courier-Oblique",
        "Courier-Bold",
        "Courier",
        "Helvetica-BoldOblique",
        "Helvetica-Oblique",
        "Helvetica-Bold",
        "Times-BoldItalic",
        "Times-Italic",
        "Times-Bold",
        "Times-Roman",
        "ZapfDingbats",
        "Symbol",
    ];
    let is_core = CORE.iter().find(|it| **it == name);
    match is_core {
        Some(core) => core,
        None if name.contains("Courier") || name.contains("Mono") => "Courier",
        None if name.contains("Times") || name.contains("Serif") => "Times-Roman",
        None => "Helvetica",
    }
}
