//! Ignore rules against git itself, where it is installed.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use search_engine::{IgnoreFile, MemTree, Verdict};

use crate::support::{names, run, show};

fn git(dir: &Path, args: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let mut child = Command::new("git")
        .args(["-c", "core.excludesFile=/dev/null", "-c", "core.quotePath=false"])
        .args(args)
        .current_dir(dir)
        .env_remove("GIT_DIR")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input).is_ok());
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?;
    Some(output.stdout)
}

fn repository() -> Option<tempfile::TempDir> {
    let dir = tempfile::tempdir().unwrap();
    let ready = git(dir.path(), &["init", "-q"], b"").is_some() && dir.path().join(".git").exists();
    if !ready {
        eprintln!("SKIPPED: git is not installed, so ignore rules are not compared with it");
        return None;
    }
    Some(dir)
}

/// Compares one rule file with git on many paths: a path that ends with a slash is a directory.
#[track_caller]
fn compare(dir: &Path, rules: &[u8], paths: &[String]) {
    fs::write(dir.join(".gitignore"), rules).unwrap();
    let mut input = Vec::new();
    for path in paths {
        // Git looks at the disk for what is a directory.
        input.extend_from_slice(path.trim_end_matches('/').as_bytes());
        input.push(0);
    }
    let output = git(dir, &["check-ignore", "--no-index", "-v", "-n", "-z", "--stdin"], &input).unwrap();
    let fields: Vec<&[u8]> = output.split(|&b| b == 0).collect();
    let parsed = IgnoreFile::parse(rules);
    for (record, path) in fields.chunks_exact(4).zip(paths) {
        let theirs = if record[0].is_empty() {
            None
        } else if record[2].starts_with(b"!") {
            Some(Verdict::Kept)
        } else {
            Some(Verdict::Ignored)
        };
        // Git also asks for the directories above, and an ignored one decides.
        let plain = path.trim_end_matches('/');
        let mut ours = None;
        for end in plain.match_indices('/').map(|(i, _)| i).chain([plain.len()]) {
            let is_dir = end < plain.len() || path.ends_with('/');
            ours = parsed.verdict(&plain.as_bytes()[..end], is_dir);
            if ours == Some(Verdict::Ignored) {
                break;
            }
        }
        assert_eq!(ours, theirs, "rules {:?}, path {path:?}", String::from_utf8_lossy(rules));
    }
    assert_eq!(fields.len() / 4, paths.len());
}

/// The shapes in which readers of ignore files are known to differ from git.
const SHAPES: &[&str] = &[
    "{a,b}",
    "/{{x}}.yml",
    "foo**/bar",
    "***/x",
    "a/***/b",
    "x[/]y",
    "[[:digit:]].t",
    "[[:alpha:]-z]x",
    "[ab",
    "foo\t",
    "foo\\",
    "[z-a]",
    "foo ",
    "foo\\ ",
    "\\#x",
    "\\!x",
    "#x",
    "!x",
    "d/\n!d/keep",
    "d/*\n!d/keep",
    "*\n!*.txt\n!**/",
    "/a/**",
    "a//b",
    "./a",
    "_*.*",
    "a/b/",
    "**",
    "**/",
    "**/x",
    "x/**",
    "a/**/b",
    "/*",
    "*",
    "/",
    "//",
    "!",
    "!/",
    "foo/*/bar",
    "a?b",
    "?",
    "*.[ch]",
    "[!a]*",
    "[^a]*",
    "[]-]x",
    "[a\\]b]x",
    "[a-\\c]x",
    "[[:upper:][:digit:]]x",
    "[[:bad:]]x",
    "[[:alpha]x",
    "\\a",
    "a\\/b",
    "**\\/b",
    "x**y",
    "a/**b",
    "a**/b/c",
    "*/b",
    "a/*",
    "b*/**/c",
    "*a*b*",
    "[a-c][!b]x",
    "a\\*b",
    "foo.",
    "..",
    "x/.",
    "*/",
    "/**/b",
    "**/**/b",
    "a/**/**",
    "[\\a-c]x",
    "[a-]x",
    "[--a]x",
    "\\",
    "\\\\",
    "a\\",
    "*\\",
    "[\\",
    "x ",
    "x  \\  ",
    "\u{FEFF}x",
    "é*",
    "[é]x",
    "??x",
    "a[!/]b",
    "a/b**",
    "a/b*c/**/d",
];

