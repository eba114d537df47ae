//! Allow lists: full matches of a path or of an ancestor, and what looks wrong in a pattern.

use std::path::{Path, PathBuf};

use sandbox_policy::{AllowList, Error, Op, literal_root};

use crate::support::{check, check_code, rules};

#[track_caller]
fn check_grants(pattern: &str, path: &str, expected: bool) {
    let (list, _) = AllowList::new(&[pattern], "allow_read_paths").unwrap();
    assert_eq!(list.grants(Path::new(path)), expected, "{pattern} on {path}");
}

#[track_caller]
fn check_lints(pattern: &str, expected: &[&str]) {
    let (_, lints) = AllowList::new(&[pattern], "allow_read_paths").unwrap();
    let found = lints.iter().map(|lint| lint.code()).collect::<Vec<_>>();
    assert_eq!(found, expected, "{pattern}: {lints:?}");
}

#[track_caller]
fn check_refused(pattern: &str, expected: &str) {
    let error = AllowList::new(&[pattern], "allow_read_paths").unwrap_err();
    assert_eq!(error.code(), expected, "{pattern}");
}

/// All of these mean the tree below `/opt/data`.
const TREE: &[&str] = &[
    "^/opt/data",
    "/opt/data",
    "/opt/data/",
    "^/opt/data$",
    "^/opt/data/$",
    "^/opt/data(?:/|$)",
    "/opt/data(/.*)?",
    "/opt/data/.*",
    "^/opt/data/.*$",
    "(?-u)/opt/data/.*",
    "(?x) /opt/data # the data\n",
    "(?x) /opt/data # the data",
];

#[test]
fn every_usual_spelling_grants_the_tree() {
    for pattern in TREE {
        for path in ["/opt/data/x", "/opt/data/a/b/c", "/opt/data/.hidden", "/opt/data/x\ny", "/opt/data/é"]
        {
            check_grants(pattern, path, true);
        }
        check_grants(pattern, "/opt/data", true);
    }
}

#[test]
fn no_usual_spelling_grants_a_neighbour() {
    for pattern in TREE {
        for path in [
            "/opt",
            "/",
            "/opt/dat",
            "/opt/data-evil",
            "/opt/data-evil/x",
            "/opt/data.bak",
            "/opt/data x",
            "/opt/data\nx",
            "/x/opt/data",
            "/home/u/opt/data/x",
            "/opt/DATA/x",
        ] {
            check_grants(pattern, path, false);
        }
    }
}

#[test]
fn relative_paths_and_steps_up_are_never_granted() {
    for path in ["opt/data/x", "", ".", "/opt/data/../x", "/../opt/data/x"] {
        check_grants(".*", path, false);
        check_grants("/opt/data", path, false);
    }
    check_grants(".*", "/", true);
}

#[test]
fn a_path_is_matched_in_its_normal_form() {
    for path in ["/opt//data/x", "/opt/./data/x", "/opt/data/x/", "/opt/data//x", "/opt/data/."] {
        check_grants("/opt/data", path, true);
    }
}

#[test]
fn flags_are_taken_as_written() {
    check_grants("(?i)/opt/data", "/OPT/Data/x", true);
    check_grants("/opt/data", "/OPT/Data/x", false);
    check_grants("(?m)^/opt/data$", "/x\n/opt/data", false);
    check_grants("(?m)^/opt/data$", "/opt/data\n/x", false);
}

#[test]
fn an_alternation_is_matched_in_full_on_every_branch() {
    check_grants("^/a|/b$", "/a/x", true);
    check_grants("^/a|/b$", "/b/x", true);
    check_grants("^/a|/b$", "/a-evil", false);
    check_grants("^/a|/b$", "/x/b", false);
}

#[cfg(unix)]
#[test]
fn bytes_that_are_not_utf8_match_neither_a_dot_nor_a_replacement_character() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let grants = |pattern: &str, path: &[u8]| {
        let (list, _) = AllowList::new(&[pattern], "allow_read_paths").unwrap();
        list.grants(Path::new(OsStr::from_bytes(path)))
    };
    assert!(grants("/opt/data", b"/opt/data/\xff\xfe"));
    assert!(grants("/opt/data/.*", b"/opt/data/\xff"));
    assert!(!grants("/opt/.", b"/opt/\xff/x"));
    assert!(!grants("/opt/\u{fffd}", b"/opt/\xff/x"));
    assert!(grants(r"(?-u)/opt/\xff", b"/opt/\xff/x"));
}

#[test]
fn what_is_not_a_pattern_stops_the_start() {
    check_refused("", "empty_pattern");
    check_refused("  ", "empty_pattern");
    check_refused("(", "bad_pattern");
    check_refused("/opt/data)|(?:/", "bad_pattern");
    check_refused("/a**{", "bad_pattern");
    check_refused(r"/(a)\1", "bad_pattern");
    check_refused("(?=/a)", "bad_pattern");
    check_refused(&"a".repeat(5000), "bad_pattern");
    check_refused(&"(".repeat(200).replace('(', "(a|").to_string(), "bad_pattern");
    check_refused("/(((a{100}){100}){100}){100}", "pattern_too_big");
    let many = vec!["/a"; 257];
    assert_eq!(AllowList::new(&many, "allow_read_paths").unwrap_err().code(), "pattern_too_big");
}

