//! One command of a task: it is announced, run, and named again when it fails.

use anyhow::{anyhow, bail};
use xshell::{Cmd, Shell};

/// A command with its environment.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    title: String,
    words: Vec<String>,
    env: Vec<(&'static str, &'static str)>,
}

impl Step {
    /// `line` is split at blanks; words with blanks in them are added by [`Step::arg`].
    pub(crate) fn new(title: &str, line: &str) -> Self {
        let words = line.split_whitespace().map(str::to_owned).collect();
        Step { title: title.to_owned(), words, env: Vec::new() }
    }

    pub(crate) fn arg(mut self, word: impl Into<String>) -> Self {
        self.words.push(word.into());
        self
    }

    pub(crate) fn args<T: Into<String>>(mut self, words: impl IntoIterator<Item = T>) -> Self {
        self.words.extend(words.into_iter().map(Into::into));
        self
    }

    pub(crate) fn env(mut self, name: &'static str, value: &'static str) -> Self {
        self.env.push((name, value));
        self
    }

    /// Prints the heading and the command, and runs it with its output going through.
    pub(crate) fn run(&self, sh: &Shell) -> anyhow::Result<()> {
        self.start(sh)?.run().map_err(|_| self.failure())
    }

    /// Like [`Step::run`], with the output kept and returned. It is printed only when the command fails.
    pub(crate) fn run_captured(&self, sh: &Shell) -> anyhow::Result<String> {
        let output = self.start(sh)?.ignore_status().output()?;
        let log = [output.stdout, output.stderr].concat();
        let log = String::from_utf8_lossy(&log).into_owned();
        if !output.status.success() {
            println!("{log}");
            return Err(self.failure());
        }
        Ok(log)
    }

    fn start<'sh>(&self, sh: &'sh Shell) -> anyhow::Result<Cmd<'sh>> {
        heading(&self.title);
        println!("$ {}", self.line());
        let Some((program, args)) = self.words.split_first() else {
            bail!("the step `{}` is empty", self.title)
        };
        Ok(sh.cmd(program).args(args).envs(self.env.iter().copied()).quiet())
    }

    fn failure(&self) -> anyhow::Error {
        anyhow!("the step `{}` failed; repeat it with\n\n    {}\n", self.title, self.line())
    }

    /// The command as one would type it.
    fn line(&self) -> String {
        let env = self.env.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
        env.chain(self.words.iter().map(|it| quoted(it))).collect::<Vec<_>>().join(" ")
    }
}

/// Prints a heading that can be found in a long log.
pub(crate) fn heading(title: &str) {
    println!("\n==> {title}");
}

/// Says what is left out and why, so that nobody takes it for done.
pub(crate) fn skip(title: &str, why: &str) {
    println!("\n==> {title}: SKIPPED\n!!! {why}");
}

fn quoted(word: &str) -> String {
    let plain =
        !word.is_empty() && word.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_=./+:,@%".contains(&it));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
