//! Sensitive names: hidden and refused in the classic family, asked for in the batch family.

use sandbox_policy::{Family, Op};

use crate::support::{check, check_all, check_code, rules};

const SENSITIVE: &[&str] = &[
    "/w/.env",
    "/w/.env.local",
    "/w/.env.production",
    "/w/config/.ENV",
    "/w/prod.env",
    "/w/.envrc",
    "/w/.dev.vars",
    "/w/.flaskenv",
    "/w/server.pem",
    "/w/server.KEY",
    "/w/a.p12",
    "/w/a.pfx",
    "/w/a.cer",
    "/w/a.jks",
    "/w/a.ppk",
    "/w/id_rsa",
    "/w/id_ed25519",
    "/w/id_ed25519_sk",
    "/w/id_rsa.pub",
    "/w/authorized_keys",
    "/w/ssh_host_ed25519_key",
    "/w/gcp-service-account-prod.json",
    "/w/credentials.json",
    "/w/client_secret_123.json",
    "/w/config/secrets.yml",
    "/w/local.settings.json",
    "/w/appsettings.Production.json",
    "/w/wp-config.php",
    "/w/.htpasswd",
    "/w/config/master.key",
    "/w/vpn.ovpn",
    "/w/.docker/x",
    "/w/.env/lib/x",
];

#[test]
fn the_classic_family_hides_and_refuses() {
    let rules = rules(|_| {});
    for path in SENSITIVE {
        for op in Op::ALL {
            check_code(&rules, op, path, if op.is_look() { "hide sensitive" } else { "deny sensitive" });
        }
    }
}

#[test]
fn the_batch_family_always_asks() {
    for opened in [vec![], vec![".env".into(), "pem".into(), "./config".into()]] {
        for restrict in [true, false] {
            let rules = rules(|s| {
                s.family = Family::Batch;
                s.restrict_to_workspace = restrict;
                s.allow_read_outside_workspace = true;
                s.allow_read_paths = vec![".*".into()];
                s.allow_write_paths = vec![".*".into()];
                s.open_sensitive = opened.clone();
            });
            for path in SENSITIVE {
                for op in Op::ALL {
                    check_code(&rules, op, path, "confirm sensitive");
                }
            }
        }
    }
}

#[test]
fn templates_are_ordinary() {
    let rules = rules(|_| {});
    check_all(
        &rules,
        Op::Edit,
        "allow",
        &[
            "/w/.env.example",
            "/w/.env.sample",
            "/w/.env.template",
            "/w/.env.dist",
            "/w/.env.defaults",
            "/w/.ENV.Example",
            "/w/.env.local.example",
            "/w/example.env",
            "/w/.dev.vars.example",
        ],
    );
    check_code(&rules, Op::Read, "/w/.env.example2", "deny sensitive");
    check_code(&rules, Op::Read, "/w/.env.examples", "deny sensitive");
    // Only the name itself is excused, not what lies below a directory of that name.
    check_code(&rules, Op::Read, "/w/.env.example/.env", "deny sensitive");
}

#[test]
fn a_directory_called_like_a_key_file_is_ordinary() {
    let rules = rules(|_| {});
    check(&rules, Op::Read, "/w/slides.key/index.xml", "allow");
    check(&rules, Op::Read, "/w/slides.key/.env", "deny sensitive env_file");
    check(&rules, Op::Read, "/w/slides.key", "deny sensitive key");
}

#[test]
fn an_operator_opens_single_entries() {
    let rules = rules(|s| s.open_sensitive = vec!["env_file".into(), "./certs".into(), "*.test.pem".into()]);
    check_all(
        &rules,
        Op::Edit,
        "allow",
        &["/w/.env", "/w/a/.env", "/w/certs/a.key", "/w/x/ca.test.pem", "/w/CERTS/a.key"],
    );
    check(&rules, Op::Read, "/w/.env.local", "deny sensitive env_variant");
    check(&rules, Op::Read, "/w/a/certs/a.key", "deny sensitive key");
    check(&rules, Op::Read, "/w/ca.pem", "deny sensitive pem");
    check(&rules, Op::Read, "/w/certs/.ssh/a.key", "deny protected ssh_dir");
}

#[test]
fn a_name_that_two_rules_match_is_opened_by_either() {
    let by_rule = |id: &str| rules(|s| s.open_sensitive = vec![id.into()]);
    check(&by_rule("key"), Op::Read, "/w/config/master.key", "allow");
    check(&by_rule("rails_key"), Op::Read, "/w/config/master.key", "allow");
    check(&by_rule("rails_key"), Op::Read, "/w/config/other.key", "deny sensitive key");
    check(&by_rule("*.pem"), Op::Read, "/w/a.pem", "allow");
}

#[test]
fn nothing_opens_what_is_protected() {
    let rules =
        rules(|s| s.open_sensitive = vec!["ssh_dir".into(), ".npmrc".into(), "/w".into(), ".ssh".into()]);
    for path in ["/w/.ssh/id_rsa", "/w/.npmrc", "/w/.aws/credentials"] {
        check_code(&rules, Op::Read, path, "deny protected");
    }
    check(&rules, Op::Read, "/w/.env", "allow");
    let lints = rules.lints().iter().map(|lint| lint.code()).collect::<Vec<_>>();
    assert_eq!(
        lints,
        ["open_names_protected", "open_names_protected", "open_names_protected", "opens_everything"]
    );
}

#[test]
fn opening_has_no_effect_in_the_batch_family_and_says_so() {
    let rules = rules(|s| {
        s.family = Family::Batch;
        s.open_sensitive = vec!["env_file".into()];
    });
    assert_eq!(rules.lints()[0].code(), "open_without_effect");
    check(&rules, Op::Read, "/w/.env", "confirm sensitive env_file");
    assert!(!rules.rules().any(|rule| rule.opened));
}

#[test]
fn a_link_is_guarded_under_both_names() {
    use sandbox_policy::{Facts, decide};
    use std::path::Path;
    let rules = rules(|_| {});
    let name = |asked: &str, path: &str| {
        let facts = Facts { asked: Path::new(asked), path: Path::new(path), via_symlink: true, object: None };
        decide(&rules, Op::Read, &facts).name()
    };
    assert_eq!(name("notes.txt", "/w/.env"), "deny");
    assert_eq!(name(".env", "/w/notes.txt"), "deny");
    assert_eq!(name("./a/../.env", "/w/notes.txt"), "deny");
    assert_eq!(name("/w/.env", "/w/notes.txt"), "deny");
    assert_eq!(name("d/.env", "/w/.env"), "deny");
    assert_eq!(name(".env/../notes.txt", "/w/notes.txt"), "allow");
    assert_eq!(name("/proc/self/cwd/notes.txt", "/w/notes.txt"), "deny");
    assert_eq!(name("link", "/w/notes.txt"), "allow");
}

#[test]
fn what_is_secret_by_its_name_is_told_even_when_it_is_open() {
    use std::path::Path;
    for family in [Family::Classic, Family::Batch] {
        let rules = rules(|s| {
            s.family = family;
            s.open_sensitive = vec!["env_file".into()];
        });
        assert_eq!(rules.secret(Path::new("/w/.env")), Some("env_file"));
        assert_eq!(rules.secret(Path::new("/w/.ssh/config")), Some("ssh_dir"));
        assert_eq!(rules.secret(Path::new("/elsewhere/x.pem")), Some("pem"));
        for path in ["/w/main.rs", "/w/.env.example", "/w/.git/config", "/w/sessions/x"] {
            assert_eq!(rules.secret(Path::new(path)), None, "{path}");
        }
    }
}
