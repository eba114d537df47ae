//! Pages, slides and lines of documents, pictures, and what is said in sound.

use document_text::{Class as Kind, Format};
use redact::LineRedactor;

use super::text::more;
use super::{Piece, ReadEntry, binary, no_around};
use crate::documents::{DocumentError, DocumentPart, DocumentRequest};
use crate::error::{Class, ToolError};
use crate::gate::OpenFile;
use crate::limits;
use crate::render::echo;
use crate::tool::Image;
use crate::transcribe::Sound;
use crate::workspace::Workspace;

/// Extensions that promise a document or a picture: over another content they are an error that says so.
const PROMISES: [&str; 8] = ["pdf", "docx", "pptx", "png", "jpg", "jpeg", "gif", "webp"];

/// Whether a file that is text, or nothing, has the name of a document or a picture.
pub(super) fn is_promised(name: &std::path::Path) -> bool {
    let extension = name.extension().map(|extension| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| PROMISES.iter().any(|promised| extension == *promised))
}

/// Whether there is a way to read such a file.
pub(super) fn is_readable(format: Format) -> bool {
    matches!(format.class(), Kind::Document | Kind::Image | Kind::Audio | Kind::Video)
}

/// Reads what is no plain text.
pub(super) fn read(
    workspace: &Workspace,
    file: &OpenFile<'_>,
    content: &[u8],
    entry: &ReadEntry,
    format: Option<Format>,
) -> Result<Piece, ToolError> {
    match format {
        Some(format) if matches!(format.class(), Kind::Audio | Kind::Video) => {
            no_around(entry, format.name())?;
            sound(workspace, file, content, entry, format)
        }
        Some(format) if !is_readable(format) => binary(entry, file, format),
        _ => {
            no_around(entry, format.map_or("a document", Format::name))?;
            document(workspace, file, content, entry, format)
        }
    }
}

fn sound(
    workspace: &Workspace,
    file: &OpenFile<'_>,
    content: &[u8],
    entry: &ReadEntry,
    format: Format,
) -> Result<Piece, ToolError> {
    let name = file.base_name().to_string_lossy();
    let sound = Sound { name: &name, mime: format.mime(), bytes: content };
    let text = workspace.transcriber().transcribe(&sound).map_err(|error| error.at(echo(&entry.path)))?;
    let (masked, _) = mask(workspace, &text);
    Ok(Piece::text(format!("[transcript of {}]\n{masked}", echo(&entry.path))))
}

fn document(
    workspace: &Workspace,
    file: &OpenFile<'_>,
    content: &[u8],
    entry: &ReadEntry,
    format: Option<Format>,
) -> Result<Piece, ToolError> {
    let is_picture = format.is_some_and(|format| format.class() == Kind::Image);
    if is_picture && content.len() > limits::IMAGE_BYTES {
        return Err(ToolError::new(
            Class::Limit,
            "image_too_large",
            format!("the image has {} bytes; the limit is {}", content.len(), limits::IMAGE_BYTES),
        )
        .at(echo(&entry.path))
        .hint("make a smaller copy of it, or show it to the user with open_file"));
    }
    let request = DocumentRequest {
        name: file.base_name(),
        bytes: content,
        first: entry.offset(),
        count: entry.limit(),
        max_bytes: limits::BATCH_READ_BYTES,
    };
    let part = workspace.documents().read(&request).map_err(|error| failed(&error, entry))?;
    if is_picture { Ok(pictures(part, entry)) } else { Ok(Piece::text(units(workspace, &part, entry))) }
}

fn failed(error: &DocumentError, entry: &ReadEntry) -> ToolError {
    ToolError::new(error.class(), error.code.clone(), error.message.clone())
        .at(echo(&entry.path))
        .hint(error.hint())
}

/// Pictures go beside the text, which names them.
fn pictures(part: DocumentPart, entry: &ReadEntry) -> Piece {
    let mut piece = Piece::text(String::new());
    for picture in part.units.into_iter().filter_map(|unit| unit.picture) {
        let smaller = if picture.original == (picture.width, picture.height) {
            String::new()
        } else {
            format!(", shown at {}x{}", picture.width, picture.height)
        };
        piece.text.push_str(&format!(
            "[image {}: {}, {}x{}{smaller}]",
            echo(&entry.path),
            picture.mime,
            picture.original.0,
            picture.original.1
        ));
        piece.images.push(Image { mime: picture.mime, bytes: picture.bytes });
    }
    piece
}

/// Pages, slides or lines as text.
fn units(workspace: &Workspace, part: &DocumentPart, entry: &ReadEntry) -> String {
    let (first, count) = (entry.offset(), part.count);
    let plural = format!("{}s", part.unit);
    if count == 0 {
        return format!("[{} has no {plural}]", echo(&entry.path));
    }
    if first > count {
        return format!("[offset {first} exceeds {count} {plural} of {}]", echo(&entry.path));
    }
    let by_line = part.unit == "line";
    let mut text = String::new();
    let (mut last, mut masked) = (first - 1, 0);
    let mut redactor = LineRedactor::new(workspace.redactor());
    for unit in &part.units {
        if by_line {
            let line = redactor.line(unit.text.as_bytes());
            masked += usize::from(line != unit.text.as_bytes());
            text.push_str(&format!("{}\t{}\n", unit.number, String::from_utf8_lossy(&line)));
        } else {
            let note = unit.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
            text.push_str(&format!("--- {} {}/{count}{note} ---\n", part.unit, unit.number));
            for line in unit.text.lines() {
                let shown = redactor.line(line.as_bytes());
                masked += usize::from(shown != line.as_bytes());
                text.push_str(&String::from_utf8_lossy(&shown));
                text.push('\n');
            }
            if unit.cut_bytes > 0 {
                text.push_str(&format!("[{} bytes of this {} are not shown]\n", unit.cut_bytes, part.unit));
            }
            text.push('\n');
        }
        last = unit.number;
    }
    let mut notes = vec![more(first, last, count, &plural)];
    if masked > 0 {
        notes.push(format!("[values masked in {masked} line(s); the file is unchanged]"));
    }
    notes.retain(|note| !note.is_empty());
    text.push_str(&notes.join("\n"));
    text.truncate(text.trim_end_matches('\n').len());
    text
}

/// Masks a text line by line; returns how many lines were masked.
fn mask(workspace: &Workspace, text: &str) -> (String, usize) {
    let mut redactor = LineRedactor::new(workspace.redactor());
    let mut count = 0;
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            let shown = redactor.line(line.as_bytes());
            count += usize::from(shown != line.as_bytes());
            String::from_utf8_lossy(&shown).into_owned()
        })
        .collect();
    (lines.join("\n"), count)
}
