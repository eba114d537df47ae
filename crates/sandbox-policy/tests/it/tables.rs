//! The protected table, and how names are compared.

use sandbox_policy::{Class, Op, Ruleset, Settings};

use crate::support::{check, check_all, check_code, rules};

#[test]
fn credentials_are_protected_at_any_depth() {
    let rules = rules(|_| {});
    for path in [
        ".ssh",
        ".ssh/id_ed25519",
        ".ssh/known_hosts",
        "home/.ssh/config",
        ".gnupg/private-keys-v1.d/a.key",
        ".aws/credentials",
        ".aws/sso/cache/x.json",
        ".kube/config",
        ".docker/config.json",
        ".config/gcloud/application_default_credentials.json",
        ".azure/msal_token_cache.json",
        ".npmrc",
        "sub/.npmrc",
        ".yarnrc.yml",
        ".pypirc",
        ".cargo/credentials.toml",
        ".netrc",
        "_netrc",
        ".git-credentials",
        ".config/git/credentials",
        ".config/gh/hosts.yml",
        ".pgpass",
        ".my.cnf",
        "infra/terraform.tfstate",
        "infra/terraform.tfstate.backup",
        "infra/terraform.tfstate.d/prod/terraform.tfstate",
        ".terraformrc",
        ".vault-token",
        "db.kdbx",
        ".password-store/x.gpg",
        ".config/sops/age/keys.txt",
        ".security.yml",
        ".security.yml.bak",
        ".claude/.credentials.json",
        ".codex/auth.json",
        "profile/logins.json",
        "profile/Login Data",
        ".bash_history",
        ".config/rclone/rclone.conf",
        "app.keystore",
    ] {
        let path = format!("/w/{path}");
        check_code(&rules, Op::Read, &path, "deny protected");
        check_code(&rules, Op::HistoryRead, &path, "deny protected");
        check_code(&rules, Op::Open, &path, "deny protected");
        check_code(&rules, Op::Restore, &path, "deny protected");
        check_code(&rules, Op::Edit, &path, "deny protected");
        check_code(&rules, Op::List, &path, "hide protected");
        check_code(&rules, Op::Stat, &path, "hide protected");
        check_code(&rules, Op::Search, &path, "hide protected");
    }
}

#[test]
fn homes_are_known_by_their_usual_places() {
    let rules = rules(|s| {
        s.restrict_to_workspace = false;
        s.home = Some("/data/people/u".into());
    });
    for home in ["/data/people/u", "/home/x", "/Users/x", "/root", "/var/root"] {
        check(&rules, Op::Read, &format!("{home}/Library/Cookies/a"), "deny protected safari");
        check(&rules, Op::Read, &format!("{home}/.config/google-chrome/a"), "deny protected chromium_linux");
        check(&rules, Op::Read, &format!("{home}/src/Library/Cookies/a"), "allow");
        check(&rules, Op::Create, &format!("{home}/.local/bin/ls"), "confirm run_later local_bin");
    }
    check(&rules, Op::Read, "/opt/Library/Cookies/a", "allow");
    check(&rules, Op::Create, "/opt/.local/bin/ls", "allow");
}

#[test]
fn a_home_that_is_the_root_directory_is_a_home() {
    let rules = rules(|s| {
        s.restrict_to_workspace = false;
        s.home = Some("/".into());
    });
    check(&rules, Op::Create, "/.local/bin/ls", "confirm run_later local_bin");
    check(&rules, Op::Read, "/Library/Safari/a", "deny protected safari");
}

