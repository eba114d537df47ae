//! The archive: its parts by name, and the relations between them.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::xml::{Node, Xml};
use crate::error::Error;
use crate::format::Format;
use crate::limits::Limits;

/// An open archive. What its parts unpack to is counted, together, over its whole life.
pub(super) struct Package<'d> {
    pub(super) format: Format,
    pub(super) limits: Limits,
    archive: ZipArchive<Cursor<&'d [u8]>>,
    left: usize,
}

/// One relation of a part to another.
pub(super) struct Relation {
    /// The last word of its kind: `slide`, `notesSlide`, `footnotes`.
    pub(super) kind: String,
    /// The name of the other part in the archive.
    pub(super) target: String,
}

impl<'d> Package<'d> {
    pub(super) fn open(format: Format, bytes: &'d [u8], limits: &Limits) -> Result<Self, Error> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| explain(format, &error))?;
        if archive.len() > limits.max_entries {
            return Err(Error::TooMany { format, what: "files", max: limits.max_entries });
        }
        Ok(Package { format, limits: *limits, archive, left: limits.max_unpacked_bytes })
    }

    /// The bytes of a part; `None` when there is no such part.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let format = self.format;
        let max = self.left.min(self.limits.max_unpacked_bytes / 2);
        let entry = match self.archive.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(explain(format, &error)),
        };
        let mut bytes = Vec::new();
        // What the header says about the size is a claim.
        let read = entry.take(max as u64 + 1).read_to_end(&mut bytes);
        if bytes.len() > max {
            return Err(Error::Bomb { format, what: "a part", max });
        }
        read.map_err(|_| Error::Broken { format, why: "a part is damaged" })?;
        self.left -= bytes.len();
        Ok(Some(bytes))
    }

    /// The relations of a part by id; none when it has no list of them.
    pub(super) fn relations(&mut self, part: &str) -> Result<HashMap<String, Relation>, Error> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let list = if folder.is_empty() {
            format!("_rels/{file}.rels")
        } else {
            format!("{folder}/_rels/{file}.rels")
        };
        let mut relations = HashMap::new();
        let Some(bytes) = self.part(&list)? else { return Ok(relations) };
        let mut xml = Xml::new(self.format, &bytes, self.limits.max_depth)?;
        while let Some(node) = xml.next()? {
            let Node::Open("Relationship") = node else { continue };
            if xml.attribute("TargetMode").as_deref() == Some("External") {
                continue;
            }
            let (Some(id), Some(kind), Some(target)) =
                (xml.attribute("Id"), xml.attribute("Type"), xml.attribute("Target"))
            else {
                continue;
            };
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            relations.insert(id, Relation { kind, target: resolve(folder, &target) });
        }
        Ok(relations)
    }

    /// The part that everything starts from.
    pub(super) fn main_part(&mut self, usual: &str) -> Result<String, Error> {
        let relations = self.relations("")?;
        let main = relations.into_values().find(|it| it.kind == "officeDocument");
        Ok(main.map_or_else(|| usual.to_owned(), |it| it.target))
    }
}

/// A target is relative to the folder of the part, or starts at the root.
fn resolve(folder: &str, target: &str) -> String {
    let joined = match target.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None => format!("{folder}/{target}"),
    };
    let mut parts = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn explain(format: Format, error: &ZipError) -> Error {
    match error {
        ZipError::InvalidPassword => Error::Encrypted { format },
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => Error::Encrypted { format },
        ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => {
            Error::Broken { format, why: "its parts are packed in a way that is not supported" }
        }
        _ => Error::Broken { format, why: "the archive is damaged or cut off" },
    }
}
