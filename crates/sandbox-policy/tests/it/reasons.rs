//! How a refusal is told.

use std::path::Path;

use sandbox_policy::{Cause, Family, Level, Op};

use crate::support::{decision, rules};

#[track_caller]
fn check(path: &str, op: Op, text: &str, hint: &str) {
    let rules = rules(|s| s.run_later = vec![("idea".into(), Level::Deny)]);
    let decision = decision(&rules, op, path);
    let reason = decision.reason().unwrap();
    assert_eq!(reason.to_string(), text);
    assert_eq!(reason.hint(), hint);
}

#[test]
fn a_reason_says_what_and_what_next() {
    check(
        "/etc/passwd",
        Op::Read,
        "access denied: the path is outside the workspace",
        "use a path below /w; an operator allows other places with `tools.allow_read_paths`",
    );
    check(
        "/etc/passwd",
        Op::Edit,
        "access denied: the path is outside the workspace",
        "use a path below /w; an operator allows other places with `tools.allow_write_paths`",
    );
    check(
        "/w/.ssh/x",
        Op::Read,
        "access denied: protected, it can hold credentials or secrets of the system (rule `ssh_dir`)",
        "no setting opens it; ask the user to do this step",
    );
    check(
        "/w/.env",
        Op::Read,
        "access denied: sensitive, it usually holds secrets (rule `env_file`)",
        "an operator opens it by adding `env_file` or the path to `fs_tools.policy.open`",
    );
    check(
        "/w/.git/hooks/x",
        Op::Create,
        "another program runs or obeys this file later (rule `git_dir`)",
        "needs a person's yes: a client that can ask, or `--confirm PATH` on the command line; an operator changes the \
         level with `fs_tools.policy.run_later` = {\"git_dir\": \"allow\"}",
    );
    check(
        "/w/.idea/x",
        Op::Create,
        "access denied: another program runs or obeys this file later (rule `idea`)",
        "an operator changes the level with `fs_tools.policy.run_later` = {\"idea\": \"confirm\"}",
    );
}

#[test]
fn a_question_says_how_to_agree() {
    let rules = rules(|s| s.family = Family::Batch);
    let decision = decision(&rules, Op::Read, "/w/.env");
    let reason = decision.reason().unwrap();
    assert!(reason.is_askable());
    assert_eq!(reason.to_string(), "sensitive: it usually holds secrets (rule `env_file`)");
    assert!(reason.hint().contains("--confirm PATH"));
    assert!(!reason.hint().contains("policy.open"));
}

#[test]
fn a_reason_never_contains_the_path() {
    let rules = rules(|_| {});
    for path in ["/elsewhere/zzz", "/w/.ssh/zzz", "/w/zzz.pem", "/w/.git/zzz"] {
        for op in Op::ALL {
            if let Some(reason) = decision(&rules, op, path).reason() {
                assert!(!format!("{reason} {}", reason.hint()).contains("zzz"));
            }
        }
    }
}

#[test]
fn codes_are_distinct_words() {
    let mut codes = Cause::ALL.map(Cause::code).to_vec();
    codes.sort();
    codes.dedup();
    assert_eq!(codes.len(), Cause::ALL.len());
    assert!(codes.iter().all(|code| code.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')));
}

#[test]
fn the_strictest_reason_is_told_whatever_the_order() {
    for protect in [["b", "a"], ["a", "b"]] {
        let rules = rules(|s| s.protect = protect.map(|name| format!("{name}/{{x,y}}")).to_vec());
        assert_eq!(decision(&rules, Op::Read, "/w/a/x/b/x").reason().and_then(|r| r.rule()), Some("a/{x,y}"));
    }
}

#[test]
fn a_workspace_with_control_characters_is_told_escaped() {
    let rules = rules(|s| s.workspace = Path::new("/w\n").into());
    assert!(rules.outside(Op::Read).hint().contains("/w\\x{0A};"));
}
