//! One workspace: its configuration, its gate, its redactor, and the end of every result's way.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use file_history::{History, Keep, KeySource, SqliteStore};
use redact::Redactor;
use rooted_fs::{Access, HardLinks, InPlace, Parents, ReadOnlyFiles, Root, Tier, TierChoice, WriteOptions};
use sandbox_policy::{Family, Level, PrivacyFolders, Ruleset, Settings, literal_root};
use search_engine::Patterns;

use crate::config::{Config, Durability, KeepSensitive, PathResolution, RunLater, Switches};
use crate::documents::{DocumentReader, InProcess};
use crate::error::{Class, ToolError};
use crate::gate::{Gate, Histories, OpenFile};
use crate::history_keys::{KeyFile, KeyFileError};
use crate::index::{Index, IndexState};
use crate::ledger::Ledger;
use crate::local_time::{LocalTime, Utc};
use crate::opener::{Opener, SystemOpener};
use crate::pages::PageMemory;
use crate::recorder::{Recorder, Setup};
use crate::render::{self, Guard};
use crate::tool::Reply;
use crate::transcribe::{NoTranscriber, Transcriber};

/// Directory of spilled results below the workspace.
pub(crate) const ARTIFACT_DIR: &str = ".fs-tools/artifacts";

/// Which family of tools a workspace serves. The two treat sensitive files differently: the classic family hides and
/// refuses them, the batch family asks a person about each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Toolset {
    /// `read_file`, `write_file`, `edit_file`, `append_file`, `list_dir`, `search_files`.
    #[default]
    Classic,
    /// `find_files`, `read_files`, `edit_file`, `file_history`, `open_file`.
    Batch,
}

/// What a workspace is opened with.
#[derive(Debug, Clone)]
pub struct Options {
    /// The directory that the tools work in.
    pub root: PathBuf,
    /// The family of tools.
    pub toolset: Toolset,
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
    /// The system whose customs hold.
    pub platform: Platform,
    /// How `open_file` opens files.
    pub opener: Arc<dyn Opener>,
    /// What turns documents into text: in this process, unless a front end knows a safer place.
    pub documents: Arc<dyn DocumentReader>,
    /// What turns speech into text: nothing, unless a front end sets up what the configuration names.
    pub transcriber: Arc<dyn Transcriber>,
    /// Whether the process lives long and searches often, so that an index of the workspace is worth while.
    pub long_lived: bool,
}

/// The operating systems whose customs the tools know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Platform {
    /// macOS: a search from above the home directory passes the folders by whose first access makes the system ask the
    /// user. One that is sent into such a folder searches it.
    MacOs,
    /// Any other: there are no such folders.
    Other,
}

impl Platform {
    /// The system that this program was built for.
    pub fn current() -> Self {
        if cfg!(target_os = "macos") { Self::MacOs } else { Self::Other }
    }
}

impl Options {
    /// Options for a directory on this system, with relative paths starting there, no home directory, no history, times in
    /// UTC, and no index.
    pub fn new(root: impl Into<PathBuf>, config: Config) -> Self {
        let root = root.into();
        Self {
            working_dir: root.clone(),
            root,
            toolset: Toolset::Classic,
            config,
            home: None,
            state_dirs: Vec::new(),
            state_dir: None,
            zone: Arc::new(Utc),
            platform: Platform::current(),
            opener: Arc::new(SystemOpener),
            documents: Arc::new(InProcess),
            transcriber: Arc::new(NoTranscriber),
            long_lived: false,
        }
    }
}

/// A workspace that cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// No directory is named.
    #[error("workspace is not defined")]
    Undefined,
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
    /// The key file of the history cannot be used.
    #[error(transparent)]
    HistoryKey(KeyFileError),
    /// `fs_tools.history.sensitive` is `encrypt`, and there is no key.
    #[error("fs_tools.history.sensitive is `encrypt`: name a key file with fs_tools.history.key_file")]
    NoHistoryKey,
    /// The configured secret values cannot be used.
    #[error("the secret values of the configuration cannot be used: {0}")]
    Secrets(redact::Error),
}

impl OpenError {
    /// Returns the stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Undefined => "workspace_undefined",
            Self::Root { .. } => "workspace_unavailable",
            Self::Rules(error) => error.code(),
            Self::StateInside { .. } => "state_inside_workspace",
            Self::HistoryKey(_) => "history_key_unusable",
            Self::NoHistoryKey => "history_key_missing",
            Self::Secrets(error) => error.code(),
        }
    }
}

