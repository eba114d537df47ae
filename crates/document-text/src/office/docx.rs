//! Lines of a DOCX: the body, then headers, footers, notes and comments under labels.

use std::collections::HashMap;

use super::package::{Package, Relation};
use super::styles::{Headings, headings};
use super::xml::{Node, Xml};
use crate::error::Error;
use crate::format::Format;
use crate::guard;
use crate::limits::Limits;

/// The parts after the body: kind of relation, label, and how an entry is referred to in the body.
const AFTER: &[(&str, &str)] = &[
    ("header", "header"),
    ("footer", "footer"),
    ("footnotes", "footnotes"),
    ("endnotes", "endnotes"),
    ("comments", "comments"),
];

/// Extracts the whole text: one line per paragraph and per row of a table.
pub(crate) fn text(bytes: &[u8], limits: &Limits) -> Result<String, Error> {
    guard::run(Format::Docx, || whole(bytes, limits))
}

fn whole(bytes: &[u8], limits: &Limits) -> Result<String, Error> {
    let mut package = Package::open(Format::Docx, bytes, limits)?;
    let main = package.main_part("word/document.xml")?;
    let relations = package.relations(&main)?;
    let styles = by_kind(&relations, "styles");
    let headings = match styles.first() {
        Some(part) => headings(&mut package, part)?,
        None => Headings::new(),
    };
    let Some(body) = package.part(&main)? else {
        return Err(Error::MissingPart { format: Format::Docx, part: "word/document.xml" });
    };
    let mut text = Body::new(&headings).read(&body, limits)?;
    let mut seen = Vec::new();
    for (kind, label) in AFTER {
        for part in by_kind(&relations, kind) {
            let Some(bytes) = package.part(&part)? else { continue };
            let more = Body::new(&headings).read(&bytes, limits)?;
            // Sections repeat their headers.
            if more.trim().is_empty() || seen.contains(&more) {
                continue;
            }
            text.push_str(&format!("\n[{label}]\n{more}"));
            seen.push(more);
        }
    }
    Ok(text)
}

/// The targets of relations of one kind, in order of their names.
fn by_kind(relations: &HashMap<String, Relation>, kind: &str) -> Vec<String> {
    let mut parts: Vec<String> =
        relations.values().filter(|it| it.kind == kind).map(|it| it.target.clone()).collect();
    parts.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    parts.dedup();
    parts
}

/// What is being collected: a cell, a text box, or the part itself.
#[derive(Default)]
struct Block {
    lines: Vec<String>,
    /// Cells of the row, when the block is a table.
    row: Vec<String>,
    paragraph: Paragraph,
}

#[derive(Default)]
struct Paragraph {
    text: String,
    heading: usize,
    is_item: bool,
    /// Lines of text boxes that are anchored here: they follow.
    after: Vec<String>,
}

struct Body<'h> {
    headings: &'h Headings,
    blocks: Vec<Block>,
    /// Inside `w:t`, whose characters count.
    in_text: bool,
    /// Inside `w:rPr` or a list of tab stops, where `w:tab` is no tab.
    in_properties: usize,
}

impl<'h> Body<'h> {
    fn new(headings: &'h Headings) -> Self {
        Body { headings, blocks: vec![Block::default()], in_text: false, in_properties: 0 }
    }

    fn read(mut self, bytes: &[u8], limits: &Limits) -> Result<String, Error> {
        let mut xml = Xml::new(Format::Docx, bytes, limits.max_depth)?;
        while let Some(node) = xml.next()? {
            match node {
                // Deleted and moved text is not part of the document, and a fallback repeats what stands beside it.
                Node::Open("del" | "moveFrom") if self.in_properties == 0 => xml.skip()?,
                Node::Open("Fallback" | "instrText" | "delText") => xml.skip()?,
                Node::Open(name) => self.open(name, &xml),
                Node::Close(name) => self.close(name),
                Node::Text(it) if self.in_text => self.push(&it),
                Node::Text(_) => {}
            }
        }
        while self.blocks.len() > 1 {
            self.end_cell();
        }
        self.end_paragraph();
        self.end_row();
        let mut text = String::new();
        for line in self.blocks.pop().map(|it| it.lines).unwrap_or_default() {
            text.push_str(&line);
            text.push('\n');
        }
        Ok(text)
    }

