//! `fs-tools doctor`: what this installation and this machine can do. Never prints a value of the environment.

use std::process::ExitCode;

use fs_tools::ToolSet;
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
