//! `fs-tools history`: the recorded versions of files, for people and scripts.

use std::ffi::OsStr;
use std::io::{self, BufRead as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum, builder::RangedU64ValueParser};
use fs_tools::file_history::{
    ChangeId, Class as Stand, Failed, FileReport, Filter, OnConflict, Planned, Purge, State, UnixMillis,
    Version, Zone, time_range,
};
use fs_tools::{Call, Class, LocalTime, Scope, ToolError, Undo, Workspace, show_path};
use serde_json::{Map, Value, json};

use super::{fail, has_color, insert_bytes};
use crate::cli::Cli;
use crate::progress::{Line, Unit};
use crate::{config_file, confirm, output};

/// What the command does.
#[derive(Debug, Subcommand)]
pub(crate) enum HistoryCommand {
    /// List recorded versions, newest first; the exit status is 1 when there is none
    ///
    /// Times are local. --task lists one task.
    ///
    /// Example: fs-tools history list --from 2026-08-13 src/main.rs
    List(ListArgs),
    /// Show what the newest recorded change of each path did, or what changed outside the tools since
    ///
    /// Credentials are masked.
    Read(ReadArgs),
    /// Put one version back; the current content is recorded first
    Restore(RestoreArgs),
    /// Take back everything that a task did, all of it or nothing
    Undo(UndoArgs),
    /// Read every stored version back; the exit status is 1 when something is wrong
    Verify(Place),
    /// Forget recorded versions for good
    #[command(subcommand)]
    Purge(PurgeCommand),
    /// Show how much is recorded, and what was interrupted
    Stats(Place),
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Place {
    /// The history of files outside the workspace, which has version numbers of its own
    #[arg(long)]
    outside: bool,
}

impl Place {
    fn scope(self) -> Scope {
        if self.outside { Scope::Outside } else { Scope::Workspace }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Files whose versions are listed [default: all]
    paths: Vec<String>,
    /// Earliest local time: YYYY-MM-DD, or that with HH:MM or HH:MM:SS behind it
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Latest local time; the whole day, minute or second is included
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// Rows at most
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = RangedU64ValueParser::<u64>::new().range(1..=1000))]
    limit: u64,
    /// Only versions older than this one: the next page
    #[arg(long, value_name = "VERSION")]
    before: Option<u64>,
    /// Changes that came to nothing as well
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// Files to compare with the disk
    #[arg(required_unless_present = "change")]
    paths: Vec<String>,
    /// Show what this recorded change did instead
    #[arg(long, value_name = "VERSION", conflicts_with = "paths")]
    change: Option<u64>,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// Number of the version, as the list shows it
    version: u64,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    /// Answer a confirmation for this path with yes; may be repeated
    #[arg(long, value_name = "PATH")]
    confirm: Vec<String>,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// The task, as the list shows it
    #[arg(required_unless_present_any = ["resume", "rollback"], conflicts_with_all = ["resume", "rollback"])]
    undone: Option<String>,
    /// Only this file; may be repeated
    #[arg(long, value_name = "PATH", conflicts_with_all = ["resume", "rollback"])]
    path: Vec<String>,
    /// Carry an interrupted undo to its end
    #[arg(long, value_name = "SET", conflicts_with = "rollback")]
    resume: Option<u64>,
    /// Take an interrupted undo back
    #[arg(long, value_name = "SET")]
    rollback: Option<u64>,
    /// What to do when a file changed since
    #[arg(long, value_enum, value_name = "WHAT", default_value = "refuse")]
    on_conflict: Conflict,
    /// Only say what would be done; the exit status is 6 when something stands in the way
    #[arg(long)]
    dry_run: bool,
    /// Answer a confirmation for this path with yes; may be repeated
    #[arg(long, value_name = "PATH")]
    confirm: Vec<String>,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Conflict {
    /// Change nothing at all
    Refuse,
    /// Leave those files alone
    Skip,
    /// Record what is there, and go over it
    Force,
}

/// What is forgotten.
#[derive(Debug, Subcommand)]
pub(crate) enum PurgeCommand {
    /// Everything about one path, written as the list shows it
    Path {
        /// The path
        path: String,
        #[command(flatten)]
        sure: Sure,
    },
    /// Everything that a task did
    Task {
        /// The task
        name: String,
        #[command(flatten)]
        sure: Sure,
    },
    /// One change
    Change {
        /// Number of its version
        version: u64,
        #[command(flatten)]
        sure: Sure,
    },
    /// Everything
    All {
        #[command(flatten)]
        sure: Sure,
    },
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Sure {
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    place: Place,
}

/// Runs the command.
pub(crate) fn run(cli: &Cli, command: &HistoryCommand) -> anyhow::Result<ExitCode> {
    let tools = config_file::tool_set(cli)?;
    let workspace = tools.workspace();
    let done = match command {
        HistoryCommand::List(args) => list(cli, workspace, args),
        HistoryCommand::Read(args) => read(cli, workspace, args),
        HistoryCommand::Restore(args) => {
            let what = Undo::Version(args.version);
            take_back(cli, workspace, &what, args.place.scope(), args.dry_run, &args.confirm)
        }
        HistoryCommand::Undo(args) => undo(cli, workspace, args),
        HistoryCommand::Verify(place) => verify(cli, workspace, place.scope()),
        HistoryCommand::Purge(command) => purge(cli, workspace, command),
        HistoryCommand::Stats(place) => stats(cli, workspace, place.scope()),
    };
    match done {
        Ok(done) => {
            output::print(&done.text)?;
            Ok(done.error.map_or(ExitCode::from(done.status), |error| fail(&error, cli.json)))
        }
        Err(error) => Ok(fail(&error, cli.json)),
    }
}

/// What goes to standard output, and the exit status.
struct Done {
    text: String,
    status: u8,
    error: Option<ToolError>,
}

impl Done {
    fn ok(text: String) -> Self {
        Self { text, status: 0, error: None }
    }
}

/// The workspace's time zone, as the history asks for it.
struct In<'a>(&'a dyn LocalTime);

impl Zone for In<'_> {
    fn instants(&self, local: i64) -> (UnixMillis, UnixMillis) {
        let (earliest, latest) = self.0.instants(local);
        (UnixMillis(earliest), UnixMillis(latest))
    }
}

