//! One workspace: its configuration, its gate, its redactor, and the end of every result's way.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use file_history::{History, SqliteStore};
use redact::Redactor;
use rooted_fs::{Access, HardLinks, InPlace, Parents, ReadOnlyFiles, Root, Tier, TierChoice, WriteOptions};
use sandbox_policy::{Family, Level, Ruleset, Settings, literal_root};

use crate::config::{Config, Durability, PathResolution, RunLater};
use crate::gate::{Gate, Histories, OpenFile};
use crate::local_time::{LocalTime, Utc};
use crate::pages::PageMemory;
use crate::recorder::Recorder;
use crate::render::{self, Guard};
use crate::tool::Reply;

/// Directory of spilled results below the workspace.
pub(crate) const ARTIFACT_DIR: &str = ".fs-tools/artifacts";

/// What a workspace is opened with.
#[derive(Debug, Clone)]
pub struct Options {
    /// The directory that the tools work in.
    pub root: PathBuf,
    /// The effective configuration.
    pub config: Config,
    /// Where relative paths start when the workspace does not restrict: the working directory of the process.
    pub working_dir: PathBuf,
    /// The user's home directory, for the rules about it.
    pub home: Option<PathBuf>,
    /// Files and directories of this product itself, such as its configuration: never touched by a tool.
    pub state_dirs: Vec<PathBuf>,
    /// Where the history of changes is kept; without it nothing is recorded.
    pub state_dir: Option<PathBuf>,
    /// The time zone of the times that people read and write.
    pub zone: Arc<dyn LocalTime>,
}

impl Options {
    /// Options for a directory, with relative paths starting there, no home directory, no history, and times in UTC.
    pub fn new(root: impl Into<PathBuf>, config: Config) -> Self {
        let root = root.into();
        Self {
            working_dir: root.clone(),
            root,
            config,
            home: None,
            state_dirs: Vec::new(),
            state_dir: None,
            zone: Arc::new(Utc),
        }
    }
}

/// A workspace that cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The directory cannot be opened.
    #[error("the workspace {} cannot be opened: {cause}", path.display())]
    Root {
        /// The directory.
        path: PathBuf,
        /// What the disk said.
        cause: rooted_fs::Error,
    },
    /// The rules cannot be built from the configuration.
    #[error("the access rules of the configuration cannot be used: {0}")]
    Rules(sandbox_policy::Error),
    /// The state directory lies inside the workspace, where a tool could reach it.
    #[error("the state directory {} lies inside the workspace", path.display())]
    StateInside {
        /// The directory.
        path: PathBuf,
    },
    /// The configured secret values cannot be used.
    #[error("the secret values of the configuration cannot be used: {0}")]
    Secrets(redact::Error),
}

impl OpenError {
    /// Returns the stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Root { .. } => "workspace_unavailable",
            Self::Rules(error) => error.code(),
            Self::StateInside { .. } => "state_inside_workspace",
            Self::Secrets(error) => error.code(),
        }
    }
}

/// One workspace, shared by all calls.
pub struct Workspace {
    config: Config,
    gate: Gate,
    redactor: Redactor,
    pages: PageMemory,
    warnings: Vec<String>,
    zone: Arc<dyn LocalTime>,
    state_dir: Option<PathBuf>,
}

impl Workspace {
    /// Opens a workspace and builds its rules.
    ///
    /// # Errors
    ///
    /// [`OpenError`] when the directory cannot be opened, when the configuration demands the kernel's path resolution
    /// and it is missing, or when an access rule of the configuration is not usable.
    pub fn open(options: Options) -> Result<Self, OpenError> {
        let Options { root: path, config, working_dir, home, mut state_dirs, state_dir, zone } = options;
        let state_dir = state_dir.filter(|_| config.history);
        let tier = match config.path_resolution {
            PathResolution::Auto => TierChoice::Auto,
            PathResolution::Kernel => TierChoice::Kernel,
            PathResolution::Walk => TierChoice::Nofollow,
        };
        let root = Root::open(&path, tier).map_err(|cause| OpenError::Root { path: path.clone(), cause })?;
        let canonical = |path: &Path| resolved(path.to_owned());
        let mut settings = Settings::new(root.path());
        settings.home = home.as_deref().map(canonical);
        settings.restrict_to_workspace = config.restrict_to_workspace;
        settings.allow_read_outside_workspace = config.allow_read_outside_workspace;
        settings.allow_read_paths.clone_from(&config.allow_read_paths);
        settings.allow_write_paths.clone_from(&config.allow_write_paths);
        settings.aliases = aliases(&config);
        settings.family = Family::Classic;
        settings.open_sensitive.clone_from(&config.open_sensitive);
        settings.protect.clone_from(&config.protect);
        settings.run_later =
            config.run_later.iter().map(|(entry, level)| (entry.clone(), run_later(*level))).collect();
        settings.append_to_hard_links = if config.append_to_hard_links {
            sandbox_policy::HardLinks::Allow
        } else {
            sandbox_policy::HardLinks::Refuse
        };
        if let Some(dir) = &state_dir {
            if canonical(dir).starts_with(root.path()) {
                return Err(OpenError::StateInside { path: dir.clone() });
            }
            state_dirs.push(dir.clone());
        }
        settings.state_dirs = state_dirs.iter().map(|path| canonical(path)).collect();
        let rules = Ruleset::new(&settings).map_err(OpenError::Rules)?;
        let warnings = rules.lints().iter().map(|lint| lint.message().to_owned()).collect();
        let durability = match config.durability {
            Durability::Full => rooted_fs::Durability::Full,
            Durability::Data => rooted_fs::Durability::Data,
            Durability::None => rooted_fs::Durability::None,
        };
        let write = WriteOptions {
            durability,
            parents: Parents::Require,
            in_place: InPlace::Refuse,
            read_only: ReadOnlyFiles::Refuse,
            access: Access::Shared,
        };
        let links = if config.append_to_hard_links { HardLinks::Allow } else { HardLinks::Refuse };
        let base =
            if config.restrict_to_workspace { root.path().to_owned() } else { canonical(&working_dir) };
        let histories = state_dir.as_ref().map(|dir| Histories {
            inside: Recorder::new(dir, root.path()),
            outside: Recorder::new(dir, Path::new("/")),
        });
        let redactor = config.redactor().map_err(OpenError::Secrets)?;
        let gate = Gate::new(root, rules, base, write, links, histories);
        Ok(Self { config, gate, redactor, pages: PageMemory::default(), warnings, zone, state_dir })
    }

