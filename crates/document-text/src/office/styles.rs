//! Which styles of a document are headings.

use std::collections::HashMap;

use super::package::Package;
use super::xml::{Node, Xml};
use crate::error::Error;

/// The level of a heading, from 1, by id of its style.
pub(super) type Headings = HashMap<String, usize>;

/// Reads the styles part. The name of a style is the same in every language; its id is not.
pub(super) fn headings(package: &mut Package<'_>, part: &str) -> Result<Headings, Error> {
    let mut headings = Headings::new();
    let Some(bytes) = package.part(part)? else { return Ok(headings) };
    let mut xml = Xml::new(package.format, &bytes, package.limits.max_depth)?;
    let mut id = None;
    while let Some(node) = xml.next()? {
        match node {
            Node::Open("style") => id = xml.attribute("styleId"),
            Node::Close("style") => id = None,
            Node::Open("name") => {
                if let (Some(id), Some(level)) = (&id, xml.attribute("val").and_then(|it| level(&it))) {
                    headings.insert(id.clone(), level);
                }
            }
            Node::Open("outlineLvl") => {
                let outline = xml.attribute("val").and_then(|it| it.parse::<usize>().ok());
                if let (Some(id), Some(outline @ 0..=8)) = (&id, outline) {
                    headings.entry(id.clone()).or_insert(outline + 1);
                }
            }
            _ => {}
        }
    }
    Ok(headings)
}

fn level(name: &str) -> Option<usize> {
    let name = name.to_ascii_lowercase();
    if name == "title" {
        return Some(1);
    }
    name.strip_prefix("heading ")?.trim().parse().ok().filter(|it| (1..=9).contains(it))
}
