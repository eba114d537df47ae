//! DOCX and PPTX.

use std::path::Path;

use document_text::{Document, Limits, Note, UnitKind};

use crate::make;

fn lines(bytes: &[u8]) -> Vec<String> {
    let document = Document::open(Path::new("a.docx"), bytes, Limits::STANDARD).unwrap();
    assert_eq!(document.unit(), UnitKind::Line);
    document.read(1..u64::MAX).unwrap().units.iter().map(|it| it.content.text().to_owned()).collect()
}

#[track_caller]
fn check(body: &str, expected: &[&str]) {
    assert_eq!(lines(&make::docx(body, &[])), expected);
}

#[test]
fn runs_make_paragraphs() {
    check(
        "<w:p><w:r><w:t>a &amp; b</w:t></w:r><w:r><w:t xml:space=\"preserve\"> c&#233;</w:t></w:r></w:p><w:p/>",
        &["a & b cé"],
    );
    check(
        "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>",
        &["a\tb", "c-d"],
    );
    // Tab stops are no tabs.
    check(
        "<w:p><w:pPr><w:tabs><w:tab w:val=\"left\"/></w:tabs></w:pPr><w:r><w:t>a</w:t></w:r></w:p>",
        &["a"],
    );
    check("<w:p><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>1</w:t></w:r></w:p>", &["1"]);
    check("<w:p><w:r><w:sym w:font=\"x\" w:char=\"2022\"/></w:r></w:p>", &["•"]);
}

#[test]
fn tracked_changes_are_read_as_accepted() {
    let body = "<w:p><w:r><w:t>keep </w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>\
                <w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom><w:ins><w:r><w:t>new</w:t></w:r></w:ins>\
                <w:pPr><w:rPr><w:del/></w:rPr></w:pPr></w:p><w:p><w:r><w:t>next</w:t></w:r></w:p>";
    check(body, &["keep new", "next"]);
}

#[test]
fn tables_are_rows_of_cells() {
    let cell = |it: &str| format!("<w:tc><w:p><w:r><w:t>{it}</w:t></w:r></w:p></w:tc>");
    let row =
        |cells: &[&str]| format!("<w:tr>{}</w:tr>", cells.iter().map(|it| cell(it)).collect::<String>());
    let inner = format!("<w:tbl>{}{}</w:tbl>", row(&["1", "2"]), row(&["3", "4"]));
    let body = format!(
        "<w:p><w:r><w:t>before</w:t></w:r></w:p><w:tbl>{}<w:tr>{}<w:tc>{inner}<w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
        row(&["a", "b"]),
        cell("c")
    );
    check(&body, &["before", "a\tb", "c\t1 2 3 4 x"]);
    check(
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:t>two</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>",
        &["one two\t"],
    );
}

#[test]
fn a_text_box_is_read_once() {
    let text_box = "<w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent>";
    let body = format!(
        "<w:p><w:r><w:t>host</w:t></w:r><w:r><mc:AlternateContent><mc:Choice>{text_box}</mc:Choice>\
         <mc:Fallback>{text_box}</mc:Fallback></mc:AlternateContent></w:r><w:r><w:t> line</w:t></w:r></w:p>"
    );
    check(&body, &["host line", "boxed"]);
}