    fn open(&mut self, name: &'static str, xml: &Xml<'_>) {
        match name {
            "t" => self.in_text = true,
            "rPr" | "tabs" => self.in_properties += 1,
            "tab" | "ptab" if self.in_properties == 0 => self.push("\t"),
            "br" | "cr" => self.push("\n"),
            "noBreakHyphen" => self.push("-"),
            "sym" => {
                let code = xml.attribute("char").and_then(|it| u32::from_str_radix(&it, 16).ok());
                if let Some(it) = code.and_then(char::from_u32) {
                    self.push(it.encode_utf8(&mut [0; 4]));
                }
            }
            "pStyle" => {
                let level = xml.attribute("val").and_then(|it| self.headings.get(&it).copied());
                if let Some(level) = level {
                    self.paragraph(|it| it.heading = level);
                }
            }
            "outlineLvl" => {
                let level = xml.attribute("val").and_then(|it| it.parse::<usize>().ok());
                if let Some(level @ 0..=8) = level {
                    self.paragraph(|it| it.heading = level + 1);
                }
            }
            "numId" => {
                let is_item = xml.attribute("val").is_some_and(|it| it != "0");
                self.paragraph(|it| it.is_item = is_item);
            }
            "footnoteReference" | "endnoteReference" | "commentReference" => {
                if let Some(id) = xml.attribute("id") {
                    self.push(&format!("[{}{id}]", mark(name)));
                }
            }
            "footnote" | "endnote" | "comment" => {
                let is_rule = xml.attribute("type").is_some_and(|it| it != "normal");
                if let (Some(id), false) = (xml.attribute("id"), is_rule) {
                    self.push(&format!("[{}{id}] ", mark(name)));
                    if let Some(author) = xml.attribute("author").filter(|_| name == "comment") {
                        self.push(&format!("{author}: "));
                    }
                }
            }
            // A table inside a cell is a block of its own as well, which the cell takes in one line.
            "tc" | "txbxContent" => self.blocks.push(Block::default()),
            _ => {}
        }
    }

    fn close(&mut self, name: &'static str) {
        match name {
            "t" => self.in_text = false,
            "rPr" | "tabs" => self.in_properties = self.in_properties.saturating_sub(1),
            "p" => self.end_paragraph(),
            "tc" => self.end_cell(),
            "tr" => self.end_row(),
            "txbxContent" if self.blocks.len() > 1 => {
                self.end_paragraph();
                let lines = self.blocks.pop().map(|it| it.lines).unwrap_or_default();
                self.paragraph(|it| it.after.extend(lines));
            }
            _ => {}
        }
    }

    fn paragraph(&mut self, change: impl FnOnce(&mut Paragraph)) {
        if let Some(block) = self.blocks.last_mut() {
            change(&mut block.paragraph);
        }
    }

    fn push(&mut self, text: &str) {
        self.paragraph(|it| it.text.push_str(text));
    }

    fn end_paragraph(&mut self) {
        let Some(block) = self.blocks.last_mut() else { return };
        let Paragraph { text, heading, is_item, after } = std::mem::take(&mut block.paragraph);
        if !text.is_empty() {
            let head = match (heading, is_item) {
                (1.., _) if !text.trim().is_empty() => format!("{} ", "#".repeat(heading)),
                (_, true) => "- ".to_owned(),
                _ => String::new(),
            };
            block.lines.extend(format!("{head}{text}").split('\n').map(str::to_owned));
        }
        block.lines.extend(after);
    }

    fn end_cell(&mut self) {
        if self.blocks.len() < 2 {
            return;
        }
        self.end_paragraph();
        self.end_row();
        let lines = self.blocks.pop().map(|it| it.lines).unwrap_or_default();
        // A cell is one field of a line.
        let cell = lines.join(" ").replace('\t', " ");
        if let Some(block) = self.blocks.last_mut() {
            block.row.push(cell);
        }
    }

    fn end_row(&mut self) {
        let Some(block) = self.blocks.last_mut() else { return };
        if !block.row.is_empty() {
            let row = std::mem::take(&mut block.row).join("\t");
            block.lines.push(row);
        }
    }
}

/// What tells notes of different kinds apart.
fn mark(name: &str) -> &'static str {
    match name {
        "footnote" | "footnoteReference" => "^",
        "endnote" | "endnoteReference" => "^e",
        _ => "comment ",
    }
}
