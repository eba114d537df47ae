//! Errors have a stable word, readable text and no path.

use std::collections::BTreeSet;
use std::io;

use rooted_fs::{Error, Kind, VerifyError, WhyInPlace};

fn all() -> Vec<Error> {
    let cause = || Box::new(Error::NoSpace);
    vec![
        Error::EmptyPath,
        Error::InvalidName { why: "the path contains a NUL byte" },
        Error::NameTooLong { bytes: 256, limit: 255 },
        Error::NotFound,
        Error::ParentOfMissing,
        Error::DanglingSymlink,
        Error::SymlinkLoop,
        Error::IsADirectory,
        Error::NotADirectory,
        Error::NotARegularFile { kind: Kind::Fifo },
        Error::PermissionDenied,
        Error::ReadOnlyFile { mode: 0o444 },
        Error::Exists,
        Error::Changed,
        Error::Moved,
        Error::Busy,
        Error::HardLinked { names: 2 },
        Error::NoSpace,
        Error::Quota,
        Error::ReadOnlyFileSystem,
        Error::TooLarge { bytes: 11, limit: 10 },
        Error::InPlaceNeeded { why: WhyInPlace::MountPoint },
        Error::ShortWrite { written: 1, wanted: 2, cause: cause() },
        Error::Damaged { cause: cause() },
        Error::TierUnavailable { why: io::ErrorKind::Unsupported },
        Error::Io { kind: io::ErrorKind::Other, os: 5 },
    ]
}

#[track_caller]
fn check_word_and_text(code: &str, text: &str) {
    assert!(code.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{code}");
    assert!(!text.ends_with('.') && !text.starts_with(|c: char| c.is_uppercase()), "{text}");
}

#[test]
fn every_error_has_its_own_word_and_a_fragment_of_text() {
    let mut codes = BTreeSet::new();
    for error in all() {
        check_word_and_text(error.code(), &error.to_string());
        assert!(codes.insert(error.code()), "{} twice", error.code());
        // It passes through the standard type unharmed.
        let wrapped = io::Error::from(error.clone());
        assert_eq!(wrapped.get_ref().and_then(|inner| inner.downcast_ref::<Error>()), Some(&error));
    }
    for error in [
        VerifyError::Unreadable { cause: Error::NotFound },
        VerifyError::Mismatch { at: 1 },
        VerifyError::Displaced,
    ] {
        check_word_and_text(error.code(), &error.to_string());
        assert!(codes.insert(error.code()));
    }
}

#[test]
fn numbers_explain() {
    for (error, text) in [
        (Error::NameTooLong { bytes: 256, limit: 255 }, "the name is too long: 256 bytes, at most 255"),
        (Error::NameTooLong { bytes: 0, limit: 0 }, "the name is too long for this file system"),
        (Error::NotARegularFile { kind: Kind::CharDevice }, "not a regular file: character device"),
        (Error::ReadOnlyFile { mode: 0o444 }, "the file is read-only (mode 0444)"),
        (Error::TooLarge { bytes: 11, limit: 10 }, "too large: 11 bytes, at most 10"),
        (
            Error::ShortWrite { written: 3, wanted: 9, cause: Box::new(Error::Quota) },
            "only 3 of 9 bytes were appended: disk quota exceeded",
        ),
    ] {
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn what_a_new_hint_may_cure() {
    let cured: Vec<_> = all().into_iter().filter(Error::is_race).map(|error| error.code()).collect();
    assert_eq!(cured, ["not_found", "not_a_directory", "moved"]);
    assert!(Error::NotARegularFile { kind: Kind::Symlink }.is_race());
}
