//! `fs-tools patch`: applies a V4A patch, or writes one from two files.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use fs_tools::v4a_patch::{
    self, DiffError, DiffOptions, FileMap, Headers, Limits, MultiApplied, Options, Report, Tier, Wrapping,
};
use fs_tools::{Call, Class, ToolError, show_path};
use serde_json::{Map, Value, json};

use super::patch_errors::{explain, fields};
use super::{STDIN, fail, fail_with, insert_bytes, patch_write, read_all, refuse};
use crate::cli::Cli;
use crate::output::note;
use crate::{config_file, confirm, output};

/// The two directions.
#[derive(Debug, Subcommand)]
pub(crate) enum PatchCommand {
    /// Apply the V4A patch on standard input to FILE and print the result
    ///
    /// With --json, a failure is one line on standard error with code, patch line, hunk and candidates, and a success is
    /// reported there hunk by hunk.
    ///
    /// With --profile multi, the patch may add, delete, move and update the files below --dir. What each changed file
    /// would be is printed as one JSON object a line, all of them or none. With --in-place the changes are made, all or
    /// none, as a task of the history; a file that moves is created anew, with the mode of a new file.
    ///
    /// Example: fs-tools patch apply --path src/main.rs src/main.rs < fix.patch
    Apply(ApplyArgs),
    /// Print the V4A patch that turns OLD into NEW; the exit status is 1 when they differ
    ///
    /// What the language cannot say, such as a final newline that comes or goes, is refused with a code.
    ///
    /// Example: fs-tools patch diff main.rs.orig main.rs
    Diff(DiffArgs),
}

/// Arguments of `apply`.
#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    /// Dialect of the patch
    #[arg(long, value_enum, default_value = "edit_file")]
    profile: Dialect,
    /// Name of FILE in the header of the patch [default: FILE]
    #[arg(long, value_name = "NAME")]
    path: Option<String>,
    /// File that the patch is for
    #[arg(required_if_eq("profile", "edit_file"))]
    file: Option<PathBuf>,
    /// Write instead of printing, as the tools of the workspace do
    #[arg(long)]
    in_place: bool,
    /// What the text after @@ is good for
    #[arg(long, value_enum, default_value = "informational")]
    headers: HeaderUse,
    /// Accept one code fence or here-document around the patch
    #[arg(long)]
    lenient: bool,
    /// Directory of the files of a multi-file patch [default: the working directory]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The file as it was; - is standard input
    old: PathBuf,
    /// The file as it should be; - is standard input
    new: PathBuf,
    /// Write an envelope and a header that names this path
    #[arg(long, value_name = "NAME")]
    path: Option<String>,
    /// Lines of context around a change
    #[arg(short = 'C', long, value_name = "N", default_value_t = 3)]
    context: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Dialect {
    /// One existing file
    #[value(name = "edit_file")]
    EditFile,
    /// Several files: add, delete, move, update
    Multi,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum HeaderUse {
    /// It informs the reader
    Informational,
    /// It chooses between several places where a hunk fits
    Disambiguate,
}

impl ApplyArgs {
    fn options(&self) -> Options<'static> {
        Options {
            headers: match self.headers {
                HeaderUse::Informational => Headers::Informational,
                HeaderUse::Disambiguate => Headers::Disambiguate,
            },
            wrapping: if self.lenient { Wrapping::Lenient } else { Wrapping::Strict },
            ..Options::default()
        }
    }

    /// Whether `edit_file` itself would read the patch as these arguments ask for.
    fn are_those_of_the_tool(&self) -> bool {
        self.path.is_none() && self.headers == HeaderUse::Informational && !self.lenient
    }
}

/// Runs the command.
pub(crate) fn run(cli: &Cli, command: &PatchCommand) -> anyhow::Result<ExitCode> {
    match command {
        PatchCommand::Apply(args) if args.profile == Dialect::Multi => apply_multi(cli, args),
        PatchCommand::Apply(args) => apply(cli, args),
        PatchCommand::Diff(args) => diff(cli, args),
    }
}

