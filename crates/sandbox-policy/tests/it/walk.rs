//! What a walk may show.

use std::path::Path;

use sandbox_policy::{Family, Kind, Ruleset};

use crate::support::rules;

#[track_caller]
fn check(rules: &Ruleset, dir: &str, name: &str, kind: Kind, expected: bool) {
    assert_eq!(rules.enter(Path::new(dir)).shows(name.as_ref(), kind), expected, "{dir} {name}");
    // Going down step by step comes to the same.
    let mut stepwise = rules.enter(Path::new(""));
    let relative = Path::new(dir).strip_prefix("/w").unwrap_or(Path::new(dir));
    for part in relative.iter() {
        stepwise = stepwise.enter(part);
    }
    assert_eq!(stepwise.shows(name.as_ref(), kind), expected, "stepwise {dir} {name}");
}

#[test]
fn ordinary_entries_are_shown() {
    let rules = rules(|_| {});
    for name in
        ["main.rs", ".gitignore", ".git", ".github", "sessions", ".env.example", "é", "x.key.md", "a b"]
    {
        check(&rules, "", name, Kind::File, true);
        check(&rules, "/w/src", name, Kind::Directory, true);
    }
    check(&rules, "src", "keynote.key", Kind::Directory, true);
}

#[test]
fn guarded_entries_are_not() {
    for family in [Family::Classic, Family::Batch] {
        let rules = rules(|s| s.family = family);
        for name in
            [".ssh", ".SSH", ".env", ".env.local", "id_rsa", "x.pem", ".npmrc", ".aws", "x.tfstate", ".Env "]
        {
            check(&rules, "", name, Kind::File, false);
            check(&rules, "a/b", name, Kind::Symlink, false);
        }
        check(&rules, "", ".ssh", Kind::Directory, false);
        check(&rules, ".config", "gcloud", Kind::Directory, false);
        check(&rules, "x/.config/gh", "hosts.yml", Kind::File, false);
        check(&rules, "x/.config/gh", "config.yml", Kind::File, true);
        check(&rules, "", "slides.key", Kind::File, false);
    }
}

#[test]
fn nothing_below_a_guarded_directory_is_shown() {
    let rules = rules(|_| {});
    check(&rules, ".ssh", "readme", Kind::File, false);
    check(&rules, "a/.aws/b", "c", Kind::Directory, false);
    assert!(rules.enter(Path::new("/w/.ssh")).is_hidden());
    assert!(!rules.enter(Path::new("/w/src")).is_hidden());
}

#[test]
fn what_the_operator_opened_is_shown() {
    let classic = rules(|s| s.open_sensitive = vec!["env_file".into(), "./certs".into()]);
    check(&classic, "a", ".env", Kind::File, true);
    check(&classic, "a", ".env.local", Kind::File, false);
    check(&classic, "certs/x", "ca.pem", Kind::File, true);
    check(&classic, "certs", ".ssh", Kind::Directory, false);
    check(&classic, "", "ca.pem", Kind::File, false);
    let batch = rules(|s| {
        s.family = Family::Batch;
        s.open_sensitive = vec!["env_file".into(), "./certs".into()];
    });
    check(&batch, "a", ".env", Kind::File, false);
    check(&batch, "certs", "ca.pem", Kind::File, false);
}

#[test]
fn outside_the_workspace_the_same_names_are_hidden() {
    let rules = rules(|s| {
        s.restrict_to_workspace = false;
        s.home = Some("/home/u".into());
    });
    let shows = |dir: &str, name: &str| rules.enter(Path::new(dir)).shows(name.as_ref(), Kind::Directory);
    for (dir, name) in [("/", "proc"), ("/", "dev"), ("/", "sys"), ("/etc", "shadow"), ("/home/u", ".ssh")] {
        assert!(!shows(dir, name), "{dir} {name}");
    }
    assert!(!shows("/home/u/Library", "Safari"));
    assert!(shows("/home/u/x/Library", "Safari"));
    assert!(shows("/", "etc"));
    assert!(shows("/dev/shm", "x"));
}

#[cfg(unix)]
#[test]
fn names_of_any_bytes_and_any_length_are_taken() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let rules = rules(|_| {});
    let top = rules.enter(Path::new(""));
    for name in [b"".as_slice(), b"\xff\xfe", b"...", b" ", b"\0", &[b'a'; 5000], &[0xff; 300]] {
        assert!(top.shows(OsStr::from_bytes(name), Kind::File), "{name:?}");
    }
    let long = [&[b'a'; 300], b".pem".as_slice()].concat();
    assert!(!top.shows(OsStr::from_bytes(&long), Kind::File));
}
