//! Pages of a PDF.
//!
//! `lopdf` parses the file and `pdf-extract` knows fonts and the place of every character. Neither is made for files that
//! somebody else wrote with ill will, so they get less to do: streams are measured before anything unpacks them, pages
//! are rewritten to the few operators that show text (forms are inlined, so nothing recurses), and fonts are
//! reduced to entries of the right type. What panics all the same costs one page, not the document.

mod content;
mod font;
mod layout;
mod load;
mod widths;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};

use crate::error::Error;
use crate::format::Format;
use crate::guard;
use crate::limits::Limits;
use crate::unit::Note;
use content::{Flat, Prepared};
use font::Care;
use layout::Layout;

/// Pages that share one pass over their fonts: the first one alone, so that it comes at once, then more and more.
const MAX_BATCH: usize = 32;

/// An open PDF.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    file: Arc<Mutex<Document>>,
    ids: Arc<[ObjectId]>,
    max_page_bytes: usize,
}

/// What one page says.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) text: String,
    pub(crate) note: Option<Note>,
}

impl Pages {
    pub(crate) fn open(bytes: &[u8], limits: &Limits) -> Result<Self, Error> {
        guard::run(Format::Pdf, || {
            let (file, ids) = load::load(bytes)?;
            Ok(Pages {
                file: Arc::new(Mutex::new(file)),
                ids: ids.into(),
                max_page_bytes: limits.max_unit_bytes.saturating_mul(2),
            })
        })
    }

    pub(crate) fn count(&self) -> u64 {
        self.ids.len() as u64
    }

    /// The pages of `range`, counted from 0, in batches that are worked off when they are asked for.
    pub(crate) fn from(&self, range: Range<u64>) -> impl Iterator<Item = Page> {
        let end = usize::try_from(range.end).unwrap_or(usize::MAX).min(self.ids.len());
        let mut next = usize::try_from(range.start).unwrap_or(usize::MAX).min(end);
        let mut size = 1;
        let mut ready = Vec::new().into_iter();
        std::iter::from_fn(move || {
            if ready.len() == 0 && next < end {
                let batch = next..end.min(next + size);
                next = batch.end;
                size = (size * 4).min(MAX_BATCH);
                ready = self.batch(batch).into_iter();
            }
            ready.next()
        })
    }

    fn batch(&self, pages: Range<usize>) -> Vec<Page> {
        let ids = &self.ids[pages];
        let worked = guard::run(Format::Pdf, || {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(many(&mut file, ids, self.max_page_bytes))
        });
        worked.unwrap_or_else(|error| {
            let failed = Page { text: String::new(), note: Some(Note::Unreadable(error)) };
            vec![failed; ids.len()]
        })
    }
}

/// All pages in one go; when that fails, each on its own and with less of what may have failed.
fn many(file: &mut Document, ids: &[ObjectId], max_bytes: usize) -> Vec<Page> {
    if let Some(pages) = attempt(file, ids, Care::Whole, max_bytes) {
        return pages;
    }
    ids.iter().map(|&id| one(file, id, max_bytes)).collect()
}

fn one(file: &mut Document, id: ObjectId, max_bytes: usize) -> Page {
    for care in [Care::Whole, Care::NoPrograms, Care::NoTables] {
        if let Some(mut page) = attempt(file, &[id], care, max_bytes).and_then(|mut it| it.pop()) {
            if care != Care::Whole && page.note.is_none() {
                page.note = Some(Note::Approximate);
            }
            return page;
        }
    }
    let error = Error::Broken { format: Format::Pdf, why: "its page has content that cannot be handled" };
    Page { text: String::new(), note: Some(Note::Unreadable(error)) }
}

/// `None` when something panicked or the interpreter gave up.
fn attempt(file: &mut Document, ids: &[ObjectId], care: Care, max_bytes: usize) -> Option<Vec<Page>> {
    let worked = catch_unwind(AssertUnwindSafe(|| {
        let flat = Flat::new(file, care).pages(ids);
        let mut layout = Layout::new(ids.len(), max_bytes);
        show(file, &flat, &mut layout)?;
        // The pages after one that grew too long were not looked at.
        (ids.len() == 1 || !layout.is_full()).then(|| layout.finish(flat.pages))
    }));
    worked.ok().flatten()
}

/// Lets the interpreter run over the rewritten pages, as the one page of a page tree that is there for this moment only.
fn show(file: &mut Document, flat: &Prepared, layout: &mut Layout) -> Option<()> {
    let base = file.objects.keys().next_back().map_or(1, |id| id.0 + 1);
    let [content, page, pages, catalog] = [0, 1, 2, 3].map(|it| (base + it, 0));
    let resources = Dictionary::from_iter([("Font", Object::Dictionary(flat.fonts.clone()))]);
    let media_box = [0, 0, 1000, 1000].map(Object::Integer).to_vec();
    let stream = Stream::new(Dictionary::new(), flat.content.clone());
    file.objects.insert(content, Object::Stream(stream));
    let entries = [
        ("Type", Object::Name(b"Page".to_vec())),
        ("Resources", Object::Dictionary(resources)),
        ("MediaBox", Object::Array(media_box)),
        ("Contents", Object::Reference(content)),
    ];
    file.objects.insert(page, Object::Dictionary(Dictionary::from_iter(entries)));
    let kids = Object::Array(vec![Object::Reference(page)]);
    let entries = [("Type", Object::Name(b"Pages".to_vec())), ("Kids", kids)];
    file.objects.insert(pages, Object::Dictionary(Dictionary::from_iter(entries)));
    let root = Dictionary::from_iter([("Pages", Object::Reference(pages))]);
    file.objects.insert(catalog, Object::Dictionary(root));
    let before = file.trailer.get(b"Root").cloned();
    file.trailer.set("Root", Object::Reference(catalog));

    let shown = catch_unwind(AssertUnwindSafe(|| pdf_extract::output_doc_page(file, layout, 1).is_ok()));

    if let Ok(root) = before {
        file.trailer.set("Root", root);
    }
    for id in [content, page, pages, catalog] {
        file.objects.remove(&id);
    }
    // A full page stops the interpreter by an error of ours, which is no failure.
    (layout.is_full() || shown.unwrap_or(false)).then_some(())
}
