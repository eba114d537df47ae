//! The configuration to start from: every key with its default, and what it is for.

use std::path::Path;

use serde_json::{Value, json};

/// The document; with a workspace, that is the one value which differs from the default.
pub(super) fn document(workspace: Option<&Path>) -> Value {
    json!({
        "//": "Configuration of fs-tools. Every value is the default: keep what you change and delete the rest. Keys that start \
    with two slashes are remarks. The file has to lie outside the workspace, where no agent can change it.",
        "agents": { "defaults": {
            "// workspace": "Where the tools work when --workspace does not say; empty is the directory in which the program starts.",
            "workspace": workspace.map_or("", |path| path.to_str().unwrap_or_default()),
            "// restrict_to_workspace": "Keep reads and writes inside the workspace.",
            "restrict_to_workspace": true,
            "// allow_read_outside_workspace": "Let reads leave the workspace; writes stay inside.",
            "allow_read_outside_workspace": false,
        } },
        "tools": {
            "// allow_paths": "Regular expressions over absolute paths that may be read, or written, outside the workspace, such as \
    \"/usr/include\".",
            "allow_read_paths": [],
            "allow_write_paths": [],
            "// max_inline_result_chars": "A longer answer is written to a file of the workspace, and the model gets its first part.",
            "max_inline_result_chars": 16384,
            "// filter_sensitive_data": "Mask the values of secret keys of this document, and those of fs_tools.secrets.",
            "filter_sensitive_data": true,
            "read_file": {
                "// mode": "\"bytes\" pages by offset and length, \"lines\" by numbered lines.",
                "enabled": true, "mode": "bytes", "max_read_file_size": 65536, "max_lines": 2000, "max_line_length": 2000,
            },
            "write_file": { "enabled": true },
            "edit_file": { "enabled": true },
            "append_file": { "enabled": true },
            "list_dir": { "enabled": true },
            "search_files": {
                "// match_masked": "Search the masked text, so that no search can tell what a masked value is; slower.",
                "enabled": true, "match_masked": false,
            },
            "// file_history": "Let the model list and read the versions of files that were recorded.",
            "file_history": { "enabled": false },
        },
        "fs_tools": {
            "// secrets": "Values that are masked wherever they appear.",
            "secrets": [],
            "// durability": "What has reached the disk when a write returns: \"full\" the file and its name, \"data\" the content, \
    \"none\" nothing.",
            "durability": "full",
            "// history": "Record every change, so that it can be undone.",
            "history": { "enabled": true },
            "policy": {
                "// open": "Sensitive names that the tools may read all the same, such as \".env.test\".",
                "open": [],
                "// protect": "Further names that no tool may touch.",
                "protect": [],
                "// run_later": "\"allow\", \"confirm\" or \"deny\" for a table of files that something runs later, such as Makefile.",
                "run_later": {},
                "// append_to_hard_links": "Let append_file write to a file that has several names.",
                "append_to_hard_links": false,
                "// path_resolution": "\"auto\" uses the kernel's openat2 where it works, \"kernel\" insists on it, \"walk\" never does.",
                "path_resolution": "auto",
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use fs_tools::Config;

    use super::document;

    #[test]
    fn it_says_what_would_hold_without_it() {
        let loaded = Config::load(&document(None).to_string(), &|_| None).unwrap();
        assert_eq!((loaded.config, &loaded.warnings[..]), (Config::default(), &[][..]));
        let loaded = Config::load(&document(Some(Path::new("/p \"q\""))).to_string(), &|_| None).unwrap();
        assert_eq!(loaded.config, Config { workspace: Some(PathBuf::from("/p \"q\"")), ..Config::default() });
    }
}
