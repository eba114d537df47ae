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
            "// max_inline_result_chars": "A longer answer is written to a file, and the model gets its first part; a number such as \
    16384, which each family of tools chooses for itself.",
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
            "find_files": { "enabled": true },
            "read_files": { "enabled": true },
            "open_file": { "enabled": true },
            "file_history": {
                "// enabled": "true or false: whether the model can list and read recorded versions; off in the classic family, on in batch.",
            },
        },
        "fs_tools": {
            "// secrets": "Values that are masked wherever they appear.",
            "secrets": [],
            "// durability": "What has reached the disk when a write returns: \"full\" the file and its name, \"data\" the content, \
    \"none\" nothing.",
            "durability": "full",
            "// strict_mtime": "Refuse an edit also when only the time of modification changed since the read.",
            "strict_mtime": false,
            "// output_dir": "Where a file for the user goes when no place is asked for; the tools may read and write there.",
            "output_dir": null,
            "// open_wait_ms": "Milliseconds that open_file waits for the opener; at most 10000.",
            "open_wait_ms": 10000,
            "history": {
                "// enabled": "Record every change, so that it can be undone.",
                "enabled": true,
                "// sensitive": "What is kept of the content of sensitive files: \"auto\", \"omit\", \"encrypt\" or \"keep\".",
                "sensitive": "auto",
                "// key_file": "File with the keys that versions of sensitive files are sealed with.",
                "key_file": null,
                "// max_mib": "Most MiB of a history; null is 1 GiB or 2 % of the disk, whichever is less.",
                "max_mib": null,
                "// min_free_mib": "MiB of its disk that a history leaves free; null is 256.",
                "min_free_mib": null,
            },
            "search": {
                "// index": "Keep an index of the workspace in a server, so that repeated searches need not read every file.",
                "index": true,
                "// freshness": "\"watch\" watches directories, \"strict\" compares every file for each search, \"off\" uses no index.",
                "freshness": "watch",
                "// index_max_bytes": "Memory of the index at most; index_large makes it twice as large and quicker.",
                "index_max_bytes": 268_435_456, "index_large": false,
                "// index_min_files": "Fewer files than this have no index.",
                "index_min_files": 10_000,
            },
            "transcribe": {
                "// url": "Speech to text: the base of an OpenAI-compatible endpoint, or in its place a command, such as \
    [\"whisper\", \"{input}\"].",
                "url": null,
                "// command": "A program and its arguments, with {input} for the file.",
                "command": [],
                "// api_key_env": "The variable of the environment that holds the key.",
                "api_key_env": null,
                "model": "whisper-1",
                "// language": "A two-letter code; null lets the engine find out.",
                "language": null,
                "max_bytes": 26_214_400, "max_answer_bytes": 1_048_576, "timeout_s": 300,
            },
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

    #[test]
    fn it_has_every_key() {
        let document = document(None);
        for setting in Config::load("", &|_| None).unwrap().settings() {
            let (above, last) = setting.key.rsplit_once('.').unwrap();
            let section = above.split('.').fold(&document, |section, name| &section[name]);
            let has = section.get(last).is_some() || section.get(format!("// {last}")).is_some();
            assert!(has, "{}", setting.key);
        }
    }
}
