//! The warm search: whatever happens to the files, by whatever means, its answers are those of a search without an index.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use fs_tools::{Call, Config, Freshness, Options, ToolSet, Workspace};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The same tree, searched by a process that keeps an index and by one that does not.
struct Pair {
    dir: TempDir,
    warm: ToolSet,
    cold: ToolSet,
}

impl Pair {
    fn new(freshness: Freshness) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("ws");
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::create_dir(dir.path().join("out")).unwrap();
        for n in 0..40 {
            fs::write(root.join(format!("src/file{n:02}.rs")), format!("fn f{n}() {{}}\nneedle{n}\n"))
                .unwrap();
        }
        let open = |long_lived| {
            let mut config = Config { history: false, ..Config::default() };
            (config.search.freshness, config.search.index_min_files) = (freshness, 0);
            let mut options = Options::new(&root, config);
            options.long_lived = long_lived;
            ToolSet::classic(Workspace::open(options).unwrap())
        };
        Self { warm: open(true), cold: open(false), dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("ws").join(name)
    }

    fn settle(&self) {
        self.warm.workspace().wait_for_index();
    }

    #[track_caller]
    fn check(&self, args: &Value, what: &dyn Fn() -> String) -> String {
        let [warm, cold] =
            [&self.warm, &self.cold].map(|tools| tools.call("search_files", args, &Call::plain()).for_model);
        assert!(warm == cold, "{}\n{args}\nwarm: {warm}\ncold: {cold}", what());
        warm
    }

    #[track_caller]
    fn finds(&self, word: &str) -> String {
        self.check(&json!({"pattern": word}), &|| word.to_owned())
    }
}

fn write(path: &Path, content: &str) {
    if let Some(parent) = path.parent() {
        let _ = fs::create_dir_all(parent);
    }
    // What is in the way stays in the way.
    let _ = fs::write(path, content);
}

/// Random numbers, the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

const FILES: &[&str] = &[
    "a.txt",
    "b.log",
    "src/file01.rs",
    "src/file02.rs",
    "src/deep/x.rs",
    "src/deep/er/y.rs",
    "docs/one.md",
    "docs/two.md",
    "build/out.txt",
    "new/p/q/r/z.txt",
    "zz",
    ".hidden",
    "src/.gitignore.bak",
];
const DIRS: &[&str] = &["src", "src/deep", "docs", "build", "new", "new/p", "moved", "moved/again"];
const WORDS: &[&str] = &["needle", "alpha", "betagamma", "deltaepsilon", "TODO: later", "fn main() {", "x"];
const RULES: &[&str] = &["*.log\n", "build\n", "docs/\n!docs/\n", "/src/deep\n", "", "*.md\n", "new/p/\n"];

