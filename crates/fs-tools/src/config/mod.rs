//! The configuration: one JSON document with the specified keys, our own keys under `fs_tools`, and the switches of
//! the environment.

mod document;
mod nearest;
mod places;
mod secrets;
mod settings;
mod transcribe;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use redact::Redactor;
use serde_json::Value;

pub use document::ConfigError;
pub(crate) use nearest::nearest;
pub use settings::{Setting, Source};
pub use transcribe::{TranscribeConfig, TranscribeVia};

use crate::index::Freshness;
use crate::limits;
use document::{Keys, Section};

/// How `read_file` numbers what it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadMode {
    /// Raw bytes, paged by `offset` and `length`.
    Bytes,
    /// Numbered lines, paged by `start_line` and `max_lines`.
    Lines,
}

/// How durable a write is when the call returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The file and its directory have reached the disk.
    Full,
    /// The content has reached the disk; the name may not have.
    Data,
    /// Nothing is forced out.
    None,
}

/// Which mechanism resolves paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathResolution {
    /// The kernel's own (`openat2`) where it is usable, else the walk.
    Auto,
    /// The kernel's own; without it the workspace does not open.
    Kernel,
    /// A walk by handle, one component at a time, without following a link.
    Walk,
}

/// What the history keeps of sensitive files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepSensitive {
    /// Sealed content where a key is configured, and otherwise none.
    Auto,
    /// No content and no hash: a change cannot be undone.
    Omit,
    /// Sealed content; without a key the workspace does not open.
    Encrypt,
    /// Content like any other, in the open.
    Keep,
}

/// Level of a run-later rule: what a write to such a file needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunLater {
    /// Nothing.
    Allow,
    /// A person's confirmation.
    Confirm,
    /// It is refused.
    Deny,
}

/// The switches of the tools: the six classic ones are on by default, `file_history` is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switches {
    /// `tools.read_file.enabled`; has no environment switch.
    pub read_file: bool,
    /// `tools.write_file.enabled`.
    pub write_file: bool,
    /// `tools.edit_file.enabled`.
    pub edit_file: bool,
    /// `tools.append_file.enabled`.
    pub append_file: bool,
    /// `tools.list_dir.enabled`.
    pub list_dir: bool,
    /// `tools.search_files.enabled`.
    pub search_files: bool,
    /// `tools.file_history.enabled`.
    pub file_history: bool,
}

impl Switches {
    /// Every tool is on.
    pub(crate) const ALL: Self = Self {
        read_file: true,
        write_file: true,
        edit_file: true,
        append_file: true,
        list_dir: true,
        search_files: true,
        file_history: true,
    };

    /// The tools by name, in the order in which they are listed, and whether each is on.
    pub fn by_name(&self) -> [(&'static str, bool); 7] {
        [
            ("read_file", self.read_file),
            ("write_file", self.write_file),
            ("edit_file", self.edit_file),
            ("append_file", self.append_file),
            ("list_dir", self.list_dir),
            ("search_files", self.search_files),
            ("file_history", self.file_history),
        ]
    }

    /// Leaves out of an advice what begins with the name of a tool that is off. Its parts are joined by `; `.
    pub(crate) fn advice<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let names_off = |part: &str| {
            let word =
                part.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
            self.by_name().iter().any(|(name, on)| !on && *name == word)
        };
        if !text.split("; ").any(names_off) {
            return Cow::Borrowed(text);
        }
        let kept: Vec<&str> = text.split("; ").filter(|part| !names_off(part)).collect();
        Cow::Owned(kept.join("; "))
    }
}

/// The switches of the tools that only the batch family has, all on by default. Its `edit_file` follows
/// [`Switches::edit_file`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchSwitches {
    /// `tools.find_files.enabled`.
    pub find_files: bool,
    /// `tools.read_files.enabled`; has no environment switch.
    pub read_files: bool,
    /// `tools.file_history.enabled`, which is on here unless it is set.
    pub file_history: bool,
    /// `tools.open_file.enabled`.
    pub open_file: bool,
}

/// Settings of `read_file`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadFileConfig {
    /// `tools.read_file.mode`.
    pub mode: ReadMode,
    /// `tools.read_file.max_read_file_size`, bytes.
    pub max_bytes: usize,
    /// `tools.read_file.max_lines`.
    pub max_lines: usize,
    /// `tools.read_file.max_line_length`, characters.
    pub max_line_chars: usize,
}

