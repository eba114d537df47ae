//! Directories listed, and files found by their names.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rooted_fs::Kind;
use sandbox_policy::Op;
use search_engine::{Ignore, NamePattern, Order, Query, Row, is_all_wildcard};
use serde_json::{Value, json};

use super::hits::{Place, deadline, run};
use super::{Failures, FindFilesArgs, FindQuery, Found, PageText};
use crate::error::{Class, ToolError};
use crate::find::{Base, engine_error};
use crate::gate::{Looked, OpenDir};
use crate::local_time::show_minute;
use crate::render::{echo, show_name};
use crate::tool::Call;
use crate::tools::coverage::gaps;
use crate::tools::entries::entries;
use crate::workspace::Workspace;

/// An entry of a listing.
struct Entry {
    shown: String,
    kind: Kind,
    size: u64,
    modified_ns: i64,
    /// Where its size and time are still to be looked up: only the rows of the page are worth it.
    lazy: Option<(usize, PathBuf)>,
}

/// Lists directories, each in the order of its names; an entry that two queries find comes once.
pub(super) fn list(workspace: &Workspace, args: &FindFilesArgs, call: &Call<'_>) -> Result<Found, ToolError> {
    let mut failures = Failures::of(args);
    let mut seen = HashSet::new();
    let mut entries = Vec::new();
    let (mut notes, mut places) = (Vec::new(), Vec::new());
    let until = deadline();
    for query in &args.queries {
        call.check()?;
        let listed = if query.is_recursive() {
            directory(workspace, query, call).and_then(|open| {
                let place = Place::of_dir(workspace, query.dir(), open, until);
                let listed = below(&place, places.len(), call, &mut seen, &mut notes);
                places.push(place);
                listed
            })
        } else {
            here(workspace, query, call, &mut seen)
        };
        entries.extend(failures.keep(query, listed).unwrap_or_default());
    }
    call.check()?;
    failures.whole()?;
    let rows = entries.iter().map(|entry| {
        let facts = match &entry.lazy {
            None => Some((entry.size, entry.modified_ns)),
            Some((place, path)) => {
                places[*place].tree.open_path(path).ok().map(|file| (file.meta().size, file.meta().mtime_ns))
            }
        };
        let mut row = json!({ "path": entry.shown, "is_dir": entry.kind == Kind::Dir });
        if let Some((size, modified_ns)) = facts {
            row["size"] = size.into();
            row["mod_time"] = show_minute(modified_ns, workspace.zone()).into();
        }
        if !matches!(entry.kind, Kind::Dir | Kind::File) {
            row["type"] = Value::String(entry.kind.to_string());
        }
        row.to_string()
    });
    Ok(page(
        args,
        &failures,
        rows,
        entries.len(),
        "in the order of their names",
        "the directory is empty",
        &notes,
    ))
}

/// Finds files by name, newest first over all queries.
pub(super) fn glob(workspace: &Workspace, args: &FindFilesArgs, call: &Call<'_>) -> Result<Found, ToolError> {
    let mut failures = Failures::of(args);
    let mut seen = HashSet::new();
    let mut files: Vec<(PathBuf, String, i64)> = Vec::new();
    let mut notes = Vec::new();
    let until = deadline();
    for query in &args.queries {
        call.check()?;
        let found = matching(workspace, query, until, call, &mut seen, &mut notes);
        files.extend(failures.keep(query, found).unwrap_or_default());
    }
    call.check()?;
    failures.whole()?;
    files.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
    let rows = files.iter().map(|(_, shown, modified_ns)| {
        json!({ "path": shown, "mod_time": show_minute(*modified_ns, workspace.zone()) }).to_string()
    });
    Ok(page(args, &failures, rows, files.len(), "newest first", "no files found", &notes))
}

/// One page of rows, with how many were left out and how to get them.
fn page(
    args: &FindFilesArgs,
    failures: &Failures,
    rows: impl Iterator<Item = String>,
    total: usize,
    order: &str,
    nothing: &str,
    notes: &[String],
) -> Found {
    let offset = args.offset.unwrap_or(0);
    let limit = args.limit.filter(|limit| *limit > 0).unwrap_or(u64::MAX);
    let mut text = PageText::new();
    for row in &failures.rows {
        text.add(row, false);
    }
    for row in rows.skip(usize::try_from(offset).unwrap_or(usize::MAX)) {
        if text.rows == limit || !text.add(&row, true) {
            break;
        }
    }
    let (shown, total) = (text.rows, total as u64);
    let last = offset.saturating_add(shown);
    let mut out = text.text;
    if total == 0 {
        out.push_str(nothing);
    } else if offset >= total {
        out.push_str(&format!("[0 of {total} entries: offset {offset} is past the end]"));
    } else if text.full {
        out.push_str(&format!(
            "[partial result: entries {}-{last} of {total}, {order}; {} left out to stay under 128 KiB: narrow dir or \
             pattern, or go on with offset={last}]",
            offset + 1,
            total - last
        ));
    } else if last < total {
        out.push_str(&format!("[entries {}-{last} of {total}, {order}; next offset={last}]", offset + 1));
    } else if offset > 0 {
        out.push_str(&format!("[entries {}-{last} of {total}, {order}; last page]", offset + 1));
    } else {
        out.push_str(&format!("[{total} entries, {order}]"));
    }
    for note in notes {
        out.push('\n');
        out.push_str(note);
    }
    Found { text: out, is_negative: total == 0 }
}

