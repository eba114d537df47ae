//! `file_history`: the recorded versions of files, and what changed last.

use file_history::{
    ChangeId, Content, Filter, Look, Op as Change, Outcome, Side, State, Version, time_range, tool_limit,
};
use sandbox_policy::Op;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::args;
use crate::error::{Class, ToolError};
use crate::gate::{OnDisk, Scope, history_error};
use crate::limits;
use crate::local_time::{InZone, show};
use crate::render::{Guard, diff_views, echo, mask_values, show_name};
use crate::schema;
use crate::tool::{Annotations, Call, Reply, Tool, ToolSpec};
use crate::undo::task_named;
use crate::workspace::Workspace;

/// What `file_history` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HistoryMode {
    /// Lists versions.
    List,
    /// Compares with the disk.
    Read,
}

/// Arguments of `file_history`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct FileHistoryArgs {
    /// list: versions, newest first (default); read: what changed last in each of `paths` (default with `paths`)
    pub mode: Option<HistoryMode>,
    /// Only versions of this file
    pub path: Option<String>,
    /// Files to read
    pub paths: Option<Vec<String>>,
    /// Only versions of this task; "current" is the task of this call
    pub task_id: Option<String>,
    /// Earliest local time: YYYY-MM-DD, optionally HH:MM or HH:MM:SS behind it
    pub from: Option<String>,
    /// Latest local time, the whole day, minute or second included
    pub to: Option<String>,
    /// Versions to list (default 3, at most 24)
    pub limit: Option<i64>,
}

/// The tool.
pub(crate) struct FileHistory {
    spec: ToolSpec,
}

impl FileHistory {
    pub(crate) fn new() -> Self {
        let spec = ToolSpec {
            name: "file_history",
            title: "File history",
            description: "Recorded versions of the files that the tools changed. mode list: when each changed, by which \
                          tool, for which task and goal, newest first. mode read: what the newest recorded change of \
                          each path did, or what changed outside the tools since, as a diff with credentials masked. \
                          Example: {\"path\": \"src/main.rs\", \"from\": \"2026-08-13\"}"
                .to_owned(),
            input_schema: schema::portable::<FileHistoryArgs>(),
            output_schema: None,
            annotations: Annotations {
                read_only: true,
                destructive: false,
                idempotent: true,
                open_world: false,
            },
            mistaken: &[
                ("task", "the name is `task_id`"),
                ("version", "a version is listed, not opened; list shows its number"),
                ("since", "the name is `from`"),
                ("until", "the name is `to`"),
            ],
        };
        Self { spec }
    }
}

impl Tool for FileHistory {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, workspace: &Workspace, args: &Value, call: &Call<'_>) -> Reply {
        let answer = args::typed::<FileHistoryArgs>(args).and_then(|args| {
            let paths: Vec<&str> = args.paths.iter().flatten().map(String::as_str).collect();
            match args.mode {
                Some(HistoryMode::Read) => read(workspace, &one_or_more(&args, paths)?, call),
                None if !paths.is_empty() => read(workspace, &one_or_more(&args, paths)?, call),
                _ => list(workspace, &args, &paths, call),
            }
        });
        match answer {
            Ok(text) => workspace.finish(self.spec.name, text, Guard::None),
            Err(error) => error.into(),
        }
    }
}

fn wrong(message: &str, hint: &str) -> ToolError {
    ToolError::new(Class::Usage, "invalid_arguments", message).hint(hint)
}

/// The paths of a read.
fn one_or_more<'a>(args: &'a FileHistoryArgs, mut paths: Vec<&'a str>) -> Result<Vec<&'a str>, ToolError> {
    if args.task_id.is_some() || args.from.is_some() || args.to.is_some() || args.limit.is_some() {
        return Err(wrong(
            "task_id, from, to and limit belong to mode list",
            "leave them out, or list first",
        ));
    }
    paths.extend(args.path.as_deref());
    match paths.len() {
        0 => Err(wrong("mode read needs `paths`", "name the files in `paths`")),
        n if n > limits::HISTORY_PATHS => Err(wrong(
            &format!("{n} paths are more than the {} of one call", limits::HISTORY_PATHS),
            "read them in several calls",
        )),
        _ => Ok(paths),
    }
}