/// Does one thing to the tree and says what.
fn edit(pair: &Pair, random: &mut Random) -> String {
    let name = random.one(FILES);
    let path = pair.path(name);
    let other_name = random.one(FILES);
    let other = pair.path(other_name);
    let dir_name = random.one(DIRS);
    let dir = pair.path(dir_name);
    let line = format!("{} {}\n", random.one(WORDS), random.one(WORDS));
    let kind = random.below(22);
    match kind {
        0 | 1 => write(&path, &line.repeat(1 + random.below(30))),
        2 => {
            let args = json!({"path": name, "content": line, "overwrite": true});
            let _ = pair.warm.call("write_file", &args, &Call::plain());
        }
        3 => {
            let _ = pair.warm.call("append_file", &json!({"path": name, "content": line}), &Call::plain());
        }
        4 => {
            if let Ok(mut file) = OpenOptions::new().append(true).open(&path) {
                file.write_all(line.as_bytes()).unwrap();
            }
        }
        5 => {
            // As many bytes, and the time put back.
            if let (Ok(before), Ok(content)) = (fs::metadata(&path), fs::read(&path))
                && before.is_file()
            {
                let changed: Vec<u8> = content.iter().map(|&b| if b == b'e' { b'a' } else { b }).collect();
                let file = OpenOptions::new().write(true).open(&path).unwrap();
                (&file).write_all(&changed).unwrap();
                file.set_modified(before.modified().unwrap()).unwrap();
            }
        }
        6 => {
            let _ = fs::remove_file(&path);
        }
        7 => {
            let _ = fs::rename(&path, &other);
        }
        8 => {
            let temporary = pair.dir.path().join("out/temporary");
            fs::write(&temporary, &line).unwrap();
            let _ = fs::rename(&temporary, &path);
        }
        9 => {
            let _ = fs::create_dir_all(dir.join("p/q/r"));
            write(&dir.join("p/q/r/deepest.txt"), &line);
        }
        10 => {
            let _ = fs::remove_dir_all(&dir);
        }
        11 => {
            let _ = fs::rename(&dir, pair.path(random.one(DIRS)));
        }
        12 => {
            // Out of the workspace, changed there, and back.
            let out = pair.dir.path().join("out/dir");
            if fs::rename(&dir, &out).is_ok() {
                write(&out.join("elsewhere.txt"), &line);
                let _ = fs::rename(&out, &dir);
                let _ = fs::remove_dir_all(&out);
            }
        }
        13 => {
            let _ = fs::hard_link(&path, &other);
        }
        14 => {
            // Through another name, which may be new and may be ignored.
            let link = pair.path(random.one(&["linked.txt", "linked.log", "docs/linked.md", "src/linked"]));
            let _ = fs::remove_file(&link);
            if fs::hard_link(&path, &link).is_ok()
                && let Ok(mut file) = OpenOptions::new().append(true).open(&link)
            {
                file.write_all(line.as_bytes()).unwrap();
            }
        }
        15 => {
            let mode = random.one(&[0o644, 0o600, 0o755, 0o444]);
            let _ = fs::set_permissions(&path, fs::Permissions::from_mode(mode));
        }
        16 => {
            let rules = pair.path(random.one(&[".gitignore", ".ignore", "src/.gitignore", "docs/.ignore"]));
            write(&rules, random.one(RULES));
        }
        17 => {
            let _ = fs::remove_file(pair.path(random.one(&[".gitignore", ".ignore", "src/.gitignore"])));
        }
        18 => {
            // Another branch: many files at once.
            for n in 0..12 {
                let file = pair.path(&format!("src/file{:02}.rs", random.below(40)));
                if n % 3 == 0 { drop(fs::remove_file(file)) } else { write(&file, &format!("{line}{n}\n")) }
            }
        }
        19 => {
            let _ = fs::remove_file(&path);
            let _ = symlink("../out", &path);
        }
        20 => {
            if let Ok(file) = File::options().write(true).open(&path) {
                file.set_len(random.below(40) as u64).unwrap();
            }
        }
        _ => write(&path, &format!("{}\n", "long line ".repeat(9_000)).repeat(3)),
    }
    format!("{kind} {name} {other_name} {dir_name}")
}

fn query(random: &mut Random) -> Value {
    let pattern = random.one(&[
        "needle",
        "alpha",
        "betagamma",
        "deltaepsilon",
        "TODO",
        r"fn \w+\(",
        "(?i)NEEDLE",
        "needle1|alpha",
        "absent_from_all",
        "x",
        ".",
        "e$",
        "lineline",
        "",
    ]);
    let mut args = json!({"pattern": pattern});
    match random.below(6) {
        0 => {
            args = json!({"pattern": random.one(&["", "*.rs", "file", "src/**/*.rs", "docs/*"]), "target": "files"});
        }
        1 => args["output_mode"] = json!("files_only"),
        2 => args["output_mode"] = json!("count"),
        3 => args["context"] = json!(random.below(4)),
        _ => {}
    }
    match random.below(8) {
        0 => args["path"] = json!(random.one(DIRS)),
        1 => args["file_glob"] = json!(random.one(&["*.rs", "src/**/*.rs", "a.txt"])),
        2 => args["order"] = json!("modified"),
        3 => args["limit"] = json!(1 + random.below(4)),
        4 => args["offset"] = json!(random.below(5)),
        _ => {}
    }
    args
}

fn rounds(seed: u64, count: u64, freshness: Freshness) {
    let pair = Pair::new(freshness);
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut done = Vec::new();
    for round in 0..count {
        for _ in 0..random.below(4) {
            done.push(edit(&pair, &mut random));
        }
        for _ in 0..2 {
            let what = || format!("seed {seed}, round {round}: {:?}", &done[done.len().saturating_sub(12)..]);
            pair.check(&query(&mut random), &what);
        }
        if random.below(6) == 0 {
            pair.settle();
        }
    }
    let state = pair.warm.workspace().index_state();
    assert!(state.indexed > 0, "nothing was ever taken from the index: {state}");
}

/// `cargo xtask index-rounds --rounds N` sets this.
fn round_count(default: u64) -> u64 {
    option_env_at_run("FS_TOOLS_INDEX_ROUNDS").unwrap_or(default)
}

