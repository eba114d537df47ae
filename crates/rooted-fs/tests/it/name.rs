//! The one spelling of a name.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rooted_fs::RelName;

#[track_caller]
fn check(path: impl AsRef<[u8]>, expected: Result<usize, &str>) {
    let path = Path::new(OsStr::from_bytes(path.as_ref()));
    let parsed = RelName::parse(path);
    assert_eq!(parsed.as_ref().map(|name| name.components().count()).map_err(|e| e.code()), expected);
    if let Ok(name) = parsed {
        assert_eq!(name.as_path().as_os_str(), path.as_os_str());
    }
}

#[test]
fn canonical_names_are_taken_as_they_are() {
    check("", Ok(0));
    check("a", Ok(1));
    check("a/b/c.txt", Ok(3));
    check("...", Ok(1));
    check("..a/.b", Ok(2));
    check(" a ", Ok(1));
    check("~/$HOME/*", Ok(3));
    check(b"\xff\xfe/\x01\n", Ok(2));
    check("x".repeat(255), Ok(1));
}

#[test]
fn every_other_spelling_is_refused() {
    for bad in ["/", "/a", "a/", "a//b", ".", "..", "a/.", "a/..", "./a", "../a", "a/../b", "a/./b", "a\0b"] {
        check(bad, Err("invalid_name"));
    }
    check("x".repeat(256), Err("name_too_long"));
    check("a/".repeat(2100) + "a", Err("name_too_long"));
}

#[test]
fn parts_fit_together() {
    let parsed = RelName::parse(Path::new("a/b/c")).unwrap();
    let parent = parsed.parent().unwrap();
    assert_eq!(parent.as_bytes(), b"a/b");
    assert_eq!(parent.join(parsed.file_name().unwrap()).unwrap(), parsed);
    assert_eq!(RelName::root().join(OsStr::new("a")).unwrap().as_bytes(), b"a");
    assert_eq!(RelName::root().parent(), None);
    assert_eq!(RelName::root().file_name(), None);
    for bad in ["", ".", "..", "a/b", "a\0"] {
        assert_eq!(parsed.join(OsStr::new(bad)).unwrap_err().code(), "invalid_name");
    }
    let mut deep = RelName::root();
    let error = loop {
        match deep.join(OsStr::new(&"d".repeat(200))) {
            Ok(next) => deep = next,
            Err(error) => break error,
        }
    };
    assert_eq!(error.code(), "name_too_long");
}

#[test]
fn an_absolute_path_is_a_name_below_slash() {
    assert_eq!(RelName::from_absolute(Path::new("/")).unwrap(), RelName::root());
    assert_eq!(RelName::from_absolute(Path::new("/etc/hosts")).unwrap().as_bytes(), b"etc/hosts");
    for bad in ["", "etc", "//etc", "/etc/", "/../etc"] {
        assert_eq!(RelName::from_absolute(Path::new(bad)).unwrap_err().code(), "invalid_name");
    }
}