#[test]
fn the_system_is_protected() {
    let rules = rules(|s| s.restrict_to_workspace = false);
    for path in [
        "/etc/shadow",
        "/etc/gshadow-",
        "/etc/sudoers",
        "/etc/sudoers.d/x",
        "/etc/ssh/ssh_host_rsa_key",
        "/etc/krb5.keytab",
        "/proc/self/environ",
        "/proc/1/root/etc/passwd",
        "/proc/self/fd/0",
        "/proc/thread-self/cwd/x",
        "/dev/stdin",
        "/dev/zero",
        "/sys/kernel/x",
        "/run/secrets/token",
        "/var/run/secrets/kubernetes.io/serviceaccount/token",
        "/run/docker.sock",
        "/var/run/docker.sock",
        "/.vol/1/2",
        "/opt/a/..namedfork/rsrc",
    ] {
        check_code(&rules, Op::Read, path, "deny protected");
        check_code(&rules, Op::Overwrite, path, "deny protected");
    }
    check_all(
        &rules,
        Op::Read,
        "allow",
        &["/etc/passwd", "/etc/ssh/ssh_config", "/etc/hosts", "/dev/shm/x", "/dev/shm"],
    );
    // An absolute row is about the system, not about a folder of the project.
    check_all(
        &rules,
        Op::Read,
        "allow",
        &["/w/etc/shadow", "/w/proc/1/environ", "/w/dev/null.c", "/opt/etc/sudoers"],
    );
}

#[test]
fn whole_components_match_and_parts_of_them_do_not() {
    let rules = rules(|_| {});
    check_all(
        &rules,
        Op::Edit,
        "allow",
        &[
            "/w/environment.ts",
            "/w/keyboard.md",
            "/w/monkey",
            "/w/process.env.js",
            "/w/my.ssh/x",
            "/w/xssh",
            "/w/.sshx/x",
            "/w/not.npmrc.md",
            "/w/netrc",
            "/w/aws/credentials",
            "/w/secret",
            "/w/secrets/readme.md",
            "/w/bazel-out/secret-lib/x.rs",
            "/w/docker/config.json",
            "/w/config.json",
            "/w/key",
            "/w/pem",
            "/w/turkey",
            "/w/.environment",
            "/w/tfstate",
            "/w/src/credentials.rs",
            "/w/gitignore",
            "/w/.gitignore",
            "/w/.editorconfig",
            "/w/Makefile",
            "/w/package.json",
            "/w/.git2/hooks/x",
            "/w/a.git/x",
            "/w/vscode/tasks.json",
            "/w/.vscode/snippets.json",
            "/w/.github/ISSUE_TEMPLATE/bug.md",
        ],
    );
}

#[test]
fn names_are_compared_as_the_most_forgiving_file_system_would() {
    let rules = rules(|_| {});
    for path in [
        "/w/.SSH/x",
        "/w/.Ssh/x",
        "/w/.NpmRc",
        "/w/.NETRC",
        "/w/.\u{17f}\u{17f}h/x", // long s folds to s
        "/w/.a\u{200c}ws/x",     // HFS+ ignores it
        "/w/.\u{feff}aws/x",
        "/w/.aws./x",
        "/w/.aws /x",
        "/w/.aws. ./x",
        "/w/.\u{212a}ube/x", // the Kelvin sign folds to k
    ] {
        check_code(&rules, Op::Read, path, "deny protected");
    }
    check_code(&rules, Op::Read, "/w/config/.ENV", "deny sensitive");
    check_code(&rules, Op::Read, "/w/.env ", "deny sensitive");
    check_code(&rules, Op::Create, "/w/.Git/hooks/x", "confirm run_later");
    check_code(&rules, Op::Create, "/w/.g\u{200d}it/hooks/x", "confirm run_later");
    check_code(&rules, Op::Create, "/w/GIT~1/hooks/x", "confirm run_later");
    // Compatibility forms are other files everywhere.
    check_code(&rules, Op::Read, "/w/\u{ff0e}env", "allow");
}

#[test]
fn composed_and_decomposed_names_are_one_name() {
    let rules =
        rules(|s| s.protect = vec!["geheimnis-\u{fc}".into(), "stra\u{df}e".into(), "\u{fb01}le".into()]);
    for path in
        ["/w/geheimnis-\u{fc}", "/w/geheimnis-u\u{308}", "/w/GEHEIMNIS-\u{dc}", "/w/STRASSE", "/w/FILE"]
    {
        check_code(&rules, Op::Read, path, "deny protected");
    }
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_utf8_is_compared_by_its_bytes() {
    use sandbox_policy::{Facts, decide};
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt, path::Path};
    let rules = rules(|_| {});
    let name =
        |path: &[u8]| decide(&rules, Op::Read, &Facts::names(Path::new(OsStr::from_bytes(path)))).name();
    assert_eq!(name(b"/w/\xff/.ENV"), "deny");
    assert_eq!(name(b"/w/.env.\xff"), "deny");
    assert_eq!(name(b"/w/\xff.PEM"), "deny");
    assert_eq!(name(b"/w/.env\xff"), "allow");
}