fn option_env_at_run(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn rounds_of_edits_and_queries_with_a_watch() {
    let count = round_count(150);
    for seed in 0..count.div_ceil(500) {
        rounds(seed + 1, (count - seed * 500).min(500), Freshness::Watch);
    }
}

#[test]
fn rounds_of_edits_and_queries_with_comparisons() {
    let count = round_count(100);
    for seed in 0..count.div_ceil(500) {
        rounds(seed + 1_001, (count - seed * 500).min(500), Freshness::Strict);
    }
}

#[test]
fn an_index_that_is_full_of_everything_reads_nothing_in_vain() {
    let pair = Pair::new(Freshness::Watch);
    pair.settle();
    let state = pair.warm.workspace().index_state();
    assert_eq!((state.phase, state.indexed, state.files), ("ready", 40, 40), "{state}");
    assert!(state.watches >= 2 && state.unwatched == 0, "{state}");
    pair.finds("needle7");
    pair.finds("absent");
}

#[test]
fn more_changes_than_the_watch_can_hold_are_found_all_the_same() {
    let pair = Pair::new(Freshness::Watch);
    pair.settle();
    pair.finds("needle1");
    // Alternately, so that no two events are the same and are taken for one.
    let [a, b] = ["src/file01.rs", "src/file02.rs"]
        .map(|name| OpenOptions::new().append(true).open(pair.path(name)).unwrap());
    for _ in 0..20_000 {
        (&a).write_all(b"\n").unwrap();
        (&b).write_all(b"\n").unwrap();
    }
    write(&pair.path("src/file30.rs"), "written after the overflow\n");
    write(&pair.path("src/late/new.rs"), "written after the overflow\n");
    fs::remove_file(pair.path("src/file31.rs")).unwrap();
    assert!(pair.finds("written after the overflow").contains("src/late/new.rs"));
    pair.finds("needle31");
    pair.settle();
    pair.finds("written after the overflow");
}

#[test]
fn a_write_through_a_new_name_of_a_known_file_is_found() {
    let pair = Pair::new(Freshness::Watch);
    write(&pair.path(".gitignore"), "*.log\n");
    write(&pair.path("src/replaced.txt"), "something\n");
    pair.settle();
    pair.finds("needle1");
    // Under a name that is new, one that is ignored, one that the policy hides (and the file with it), and one that another file had.
    let links =
        [("src/new.txt", true), ("src/ignored.log", true), ("src/.env", false), ("src/replaced.txt", true)];
    for (n, (link, shown)) in links.into_iter().enumerate() {
        let (link, known) = (pair.path(link), format!("src/file{n:02}.rs"));
        let _ = fs::remove_file(&link);
        fs::hard_link(pair.path(&known), &link).unwrap();
        let mut file = OpenOptions::new().append(true).open(&link).unwrap();
        file.write_all(b"written_through_a_link\n").unwrap();
        assert_eq!(pair.finds("written_through_a_link").contains(&format!("{known}:3:")), shown);
        pair.settle();
        file.write_all(b"written_again\n").unwrap();
        assert_eq!(pair.finds("written_again").contains(&format!("{known}:4:")), shown);
    }
}

#[test]
fn a_workspace_that_is_moved_is_searched_where_it_is() {
    let pair = Pair::new(Freshness::Watch);
    pair.settle();
    pair.finds("needle1");
    fs::rename(pair.path(""), pair.dir.path().join("away")).unwrap();
    fs::write(pair.dir.path().join("away/src/file05.rs"), "moved_word\n").unwrap();
    pair.finds("moved_word");
    pair.settle();
    fs::write(pair.dir.path().join("away/src/file06.rs"), "moved_word\n").unwrap();
    pair.finds("moved_word");
}

#[test]
fn there_is_no_index_where_none_is_wanted() {
    let tree = |options: &dyn Fn(&mut Options)| {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), "needle\n").unwrap();
        let mut made = Options::new(dir.path(), Config { history: false, ..Config::default() });
        options(&mut made);
        let tools = ToolSet::classic(Workspace::open(made).unwrap());
        tools.workspace().wait_for_index();
        let found = tools.call("search_files", &json!({"pattern": "needle"}), &Call::plain()).for_model;
        assert!(found.contains("a:1: needle"), "{found}");
        tools.workspace().index_state().phase
    };
    assert_eq!(tree(&|_| {}), "off");
    assert_eq!(tree(&|options| options.long_lived = true), "small");
    assert_eq!(
        tree(&|options| {
            options.long_lived = true;
            options.config.search.freshness = Freshness::Off;
        }),
        "off"
    );
    assert_eq!(
        tree(&|options| {
            options.long_lived = true;
            options.config.match_masked = true;
        }),
        "off"
    );
}
