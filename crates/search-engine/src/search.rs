//! The search itself.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize},
    },
    thread,
};

use crate::{
    End, Error, IndexUse, Limits, Page, Progress, Query, Sink, Summary, Totals, Tree, What,
    ahead::{Ahead, Close},
    desk::contents,
    feed::{Feed, end_of},
    page::Assembler,
    pool::Shared,
    tree::name_of,
    warm::Warm,
};

/// Entries between two looks at the clock, when names alone are searched.
const NAMES_PER_CHECK: u64 = 256;
/// Threads that list directories when names are searched; more only wait for one another.
const MOST_LISTERS: usize = 4;

/// Searches a tree and gives the rows of one page to `sink`, in order.
///
/// Rows, their order, their number and the coverage depend on the tree, the query, the page and the limits alone, not
/// on [`Limits::threads`]; only time and cancellation are up to `progress`.
///
/// # Errors
/// [`Error::Start`] when the start of the search cannot be read, [`Error::OtherQuery`] when the cursor of the page
/// belongs to another query. Anything else that cannot be read is part of the summary.
///
/// # Cost
/// Time is that of reading the files up to the end of the page, shared by the threads. Memory does not grow with the
/// tree or with its files: some MiB for each thread, but for newest-first order (the paths) and patterns that
/// span lines (the file).
///
/// # Examples
/// ```
/// use std::ops::ControlFlow;
/// use search_engine::{Case, Limits, MemTree, Output, Page, Pattern, Query, Row, Span, Unattended, Unit, search};
///
/// let tree = MemTree::parse("//- /src/main.rs\nfn main() {}\n//- /src/lib.rs\npub fn run() {}\n");
/// let pattern = Pattern::new(r"fn \w+", Case::Sensitive, Span::Line)?;
/// let query = Query::content(pattern, Output::Lines { context: 0, unit: Unit::Line });
/// let mut found = Vec::new();
/// let summary = search(&tree, &query, &Page::first(50), &Limits::AGENT, &Unattended, &mut |row: &Row<'_>| {
///     if let Row::Line(line) = row {
///         found.push(format!("{}:{}", line.path.display(), line.line));
///     }
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(found, ["src/lib.rs:1", "src/main.rs:1"]);
/// assert!(summary.is_exhaustive());
/// # Ok::<(), search_engine::Error>(())
/// ```
pub fn search<T: Tree>(
    tree: &T,
    query: &Query,
    page: &Page,
    limits: &Limits,
    progress: &dyn Progress,
    sink: &mut dyn Sink,
) -> Result<Summary, Error> {
    run(tree, None, query, page, limits, progress, sink)
}

/// Searches, with the names and verdicts of an index if there is one.
pub(crate) fn run<T: Tree>(
    tree: &T,
    warm: Option<&Warm>,
    query: &Query,
    page: &Page,
    limits: &Limits,
    progress: &dyn Progress,
    sink: &mut dyn Sink,
) -> Result<Summary, Error> {
    let assembler = Assembler::new(query, page, limits, sink)?;
    let used = if warm.is_some() { IndexUse::Used } else { IndexUse::Off };
    let live = Arc::new(AtomicUsize::new(0));
    let ahead = Ahead::new();
    let after = page.after.as_ref().map(|cursor| &cursor.0);
    let mut feed = Feed::new(tree, warm, query, limits, progress, &live, after)
        .map_err(|e| Error::Start { kind: e.kind() })?;
    match &query.what {
        What::Names => {
            let mut helpers = 0;
            if let Feed::Walk(walker) = &mut feed {
                helpers = limits.threads.get().min(MOST_LISTERS) - 1;
                if helpers > 0 {
                    walker.use_ahead(&ahead);
                }
            }
            let mut summary = thread::scope(|scope| {
                let _close = Close(&ahead);
                for _ in 0..helpers {
                    // Where no more threads can be had, the walk lists more itself.
                    if thread::Builder::new().spawn_scoped(scope, || ahead.run(tree)).is_err() {
                        break;
                    }
                }
                names(&mut feed, progress, assembler)
            });
            summary.index = used;
            Ok(summary)
        }
        What::Content { pattern, output } => {
            let shared = Shared {
                tree,
                pattern,
                output: *output,
                count_all: query.totals == Totals::CountAll,
                limits,
                progress,
                state: Mutex::default(),
                work: Condvar::new(),
                done: Condvar::new(),
                room: Condvar::new(),
                stop: AtomicBool::new(false),
                want: AtomicU64::new(assembler.want()),
                bytes_left: AtomicU64::new(limits.max_bytes),
            };
            let mut summary = thread::scope(|scope| contents(scope, &shared, &mut feed, &live, assembler));
            summary.index = used;
            Ok(summary)
        }
    }
}

/// Searches for names. This thread walks; others may list directories ahead of it.
fn names<T: Tree>(feed: &mut Feed<'_, T>, progress: &dyn Progress, mut assembler: Assembler<'_>) -> Summary {
    let mut last = None;
    let mut stopped = End::Complete;
    let mut given = 0u64;
    let mut path = Vec::new();
    loop {
        if given.is_multiple_of(NAMES_PER_CHECK) {
            stopped = end_of(progress.check());
            if stopped != End::Complete {
                break;
            }
        }
        given += 1;
        let modified_ns = match feed {
            Feed::Walk(walker) => match walker.next() {
                Some(found) => {
                    found.path_into(&mut path);
                    None
                }
                None => break,
            },
            Feed::Kept(kept) => match kept.advance() {
                Some(_) => {
                    path.clear();
                    path.extend_from_slice(kept.path());
                    None
                }
                None => break,
            },
            Feed::Listed(_, listed) | Feed::KeptListed(_, listed) => match listed.next_path() {
                Some((next, modified_ns)) => {
                    path.clear();
                    path.extend_from_slice(next);
                    Some(modified_ns)
                }
                None => break,
            },
            Feed::One { name, given, .. } => {
                if std::mem::replace(given, true) {
                    break;
                }
                path.clone_from(name);
                None
            }
        };
        if assembler.name(Path::new(name_of(&path)), modified_ns).is_break() {
            break;
        }
        last = Some(modified_ns.unwrap_or(0));
    }
    if stopped == End::Complete {
        stopped = feed.end();
    }
    let counts = feed.counts();
    let (unreadable, too_deep) = feed.named_dirs();
    assembler.walked(&counts, unreadable, too_deep);
    let last_path = last.map(|modified_ns| {
        assembler.last_name(modified_ns);
        PathBuf::from(name_of(&path))
    });
    assembler.finish(stopped, last_path)
}