fn apply(cli: &Cli, args: &ApplyArgs) -> anyhow::Result<ExitCode> {
    if args.dir.is_some() {
        return Ok(refuse(cli, "--dir belongs to --profile multi", "name the file instead"));
    }
    let Some(file) = &args.file else {
        return Ok(refuse(cli, "there is no FILE", "name the file that the patch is for"));
    };
    let redactor = config_file::config(cli)?.redactor()?;
    let (patch, before) = match read_patch().and_then(|patch| Ok((patch, read_file(file)?))) {
        Ok(read) => read,
        Err(error) => return Ok(fail(&error, cli.json)),
    };
    let shown = show_path(file);
    let name = args.path.as_deref().unwrap_or(&shown);
    let plan = match v4a_patch::plan(&before, &patch, name, &args.options()) {
        Ok(plan) => plan,
        Err(error) => {
            let show = |line: &[u8]| super::masked_line(&redactor, line);
            return Ok(fail_with(&explain(&error, &shown, &before, &patch, &show), fields(&error), cli.json));
        }
    };
    if args.in_place {
        return write_in_place(cli, args, file, &before, &plan.render(), &patch);
    }
    let mut out = io::stdout().lock();
    match plan.slices().try_for_each(|slice| out.write_all(slice)).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error.into()),
        _ => {}
    }
    if cli.json {
        note(&json!({ "report": report_json(plan.report()) }).to_string());
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes through the tool `edit_file`: its gate, its atomic replacement, its read-back and its answer.
fn write_in_place(
    cli: &Cli,
    args: &ApplyArgs,
    file: &Path,
    before: &[u8],
    after: &[u8],
    patch: &[u8],
) -> anyhow::Result<ExitCode> {
    let path = std::path::absolute(file)?;
    let patch = if args.are_those_of_the_tool() && !names_a_file(patch) {
        String::from_utf8_lossy(patch).into_owned()
    } else {
        // The options are ours alone: the tool gets a plain patch with the same effect.
        match v4a_patch::diff(before, after, &DiffOptions::default()) {
            Ok(patch) if patch.is_empty() => {
                note("fs-tools: the patch changes nothing");
                return Ok(ExitCode::SUCCESS);
            }
            Ok(patch) => patch,
            Err(error) => return Ok(fail(&diff_error(&error, file), cli.json)),
        }
    };
    let tools = config_file::tool_set(cli)?;
    let confirm = confirm::Terminal::new(&[]);
    let arguments = json!({ "path": show_path(&path), "patch": patch });
    let whose = cli.whose();
    let reply = tools.call(
        "edit_file",
        &arguments,
        &Call { confirm: &confirm, origin: whose.origin(), ..Call::plain() },
    );
    output::reply(&reply, cli.json)
}

/// Whether the patch has a header with a path, which only we can compare with the name that was given.
fn names_a_file(patch: &[u8]) -> bool {
    patch.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"*** Update File:"))
}

fn apply_multi(cli: &Cli, args: &ApplyArgs) -> anyhow::Result<ExitCode> {
    if args.file.is_some() || args.path.is_some() {
        let text = "--profile multi takes its files from the patch";
        return Ok(refuse(cli, text, "leave out FILE and --path, and use --dir"));
    }
    if args.in_place && cli.task.is_some() {
        return Ok(refuse(cli, "a patch of several files is a task of its own", "leave out --task"));
    }
    let redactor = config_file::config(cli)?.redactor()?;
    let dir = args.dir.as_deref().unwrap_or(Path::new("."));
    let read = read_patch().and_then(|patch| Ok((patch, Below::new(dir)?)));
    let (patch, files) = match read {
        Ok(read) => read,
        Err(error) => return Ok(fail(&error, cli.json)),
    };
    let done: MultiApplied = match v4a_patch::apply_multi(&files, &patch, &args.options()) {
        Ok(done) => done,
        Err(error) => {
            let show = |line: &[u8]| super::masked_line(&redactor, line);
            return Ok(fail_with(
                &explain(&error, &show_path(dir), b"", &patch, &show),
                fields(&error),
                cli.json,
            ));
        }
    };
    let reports: Value = done
        .reports
        .iter()
        .map(|(path, report)| json!({ "path": path, "report": report_json(report) }))
        .collect();
    if args.in_place {
        return patch_write::write(cli, &files, &done.changes, &reports);
    }
    let mut text = String::new();
    for change in &done.changes {
        let mut object = Map::new();
        object.insert("path".into(), change.path.as_str().into());
        object.insert("existed".into(), change.existed.into());
        object.insert("moved_from".into(), json!(change.moved_from));
        match &change.content {
            Some(content) => insert_bytes(&mut object, "content", content),
            None => drop(object.insert("content".into(), Value::Null)),
        }
        text.push_str(&format!("{}\n", Value::Object(object)));
    }
    output::print(&text)?;
    if cli.json {
        note(&json!({ "reports": reports }).to_string());
    }
    Ok(ExitCode::SUCCESS)
}

/// The files below a directory: nothing outside is read, through `..`, absolute names or links. What was read once is
/// what the patch is about, whatever becomes of the file.
pub(super) struct Below {
    dir: PathBuf,
    read: RefCell<BTreeMap<String, Vec<u8>>>,
}