    /// The effective configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Sentences about rules that look wrong, for the operator.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The directory, by its canonical path.
    pub fn directory(&self) -> &Path {
        self.gate.root().path()
    }

    /// One line for a start-up log: the directory, how paths are resolved, how far access goes.
    pub fn summary(&self) -> String {
        let tier = match self.gate.root().tier() {
            Tier::Openat2 => "the kernel resolves paths (openat2)",
            _ => "paths are walked without links (openat)",
        };
        let scope = match (self.config.restrict_to_workspace, self.config.allow_read_outside_workspace) {
            (true, false) => "access stays inside",
            (true, true) => "reads may leave, writes stay inside",
            (false, _) => "access is not restricted to it",
        };
        format!("{}; {tier}; {scope}", render::show_name(self.gate.root().path()))
    }

    /// The trees that the configuration lets the tools touch, for a lock by the operating system; `None` when it does
    /// not restrict them, or when a pattern of the write list names no directory.
    pub fn reach(&self) -> Option<Reach> {
        if !self.config.restrict_to_workspace {
            return None;
        }
        let mut write = vec![self.gate.root().path().to_owned()];
        // The product itself writes there; the rules keep the tools out.
        write.extend(self.state_dir.clone());
        for pattern in &self.config.allow_write_paths {
            write.push(resolved(literal_root(pattern)?));
        }
        let read = if self.config.allow_read_outside_workspace {
            vec![PathBuf::from("/")]
        } else {
            // A pattern that names no directory can mean any: then only writes are locked.
            let roots =
                self.config.allow_read_paths.iter().map(|pattern| literal_root(pattern).map(resolved));
            roots.collect::<Option<Vec<_>>>().unwrap_or_else(|| vec![PathBuf::from("/")])
        };
        Some(Reach { read, write })
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Runs `work` on the history of this workspace; `None` when history is off.
    ///
    /// # Errors
    ///
    /// Those of `work`, and those of opening the store.
    pub fn history<T>(
        &self,
        work: impl FnOnce(&mut History<SqliteStore>) -> Result<T, file_history::Error>,
    ) -> Option<Result<T, file_history::Error>> {
        self.gate.histories().map(|histories| histories.inside.with(work))
    }

    /// Where the history is kept; `None` when nothing is recorded.
    pub fn state_dir(&self) -> Option<&Path> {
        self.state_dir.as_deref()
    }

    /// The time zone of the times that people read and write.
    pub fn zone(&self) -> &dyn LocalTime {
        &*self.zone
    }

    /// Where the pages of searches ended.
    pub(crate) fn pages(&self) -> &PageMemory {
        &self.pages
    }

    pub(crate) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Whether a file is a spilled result of this workspace.
    pub(crate) fn is_artifact(&self, file: &OpenFile<'_>) -> bool {
        file.name_in_workspace().is_some_and(|name| name.starts_with(ARTIFACT_DIR))
    }

    /// Takes a text of the model's view through the choke point, and spills it when it is too long.
    pub(crate) fn finish(&self, tool: &str, text: String, guard: Guard) -> Reply {
        let clean = cleaned(text, guard);
        let max = self.config.max_inline_result_chars;
        if clean.len() <= max || clean.chars().count() <= max {
            return Reply::text(clean);
        }
        render::spill(self, tool, &clean)
    }

    /// The same for a text that is never spilled.
    pub(crate) fn finish_inline(&self, text: String, guard: Guard) -> Reply {
        Reply::text(cleaned(text, guard))
    }
}

/// A text after the choke point: the same text, mostly, and then not a copy of it.
fn cleaned(text: String, guard: Guard) -> String {
    match render::clean(&text, guard) {
        Cow::Borrowed(same) if same.len() == text.len() => text,
        changed => changed.into_owned(),
    }
}

/// Trees that may be touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Trees that may be read besides those that may be written.
    pub read: Vec<PathBuf>,
    /// Trees that may be read and written; the workspace comes first.
    pub write: Vec<PathBuf>,
}

/// A path by the canonical path of as much of it as exists.
fn resolved(path: PathBuf) -> PathBuf {
    for above in path.ancestors() {
        if let Ok(real) = above.canonicalize() {
            let rest = path.strip_prefix(above).unwrap_or(Path::new(""));
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path
}

/// Directories of the allow lists that are reached through a link, with where they are.
fn aliases(config: &Config) -> Vec<(PathBuf, PathBuf)> {
    let patterns = config.allow_read_paths.iter().chain(&config.allow_write_paths);
    patterns
        .filter_map(|pattern| literal_root(pattern))
        .filter_map(|spelled| {
            spelled.canonicalize().ok().filter(|real| *real != spelled).map(|real| (spelled, real))
        })
        .collect()
}

fn run_later(level: RunLater) -> Level {
    match level {
        RunLater::Allow => Level::Allow,
        RunLater::Confirm => Level::Confirm,
        RunLater::Deny => Level::Deny,
    }
}
