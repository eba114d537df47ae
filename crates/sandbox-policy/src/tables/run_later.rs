//! Names of files that some program runs or obeys later: reading is fine, writing needs a person.
//!
//! Ordinary source is deliberately absent, although it runs too: `Makefile`, `package.json`, `.editorconfig`.

use super::{Row, file, row};

/// The run-later names.
#[rustfmt::skip]
pub(crate) const RUN_LATER: &[Row] = &[
    // Git: hooks, filters and redirections run commands on the next call of git.
    row("git_dir", ".git"), // https://git-scm.com/docs/gitrepository-layout; also a `.git` file with `gitdir:`
    row("git_dir_short", "git~1"), // https://git-scm.com/docs/git-config#Documentation/git-config.txt-coreprotectNTFS
    row("git_modules", ".gitmodules"), // https://git-scm.com/docs/gitmodules
    row("git_attributes", ".gitattributes"), // https://git-scm.com/docs/gitattributes: filter and diff drivers
    row("git_config", "{.gitconfig,.config/git}"), // https://git-scm.com/docs/git-config
    row("git_hooks", "{.husky,.githooks}"), // https://typicode.github.io/husky/, https://git-scm.com/docs/githooks
    row("pre_commit", "{.pre-commit-config.yaml,.pre-commit-config.yml}"), // https://pre-commit.com/
    row("lefthook", "{lefthook,.lefthook,lefthook-local,.lefthook-local}.{yml,yaml,toml,json}"), // https://lefthook.dev/configuration/
    row("mercurial", "{.hg,.hgrc}"), // https://www.mercurial-scm.org/doc/hgrc.5.html: hooks
    row("jujutsu", ".jj"), // https://jj-vcs.github.io/jj/latest/config/
    // Continuous integration.
    row("github_actions", ".github/{workflows,hooks,actions}"), // https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax
    row("gitlab_ci", "{.gitlab-ci.yml,.gitlab-ci.yaml,.gitlab/ci}"), // https://docs.gitlab.com/ci/yaml/
    row("other_ci", "{.circleci,.buildkite,.drone.yml,.travis.yml,azure-pipelines.yml,Jenkinsfile,bitbucket-pipelines.yml,.woodpecker,.woodpecker.yml,.forgejo/workflows,.gitea/workflows}"), // manuals of the respective services
    // Editors and agents: tasks, servers and rules that start with the folder.
    row("vscode", ".vscode/{tasks,launch,settings,mcp,extensions}.json"), // https://code.visualstudio.com/docs/editing/workspaces/workspace-trust
    row("code_workspace", "*.code-workspace"), // https://code.visualstudio.com/docs/editing/workspaces/multi-root-workspaces
    row("idea", "{.idea,.run}"), // https://www.jetbrains.com/help/idea/run-debug-configuration.html
    row("fleet", ".fleet"), // https://www.jetbrains.com/help/fleet/run-configurations.html
    row("zed", ".zed"), // https://zed.dev/docs/tasks
    row("devcontainer", "{.devcontainer,.devcontainer.json}"), // https://containers.dev/implementors/json_reference/
    row("cursor", "{.cursor,.cursorrules}"), // https://docs.cursor.com/
    row("claude", ".claude"), // https://docs.anthropic.com/en/docs/claude-code/settings: hooks
    row("codex", ".codex"), // https://github.com/openai/codex/blob/main/docs/config.md
    row("gemini", ".gemini"), // https://github.com/google-gemini/gemini-cli
    row("other_agents", "{.windsurf,.continue,.roo,.kiro,.amazonq,.opencode,.aider.conf.yml}"), // manuals of the respective tools
    row("mcp_json", ".mcp.json"), // https://docs.anthropic.com/en/docs/claude-code/mcp
    file("agent_notes", "{AGENTS.md,CLAUDE.md,GEMINI.md}").notice(), // https://agents.md/
    row("emacs_dir_locals", ".dir-locals.el"), // https://www.gnu.org/software/emacs/manual/html_node/emacs/Directory-Variables.html
    // Shells and sessions.
    row("envrc_run", ".envrc"), // https://direnv.net/
    row("shell_rc", "{.bashrc,.bash_profile,.bash_login,.bash_logout,.bash_aliases,.profile,.zshrc,.zshenv,.zprofile,.zlogin,.zlogout,.kshrc,.cshrc,.tcshrc,.login}"), // bash(1), zsh(1), tcsh(1)
    row("fish", ".config/fish"), // https://fishshell.com/docs/current/language.html#configuration-files
    row("nushell_powershell", "{.config/nushell,.config/powershell,WindowsPowerShell,profile.ps1,Microsoft.PowerShell_profile.ps1}"), // https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_profiles
    row("readline", ".inputrc"), // readline(3)
    row("xsession", "{.xprofile,.xinitrc,.xsession,.xsessionrc}"), // https://www.x.org/releases/current/doc/man/man1/xinit.1.xhtml
    row("ssh_run", ".ssh/{rc,config,authorized_keys,environment}"), // ssh_config(5): ProxyCommand; sshd(8): rc
    row("autostart", ".config/{autostart,systemd,environment.d}"), // https://specifications.freedesktop.org/autostart-spec/latest/
    row("desktop_entries", ".local/share/{applications,systemd,dbus-1}"), // https://specifications.freedesktop.org/desktop-entry-spec/latest/
    row("launch_agents", "Library/{LaunchAgents,LaunchDaemons}"), // https://developer.apple.com/library/archive/documentation/MacOSX/Conceptual/BPSystemStartup/
    row("windows_startup", "Start Menu/Programs/Startup"), // https://support.microsoft.com/windows/configure-startup-applications
    row("cron", "/{etc,private/etc}/{cron.d,cron.daily,cron.hourly,cron.monthly,cron.weekly,crontab,anacrontab,periodic}"), // crontab(5)
    row("cron_spool", "/{var,private/var}/{spool/cron,spool/anacron,at/tabs,cron/tabs}"), // crontab(1)
    row("system_units", "/{etc,usr/lib,lib,run}/{systemd,init.d,rc.local,profile.d,profile,bash.bashrc,zsh,udev,ld.so.preload,ld.so.conf.d,pam.d}"), // systemd.unit(5), ld.so(8), pam.d(5)
    row("local_bin", "~/{.local/bin,bin}"), // https://specifications.freedesktop.org/basedir-spec/latest/
    // Build tools and interpreters that load a file of that name unasked.
    row("cargo_config", ".cargo/{config,config.toml}"), // https://doc.rust-lang.org/cargo/reference/config.html: runner, rustc-wrapper
    row("cargo_bin", ".cargo/{bin,env}"), // https://rust-lang.github.io/rustup/installation/
    file("build_rs", "build.rs").notice(), // https://doc.rust-lang.org/cargo/reference/build-scripts.html
    row("npmrc_run", ".npmrc"), // https://docs.npmjs.com/cli/using-npm/config: script-shell, node-options
    row("yarnrc_run", "{.yarnrc,.yarnrc.yml,.yarn/releases,.yarn/plugins}"), // https://yarnpkg.com/configuration/yarnrc#yarnPath
    row("pnpm", "{.pnpmfile.cjs,.pnpmfile.mjs}"), // https://pnpm.io/pnpmfile
    row("python_site", "{sitecustomize.py,usercustomize.py}"), // https://docs.python.org/3/library/site.html
    file("python_pth", "*.pth"), // https://docs.python.org/3/library/site.html
    row("pyvenv", "pyvenv.cfg"), // https://docs.python.org/3/library/venv.html
    file("conftest", "conftest.py").notice(), // https://docs.pytest.org/en/stable/how-to/writing_plugins.html
    row("python_startup", ".pythonrc"), // https://docs.python.org/3/using/cmdline.html#envvar-PYTHONSTARTUP
    row("mise_asdf", "{.mise.toml,mise.toml,.mise,.tool-versions}").notice(), // https://mise.jdx.dev/configuration.html
    // Tools that read options or commands from a file of that name.
    row("tool_rc", "{.ripgreprc,.curlrc,_curlrc,.wgetrc,.tmux.conf,.screenrc,.nanorc}"), // rg(1), curl(1), wget(1), tmux(1)
    row("debugger_init", "{.gdbinit,.lldbinit}"), // https://sourceware.org/gdb/current/onlinedocs/gdb.html/Startup.html, https://lldb.llvm.org/man/lldb.html
    row("vim_rc", "{.vimrc,_vimrc,.exrc,.nvimrc,.nvim.lua,.gvimrc,.vim,.config/nvim}"), // https://vimhelp.org/starting.txt.html#initialization
    row("emacs_init", "{.emacs,.emacs.d,.config/emacs}"), // https://www.gnu.org/software/emacs/manual/html_node/emacs/Init-File.html
];
