//! A Python wheel with the program as a script in it, by the binary distribution format of PyPA; no Python code.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use xshell::{Shell, cmd};

use super::payload::{Payload, TEXTS, write};
use super::{Installed, Linking, fresh};

const ARCH: &str = if cfg!(target_arch = "aarch64") { "aarch64" } else { "x86_64" };
const NAME: &str = "fs_tools_cli";

pub(crate) fn build(sh: &Shell, payload: &Payload, out: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let tree = fresh(&out.join("wheel"))?;
    let version = &payload.version;
    let tag = match payload.linking {
        // A static program runs with any C library, so that it keeps the promise of the oldest of both kinds.
        Linking::Static => {
            format!("py3-none-manylinux_2_17_{ARCH}.manylinux2014_{ARCH}.musllinux_1_1_{ARCH}")
        }
        Linking::Dynamic => format!("py3-none-linux_{ARCH}"),
    };
    let (data, info) = (format!("{NAME}-{version}.data"), format!("{NAME}-{version}.dist-info"));
    payload.copy_program(&tree.join(&data).join("scripts/fs-tools"))?;
    payload.copy_share(&tree.join(&data).join("data/share"))?;
    payload.copy_texts(&tree.join(&info).join("licenses"))?;
    fs::remove_file(tree.join(&info).join("licenses").join(TEXTS[0]))?;
    write(&tree.join(&info).join("METADATA"), &metadata(payload)?)?;
    write(&tree.join(&info).join("WHEEL"), &wheel(&tag))?;
    let record = record(sh, &tree, &format!("{info}/RECORD"))?;
    write(&tree.join(&info).join("RECORD"), &record)?;
    let file = out.join(format!("{NAME}-{version}-{tag}.whl"));
    if file.exists() {
        fs::remove_file(&file)?;
    }
    let _dir = sh.push_dir(&tree);
    cmd!(sh, "python3 -m zipfile --create {file} {data} {info}").run()?;
    Ok(vec![file])
}

pub(crate) fn install(
    sh: &Shell,
    _payload: &Payload,
    files: &[PathBuf],
    scratch: &Path,
) -> anyhow::Result<Installed> {
    let venv = scratch.join("venv");
    cmd!(sh, "python3 -m venv {venv}").run()?;
    let pip = venv.join("bin/pip");
    cmd!(sh, "{pip} install --quiet --no-index --disable-pip-version-check {files...}").run()?;
    cmd!(sh, "{pip} check --disable-pip-version-check").run()?;
    Ok(Installed { program: venv.join("bin/fs-tools"), share: venv.join("share") })
}

fn metadata(payload: &Payload) -> anyhow::Result<String> {
    let readme = fs::read_to_string(crate::workspace::root().join(TEXTS[0]))?;
    let licences: String = TEXTS[1..].iter().map(|name| format!("License-File: {name}\n")).collect();
    Ok(format!(
        "Metadata-Version: 2.4\nName: fs-tools-cli\nVersion: {}\nSummary: File tools that an AI agent can be trusted with: a command \
         line and an MCP server\nLicense-Expression: MIT OR Apache-2.0\n{licences}Requires-Python: >=3.8\n\
         Description-Content-Type: text/markdown\n\n{readme}",
        payload.version
    ))
}

/// The tags, one for each platform in the name.
fn wheel(tag: &str) -> String {
    let platforms = tag.trim_start_matches("py3-none-").split('.');
    let tags: String = platforms.map(|platform| format!("Tag: py3-none-{platform}\n")).collect();
    format!("Wheel-Version: 1.0\nGenerator: fs-tools xtask\nRoot-Is-Purelib: false\n{tags}")
}

/// Path, hash and size of every file; its own line has neither.
fn record(sh: &Shell, tree: &Path, own: &str) -> anyhow::Result<String> {
    let mut files = Vec::new();
    list(tree, Path::new(""), &mut files)?;
    files.sort();
    let _dir = sh.push_dir(tree);
    let names = &files;
    let sums = cmd!(sh, "sha256sum --binary {names...}").quiet().read()?;
    let mut text = String::new();
    for (file, line) in files.iter().zip(sums.lines()) {
        let hex = line.split_whitespace().next().context("sha256sum printed an empty line")?;
        let bytes = fs::metadata(tree.join(file))?.len();
        text.push_str(&format!("{},sha256={},{bytes}\n", file.display(), base64_url(hex)?));
    }
    text.push_str(&format!("{own},,\n"));
    Ok(text)
}

fn list(root: &Path, below: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            list(root, &path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Base64 with the alphabet for addresses and without padding, of what hexadecimal digits stand for.
fn base64_url(hex: &str) -> anyhow::Result<String> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digits: Option<Vec<u32>> = hex.chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits.context("sha256sum printed no hexadecimal number")?;
    // Three digits are twelve bits, which are two letters; what is missing at the end is zero.
    let letters = (digits.len() * 4).div_ceil(6);
    let mut text = String::new();
    for group in digits.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 4 | group.get(at).copied().unwrap_or(0));
        for shift in [6, 0] {
            text.push(char::from(ALPHABET[(bits >> shift) as usize & 63]));
        }
    }
    text.truncate(letters);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::base64_url;

    #[test]
    fn hashes_are_written_as_the_format_wants_them() {
        // The vectors of RFC 4648, section 10, and the two letters that differ.
        for (hex, expected) in [
            ("", ""),
            ("66", "Zg"),
            ("666f", "Zm8"),
            ("666f6f", "Zm9v"),
            ("666f6f62", "Zm9vYg"),
            ("fbff", "-_8"),
        ] {
            assert_eq!(base64_url(hex).expect("it is hexadecimal"), expected);
        }
        assert!(base64_url("xy").is_err());
    }
}