fn list(cli: &Cli, workspace: &Workspace, args: &ListArgs) -> Result<Done, ToolError> {
    let usage = |error: fs_tools::file_history::Error| {
        ToolError::new(Class::Usage, error.code(), error.to_string()).hint("correct --from or --to")
    };
    let zone = In(workspace.zone());
    let (from, to) = time_range(args.from.as_deref(), args.to.as_deref(), &zone).map_err(usage)?;
    let mut scope = args.place.scope();
    let mut names = Vec::new();
    for path in &args.paths {
        let (found, name) = workspace.history_path(path, &Call::plain())?;
        if names.is_empty() {
            scope = found;
        }
        if found != scope {
            return Err(ToolError::new(
                Class::Usage,
                "wrong_scope",
                "files of the workspace and files outside it have histories of their own",
            )
            .hint("list them apart"));
        }
        names.push(name);
    }
    let names: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
    let filter = Filter {
        paths: &names,
        task: cli.task.as_deref(),
        from,
        to,
        below: args.before.map(ChangeId),
        failed: if args.all { Failed::Show } else { Failed::Hide },
        limit: usize::try_from(args.limit).unwrap_or(usize::MAX),
    };
    let page = workspace.history_in(scope, |history| history.list(&filter))?;
    let (rows, more) = page.map_or((Vec::new(), false), |page| (page.rows, page.more));
    let status = u8::from(rows.is_empty());
    if cli.json {
        let rows: Vec<Value> = rows.iter().map(|row| to_json(row, workspace.zone())).collect();
        return Ok(Done {
            text: format!("{}\n", json!({"versions": rows, "more": more})),
            status,
            error: None,
        });
    }
    let mut text: String = rows.iter().map(|row| to_line(row, workspace.zone())).collect();
    if let (true, Some(last)) = (more, rows.last()) {
        text.push_str(&format!("[there are more: --before {}]\n", last.id));
    }
    if rows.is_empty() {
        output::note("no recorded changes");
    }
    Ok(Done { text, status, error: None })
}

fn local(at: UnixMillis, zone: &dyn LocalTime) -> String {
    let unix = at.0.div_euclid(1000);
    let offset = chrono::FixedOffset::east_opt(zone.offset_at(unix));
    match (chrono::DateTime::from_timestamp(unix, 0), offset) {
        (Some(at), Some(offset)) => at.with_timezone(&offset).format("%Y-%m-%d %H:%M:%S").to_string(),
        _ => format!("{unix}"),
    }
}

fn path_of(bytes: &[u8]) -> String {
    show_path(Path::new(OsStr::from_bytes(bytes))).into_owned()
}

