//! `fs-tools doctor`: what this installation and this machine can do. Never prints a value of the environment.

use std::process::ExitCode;

use fs_tools::{Freshness, Scope, ToolSet, show_path};
use serde_json::{Map, Value};

use crate::{lock, output};

/// Prints one line a fact, or one object with `--json`.
pub(crate) fn report(tools: &ToolSet, json: bool) -> anyhow::Result<ExitCode> {
    let names: Vec<&str> = tools.specs().map(|spec| spec.name).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let facts = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("system", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
        ("kernel", rustix::system::uname().release().to_string_lossy().into_owned()),
        ("workspace", tools.workspace().summary()),
        ("tools", names.join(", ")),
        ("history", history(tools)),
        ("search_index", search_index(tools)),
        ("kernel_lock", lock::probe(tools.workspace().reach())),
        ("threads", threads.to_string()),
        ("open_files_limit", files.map_or_else(|| "none".into(), |limit| limit.to_string())),
    ];
    if json {
        let map: Map<String, Value> =
            facts.into_iter().map(|(key, value)| (key.to_owned(), Value::String(value))).collect();
        return output::print(&format!("{}\n", Value::Object(map)));
    }
    let mut text = String::new();
    for (key, value) in facts {
        text.push_str(&format!("{key:17} {value}\n"));
    }
    output::print(&text)
}

/// What a server would keep of the workspace.
fn search_index(tools: &ToolSet) -> String {
    let config = tools.workspace().config();
    let search = &config.search;
    let how = match search.freshness {
        Freshness::Watch => "directories are watched",
        Freshness::Strict => "files are compared for each search",
        _ => return "off".into(),
    };
    if !search.index || config.match_masked {
        return "off".into();
    }
    let mib = search.index_max_bytes >> 20;
    format!("in a server, from {} files on, at most {mib} MiB; {how}", search.index_min_files)
}

/// Where changes are recorded, how many there are, and how the store is doing.
fn history(tools: &ToolSet) -> String {
    let workspace = tools.workspace();
    let Some(dir) = workspace.state_dir() else { return "off: no change can be undone".into() };
    let dir = show_path(dir);
    let facts = |history: &mut fs_tools::file_history::History<_>| {
        let store: &fs_tools::file_history::SqliteStore = history.store();
        Ok((history.stats()?.changes, store.has_wal(), store.was_tightened()))
    };
    match workspace.history_in(Scope::Workspace, facts) {
        Ok(None) => format!("on, nothing recorded yet, in {dir}"),
        Ok(Some((changes, has_wal, was_tightened))) => {
            let slow = if has_wal { "" } else { ", without a write-ahead log here" };
            let open = if was_tightened { ", was readable by others until now" } else { "" };
            format!("on, {changes} changes, in {dir}{slow}{open}")
        }
        Err(error) => format!("unusable: {}", error.message()),
    }
}