#[test]
fn the_message_names_the_setting_and_the_position() {
    let error = AllowList::new(&["/ok", "["], "allow_write_paths").unwrap_err();
    assert!(matches!(&error, Error::BadPattern { field: "allow_write_paths", index: 1, .. }));
    assert!(error.to_string().starts_with("allow_write_paths[1] is not a regular expression: "), "{error}");
    assert!(!error.to_string().contains('\n'));
}

#[test]
fn plain_patterns_are_not_complained_about() {
    for pattern in [
        "^/opt/data",
        "/opt/data/",
        "^/opt/data(?:/|$)",
        "/opt/data/.*",
        r"^/home/u/\.cache",
        r"/srv/v1\.2/.*\.csv",
        "^/a$|^/b$",
        "/a|/b/c",
        "/opt/(a|b)",
    ] {
        let expected: &[&str] =
            if pattern.contains('|') && pattern.starts_with("^/a$") || pattern == "/a|/b/c" {
                &["no_literal_directory"]
            } else {
                &[]
            };
        check_lints(pattern, expected);
    }
}

#[test]
fn suspicious_patterns_are_complained_about() {
    check_lints(".*", &["grants_everything"]);
    check_lints("^/", &["grants_everything"]);
    check_lints("/?", &["grants_everything"]);
    check_lints("/.*", &["grants_everything"]);
    check_lints("projects", &["relative_pattern"]);
    check_lints("~/projects", &["relative_pattern"]);
    check_lints("/[a-z]+", &["no_literal_directory"]);
    check_lints("^/home/u/.cache", &["unescaped_dot"]);
    check_lints("/srv/v1.2", &["unescaped_dot"]);
    check_lints("^/a|/b$", &["no_literal_directory", "half_anchored"]);
    check_lints("^/opt/data/report-", &["partial_name"]);
}

#[test]
fn the_literal_directory_of_a_pattern() {
    #[track_caller]
    fn check(pattern: &str, expected: Option<&str>) {
        assert_eq!(literal_root(pattern), expected.map(PathBuf::from), "{pattern}");
    }
    check("^/opt/data", Some("/opt/data"));
    check("^/opt/data(?:/|$)", Some("/opt/data"));
    check("/opt/data/.*", Some("/opt/data"));
    check("(/opt/data)", Some("/opt/data"));
    check("/opt/data(/.*)?", Some("/opt/data"));
    check("/opt/da.*", Some("/opt"));
    check("/opt/(a|b)", Some("/opt"));
    check(r"^/home/u/\.cache/.*", Some("/home/u/.cache"));
    check("C:/Users/u/.*", cfg!(windows).then_some("C:/Users/u"));
    check("/.*", None);
    check("data", None);
    check("(", None);
    check("(?i)/opt", None);
}

#[test]
fn lists_grant_their_own_kind_of_operation() {
    let rules = rules(|s| {
        s.allow_read_paths = vec!["/opt/in".into()];
        s.allow_write_paths = vec!["/opt/out".into()];
    });
    for op in Op::ALL {
        check_code(&rules, op, "/opt/in/x", if op.is_write() { "deny outside_workspace" } else { "allow" });
        check_code(&rules, op, "/opt/out/x", if op.is_write() { "allow" } else { "deny outside_workspace" });
    }
}

#[test]
fn the_canonical_path_is_what_counts() {
    let rules = rules(|s| s.allow_read_paths = vec!["^/opt/data".into()]);
    // A link in the granted tree that leads elsewhere, and a link elsewhere that leads into the tree.
    let facts = |asked: &'static str, path: &'static str| sandbox_policy::Facts {
        asked: Path::new(asked),
        path: Path::new(path),
        via_symlink: true,
        object: None,
    };
    let name = |facts| sandbox_policy::decide(&rules, Op::Read, &facts).name();
    assert_eq!(name(facts("/opt/data/link", "/home/u/secret")), "deny");
    assert_eq!(name(facts("link", "/opt/data/x")), "allow");
}

#[test]
fn an_aliased_directory_is_granted_under_both_names() {
    let rules = rules(|s| {
        s.allow_read_paths = vec!["^/alias(?:/|$)".into()];
        s.aliases = vec![("/alias".into(), "/private/real".into())];
    });
    check(&rules, Op::Read, "/private/real/f", "allow");
    check(&rules, Op::Read, "/private/real", "allow");
    check(&rules, Op::Read, "/private/really/f", "deny outside_workspace");
    check(&rules, Op::Read, "/private/secret/f", "deny outside_workspace");
    assert!(rules.may_leave(Op::Read, Path::new("/alias/f")));
    assert!(rules.may_leave(Op::Read, Path::new("/private/real/f")));
    assert!(!rules.may_leave(Op::Read, Path::new("/private/other")));
    assert!(!rules.may_leave(Op::Create, Path::new("/alias/f")));
}

#[test]
fn no_list_opens_what_is_protected_or_sensitive() {
    let rules = rules(|s| {
        s.allow_read_paths = vec![".*".into()];
        s.allow_write_paths = vec![".*".into()];
    });
    for path in
        ["/home/u/.ssh/id_rsa", "/home/u/.netrc", "/w/.aws/credentials", "/etc/shadow", "/proc/1/environ"]
    {
        check_code(&rules, Op::Read, path, "deny protected");
        check_code(&rules, Op::Create, path, "deny protected");
    }
    for path in ["/opt/.env", "/w/.env", "/opt/x.pem"] {
        check_code(&rules, Op::Read, path, "deny sensitive");
        check_code(&rules, Op::Create, path, "deny sensitive");
    }
}