fn list(
    workspace: &Workspace,
    args: &FileHistoryArgs,
    paths: &[&str],
    call: &Call<'_>,
) -> Result<String, ToolError> {
    let path = match (args.path.as_deref(), paths) {
        (Some(path), []) => Some(path),
        (None, [path]) => Some(*path),
        (None, []) => None,
        _ => return Err(wrong("mode list takes one path", "list the paths one by one, or leave them out")),
    };
    let task = args.task_id.as_deref().map(|task| task_named(task, call)).transpose()?;
    let (from, to) = time_range(args.from.as_deref(), args.to.as_deref(), &InZone(workspace.zone()))
        .map_err(|error| history_error(&error, ""))?;
    let gate = workspace.gate();
    let located = path.map(|path| gate.recorded(Op::HistoryRead, path, call)).transpose()?;
    let scope = located.as_ref().map_or(Scope::Workspace, |located| located.scope);
    let recorder = workspace.recorder(scope)?;
    let names: Vec<&[u8]> = located.iter().map(|located| located.path.as_slice()).collect();
    let limit = tool_limit(args.limit);
    let mut filter =
        Filter { paths: &names, task, from, to, limit: limits::HISTORY_PAGE, ..Filter::default() };
    let mut rows: Vec<Version> = Vec::new();
    // What the rules hide is passed over, so a page of the tool may take several of the history.
    let mut more = recorder.exists();
    while more && rows.len() <= limit {
        call.check()?;
        let page =
            recorder.with(|history| history.list(&filter)).map_err(|error| history_error(&error, ""))?;
        filter.below = page.rows.last().map(|row| row.id);
        more = page.more && filter.below.is_some();
        rows.extend(page.rows.into_iter().filter(|row| gate.shows_recorded(scope, &row.path)));
    }
    more = rows.len() > limit;
    rows.truncate(limit);
    if rows.is_empty() {
        return Ok("[no recorded changes]\n".to_owned());
    }
    let mut text = format!("[{} version(s), newest first, local time", rows.len());
    text.push_str(if more { "; there are more]\n" } else { "]\n" });
    for row in &rows {
        let line = line(row, scope, workspace);
        text.push_str(&String::from_utf8_lossy(&workspace.redactor().redact_bytes(line.as_bytes())));
        text.push('\n');
    }
    if more {
        text.push_str("[more versions: raise limit (at most 24), or narrow by path, task_id, from, to]\n");
    }
    Ok(text)
}

/// One version on one line.
fn line(row: &Version, scope: Scope, workspace: &Workspace) -> String {
    let mut line = format!(
        "version {} | {} | {} | {} | {}",
        row.id,
        show(row.at, workspace.zone()),
        row.op.code(),
        shown(&row.path, scope),
        match row.after {
            State::Absent => "no file".to_owned(),
            state => format!("{} bytes", state.len()),
        }
    );
    if let Some(from) = row.from {
        line.push_str(&format!(" | content of version {from}"));
    }
    if row.op.is_by_tool() {
        line.push_str(&format!(" | by {}", echo(&row.tool)));
    } else {
        line.push_str(if row.op == Change::External {
            " | outside the tools"
        } else {
            " | before the first change"
        });
    }
    if !row.task.is_empty() {
        line.push_str(&format!(" | task {}", echo(&row.task)));
    }
    if !row.goal.is_empty() {
        line.push_str(&format!(" | {}", echo(&row.goal)));
    }
    if !matches!(row.outcome, Outcome::Landed) {
        line.push_str(&format!(" | {}", row.outcome.code()));
    }
    if let Some(gap) = row.gap() {
        line.push_str(&format!(" | not restorable: {}", gap.code()));
    }
    line
}

