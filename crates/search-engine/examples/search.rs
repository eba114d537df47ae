//! Searches a small tree in memory and prints its rows and its coverage.
//!
//! `cargo run -p search-engine --example search -- 'fn \w+'`

use std::{io::Write, ops::ControlFlow};

use search_engine::{
    Case, Limits, MemTree, Output, Page, Pattern, Query, Row, Span, Unattended, Unit, search, window,
};

const TREE: &str = "\
//- /.gitignore
target/
//- /src/main.rs
fn main() {
    search_engine::run();
}
//- /src/lib.rs
//! A library.
pub fn run() {}
//- /target/debug.rs
fn generated() {}
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = std::env::args().nth(1).unwrap_or_else(|| r"fn \w+".to_owned());
    let pattern = Pattern::new(&source, Case::Sensitive, Span::Line)?;
    let query = Query::content(pattern, Output::Lines { context: 0, unit: Unit::Line });
    let mut out = std::io::stdout().lock();
    let mut failed = None;
    let summary = search(
        &MemTree::parse(TREE),
        &query,
        &Page::first(50),
        &Limits::AGENT.with_threads(2),
        &Unattended,
        &mut |row: &Row<'_>| {
            let Row::Line(line) = row else { return ControlFlow::Continue(()) };
            // Here the line would be masked, before it is cut.
            let shown = window(line.text, line.first_match().unwrap_or(0..0), 240);
            let text = String::from_utf8_lossy(&shown.text);
            match writeln!(out, "{}:{}: {text}", line.path.display(), line.line) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        },
    )?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    let coverage = &summary.coverage;
    writeln!(
        out,
        "{} rows; {} files searched, {} ignored directories",
        summary.rows, coverage.files_searched, coverage.ignored_dirs
    )?;
    Ok(())
}
