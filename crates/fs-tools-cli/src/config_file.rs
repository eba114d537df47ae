//! Where the configuration and the workspace come from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use fs_tools::{Config, ConfigError, Loaded, OpenError, Options, ToolSet, Toolset, Workspace};

use crate::cli::{Cli, Command, Family};
use crate::document_worker::{Worker, WorkerLimits};
use crate::local_time::SystemZone;
use crate::output::{UsageError, note};

/// Builds the tools from the command line, the configuration and the environment.
pub(crate) fn tool_set(cli: &Cli) -> anyhow::Result<ToolSet> {
    let prepared = prepare(cli)?;
    let (root, _) = workspace(cli, &prepared.config)?;
    prepared.tools_in(root, working_dir()?, prepared.config.clone())
}

/// What tools are made from; read before the process locks itself.
pub(crate) struct Prepared {
    source: Option<PathBuf>,
    config: Config,
    toolset: Toolset,
    /// One command searches once: an index would come too late for it.
    long_lived: bool,
}

/// Reads what tools are made from.
pub(crate) fn prepare(cli: &Cli) -> anyhow::Result<Prepared> {
    let document = document(cli)?;
    let config = load(&document)?.config;
    let toolset = match cli.toolset {
        Some(Family::Batch) => Toolset::Batch,
        Some(Family::Classic) | None => Toolset::Classic,
    };
    let long_lived = matches!(cli.command, Command::Mcp(_));
    Ok(Prepared { source: document.path, config, toolset, long_lived })
}

impl Prepared {
    /// Builds the tools for a workspace, with access to some more directories.
    pub(crate) fn tools_at(&self, root: PathBuf, others: &[PathBuf]) -> anyhow::Result<ToolSet> {
        let mut config = self.config.clone();
        for other in others {
            let other = other.to_str().context("a directory whose name is not UTF-8 cannot be granted")?;
            let pattern = format!("^{}$", escape(other));
            config.allow_read_paths.push(pattern.clone());
            config.allow_write_paths.push(pattern);
        }
        self.tools_in(root.clone(), root, config)
    }

    fn tools_in(&self, root: PathBuf, working_dir: PathBuf, config: Config) -> anyhow::Result<ToolSet> {
        if let Some(path) = &self.source {
            keep_apart(path, &root)?;
        }
        let mut options = Options::new(root, config);
        options.toolset = self.toolset;
        options.home = home();
        options.working_dir = working_dir;
        options.state_dirs.extend(self.source.clone());
        options.zone = Arc::new(SystemZone);
        options.documents = Arc::new(Worker::of_this_program(WorkerLimits::default()));
        options.transcriber =
            fs_tools::transcriber(&options.config.transcribe, &|name| std::env::var(name).ok());
        options.long_lived = self.long_lived;
        open(options)
    }
}

/// A regular expression that matches `text` and nothing else.
fn escape(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, char| {
        if char.is_ascii_punctuation() && !matches!(char, '/' | '_') {
            out.push('\\');
        }
        out.push(char);
        out
    })
}

/// Opens the workspace, without a history where none can be kept.
fn open(mut options: Options) -> anyhow::Result<ToolSet> {
    if options.config.history {
        options.state_dir = state_dir(options.home.as_deref());
        if options.state_dir.is_none() {
            note(&format!("fs-tools: warning: nothing is recorded, so nothing can be undone: {STATE_HINT}"));
        }
    }
    let workspace = match Workspace::open(options.clone()) {
        Err(OpenError::StateInside { path }) => {
            note(&format!(
                "fs-tools: warning: nothing is recorded, so nothing can be undone: {} lies inside the workspace; {STATE_HINT}",
                path.display()
            ));
            Workspace::open(Options { state_dir: None, ..options })
        }
        opened => opened,
    }?;
    for warning in workspace.warnings() {
        note(&format!("fs-tools: warning: {warning}"));
    }
    Ok(ToolSet::new(workspace))
}

/// What to do where no history can be kept.
const STATE_HINT: &str = "set XDG_STATE_HOME to a directory outside it, or fs_tools.history.enabled to false";

/// Where the history is kept: below `$XDG_STATE_HOME`, else below the home directory.
fn state_dir(home: Option<&Path>) -> Option<PathBuf> {
    let set = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    set.or_else(|| home.map(|home| home.join(".local/state"))).map(|state| state.join("fs-tools"))
}

/// Makes the state directory, for its owner alone: a lock by the kernel can only grant what is there.
pub(crate) fn make_state_dir(workspace: &Workspace) {
    use std::os::unix::fs::DirBuilderExt as _;
    if let Some(dir) = workspace.state_dir() {
        // A directory that cannot be made is reported by the first change that cannot be recorded.
        let _ = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir);
    }
}