/// Settings of the search (`fs_tools.search`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchConfig {
    /// `index`: whether a long-lived process keeps an index of the workspace.
    pub index: bool,
    /// `freshness`: how the index learns what has changed; `off` is the same as no index.
    pub freshness: Freshness,
    /// `index_max_bytes`: memory that the signatures of an index may take.
    pub index_max_bytes: usize,
    /// `index_large`: signatures of twice the size, with which fewer files are read in vain.
    pub index_large: bool,
    /// `index_min_files`: no index is made of a tree with fewer files, unless they hold more than 100 MB.
    pub index_min_files: usize,
}

/// The effective configuration.
///
/// Every combination of values is valid, so the fields are public; [`Config::default`] holds the documented
/// defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// `agents.defaults.workspace`: where the agent works, when the command line does not say.
    pub workspace: Option<PathBuf>,
    /// `agents.defaults.restrict_to_workspace`.
    pub restrict_to_workspace: bool,
    /// `agents.defaults.allow_read_outside_workspace`.
    pub allow_read_outside_workspace: bool,
    /// `tools.allow_read_paths`: regular expressions over absolute paths.
    pub allow_read_paths: Vec<String>,
    /// `tools.allow_write_paths`: regular expressions over absolute paths.
    pub allow_write_paths: Vec<String>,
    /// `tools.max_inline_result_chars`.
    pub max_inline_result_chars: usize,
    /// Whether the document gives that bound: the batch family, which has bounds of its own, keeps to it only then.
    pub max_inline_is_set: bool,
    /// Values that are masked wherever they appear, found in the document itself and in `fs_tools.secrets`.
    pub secrets: Vec<String>,
    /// `tools.filter_sensitive_data`: whether configured secret values are masked.
    pub filter_sensitive_data: bool,
    /// Which tools exist.
    pub enabled: Switches,
    /// Which tools of the batch family exist.
    pub batch: BatchSwitches,
    /// `fs_tools.output_dir`: where a file made for the user goes when no place is asked for; may start with `~/`. The tools
    /// may read and write there.
    pub output_dir: Option<PathBuf>,
    /// `fs_tools.open_wait_ms`: how long `open_file` waits for the opener, at most ten seconds.
    pub open_wait_millis: u64,
    /// `fs_tools.strict_mtime`: an edit is refused also when only the modification time changed since the read.
    pub strict_mtime: bool,
    /// Settings of `read_file`.
    pub read_file: ReadFileConfig,
    /// `tools.search_files.match_masked`: search the masked text instead of the raw one.
    pub match_masked: bool,
    /// `fs_tools.policy.open`: sensitive names that the operator opens.
    pub open_sensitive: Vec<String>,
    /// `fs_tools.policy.protect`: further names that nobody may touch.
    pub protect: Vec<String>,
    /// `fs_tools.policy.run_later`: level per entry of that table.
    pub run_later: Vec<(String, RunLater)>,
    /// `fs_tools.policy.append_to_hard_links`.
    pub append_to_hard_links: bool,
    /// `fs_tools.policy.path_resolution`.
    pub path_resolution: PathResolution,
    /// `fs_tools.durability`.
    pub durability: Durability,
    /// `fs_tools.history.enabled`: whether changes are recorded, so that they can be undone.
    pub history: bool,
    /// `fs_tools.history.sensitive`: what is kept of sensitive files.
    pub keep_sensitive: KeepSensitive,
    /// `fs_tools.history.key_file`: the file with the keys that versions of sensitive files are sealed with. The variable
    /// `FS_TOOLS_HISTORY_KEY_FILE` wins.
    pub history_key_file: Option<PathBuf>,
    /// `fs_tools.history.max_mib`: most MiB of a history, instead of 1 GiB or 2 % of the disk, whichever is less.
    pub history_max_mib: Option<usize>,
    /// `fs_tools.history.min_free_mib`: MiB of its disk that a history leaves free, instead of 256.
    pub history_min_free_mib: Option<usize>,
    /// `fs_tools.transcribe`: speech to text.
    pub transcribe: TranscribeConfig,
    /// `fs_tools.search`.
    pub search: SearchConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            workspace: None,
            restrict_to_workspace: true,
            allow_read_outside_workspace: false,
            allow_read_paths: Vec::new(),
            allow_write_paths: Vec::new(),
            max_inline_result_chars: limits::INLINE_CHARS,
            max_inline_is_set: false,
            secrets: Vec::new(),
            filter_sensitive_data: true,
            enabled: Switches {
                read_file: true,
                write_file: true,
                edit_file: true,
                append_file: true,
                list_dir: true,
                search_files: true,
                file_history: false,
            },
            batch: BatchSwitches { find_files: true, read_files: true, file_history: true, open_file: true },
            output_dir: None,
            open_wait_millis: limits::OPEN_MILLIS,
            strict_mtime: false,
            read_file: ReadFileConfig {
                mode: ReadMode::Bytes,
                max_bytes: limits::READ_BYTES,
                max_lines: limits::READ_LINES,
                max_line_chars: limits::READ_LINE_CHARS,
            },
            match_masked: false,
            open_sensitive: Vec::new(),
            protect: Vec::new(),
            run_later: Vec::new(),
            append_to_hard_links: false,
            path_resolution: PathResolution::Auto,
            durability: Durability::Full,
            history: true,
            keep_sensitive: KeepSensitive::Auto,
            history_key_file: None,
            history_max_mib: None,
            history_min_free_mib: None,
            transcribe: TranscribeConfig::default(),
            search: SearchConfig {
                index: true,
                freshness: Freshness::Watch,
                index_max_bytes: limits::INDEX_BYTES,
                index_large: false,
                index_min_files: limits::INDEX_MIN_FILES,
            },
        }
    }
}

