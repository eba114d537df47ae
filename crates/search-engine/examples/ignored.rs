//! Tells which paths the rules of one ignore file leave out, as `git check-ignore` does: the paths are read from
//! standard input, each with a NUL byte behind it and with a slash before that when it is a directory.
//!
//! `git ls-files -z | cargo run --example ignored -- .gitignore` prints `ignored`, `kept` or `-` for each of them.
#![allow(clippy::disallowed_methods, reason = "the rules are a file, not a part of a tree")]

use std::{
    env, error, fs,
    io::{self, Read, Write},
};

use search_engine::{IgnoreFile, Verdict};

fn main() -> Result<(), Box<dyn error::Error>> {
    let rules = env::args_os().nth(1).ok_or("usage: ignored RULES < PATHS")?;
    let rules = IgnoreFile::parse(&fs::read(rules)?);
    let mut paths = Vec::new();
    io::stdin().read_to_end(&mut paths)?;
    let mut out = Vec::new();
    for path in paths.split(|&byte| byte == 0).filter(|path| !path.is_empty()) {
        out.extend_from_slice(match verdict(&rules, path) {
            Some(Verdict::Ignored) => b"ignored\n",
            Some(Verdict::Kept) => b"kept\n",
            None => b"-\n",
        });
    }
    io::stdout().write_all(&out)?;
    Ok(())
}

/// Asks for the directories above the path, too: nothing below an ignored one is looked at.
fn verdict(rules: &IgnoreFile, path: &[u8]) -> Option<Verdict> {
    let (path, is_dir) = path.strip_suffix(b"/").map_or((path, false), |dir| (dir, true));
    let above = (1..path.len()).filter(|&at| path[at] == b'/').map(|end| &path[..end]);
    above
        .map(|dir| rules.verdict(dir, true))
        .find(|verdict| *verdict == Some(Verdict::Ignored))
        .unwrap_or_else(|| rules.verdict(path, is_dir))
}