/// The entries of one directory.
fn here(
    workspace: &Workspace,
    query: &FindQuery,
    call: &Call<'_>,
    seen: &mut HashSet<PathBuf>,
) -> Result<Vec<Entry>, ToolError> {
    let open = directory(workspace, query, call)?;
    let mut base = Base::new(query.dir(), false);
    let mut found = Vec::new();
    for (name, kind) in entries(workspace, &open, call)? {
        // What is gone by now is not there.
        let Ok(meta) = open.dir.stat(&name) else { continue };
        if seen.insert(open.path.join(&name)) {
            found.push(Entry {
                shown: show_name(base.join(Path::new(&name))).into_owned(),
                kind,
                size: if kind == Kind::File { meta.size } else { 0 },
                modified_ns: meta.mtime_ns,
                lazy: None,
            });
        }
    }
    Ok(found)
}

/// The files below one directory.
fn below(
    place: &Place<'_>,
    index: usize,
    call: &Call<'_>,
    seen: &mut HashSet<PathBuf>,
    notes: &mut Vec<String>,
) -> Result<Vec<Entry>, ToolError> {
    let mut base = Base::new(&place.asked, false);
    let mut entries = Vec::new();
    let summary = run(place, &place.apply(Query::names(NamePattern::all())), call, &mut |row| {
        if let Row::Name(name) = row
            && seen.insert(place.path.join(name.path))
        {
            entries.push(Entry {
                shown: show_name(base.join(name.path)).into_owned(),
                kind: Kind::File,
                size: 0,
                modified_ns: 0,
                lazy: Some((index, name.path.to_owned())),
            });
        }
        ControlFlow::Continue(())
    })?;
    notes.extend(gaps(&summary));
    Ok(entries)
}

/// The files whose names match, with their modification times.
fn matching(
    workspace: &Workspace,
    query: &FindQuery,
    until: Instant,
    call: &Call<'_>,
    seen: &mut HashSet<PathBuf>,
    notes: &mut Vec<String>,
) -> Result<Vec<(PathBuf, String, i64)>, ToolError> {
    let pattern = query.pattern().unwrap_or_default();
    if pattern.starts_with('/') || pattern.starts_with('~') {
        return Err(ToolError::new(
            Class::Usage,
            "absolute_pattern",
            format!("the pattern \"{}\" is not relative to dir", echo(pattern)),
        )
        .hint("name the directory as dir, and the rest as pattern"));
    }
    if is_all_wildcard(pattern) {
        return Err(ToolError::new(
            Class::Usage,
            "all_wildcard",
            format!("the pattern \"{}\" has no literal character, so it would match everything", echo(pattern)),
        )
        .hint("give an extension or a part of the name, such as *.rs; leave pattern out to list the directory; or search content"));
    }
    let names =
        NamePattern::glob(pattern, query.reach()).map_err(|error| engine_error(&error, query.dir()))?;
    let open = directory(workspace, query, call)?;
    let place = Place::of_dir(workspace, query.dir(), open, until);
    let mut names = place.apply(Query::names(names));
    names.order = Order::Modified;
    let mut base = Base::new(query.dir(), false);
    let mut files = Vec::new();
    let summary = run(&place, &names, call, &mut |row| {
        if let Row::Name(name) = row {
            let path = place.path.join(name.path);
            if seen.insert(path.clone()) {
                let shown = show_name(base.join(name.path)).into_owned();
                files.push((path, shown, name.modified_ns.unwrap_or(0)));
            }
        }
        ControlFlow::Continue(())
    })?;
    notes.extend(gaps(&summary));
    Ok(files)
}

fn directory(workspace: &Workspace, query: &FindQuery, call: &Call<'_>) -> Result<OpenDir, ToolError> {
    match workspace.gate().look(Op::List, query.dir(), call)? {
        Looked::Dir(dir) => Ok(dir),
        _ => Err(ToolError::new(Class::Usage, "not_a_directory", "the path is no directory")
            .at(echo(query.dir()))
            .hint("read_files reads a file; a search with pattern and file_pattern takes one as dir")),
    }
}

/// Ignore rules hold for what lies below the directory that was named.
pub(super) fn honoured(workspace: &Workspace, dir: &Path) -> Ignore {
    Ignore::Honour(workspace.gate().ignore_rules_above(dir))
}
