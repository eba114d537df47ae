//! Our own files, the artifacts, and names that may only be read.

use sandbox_policy::{ARTIFACTS, Kind, Op};

use crate::support::{check, check_code, rules};

#[test]
fn artifacts_can_be_read_but_not_searched_or_written() {
    let rules = rules(|_| {});
    let path = format!("/w/{ARTIFACTS}/0001.txt");
    for op in [Op::Read, Op::Stat, Op::List, Op::Open, Op::HistoryRead] {
        check(&rules, op, &path, "allow");
    }
    check(&rules, Op::Search, &path, "hide artifacts artifacts");
    for op in Op::ALL.into_iter().filter(|op| op.is_write()) {
        check(&rules, op, &path, "deny own_state artifacts");
    }
    // What else is in the directory is ours alone.
    check(&rules, Op::Read, "/w/.fs-tools/x", "deny own_state own_dir");
    check(&rules, Op::Create, "/w/.FS-Tools/artifacts/x", "deny own_state artifacts");
    check(&rules, Op::Create, "/w/sub/.fs-tools/artifacts/x", "allow");
}

#[test]
fn walks_pass_our_directory_by() {
    let rules = rules(|_| {});
    let top = rules.enter("".as_ref());
    assert!(!top.shows(".fs-tools".as_ref(), Kind::Directory));
    let own = top.enter(".fs-tools".as_ref());
    assert!(!own.shows("artifacts".as_ref(), Kind::Directory));
    assert!(!own.enter("artifacts".as_ref()).shows("0001.txt".as_ref(), Kind::File));
}

#[test]
fn state_directories_are_ours_alone() {
    let rules = rules(|s| {
        s.restrict_to_workspace = false;
        s.state_dirs = vec!["/home/u/.config/fs-tools".into(), "/w/.fs-tools".into(), "/w/state".into()];
    });
    for op in Op::ALL {
        let expected = if op.is_look() { "hide own_state" } else { "deny own_state" };
        check_code(&rules, op, "/home/u/.config/fs-tools/config.json", expected);
        check_code(&rules, op, "/w/state/history.db", expected);
    }
    check(&rules, Op::Read, "/home/u/.config/fs-tools2/x", "allow");
    check(&rules, Op::Read, "/w/.fs-tools/artifacts/x", "allow");
}

#[test]
fn sessions_of_the_workspace_can_be_read_but_not_written() {
    let rules = rules(|_| {});
    check(&rules, Op::Read, "/w/sessions/a.jsonl", "allow");
    for op in Op::ALL.into_iter().filter(|op| op.is_write()) {
        check(&rules, op, "/w/sessions/a.jsonl", "deny write_denied ./sessions");
        check(&rules, op, "/w/sessions", "deny write_denied ./sessions");
        check(&rules, op, "/w/Sessions/x", "deny write_denied ./sessions");
        check(&rules, op, "/w/src/sessions/x", "allow");
        check(&rules, op, "/w/sessions2/x", "allow");
    }
}

#[test]
fn every_write_is_refused_where_one_is() {
    let rules = rules(|s| {
        s.restrict_to_workspace = false;
        s.deny_write.push("*.lock".into());
    });
    for path in ["/etc/shadow", "/w/sessions/x", "/w/Cargo.lock", "/w/.ssh/x", "/w/.env"] {
        let told = |op| crate::support::spelt(&crate::support::decision(&rules, op, path));
        let expected = told(Op::Create);
        assert!(expected.starts_with("deny "), "{path}");
        for op in Op::ALL.into_iter().filter(|op| op.is_write()) {
            assert_eq!(told(op), expected, "{op} {path}");
        }
    }
}
