//! `cargo xtask bench search DIR`: our search and that of other tools on one folder, run alternately, and whether the rows agree.
//!
//! Ours goes through the sandbox, keeps path order and masks credentials in the lines that it prints. The others do what they do by
//! default: they print in whatever order they finish. Every tool may use all processors and prints to nowhere.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use xshell::Shell;

use crate::step::{Step, heading, skip};
use crate::{tool, workspace};

const RUNS: u32 = 7;

/// What a query asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ask {
    Lines,
    IgnoringCase,
    Multiline,
    Files,
    Counts,
    /// The first lines only; compared with a sorted search that is cut.
    First(u32),
    /// Names of files, all or by a glob.
    Names,
}

/// One scenario: a name, what is asked for, and the pattern. Made for the source of the Linux kernel, in which each pattern is what
/// the name says.
const QUERIES: &[(&str, Ask, &str)] = &[
    ("rare literal", Ask::Lines, "PM_RESUME"),
    ("no match", Ask::Lines, "qzxqzxqzx"),
    ("common literal", Ask::Lines, "EXPORT_SYMBOL_GPL"),
    ("anchored", Ask::Lines, r"^#include <linux/slab\.h>"),
    ("ignoring case", Ask::IgnoringCase, "pm_resume"),
    ("five words", Ask::Lines, "kvm_vcpu_kick|tcp_v4_rcv|i_mmap_rwsem|ext4_da_write|blk_mq_run"),
    ("no literal, counts", Ask::Counts, r"\w{5}\s+\w{5}"),
    ("a word of every file", Ask::Lines, "struct"),
    ("files only", Ask::Files, "PM_RESUME"),
    ("counts", Ask::Counts, "EXPORT_SYMBOL_GPL"),
    ("over lines", Ask::Multiline, r"struct file_operations \w+ = \{\n"),
    ("first 50 lines", Ask::First(50), "EXPORT_SYMBOL_GPL"),
    ("all names", Ask::Names, ""),
    ("names by glob", Ask::Names, "*.{c,h}"),
];

pub(crate) fn run(sh: &Shell, dir: &Path, runs: Option<u32>) -> anyhow::Result<()> {
    if !tool::answers(sh, "rg", &["--version"]) {
        bail!("ripgrep is what we compare with: install it");
    }
    let dir = env::current_dir()?.join(dir).canonicalize().with_context(|| dir.display().to_string())?;
    Step::new("our side", "cargo build --release -p fs-tools-cli").run(sh)?;
    let fd = ["fd", "fdfind"].into_iter().find(|it| tool::answers(sh, it, &["--version"]));
    if fd.is_none() {
        skip("fd", "it is not installed");
    }
    if !tool::answers(sh, "git", &["--version"]) {
        skip("git grep", "git is not installed");
    }
    let tools = Tools {
        ours: workspace::target_dir(sh)?.join("release/fs-tools"),
        threads: std::thread::available_parallelism()?.to_string(),
        git: tool::answers(sh, "git", &["--version"]),
        has_index: dir.join(".git").exists(),
        fd,
        dir,
    };
    let version = Command::new("rg").arg("--version").output()?.stdout;
    let version = String::from_utf8_lossy(&version).lines().next().unwrap_or_default().to_owned();
    heading(&format!(
        "ratios to {version}, {} processors, medians of {} alternating runs",
        tools.threads,
        runs.unwrap_or(RUNS)
    ));
    let mut differences = 0;
    for query in QUERIES {
        differences += u32::from(!tools.compare(query, runs.unwrap_or(RUNS).max(1))?);
    }
    if differences > 0 {
        bail!("the rows of {differences} queries differ from those of rg --sort path");
    }
    Ok(())
}

/// Compares the search of a process that has an index with rg: an example of `fs-tools` does it, since the index lives and
/// dies with its process.
pub(crate) fn warm(sh: &Shell, dir: &Path, runs: Option<u32>) -> anyhow::Result<()> {
    if !tool::answers(sh, "rg", &["--version"]) {
        bail!("ripgrep is what we compare with: install it");
    }
    let dir = env::current_dir()?.join(dir).canonicalize().with_context(|| dir.display().to_string())?;
    Step::new("warm search", "cargo run --release -q -p fs-tools --example warm --")
        .arg(dir.display().to_string())
        .arg(runs.unwrap_or(RUNS).to_string())
        .run(sh)
}

struct Tools {
    ours: PathBuf,
    dir: PathBuf,
    threads: String,
    git: bool,
    has_index: bool,
    fd: Option<&'static str>,
}

