//! Settings that cannot be used, and settings that are probably not meant.

use sandbox_policy::{Level, Ruleset, Settings};

use crate::support::{check, rules};

#[track_caller]
fn check_refused(change: impl FnOnce(&mut Settings), code: &str) {
    let mut settings = Settings::new("/w");
    change(&mut settings);
    let error = Ruleset::new(&settings).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
}

#[track_caller]
fn check_lints(change: impl FnOnce(&mut Settings), expected: &[&str]) {
    let rules = rules(change);
    assert_eq!(
        rules.lints().iter().map(|lint| lint.code()).collect::<Vec<_>>(),
        expected,
        "{:?}",
        rules.lints()
    );
}

#[test]
fn without_a_workspace_nothing_works() {
    check_refused(|s| s.workspace = "".into(), "no_workspace");
    let error = Ruleset::new(&Settings::new("")).unwrap_err();
    assert_eq!(error.to_string(), "workspace is not defined");
    for workspace in ["w", " ", ".", "/w/..", "/w/../x", "/w/", "//w"] {
        check_refused(|s| s.workspace = workspace.into(), "not_canonical");
    }
    check_refused(|s| s.home = Some("~".into()), "not_canonical");
    check_refused(|s| s.state_dirs = vec!["state".into()], "not_canonical");
    check_refused(|s| s.aliases = vec![("/a".into(), "b".into())], "not_canonical");
}

#[test]
fn a_list_that_is_partly_understood_is_refused() {
    check_refused(|s| s.allow_read_paths = vec!["/ok".into(), "(".into()], "bad_pattern");
    check_refused(|s| s.allow_write_paths = vec!["".into()], "empty_pattern");
}

#[test]
fn entries_that_are_not_name_patterns_are_refused() {
    for entry in [
        "", "/", "./", "~/", "~", "a/../b", "./..", "a/./b", "**/x", "a?", "a\\b", "{a", "a}", "{a,{b}}",
        "...", "a\0",
    ] {
        check_refused(|s| s.protect = vec![entry.into()], "bad_entry");
        check_refused(|s| s.deny_write = vec![entry.into()], "bad_entry");
        check_refused(|s| s.open_sensitive = vec![entry.into()], "bad_entry");
        check_refused(|s| s.run_later = vec![(entry.into(), Level::Deny)], "bad_entry");
    }
    check_refused(|s| s.protect = vec!["{a,b,c,d,e,f,g,h,i}{a,b,c,d,e,f,g,h,i}".into()], "bad_entry");
    check_refused(|s| s.protect = vec!["a".repeat(5000)], "bad_entry");
}

#[test]
fn entries_are_anchored_as_they_are_written() {
    let rules = rules(|s| {
        s.restrict_to_workspace = false;
        s.protect = vec![
            "any/where".into(),
            "./ws".into(),
            "~/hm".into(),
            "/ab/so".into(),
            "g*b.{x,y}".into(),
            "t/".into(),
        ];
    });
    for path in [
        "/w/any/where",
        "/q/any/where/x",
        "/w/ws/x",
        "/home/u/hm",
        "/ab/so/x",
        "/w/gob.x",
        "/w/gb.Y",
        "/w/t/x",
    ] {
        let found = crate::support::decision(&rules, sandbox_policy::Op::Read, path);
        assert_eq!(found.name(), "deny", "{path}");
    }
    for path in [
        "/w/any/x/where",
        "/w/sub/ws",
        "/ws",
        "/w/hm",
        "/w/ab/so",
        "/w/gob.z",
        "/w/gob.x.z",
        "/q/hm",
        "/w/tt",
    ] {
        check(&rules, sandbox_policy::Op::Read, path, "allow");
    }
}

#[test]
fn a_bare_star_is_everything() {
    let rules = rules(|s| s.deny_write = vec!["*".into()]);
    for path in ["/w/a", "/w/a/b.rs", "/w/.git/x"] {
        check(&rules, sandbox_policy::Op::Edit, path, "deny write_denied *");
        check(&rules, sandbox_policy::Op::Read, path, "allow");
    }
}

#[test]
fn an_entry_may_name_the_workspace_itself() {
    let rules = rules(|s| s.deny_write = vec!["/w".into()]);
    check(&rules, sandbox_policy::Op::Edit, "/w/a", "deny write_denied /w");
}

#[test]
fn the_defaults_give_no_lint() {
    check_lints(|_| {}, &[]);
    check_lints(|s| s.home = Some("/home/u".into()), &[]);
}

#[test]
fn what_is_probably_not_meant_is_told() {
    check_lints(|s| s.workspace = "/".into(), &["workspace_is_root"]);
    check_lints(
        |s| {
            s.workspace = "/home/u".into();
            s.home = Some("/home/u".into());
        },
        &["workspace_is_home"],
    );
    check_lints(|s| s.workspace = "/proc/x".into(), &["workspace_is_protected"]);
    check_lints(|s| s.allow_read_paths = vec![".*".into()], &["grants_everything"]);
    check_lints(|s| s.open_sensitive = vec!["./*".into()], &["opens_everything"]);
}

#[test]
fn lints_come_in_one_order() {
    let lists = |patterns: [&str; 2]| {
        let rules = rules(|s| s.open_sensitive = patterns.map(String::from).to_vec());
        rules.lints().to_vec()
    };
    assert_eq!(lists([".ssh", ".aws"]), lists([".aws", ".ssh"]));
}
