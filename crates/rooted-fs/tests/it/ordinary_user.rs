//! What only shows when the process is not root: closed directories and files of others.

use std::env;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use rooted_fs::{Durability, Error, InPlace, ReadOnlyFiles, Root, TierChoice, WhyInPlace, WriteOptions};
use rustix::process::geteuid;

use crate::support::{check_no_litter, list, name, open, write};

const DIR: &str = "ROOTED_FS_TEST_ORDINARY_USER";
/// The user that owns nothing, by convention.
const NOBODY: u32 = 65534;

/// Runs the test `inner` as an ordinary user on a directory that `setup` has prepared; skips loudly if it cannot.
fn as_ordinary_user(inner: &str, setup: impl Fn(&Path)) {
    let dir = tempfile::tempdir().unwrap();
    setup(dir.path());
    let me = env::current_exe().unwrap();
    let root = geteuid().is_root();
    let mut command = if root { Command::new("setpriv") } else { Command::new(&me) };
    if root {
        // The binary may lie where nobody else may go; the copy is in a folder that anybody may enter.
        let copy = dir.path().join("binary");
        fs::copy(&me, &copy).unwrap();
        fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
        chown(dir.path().join("work"), Some(NOBODY), Some(NOBODY)).unwrap();
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(copy);
    }
    let output = command.args(["--exact", inner, "--nocapture"]).env(DIR, dir.path().join("work")).output();
    let output = match output {
        Ok(output) if !String::from_utf8_lossy(&output.stderr).contains("setpriv:") => output,
        problem => return eprintln!("SKIPPED {inner}: cannot become an ordinary user ({problem:?})"),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("1 passed"), "{text}");
    let _ = fs::set_permissions(dir.path().join("work"), Permissions::from_mode(0o755));
}

fn work() -> Option<PathBuf> {
    env::var_os(DIR).map(PathBuf::from)
}

fn each_root(dir: &Path, test: impl Fn(&Root)) {
    for choice in [TierChoice::Auto, TierChoice::Nofollow] {
        test(&Root::open(dir, choice).unwrap());
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_closed_directory() {
    as_ordinary_user("ordinary_user::inner_closed_directory", |dir| {
        fs::create_dir(dir.join("work")).unwrap()
    });
}

#[test]
fn inner_closed_directory() {
    let Some(dir) = work() else { return };
    let options = WriteOptions::default();
    fs::write(dir.join("file"), b"old").unwrap();
    set_mode(&dir, 0o555);
    each_root(&dir, |root| {
        let inode = fs::metadata(dir.join("file")).unwrap().ino();
        let needed = Error::InPlaceNeeded { why: WhyInPlace::DirectoryNotWritable };
        assert_eq!(write(root, "file", b"new", &options).unwrap_err(), needed);
        assert_eq!(fs::read(dir.join("file")).unwrap(), b"old");
        let allowed = WriteOptions { in_place: InPlace::Allow, ..options };
        let written = write(root, "file", b"new content", &allowed).unwrap();
        assert!(written.in_place);
        root.verify(&name("file"), &written, b"new content", 0).unwrap();
        assert_eq!(fs::metadata(dir.join("file")).unwrap().ino(), inode);
        let _ = write(root, "file", b"old", &allowed).unwrap();
        assert_eq!(write(root, "new", b"x", &options).unwrap_err(), Error::PermissionDenied);
        let handle = open(root, "file").unwrap();
        assert_eq!(
            root.remove(&name("file"), &handle, Durability::Full).unwrap_err(),
            Error::PermissionDenied
        );
        assert_eq!(root.make_dirs(&name("a/b"), Durability::Full).unwrap_err(), Error::PermissionDenied);
    });
    set_mode(&dir, 0o755);
    assert_eq!(list(&dir), ["file"]);
}

#[test]
fn a_directory_that_cannot_be_listed() {
    as_ordinary_user("ordinary_user::inner_unlistable", |dir| fs::create_dir(dir.join("work")).unwrap());
}

#[test]
fn inner_unlistable() {
    let Some(dir) = work() else { return };
    let options = WriteOptions::default();
    fs::create_dir(dir.join("d")).unwrap();
    set_mode(&dir.join("d"), 0o333);
    each_root(&dir, |root| {
        assert_eq!(root.open_dir(&name("d")).unwrap_err(), Error::PermissionDenied);
        let written = write(root, "d/file", b"one", &options).unwrap();
        assert_eq!(written.unsynced, None);
        let written = write(root, "d/file", b"two", &options).unwrap();
        assert!(!written.in_place && written.unsynced.is_none());
        let handle = open(root, "d/file").unwrap();
        assert_eq!(handle.read_to_limit(10).unwrap(), b"two");
        root.remove(&name("d/file"), &handle, Durability::Full).unwrap();
        assert_eq!(root.make_dirs(&name("d/a/b"), Durability::Full).unwrap(), 2);
        fs::remove_dir(dir.join("d/a/b")).unwrap();
        fs::remove_dir(dir.join("d/a")).unwrap();
    });
    set_mode(&dir.join("d"), 0o755);
    assert!(list(&dir.join("d")).is_empty());
    // And one that cannot be entered says so, and not that nothing is there.
    set_mode(&dir.join("d"), 0o600);
    each_root(&dir, |root| {
        assert_eq!(open(root, "d/file").unwrap_err(), Error::PermissionDenied);
        assert_eq!(write(root, "d/file", b"x", &options).unwrap_err(), Error::PermissionDenied);
    });
    set_mode(&dir.join("d"), 0o755);
}

#[test]
fn a_file_of_somebody_else() {
    as_ordinary_user("ordinary_user::inner_file_of_root", |dir| {
        fs::create_dir(dir.join("work")).unwrap();
        for file in ["a", "b"] {
            fs::write(dir.join("work").join(file), b"old").unwrap();
            set_mode(&dir.join("work").join(file), 0o644);
        }
        fs::write(dir.join("work/secret"), b"old").unwrap();
        set_mode(&dir.join("work/secret"), 0o600);
    });
}

#[test]
fn inner_file_of_root() {
    let Some(dir) = work() else { return };
    if fs::metadata(dir.join("a")).unwrap().uid() == geteuid().as_raw() {
        eprintln!("SKIPPED: only root can leave a file of somebody else here");
        return;
    }
    for (file, choice) in [("a", TierChoice::Auto), ("b", TierChoice::Nofollow)] {
        let root = Root::open(&dir, choice).unwrap();
        let options = WriteOptions::default();
        // The directory would allow it; the file does not.
        assert_eq!(write(&root, file, b"new", &options).unwrap_err(), Error::PermissionDenied);
        let handle = open(&root, file).unwrap();
        let append = root.append(&name(file), Some(&handle), b"x", &options, Default::default());
        assert_eq!(append.unwrap_err(), Error::PermissionDenied);
        assert_eq!(open(&root, "secret").unwrap_err(), Error::PermissionDenied);
        assert_eq!(fs::read(dir.join(file)).unwrap(), b"old");
        // Told to replace it all the same: neither owner nor group can be given, and the mode gets narrower.
        let insist = WriteOptions { read_only: ReadOnlyFiles::Replace, ..options };
        let written = write(&root, file, b"new", &insist).unwrap();
        assert!(!written.kept.owner && !written.kept.group);
        assert_eq!(written.meta.mode, 0o604);
        assert_eq!(fs::read(dir.join(file)).unwrap(), b"new");
    }
    check_no_litter(&dir);
}
