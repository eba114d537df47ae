//! A full disk, a single-file mount and a read-only mount, in a private mount namespace.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rooted_fs::{Error, HardLinks, InPlace, ReadOnlyFiles, Root, TierChoice, WhyInPlace, WriteOptions};

use crate::support::{check_no_litter, list, name, open, quick, write};

const DIR: &str = "ROOTED_FS_TEST_MOUNTS";

/// Runs the test `inner` of this binary where `script` has mounted things below `$1`; skips loudly if it cannot.
fn in_private_namespace(inner: &str, script: &str) {
    let dir = tempfile::tempdir().unwrap();
    let script = format!("set -e; mount --make-rprivate /; {script}\nshift; exec \"$@\"");
    let probe = Command::new("unshare").args(["-m", "mount", "-t", "tmpfs", "none"]).arg(dir.path()).output();
    if !probe.as_ref().is_ok_and(|probe| probe.status.success()) {
        eprintln!("SKIPPED {inner}: mounting is not permitted here ({probe:?})");
        return;
    }
    let output = Command::new("unshare")
        .args(["-m", "sh", "-c", &script, "sh"])
        .arg(dir.path())
        .arg(env::current_exe().unwrap())
        .args(["--exact", inner, "--nocapture"])
        .env(DIR, dir.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    assert!(text.contains("1 passed"), "{text}\n{errors}");
}

fn dir() -> Option<PathBuf> {
    env::var_os(DIR).map(PathBuf::from)
}

fn roots(dir: &Path) -> [Root; 2] {
    [TierChoice::Auto, TierChoice::Nofollow].map(|choice| Root::open(dir, choice).unwrap())
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    in_private_namespace(
        "mounts::inner_full_disk",
        "mount -t tmpfs -o size=256k none \"$1\"; printf old > \"$1/file\"",
    );
}

#[test]
fn inner_full_disk() {
    let Some(dir) = dir() else { return };
    let large = vec![b'x'; 1 << 20];
    for root in roots(&dir) {
        let full =
            |result: Result<rooted_fs::Written, Error>| assert_eq!(result.unwrap_err(), Error::NoSpace);
        full(write(&root, "file", &large, &quick()));
        full(write(&root, "new", &large, &quick()));
        full(write(&root, "a/b/new", &large, &quick()));
        assert_eq!(fs::read(dir.join("file")).unwrap(), b"old");
        assert_eq!(list(&dir), ["file"]);
        // An append says how much arrived.
        let handle = open(&root, "file").unwrap();
        let error =
            root.append(&name("file"), Some(&handle), &large, &quick(), HardLinks::Refuse).unwrap_err();
        let Error::ShortWrite { written, wanted, cause } = error else { panic!("{error}") };
        assert_eq!((wanted, *cause), (1 << 20, Error::NoSpace));
        assert_eq!(fs::metadata(dir.join("file")).unwrap().len(), 3 + written);
        // There is room again once the file is back to its size.
        fs::write(dir.join("file"), b"old").unwrap();
        let _ = write(&root, "file", b"new", &quick()).unwrap();
        fs::write(dir.join("file"), b"old").unwrap();
        check_no_litter(&dir);
    }
}

#[test]
fn a_file_system_whose_exchange_is_not_trusted_changes_places_by_renaming() {
    // ramfs is a file system that the list of trusted ones does not name.
    in_private_namespace(
        "mounts::inner_without_exchange",
        "mount -t ramfs none \"$1\"; printf old > \"$1/file\"",
    );
}

#[test]
fn inner_without_exchange() {
    let Some(dir) = dir() else { return };
    for root in roots(&dir) {
        let mut staging = root.staging(rooted_fs::Durability::Full);
        let file = name("file");
        let temporary = staging.temporary_for(&file).unwrap();
        let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).unwrap());
        let before = inode(&dir.join("file"));
        staging.stage(&file, &temporary, b"new", None).unwrap();
        staging.sync().unwrap();
        staging.exchange(&file, &temporary, rooted_fs::Exchange::Both).unwrap();
        assert_eq!(fs::read(dir.join("file")).unwrap(), b"new");
        assert_eq!(inode(&dir.join(temporary.as_path())), before, "the old file itself, by a second link");
        staging.exchange(&file, &temporary, rooted_fs::Exchange::Both).unwrap();
        assert_eq!(
            (fs::read(dir.join("file")).unwrap(), inode(&dir.join("file"))),
            (b"old".to_vec(), before)
        );
        staging.discard(&temporary, 0).unwrap();
        staging.sync().unwrap();
        check_no_litter(&dir);
    }
}

#[test]
fn a_single_file_mount_is_written_in_place_when_allowed() {
    in_private_namespace(
        "mounts::inner_single_file",
        "mkdir \"$1/work\"; printf old > \"$1/target\"; printf x > \"$1/work/file\"; \
         mount --bind \"$1/target\" \"$1/work/file\"",
    );
}

