//! `cargo xtask clients`: other people's clients against our server, at pinned versions, in a scratch folder.

mod agent;
mod conformance;
mod http;

use std::path::{Path, PathBuf};

use xshell::Shell;

use crate::flags::Clients;
use crate::step::{Step, heading, skip};
use crate::{tool, workspace};

const PYTHON_SDK: &str = "mcp==2.3.0";
const INSPECTOR: &str = "@modelcontextprotocol/inspector@0.15.0";

/// Whether a client is left out, or its absence is a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    /// Somebody asked for this very client.
    Fails,
    /// It is one of the things that a machine may lack.
    IsSkipped,
}

pub(crate) fn run(sh: &Shell, flags: &Clients) -> anyhow::Result<()> {
    sessions(sh)?;
    let place = place(sh)?;
    if flags.conformance {
        conformance::run(sh, &place, &server(sh)?)?;
    }
    if flags.agent {
        agent::run(sh, &place, &server(sh)?)?;
    }
    heading("clients passed");
    Ok(())
}

/// The sessions that are cheap enough for every commit: about a minute with the installation.
pub(crate) fn sessions(sh: &Shell) -> anyhow::Result<()> {
    Step::new("the server", "cargo build -p fs-tools-cli").run(sh)?;
    let (place, server) = (place(sh)?, server(sh)?);
    python(sh, &place, &server)?;
    inspector(sh, &place, &server)
}

fn server(sh: &Shell) -> anyhow::Result<PathBuf> {
    Ok(workspace::target_dir(sh)?.join("debug/fs-tools"))
}

fn place(sh: &Shell) -> anyhow::Result<PathBuf> {
    let place = workspace::target_dir(sh)?.join("clients");
    sh.create_dir(&place)?;
    Ok(place)
}

fn python(sh: &Shell, place: &Path, server: &Path) -> anyhow::Result<()> {
    const TITLE: &str = "Python SDK";
    if !tool::answers(
        sh,
        "python3",
        &["-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))"],
    ) {
        skip(TITLE, "there is no Python from 3.10 on with `venv`");
        return Ok(());
    }
    let environment = place.join("python");
    let program = environment.join("bin/python").display().to_string();
    let has = format!(
        "import importlib.metadata as m, sys; sys.exit(m.version('mcp') != '{}')",
        version_of(PYTHON_SDK)
    );
    if !tool::answers(sh, &program, &["-c", &has]) {
        let made = Step::new("an environment", "python3 -m venv --clear")
            .arg(environment.display().to_string())
            .run(sh);
        let installed = made.and_then(|()| {
            Step::new(TITLE, &program)
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PYTHON_SDK])
                .run(sh)
        });
        if installed.is_err() {
            skip(TITLE, &format!("`pip install {PYTHON_SDK}` failed; is the registry within reach?"));
            return Ok(());
        }
    }
    let session = workspace::root().join("docs/clients/python_session.py").display().to_string();
    for mode in ["auto", "legacy"] {
        Step::new(&format!("{TITLE}, {mode}"), &program)
            .args([session.clone(), server.display().to_string(), mode.to_owned()])
            .run(sh)?;
    }
    Ok(())
}

fn inspector(sh: &Shell, place: &Path, server: &Path) -> anyhow::Result<()> {
    const TITLE: &str = "TypeScript inspector";
    let place = place.join("inspector");
    if !npm(sh, TITLE, &place, &[INSPECTOR], Absent::IsSkipped)? {
        return Ok(());
    }
    let session = workspace::root().join("docs/clients/inspector_session.sh").display().to_string();
    let _dir = sh.push_dir(&place);
    Step::new(TITLE, "bash").args([session, server.display().to_string()]).run(sh)
}

/// Installs packages into a folder of their own; `false` when that cannot be done and it may be left out.
fn npm(sh: &Shell, title: &str, place: &Path, packages: &[&str], absent: Absent) -> anyhow::Result<bool> {
    let give_up = |why: &str| {
        if absent == Absent::Fails {
            anyhow::bail!("{title}: {why}");
        }
        skip(title, why);
        Ok(false)
    };
    if !tool::answers(sh, "npm", &["--version"]) {
        return give_up("there is no npm");
    }
    sh.create_dir(place)?;
    let installed = place.join("installed");
    if sh.read_file(&installed).is_ok_and(|text| text == packages.join(" ")) {
        return Ok(true);
    }
    let _dir = sh.push_dir(place);
    let step = Step::new(title, "npm install --no-audit --no-fund --loglevel=error --prefix .")
        .args(packages.iter().copied());
    if step.run(sh).is_err() {
        return give_up(&format!(
            "`npm install {}` failed; is the registry within reach?",
            packages.join(" ")
        ));
    }
    sh.write_file(&installed, packages.join(" "))?;
    Ok(true)
}

/// The version in a pinned name.
fn version_of(package: &str) -> &str {
    package.rsplit(['=', '@']).next().unwrap_or(package)
}

#[cfg(test)]
mod tests {
    use super::{INSPECTOR, PYTHON_SDK, version_of};

    #[test]
    fn versions_are_pinned() {
        for package in
            [PYTHON_SDK, INSPECTOR, super::agent::CODEX, super::conformance::SUITE, super::conformance::NODE]
        {
            assert!(version_of(package).starts_with(|it: char| it.is_ascii_digit()), "{package}");
        }
        assert_eq!(version_of(PYTHON_SDK), "2.3.0");
    }
}
