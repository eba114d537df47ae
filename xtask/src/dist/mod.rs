//! `cargo xtask dist`: packages that a person can install, each of them installed and used before it counts as built.

mod deb;
mod npm;
mod payload;
mod trial;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use xshell::{Shell, cmd};

use crate::flags::{Dist, DistCmd};
use crate::step::{Step, heading, skip};
use crate::{tool, workspace};
use payload::Payload;

/// The target of a static program, for the processor of this machine.
const STATIC_TARGET: &str =
    if cfg!(target_arch = "aarch64") { "aarch64-unknown-linux-musl" } else { "x86_64-unknown-linux-musl" };

/// How the program finds its C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linking {
    Static,
    Dynamic,
}

/// One kind of package.
struct Kind {
    name: &'static str,
    /// A program that it takes to build and to install it.
    needs: &'static str,
    /// Builds the package into a folder and returns its files.
    build: fn(&Shell, &Payload, &Path) -> anyhow::Result<Vec<PathBuf>>,
    /// Installs it into a scratch folder.
    install: fn(&Shell, &Payload, &[PathBuf], &Path) -> anyhow::Result<Installed>,
}

/// What came of an installation.
pub(crate) struct Installed {
    pub(crate) program: PathBuf,
    /// The folder of the manual pages and the completion scripts.
    pub(crate) share: PathBuf,
}

const KINDS: [Kind; 3] = [
    Kind { name: "deb", needs: "dpkg-deb", build: deb::build, install: deb::install },
    Kind { name: "npm", needs: "npm", build: npm::build, install: npm::install },
    Kind { name: "wheel", needs: "python3", build: wheel::build, install: wheel::install },
];

pub(crate) fn run(sh: &Shell, flags: &Dist) -> anyhow::Result<()> {
    let out = match &flags.out {
        Some(out) => std::path::absolute(out)?,
        None => workspace::target_dir(sh)?.join("dist"),
    };
    fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
    let only = match &flags.subcommand {
        DistCmd::All(_) => None,
        DistCmd::Deb(_) => Some("deb"),
        DistCmd::Npm(_) => Some("npm"),
        DistCmd::Wheel(_) => Some("wheel"),
        DistCmd::Install(_) => return install(sh, &out),
    };
    let linking = if flags.dynamic { Linking::Dynamic } else { Linking::Static };
    let program = match &flags.program {
        Some(program) => std::path::absolute(program)?,
        None => build(sh, linking)?,
    };
    let payload = Payload::of(sh, &program, &fresh(&out.join("payload"))?)?;
    for kind in KINDS.iter().filter(|kind| only.is_none_or(|name| name == kind.name)) {
        if !tool::answers(sh, kind.needs, &["--version"]) {
            let why = format!("`{}` is missing, which builds and installs it", kind.needs);
            if only.is_some() {
                bail!("{why}");
            }
            skip(kind.name, &why);
            continue;
        }
        heading(&format!("{}: build, install in a scratch folder, use", kind.name));
        let files = (kind.build)(sh, &payload, &out)?;
        let scratch = fresh(&out.join("scratch").join(kind.name))?;
        let installed = (kind.install)(sh, &payload, &files, &scratch)?;
        trial::run(sh, &installed.program, &payload.version, &scratch)?;
        trial::has_documents(&installed.share)?;
        for file in &files {
            println!("{}: {} bytes", file.display(), fs::metadata(file)?.len());
        }
    }
    heading("packages built, installed and used");
    Ok(())
}

/// Builds the program with the release profile.
fn build(sh: &Shell, linking: Linking) -> anyhow::Result<PathBuf> {
    let target = workspace::target_dir(sh)?;
    let step = Step::new("the program", "cargo build --release --locked -p fs-tools-cli");
    if linking == Linking::Dynamic {
        step.run(sh)?;
        return Ok(target.join("release/fs-tools"));
    }
    let library = cmd!(sh, "rustc --print target-libdir --target {STATIC_TARGET}").quiet().read()?;
    if !Path::new(&library).is_dir() || !tool::answers(sh, "musl-gcc", &["--version"]) {
        bail!(
            "a static program needs the target {STATIC_TARGET} and the compiler `musl-gcc`:\n\n    rustup target add \
             {STATIC_TARGET}\n    apt install musl-tools\n\n`--dynamic` does without them"
        );
    }
    step.args(["--target", STATIC_TARGET]).run(sh)?;
    Ok(target.join(STATIC_TARGET).join("release/fs-tools"))
}

/// Installs from the sources, as the README says, and uses what came of it.
fn install(sh: &Shell, out: &Path) -> anyhow::Result<()> {
    let root = fresh(&out.join("scratch/install"))?;
    Step::new("cargo install", "cargo install --locked --path crates/fs-tools-cli --root")
        .arg(root.display().to_string())
        .run(sh)?;
    let program = root.join("bin/fs-tools");
    let version = payload::version_of(sh, &program)?;
    trial::run(sh, &program, &version, &root)?;
    heading("installed and used");
    Ok(())
}

/// An empty folder.
fn fresh(dir: &Path) -> anyhow::Result<PathBuf> {
    if dir.exists() {
        fs::remove_dir_all(dir).with_context(|| dir.display().to_string())?;
    }
    fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
    Ok(dir.to_path_buf())
}
