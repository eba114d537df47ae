//! A Debian package, put together with `dpkg-deb` alone: nothing has to be installed or fetched for it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use xshell::{Shell, cmd};

use super::payload::{Payload, copy, write};
use super::{Installed, Linking, fresh};
use crate::workspace;

/// The name that Debian has for the processor of this machine.
const ARCHITECTURE: &str = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };

pub(crate) fn build(sh: &Shell, payload: &Payload, out: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let tree = fresh(&out.join("deb"))?;
    payload.copy_program(&tree.join("usr/bin/fs-tools"))?;
    payload.copy_share(&tree.join("usr/share"))?;
    let documents = tree.join("usr/share/doc/fs-tools");
    write(&documents.join("copyright"), &copyright()?)?;
    copy(&workspace::root().join("README.md"), &documents.join("README.md"))?;
    copy(&workspace::root().join("crates/fs-tools-cli/CHANGELOG.md"), &documents.join("changelog"))?;
    // The policy of Debian asks for both to be compressed, without a time in it.
    let pages = tree.join("usr/share/man/man1");
    for entry in fs::read_dir(&pages)? {
        let page = entry?.path();
        cmd!(sh, "gzip -9n {page}").quiet().run()?;
    }
    let changelog = documents.join("changelog");
    cmd!(sh, "gzip -9n {changelog}").quiet().run()?;
    let bytes = folder_bytes(&tree)?;
    write(&tree.join("DEBIAN/control"), &control(payload, bytes)?)?;
    let package = out.join(format!("fs-tools_{}_{ARCHITECTURE}.deb", payload.version));
    cmd!(sh, "dpkg-deb --root-owner-group --build {tree} {package}").run()?;
    Ok(vec![package])
}

pub(crate) fn install(
    sh: &Shell,
    payload: &Payload,
    files: &[PathBuf],
    scratch: &Path,
) -> anyhow::Result<Installed> {
    let root = fresh(&scratch.join("root"))?;
    if cmd!(sh, "id -u").quiet().read()? == "0" {
        let admin = root.join("var/lib/dpkg");
        fs::create_dir_all(admin.join("info"))?;
        fs::create_dir_all(admin.join("updates"))?;
        fs::write(admin.join("status"), "")?;
        // Nothing else is in the scratch root, not even a C library.
        let force = (payload.linking == Linking::Dynamic).then_some("--force-depends");
        cmd!(sh, "dpkg --root={root} {force...} --install {files...}").run()?;
    } else {
        println!("not root: the package is unpacked instead of installed");
        for file in files {
            cmd!(sh, "dpkg-deb --extract {file} {root}").run()?;
        }
    }
    Ok(Installed { program: root.join("usr/bin/fs-tools"), share: root.join("usr/share") })
}

fn control(payload: &Payload, bytes: u64) -> anyhow::Result<String> {
    let depends = match payload.linking {
        Linking::Static => String::new(),
        Linking::Dynamic => {
            format!("Depends: libc6 (>= {}), libgcc-s1\n", newest_glibc(&fs::read(&payload.program)?))
        }
    };
    Ok(format!(
        "Package: fs-tools\nVersion: {}\nArchitecture: {ARCHITECTURE}\nMaintainer: The fs-tools maintainers <noreply@fs-tools.invalid>\n\
         Installed-Size: {}\n{depends}Section: utils\nPriority: optional\nDescription: file tools that an AI agent can be trusted with\n \
         A command line and an MCP server: read, write, edit, patch, list and search\n files through a sandbox, with credentials masked \
         and every change recorded\n so that it can be undone.\n",
        payload.version,
        bytes.div_ceil(1024)
    ))
}

/// The licences, in the form that Debian reads.
fn copyright() -> anyhow::Result<String> {
    let mut text = String::from(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: fs-tools\n\nFiles: *\n\
         Copyright: the fs-tools maintainers\nLicense: MIT or Apache-2.0\n\nLicense: MIT\n",
    );
    for line in fs::read_to_string(workspace::root().join("LICENSE-MIT"))?.lines() {
        text.push_str(&if line.trim().is_empty() { " .\n".to_owned() } else { format!(" {line}\n") });
    }
    text.push_str(
        "\nLicense: Apache-2.0\n On Debian systems it is in /usr/share/common-licenses/Apache-2.0.\n",
    );
    Ok(text)
}

/// The newest version of the C library whose symbols the program asks for.
fn newest_glibc(program: &[u8]) -> String {
    const MARK: &[u8] = b"GLIBC_2.";
    let mut minors = BTreeSet::from([17]);
    for (at, _) in program.windows(MARK.len()).enumerate().filter(|(_, found)| *found == MARK) {
        let digits = program[at + MARK.len()..].iter().take(3).take_while(|byte| byte.is_ascii_digit());
        let minor = digits.fold(0_u32, |number, byte| number * 10 + u32::from(byte - b'0'));
        minors.insert(minor);
    }
    format!("2.{}", minors.last().copied().unwrap_or_default())
}

fn folder_bytes(dir: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        bytes +=
            if entry.file_type()?.is_dir() { folder_bytes(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::newest_glibc;

    #[test]
    fn the_newest_symbol_decides() {
        assert_eq!(newest_glibc(b"..GLIBC_2.9..GLIBC_2.34\0GLIBC_2.2.5\0"), "2.34");
        assert_eq!(newest_glibc(b"nothing"), "2.17");
    }
}