/// Keeps a word of somebody else on its line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn to_line(row: &Version, zone: &dyn LocalTime) -> String {
    let size = match row.after {
        State::Absent => "-".to_owned(),
        state => state.len().to_string(),
    };
    let mut line = format!(
        "{:>6}  {}  {:8}  {:>9}  {}",
        row.id.0,
        local(row.at, zone),
        row.op.code(),
        size,
        path_of(&row.path)
    );
    for (name, value) in [("by", &row.tool), ("task", &row.task), ("goal", &row.goal)] {
        if !value.is_empty() {
            line.push_str(&format!("  {name}={}", one_line(value)));
        }
    }
    if let Some(from) = row.from {
        line.push_str(&format!("  from={from}"));
    }
    if row.outcome.code() != "done" {
        line.push_str(&format!("  {}", row.outcome.code()));
    }
    if let Some(gap) = row.gap() {
        line.push_str(&format!("  not restorable: {}", gap.code()));
    }
    line.push('\n');
    line
}

fn to_json(row: &Version, zone: &dyn LocalTime) -> Value {
    let mut map = Map::new();
    map.insert("version".into(), json!(row.id.0));
    insert_bytes(&mut map, "path", &row.path);
    map.insert("display".into(), json!(path_of(&row.path)));
    map.insert("action".into(), json!(row.op.code()));
    map.insert("changed_at".into(), json!(local(row.at, zone)));
    map.insert("unix_ms".into(), json!(row.at.0));
    map.insert("tool".into(), json!(row.tool));
    map.insert("task".into(), json!(row.task));
    map.insert("goal".into(), json!(row.goal));
    map.insert("run".into(), json!(row.run));
    map.insert("exists".into(), json!(row.after != State::Absent));
    map.insert("size".into(), json!(row.after.len()));
    map.insert("outcome".into(), json!(row.outcome.code()));
    map.insert("from".into(), json!(row.from.map(|from| from.0)));
    map.insert("set".into(), json!(row.set.map(|set| set.0)));
    map.insert("restorable".into(), json!(row.gap().is_none()));
    map.insert("reason".into(), json!(row.gap().map(|gap| gap.code())));
    Value::Object(map)
}

fn read(cli: &Cli, workspace: &Workspace, args: &ReadArgs) -> Result<Done, ToolError> {
    let confirm = confirm::Terminal::new(&[]);
    let call = Call { confirm: &confirm, ..Call::plain() };
    let mut done = Done::ok(String::new());
    let mut blocks = Vec::new();
    if let Some(version) = args.change {
        let text = workspace.change_text(version, args.place.scope())?;
        blocks.push((json!({"version": version}), text));
    }
    for path in &args.paths {
        match workspace.history_text(path, &call) {
            Ok(text) => blocks.push((json!({"path": path}), text)),
            // The other paths are still worth reading.
            Err(error) => {
                if let Some(earlier) = done.error.replace(error) {
                    let _ = fail(&earlier, cli.json);
                }
            }
        }
    }
    let color = has_color(cli);
    for (mut object, text) in blocks {
        if cli.json {
            object["text"] = text.into();
            done.text.push_str(&format!("{object}\n"));
        } else if color {
            done.text.extend(text.split_inclusive('\n').map(paint));
        } else {
            done.text.push_str(&text);
        }
    }
    Ok(done)
}

