//! `file:` URIs and the paths that they name (RFC 8089).

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// The URI of an absolute path.
pub(super) fn of_path(path: &Path) -> String {
    let mut uri = String::from("file://");
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// The absolute path that a URI names; `None` when it is no `file:` URI of this machine.
pub(super) fn to_path(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let slash = rest.find('/')?;
            let host = &rest[..slash];
            (host.is_empty() || host.eq_ignore_ascii_case("localhost")).then_some(&rest[slash..])?
        }
        None => rest.starts_with('/').then_some(rest)?,
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                let (high, low) = (digit(rest.next())?, digit(rest.next())?);
                bytes.push(u8::try_from(high * 16 + low).ok()?);
            }
            // A query or a fragment names no file.
            b'?' | b'#' | 0 => return None,
            byte => bytes.push(byte),
        }
    }
    (!bytes.contains(&0)).then(|| PathBuf::from(OsString::from_vec(bytes)))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{of_path, to_path};

    #[test]
    fn a_path_comes_back() {
        for path in ["/a/b c.rs", "/ü/%41/[x]?#", "/", "/tail/"] {
            assert_eq!(to_path(&of_path(Path::new(path))).as_deref(), Some(Path::new(path)));
        }
        assert_eq!(of_path(Path::new("/a b/é")), "file:///a%20b/%C3%A9");
    }

    #[test]
    fn what_names_no_file_of_this_machine_is_nothing() {
        for uri in [
            "",
            "/a",
            "http://x/a",
            "file:a",
            "file://host/a",
            "file:///a?x",
            "file:///a%0",
            "file:///a%00",
            "file:///%zz",
        ] {
            assert_eq!(to_path(uri), None, "{uri}");
        }
        for uri in ["file:///a%2fb", "FILE:///a/b", "file:/a/b", "file://localhost/a/b"] {
            assert_eq!(to_path(uri), Some(PathBuf::from("/a/b")), "{uri}");
        }
    }
}
