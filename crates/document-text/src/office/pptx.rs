//! Slides of a PPTX, in the order of the deck, each with its notes.

use std::ops::Range;

use super::package::Package;
use super::xml::{Node, Xml};
use crate::error::Error;
use crate::format::Format;
use crate::guard;
use crate::limits::Limits;
use crate::unit::Note;

/// An open presentation: the names of its slides.
#[derive(Clone, Debug)]
pub(crate) struct Deck<'d> {
    bytes: &'d [u8],
    limits: Limits,
    slides: Vec<String>,
}

/// What one slide says.
#[derive(Clone, Debug)]
pub(crate) struct Slide {
    pub(crate) text: String,
    pub(crate) note: Option<Note>,
}

impl<'d> Deck<'d> {
    pub(crate) fn open(bytes: &'d [u8], limits: &Limits) -> Result<Self, Error> {
        guard::run(Format::Pptx, || Self::list(bytes, limits))
    }

    fn list(bytes: &'d [u8], limits: &Limits) -> Result<Self, Error> {
        let mut package = Package::open(Format::Pptx, bytes, limits)?;
        let main = package.main_part("ppt/presentation.xml")?;
        let Some(list) = package.part(&main)? else {
            return Err(Error::MissingPart { format: Format::Pptx, part: "ppt/presentation.xml" });
        };
        let relations = package.relations(&main)?;
        let mut slides = Vec::new();
        let mut xml = Xml::new(Format::Pptx, &list, limits.max_depth)?;
        while let Some(node) = xml.next()? {
            // Two attributes are called `id`; the one with a prefix names the relation.
            if node == Node::Open("sldId")
                && let Some(relation) = xml.attribute_named("r:id").and_then(|it| relations.get(&it))
            {
                slides.push(relation.target.clone());
            }
            if slides.len() > limits.max_entries {
                return Err(Error::TooMany { format: Format::Pptx, what: "slides", max: limits.max_entries });
            }
        }
        Ok(Deck { bytes, limits: *limits, slides })
    }

    pub(crate) fn count(&self) -> u64 {
        self.slides.len() as u64
    }

    /// The slides of `range`, counted from 0, each unpacked when it is asked for.
    pub(crate) fn from(&self, range: Range<u64>) -> impl Iterator<Item = Slide> {
        let start = usize::try_from(range.start).unwrap_or(usize::MAX).min(self.slides.len());
        let mut package = None;
        self.slides[start..].iter().map(move |name| {
            let slide = guard::run(Format::Pptx, || {
                let package = match &mut package {
                    Some(package) => package,
                    None => package.insert(Package::open(Format::Pptx, self.bytes, &self.limits)?),
                };
                slide(package, name)
            });
            slide.unwrap_or_else(|error| Slide { text: String::new(), note: Some(Note::Unreadable(error)) })
        })
    }
}

fn slide(package: &mut Package<'_>, name: &str) -> Result<Slide, Error> {
    let Some(bytes) = package.part(name)? else {
        return Err(Error::MissingPart { format: Format::Pptx, part: "such slide" });
    };
    let (mut text, is_hidden) = shapes(package, &bytes, Skip::Nothing)?;
    let notes = package.relations(name)?.into_values().find(|it| it.kind == "notesSlide");
    if let Some(notes) = notes
        && let Some(bytes) = package.part(&notes.target)?
    {
        let (notes, _) = shapes(package, &bytes, Skip::Frame)?;
        if !notes.trim().is_empty() {
            text.push_str("notes:\n");
            text.push_str(&notes);
        }
    }
    let note = match text.trim().is_empty() {
        _ if is_hidden => Some(Note::Hidden),
        true => Some(Note::Blank),
        false => None,
    };
    Ok(Slide { text, note })
}

/// Which shapes are left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Skip {
    Nothing,
    /// The number, date, header and footer of a page of notes.
    Frame,
}

/// The text of the shapes of one part, and whether the slide is hidden.
fn shapes(package: &Package<'_>, bytes: &[u8], skip: Skip) -> Result<(String, bool), Error> {
    let mut xml = Xml::new(Format::Pptx, bytes, package.limits.max_depth)?;
    let mut it = Shapes::default();
    let mut is_hidden = false;
    while let Some(node) = xml.next()? {
        match node {
            Node::Open("sld") => {
                is_hidden = xml.attribute("show").is_some_and(|it| it == "0" || it == "false")
            }
            Node::Open("Fallback") => xml.skip()?,
            Node::Open("sp") => it.role = Role::Body,
            Node::Open("ph") => {
                it.role = match xml.attribute("type").as_deref() {
                    Some("title" | "ctrTitle") => Role::Title,
                    Some("sldNum" | "dt" | "hdr" | "ftr" | "sldImg") if skip == Skip::Frame => Role::Frame,
                    _ => Role::Body,
                };
            }
            Node::Open("t") => it.in_text = true,
            Node::Close("t") => it.in_text = false,
            Node::Open("br") => it.push("\n"),
            Node::Open("tab") if it.in_run => it.push("\t"),
            Node::Open("r" | "fld") => it.in_run = true,
            Node::Close("r" | "fld") => it.in_run = false,
            Node::Open("tc") => it.cell = Some(String::new()),
            Node::Close("tc") => it.end_cell(),
            Node::Close("tr") => it.end_row(),
            Node::Close("p") => it.end_paragraph(),
            Node::Close("sp") => it.role = Role::Body,
            Node::Text(text) if it.in_text => it.push(&text),
            _ => {}
        }
    }
    it.end_paragraph();
    it.end_row();
    Ok((it.text, is_hidden))
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Role {
    #[default]
    Body,
    Title,
    Frame,
}

#[derive(Default)]
struct Shapes {
    text: String,
    paragraph: String,
    cell: Option<String>,
    row: Vec<String>,
    role: Role,
    in_text: bool,
    in_run: bool,
}

impl Shapes {
    fn push(&mut self, text: &str) {
        self.paragraph.push_str(text);
    }

    fn end_paragraph(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        if paragraph.trim().is_empty() || self.role == Role::Frame {
            return;
        }
        match &mut self.cell {
            Some(cell) => {
                if !cell.is_empty() {
                    cell.push(' ');
                }
                cell.push_str(&paragraph.replace(['\n', '\t'], " "));
            }
            None => {
                if self.role == Role::Title {
                    self.text.push_str("# ");
                }
                self.text.push_str(&paragraph);
                self.text.push('\n');
            }
        }
    }

    fn end_cell(&mut self) {
        self.end_paragraph();
        self.row.extend(self.cell.take());
    }

    fn end_row(&mut self) {
        if !self.row.is_empty() {
            self.text.push_str(&std::mem::take(&mut self.row).join("\t"));
            self.text.push('\n');
        }
    }
}
