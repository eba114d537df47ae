//! What the facts of an object add: its type, its file system, its other names.

use std::path::Path;

use sandbox_policy::{Facts, FsMagic, HardLinks, Kind, Object, Op, Ruleset, decide};

use crate::support::{rules, spelt};

#[track_caller]
fn check(rules: &Ruleset, op: Op, object: Object<'_>, expected: &str) {
    let facts = Facts::names(Path::new("/w/x")).with(object);
    assert_eq!(spelt(&decide(rules, op, &facts)), expected, "{op} {object:?}");
}

fn of(kind: Kind) -> Object<'static> {
    Object { kind, ..Object::file(1, 2) }
}

const CONTENT: [Op; 7] =
    [Op::Read, Op::Overwrite, Op::Append, Op::Edit, Op::Remove, Op::Restore, Op::HistoryRead];

#[test]
fn only_regular_files_have_content() {
    let rules = rules(|_| {});
    for op in CONTENT {
        check(&rules, op, of(Kind::File), "allow");
        check(&rules, op, of(Kind::Directory), "deny is_a_directory");
        for kind in
            [Kind::Fifo, Kind::Socket, Kind::CharDevice, Kind::BlockDevice, Kind::Symlink, Kind::Unknown]
        {
            check(&rules, op, of(kind), "deny not_a_regular_file");
        }
    }
}

#[test]
fn only_directories_have_entries() {
    let rules = rules(|_| {});
    check(&rules, Op::List, of(Kind::Directory), "allow");
    for kind in [Kind::File, Kind::Fifo, Kind::Socket, Kind::CharDevice, Kind::Symlink, Kind::Unknown] {
        check(&rules, Op::List, of(kind), "deny not_a_directory");
    }
}

#[test]
fn searching_and_opening_take_both() {
    let rules = rules(|_| {});
    for op in [Op::Search, Op::Open] {
        check(&rules, op, of(Kind::File), "allow");
        check(&rules, op, Object::directory(1, 2), "allow");
        check(&rules, op, of(Kind::Fifo), "deny not_a_regular_file");
        check(&rules, op, of(Kind::CharDevice), "deny not_a_regular_file");
    }
}

#[test]
fn a_look_at_one_entry_takes_any_kind() {
    let rules = rules(|_| {});
    for kind in [Kind::File, Kind::Directory, Kind::Fifo, Kind::Socket, Kind::BlockDevice, Kind::Symlink] {
        check(&rules, Op::Stat, of(kind), "allow");
    }
}

#[test]
fn the_state_of_the_kernel_is_not_a_file() {
    let rules = rules(|s| s.restrict_to_workspace = false);
    for op in Op::ALL {
        for fs in [FsMagic::Proc, FsMagic::Sys, FsMagic::Debug] {
            check(&rules, op, Object { fs, ..Object::file(1, 2) }, "deny pseudo_file_system");
        }
    }
    check(&rules, Op::Read, Object { fs: FsMagic::Other, ..Object::file(1, 2) }, "allow");
}

#[test]
fn only_an_append_reaches_the_other_names() {
    let linked = Object { nlink: 2, ..Object::file(1, 2) };
    let careful = rules(|_| {});
    for op in [Op::Read, Op::Edit, Op::Overwrite, Op::Remove, Op::Restore, Op::Search] {
        check(&careful, op, linked, "allow");
    }
    check(&careful, Op::Append, linked, "deny hard_link");
    let told = rules(|s| s.append_to_hard_links = HardLinks::Allow);
    check(&told, Op::Append, linked, "allow");
}

#[test]
fn opening_what_would_run_is_asked_for() {
    let rules = rules(|_| {});
    check(&rules, Op::Open, Object { mode: 0o755, ..Object::file(1, 2) }, "confirm would_execute");
    check(&rules, Op::Read, Object { mode: 0o755, ..Object::file(1, 2) }, "allow");
    for (path, expected) in [
        ("/w/a.desktop", "confirm would_execute desktop_entry"),
        ("/w/a.EXE", "confirm would_execute windows_program"),
        ("/w/a.sh", "confirm would_execute shell_script"),
        ("/w/a.app", "confirm would_execute mac_app"),
        ("/w/a.lnk", "confirm would_execute link_file"),
        ("/w/a.pdf", "allow"),
        ("/w/desktop", "allow"),
    ] {
        crate::support::check(&rules, Op::Open, path, expected);
        crate::support::check(&rules, Op::Read, path, "allow");
    }
}

#[test]
fn the_type_of_something_protected_is_not_told() {
    let rules = rules(|_| {});
    let facts = Facts::names(Path::new("/w/.ssh")).with(of(Kind::Directory));
    assert_eq!(spelt(&decide(&rules, Op::Read, &facts)), "deny protected ssh_dir");
    let facts = Facts::names(Path::new("/etc/x")).with(of(Kind::Fifo));
    assert_eq!(spelt(&decide(&rules, Op::Read, &facts)), "deny outside_workspace");
}
