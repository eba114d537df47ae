//! The configuration: one JSON document with the specified keys, our own keys under `fs_tools`, and the switches of
//! the environment.

mod document;
mod nearest;
mod secrets;

use std::path::PathBuf;

use redact::Redactor;
use serde_json::Value;

pub use document::ConfigError;
pub(crate) use nearest::nearest;

use crate::index::Freshness;
use crate::limits;
use document::Section;

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
    /// Values that are masked wherever they appear, found in the document itself and in `fs_tools.secrets`.
    pub secrets: Vec<String>,
    /// `tools.filter_sensitive_data`: whether configured secret values are masked.
    pub filter_sensitive_data: bool,
    /// Which tools exist.
    pub enabled: Switches,
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
    /// `environment` looks a variable up; it is asked only for `PICOCLAW_TOOLS_<TOOL>_ENABLED` and
    /// `FS_TOOLS_<TOOL>_ENABLED`, of which the latter wins. `read_file` has no such switch. Sections of the document
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
        let root_section = Section::root(&root)?;
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
        }
        if let Some(tools) = root_section.section("tools")? {
            config.read_tools(&tools, &mut warnings)?;
        }
        if let Some(own) = root_section.section("fs_tools")? {
            config.read_own(&own, &mut warnings)?;
        }
        config.secrets.extend(secrets::collect(&root));
        config.secrets.sort();
        config.secrets.dedup();
        config.read_environment(environment, &mut warnings);
        Ok(Loaded { config, warnings })
    }

    fn read_tools(&mut self, tools: &Section<'_>, warnings: &mut Vec<String>) -> Result<(), ConfigError> {
        tools.set_strings("allow_read_paths", &mut self.allow_read_paths)?;
        tools.set_strings("allow_write_paths", &mut self.allow_write_paths)?;
        tools.set_count("max_inline_result_chars", &mut self.max_inline_result_chars)?;
        tools.set_bool("filter_sensitive_data", &mut self.filter_sensitive_data)?;
        if let Some(read) = tools.section("read_file")? {
            read.set_bool("enabled", &mut self.enabled.read_file)?;
            if let Some(mode) = read.string("mode")? {
                self.read_file.mode = match mode.trim().to_lowercase().as_str() {
                    "lines" => ReadMode::Lines,
                    "bytes" => ReadMode::Bytes,
                    _ => {
                        warnings.push(format!(
                            "tools.read_file.mode is `{}`, which is neither `bytes` nor `lines`: using `bytes`",
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
        ] {
            if let Some(section) = tools.section(name)? {
                section.set_bool("enabled", switch)?;
                section.warn_unknown(warnings);
            }
        }
        if let Some(search) = tools.section("search_files")? {
            search.set_bool("enabled", &mut self.enabled.search_files)?;
            search.set_bool("match_masked", &mut self.match_masked)?;
            search.warn_unknown(warnings);
        }
        Ok(())
    }

    fn read_own(&mut self, own: &Section<'_>, warnings: &mut Vec<String>) -> Result<(), ConfigError> {
        own.set_strings("secrets", &mut self.secrets)?;
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
            history.warn_unknown(warnings);
        }
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

    fn read_environment(&mut self, environment: &dyn Fn(&str) -> Option<String>, warnings: &mut Vec<String>) {
        for (tool, switch) in [
            ("WRITE_FILE", &mut self.enabled.write_file),
            ("EDIT_FILE", &mut self.enabled.edit_file),
            ("APPEND_FILE", &mut self.enabled.append_file),
            ("LIST_DIR", &mut self.enabled.list_dir),
            ("SEARCH_FILES", &mut self.enabled.search_files),
            ("FILE_HISTORY", &mut self.enabled.file_history),
        ] {
            for prefix in ["PICOCLAW", "FS_TOOLS"] {
                let name = switch_name(prefix, tool);
                let Some(value) = environment(&name) else { continue };
                match parse_bool(&value) {
                    Some(on) => *switch = on,
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
