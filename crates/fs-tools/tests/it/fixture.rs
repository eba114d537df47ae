//! A workspace in a temporary directory, made from one string, and calls on it.

use std::fs;
use std::path::{Path, PathBuf};

use fs_tools::{Call, Config, Options, Reply, ToolSet, Toolset, Workspace};
use serde_json::Value;
use tempfile::TempDir;

/// A workspace `ws` inside a temporary directory that also holds an outside.
pub(crate) struct Fixture {
    dir: TempDir,
    pub(crate) tools: ToolSet,
}

impl Fixture {
    /// Makes the files of `tree` (`//- /path` starts a file) with the default configuration.
    pub(crate) fn new(tree: &str) -> Self {
        Self::with(tree, "{}")
    }

    /// The same with a configuration document.
    pub(crate) fn with(tree: &str, config: &str) -> Self {
        let loaded = Config::load(config, &|_| None).unwrap();
        assert_eq!(loaded.warnings, [] as [String; 0]);
        Self::open(tree, |root| Options::new(root, loaded.config))
    }

    /// The same with the batch family.
    pub(crate) fn batch(tree: &str) -> Self {
        Self::batch_with(tree, "{}")
    }

    /// The batch family with a configuration document.
    pub(crate) fn batch_with(tree: &str, config: &str) -> Self {
        let loaded = Config::load(config, &|_| None).unwrap();
        assert_eq!(loaded.warnings, [] as [String; 0]);
        Self::open(tree, |root| Options { toolset: Toolset::Batch, ..Options::new(root, loaded.config) })
    }

    /// The batch family with a history beside the workspace.
    pub(crate) fn batch_recorded(tree: &str) -> Self {
        Self::open(tree, |root| {
            let mut options = Options { toolset: Toolset::Batch, ..Options::new(&root, Config::default()) };
            options.state_dir = Some(root.parent().unwrap().join("state"));
            options
        })
    }

    /// The same with options of one's own.
    pub(crate) fn open(tree: &str, options: impl FnOnce(PathBuf) -> Options) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("ws");
        fs::create_dir(&root).unwrap();
        make_tree(&root, tree);
        let tools = ToolSet::new(Workspace::open(options(root)).unwrap());
        Self { dir, tools }
    }

    /// Absolute path below the workspace.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("ws").join(name)
    }

    /// Absolute path beside the workspace.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn call(&self, tool: &str, args: Value) -> Reply {
        self.tools.call(tool, &args, &Call::plain())
    }

    /// The model's text, with the place of the workspace replaced by `$WS`.
    #[track_caller]
    pub(crate) fn text(&self, tool: &str, args: Value) -> String {
        let reply = self.call(tool, args);
        self.portable(&reply.for_model)
    }

    /// The model's text of a call that has to succeed.
    #[track_caller]
    pub(crate) fn ok(&self, tool: &str, args: Value) -> String {
        let reply = self.call(tool, args);
        assert!(!reply.is_error, "{}", reply.for_model);
        self.portable(&reply.for_model)
    }

    /// The code of a call that has to fail; the refusal has a next step.
    #[track_caller]
    pub(crate) fn code(&self, tool: &str, args: Value) -> String {
        let reply = self.call(tool, args);
        let error = reply.error.unwrap_or_else(|| panic!("succeeded: {}", reply.for_model));
        assert!(reply.is_error);
        assert!(error.next_step().is_some_and(|step| !step.is_empty()), "no next step: {error}");
        error.code().to_owned()
    }

    pub(crate) fn portable(&self, text: &str) -> String {
        text.replace(self.path("").to_str().unwrap().trim_end_matches('/'), "$WS")
    }
}

/// Writes the files of a tree notation below `root`.
pub(crate) fn make_tree(root: &Path, tree: &str) {
    let mut current: Option<(PathBuf, String)> = None;
    let flush = |file: Option<(PathBuf, String)>| {
        if let Some((path, content)) = file {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    };
    for line in tree.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix("//- /") {
            flush(current.take());
            current = Some((root.join(name.trim_end()), String::new()));
        } else if let Some((_, content)) = &mut current {
            content.push_str(line);
        }
    }
    flush(current);
}
