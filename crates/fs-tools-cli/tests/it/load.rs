//! Four clients at once, a tenth of the calls hostile, with kills and cancellations in between: every answer is checked.
//!
//! A few hundred calls by default; `cargo xtask mcp-load` sets the variables for ten thousand.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Session, text};
use crate::http::Served;

const CLIENTS: usize = 4;
/// Files that one client works on.
const FILES: u64 = 12;
/// One of so many calls of a client is a kill; in between, a server lives long enough for a leak to show.
const KILL_EVERY: u64 = 400;
/// Calls of one server after which its memory and descriptors are taken as the measure.
const WARM_UP: u64 = 60;
/// Growth of resident memory that is no leak, in KiB: pages of the store, buffers of threads.
const SLACK_KIB: u64 = 12 * 1024;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// A generator of repeatable choices (xorshift64*).
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }
}

/// What one client knows of the files that are its own.
struct Worker {
    root: PathBuf,
    name: String,
    dice: Dice,
    session: Session,
    files: BTreeMap<String, String>,
    /// Calls of the running server, and what it took after the warm-up.
    calls: u64,
    measure: Option<(u64, usize)>,
    version: u64,
    /// Lines of the shared log: written for certain, and perhaps.
    logged: Vec<u64>,
    perhaps: Vec<u64>,
    /// Files whose writing was given up, with what was to be in them.
    given_up: Vec<(String, String)>,
    kills: u64,
    cancelled: u64,
    hostile: u64,
}

impl Worker {
    fn new(root: &Path, at: usize, seed: u64) -> Self {
        Self {
            root: root.to_owned(),
            name: format!("c{at}"),
            dice: Dice::new(seed * 100 + at as u64),
            session: Session::open(root),
            files: BTreeMap::new(),
            calls: 0,
            measure: None,
            version: 0,
            logged: Vec::new(),
            perhaps: Vec::new(),
            given_up: Vec::new(),
            kills: 0,
            cancelled: 0,
            hostile: 0,
        }
    }

    fn call(&mut self, tool: &str, args: Value) -> Value {
        self.calls += 1;
        self.session.call(tool, args)
    }

    /// Calls a tool that must succeed.
    #[track_caller]
    fn good(&mut self, tool: &str, args: Value) -> String {
        let result = self.call(tool, args.clone());
        assert!(result["isError"] != true, "{tool} {args}: {result}");
        text(&result).to_owned()
    }

    fn pick(&mut self) -> String {
        format!("{}/f{:02}", self.name, self.dice.below(FILES))
    }

    fn content(&mut self) -> String {
        self.version += 1;
        let lines = self.dice.below(40) + 1;
        let mut text = format!("needle of {}\n", self.name);
        for line in 0..lines {
            text.push_str(&format!("line {line} of version {} by {}\n", self.version, self.name));
        }
        text
    }

    fn step(&mut self) {
        match self.dice.below(100) {
            0..10 => self.be_hostile(),
            10..14 => self.give_up_a_search(),
            14..17 => self.give_up_a_write(),
            17..40 => self.write(),
            40..52 => self.edit(),
            52..64 => self.append(),
            64..80 => self.read(),
            80..88 => self.list(),
            88..96 => self.search(),
            _ => self.read_as_resource(),
        }
        self.look_for_leaks();
    }

    fn write(&mut self) {
        let (path, content) = (self.pick(), self.content());
        let known = self.files.contains_key(&path);
        let done = self.call("write_file", json!({"path": path, "content": content, "overwrite": known}));
        let action = if known { "overwritten" } else { "created" };
        assert_eq!(done["structuredContent"]["action"], action, "{done}");
        self.files.insert(path, content);
    }

    fn edit(&mut self) {
        let path = self.pick();
        let Some(content) = self.files.get(&path).cloned() else { return self.write() };
        let old = content.lines().last().unwrap().to_owned();
        self.version += 1;
        let new = format!("line edited as version {} by {}", self.version, self.name);
        let done = self.good("edit_file", json!({"path": path, "old_text": old, "new_text": new}));
        assert!(done.contains(&format!("+{new}")), "{done}");
        self.files.insert(path, content.replace(&old, &new));
    }