impl Below {
    pub(super) fn new(dir: &Path) -> Result<Self, ToolError> {
        let dir = dir.canonicalize().map_err(|error| super::file_error(dir, &error))?;
        Ok(Self { dir, read: RefCell::default() })
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The absolute path of a file.
    pub(super) fn full(&self, path: &str) -> PathBuf {
        self.dir.join(path)
    }

    /// The content that the patch was made for.
    pub(super) fn known(&self, path: &str) -> Result<Vec<u8>, ToolError> {
        self.read.borrow().get(path).cloned().ok_or_else(|| {
            ToolError::new(Class::Internal, "internal", "a file is changed that was not read").at(path)
        })
    }
}

impl FileMap for Below {
    fn read(&self, path: &str) -> Result<Option<Cow<'_, [u8]>>, String> {
        if let Some(bytes) = self.read.borrow().get(path) {
            return Ok(Some(Cow::Owned(bytes.clone())));
        }
        let relative = Path::new(path);
        if relative.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Err("the path leaves the directory".into());
        }
        let found = match self.dir.join(relative).canonicalize() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            result => result.map_err(|error| error.to_string())?,
        };
        if !found.starts_with(&self.dir) {
            return Err("the path leads out of the directory".into());
        }
        if !found.metadata().is_ok_and(|meta| meta.is_file()) {
            return Err("it is not a regular file".into());
        }
        let bytes = read_file(&found).map_err(|error| error.message().to_owned())?;
        self.read.borrow_mut().insert(path.to_owned(), bytes.clone());
        Ok(Some(Cow::Owned(bytes)))
    }
}

fn diff(cli: &Cli, args: &DiffArgs) -> anyhow::Result<ExitCode> {
    if args.old == Path::new(STDIN) && args.new == Path::new(STDIN) {
        return Ok(refuse(cli, "both OLD and NEW are standard input", "name a file for one of them"));
    }
    let (old, new) = match read_file(&args.old).and_then(|old| Ok((old, read_file(&args.new)?))) {
        Ok(read) => read,
        Err(error) => return Ok(fail(&error, cli.json)),
    };
    let options =
        DiffOptions { context_lines: args.context, path: args.path.as_deref(), limits: Limits::default() };
    let patch = match v4a_patch::diff(&old, &new, &options) {
        Ok(patch) => patch,
        Err(error) => {
            let mut more = Map::new();
            if let DiffError::Unrepresentable { reason, line } = &error {
                more.insert("reason".into(), reason.code().into());
                more.insert("line".into(), (*line).into());
            }
            return Ok(fail_with(&diff_error(&error, &args.new), more, cli.json));
        }
    };
    if cli.json {
        output::print(&format!("{}\n", json!({ "equal": old == new, "patch": patch })))?;
    } else {
        output::print(&patch)?;
    }
    Ok(ExitCode::from(u8::from(old != new)))
}

pub(super) fn diff_error(error: &DiffError, file: &Path) -> ToolError {
    let (class, hint) = match error {
        DiffError::Unrepresentable { .. } => (Class::Failure, "write the whole file instead of a patch"),
        DiffError::InvalidPath => {
            (Class::Usage, "give a path without line breaks and without blanks at its ends")
        }
        _ => (Class::Limit, "write the whole file instead of a patch"),
    };
    ToolError::new(class, error.code(), error.to_string()).at(show_path(file)).hint(hint)
}

/// Reads the patch from standard input; one byte more than allowed, so that the parser says what is wrong.
fn read_patch() -> Result<Vec<u8>, ToolError> {
    let mut patch = Vec::new();
    io::stdin()
        .lock()
        .take(Limits::default().max_patch_bytes as u64 + 1)
        .read_to_end(&mut patch)
        .map_err(|error| super::file_error(Path::new(STDIN), &error))?;
    Ok(patch)
}

fn read_file(path: &Path) -> Result<Vec<u8>, ToolError> {
    read_all(path, Limits::default().max_file_bytes)
}

fn report_json(report: &Report) -> Value {
    let hunks: Vec<Value> = report
        .hunks
        .iter()
        .map(|hunk| {
            json!({
                "hunk": hunk.hunk, "patch_line": hunk.patch_line, "line": hunk.line, "new_line": hunk.new_line,
                "matched": hunk.matched, "removed": hunk.removed, "added": hunk.added,
                "tier": if hunk.tier == Tier::Exact { "exact" } else { "trailing_whitespace" },
                "fallback": hunk.fallback, "end_of_file": hunk.end_of_file, "by_header": hunk.by_header,
                "also_at": hunk.also_at,
            })
        })
        .collect();
    json!({ "changed": report.changed, "hunks": hunks })
}
