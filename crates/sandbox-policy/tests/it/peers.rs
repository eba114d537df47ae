//! The attacks that other file tools let through, as far as names and facts decide them.

use std::path::Path;

use sandbox_policy::{Decision, Facts, Family, Object, Op, RequestPath, Ruleset, decide};

use crate::support::rules;

/// What a gate does before it may touch anything: parse, see whether the path may be looked up, decide on names.
/// No link exists here, so the text alone makes a path canonical.
fn gate(rules: &Ruleset, op: Op, text: &str) -> Result<Decision, &'static str> {
    let asked = RequestPath::parse(text).map_err(|error| error.code())?;
    let path = asked.below(rules.workspace());
    if !rules.may_leave(op, &path) {
        return Ok(Decision::Deny(rules.outside(op)));
    }
    let path = sandbox_policy::lexical(&path);
    Ok(decide(rules, op, &Facts { asked: asked.as_path(), path: &path, via_symlink: false, object: None }))
}

#[track_caller]
fn check_stopped(rules: &Ruleset, op: Op, text: &str) {
    if let Ok(Decision::Allow(grant)) = gate(rules, op, text) {
        panic!("{op} {text:?} is granted: {grant:?}");
    }
}

#[track_caller]
fn check_contained(rules: &Ruleset, op: Op, text: &str) {
    if let Ok(Decision::Allow(grant)) = gate(rules, op, text) {
        assert!(grant.path().starts_with("/srv/work"), "{op} {text:?} leads to {grant:?}");
    }
}

fn workspace() -> Ruleset {
    rules(|s| {
        s.workspace = "/srv/work".into();
        s.home = Some("/home/u".into());
    })
}

#[test]
fn lexical_escapes() {
    let rules = workspace();
    for text in [
        "../outside/secret",           // relative
        "/srv/outside/secret",         // absolute
        "/srv/work/../outside/secret", // absolute with steps up
        "/srv/work-evil/x",            // a sibling with the same beginning
        "/srv/work-evil",
        "/srv/workX.txt",
        "/srv/work/missing/../../outside/x", // through a missing directory
        "/home/u/secret",
        "a\0/../../x",
        "//srv/outside/secret",
        "/srv/work ",  // a sibling with a blank
        "/srv/work\"", // a sibling with a quote
        "",
        "/proc/self/root/srv/outside/secret",
        "/proc/self/environ",
        "/proc/thread-self/root/x",
        "/proc/self/cwd/../outside",
        "/dev/stdin",
        "..",
        "/",
    ] {
        for op in Op::ALL {
            check_stopped(&rules, op, text);
        }
    }
    let padded = format!("{}../outside/secret", "./".repeat(1500));
    check_stopped(&rules, Op::Read, &padded);
    check_stopped(&rules, Op::Read, &"a/".repeat(5000));
    check_stopped(&rules, Op::Create, &"n".repeat(300));
}

#[test]
fn spellings_that_some_tool_expands() {
    let rules = workspace();
    for text in [
        "~/secret",
        "$HOME/secret",
        "file:///srv/outside/secret",
        "%2e%2e/outside/secret",
        "..\\outside\\secret",
        "\u{ff0e}\u{ff0e}/outside/secret",
        "C:\\outside\\secret",
        "..a/..b/x",
        "\\x{2E}\\x{2E}/outside/secret",
        "a\\x{2F}..\\x{2F}x",
    ] {
        for op in Op::ALL {
            check_contained(&rules, op, text);
        }
    }
}

#[test]
fn controls_that_have_to_work() {
    let rules = workspace();
    for text in [
        "..a",
        "a..b/..c",
        "~x",
        "$HOME",
        " blanks ",
        "new/nested/file.txt",
        "/srv/work/x",
        "./x",
        "a/../b",
        "ünï",
        "*",
    ] {
        assert!(gate(&rules, Op::Create, text).unwrap().is_allow(), "{text}");
        assert!(gate(&rules, Op::Read, text).unwrap().is_allow(), "{text}");
    }
}

#[test]
fn policy_reads() {
    for family in [Family::Classic, Family::Batch] {
        let rules = rules(|s| {
            s.workspace = "/srv/work".into();
            s.family = family;
        });
        for text in [
            ".env",
            ".env.production",
            "config/.ENV",
            ".ssh/id_ed25519",
            "certs/server.pem",
            "certs/server.key",
            ".aws/credentials",
            ".npmrc",
            ".netrc",
            ".git-credentials",
            ".kube/config",
            ".docker/config.json",
            ".config/gcloud/application_default_credentials.json",
            ".pypirc",
            ".pgpass",
            "infra/terraform.tfstate",
            ".env ",
            "x/../.env",
            "./.env/",
        ] {
            for op in [Op::Read, Op::Search, Op::List, Op::Stat, Op::HistoryRead, Op::Open] {
                check_stopped(&rules, op, text);
            }
        }
    }
}

#[test]
fn policy_writes() {
    let rules = workspace();
    for text in [
        ".git/hooks/pre-commit",
        ".git/config",
        ".Git/hooks/pre-commit",
        ".vscode/tasks.json",
        ".vscode/settings.json",
        ".envrc",
        ".mcp.json",
        ".github/workflows/ci.yml",
        ".ssh/authorized_keys",
        ".bashrc",
        ".cargo/config.toml",
        ".husky/pre-commit",
        ".idea/runConfigurations/x.xml",
        "x.code-workspace",
        ".gitattributes",
        ".git",
    ] {
        for op in Op::ALL.into_iter().filter(|op| op.is_write()) {
            check_stopped(&rules, op, text);
        }
    }
}

#[test]
fn aliases_of_a_secret() {
    let rules = workspace();
    let decided = |asked: &str, path: &str, object: Object<'_>| {
        let facts =
            Facts { asked: Path::new(asked), path: Path::new(path), via_symlink: true, object: Some(object) };
        decide(&rules, Op::Read, &facts).name()
    };
    let file = Object::file(1, 2);
    assert_eq!(decided("notes.txt", "/srv/work/.env", file), "deny"); // a link inside
    assert_eq!(decided("d/.env", "/srv/work/.env", file), "deny"); // an alias of the parent
    let linked = Object { nlink: 2, alias_of_sensitive: true, ..file };
    assert_eq!(decided("notes.txt", "/srv/work/notes.txt", linked), "deny"); // a hard link
    assert_eq!(decided("notes.txt", "/srv/outside/secret", file), "deny"); // a link that leaves
    assert_eq!(decided("link", "/proc/1/environ", file), "deny");
    assert_eq!(decided("g/hooks/x", "/srv/work/.git/hooks/x", file), "allow"); // reading a hook is fine
}

#[test]
fn protected_names_stay_shut_whatever_is_configured() {
    for restrict in [true, false] {
        for family in [Family::Classic, Family::Batch] {
            let rules = rules(|s| {
                s.restrict_to_workspace = restrict;
                s.allow_read_outside_workspace = true;
                s.allow_read_paths = vec![".*".into()];
                s.allow_write_paths = vec![".*".into()];
                s.family = family;
            });
            for path in [".env", ".env.local", ".envrc", ".security.yml", ".netrc", ".aws/credentials"] {
                for op in Op::ALL {
                    check_stopped(&rules, op, &format!("/w/{path}"));
                    check_stopped(&rules, op, &format!("/opt/{path}"));
                }
            }
        }
    }
}
