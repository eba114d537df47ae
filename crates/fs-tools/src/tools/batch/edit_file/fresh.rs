//! Only what was read, and is still as it was read, may be changed.

use file_history::{Filter, Side};

use crate::error::{Class, ToolError};
use crate::gate::{OpenFile, Scope};
use crate::ledger::{Seen, Stamp};
use crate::render::echo;
use crate::tool::Call;
use crate::workspace::Workspace;

/// Versions of the history that are looked at for the content that was read.
const VERSIONS: usize = 8;
/// Lines of each side that are compared line by line.
const MAX_LINES: usize = 4_000;
/// Ranges of rows that a refusal names.
const MAX_RANGES: usize = 5;

/// Refuses a change of a file that this run has not read, or that is another now.
///
/// # Errors
///
/// `not_read`, or `stale` with the rows that changed where the content that was read is still known.
pub(super) fn check(
    workspace: &Workspace,
    file: &OpenFile<'_>,
    content: &[u8],
    call: &Call<'_>,
) -> Result<(), ToolError> {
    let strict = workspace.config().strict_mtime;
    let seen = workspace.ledger().judge(call.origin.run, file.path(), file.meta(), content, strict);
    let (code, message, hint) = match seen {
        Seen::Fresh => return Ok(()),
        Seen::Never => (
            "not_read",
            "the file has not been read in this run; nothing was written".to_owned(),
            "read it with read_files, then repeat the call",
        ),
        Seen::Touched => (
            "stale",
            "the modification time of the file changed since it was read; nothing was written".to_owned(),
            "read it again with read_files, then repeat the call",
        ),
        Seen::Changed(stamp) => {
            let rows = known(workspace, file, &stamp, call).map(|old| changed_rows(&old, content));
            let which = rows.map_or_else(String::new, |rows| format!(": {rows}"));
            (
                "stale",
                format!("the file changed on disk since it was read; nothing was written{which}"),
                "read it again with read_files, then make the change on what is there now",
            )
        }
    };
    Err(ToolError::new(Class::Conflict, code, message).at(echo(file.asked())).hint(hint))
}

/// The content that was read, from memory or from the history.
fn known(workspace: &Workspace, file: &OpenFile<'_>, stamp: &Stamp, call: &Call<'_>) -> Option<Vec<u8>> {
    workspace
        .ledger()
        .content(call.origin.run, file.path(), stamp)
        .or_else(|| recorded(workspace, file, stamp))
}

fn recorded(workspace: &Workspace, file: &OpenFile<'_>, stamp: &Stamp) -> Option<Vec<u8>> {
    use std::os::unix::ffi::OsStrExt as _;
    let (scope, name) = match file.name_in_workspace() {
        Some(name) => (Scope::Workspace, name),
        None => (Scope::Outside, file.path().strip_prefix("/").ok()?),
    };
    let path = name.as_os_str().as_bytes();
    let found = workspace.history_in(scope, |history| {
        let filter = Filter { paths: &[path], limit: VERSIONS, ..Filter::default() };
        for row in history.list(&filter)?.rows {
            // A version that cannot be read is not the one.
            if let Ok((_, Side::File(content))) = history.sides(row.id)
                && stamp.is_of(&content.bytes)
            {
                return Ok(Some(content.bytes));
            }
        }
        Ok(None)
    });
    found.ok().flatten().flatten()
}

/// Says which rows of the file are others now.
fn changed_rows(old: &[u8], new: &[u8]) -> String {
    let lines = |bytes: &[u8]| -> Vec<Vec<u8>> {
        bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let (old, new) = (lines(old), lines(new));
    let same = |a: &[Vec<u8>], b: &[Vec<u8>]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let head = same(&old, &new);
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (old_mid, new_mid) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    if old_mid.len().max(new_mid.len()) > MAX_LINES {
        ranges.push((head, head + new_mid.len()));
    } else {
        for op in similar::capture_diff_slices(similar::Algorithm::Myers, old_mid, new_mid) {
            if op.tag() != similar::DiffTag::Equal {
                let range = op.new_range();
                ranges.push((head + range.start, head + range.end));
            }
        }
    }
    let shown: Vec<String> = ranges
        .iter()
        .take(MAX_RANGES)
        .map(|(start, end)| match end - start {
            0 => format!("something is gone before row {}", start + 1),
            1 => format!("row {}", start + 1),
            _ => format!("rows {}-{end}", start + 1),
        })
        .collect();
    let more = if ranges.len() > MAX_RANGES { " and others" } else { "" };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::changed_rows;

    #[test]
    fn changed_rows_are_those_of_the_file_as_it_is() {
        let check = |old: &str, new: &str, expected: &str| {
            assert_eq!(changed_rows(old.as_bytes(), new.as_bytes()), expected, "{old:?} {new:?}");
        };
        check("a\nb\nc\n", "a\nB\nc\n", "row 2");
        check("a\nb\nc\nd\n", "a\nB\nC\nd\n", "rows 2-3");
        check("a\nb\n", "a\nb\nc\n", "row 3");
        check("a\nb\nc\n", "a\nc\n", "something is gone before row 2");
        check("a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n", "row 1, row 5");
        check("a", "a\n", "row 1");
        check(
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n",
            "x\n2\nx\n4\nx\n6\nx\n8\nx\n10\nx\n12\nx\n",
            "row 1, row 3, row 5, row 7, row 9 and others",
        );
        check("", "a\nb\n", "rows 1-2");
    }
}
