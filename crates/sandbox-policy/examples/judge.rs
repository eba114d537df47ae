//! Judges paths given on the command line: `judge WORKSPACE OP PATH...`, for example `judge /w edit .git/config`.
#![allow(clippy::disallowed_methods, reason = "an example is a program, not a core")]

use std::io::{self, Write};

use sandbox_policy::{Facts, Op, RequestPath, Ruleset, Settings, decide, lexical};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let workspace = args.next().unwrap_or_else(|| "/w".to_owned());
    let word = args.next().unwrap_or_else(|| "read".to_owned());
    let op =
        Op::ALL.into_iter().find(|op| op.name() == word).ok_or_else(|| format!("no operation `{word}`"))?;
    let rules = Ruleset::new(&Settings::new(workspace))?;
    let mut out = io::stdout().lock();
    for text in args {
        let asked = RequestPath::parse(&text)?;
        // A real caller resolves links; the text alone is enough to show the rules.
        let path = lexical(&asked.below(rules.workspace()));
        let decision = decide(&rules, op, &Facts { asked: asked.as_path(), ..Facts::names(&path) });
        match decision.reason() {
            None => writeln!(out, "{text}: {}", decision.name())?,
            Some(reason) => writeln!(out, "{text}: {}: {reason}; {}", decision.name(), reason.hint())?,
        }
    }
    Ok(())
}