#[test]
fn a_rule_may_begin_above_the_workspace() {
    let rules = rules(|s| {
        s.workspace = "/home/u/.config".into();
        s.home = Some("/home/u".into());
    });
    check(&rules, Op::Read, "/home/u/.config/gh/hosts.yml", "deny protected gh_hosts");
    check(&rules, Op::Read, "/home/u/.config/google-chrome/x", "deny protected chromium_linux");
    check(&rules, Op::Read, "/home/u/.config/app/x", "allow");
}

#[test]
fn a_workspace_below_a_guarded_name_is_still_a_workspace() {
    let agent = rules(|s| s.workspace = "/home/u/.claude/worktrees/x".into());
    check(&agent, Op::Create, "/home/u/.claude/worktrees/x/src/a.rs", "allow");
    check(
        &agent,
        Op::Create,
        "/home/u/.claude/worktrees/x/.claude/settings.json",
        "confirm run_later claude",
    );
    let shm = rules(|s| s.workspace = "/dev/shm/x".into());
    check(&shm, Op::Create, "/dev/shm/x/a", "allow");
    let keys = rules(|s| s.workspace = "/home/u/.ssh".into());
    check(&keys, Op::Read, "/home/u/.ssh/notes", "deny protected ssh_dir");
    assert!(keys.lints().iter().any(|lint| lint.code() == "workspace_is_protected"));
}

#[test]
fn ids_are_unique_and_stable_words() {
    let rules = Ruleset::new(&Settings::new("/w")).unwrap();
    let ids =
        rules.rules().filter(|rule| rule.class != Class::WriteDenied).map(|rule| rule.id).collect::<Vec<_>>();
    let mut unique = ids.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
    let is_word = |id: &str| id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    assert!(ids.iter().all(|id| is_word(id)), "{ids:?}");
    assert!(ids.len() > 150, "{}", ids.len());
}

#[test]
fn every_row_of_the_tables_catches_its_own_pattern() {
    let rules = rules(|s| s.restrict_to_workspace = false);
    for info in rules.rules() {
        let (op, code) = match info.class {
            Class::Protected => (Op::Read, "protected"),
            Class::Sensitive => (Op::Read, "sensitive"),
            Class::RunLater => (Op::Create, "run_later"),
            Class::Program => (Op::Open, "would_execute"),
            _ => continue,
        };
        if info.id == "private_key_content" || info.id == "hard_link_alias" {
            continue;
        }
        for pattern in unfold(info.pattern) {
            let concrete = pattern.replace('*', "zz");
            let path = match concrete.split_at(1) {
                ("/", _) => concrete.clone(),
                ("~", rest) => format!("/home/u{rest}"),
                _ => format!("/opt/{concrete}"),
            };
            let decision = crate::support::decision(&rules, op, &path);
            let found = match &decision {
                sandbox_policy::Decision::Allow(grant) => grant.notice().map(|reason| reason.code()),
                other => other.reason().map(|reason| reason.code()),
            };
            // A stricter rule may catch the name as well.
            let stricter = matches!(found, Some("protected" | "sensitive")) && code != "protected";
            assert!(found == Some(code) || stricter, "{}: {path} gives {found:?}", info.id);
        }
    }
}

/// Unfolds the braces of a pattern, in the slow and obvious way.
fn unfold(pattern: &str) -> Vec<String> {
    let Some(open) = pattern.find('{') else { return vec![pattern.to_owned()] };
    let close = open + pattern[open..].find('}').unwrap();
    let choices = pattern[open + 1..close].split(',');
    choices
        .flat_map(|choice| unfold(&format!("{}{choice}{}", &pattern[..open], &pattern[close + 1..])))
        .collect()
}