/// One line of a diff in its colour.
fn paint(line: &str) -> String {
    let color = match line.as_bytes() {
        [b'=', b'=', ..] | [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => "1",
        [b'@', b'@', ..] => "36",
        [b'+', ..] => "32",
        [b'-', ..] => "31",
        [b'[', ..] => "33",
        _ => return line.to_owned(),
    };
    let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
    format!("\x1b[{color}m{text}\x1b[0m{end}")
}

fn undo(cli: &Cli, workspace: &Workspace, args: &UndoArgs) -> Result<Done, ToolError> {
    let on_conflict = match args.on_conflict {
        Conflict::Refuse => OnConflict::Refuse,
        Conflict::Skip => OnConflict::Skip,
        Conflict::Force => OnConflict::Force,
    };
    let paths: Vec<&str> = args.path.iter().map(String::as_str).collect();
    let what = match (args.resume, args.rollback, args.undone.as_deref()) {
        (Some(set), _, _) => Undo::Resume { set, on_conflict },
        (_, Some(set), _) => Undo::Rollback { set, on_conflict },
        (_, _, task) => Undo::Task { task: task.unwrap_or_default(), paths: &paths, on_conflict },
    };
    take_back(cli, workspace, &what, args.place.scope(), args.dry_run, &args.confirm)
}

fn take_back(
    cli: &Cli,
    workspace: &Workspace,
    what: &Undo<'_>,
    scope: Scope,
    is_dry: bool,
    confirmed: &[String],
) -> Result<Done, ToolError> {
    let whose = cli.whose();
    let line = Line::start("taking back", Unit::None);
    let confirm = confirm::Terminal::new(confirmed).beside(&line);
    let call = Call { confirm: &confirm, origin: whose.origin(), ..Call::plain() };
    // What an interrupted process left is found out first: it may be what is to be taken back.
    let _ = workspace.recover_history()?;
    if is_dry {
        let forecast = workspace.forecast(what, scope, &call)?;
        let files = forecast.plan.files();
        let refused = forecast.plan.is_refused();
        let asks = |file: &Planned| forecast.to_confirm.contains(&file.path);
        let text = if cli.json {
            let files: Vec<Value> = files.iter().map(|file| planned_json(file, asks(file))).collect();
            format!("{}\n", json!({"refused": refused, "files": files}))
        } else {
            files.iter().map(|file| planned_line(file, asks(file))).collect()
        };
        return Ok(Done { text, status: if refused { 6 } else { 0 }, error: None });
    }
    let undone = workspace.undo(what, scope, "history", &call)?;
    let text = if cli.json {
        let files: Vec<Value> = undone.report.files.iter().map(report_json).collect();
        let set = undone.report.set.map(|set| set.0);
        format!("{}\n", json!({"status": undone.report.status.code(), "set": set, "files": files}))
    } else {
        undone.text()
    };
    Ok(Done { text, status: 0, error: undone.error() })
}

fn planned_line(file: &Planned, asks: bool) -> String {
    let from = file.from.map(|from| format!(", content of version {from}")).unwrap_or_default();
    let asks = if asks { ", needs a confirmation" } else { "" };
    format!("{} {}{from}{asks}\n", stand_code(&file.class), path_of(&file.path))
}

fn stand_code(class: &Stand) -> String {
    match class {
        Stand::LaterTask { task, version } => format!("later_task({}, version {version})", one_line(task)),
        Stand::External { version: Some(version) } => format!("external(version {version})"),
        Stand::NotRestorable(gap) => format!("not_restorable({})", gap.code()),
        Stand::Blocked(block) => format!("blocked({})", block.code()),
        class => class.code().to_owned(),
    }
}

fn stand_json(map: &mut Map<String, Value>, class: &Stand) {
    map.insert("class".into(), json!(class.code()));
    match class {
        Stand::LaterTask { task, version } => {
            map.insert("later_task".into(), json!(task));
            map.insert("later_version".into(), json!(version.0));
        }
        Stand::External { version: Some(version) } => {
            map.insert("later_version".into(), json!(version.0));
        }
        Stand::NotRestorable(gap) => {
            map.insert("reason".into(), json!(gap.code()));
        }
        Stand::Blocked(block) => {
            map.insert("reason".into(), json!(block.code()));
        }
        _ => {}
    }
}

fn planned_json(file: &Planned, asks: bool) -> Value {
    let mut map = Map::new();
    insert_bytes(&mut map, "path", &file.path);
    stand_json(&mut map, &file.class);
    map.insert("from".into(), json!(file.from.map(|from| from.0)));
    map.insert("needs_confirmation".into(), json!(asks));
    Value::Object(map)
}

fn report_json(file: &FileReport) -> Value {
    let mut map = Map::new();
    insert_bytes(&mut map, "path", &file.path);
    map.insert("result".into(), json!(file.result.code()));
    stand_json(&mut map, &file.class);
    map.insert("from".into(), json!(file.from.map(|from| from.0)));
    map.insert("version".into(), json!(file.version.map(|version| version.0)));
    map.insert("new_dirs".into(), json!(file.new_dirs));
    Value::Object(map)
}

fn verify(cli: &Cli, workspace: &Workspace, scope: Scope) -> Result<Done, ToolError> {
    let line = Line::start("reading the history back", Unit::None);
    let found = workspace.history_in(scope, |history| history.verify())?.unwrap_or_default();
    drop(line);
    let damaged: Vec<u64> = found.damaged.iter().map(|id| id.0).collect();
    let status = u8::from(!found.is_sound());
    let text = if cli.json {
        let object = json!({
            "sound": found.is_sound(), "changes": found.changes, "contents": found.blobs,
            "damaged": damaged, "locked": found.locked, "problems": found.problems,
        });
        format!("{object}\n")
    } else {
        let read = found.blobs - found.locked;
        let mut text = format!("{} changes and {read} contents read back\n", found.changes);
        if found.locked > 0 {
            text.push_str(&format!(
                "{} contents not checked: sealed with a key that is not in the file of fs_tools.history.key_file\n",
                found.locked
            ));
        }
        text.extend(damaged.iter().map(|id| format!("damaged: version {id}\n")));
        text.extend(found.problems.iter().map(|problem| format!("problem: {problem}\n")));
        text
    };
    Ok(Done { text, status, error: None })
}

fn stats(cli: &Cli, workspace: &Workspace, scope: Scope) -> Result<Done, ToolError> {
    let dir = workspace.state_dir().map(show_path).unwrap_or_default();
    let found = workspace.history_in(scope, |history| {
        Ok((
            history.stats()?,
            history.interrupted()?,
            history.list(&Filter { limit: 1, ..Filter::default() })?,
        ))
    })?;
    let Some((size, interrupted, newest)) = found else {
        let text = if cli.json {
            json!({"state_dir": dir, "changes": 0}).to_string()
        } else {
            "nothing is recorded".into()
        };
        return Ok(Done::ok(format!("{text}\n")));
    };
    let newest = newest.rows.first().map(|row| local(row.at, workspace.zone()));
    if cli.json {
        let sets: Vec<Value> = interrupted
            .iter()
            .map(|(set, _, done, all)| json!({"set": set.0, "published": done, "files": all}))
            .collect();
        let object = json!({
            "state_dir": dir, "changes": size.changes, "contents": size.blobs, "stored_bytes": size.stored_bytes,
            "raw_bytes": size.raw_bytes, "newest": newest, "interrupted": sets,
        });
        return Ok(Done::ok(format!("{object}\n")));
    }
    let mut text = format!(
        "state directory  {dir}\nchanges          {}\ncontents         {}\nstored bytes     {}\nraw bytes        {}\n",
        size.changes, size.blobs, size.stored_bytes, size.raw_bytes
    );
    if let Some(newest) = newest {
        text.push_str(&format!("newest           {newest}\n"));
    }
    for (set, _, done, all) in interrupted {
        text.push_str(&format!(
            "interrupted      set {set}: {done} of {all} files; history undo --resume {set}, or --rollback {set}\n"
        ));
    }
    Ok(Done::ok(text))
}

fn purge(cli: &Cli, workspace: &Workspace, command: &PurgeCommand) -> Result<Done, ToolError> {
    let (what, sure, words) = match command {
        PurgeCommand::Path { path, sure } => {
            (Purge::Path(path.as_bytes()), sure, format!("everything about {}", one_line(path)))
        }
        PurgeCommand::Task { name, sure } => {
            (Purge::Task(name), sure, format!("everything that {} did", one_line(name)))
        }
        PurgeCommand::Change { version, sure } => {
            (Purge::Change(ChangeId(*version)), sure, format!("version {version}"))
        }
        PurgeCommand::All { sure } => (Purge::All, sure, "the whole history of this workspace".to_owned()),
    };
    if !sure.yes && !is_sure(&words) {
        return Err(ToolError::new(
            Class::Confirmation,
            "confirmation_needed",
            format!("forgetting {words} cannot be taken back, and nobody said yes"),
        )
        .hint("add --yes"));
    }
    let scope = sure.place.scope();
    let line = Line::start("forgetting", Unit::None);
    let gone = workspace.history_in(scope, |history| history.purge(what))?.unwrap_or_default();
    drop(line);
    let text = if cli.json {
        json!({"changes": gone.changes, "contents": gone.blobs}).to_string()
    } else {
        format!("forgot {} changes and {} contents", gone.changes, gone.blobs)
    };
    Ok(Done { text: format!("{text}\n"), status: u8::from(gone.changes == 0), error: None })
}

fn is_sure(words: &str) -> bool {
    if !confirm::is_person_present() {
        return false;
    }
    let mut err = io::stderr().lock();
    if write!(err, "Forget {words}? It cannot be taken back. [y/N] ").and_then(|()| err.flush()).is_err() {
        return false;
    }
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).is_ok()
        && matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}
