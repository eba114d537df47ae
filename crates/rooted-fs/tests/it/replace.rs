//! Replacing: compare-and-swap, and what stays as it was.

use std::fs::{self, FileTimes};
use std::time::{Duration, SystemTime};

use rooted_fs::{Durability, Error, ReadOnlyFiles, RelName, WriteOptions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use crate::support::{name, quick, read, with_scene, write};

const TREE: &str = "//- /file\nold\n//- /dir/other\nother\n//- /link -> dir/other\n";

#[test]
fn the_content_is_new_and_the_name_the_same() {
    with_scene(TREE, |scene| {
        for (durability, text) in
            [(Durability::Full, "first"), (Durability::Data, "second, longer"), (Durability::None, "")]
        {
            let handle = scene.root.open_file(&name("file")).unwrap();
            let options = WriteOptions { durability, ..WriteOptions::default() };
            let written = scene.root.replace(&name("file"), &handle, text.as_bytes(), &options).unwrap();
            assert!(!written.created && !written.in_place && written.kept.all());
            assert_eq!((written.unsynced.clone(), written.leftover.clone()), (None, None));
            assert_eq!(written.identity(), scene.root.stat(&name("file")).unwrap().identity());
            assert_eq!(scene.content("file"), text.as_bytes());
            // Whoever has the old file open still reads the old content.
            assert_ne!(handle.read_to_limit(100).unwrap(), text.as_bytes());
        }
    });
}

#[test]
fn a_file_that_changed_since_is_not_overwritten() {
    with_scene(TREE, |scene| {
        let path = scene.work().join("file");
        let changes: [(&str, &dyn Fn()); 6] = [
            ("written", &|| fs::write(&path, b"theirs, longer").unwrap()),
            ("replaced", &|| {
                fs::write(scene.work().join("theirs"), b"old\n").unwrap();
                fs::rename(scene.work().join("theirs"), &path).unwrap();
            }),
            ("replaced by a link", &|| {
                fs::remove_file(&path).unwrap();
                symlink(scene.outside().join("secret"), &path).unwrap();
            }),
            ("replaced by a directory", &|| {
                fs::remove_file(&path).unwrap();
                fs::create_dir(&path).unwrap();
            }),
            ("removed", &|| fs::remove_dir(&path).unwrap()),
            ("written with its times set back", &|| {
                let times = fs::metadata(&path).unwrap();
                let old = times.modified().unwrap();
                fs::write(&path, b"wen\n").unwrap();
                let file = fs::File::options().write(true).open(&path).unwrap();
                file.set_times(FileTimes::new().set_modified(old)).unwrap();
            }),
        ];
        let mut handle = scene.root.open_file(&name("file")).unwrap();
        for (what, change) in changes {
            if what.starts_with("written with") {
                fs::write(&path, b"old\n").unwrap();
                let past = SystemTime::now() - Duration::from_secs(100);
                let file = fs::File::options().write(true).open(&path).unwrap();
                file.set_times(FileTimes::new().set_modified(past)).unwrap();
                handle = scene.root.open_file(&name("file")).unwrap();
            }
            change();
            let before = fs::read(&path).ok();
            let error = scene.root.replace(&name("file"), &handle, b"mine", &quick()).unwrap_err();
            assert_eq!(error, Error::Changed, "{what}");
            assert_eq!(fs::read(&path).ok(), before, "{what}");
            assert_eq!(
                scene.root.remove(&name("file"), &handle, Durability::None).unwrap_err(),
                Error::Changed
            );
        }
    });
}

#[test]
fn a_handle_is_good_for_one_change() {
    with_scene(TREE, |scene| {
        let handle = scene.root.open_file(&name("file")).unwrap();
        let _ = scene.root.replace(&name("file"), &handle, b"one", &quick()).unwrap();
        assert_eq!(scene.root.replace(&name("file"), &handle, b"two", &quick()).unwrap_err(), Error::Changed);
        assert_eq!(scene.content("file"), b"one");
        // Not for another file either.
        assert_eq!(
            scene.root.replace(&name("dir/other"), &handle, b"x", &quick()).unwrap_err(),
            Error::Changed
        );
        assert_eq!(
            scene.root.replace(&RelName::root(), &handle, b"x", &quick()).unwrap_err(),
            Error::IsADirectory
        );
    });
}

#[test]
fn a_link_that_stays_inside_is_kept() {
    with_scene(TREE, |scene| {
        let _ = write(&scene.root, "link", b"through the link", &quick()).unwrap();
        assert_eq!(scene.content("dir/other"), b"through the link");
        assert_eq!(fs::read_link(scene.work().join("link")).unwrap().to_str(), Some("dir/other"));
    });
}

#[test]
fn other_names_keep_the_old_content() {
    with_scene(TREE, |scene| {
        fs::hard_link(scene.outside().join("secret"), scene.work().join("alias")).unwrap();
        let written = write(&scene.root, "alias", b"new", &quick()).unwrap();
        assert_eq!(written.other_names, 1);
        assert_eq!(scene.content("alias"), b"new");
        let written = write(&scene.root, "alias", b"newer", &quick()).unwrap();
        assert_eq!(written.other_names, 0);
    });
}

#[test]
fn a_read_only_file_is_respected_also_for_root() {
    with_scene(TREE, |scene| {
        let path = scene.work().join("file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let handle = scene.root.open_file(&name("file")).unwrap();
        let refused = scene.root.replace(&name("file"), &handle, b"new", &quick()).unwrap_err();
        assert_eq!(refused, Error::ReadOnlyFile { mode: 0o444 });
        assert_eq!(scene.content("file"), b"old\n");
        let options = WriteOptions { read_only: ReadOnlyFiles::Replace, ..quick() };
        let _ = scene.root.replace(&name("file"), &handle, b"new", &options).unwrap();
        assert_eq!(scene.content("file"), b"new");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o444);
    });
}

#[test]
fn the_content_may_have_any_size() {
    with_scene(TREE, |scene| {
        for len in [0, 1, 4095, 4096, 4097, 3_000_001] {
            let bytes: Vec<u8> = (0..len).map(|n| (n % 251) as u8).collect();
            let written = write(&scene.root, "file", &bytes, &quick()).unwrap();
            assert_eq!(scene.content("file"), bytes);
            scene.root.verify(&name("file"), &written, &bytes, 0).unwrap();
        }
        assert_eq!(read(&scene.root, "file").unwrap_err().code(), "too_large");
    });
}

#[test]
fn the_longest_name_has_room_for_its_temporary_file() {
    with_scene("", |scene| {
        let long = "n".repeat(255);
        let _ = write(&scene.root, &long, b"one", &quick()).unwrap();
        let _ = write(&scene.root, &long, b"two", &quick()).unwrap();
        assert_eq!(scene.content(&long), b"two");
    });
}
