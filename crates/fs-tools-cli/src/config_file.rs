//! Where the configuration and the workspace come from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use fs_tools::{Config, OpenError, Options, ToolSet, Workspace};

use crate::cli::Cli;
use crate::local_time::SystemZone;
use crate::output::{UsageError, note};

/// Builds the tools from the command line, the configuration and the environment.
pub(crate) fn tool_set(cli: &Cli) -> anyhow::Result<ToolSet> {
    let home = home();
    let working_dir = std::env::current_dir().context("the working directory cannot be determined")?;
    let (source, config) = load(cli, home.as_deref())?;
    let root = workspace(cli, &config, home.as_deref(), &working_dir)?;
    tools_in(root, source, config, home, working_dir)
}

/// What tools for further workspaces are made from; read before the process locks itself.
pub(crate) struct Prepared {
    source: Option<PathBuf>,
    config: Config,
    home: Option<PathBuf>,
}

/// Reads what tools for further workspaces are made from.
pub(crate) fn prepare(cli: &Cli) -> anyhow::Result<Prepared> {
    let home = home();
    let (source, config) = load(cli, home.as_deref())?;
    Ok(Prepared { source, config, home })
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
        tools_in(root.clone(), self.source.clone(), config, self.home.clone(), root)
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

fn tools_in(
    root: PathBuf,
    source: Option<PathBuf>,
    config: Config,
    home: Option<PathBuf>,
    working_dir: PathBuf,
) -> anyhow::Result<ToolSet> {
    if let Some(path) = &source
        && let (Ok(file), Ok(inside)) = (path.canonicalize(), root.canonicalize())
        && file.starts_with(&inside)
    {
        return Err(UsageError(format!(
            "the configuration {} lies inside the workspace, where the agent can write: keep it elsewhere",
            path.display()
        ))
        .into());
    }
    let mut options = Options::new(root, config);
    options.home = home;
    options.working_dir = working_dir;
    options.state_dirs.extend(source);
    options.zone = Arc::new(SystemZone);
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
    Ok(ToolSet::classic(workspace))
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
    Ok(load(cli, home().as_deref())?.1)
}

fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Returns the configuration's place and what it says; warnings go to standard error.
fn load(cli: &Cli, home: Option<&Path>) -> anyhow::Result<(Option<PathBuf>, Config)> {
    let (source, text) = document(cli, home)?;
    let loaded = Config::load(&text, &|name| std::env::var(name).ok()).map_err(|error| match &source {
        Some(path) => anyhow::Error::new(error).context(format!("in {}", path.display())),
        None => error.into(),
    })?;
    for warning in &loaded.warnings {
        note(&format!("fs-tools: warning: {warning}"));
    }
    Ok((source, loaded.config))
}

/// Returns the configuration's place and text; no document at all is the default configuration.
fn document(cli: &Cli, home: Option<&Path>) -> anyhow::Result<(Option<PathBuf>, String)> {
    let asked = cli
        .config
        .clone()
        .or_else(|| std::env::var_os("FS_TOOLS_CONFIG").filter(|value| !value.is_empty()).map(PathBuf::from));
    if let Some(path) = asked {
        let text = std::fs::read_to_string(&path).map_err(|error| {
            UsageError(format!("the configuration {} cannot be read: {error}", path.display()))
        })?;
        return Ok((Some(path), text));
    }
    let directory = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| home.map(|home| home.join(".config")));
    let Some(path) = directory.map(|directory| directory.join("fs-tools/config.json")) else {
        return Ok((None, String::new()));
    };
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok((Some(path), text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok((None, String::new())),
        Err(error) => {
            Err(UsageError(format!("the configuration {} cannot be read: {error}", path.display())).into())
        }
    }
}

/// Chooses the workspace: the command line, the configuration, the working directory. A whole disk or a whole home
/// directory is taken only when the command line names it.
fn workspace(cli: &Cli, config: &Config, home: Option<&Path>, working_dir: &Path) -> anyhow::Result<PathBuf> {
    if let Some(asked) = &cli.workspace {
        return Ok(working_dir.join(asked));
    }
    let chosen = match &config.workspace {
        Some(configured) => match (configured.strip_prefix("~"), home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => working_dir.join(configured),
        },
        None => working_dir.to_owned(),
    };
    let canonical = chosen.canonicalize().unwrap_or_else(|_| chosen.clone());
    let is_home = home.and_then(|home| home.canonicalize().ok()).is_some_and(|home| home == canonical);
    if canonical.parent().is_none() || is_home {
        return Err(UsageError(format!(
            "the workspace would be {}: name a project directory with --workspace DIR, or this very directory if you mean it",
            chosen.display()
        ))
        .into());
    }
    Ok(chosen)
}
