//! Files that something runs later: readable, writing is asked for, each entry configurable.

use std::path::Path;

use sandbox_policy::{Decision, Facts, Level, Op, decide};

use crate::support::{check, check_all, check_code, decision, rules};

const RUN_LATER: &[&str] = &[
    "/w/.git/hooks/pre-commit",
    "/w/.git/config",
    "/w/.Git/hooks/pre-commit",
    "/w/.git",
    "/w/vendor/nested/.git/config",
    "/w/.git/modules/x/config",
    "/w/.git/info/attributes",
    "/w/.gitmodules",
    "/w/.gitattributes",
    "/w/.husky/pre-commit",
    "/w/.githooks/x",
    "/w/.pre-commit-config.yaml",
    "/w/lefthook.yml",
    "/w/.github/workflows/ci.yml",
    "/w/.github/hooks/x.json",
    "/w/.gitlab-ci.yml",
    "/w/.vscode/tasks.json",
    "/w/.vscode/settings.json",
    "/w/.vscode/launch.json",
    "/w/x.code-workspace",
    "/w/.idea/runConfigurations/x.xml",
    "/w/.devcontainer/devcontainer.json",
    "/w/.cursor/mcp.json",
    "/w/.claude/settings.json",
    "/w/.mcp.json",
    "/w/.bashrc",
    "/w/.profile",
    "/w/.zshrc",
    "/w/.config/fish/config.fish",
    "/w/.config/autostart/x.desktop",
    "/w/.config/systemd/user/x.service",
    "/w/Library/LaunchAgents/x.plist",
    "/w/.cargo/config.toml",
    "/w/.pnpmfile.cjs",
    "/w/sitecustomize.py",
    "/w/x.pth",
    "/w/pyvenv.cfg",
    "/w/.ripgreprc",
    "/w/.curlrc",
    "/w/.gdbinit",
    "/w/.vimrc",
    "/w/.exrc",
];

#[test]
fn reading_is_fine_and_writing_is_asked_for() {
    let rules = rules(|_| {});
    for path in RUN_LATER {
        for op in Op::ALL.into_iter().filter(|op| *op != Op::Open) {
            check_code(&rules, op, path, if op.is_write() { "confirm run_later" } else { "allow" });
        }
    }
}

#[test]
fn what_is_secret_as_well_is_refused() {
    let rules = rules(|_| {});
    check_code(&rules, Op::Create, "/w/.envrc", "deny sensitive");
    check_code(&rules, Op::Create, "/w/.npmrc", "deny protected");
    check_code(&rules, Op::Create, "/w/.ssh/authorized_keys", "deny protected");
}

#[test]
fn some_are_only_pointed_out() {
    let rules = rules(|_| {});
    for path in ["/w/AGENTS.md", "/w/sub/CLAUDE.md", "/w/build.rs", "/w/conftest.py"] {
        let Decision::Allow(grant) = decision(&rules, Op::Edit, path) else { panic!("{path}") };
        assert_eq!(grant.notice().map(|reason| reason.code()), Some("run_later"), "{path}");
        let Decision::Allow(grant) = decision(&rules, Op::Read, path) else { panic!("{path}") };
        assert_eq!(grant.notice(), None);
    }
}

#[test]
fn an_operator_sets_the_level_of_an_entry() {
    let rules = rules(|s| {
        s.run_later = vec![
            ("git_dir".into(), Level::Deny),
            (".gitattributes".into(), Level::Allow),
            ("build_rs".into(), Level::Confirm),
            ("./deploy/*.sh".into(), Level::Deny),
            ("./scripts".into(), Level::Notice),
        ];
    });
    check(&rules, Op::Create, "/w/.git/hooks/x", "deny run_later git_dir");
    check(&rules, Op::Read, "/w/.git/hooks/x", "allow");
    check(&rules, Op::Create, "/w/.gitattributes", "allow");
    check(&rules, Op::Create, "/w/build.rs", "confirm run_later build_rs");
    check(&rules, Op::Edit, "/w/deploy/prod.sh", "deny run_later ./deploy/*.sh");
    check(&rules, Op::Edit, "/w/sub/deploy/prod.sh", "allow");
    let Decision::Allow(grant) = decision(&rules, Op::Edit, "/w/scripts/x") else { panic!() };
    assert_eq!(grant.notice().and_then(|reason| reason.rule()), Some("./scripts"));
}

#[test]
fn of_two_levels_the_stricter_one_holds() {
    for levels in [[Level::Allow, Level::Deny], [Level::Deny, Level::Allow]] {
        let rules = rules(|s| s.run_later = levels.map(|level| ("git_dir".into(), level)).to_vec());
        check(&rules, Op::Create, "/w/.git/x", "deny run_later git_dir");
        assert_eq!(rules.lints()[0].code(), "run_later_twice");
    }
}

#[test]
fn an_alias_of_the_directory_does_not_help() {
    let rules = rules(|_| {});
    // `g -> .git`: the canonical name counts.
    let facts = Facts {
        asked: Path::new("g/hooks/x"),
        via_symlink: true,
        ..Facts::names(Path::new("/w/.git/hooks/x"))
    };
    assert_eq!(decide(&rules, Op::Create, &facts).name(), "confirm");
    // `.bashrc -> dotfiles/bashrc`: the name that was asked for counts too.
    let facts = Facts {
        asked: Path::new(".bashrc"),
        via_symlink: true,
        ..Facts::names(Path::new("/w/dotfiles/bashrc"))
    };
    assert_eq!(decide(&rules, Op::Edit, &facts).name(), "confirm");
    assert_eq!(decide(&rules, Op::Read, &facts).name(), "allow");
}

#[test]
fn system_places_that_run_things() {
    let rules = rules(|s| s.restrict_to_workspace = false);
    check_all(&rules, Op::Create, "confirm run_later cron", &["/etc/cron.d/x", "/etc/crontab"]);
    check(&rules, Op::Create, "/var/spool/cron/root", "confirm run_later cron_spool");
    check(&rules, Op::Create, "/etc/systemd/system/x.service", "confirm run_later system_units");
    check(&rules, Op::Create, "/home/u/.local/bin/ls", "confirm run_later local_bin");
    check(&rules, Op::Create, "/w/etc/cron.d/x", "allow");
}