#[test]
fn headings_and_items_are_marked_in_every_language() {
    let styles = format!(
        "<w:styles {0}><w:style w:styleId=\"berschrift2\"><w:name w:val=\"heading 2\"/></w:style>\
         <w:style w:styleId=\"Titel\"><w:name w:val=\"Title\"/></w:style><w:style w:styleId=\"Own\"><w:name w:val=\"own\"/>\
         <w:pPr><w:outlineLvl w:val=\"2\"/></w:pPr></w:style></w:styles>",
        make::NAMESPACES
    );
    let p = |style: &str, text: &str| {
        format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let item = "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"3\"/></w:numPr></w:pPr><w:r><w:t>item</w:t></w:r></w:p>";
    let body = [&p("Titel", "T"), &p("berschrift2", "H"), &p("Own", "O"), &p("Normal", "n"), item]
        .map(|it| it as &str)
        .concat();
    let bytes = make::docx(&body, &[("styles", "styles.xml", &styles)]);
    assert_eq!(lines(&bytes), ["# T", "## H", "### O", "n", "- item"]);
}

#[test]
fn what_stands_outside_the_body_follows_under_labels() {
    let part = |root: &str, inner: &str| format!("<w:{root} {}>{inner}</w:{root}>", make::NAMESPACES);
    let text = |it: &str| format!("<w:p><w:r><w:t>{it}</w:t></w:r></w:p>");
    let notes = part(
        "footnotes",
        &format!(
            "<w:footnote w:type=\"separator\" w:id=\"0\"><w:p/></w:footnote><w:footnote w:id=\"2\">{}</w:footnote>",
            text("small")
        ),
    );
    let comments =
        part("comments", &format!("<w:comment w:id=\"0\" w:author=\"Ann\">{}</w:comment>", text("why?")));
    let bytes = make::docx(
        "<w:p><w:r><w:t>body</w:t><w:footnoteReference w:id=\"2\"/></w:r></w:p>",
        &[
            ("header", "header1.xml", &part("hdr", &text("head"))),
            ("header", "header2.xml", &part("hdr", &text("head"))),
            ("footnotes", "footnotes.xml", &notes),
            ("comments", "comments.xml", &comments),
            ("endnotes", "gone.xml", "<w:endnotes xmlns:w=\"w\"/>"),
        ],
    );
    let expected = [
        "body[^2]",
        "",
        "[header]",
        "head",
        "",
        "[footnotes]",
        "[^2] small",
        "",
        "[comments]",
        "[comment 0] Ann: why?",
    ];
    assert_eq!(lines(&bytes), expected);
}

#[test]
fn slides_come_in_the_order_of_the_deck_with_their_notes() {
    let table = "<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></a:txBody></a:tc>\
                 <a:tc><a:txBody><a:p><a:r><a:t>b</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>";
    let notes = format!("{}{}", make::shape("body", &["say this"]), make::shape("sldNum", &["7"]));
    let hidden = format!("<p:sld show=\"0\" {}>{}", make::NAMESPACES, make::shape("", &["secret"]));
    let bytes = make::pptx(&[
        (
            2,
            &format!("{}{}", make::shape("ctrTitle", &["First"]), make::shape("", &["x", "y"])),
            Some(&notes),
        ),
        (1, table, None),
        (3, "", None),
        (9, &hidden, None),
    ]);
    let document = Document::open(Path::new("a.pptx"), &bytes, Limits::STANDARD).unwrap();
    assert_eq!((document.unit(), document.count()), (UnitKind::Slide, 4));
    let part = document.read(1..9).unwrap();
    let texts: Vec<&str> = part.units.iter().map(|it| it.content.text()).collect();
    assert_eq!(texts, ["# First\nx\ny\nnotes:\nsay this", "a\tb", "", "secret"]);
    let notes: Vec<_> = part.units.iter().map(|it| it.note.clone()).collect();
    assert_eq!(notes, [None, None, Some(Note::Blank), Some(Note::Hidden)]);
    let part = document.read(2..3).unwrap();
    assert_eq!((part.units[0].number, part.units[0].content.text(), part.next), (2, "a\tb", Some(3)));
}

#[test]
fn a_missing_slide_costs_that_slide() {
    let bytes = make::pptx(&[(1, &make::shape("", &["here"]), None), (2, "<a:p></a:t>", None)]);
    let document = Document::open(Path::new("a.pptx"), &bytes, Limits::STANDARD).unwrap();
    let part = document.read(1..3).unwrap();
    assert_eq!(part.units[0].content.text(), "here");
    assert!(
        matches!(&part.units[1].note, Some(Note::Unreadable(error)) if error.code() == "document_broken")
    );
    assert_eq!(document.read(2..3).unwrap_err().code(), "document_broken");
}