/// A command line, and whether it is cut by `head`.
struct Contender {
    name: &'static str,
    words: Vec<String>,
    head: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Cost {
    wall: f64,
    cpu: f64,
}

impl Tools {
    /// Prints the line of one query, and tells whether the rows agree.
    fn compare(&self, &(title, ask, pattern): &(&str, Ask, &str), runs: u32) -> anyhow::Result<bool> {
        let contenders = self.contenders(ask, pattern);
        let mut costs: Vec<Vec<Cost>> = contenders.iter().map(|_| Vec::new()).collect();
        for _ in 0..runs {
            for (contender, costs) in contenders.iter().zip(&mut costs) {
                costs.push(self.time(contender)?);
            }
        }
        let verdict = self.rows(ask, pattern)?;
        let best = |costs: &[Cost]| costs.iter().map(|it| it.wall).fold(f64::INFINITY, f64::min) * 1_000.0;
        // The first is rg, the second ours.
        let mut line = format!("{title:<22}");
        for (contender, others) in contenders.iter().zip(&costs).skip(1) {
            let ratio = |of: fn(&Cost) -> f64| {
                median(others.iter().zip(&costs[0]).map(|(it, rg)| of(it) / of(rg).max(0.001)).collect())
            };
            let (wall, cpu) = (ratio(|it| it.wall), ratio(|it| it.cpu));
            line.push_str(&format!("  {} wall {wall:.2}x cpu {cpu:.2}x;", contender.name));
        }
        let (rg, ours) = (best(&costs[0]), best(&costs[1]));
        println!("{line}  best {rg:.0} ms and {ours:.0} ms; {}", verdict.1);
        Ok(verdict.0)
    }

    fn contenders(&self, ask: Ask, pattern: &str) -> Vec<Contender> {
        let head = if let Ask::First(rows) = ask { Some(rows) } else { None };
        let mut all = vec![
            Contender { name: "rg", words: self.rg(ask, pattern, head.is_some()), head },
            Contender { name: "ours", words: self.own(ask, pattern, true), head: None },
        ];
        if self.git
            && let Some(words) = self.git_grep(ask, pattern)
        {
            all.push(Contender { name: "git grep", words, head });
        }
        if let (Ask::Names, Some(fd)) = (ask, self.fd) {
            let mut words = strings(&[fd, "-t", "f", "-H", "-E", ".git", "-j", &self.threads]);
            if !pattern.is_empty() {
                words.extend(strings(&["--glob", pattern]));
            }
            all.push(Contender { name: "fd", words, head });
        }
        all
    }

    /// Hidden files and rules without a repository, as ours.
    fn rg(&self, ask: Ask, pattern: &str, sorted: bool) -> Vec<String> {
        let mut words =
            strings(&["rg", "--no-config", "-j", &self.threads, "--no-require-git", "--no-ignore-parent"]);
        words.extend(strings(&[
            "--no-ignore-global",
            "--hidden",
            "-g",
            "!.git",
            "--no-heading",
            "--color",
            "never",
        ]));
        if sorted {
            words.extend(strings(&["--sort", "path"]));
        }
        match ask {
            Ask::Names => {
                words.push("--files".into());
                if !pattern.is_empty() {
                    words.extend(strings(&["-g", pattern]));
                }
                return words;
            }
            Ask::Lines | Ask::First(_) => words.push("-n".into()),
            Ask::IgnoringCase => words.push("-ni".into()),
            Ask::Multiline => words.push("-nU".into()),
            Ask::Files => words.push("-l".into()),
            Ask::Counts => words.push("-c".into()),
        }
        words.extend(strings(&["-e", pattern, "./"]));
        words
    }

    fn own(&self, ask: Ask, pattern: &str, cut: bool) -> Vec<String> {
        let mut words = vec![self.ours.display().to_string()];
        words.extend(match ask {
            Ask::Names => strings(&["files"]),
            Ask::Lines => strings(&["search"]),
            Ask::IgnoringCase => strings(&["search", "-i"]),
            Ask::Multiline => strings(&["search", "-U"]),
            Ask::Files => strings(&["search", "-l"]),
            Ask::Counts => strings(&["search", "-c"]),
            Ask::First(rows) if cut => strings(&["search", "--limit", &rows.to_string()]),
            Ask::First(_) => strings(&["search"]),
        });
        if !pattern.is_empty() {
            words.extend(strings(&["--", pattern]));
        }
        words
    }

    fn git_grep(&self, ask: Ask, pattern: &str) -> Option<Vec<String>> {
        let kind = match ask {
            Ask::Lines | Ask::First(_) => "-n",
            Ask::IgnoringCase => "-ni",
            Ask::Files => "-l",
            Ask::Counts => "-c",
            // It has no patterns over lines, and names are another command's.
            Ask::Multiline | Ask::Names => return None,
        };
        let mut words =
            strings(&["git", "-c", &format!("grep.threads={}", self.threads), "grep", "-P", kind]);
        if !self.has_index {
            words.extend(strings(&["--no-index", "--exclude-standard"]));
        }
        words.extend(strings(&["-e", pattern]));
        Some(words)
    }