fn paths() -> Vec<String> {
    let names = [
        "a",
        "b",
        "x",
        "foo",
        "bar",
        "foobar",
        "{a,b}",
        "{{x}}.yml",
        "5.t",
        "d.t",
        "foo ",
        "foo\t",
        "#x",
        "!x",
        "keep",
        "a.txt",
        "_a.b",
        "ab",
        "axb",
        "a*b",
        "Ax",
        "-x",
        "]x",
        "ax",
        "bx",
        "cx",
        "/x",
        "[ab",
        "é1",
        "éx",
        "xy",
        "foo.",
        "x\\",
        "a\\",
        "\\x",
    ];
    let mut all: Vec<String> = names.iter().filter(|n| !n.contains('/')).map(|n| (*n).to_owned()).collect();
    let flat = all.clone();
    for dir in ["a", "foo", "d", "x", "b", "foo/z", "a/q", "a/q/r", "xy", "ab"] {
        all.extend(flat.iter().map(|name| format!("{dir}/{name}")));
        all.push(format!("{dir}/"));
    }
    all.extend(["a/b/c", "a/b/", "foo/bar/", "build/x", "a/bzc/q/d", "x/a/y/b", "ab/b/c"].map(str::to_owned));
    all
}

#[test]
fn known_shapes() {
    let Some(dir) = repository() else { return };
    // Directories must exist to be taken for such.
    for path in paths() {
        let Some(parent) = Path::new(&path).parent() else { continue };
        fs::create_dir_all(dir.path().join(parent)).unwrap();
        if path.ends_with('/') {
            fs::create_dir_all(dir.path().join(&path)).unwrap();
        }
    }
    let existing: Vec<String> = paths()
        .into_iter()
        .map(|p| if dir.path().join(&p).is_dir() && !p.ends_with('/') { p + "/" } else { p })
        .collect();
    for shape in SHAPES {
        compare(dir.path(), shape.as_bytes(), &existing);
        compare(dir.path(), format!("{shape}\r\n").as_bytes(), &existing);
    }
}

/// A small generator with a fixed start, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    fn text(&mut self, pieces: &[&str], most: usize) -> String {
        (0..=self.below(most)).map(|_| pieces[self.below(pieces.len())]).collect()
    }
}

#[test]
fn random_rules() {
    let Some(dir) = repository() else { return };
    let mut random = Random(7);
    let pieces = [
        "a",
        "b",
        "c",
        "*",
        "**",
        "/",
        "?",
        "[ab]",
        "[!a]",
        "[a-b]",
        "\\",
        "!",
        " ",
        "**/",
        "/**",
        "a/b",
        "\\*",
        "[[:alpha:]]",
        "[]a]",
        "[a\\]b]",
        "***",
        "[",
        "]",
        "-",
        "\\/",
        "{a,b}",
        "#",
        "\r",
        "[^",
        "[:",
        ":]",
    ];
    let paths: Vec<String> = (0..150)
        .map(|_| {
            let parts: Vec<String> =
                (0..=random.below(3)).map(|_| random.text(&["a", "b", "c", "ab", "é"], 2)).collect();
            parts.join("/")
        })
        .filter(|p| !p.is_empty())
        .collect();
    for _ in 0..120 {
        let rules: Vec<String> = (0..=random.below(3)).map(|_| random.text(&pieces, 6)).collect();
        compare(dir.path(), rules.join("\n").as_bytes(), &paths);
    }
}

#[test]
fn whole_trees() {
    let Some(dir) = repository() else { return };
    let root = dir.path();
    let mut random = Random(11);
    let mut tree = MemTree::new();
    let mut put = |path: String, content: String| {
        let target = root.join(&path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        if !target.is_dir() {
            fs::write(&target, &content).unwrap();
            tree.file(path, content.into_bytes());
        }
    };
    for _ in 0..300 {
        let dirs: Vec<&str> =
            (0..random.below(4)).map(|_| ["d", "e", "f", "build"][random.below(4)]).collect();
        let name = random.text(&["a", "b", "x.log", "y.txt"], 1);
        put(dirs.iter().copied().chain([name.as_str()]).collect::<Vec<_>>().join("/"), String::new());
    }
    let pieces = ["a", "b", "*", "*.log", "*.txt", "/", "d/", "e/", "**/", "/**", "build/", "x*", "!"];
    for dir in ["", "d/", "e/", "d/e/", "build/", "d/f/"] {
        let rules: Vec<String> = (0..5).map(|_| random.text(&pieces, 2)).collect();
        put(format!("{dir}.gitignore"), rules.join("\n"));
    }
    let output = git(root, &["ls-files", "-co", "--exclude-standard", "-z"], b"").unwrap();
    let mut theirs: Vec<String> = output
        .split(|&b| b == 0)
        .filter(|p| !p.is_empty())
        .map(|p| String::from_utf8_lossy(p).into_owned())
        .collect();
    theirs.sort_by(|a, b| a.split('/').cmp(b.split('/')));
    assert_eq!(show(&run(&tree, &names("")).rows), theirs);
}