    fn append(&mut self) {
        self.version += 1;
        let line = format!("{} {} end\n", self.name, self.version);
        self.good("append_file", json!({"path": "shared.log", "content": line}));
        self.logged.push(self.version);
    }

    fn read(&mut self) {
        let path = self.pick();
        let result = self.call("read_file", json!({"path": path}));
        match self.files.get(&path) {
            Some(content) => {
                assert!(text(&result).contains(&format!("total: {} bytes", content.len())), "{result}");
                assert!(text(&result).ends_with(content.as_str()), "{path}: {result}");
            }
            None => assert!(result["isError"] == true, "{result}"),
        }
    }

    fn read_as_resource(&mut self) {
        let path = self.pick();
        let Some(content) = self.files.get(&path).cloned() else { return self.read() };
        let uri = format!("file://{}/{path}", self.root.display());
        self.calls += 1;
        let answer = self.session.request("resources/read", json!({"uri": uri}));
        assert_eq!(answer["result"]["contents"][0]["text"], content, "{answer}");
    }

    fn list(&mut self) {
        if self.files.is_empty() {
            return self.write();
        }
        let shown = self.good("list_dir", json!({"path": self.name}));
        let expected: String = self
            .files
            .iter()
            .map(|(path, content)| format!("FILE: {} ({} bytes)\n", &path[3..], content.len()))
            .collect();
        assert_eq!(shown, expected);
    }

    fn search(&mut self) {
        if self.files.is_empty() {
            return self.write();
        }
        let found = self
            .good("search_files", json!({"pattern": format!("needle of {}", self.name), "path": self.name}));
        let rows: Vec<String> =
            self.files.keys().map(|path| format!("{path}:1: needle of {}\n", self.name)).collect();
        let summary = format!("\n{0} result(s), {0} files scanned.", rows.len());
        assert_eq!(found, rows.concat() + &summary);
    }

    fn give_up_a_search(&mut self) {
        self.cancelled += 1;
        let id = self.session.post(
            "tools/call",
            json!({"name": "search_files", "arguments": {"pattern": "(x+x+)+y$", "path": "slow"}}),
        );
        if self.dice.below(2) == 0 {
            // So that it has begun.
            self.read();
        }
        self.session.cancel(id);
        self.list();
    }

    /// A write that is given up is made or not made, never in part. When it is made cannot be known from outside, so
    /// its file is looked at when the servers have ended.
    fn give_up_a_write(&mut self) {
        self.cancelled += 1;
        let content = self.content();
        let path = format!("given-up/{}-{}", self.name, self.version);
        let args = json!({"path": path, "content": content});
        let id = self.session.post("tools/call", json!({"name": "write_file", "arguments": args}));
        self.session.cancel(id);
        self.given_up.push((path, content));
        self.read();
    }

    /// The server is killed in the middle of a write; the next one finds the file whole.
    fn kill(&mut self) {
        self.kills += 1;
        let (path, content) = (self.pick(), self.content());
        let args = json!({"path": path, "content": content, "overwrite": true});
        self.session.post("tools/call", json!({"name": "write_file", "arguments": args}));
        self.version += 1;
        let line = format!("{} {} end\n", self.name, self.version);
        self.perhaps.push(self.version);
        self.session.post(
            "tools/call",
            json!({"name": "append_file", "arguments": {"path": "shared.log", "content": line}}),
        );
        if self.dice.below(2) == 0 {
            let _ = self.session.receive();
        }
        self.session.kill();
        self.session = Session::open(&self.root);
        (self.calls, self.measure) = (0, None);
        self.settle(&path, content);
    }

    /// Finds out which of two states a file has, and takes it for the known one.
    fn settle(&mut self, path: &str, written: String) {
        let known = self.files.get(path).cloned();
        // The history has one writer of a path at a time: this answer comes after the write has ended.
        let probe =
            self.call("edit_file", json!({"path": path, "old_text": "no such text", "new_text": "x"}));
        assert!(probe["isError"] == true, "{probe}");
        let on_disk = fs::read_to_string(self.root.join(path)).ok();
        assert!(
            on_disk == known || on_disk.as_deref() == Some(&written),
            "{path} is neither old nor new: {on_disk:?}"
        );
        match on_disk {
            Some(content) => self.files.insert(path.to_owned(), content),
            None => self.files.remove(path),
        };
    }