/// A configuration together with what looked wrong in it.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Loaded {
    /// The effective configuration.
    pub config: Config,
    /// Sentences for the operator, each naming the key.
    pub warnings: Vec<String>,
    /// Where the values come from that are not the default, by their full key.
    sources: BTreeMap<String, Source>,
}

impl Config {
    /// The redactor that masks these [`secrets`](Self::secrets) beside the known formats of credentials.
    ///
    /// With [`filter_sensitive_data`](Self::filter_sensitive_data) off, only the formats. A value shorter than
    /// [`redact::KNOWN_MIN`] bytes would mask ordinary text and one longer than [`redact::KNOWN_MAX`] is no
    /// credential; both are passed over.
    ///
    /// # Errors
    ///
    /// [`redact::Error`] as the builder gives it; with the values filtered, it has no reason to.
    pub fn redactor(&self) -> Result<Redactor, redact::Error> {
        if !self.filter_sensitive_data || self.secrets.is_empty() {
            return Ok(Redactor::new());
        }
        let usable = |value: &&String| (redact::KNOWN_MIN..=redact::KNOWN_MAX).contains(&value.len());
        Redactor::builder().known_values(self.secrets.iter().filter(usable)).build()
    }

    /// Reads a configuration document and applies the switches of the environment, which win.
    ///
    /// `environment` looks a variable up; it is asked only for `FS_TOOLS_HISTORY_KEY_FILE`,
    /// `PICOCLAW_TOOLS_<TOOL>_ENABLED` and `FS_TOOLS_<TOOL>_ENABLED`, of which the last wins. `read_file` has no such switch. Sections of the document
    /// that belong to others are passed over in silence; unknown keys in ours are warned of.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] with line and column for text that is not JSON, or with the key for a value of the wrong type.
    pub fn load(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Loaded, ConfigError> {
        let root: Value = if text.trim().is_empty() {
            Value::Object(serde_json::Map::new())
        } else {
            serde_json::from_str(text).map_err(|error| ConfigError::not_json(&error))?
        };
        let mut config = Self::default();
        let mut warnings = Vec::new();
        let keys = Keys::of(text);
        let root_section = Section::root(&root, &keys)?;
        if let Some(agents) = root_section.section("agents")?
            && let Some(defaults) = agents.section("defaults")?
        {
            if let Some(workspace) = defaults.string("workspace")?
                && !workspace.is_empty()
            {
                config.workspace = Some(PathBuf::from(workspace));
            }
            defaults.set_bool("restrict_to_workspace", &mut config.restrict_to_workspace)?;
            defaults.set_bool("allow_read_outside_workspace", &mut config.allow_read_outside_workspace)?;
            defaults.warn_similar(&mut warnings);
        }
        if let Some(tools) = root_section.section("tools")? {
            config.read_tools(&tools, &mut warnings)?;
        }
        if let Some(own) = root_section.section("fs_tools")? {
            config.read_own(&own, &mut warnings)?;
        }
        root_section.warn_similar(&mut warnings);
        drop(root_section);
        config.secrets.extend(secrets::collect(&root));
        config.secrets.sort();
        config.secrets.dedup();
        let mut sources: BTreeMap<String, Source> = keys
            .used()
            .into_iter()
            .map(|(key, (line, column))| (key, Source::File { line, column }))
            .collect();
        config.read_environment(environment, &mut warnings, &mut sources);
        Ok(Loaded { config, warnings, sources })
    }

    fn read_tools(&mut self, tools: &Section<'_>, warnings: &mut Vec<String>) -> Result<(), ConfigError> {
        tools.set_strings("allow_read_paths", &mut self.allow_read_paths)?;
        tools.set_strings("allow_write_paths", &mut self.allow_write_paths)?;
        self.max_inline_is_set = tools.keys().any(|key| key == "max_inline_result_chars");
        tools.set_count("max_inline_result_chars", &mut self.max_inline_result_chars)?;
        tools.set_bool("filter_sensitive_data", &mut self.filter_sensitive_data)?;
        if let Some(read) = tools.section("read_file")? {
            read.set_bool("enabled", &mut self.enabled.read_file)?;
            if let Some(mode) = read.string("mode")? {
                self.read_file.mode = match mode.trim().to_lowercase().as_str() {
                    "lines" => ReadMode::Lines,
                    "bytes" => ReadMode::Bytes,
                    _ => {
                        let meant = nearest(mode, ["bytes", "lines"]);
                        let meant =
                            meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
                        warnings.push(format!(
                            "the configuration key {} is `{}`, which is neither `bytes` nor `lines`: using `bytes`{meant}",
                            read.named("mode"),
                            crate::render::echo(mode)
                        ));
                        ReadMode::Bytes
                    }
                };
            }
            read.set_count("max_read_file_size", &mut self.read_file.max_bytes)?;
            read.set_count("max_lines", &mut self.read_file.max_lines)?;
            read.set_count("max_line_length", &mut self.read_file.max_line_chars)?;
            read.warn_unknown(warnings);
        }
        for (name, switch) in [
            ("write_file", &mut self.enabled.write_file),
            ("edit_file", &mut self.enabled.edit_file),
            ("append_file", &mut self.enabled.append_file),
            ("list_dir", &mut self.enabled.list_dir),
            ("file_history", &mut self.enabled.file_history),
            ("find_files", &mut self.batch.find_files),
            ("read_files", &mut self.batch.read_files),
            ("open_file", &mut self.batch.open_file),
        ] {
            if let Some(section) = tools.section(name)? {
                section.set_bool("enabled", switch)?;
                section.warn_unknown(warnings);
            }
        }
        if let Some(history) = tools.section("file_history")? {
            history.set_bool("enabled", &mut self.batch.file_history)?;
        }
        if let Some(search) = tools.section("search_files")? {
            search.set_bool("enabled", &mut self.enabled.search_files)?;
            search.set_bool("match_masked", &mut self.match_masked)?;
            search.warn_unknown(warnings);
        }
        tools.warn_similar(warnings);
        Ok(())
    }

    fn read_own(&mut self, own: &Section<'_>, warnings: &mut Vec<String>) -> Result<(), ConfigError> {
        own.set_strings("secrets", &mut self.secrets)?;
        own.set_bool("strict_mtime", &mut self.strict_mtime)?;
        let mut wait = self.open_wait_millis as usize;
        own.set_count("open_wait_ms", &mut wait)?;
        self.open_wait_millis = (wait as u64).min(limits::OPEN_MILLIS);
        if let Some(dir) = own.string("output_dir")?.filter(|dir| !dir.is_empty()) {
            self.output_dir = Some(PathBuf::from(dir));
        }
        if let Some(durability) = own.string("durability")? {
            self.durability = match durability {
                "full" => Durability::Full,
                "data" => Durability::Data,
                "none" => Durability::None,
                _ => return Err(own.wrong("durability", "one of `full`, `data`, `none`")),
            };
        }
        if let Some(history) = own.section("history")? {
            history.set_bool("enabled", &mut self.history)?;
            if let Some(what) = history.string("sensitive")? {
                self.keep_sensitive = match what {
                    "auto" => KeepSensitive::Auto,
                    "omit" => KeepSensitive::Omit,
                    "encrypt" => KeepSensitive::Encrypt,
                    "keep" => KeepSensitive::Keep,
                    _ => return Err(history.wrong("sensitive", "one of `auto`, `omit`, `encrypt`, `keep`")),
                };
            }
            if let Some(path) = history.string("key_file")?.filter(|path| !path.is_empty()) {
                self.history_key_file = Some(PathBuf::from(path));
            }
            history.set_optional_count("max_mib", &mut self.history_max_mib)?;
            history.set_optional_count("min_free_mib", &mut self.history_min_free_mib)?;
            // A document is copied, shown and versioned: a key does not belong there.
            if history.keys().any(|key| key == "key") {
                return Err(history.wrong("key", "left out, with the key in a file that `key_file` names"));
            }
            history.warn_unknown(warnings);
        }
        self.transcribe.read(own, warnings)?;
        if let Some(search) = own.section("search")? {
            search.set_bool("index", &mut self.search.index)?;
            if let Some(freshness) = search.string("freshness")? {
                self.search.freshness = match freshness {
                    "strict" => Freshness::Strict,
                    "watch" => Freshness::Watch,
                    "off" => Freshness::Off,
                    _ => return Err(search.wrong("freshness", "one of `strict`, `watch`, `off`")),
                };
            }
            search.set_count("index_max_bytes", &mut self.search.index_max_bytes)?;
            search.set_bool("index_large", &mut self.search.index_large)?;
            search.set_count("index_min_files", &mut self.search.index_min_files)?;
            search.warn_unknown(warnings);
        }
        if let Some(policy) = own.section("policy")? {
            policy.set_strings("open", &mut self.open_sensitive)?;
            policy.set_strings("protect", &mut self.protect)?;
            policy.set_bool("append_to_hard_links", &mut self.append_to_hard_links)?;
            if let Some(mechanism) = policy.string("path_resolution")? {
                self.path_resolution = match mechanism {
                    "auto" => PathResolution::Auto,
                    "kernel" => PathResolution::Kernel,
                    "walk" => PathResolution::Walk,
                    _ => return Err(policy.wrong("path_resolution", "one of `auto`, `kernel`, `walk`")),
                };
            }
            if let Some(levels) = policy.section("run_later")? {
                for key in levels.keys() {
                    let level = match levels.string(key)? {
                        Some("allow") => RunLater::Allow,
                        Some("confirm") => RunLater::Confirm,
                        Some("deny") => RunLater::Deny,
                        _ => return Err(levels.wrong(key, "one of `allow`, `confirm`, `deny`")),
                    };
                    self.run_later.push((key.to_owned(), level));
                }
            }
            policy.warn_unknown(warnings);
        }
        own.warn_unknown(warnings);
        Ok(())
    }

    fn read_environment(
        &mut self,
        environment: &dyn Fn(&str) -> Option<String>,
        warnings: &mut Vec<String>,
        sources: &mut BTreeMap<String, Source>,
    ) {
        let key_file = "FS_TOOLS_HISTORY_KEY_FILE";
        if let Some(path) = environment(key_file).filter(|path| !path.is_empty()) {
            self.history_key_file = Some(PathBuf::from(path));
            let by_variable = Source::Environment { name: key_file.to_owned() };
            sources.insert("fs_tools.history.key_file".to_owned(), by_variable);
        }
        for (tool, switch) in [
            ("WRITE_FILE", &mut self.enabled.write_file),
            ("EDIT_FILE", &mut self.enabled.edit_file),
            ("APPEND_FILE", &mut self.enabled.append_file),
            ("LIST_DIR", &mut self.enabled.list_dir),
            ("SEARCH_FILES", &mut self.enabled.search_files),
            ("FILE_HISTORY", &mut self.enabled.file_history),
            ("FILE_HISTORY", &mut self.batch.file_history),
            ("FIND_FILES", &mut self.batch.find_files),
            ("OPEN_FILE", &mut self.batch.open_file),
        ] {
            for prefix in ["PICOCLAW", "FS_TOOLS"] {
                let name = switch_name(prefix, tool);
                let Some(value) = environment(&name) else { continue };
                match parse_bool(&value) {
                    Some(on) => {
                        *switch = on;
                        let key = format!("tools.{}.enabled", tool.to_lowercase());
                        sources.insert(key, Source::Environment { name });
                    }
                    None => warnings.push(format!(
                        "{name} is `{}`, which is neither `true` nor `false`: it has no effect",
                        crate::render::echo(&value)
                    )),
                }
            }
        }
    }
}

/// Name of a tool's switch in the environment. Our own prefix does not repeat `TOOLS`.
fn switch_name(prefix: &str, tool: &str) -> String {
    if prefix == "FS_TOOLS" {
        format!("FS_TOOLS_{tool}_ENABLED")
    } else {
        format!("{prefix}_TOOLS_{tool}_ENABLED")
    }
}

/// Reads a switch as Go's `strconv.ParseBool` does, which the specified variables were parsed with.
fn parse_bool(value: &str) -> Option<bool> {
    match value {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}
