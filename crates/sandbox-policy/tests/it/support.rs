//! What the tests share.

use std::path::Path;

use sandbox_policy::{Decision, Facts, Op, Ruleset, Settings, decide};

/// Builds rules for the workspace `/w` with some settings changed.
#[track_caller]
pub(crate) fn rules(change: impl FnOnce(&mut Settings)) -> Ruleset {
    let mut settings = Settings::new("/w");
    change(&mut settings);
    Ruleset::new(&settings).unwrap()
}

/// Decides on names alone.
pub(crate) fn decision(rules: &Ruleset, op: Op, path: &str) -> Decision {
    decide(rules, op, &Facts::names(Path::new(path)))
}

/// Spells a decision as `allow`, `deny sensitive env_file`, and so on.
pub(crate) fn spelt(decision: &Decision) -> String {
    let mut text = decision.name().to_owned();
    if let Some(reason) = decision.reason() {
        text.push(' ');
        text.push_str(reason.code());
        if let Some(rule) = reason.rule() {
            text.push(' ');
            text.push_str(rule);
        }
    }
    text
}

/// Checks a decision on names alone.
#[track_caller]
pub(crate) fn check(rules: &Ruleset, op: Op, path: &str, expected: &str) {
    let found = spelt(&decision(rules, op, path));
    assert_eq!(found, expected, "{op} {path}");
}

/// Checks the same decision for several paths.
#[track_caller]
pub(crate) fn check_all(rules: &Ruleset, op: Op, expected: &str, paths: &[&str]) {
    for path in paths {
        check(rules, op, path, expected);
    }
}

/// Checks only the outcome and the code, whichever rule it was.
#[track_caller]
pub(crate) fn check_code(rules: &Ruleset, op: Op, path: &str, expected: &str) {
    let decision = decision(rules, op, path);
    let code = decision.reason().map_or("", |reason| reason.code());
    assert_eq!(format!("{} {code}", decision.name()).trim_end(), expected, "{op} {path}");
}