fn shown(path: &[u8], scope: Scope) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(path));
    match scope {
        Scope::Workspace => show_name(path).into_owned(),
        Scope::Outside => show_name(&std::path::Path::new("/").join(path)).into_owned(),
    }
}

fn read(workspace: &Workspace, paths: &[&str], call: &Call<'_>) -> Result<String, ToolError> {
    workspace.recorder(Scope::Workspace)?;
    let mut text = String::new();
    for (index, path) in paths.iter().enumerate() {
        call.check()?;
        if index > 0 {
            text.push('\n');
        }
        match changes(workspace, path, call) {
            Ok(block) => text.push_str(&block),
            // One path that cannot be read leaves the others readable.
            Err(error) => text.push_str(&format!("== {}\n{error}\n", echo(path))),
        }
    }
    Ok(text)
}

/// What happened last to one path.
pub(crate) fn changes(workspace: &Workspace, path: &str, call: &Call<'_>) -> Result<String, ToolError> {
    let located = workspace.gate().recorded(Op::HistoryRead, path, call)?;
    let failed = |error| history_error(&error, path);
    let shown = &located.shown;
    let sensitive = workspace.gate().is_sensitive_record(located.scope, &located.path);
    if !located.recorder.exists() {
        return Ok(format!("== {shown}\n[no recorded changes]\n"));
    }
    let (disk, there) = match workspace.gate().on_disk(path, call)? {
        OnDisk::Nothing => (None, None),
        OnDisk::File(content) => (Some(content), None),
        OnDisk::Directory => (None, Some("a directory is there now")),
        OnDisk::Special => (None, Some("something that is no regular file is there now")),
    };
    let state =
        disk.as_ref().map(|content| file_history::FileState { bytes: &content.bytes, mode: content.mode });
    let look = located.recorder.with(|history| history.look(&located.path, state)).map_err(failed)?;
    let (newest, old, new, what) = match look {
        Look::Unrecorded => return Ok(format!("== {shown}\n[no recorded changes]\n")),
        Look::Same { newest, old, new } if there.is_none() => {
            let what = match new {
                Side::Omitted(_) => format!(
                    "version {} is the newest; whether the disk still holds it cannot be told; that change did:",
                    newest.id
                ),
                _ => format!("the disk is identical to version {}; that change did:", newest.id),
            };
            (newest, old, new, what)
        }
        Look::Same { newest, .. } => {
            return Ok(format!("{}[{}]\n", heading(&newest, shown, workspace), there.unwrap_or_default()));
        }
        Look::Changed { newest, old } => {
            let what = format!("changed outside the tools since version {}:", newest.id);
            let new = disk.map_or(Side::Absent, Side::File);
            (newest, old, new, what)
        }
        Look::Gone { newest, old } => {
            let head = heading(&newest, shown, workspace);
            let there = there.unwrap_or("nothing is at that path now");
            let text = stored(&Masking { workspace, sensitive }, &old);
            return Ok(format!("{head}[{there}; version {} holds:]\n{text}", newest.id));
        }
    };
    let head = heading(&newest, shown, workspace);
    let masking = Masking { workspace, sensitive };
    Ok(format!("{head}[{what}]\n{}", difference(&masking, shown, &old, &new)))
}

/// What one recorded change did.
pub(crate) fn change(workspace: &Workspace, version: u64, scope: Scope) -> Result<String, ToolError> {
    let id = ChangeId(version);
    let found = workspace.history_in(scope, |history| Ok((history.version(id)?, history.sides(id)?)))?;
    let unknown = || history_error(&file_history::Error::UnknownVersion(id), "");
    let (row, (old, new)) = found.ok_or_else(unknown)?;
    let shown = shown(&row.path, scope);
    if !workspace.gate().shows_recorded(scope, &row.path) {
        return Err(unknown());
    }
    let sensitive = workspace.gate().is_sensitive_record(scope, &row.path);
    let masking = Masking { workspace, sensitive };
    Ok(format!("{}{}", heading(&row, &shown, workspace), difference(&masking, &shown, &old, &new)))
}

