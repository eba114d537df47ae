//! Folders of macOS that a walk does not enter by accident.

use std::path::Path;

use sandbox_policy::{privacy_folder, walk_skips_privacy_folder};

#[track_caller]
fn check(start: &str, dir: &str, expected: bool) {
    let home = Path::new("/Users/u");
    assert_eq!(walk_skips_privacy_folder(home, Path::new(start), Path::new(dir)), expected, "{start} {dir}");
}

#[test]
fn a_walk_from_above_skips_them() {
    for start in ["/", "/Users", "/Users/u", "/Users/u/Library"] {
        for dir in ["Library/Mail", "Library/Safari/x", "Library/Application Support/com.apple.TCC"] {
            check(start, &format!("/Users/u/{dir}"), true);
        }
    }
    for dir in [
        "Desktop",
        "Documents",
        "Downloads",
        "Movies",
        "Music",
        "Pictures/x.photoslibrary",
        "Public",
        ".Trash",
    ] {
        check("/Users/u", &format!("/Users/u/{dir}"), true);
    }
    check("/", "/Volumes/Backup/x", true);
}

#[test]
fn a_walk_that_was_sent_there_does_not() {
    check("/Users/u/Documents", "/Users/u/Documents", false);
    check("/Users/u/Documents/project", "/Users/u/Documents/project/src", false);
    check("/Users/u/Documents", "/Users/u/Desktop", true);
    check("/Volumes/Work/repo", "/Volumes/Work/repo/src", false);
}

#[test]
fn other_folders_are_ordinary() {
    for dir in [
        "/Users/u/src",
        "/Users/u/src/Documents",
        "/Users/u/Library/Caches",
        "/Users/v/Desktop",
        "/Volumes",
        "/opt",
    ] {
        check("/", dir, false);
        assert_eq!(privacy_folder(Path::new("/Users/u"), Path::new(dir)), None);
    }
}

#[test]
fn case_does_not_matter() {
    assert_eq!(privacy_folder(Path::new("/Users/u"), Path::new("/users/U/DESKTOP/x")), Some("Desktop"));
}
