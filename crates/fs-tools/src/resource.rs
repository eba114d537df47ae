//! Whole files for hosts that attach them to a conversation: masked like every page, bounded, opened by the same gate.

use std::path::Path;

use document_text::Kind;
use sandbox_policy::Op;

use crate::error::{Class, ToolError};
use crate::gate::OpenFile;
use crate::limits;
use crate::render::{self, Guard, mask_window};
use crate::tool::{Call, Image};
use crate::workspace::Workspace;

/// A whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Resource {
    /// Media type.
    pub mime: String,
    /// What is in it.
    pub content: Content,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// Text, with credentials masked and invisible characters stripped.
    Text(String),
    /// A picture as it is in the file.
    Picture(Image),
}

impl Workspace {
    /// Reads a whole file: a text, or a picture.
    ///
    /// # Errors
    ///
    /// Those of every read; `file_too_large` above 1 MiB of text or 5 MiB of a picture, and `binary_file` for anything
    /// else.
    pub fn resource(&self, path: &str, call: &Call<'_>) -> Result<Resource, ToolError> {
        call.check()?;
        let file = self.gate().open_file(Op::Read, path, call)?;
        let head = file.read_range(0..file.size().min(document_text::SEARCH_SNIFF_BYTES as u64))?;
        match document_text::classify(Path::new(file.base_name()), &head) {
            Kind::Binary(format) if format.class() == document_text::Class::Image => {
                let bytes = whole(&file, path, limits::PICTURE_BYTES)?;
                let mime = format.mime().to_owned();
                Ok(Resource { mime: mime.clone(), content: Content::Picture(Image { mime, bytes }) })
            }
            Kind::Binary(format) => Err(ToolError::new(
                Class::Usage,
                "binary_file",
                format!("the file is binary ({}, {} bytes)", format.name(), file.size()),
            )
            .at(render::echo(path))
            .hint("only text and pictures can be attached")),
            Kind::Text(encoding) if encoding.name().starts_with("UTF-16") => {
                let bytes = whole(&file, path, limits::RESOURCE_BYTES)?;
                Ok(self.text(document_text::decode(&bytes, encoding).text.as_bytes()))
            }
            _ => Ok(self.text(&whole(&file, path, limits::RESOURCE_BYTES)?)),
        }
    }

    fn text(&self, bytes: &[u8]) -> Resource {
        let masked = mask_window(self.redactor(), bytes, 0..bytes.len());
        let text = String::from_utf8_lossy(&masked.text);
        let clean = render::clean(&text, Guard::None).into_owned();
        Resource { mime: "text/plain".into(), content: Content::Text(clean) }
    }
}

fn whole(file: &OpenFile<'_>, path: &str, limit: u64) -> Result<Vec<u8>, ToolError> {
    let size = file.size();
    if size > limit {
        return Err(ToolError::new(
            Class::Limit,
            "file_too_large",
            format!("the file has {size} bytes; {limit} can be attached"),
        )
        .at(render::echo(path))
        .hint("read it in parts with the tool that reads files"));
    }
    file.read_range(0..size)
}
