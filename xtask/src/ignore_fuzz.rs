//! `cargo xtask ignore-fuzz`: random ignore rules on random paths, judged by us and by `git check-ignore`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use xshell::Shell;

use crate::flags::IgnoreFuzz;
use crate::step::{Step, heading};
use crate::{tool, workspace};

const PAIRS: u64 = 1_000_000;
/// Paths that each rule file is tried on.
const PATHS: usize = 500;
/// Rule files until there are new paths.
const FILES_PER_FOREST: u64 = 100;

/// What rules are made of: every character that git gives a meaning, in the combinations where readers differ.
const RULE_PIECES: &[&str] = &[
    "a",
    "b",
    "c",
    "ab",
    "*",
    "**",
    "***",
    "/",
    "//",
    "?",
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-b]",
    "[b-a]",
    "\\",
    "!",
    " ",
    "**/",
    "/**",
    "/**/",
    "a/b",
    "\\*",
    "\\[",
    "\\ ",
    "[[:alpha:]]",
    "[[:space:]-z]",
    "[[:bad:]]",
    "[]a]",
    "[a\\]b]",
    "[!/]",
    "[",
    "]",
    "-",
    "\\/",
    "{a,b}",
    "#",
    "\r",
    "\t",
    "[^",
    "[:",
    ":]",
    "é",
    ".",
    "*.c",
    "A",
];

/// What the names of paths are made of.
const NAME_PIECES: &[&str] =
    &["a", "b", "c", "ab", "A", "é", ".", ".c", " ", "*", "[", "]", "\\", "{a,b}", "-", "!", "#", "\r", "\t"];

pub(crate) fn run(sh: &Shell, flags: &IgnoreFuzz) -> anyhow::Result<()> {
    if !tool::answers(sh, "git", &["--version"]) {
        bail!("git is the other side of the comparison: install it");
    }
    Step::new("our side", "cargo build --release -p search-engine --example ignored").run(sh)?;
    let ours = workspace::target_dir(sh)?.join("release/examples/ignored");
    let (pairs, seed) = (flags.pairs.unwrap_or(PAIRS), flags.seed.unwrap_or(1));
    heading(&format!("{pairs} pairs of rules and paths from seed {seed}"));
    let folder = sh.create_temp_dir()?;
    let mut random = Random(seed);
    let (mut done, mut decided, mut files) = (0, 0, 0);
    let mut forest = None;
    while done < pairs {
        if files % FILES_PER_FOREST == 0 {
            forest = Some(Forest::new(&folder.path().join(files.to_string()), &mut random)?);
        }
        let Some(forest) = &forest else { bail!("no paths") };
        files += 1;
        let rules: Vec<String> = (0..=random.below(4)).map(|_| random.text(RULE_PIECES, 6)).collect();
        let rules = rules.join("\n");
        let (theirs, ours) = (forest.git(&rules)?, forest.ours(&ours)?);
        for (at, path) in forest.paths.iter().enumerate() {
            let (theirs, ours) = (theirs.get(at).map(String::as_str), ours.get(at).map(String::as_str));
            if theirs.is_none() || theirs != ours {
                bail!("rules {rules:?}, path {path:?}: git says {theirs:?}, we say {ours:?} (seed {seed})");
            }
            decided += u64::from(theirs != Some("-"));
        }
        done += forest.paths.len() as u64;
    }
    println!("ok: {done} pairs of {files} rule files, no difference; in {decided} pairs a rule matched");
    Ok(())
}

/// A repository with directories, and paths in it. A path that is a directory ends with a slash.
struct Forest {
    dir: PathBuf,
    paths: Vec<String>,
}

impl Forest {
    fn new(dir: &Path, random: &mut Random) -> anyhow::Result<Self> {
        fs::create_dir_all(dir)?;
        let made = Command::new("git").args(["init", "-q"]).current_dir(dir).status()?;
        if !made.success() {
            bail!("git init failed in {}", dir.display());
        }
        let mut paths = Vec::new();
        while paths.len() < PATHS {
            let names: Vec<String> = (0..=random.below(3)).map(|_| random.text(NAME_PIECES, 2)).collect();
            if names.iter().any(|it| it == "." || it == "..") {
                continue;
            }
            let path = names.join("/");
            if random.below(4) == 0 {
                // Git looks at the disk for what is a directory.
                fs::create_dir_all(dir.join(&path))?;
            }
            paths.push(path);
        }
        for path in &mut paths {
            if dir.join(&path).is_dir() {
                path.push('/');
            }
        }
        let list = |trim: bool| -> Vec<u8> {
            let name = |it: &String| {
                let it = if trim { it.trim_end_matches('/') } else { it };
                [it.as_bytes(), b"\0"].concat()
            };
            paths.iter().flat_map(name).collect()
        };
        fs::write(dir.join(".git/for-git"), list(true))?;
        fs::write(dir.join(".git/for-us"), list(false))?;
        Ok(Forest { dir: dir.to_path_buf(), paths })
    }

    /// The verdicts of git under `rules`.
    fn git(&self, rules: &str) -> anyhow::Result<Vec<String>> {
        fs::write(self.dir.join(".gitignore"), rules)?;
        let mut git = Command::new("git");
        git.args([
            "-c",
            "core.excludesFile=/dev/null",
            "check-ignore",
            "--no-index",
            "-v",
            "-n",
            "-z",
            "--stdin",
        ])
        .current_dir(&self.dir)
        .env_remove("GIT_DIR")
        .env("GIT_CONFIG_NOSYSTEM", "1");
        let out = answer(&mut git, &self.dir.join(".git/for-git"))?;
        let fields: Vec<&[u8]> = out.split(|&byte| byte == 0).collect();
        // Source, line, rule, path.
        let verdict = |record: &[&[u8]]| match record[2] {
            b"" if record[0].is_empty() => "-",
            rule if rule.starts_with(b"!") => "kept",
            _ => "ignored",
        };
        Ok(fields.chunks_exact(4).map(|record| verdict(record).to_owned()).collect())
    }

    /// Our verdicts under the rules that git was given.
    fn ours(&self, program: &Path) -> anyhow::Result<Vec<String>> {
        let mut ours = Command::new(program);
        ours.arg(self.dir.join(".gitignore"));
        let out = answer(&mut ours, &self.dir.join(".git/for-us"))?;
        Ok(String::from_utf8_lossy(&out).lines().map(str::to_owned).collect())
    }
}

fn answer(command: &mut Command, input: &Path) -> anyhow::Result<Vec<u8>> {
    let input = File::open(input)?;
    let out =
        command.stdin(input).stderr(Stdio::inherit()).output().with_context(|| format!("{command:?}"))?;
    // Git ends with 1 when nothing is ignored.
    if out.status.code().is_none_or(|it| it > 1) {
        bail!("{command:?} failed: {}", out.status);
    }
    Ok(out.stdout)
}

/// A small generator, so that a difference can be found again from its seed.
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
