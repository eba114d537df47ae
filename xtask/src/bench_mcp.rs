//! Our server against other file servers: the same calls over standard input and output, alternately, in one run.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use xshell::Shell;

use crate::mcp_client::Client;
use crate::step::{Step, heading, skip};
use crate::{tool, workspace};

/// Rounds when nobody says otherwise.
const ROUNDS: u32 = 60;
/// Files of the tree that is searched, and files of one directory.
const FILES: usize = 5_000;
const PER_DIR: usize = 100;
/// Starts of each server.
const STARTS: usize = 15;
/// Calls of one burst.
const BURST: u32 = 64;
/// The slow calls run in a quarter of the rounds.
const SLOW: [&str; 3] = ["read 1 MiB", "names over 5,000 files", "content over 5,000 files"];

/// What is compared, in the order of the table.
const OPS: [&str; 8] = [
    "read 1 KiB",
    "read 1 MiB",
    "50 lines of 1 MiB",
    "write 4 KiB",
    "one edit in 200 lines",
    "list 100 entries",
    "names over 5,000 files",
    "content over 5,000 files",
];

/// A server, and its way to say each call: tool and arguments, with `{root}` for its own folder.
struct Peer {
    name: &'static str,
    words: &'static [&'static str],
    /// What installs it.
    install: &'static str,
    calls: [Option<(&'static str, &'static str)>; OPS.len()],
}

const RUST: &str = "rust-mcp-filesystem";

