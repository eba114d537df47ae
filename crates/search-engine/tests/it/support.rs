//! Short forms for the tests.

use search_engine::{
    Case, Collected, Limits, MemTree, NamePattern, Output, OwnedRow, Page, Pattern, Query, Role, Span, Unit,
};

/// Matching lines without context.
pub(crate) const LINES: Output = Output::Lines { context: 0, unit: Unit::Line };

#[track_caller]
pub(crate) fn pattern(source: &str) -> Pattern {
    Pattern::new(source, Case::Sensitive, Span::Line).unwrap()
}

#[track_caller]
pub(crate) fn lines(source: &str) -> Query {
    Query::content(pattern(source), LINES)
}

#[track_caller]
pub(crate) fn run(tree: &MemTree, query: &Query) -> Collected {
    run_page(tree, query, &Page::ALL)
}

#[track_caller]
pub(crate) fn run_page(tree: &MemTree, query: &Query, page: &Page) -> Collected {
    let one = Collected::run(tree, query, page, &Limits::AGENT).unwrap();
    for threads in [2, 4] {
        let more = Collected::run(tree, query, page, &Limits::AGENT.with_threads(threads)).unwrap();
        assert_eq!(more, one, "{threads} threads");
    }
    one
}

/// One line for each row: `path:line: text`, `path-line- text` for context, `path: count`, or the path.
pub(crate) fn show(rows: &[OwnedRow]) -> Vec<String> {
    rows.iter()
        .map(|row| match row {
            OwnedRow::Name { path } => path.display().to_string(),
            OwnedRow::File { path, count: Some(count), .. } => format!("{}: {count}", path.display()),
            OwnedRow::File { path, .. } => path.display().to_string(),
            OwnedRow::Line { path, line, role, text, .. } => {
                let mark = if *role == Role::Match { ':' } else { '-' };
                format!("{}{mark}{line}{mark} {}", path.display(), String::from_utf8_lossy(text))
            }
            other => panic!("unknown row {other:?}"),
        })
        .collect()
}

#[track_caller]
pub(crate) fn check(tree: &MemTree, query: &Query, expected: &[&str]) {
    assert_eq!(show(&run(tree, query).rows), expected);
}

/// Numbers of the lines of one file that match.
#[track_caller]
pub(crate) fn matching(source: &str, content: impl AsRef<[u8]>) -> Vec<u64> {
    let mut tree = MemTree::new();
    tree.file("f", content.as_ref().to_vec());
    let number = |row: &OwnedRow| if let OwnedRow::Line { line, .. } = row { *line } else { 0 };
    run(&tree, &lines(source)).rows.iter().map(number).collect()
}

/// The tree with these empty files.
pub(crate) fn files(paths: &[&str]) -> MemTree {
    let mut tree = MemTree::new();
    for path in paths {
        tree.file(path, b"needle\n".to_vec());
    }
    tree
}

#[track_caller]
pub(crate) fn names(pattern: &str) -> Query {
    Query::names(NamePattern::classic(pattern).unwrap())
}