/// How content is masked before anything of it is shown.
struct Masking<'w> {
    workspace: &'w Workspace,
    /// Of a sensitive file every value goes, whatever it looks like.
    sensitive: bool,
}

impl Masking<'_> {
    fn mask(&self, content: &Content) -> Vec<u8> {
        let masked = self.workspace.redactor().redact_bytes(&content.bytes);
        if self.sensitive { mask_values(&masked) } else { masked.into_owned() }
    }
}

fn heading(newest: &Version, shown: &str, workspace: &Workspace) -> String {
    let by = if newest.op.is_by_tool() { format!(" by {}", echo(&newest.tool)) } else { String::new() };
    let task = if newest.task.is_empty() { String::new() } else { format!(", task {}", echo(&newest.task)) };
    let goal = if newest.goal.is_empty() { String::new() } else { format!(" ({})", echo(&newest.goal)) };
    let line = format!(
        "== {shown}: version {}, {}{by}, {}{task}{goal}",
        newest.id,
        newest.op.code(),
        show(newest.at, workspace.zone())
    );
    let masked = workspace.redactor().redact_bytes(line.as_bytes());
    format!("{}\n", String::from_utf8_lossy(&masked))
}

/// The stored content of one side, masked and bounded.
fn stored(masking: &Masking<'_>, side: &Side) -> String {
    match side {
        Side::Absent => "[no file]\n".to_owned(),
        Side::Omitted(gap) => format!("[its content is not kept: {}]\n", gap.code()),
        Side::File(content) if is_binary(content) => format!("[binary, {} bytes]\n", content.bytes.len()),
        Side::File(content) => {
            let masked = masking.mask(content);
            let text = String::from_utf8_lossy(&masked);
            let mut cut: String = text.chars().take(limits::DIFF_MODEL_CHARS).collect();
            let is_cut = cut.len() < text.len();
            if !cut.is_empty() && !cut.ends_with('\n') {
                cut.push('\n');
            }
            if is_cut {
                cut.push_str("[the rest is not shown; restoring brings all of it back]\n");
            }
            cut
        }
    }
}

/// The difference of two sides. Both are masked as a whole before any line is taken out.
fn difference(masking: &Masking<'_>, shown: &str, old: &Side, new: &Side) -> String {
    let bytes = |side: &Side| match side {
        Side::Absent => Ok(Vec::new()),
        Side::File(content) if is_binary(content) => Err(()),
        Side::File(content) => Ok(masking.mask(content)),
        Side::Omitted(_) => Err(()),
    };
    let (before, after) = match (bytes(old), bytes(new)) {
        (Ok(before), Ok(after)) => (before, after),
        _ => return format!("[{} -> {}]\n", size(old), size(new)),
    };
    if before == after {
        return match (old, new) {
            (Side::File(old), Side::File(new)) if old.bytes == new.bytes => {
                "[only permissions differ]\n".to_owned()
            }
            (Side::File(_), Side::File(_)) => "[only masked values differ]\n".to_owned(),
            _ => format!("[{} -> {}]\n", size(old), size(new)),
        };
    }
    let workspace = masking.workspace;
    match diff_views(shown, &before, &after, workspace.redactor(), workspace.reader()) {
        Ok(views) => views.for_model,
        Err(why) => format!("[{why}: {} -> {}]\n", size(old), size(new)),
    }
}

fn size(side: &Side) -> String {
    match side {
        Side::Absent => "no file".to_owned(),
        Side::File(content) => {
            let kind = if is_binary(content) { "binary, " } else { "" };
            format!("{kind}{} bytes", content.bytes.len())
        }
        Side::Omitted(gap) => format!("content not kept ({})", gap.code()),
    }
}

fn is_binary(content: &Content) -> bool {
    let head = &content.bytes[..content.bytes.len().min(limits::BINARY_HEAD)];
    memchr::memchr(0, head).is_some()
}
