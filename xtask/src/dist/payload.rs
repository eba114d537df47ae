//! What every package holds: the program, its manual pages, its completion scripts, the licences.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use xshell::{Shell, cmd};

use super::Linking;
use crate::workspace;

/// Files of the repository that go along.
pub(crate) const TEXTS: [&str; 3] = ["README.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// A finished program and what it says about itself.
#[derive(Debug)]
pub(crate) struct Payload {
    pub(crate) program: PathBuf,
    pub(crate) version: String,
    pub(crate) linking: Linking,
    /// Folder of the manual pages.
    pub(crate) man: PathBuf,
    /// Name of a script below `share`, and its text.
    pub(crate) completions: Vec<(&'static str, String)>,
}

/// Where each shell looks below `share`, as Debian and most others have it.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/fs-tools"),
    ("zsh", "zsh/vendor-completions/_fs-tools"),
    ("fish", "fish/vendor_completions.d/fs-tools.fish"),
];

impl Payload {
    /// Takes a program, and lets it write its pages into `dir`.
    pub(crate) fn of(sh: &Shell, program: &Path, dir: &Path) -> anyhow::Result<Self> {
        let version = version_of(sh, program)?;
        let man = dir.join("man1");
        cmd!(sh, "{program} man --dir {man}").quiet().run()?;
        let mut completions = Vec::new();
        for (shell, place) in COMPLETIONS {
            completions.push((place, cmd!(sh, "{program} completions {shell}").quiet().read()? + "\n"));
        }
        Ok(Self { program: program.to_path_buf(), version, linking: linking(program)?, man, completions })
    }

    /// Copies the program to `place`, so that it can be run.
    pub(crate) fn copy_program(&self, place: &Path) -> anyhow::Result<()> {
        copy(&self.program, place)?;
        fs::set_permissions(place, fs::Permissions::from_mode(0o755))?;
        Ok(())
    }

    /// Writes manual pages and completion scripts below the folder `share`.
    pub(crate) fn copy_share(&self, share: &Path) -> anyhow::Result<()> {
        for page in self.pages()? {
            let name = page.file_name().context("a page has a name")?;
            copy(&page, &share.join("man/man1").join(name))?;
        }
        for (place, script) in &self.completions {
            write(&share.join(place), script)?;
        }
        Ok(())
    }

    /// The manual pages, in order.
    pub(crate) fn pages(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut pages = Vec::new();
        for entry in fs::read_dir(&self.man)? {
            pages.push(entry?.path());
        }
        pages.sort();
        Ok(pages)
    }

    /// Copies readme and licences into `dir`.
    pub(crate) fn copy_texts(&self, dir: &Path) -> anyhow::Result<()> {
        for name in TEXTS {
            copy(&workspace::root().join(name), &dir.join(name))?;
        }
        Ok(())
    }
}

/// The version that a program reports.
pub(crate) fn version_of(sh: &Shell, program: &Path) -> anyhow::Result<String> {
    let line = cmd!(sh, "{program} --version").quiet().read()?;
    let version = line.strip_prefix("fs-tools ").with_context(|| format!("an unexpected version: {line}"))?;
    Ok(version.trim().to_owned())
}

/// A static program names no interpreter: its ELF header lists no segment of that kind.
fn linking(program: &Path) -> anyhow::Result<Linking> {
    const INTERPRETER: u32 = 3;
    let bytes = fs::read(program).with_context(|| program.display().to_string())?;
    let number = |at: usize, size: usize| -> anyhow::Result<u64> {
        let field = bytes.get(at..at + size).context("the ELF header is cut off")?;
        Ok(field.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    };
    if bytes.get(..6) != Some(b"\x7fELF\x02\x01") {
        bail!("{} is no 64-bit little-endian ELF program", program.display());
    }
    let (first, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    for index in 0..count {
        if number(usize::try_from(first + index * size)?, 4)? == u64::from(INTERPRETER) {
            return Ok(Linking::Dynamic);
        }
    }
    Ok(Linking::Static)
}

/// Copies a file, and makes the folders above it.
pub(crate) fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    make_parent(to)?;
    fs::copy(from, to).with_context(|| format!("{} to {}", from.display(), to.display()))?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o644))?;
    Ok(())
}

/// Writes a file, and makes the folders above it.
pub(crate) fn write(to: &Path, text: &str) -> anyhow::Result<()> {
    make_parent(to)?;
    fs::write(to, text).with_context(|| to.display().to_string())
}

fn make_parent(path: &Path) -> anyhow::Result<()> {
    let parent = path.parent().context("a file has a folder")?;
    fs::create_dir_all(parent).with_context(|| parent.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::{Linking, linking};

    #[test]
    fn a_test_program_is_linked_as_its_target_says() {
        let program = std::env::current_exe().expect("a test has a path");
        let expected = if cfg!(target_env = "musl") { Linking::Static } else { Linking::Dynamic };
        assert_eq!(linking(&program).expect("it is an ELF program"), expected);
    }
}