    fn be_hostile(&mut self) {
        self.hostile += 1;
        self.calls += 1;
        let path = format!("{}/f00", self.name);
        let tricks: [(&str, Value); 14] = [
            ("read_file", json!({"path": "../secret"})),
            ("read_file", json!({"path": "link-out"})),
            ("read_file", json!({"path": "fifo"})),
            ("read_file", json!({"path": "a\u{0}b"})),
            ("read_file", json!({"path": 7, "offset": "x"})),
            ("read_file", json!({"path": "/etc/shadow"})),
            ("write_file", json!({"path": "../secret", "content": "gone", "overwrite": true})),
            ("write_file", json!({"path": ".git/hooks/pre-commit", "content": "x"})),
            ("append_file", json!({"path": "link-out", "content": "x"})),
            (
                "edit_file",
                json!({"path": path, "patch": "*** Begin Patch\n*** Update File: ../secret\n@@\n-a\n+b\n*** End Patch"}),
            ),
            ("search_files", json!({"pattern": "(".repeat(500)})),
            ("search_files", json!({"pattern": "a{1000}{1000}{1000}"})),
            ("list_dir", json!({"path": "..", "limit": u64::MAX})),
            ("no_such_tool", json!({"x": [[[[]]]]})),
        ];
        match self.dice.below(tricks.len() as u64 + 5) {
            at @ 0..14 => {
                let (tool, args) = tricks[at as usize].clone();
                let result = self.session.call(tool, args.clone());
                assert!(result["isError"] == true, "{tool} {args}: {result}");
                assert!(!result.to_string().contains("the secret"), "{result}");
            }
            14 => self.is_refused("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": "),
            15 => self.is_refused(&"[".repeat(100_000)),
            16 => self.is_refused(r#"{"jsonrpc":"1.0","id":2,"method":"tools/list"}"#),
            17 => {
                let answer = self.session.request("no/such/method", json!({}));
                assert!(answer["error"].is_object(), "{answer}");
            }
            _ => {
                // An id that is nobody's, and one that was answered long ago.
                self.session.cancel(987_654_321);
                self.session.cancel(1);
                self.list();
            }
        }
    }

    /// Sends a line that is no message and gets an error for it.
    #[track_caller]
    fn is_refused(&mut self, line: &str) {
        self.session.send(line);
        let mut answer = self.session.receive();
        // A call that was cancelled too late may be answered in between.
        while answer["error"].is_null() {
            answer = self.session.receive();
        }
    }

    fn look_for_leaks(&mut self) {
        if self.calls < WARM_UP {
            return;
        }
        let now = (self.session.resident_kib(), self.session.descriptors());
        let (kib, descriptors) = *self.measure.get_or_insert(now);
        assert!(
            now.0 < kib + SLACK_KIB,
            "{}: {kib} KiB grew to {} KiB in {} calls",
            self.name,
            now.0,
            self.calls
        );
        // A call that is still being given up holds its files for a moment.
        assert!(now.1 <= descriptors + 16, "{}: {descriptors} descriptors grew to {}", self.name, now.1);
    }
}

fn tree(root: &Path) {
    fs::create_dir_all(root.join(".git/hooks")).unwrap();
    fs::create_dir(root.join("slow")).unwrap();
    let line = "x".repeat(1_000) + "\n";
    for n in 0..20 {
        fs::write(root.join(format!("slow/s{n}")), line.repeat(500)).unwrap();
    }
    fs::write(root.with_file_name("secret"), "the secret\n").unwrap();
    std::os::unix::fs::symlink("../secret", root.join("link-out")).unwrap();
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::from_raw_mode(0o600));
    rustix::fs::mknodat(rustix::fs::CWD, root.join("fifo"), kind, mode, 0).unwrap();
}

#[test]
fn mixed_calls_of_four_clients_are_answered_right() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("ws");
    fs::create_dir(&root).unwrap();
    tree(&root);
    let (calls, seed) = (number("FS_TOOLS_LOAD_CALLS", 480), number("FS_TOOLS_LOAD_SEED", 1));
    let workers: Vec<Worker> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..CLIENTS)
            .map(|at| {
                let root = &root;
                scope.spawn(move || {
                    let mut worker = Worker::new(root, at, seed);
                    let mut steps = 0;
                    while steps < calls / CLIENTS as u64 {
                        if steps % KILL_EVERY == KILL_EVERY / 8 {
                            worker.kill()
                        } else {
                            worker.step()
                        }
                        steps += 1;
                    }
                    worker
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let log = fs::read_to_string(root.join("shared.log")).unwrap();
    let mut totals = (0, 0, 0);
    for mut worker in workers {
        let prefix = format!("{} ", worker.name);
        let lines: Vec<u64> = log
            .lines()
            .filter_map(|line| line.strip_prefix(&prefix)?.strip_suffix(" end")?.parse().ok())
            .collect();
        assert!(lines.is_sorted_by(|a, b| a < b), "each line once, in order");
        for version in &worker.logged {
            assert!(
                lines.binary_search(version).is_ok(),
                "{prefix}{version} was acknowledged and is not there"
            );
        }
        for version in lines {
            assert!(worker.logged.contains(&version) || worker.perhaps.contains(&version));
        }
        let files = std::mem::take(&mut worker.files);
        for (path, content) in &files {
            assert_eq!(&fs::read_to_string(root.join(path)).unwrap(), content, "{path}");
        }
        totals = (totals.0 + worker.hostile, totals.1 + worker.kills, totals.2 + worker.cancelled);
        assert!(worker.session.close().0, "the server ends well");
        for (path, content) in worker.given_up {
            let found = fs::read_to_string(root.join(&path)).ok();
            assert!(
                found.is_none() || found.as_ref() == Some(&content),
                "{path} is neither absent nor whole: {found:?}"
            );
        }
    }
    assert!(log.lines().all(|line| line.starts_with('c') && line.ends_with(" end")), "no torn line");
    assert_eq!(fs::read_to_string(root.with_file_name("secret")).unwrap(), "the secret\n");
    assert!(totals.0 > 0 && totals.1 > 0 && totals.2 > 0, "hostile, killed, cancelled: {totals:?}");
    println!(
        "{calls} calls of {CLIENTS} clients (seed {seed}): {} hostile, {} kills, {} cancelled; no wrong answer, no leak",
        totals.0, totals.1, totals.2
    );
}

#[test]
fn one_server_over_http_serves_four_clients_without_a_leak() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("ws");
    fs::create_dir(&root).unwrap();
    tree(&root);
    let calls = number("FS_TOOLS_LOAD_CALLS", 400) / 2;
    let server = Served::start(&root, &[], None);
    let round = |from: u64, to: u64| {
        std::thread::scope(|scope| {
            for at in 0..CLIENTS {
                let server = &server;
                scope.spawn(move || {
                    for n in (from..to).filter(|n| n % CLIENTS as u64 == at as u64) {
                        let path = format!("h{at}");
                        let content = format!("{n} of {at}\n");
                        let write = json!({"path": path, "content": content, "overwrite": true});
                        let done = server.call("write_file", write);
                        assert!(done["isError"] != true, "{done}");
                        let read = server.call("read_file", json!({"path": path}));
                        assert!(text(&read).ends_with(&content), "{read}");
                        let hostile = server.call("read_file", json!({"path": "../secret"}));
                        assert!(hostile["isError"] == true, "{hostile}");
                    }
                });
            }
        });
        (server.resident_kib(), server.descriptors())
    };
    let warm = round(0, 40);
    let after = round(40, 40 + calls / 3);
    assert!(after.0 < warm.0 + SLACK_KIB, "{} KiB grew to {} KiB", warm.0, after.0);
    // A connection that the client has closed may be open for a moment on the other side.
    assert!(after.1 <= warm.1 + CLIENTS, "{} descriptors grew to {}", warm.1, after.1);
}