/// One workspace, shared by all calls.
pub struct Workspace {
    toolset: Toolset,
    config: Config,
    /// Dropped before the gate, which its thread uses.
    index: Option<Index>,
    gate: Arc<Gate>,
    redactor: Redactor,
    pages: PageMemory,
    ledger: Ledger,
    warnings: Vec<String>,
    zone: Arc<dyn LocalTime>,
    opener: Arc<dyn Opener>,
    documents: Arc<dyn DocumentReader>,
    transcriber: Arc<dyn Transcriber>,
    state_dir: Option<PathBuf>,
    patterns: Mutex<Patterns>,
}

impl Workspace {
    /// Opens a workspace and builds its rules.
    ///
    /// # Errors
    ///
    /// [`OpenError`] when no directory is named or it cannot be opened, when the configuration demands the kernel's path resolution
    /// and it is missing, or when an access rule of the configuration is not usable.
    pub fn open(options: Options) -> Result<Self, OpenError> {
        let Options {
            root: path,
            toolset,
            config,
            working_dir,
            home,
            mut state_dirs,
            state_dir,
            zone,
            platform,
            opener,
            documents,
            transcriber,
            long_lived,
        } = options;
        if path.as_os_str().is_empty() {
            return Err(OpenError::Undefined);
        }
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
        if let Some(dir) = &config.output_dir {
            // Named by the operator as a place for files: it may be written, and read again.
            let dir = canonical(&at_home(dir, home.as_deref()));
            let pattern = format!("^{}(?:/|$)", regex::escape(&dir.to_string_lossy()));
            settings.allow_read_paths.push(pattern.clone());
            settings.allow_write_paths.push(pattern);
        }
        settings.aliases = aliases(&config);
        settings.privacy_folders = match platform {
            Platform::MacOs => PrivacyFolders::Skip,
            Platform::Other => PrivacyFolders::Enter,
        };
        settings.family = match toolset {
            Toolset::Classic => Family::Classic,
            Toolset::Batch => Family::Batch,
        };
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
        // No tool reads the key; without a history nobody does.
        state_dirs.extend(config.history_key_file.clone().filter(|path| path.is_absolute()));
        let keys = state_dir.as_ref().and_then(|_| {
            Some(KeyFile::read(config.history_key_file.as_ref()?, root.path()).map_err(OpenError::HistoryKey))
        });
        let keys = keys.transpose()?.map(|keys| Arc::new(keys) as Arc<dyn KeySource>);
        let sensitive = match (config.keep_sensitive, &keys) {
            (KeepSensitive::Keep, _) => Keep::Content,
            (KeepSensitive::Auto | KeepSensitive::Encrypt, Some(_)) => Keep::Seal,
            (KeepSensitive::Encrypt, None) if state_dir.is_some() => return Err(OpenError::NoHistoryKey),
            _ => Keep::Withhold,
        };
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
        let mib = |mib: usize| u64::try_from(mib).unwrap_or(u64::MAX).saturating_mul(1 << 20);
        let setup = Setup {
            keys,
            max_bytes: config.history_max_mib.map(mib),
            min_free_bytes: config.history_min_free_mib.map_or(file_history::MIN_FREE_BYTES, mib),
        };
        let histories = state_dir.as_ref().map(|dir| Histories {
            inside: Recorder::new(dir, root.path(), setup.clone()),
            outside: Recorder::new(dir, Path::new("/"), setup.clone()),
            sensitive,
        });
        let redactor = config.redactor().map_err(OpenError::Secrets)?;
        let ledger = Ledger::new(state_dir.as_deref());
        let gate = Arc::new(Gate::new(root, rules, base, write, links, histories));
        let index = if long_lived { Index::new(&gate, &config) } else { None };
        Ok(Self {
            toolset,
            config,
            index,
            gate,
            redactor,
            pages: PageMemory::default(),
            patterns: Mutex::default(),
            ledger,
            warnings,
            zone,
            opener,
            documents,
            transcriber,
            state_dir,
        })
    }

    /// The family of tools that this workspace serves.
    pub fn toolset(&self) -> Toolset {
        self.toolset
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

    /// How paths are resolved, for diagnostics: `openat2` when the kernel does it, `nofollow` when we walk.
    pub fn path_resolution(&self) -> &'static str {
        self.gate.root().tier().as_str()
    }