/// Returns the effective configuration alone, for commands that need no workspace.
pub(crate) fn config(cli: &Cli) -> anyhow::Result<Config> {
    Ok(load(&document(cli)?)?.config)
}

/// The user's home directory.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from).filter(|path| path.is_absolute())
}

fn working_dir() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("the working directory cannot be determined")
}

/// Who chose a file or a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChosenBy {
    /// The command line.
    Flag,
    /// A variable of the environment.
    Environment,
    /// The configuration document.
    Document,
    /// Nobody: it is the usual place.
    Default,
}

impl ChosenBy {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Environment => "environment",
            Self::Document => "file",
            Self::Default => "default",
        }
    }
}

/// A configuration document: its place, if there is one, and its text.
pub(crate) struct Document {
    pub(crate) path: Option<PathBuf>,
    pub(crate) chosen_by: ChosenBy,
    pub(crate) text: String,
}

/// Returns what the document says; warnings go to standard error.
pub(crate) fn load(document: &Document) -> anyhow::Result<Loaded> {
    let loaded = read(&document.text).map_err(|error| match &document.path {
        Some(path) => anyhow::Error::new(error).context(format!("in {}", path.display())),
        None => error.into(),
    })?;
    for warning in &loaded.warnings {
        note(&format!("fs-tools: warning: {warning}"));
    }
    Ok(loaded)
}

/// Where the configuration is looked for when nothing names one: `$XDG_CONFIG_HOME`, else the home directory.
pub(crate) fn default_place(home: Option<&Path>) -> Option<PathBuf> {
    let directory = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| home.map(|home| home.join(".config")))?;
    Some(directory.join("fs-tools/config.json"))
}

/// Reads a document together with the environment.
pub(crate) fn read(text: &str) -> Result<Loaded, ConfigError> {
    Config::load(text, &|name| std::env::var(name).ok())
}

/// Finds the configuration document; none at all is the default configuration.
pub(crate) fn document(cli: &Cli) -> anyhow::Result<Document> {
    let variable =
        || std::env::var_os("FS_TOOLS_CONFIG").filter(|value| !value.is_empty()).map(PathBuf::from);
    let asked = match &cli.config {
        Some(path) => Some((path.clone(), ChosenBy::Flag)),
        None => variable().map(|path| (path, ChosenBy::Environment)),
    };
    if let Some((path, chosen_by)) = asked {
        let text = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
        return Ok(Document { path: Some(path), chosen_by, text });
    }
    let (path, text) = match default_place(home().as_deref()) {
        None => (None, String::new()),
        Some(path) => match std::fs::read_to_string(&path) {
            Ok(text) => (Some(path), text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (None, String::new()),
            Err(error) => return Err(unreadable(&path, &error).into()),
        },
    };
    Ok(Document { path, chosen_by: ChosenBy::Default, text })
}

/// Refuses a document that the agent could write.
pub(crate) fn keep_apart(document: &Path, workspace: &Path) -> anyhow::Result<()> {
    if let (Ok(file), Ok(inside)) = (document.canonicalize(), workspace.canonicalize())
        && file.starts_with(&inside)
    {
        return Err(UsageError::new(
            "config_inside_workspace",
            format!(
                "the configuration {} lies inside the workspace, where the agent can write",
                document.display()
            ),
            "keep it elsewhere",
        )
        .into());
    }
    Ok(())
}

fn unreadable(path: &Path, error: &std::io::Error) -> UsageError {
    UsageError::new(
        "config_unreadable",
        format!("the configuration {} cannot be read: {error}", path.display()),
        "make it readable, or name another one with --config FILE",
    )
}

/// Chooses the workspace: the command line, the configuration, the working directory. A whole disk or a whole home
/// directory is taken only when the command line names it.
pub(crate) fn workspace(cli: &Cli, config: &Config) -> anyhow::Result<(PathBuf, ChosenBy)> {
    let working_dir = working_dir()?;
    if let Some(asked) = &cli.workspace {
        return Ok((working_dir.join(asked), ChosenBy::Flag));
    }
    let home = home();
    let (chosen, by) = match &config.workspace {
        Some(configured) => {
            let path = match (configured.strip_prefix("~"), &home) {
                (Ok(rest), Some(home)) => home.join(rest),
                _ => working_dir.join(configured),
            };
            (path, ChosenBy::Document)
        }
        None => (working_dir, ChosenBy::Default),
    };
    let canonical = chosen.canonicalize().unwrap_or_else(|_| chosen.clone());
    let is_home = home.and_then(|home| home.canonicalize().ok()).is_some_and(|home| home == canonical);
    if canonical.parent().is_none() || is_home {
        return Err(UsageError::new(
            "workspace_too_wide",
            format!("the workspace would be {}", chosen.display()),
            "name a project directory with --workspace DIR, or this very directory if you mean it",
        )
        .into());
    }
    Ok((chosen, by))
}