    /// Runs one tool; the shell knows what processor time its children took.
    fn time(&self, contender: &Contender) -> anyhow::Result<Cost> {
        let script = match contender.head {
            None => r#"TIMEFORMAT="%3R %3U %3S"; time "$@" >/dev/null 2>/dev/null"#.to_owned(),
            Some(rows) => {
                format!(
                    r#"TIMEFORMAT="%3R %3U %3S"; time {{ "$@" 2>/dev/null | head -n {rows} >/dev/null; }}"#
                )
            }
        };
        let out = Command::new("bash")
            .env("LC_ALL", "C")
            .args(["-c", &script, "bash"])
            .args(&contender.words)
            .current_dir(&self.dir)
            .stdin(Stdio::null())
            .output()
            .context("bash measures the times")?;
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        let seconds: Vec<f64> = text.split_whitespace().filter_map(|it| it.parse().ok()).collect();
        let [wall, user, system] = seconds[..] else { bail!("{}: {text}", contender.name) };
        if out.status.code().is_none_or(|it| it > 1) {
            bail!("{:?} failed with {}", contender.words, out.status);
        }
        Ok(Cost { wall, cpu: user + system })
    }

    /// Compares our rows with those of `rg --sort path`: paths, and numbers of lines or of matches.
    fn rows(&self, ask: Ask, pattern: &str) -> anyhow::Result<(bool, String)> {
        let with_nul = |mut words: Vec<String>, at: usize| {
            words.insert(at, "-0".into());
            words
        };
        let mut sorted = with_nul(self.rg(ask, pattern, true), 1);
        if pattern.contains('\\') {
            // To us the classes are those of RE2: ASCII.
            sorted.insert(1, "--no-unicode".into());
        }
        let theirs = self.keys(ask, &sorted)?;
        let ours = self.keys(ask, &with_nul(self.own(ask, pattern, true), 2))?;
        let shown = if let Ask::First(rows) = ask { rows as usize } else { usize::MAX };
        let theirs = &theirs[..theirs.len().min(shown)];
        if theirs == ours {
            return Ok((true, format!("{} rows, as rg --sort path", ours.len())));
        }
        if let Some(hidden) = self.hidden(theirs, &ours)? {
            let rows = ours.len();
            return Ok((
                true,
                format!("{rows} rows, as rg --sort path but for {hidden} that the policy hides"),
            ));
        }
        let at = theirs.iter().zip(&ours).take_while(|(a, b)| a == b).count();
        let (a, b) = (theirs.get(at), ours.get(at));
        Ok((false, format!("ROWS DIFFER: {} and {}, first {a:?} and {b:?}", theirs.len(), ours.len())))
    }

    /// How many rows only they have, when nothing else differs and reading each of these files is denied by the policy.
    fn hidden(&self, theirs: &[String], ours: &[String]) -> anyhow::Result<Option<usize>> {
        /// More than these are a difference to look at, not a few key files.
        const MOST: usize = 20;
        const DENIED: i32 = 3;
        let mut left = ours.iter().peekable();
        let missing: Vec<&String> = theirs.iter().filter(|&row| left.next_if_eq(&row).is_none()).collect();
        if left.next().is_some() || missing.len() > MOST {
            return Ok(None);
        }
        for row in &missing {
            let path = row.rsplit_once(':').map_or(row.as_str(), |(path, _)| path);
            let args = format!("{{\"path\": {path:?}}}");
            let call = Command::new(&self.ours)
                .args(["call", "read_file", &args])
                .current_dir(&self.dir)
                .output()?;
            if call.status.code() != Some(DENIED) {
                return Ok(None);
            }
        }
        Ok(Some(missing.len()))
    }

    /// Path and number of each row; the text is left out because ours may be masked.
    fn keys(&self, ask: Ask, words: &[String]) -> anyhow::Result<Vec<String>> {
        let (program, args) = words.split_first().context("no command")?;
        let out = Command::new(program)
            .args(args)
            .current_dir(&self.dir)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .with_context(|| program.clone())?;
        if out.status.code().is_none_or(|it| it > 1) {
            bail!("{words:?} failed with {}", out.status);
        }
        let plain =
            |path: &[u8]| String::from_utf8_lossy(path.strip_prefix(b"./").unwrap_or(path)).into_owned();
        if matches!(ask, Ask::Names | Ask::Files) {
            return Ok(out.stdout.split(|&it| it == 0).filter(|it| !it.is_empty()).map(plain).collect());
        }
        let rows = out.stdout.split(|&it| it == b'\n').filter_map(|row| {
            let nul = row.iter().position(|&it| it == 0)?;
            let number: String = row[nul + 1..]
                .iter()
                .take_while(|it| it.is_ascii_digit())
                .map(|&it| char::from(it))
                .collect();
            // Rows without a number are remarks about binary files.
            (!number.is_empty()).then(|| format!("{}:{number}", plain(&row[..nul])))
        });
        Ok(rows.collect())
    }
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|&it| it.to_owned()).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn one_slow_run_does_not_count() {
        assert_eq!(median(vec![1.0, 9.0, 1.1]), 1.1);
    }
}