#[test]
fn inner_single_file() {
    let Some(dir) = dir() else { return };
    for root in roots(&dir.join("work")) {
        fs::write(dir.join("target"), b"old").unwrap();
        let needed = Error::InPlaceNeeded { why: WhyInPlace::MountPoint };
        assert_eq!(write(&root, "file", b"new", &quick()).unwrap_err(), needed);
        assert_eq!(fs::read(dir.join("target")).unwrap(), b"old");
        let allowed = WriteOptions { in_place: InPlace::Allow, ..quick() };
        for text in ["longer than it was before", "short", ""] {
            let written = write(&root, "file", text.as_bytes(), &allowed).unwrap();
            assert!(written.in_place);
            root.verify(&name("file"), &written, text.as_bytes(), 0).unwrap();
            assert_eq!(fs::read(dir.join("target")).unwrap(), text.as_bytes());
        }
        let handle = open(&root, "file").unwrap();
        let removed = root.remove(&name("file"), &handle, rooted_fs::Durability::None).unwrap_err();
        assert_eq!(removed.code(), "io");
        check_no_litter(&dir);
    }
}

#[test]
fn a_read_only_mount_is_a_clear_error() {
    in_private_namespace(
        "mounts::inner_read_only",
        "mount -t tmpfs none \"$1\"; mkdir \"$1/d\"; printf old > \"$1/file\"; mount -o remount,ro \"$1\"",
    );
}

#[test]
fn inner_read_only() {
    let Some(dir) = dir() else { return };
    for root in roots(&dir) {
        let options = WriteOptions { read_only: ReadOnlyFiles::Replace, in_place: InPlace::Allow, ..quick() };
        for options in [quick(), options] {
            assert_eq!(write(&root, "file", b"new", &options).unwrap_err(), Error::ReadOnlyFileSystem);
            assert_eq!(write(&root, "new", b"new", &options).unwrap_err(), Error::ReadOnlyFileSystem);
        }
        let handle = open(&root, "file").unwrap();
        let append = root.append(&name("file"), Some(&handle), b"x", &quick(), HardLinks::Refuse);
        assert_eq!(append.unwrap_err(), Error::ReadOnlyFileSystem);
        let made = root.make_dirs(&name("a/b"), rooted_fs::Durability::None);
        assert_eq!(made.unwrap_err(), Error::ReadOnlyFileSystem);
        let removed = root.remove(&name("file"), &handle, rooted_fs::Durability::None);
        assert_eq!(removed.unwrap_err(), Error::ReadOnlyFileSystem);
    }
}

#[test]
fn a_full_disk_is_found_out_before_writing_in_place() {
    in_private_namespace(
        "mounts::inner_full_in_place",
        "mkdir \"$1/small\"; mount -t tmpfs -o size=256k none \"$1/small\"; mkdir \"$1/work\"; \
         printf old > \"$1/small/target\"; printf x > \"$1/work/file\"; \
         mount --bind \"$1/small/target\" \"$1/work/file\"",
    );
}

#[test]
fn inner_full_in_place() {
    let Some(dir) = dir() else { return };
    let allowed = WriteOptions { in_place: InPlace::Allow, ..quick() };
    for root in roots(&dir.join("work")) {
        let error = write(&root, "file", &vec![b'x'; 1 << 20], &allowed).unwrap_err();
        assert_eq!(error, Error::NoSpace);
        assert_eq!(fs::read(dir.join("small/target")).unwrap(), b"old");
        // It lies on another file system than its directory: the facts say so.
        let meta = root.stat(&name("file")).unwrap();
        assert_ne!(meta.dev, root.id().0);
        assert_eq!(meta.fs_magic, 0x0102_1994);
        check_no_litter(&dir.join("work"));
    }
}

#[test]
fn an_overlay_is_replaced_and_appended_to() {
    in_private_namespace(
        "mounts::inner_overlay",
        "mount -t tmpfs none \"$1\"; mkdir \"$1/lower\" \"$1/upper\" \"$1/scratch\" \"$1/work\"; \
         printf old > \"$1/lower/a\"; printf old > \"$1/lower/b\"; printf old > \"$1/lower/c\"; \
         mount -t overlay -o \"lowerdir=$1/lower,upperdir=$1/upper,workdir=$1/scratch\" none \"$1/work\" \
         || { echo 'SKIPPED: no overlayfs, 1 passed'; exit 0; }",
    );
}

#[test]
fn inner_overlay() {
    let Some(dir) = dir() else { return };
    let [kernel, nofollow] = roots(&dir.join("work"));
    for root in [&kernel, &nofollow] {
        let written = write(root, "a", b"new", &quick()).unwrap();
        root.verify(&name("a"), &written, b"new", 0).unwrap();
        let written = write(root, "fresh/file", b"new", &quick());
        assert!(written.is_ok() || root.tier() == rooted_fs::Tier::Nofollow);
    }
    let handle = open(&kernel, "b").unwrap();
    // Opening a lower file for writing copies it up, and its identity may change with that: one retry.
    let appended =
        kernel.append(&name("b"), Some(&handle), b"+", &quick(), HardLinks::Refuse).or_else(|_| {
            let handle = open(&kernel, "b")?;
            kernel.append(&name("b"), Some(&handle), b"+", &quick(), HardLinks::Refuse)
        });
    assert!(appended.is_ok(), "{appended:?}");
    assert_eq!(fs::read(dir.join("work/b")).unwrap(), b"old+");
    let handle = open(&kernel, "c").unwrap();
    kernel.remove(&name("c"), &handle, rooted_fs::Durability::Full).unwrap();
    assert_eq!(list(&dir.join("work")), ["a", "b", "fresh"]);
    assert_eq!(fs::read(dir.join("lower/a")).unwrap(), b"old");
}
