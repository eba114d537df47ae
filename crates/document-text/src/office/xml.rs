//! Events of one XML part, with local names, a bound on nesting, and entities resolved.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::error::Error;
use crate::format::Format;

/// The names that mean something here; all others are one, so that no name has to be kept.
const NAMES: &[&str] = &[
    "AlternateContent",
    "Fallback",
    "Relationship",
    "abstractNum",
    "b",
    "body",
    "br",
    "comment",
    "commentReference",
    "cr",
    "del",
    "endnote",
    "endnoteReference",
    "fld",
    "footnote",
    "footnoteReference",
    "footnotePr",
    "gridSpan",
    "instrText",
    "lvl",
    "moveFrom",
    "name",
    "noBreakHyphen",
    "numId",
    "numPr",
    "outlineLvl",
    "p",
    "pPr",
    "pStyle",
    "ph",
    "ptab",
    "r",
    "rPr",
    "sld",
    "sldId",
    "softHyphen",
    "sp",
    "style",
    "sym",
    "t",
    "tab",
    "tabs",
    "tbl",
    "tc",
    "tr",
    "txBody",
    "txbxContent",
    "vMerge",
    "delText",
    "graphicFrame",
];

/// One event.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// An element begins; an empty one ends at once.
    Open(&'static str),
    /// An element ends.
    Close(&'static str),
    /// Characters.
    Text(String),
}

pub(super) struct Xml<'x> {
    format: Format,
    reader: Reader<&'x [u8]>,
    start: Option<BytesStart<'x>>,
    /// An empty element is open, and its end is the next event.
    pending: Option<&'static str>,
    depth: usize,
    max_depth: usize,
}

impl<'x> Xml<'x> {
    pub(super) fn new(format: Format, bytes: &'x [u8], max_depth: usize) -> Result<Self, Error> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
            return Err(Error::Broken { format, why: "a part is in UTF-16, which is not supported" });
        }
        let mut reader = Reader::from_reader(bytes);
        reader.config_mut().check_end_names = true;
        reader.config_mut().allow_dangling_amp = true;
        Ok(Xml { format, reader, start: None, pending: None, depth: 0, max_depth })
    }

    /// The next event, or `None` at the end of the part. A part that ends inside an element is taken as far as it goes.
    pub(super) fn next(&mut self) -> Result<Option<Node>, Error> {
        if let Some(name) = self.pending.take() {
            return Ok(Some(Node::Close(name)));
        }
        loop {
            let event = self.reader.read_event();
            let event =
                event.map_err(|_| Error::Broken { format: self.format, why: "a part is not valid XML" })?;
            return Ok(Some(match event {
                Event::Start(start) => {
                    self.depth += 1;
                    if self.depth > self.max_depth {
                        let (format, max) = (self.format, self.max_depth);
                        return Err(Error::TooMany { format, what: "elements in each other", max });
                    }
                    let name = known(start.local_name().as_ref());
                    self.start = Some(start);
                    Node::Open(name)
                }
                Event::Empty(start) => {
                    let name = known(start.local_name().as_ref());
                    self.start = Some(start);
                    self.pending = Some(name);
                    Node::Open(name)
                }
                Event::End(end) => {
                    self.depth = self.depth.saturating_sub(1);
                    Node::Close(known(end.local_name().as_ref()))
                }
                Event::Text(text) => Node::Text(text.into_inner().into_owned()),
                Event::CData(text) => Node::Text(text.into_inner().into_owned()),
                Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                    Ok(Some(it)) => Node::Text(it.to_string()),
                    _ => match entity(reference.into_inner().as_ref()) {
                        Some(it) => Node::Text(it.to_owned()),
                        // No document type is read, so no other entity can be declared.
                        None => continue,
                    },
                },
                Event::Eof => return Ok(None),
                _ => continue,
            }));
        }
    }

    /// An attribute of the element that began last, by its local name.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        self.attributes(|it| it.rsplit(':').next() == Some(name))
    }

    /// The same by its full name, for two that differ in their prefix alone.
    pub(super) fn attribute_named(&self, name: &str) -> Option<String> {
        self.attributes(|it| it == name)
    }

    fn attributes(&self, is_it: impl Fn(&str) -> bool) -> Option<String> {
        let start = self.start.as_ref()?;
        let found = start.attributes().with_checks(false).flatten().find(|it| is_it(it.key.as_ref()))?;
        Some(found.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned())
    }

    /// Passes over the element that began last.
    pub(super) fn skip(&mut self) -> Result<(), Error> {
        let mut depth = 1;
        while depth > 0 {
            match self.next()? {
                Some(Node::Open(_)) => depth += 1,
                Some(Node::Close(_)) => depth -= 1,
                Some(Node::Text(_)) => {}
                None => return Ok(()),
            }
        }
        Ok(())
    }
}

fn known(name: &str) -> &'static str {
    NAMES.iter().find(|it| **it == name).copied().unwrap_or("")
}

fn entity(name: &str) -> Option<&'static str> {
    Some(match name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "apos" => "'",
        "quot" => "\"",
        _ => return None,
    })
}
