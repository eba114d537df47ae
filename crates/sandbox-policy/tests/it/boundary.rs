//! What is inside, what is outside, and who may leave.

use std::path::Path;

use sandbox_policy::{Decision, Facts, Op, Place, decide};

use crate::support::{check, check_all, check_code, decision, rules};

#[test]
fn everything_ordinary_in_the_workspace_is_allowed() {
    let rules = rules(|_| {});
    for op in Op::ALL {
        check(&rules, op, "/w/src/main.rs", "allow");
    }
}

#[test]
fn nothing_outside_is_allowed_by_default() {
    let rules = rules(|_| {});
    for op in Op::ALL {
        check_all(
            &rules,
            op,
            "deny outside_workspace",
            &["/etc/passwd", "/", "/home/u/x", "/w2", "/workX.txt"],
        );
    }
}

#[test]
fn a_sibling_with_the_same_beginning_is_outside() {
    let rules = rules(|s| s.workspace = "/w/abc".into());
    check(&rules, Op::Read, "/w/abcdef/s", "deny outside_workspace");
    check(&rules, Op::List, "/w/abc ", "deny outside_workspace");
    check(&rules, Op::Read, "/w/abc\"", "deny outside_workspace");
    check(&rules, Op::Read, "/w/abc/s", "allow");
}

#[test]
fn the_workspace_itself_can_be_listed_but_not_written() {
    let rules = rules(|_| {});
    check_all(&rules, Op::List, "allow", &["/w"]);
    for op in Op::ALL.into_iter().filter(|op| op.is_write()) {
        check(&rules, op, "/w", "deny workspace_root");
    }
}

#[test]
fn outside_reads_are_for_looking_only() {
    let rules = rules(|s| s.allow_read_outside_workspace = true);
    for op in [Op::Read, Op::List, Op::Stat, Op::Search, Op::HistoryRead] {
        check(&rules, op, "/opt/x", "allow");
    }
    for op in [Op::Create, Op::Overwrite, Op::Append, Op::Edit, Op::Remove, Op::Restore, Op::Open] {
        check(&rules, op, "/opt/x", "deny outside_workspace");
    }
}

#[test]
fn without_restriction_everything_ordinary_is_allowed() {
    let rules = rules(|s| s.restrict_to_workspace = false);
    for op in Op::ALL {
        check(&rules, op, "/opt/x", "allow");
        check_code(&rules, op, "/etc/shadow", if op.is_look() { "hide protected" } else { "deny protected" });
    }
}

#[test]
fn a_path_that_is_not_canonical_is_never_decided_on() {
    let rules = rules(|s| s.restrict_to_workspace = false);
    for path in ["w/a", "", ".", "/w/../etc/passwd", "/w/./a", "/w//a", "/w/a/", "//w/a", "/w/a/.", "/w/a\0b"]
    {
        check(&rules, Op::Read, path, "deny not_canonical");
    }
}

#[test]
fn a_grant_says_where_its_path_lies() {
    #[track_caller]
    fn check(workspace: &str, path: &str, expected: Place<'_>) {
        let rules = rules(|s| {
            s.workspace = workspace.into();
            s.restrict_to_workspace = false;
        });
        match decision(&rules, Op::Stat, path) {
            Decision::Allow(grant) => assert_eq!(grant.place(), expected),
            other => panic!("{other:?}"),
        }
    }
    check("/w", "/w/a/b", Place::Workspace(Path::new("a/b")));
    check("/w", "/w", Place::Workspace(Path::new("")));
    check("/a/b/c", "/a/b/c/d", Place::Workspace(Path::new("d")));
    check("/", "/a/b", Place::Workspace(Path::new("a/b")));
    check("/w", "/opt/a", Place::Outside(Path::new("/opt/a")));
}

#[test]
fn leaving_is_refused_before_anything_is_looked_up() {
    let rules = rules(|s| {
        s.allow_read_paths = vec!["^/opt/data".into()];
        s.allow_write_paths = vec!["^/opt/out".into()];
    });
    #[track_caller]
    fn check(rules: &sandbox_policy::Ruleset, op: Op, path: &str, expected: bool) {
        assert_eq!(rules.may_leave(op, Path::new(path)), expected, "{op} {path}");
    }
    for path in ["/w", "/w/a", "/w/a/../b", "/w/../w/a", "/opt/data", "/opt/data/x", "/opt/data/a/../b"] {
        check(&rules, Op::Read, path, true);
    }
    for path in
        ["/etc/passwd", "/w/../etc/passwd", "/opt/data/../../etc/passwd", "/opt/dat", "/opt/out/x", "a", ""]
    {
        check(&rules, Op::Read, path, false);
    }
    // Whether the directory that `..` leaves exists would show in the answer.
    check(&rules, Op::Read, "/home/secret/../../opt/data/x", false);
    check(&rules, Op::Create, "/opt/out/x", true);
    check(&rules, Op::Create, "/opt/data/x", false);
    check(&rules, Op::Open, "/opt/data/x", true);
}

#[test]
fn settings_that_open_the_outside_let_a_path_be_looked_up() {
    let reads = rules(|s| s.allow_read_outside_workspace = true);
    assert!(reads.may_leave(Op::Read, Path::new("/opt/../etc/x")));
    assert!(!reads.may_leave(Op::Create, Path::new("/opt/x")));
    assert!(!reads.may_leave(Op::Open, Path::new("/opt/x")));
    let free = rules(|s| s.restrict_to_workspace = false);
    assert!(free.may_leave(Op::Create, Path::new("/opt/x")));
    assert!(!free.may_leave(Op::Create, Path::new("opt/x")));
}

#[test]
fn outside_is_always_told_in_the_same_words() {
    let rules = rules(|_| {});
    let told = |path| decision(&rules, Op::Read, path).reason().cloned().unwrap();
    let expected = rules.outside(Op::Read);
    // Missing, existing, protected, sensitive, ours or reached through a link: one reason, to the letter.
    for path in
        ["/etc/passwd", "/etc/none", "/etc/shadow", "/home/u/.ssh/id_rsa", "/x/.env", "/proc/self/environ"]
    {
        assert_eq!(told(path), expected, "{path}");
        assert_eq!(told(path).to_string(), expected.to_string());
        assert_eq!(told(path).hint(), expected.hint());
    }
    let link =
        Facts { asked: Path::new("link"), via_symlink: true, ..Facts::names(Path::new("/etc/passwd")) };
    assert_eq!(decide(&rules, Op::Read, &link), Decision::Deny(expected));
}

#[test]
fn a_workspace_that_is_everything_has_no_outside() {
    let rules = rules(|s| s.workspace = "/".into());
    check(&rules, Op::Read, "/opt/x", "allow");
    check(&rules, Op::Read, "/etc/shadow", "deny protected shadow");
    check(&rules, Op::Create, "/sessions/x", "deny write_denied ./sessions");
    assert!(rules.may_leave(Op::Read, Path::new("/a/../b")));
}