const PEERS: [Peer; 4] = [
    Peer {
        name: RUST,
        words: &["rust-mcp-filesystem", "--allow-write", "{root}"],
        install: "cargo install --locked rust-mcp-filesystem@0.4.5",
        calls: [
            Some(("read_text_file", r#"{"path": "{root}/small.txt"}"#)),
            Some(("read_text_file", r#"{"path": "{root}/big.txt"}"#)),
            Some(("head_file", r#"{"path": "{root}/big.txt", "lines": 50}"#)),
            Some(("write_file", r#"{"path": "{root}/w.txt", "content": "{4k}"}"#)),
            Some((
                "edit_file",
                r#"{"path": "{root}/edit.txt", "edits": [{"oldText": "{old}", "newText": "{new}"}]}"#,
            )),
            Some(("list_directory", r#"{"path": "{root}/tree/d00"}"#)),
            Some(("search_files", r#"{"path": "{root}/tree", "pattern": "f011*.py"}"#)),
            Some((
                "search_files_content",
                r#"{"path": "{root}/tree", "pattern": "**/*.py", "query": "needle_42", "is_regex": true}"#,
            )),
        ],
    },
    Peer {
        name: "reference (Node)",
        words: &["mcp-server-filesystem", "{root}"],
        install: "npm install -g @modelcontextprotocol/server-filesystem@2026.8.31",
        calls: [
            Some(("read_text_file", r#"{"path": "{root}/small.txt"}"#)),
            Some(("read_text_file", r#"{"path": "{root}/big.txt"}"#)),
            Some(("read_text_file", r#"{"path": "{root}/big.txt", "head": 50}"#)),
            Some(("write_file", r#"{"path": "{root}/w.txt", "content": "{4k}"}"#)),
            Some((
                "edit_file",
                r#"{"path": "{root}/edit.txt", "edits": [{"oldText": "{old}", "newText": "{new}"}]}"#,
            )),
            Some(("list_directory", r#"{"path": "{root}/tree/d00"}"#)),
            Some(("search_files", r#"{"path": "{root}/tree", "pattern": "**/f011*.py"}"#)),
            None,
        ],
    },
    Peer {
        name: "Desktop Commander",
        words: &["desktop-commander", "--no-onboarding"],
        install: "PUPPETEER_SKIP_DOWNLOAD=1 npm install -g @wonderwhy-er/desktop-commander@0.2.52",
        calls: [
            Some(("read_file", r#"{"path": "{root}/small.txt"}"#)),
            Some(("read_file", r#"{"path": "{root}/big.txt", "offset": 0, "length": 100000}"#)),
            Some(("read_file", r#"{"path": "{root}/big.txt", "offset": 0, "length": 50}"#)),
            Some(("write_file", r#"{"path": "{root}/w.txt", "content": "{4k}", "mode": "rewrite"}"#)),
            Some((
                "edit_block",
                r#"{"file_path": "{root}/edit.txt", "old_string": "{old}", "new_string": "{new}"}"#,
            )),
            Some(("list_directory", r#"{"path": "{root}/tree/d00", "depth": 1}"#)),
            // Its searches are jobs that are asked for later; the first answer is no result.
            None,
            None,
        ],
    },
    Peer {
        name: "mcp-filesystem-encoding (Python)",
        words: &["mcp-filesystem-encoding", "{root}"],
        install: "pip install mcp-filesystem-encoding==0.2.4",
        calls: [
            Some(("read_file", r#"{"path": "{root}/small.txt"}"#)),
            Some(("read_file", r#"{"path": "{root}/big.txt"}"#)),
            Some(("read_file_lines", r#"{"path": "{root}/big.txt", "offset": 0, "limit": 50}"#)),
            Some(("write_file", r#"{"path": "{root}/w.txt", "content": "{4k}"}"#)),
            Some((
                "edit_file",
                r#"{"path": "{root}/edit.txt", "edits": [{"oldText": "{old}", "newText": "{new}"}]}"#,
            )),
            Some(("list_directory", r#"{"path": "{root}/tree/d00"}"#)),
            Some(("search_files", r#"{"path": "{root}/tree", "pattern": "f011*.py"}"#)),
            Some(("grep_files", r#"{"path": "{root}/tree", "pattern": "needle_42", "is_regex": true}"#)),
        ],
    },
];

const OURS: [Option<(&str, &str)>; OPS.len()] = [
    Some(("read_file", r#"{"path": "small.txt"}"#)),
    Some(("read_file", r#"{"path": "big.txt", "length": 1048576}"#)),
    // Lines of the file have 101 bytes.
    Some(("read_file", r#"{"path": "big.txt", "length": 5050}"#)),
    Some(("write_file", r#"{"path": "w.txt", "content": "{4k}", "overwrite": true}"#)),
    Some(("edit_file", r#"{"path": "edit.txt", "old_text": "{old}", "new_text": "{new}"}"#)),
    Some(("list_dir", r#"{"path": "tree/d00"}"#)),
    Some(("search_files", r#"{"path": "tree", "pattern": "f011*.py", "target": "files", "limit": 200}"#)),
    Some(("search_files", r#"{"path": "tree", "pattern": "needle_42", "file_glob": "*.py", "limit": 200}"#)),
];

/// Pages as large as those of the others, so that a call brings the same bytes.
const PAGES: &str = r#""read_file": {"max_read_file_size": 1048576}, "max_inline_result_chars": 2000000"#;

/// A server that runs, with what was measured.
struct Entry {
    name: String,
    client: Client,
    calls: [Option<(&'static str, &'static str)>; OPS.len()],
    root: PathBuf,
    flip: bool,
    starts: Vec<f64>,
    idle_mib: f64,
    times: [Vec<f64>; OPS.len()],
    bursts: Vec<f64>,
    problems: Vec<String>,
}

pub(crate) fn run(sh: &Shell, rounds: Option<u32>) -> anyhow::Result<()> {
    Step::new("our side", "cargo build --release -p fs-tools-cli").run(sh)?;
    let target = workspace::target_dir(sh)?;
    let ours = target.join("release/fs-tools").display().to_string();
    let place = target.join("bench-mcp");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place)?;
    let seed = place.join("seed");
    make_tree(&seed)?;
    let mut entries = Vec::new();
    let quick = format!(
        r#"{{"tools": {{{PAGES}}}, "fs_tools": {{"durability": "none", "history": {{"enabled": false}}}}}}"#
    );
    let durable = format!(r#"{{"tools": {{{PAGES}}}}}"#);
    for (name, config) in [("fs-tools", &quick), ("fs-tools, durable with history", &durable)] {
        let file = place.join(format!("{}.json", entries.len()));
        fs::write(&file, config)?;
        let words = [&ours, "--config", &file.display().to_string(), "--workspace", "{root}", "mcp"]
            .map(str::to_owned);
        entries.push(Entry::start(name, &words, OURS, &place, &seed)?);
    }
    for peer in &PEERS {
        if !tool::answers(sh, "sh", &["-c", &format!("command -v {}", peer.words[0])]) {
            skip(peer.name, &format!("it is not installed; `{}` does it", peer.install));
            continue;
        }
        let words: Vec<String> = peer.words.iter().map(|&it| it.to_owned()).collect();
        match Entry::start(peer.name, &words, peer.calls, &place, &seed) {
            Ok(entry) => entries.push(entry),
            Err(error) => skip(peer.name, &format!("it does not start: {error:#}")),
        }
    }
    let rounds = rounds.unwrap_or(ROUNDS).max(4);
    for round in 0..rounds + 2 {
        for (op, name) in OPS.iter().enumerate() {
            let is_slow = SLOW.contains(name);
            if is_slow && round % 4 != 0 {
                continue;
            }
            for entry in &mut entries {
                entry.time(op, round >= 2 || is_slow);
            }
        }
        if round % 10 == 5 {
            for entry in &mut entries {
                entry.burst();
            }
        }
    }
    heading(&format!("{rounds} alternating rounds, {} processors", std::thread::available_parallelism()?));
    print(&entries);
    drop(entries);
    fs::remove_dir_all(&place).context("the trees of the bench")
}

impl Entry {
    fn start(
        name: &str,
        words: &[String],
        calls: [Option<(&'static str, &'static str)>; OPS.len()],
        place: &Path,
        seed: &Path,
    ) -> anyhow::Result<Self> {
        let slug: String = name.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '-' }).collect();
        let (root, home) = (place.join(&slug), place.join(format!("home-{slug}")));
        fs::create_dir_all(&home)?;
        let copied = Command::new("cp").arg("-r").arg(seed).arg(&root).status()?;
        anyhow::ensure!(copied.success(), "the tree cannot be copied");
        let start = || {
            let words: Vec<String> =
                words.iter().map(|it| it.replace("{root}", &root.display().to_string())).collect();
            Client::start(Command::new(&words[0]).args(&words[1..]).current_dir(&root).env("HOME", &home))
        };
        let mut starts = Vec::new();
        for _ in 1..STARTS {
            starts.push(millis(start()?.ready));
        }
        let client = start().with_context(|| name.to_owned())?;
        starts.push(millis(client.ready));
        let idle_mib = client.resident_mib();
        Ok(Self {
            name: name.to_owned(),
            client,
            calls,
            root,
            flip: false,
            starts,
            idle_mib,
            times: Default::default(),
            bursts: Vec::new(),
            problems: Vec::new(),
        })
    }

    fn arguments(&self, text: &str) -> Value {
        let (old, new) = if self.flip { ("omega", "alpha") } else { ("alpha", "omega") };
        // Other content each time: writing what is there already is no write.
        let line = if self.flip { "x" } else { "y" };
        let content = line.repeat(63) + "\\n";
        let text = text
            .replace("{root}", &self.root.display().to_string())
            .replace("{old}", &format!("row 100 value {old}"))
            .replace("{new}", &format!("row 100 value {new}"))
            .replace("{4k}", &content.repeat(64));
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn time(&mut self, op: usize, counts: bool) {
        let Some((tool, args)) = self.calls[op] else { return };
        let args = self.arguments(args);
        match self.client.call(tool, &args) {
            Ok((took, _)) => {
                // The edit is the last call that changes a file in each round.
                if OPS[op].starts_with("one edit") {
                    self.flip = !self.flip;
                }
                if counts {
                    self.times[op].push(millis(took));
                }
            }
            Err(error) => {
                let text: String = error.to_string().chars().take(120).collect();
                if !self.problems.contains(&text) {
                    self.problems.push(text);
                }
            }
        }
    }

    fn burst(&mut self) {
        if let Some((tool, args)) = self.calls[0] {
            let args = self.arguments(args);
            if let Ok(rate) = self.client.burst(tool, &args, BURST) {
                self.bursts.push(rate);
            }
        }
    }
}

fn print(entries: &[Entry]) {
    let mut table = String::from(
        "\n| server | first answer ms | idle MiB | after MiB | tools | list bytes | model bytes | small reads/s |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for entry in entries {
        let list = &entry.client.tools;
        let seen: Vec<Value> = list
            .iter()
            .map(|it| json!({"name": it["name"], "description": it["description"], "inputSchema": it["inputSchema"]}))
            .collect();
        let _ = writeln!(
            table,
            "| {} | {:.1} | {:.1} | {:.1} | {} | {} | {} | {:.0} |",
            entry.name,
            quantile(&entry.starts, 50),
            entry.idle_mib,
            entry.client.resident_mib(),
            list.len(),
            Value::Array(list.clone()).to_string().len(),
            Value::Array(seen).to_string().len(),
            quantile(&entry.bursts, 50),
        );
    }
    let rival = entries.iter().find(|it| it.name == RUST);
    table.push_str("\nMedian ms / 99th percentile ms; in brackets the ratio of the median to that of rust-mcp-filesystem.\n\n| call |");
    entries.iter().for_each(|entry| table.push_str(&format!(" {} |", entry.name)));
    table.push_str("\n|---|");
    entries.iter().for_each(|_| table.push_str("---|"));
    table.push('\n');
    for (op, name) in OPS.iter().enumerate() {
        table.push_str(&format!("| {name} |"));
        for entry in entries {
            let times = &entry.times[op];
            if times.is_empty() {
                table.push_str(" - |");
                continue;
            }
            let _ = write!(table, " {:.2} / {:.2}", quantile(times, 50), quantile(times, 99));
            if let Some(rival) = rival.filter(|rival| !rival.times[op].is_empty() && rival.name != entry.name)
            {
                let _ = write!(table, " ({:.2})", quantile(times, 50) / quantile(&rival.times[op], 50));
            }
            table.push_str(" |");
        }
        table.push('\n');
    }
    println!("{table}");
    for entry in entries {
        for problem in &entry.problems {
            println!("!!! {}: {problem}", entry.name);
        }
    }
}

fn make_tree(root: &Path) -> anyhow::Result<()> {
    let body: String = (0..10_500).map(|n| format!("line {n:05} {}\n", "abcdefghij".repeat(9))).collect();
    fs::create_dir_all(root)?;
    fs::write(root.join("big.txt"), &body[..1 << 20])?;
    fs::write(root.join("small.txt"), &body[..1_024])?;
    let rows: String = (0..200)
        .map(|n| if n == 100 { "row 100 value alpha\n".to_owned() } else { format!("row {n} value {n}\n") })
        .collect();
    fs::write(root.join("edit.txt"), rows)?;
    for dir in 0..FILES / PER_DIR {
        let path = root.join(format!("tree/d{dir:02}"));
        fs::create_dir_all(&path)?;
        for file in 0..PER_DIR {
            let n = dir * PER_DIR + file;
            let mut text: String =
                (0..40).map(|k| format!("def fn_{n}_{k}(x):\n    return x + {k}\n")).collect();
            if n % 101 == 1 {
                text.push_str("needle_42 = True\n");
            }
            fs::write(path.join(format!("f{file:03}.py")), text)?;
        }
    }
    Ok(())
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// The value below which `percent` of the values lie.
fn quantile(values: &[f64], percent: usize) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let at = (values.len() * percent / 100).min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::{OURS, PEERS, quantile};

    #[test]
    fn quantiles_are_values_of_the_run() {
        assert_eq!(quantile(&[3.0, 1.0, 2.0], 50), 2.0);
        assert_eq!(quantile(&[3.0, 1.0, 2.0], 99), 3.0);
        assert!(quantile(&[], 50).is_nan());
    }

    #[test]
    fn every_call_is_json() {
        for (_, args) in PEERS.iter().flat_map(|peer| peer.calls).chain(OURS).flatten() {
            assert!(serde_json::from_str::<serde_json::Value>(args).is_ok(), "{args}");
        }
    }
}