    /// The directory that the tools work in, by its canonical path.
    pub fn root(&self) -> &Path {
        self.gate.root().path()
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

    /// The tools that texts may speak of.
    pub(crate) fn spoken_of(&self) -> Switches {
        match self.toolset {
            Toolset::Classic => self.config.enabled,
            // Texts of the gate name the tools of the classic family, and are translated later.
            Toolset::Batch => Switches::ALL,
        }
    }

    /// Runs the code of a tool for a caller with typed arguments: only when it is on, and without advice to use what is
    /// off.
    pub(crate) fn typed<T>(
        &self,
        tool: &str,
        run: impl FnOnce() -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let switches = self.config.enabled.by_name();
        if switches.iter().any(|(name, on)| *name == tool && !on) {
            let on: Vec<&str> = switches.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
            return Err(tool_disabled(tool, &on));
        }
        run().map_err(|error| error.advised(&self.spoken_of()))
    }

    /// The tool that shows a model the content of files, when it is on.
    pub(crate) fn reader(&self) -> Option<&'static str> {
        let (on, name) = match self.toolset {
            Toolset::Classic => (self.config.enabled.read_file, "read_file"),
            Toolset::Batch => (self.config.batch.read_files, "read_files"),
        };
        on.then_some(name)
    }

    /// Patterns that earlier searches compiled.
    pub(crate) fn patterns(&self) -> MutexGuard<'_, Patterns> {
        self.patterns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is kept of the content of sensitive files; `None` when nothing is recorded.
    pub fn keeps_of_sensitive(&self) -> Option<Keep> {
        self.gate.histories().map(|histories| histories.sensitive)
    }

    /// What a model should know before it writes: a sentence behind the description of a tool that does, or nothing.
    pub(crate) fn warn_before_writing(&self) -> String {
        let withheld = self.keeps_of_sensitive() == Some(Keep::Withhold);
        let opened = &self.config.open_sensitive;
        match self.toolset {
            Toolset::Batch if withheld => " A change of a sensitive file cannot be undone.".to_owned(),
            Toolset::Classic if withheld && !opened.is_empty() => format!(
                " A change of a sensitive file ({}) cannot be undone: the history keeps no content of it.",
                opened.join(", ")
            ),
            _ => String::new(),
        }
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

    /// How files are opened in their applications.
    pub(crate) fn opener(&self) -> &dyn Opener {
        &*self.opener
    }

    /// What each run has read.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What the index of the workspace is doing; [`Options::long_lived`] decides whether there is one.
    ///
    /// # Cost
    ///
    /// O(number of directories).
    pub fn index_state(&self) -> IndexState {
        self.index.as_ref().map_or_else(IndexState::off, Index::state)
    }

    /// Waits until the index of the workspace knows all it can know; returns at once when there is none. For benches and tests: a
    /// search does not wait for it.
    pub fn wait_for_index(&self) {
        if let Some(index) = &self.index {
            index.wait();
        }
    }

    pub(crate) fn index(&self) -> Option<&Index> {
        self.index.as_ref()
    }

    /// Where the pages of searches ended.
    pub(crate) fn pages(&self) -> &PageMemory {
        &self.pages
    }

    /// What turns documents into text.
    pub fn documents(&self) -> &dyn DocumentReader {
        &*self.documents
    }

    /// What turns speech into text.
    pub fn transcriber(&self) -> &dyn Transcriber {
        &*self.transcriber
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

    /// The same for a tool of the batch family, which bounds its results itself: they are spilled only where the
    /// configuration says how long a result may be.
    pub(crate) fn finish_batch(&self, tool: &str, text: String, guard: Guard) -> Reply {
        if self.config.max_inline_is_set {
            return self.finish(tool, text, guard);
        }
        self.finish_inline(text, guard)
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

/// A tool that is known and switched off.
pub(crate) fn tool_disabled(tool: &str, available: &[&str]) -> ToolError {
    let hint = match available {
        [] => "do not try again; no tool is switched on here".to_owned(),
        some => format!("do not try again; available are {}", some.join(", ")),
    };
    ToolError::new(Class::Usage, "tool_disabled", format!("the tool {tool} is switched off here")).hint(hint)
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

/// A path that may start with `~/`.
fn at_home(path: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
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
