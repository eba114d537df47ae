//! Appending in place.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use rooted_fs::{Durability, Error, HardLinks, WriteOptions};

use crate::support::{name, open, quick, with_scene};

const TREE: &str = "//- /file\nold\n//- /link -> file\n//- /out -> OUTSIDE/secret\n";

#[test]
fn bytes_arrive_at_the_end_of_the_same_inode() {
    with_scene(TREE, |scene| {
        let path = scene.work().join("file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
        let before = fs::metadata(&path).unwrap();
        for durability in [Durability::Full, Durability::Data, Durability::None] {
            let handle = open(&scene.root, "link").unwrap();
            let options = WriteOptions { durability, ..WriteOptions::default() };
            let size = handle.meta().size;
            let written = scene
                .root
                .append(&name("file"), Some(&handle), b"new\n", &options, HardLinks::Refuse)
                .unwrap();
            assert!(written.in_place && !written.created && written.unsynced.is_none());
            assert_eq!((written.offset, written.bytes, written.meta.size), (size, 4, size + 4));
            scene.root.verify(&name("file"), &written, b"new\n", written.offset).unwrap();
        }
        assert_eq!(scene.content("file"), b"old\nnew\nnew\nnew\n");
        let after = fs::metadata(&path).unwrap();
        assert_eq!((after.ino(), after.mode()), (before.ino(), before.mode()));
        assert!(fs::symlink_metadata(scene.work().join("link")).unwrap().is_symlink());
    });
}

#[test]
fn an_append_does_not_depend_on_the_content() {
    with_scene(TREE, |scene| {
        let handle = open(&scene.root, "file").unwrap();
        fs::write(scene.work().join("file"), b"rewritten\n").unwrap();
        let _ = scene.root.append(&name("file"), Some(&handle), b"x", &quick(), HardLinks::Refuse).unwrap();
        let _ = scene.root.append(&name("file"), Some(&handle), b"y", &quick(), HardLinks::Refuse).unwrap();
        assert_eq!(scene.content("file"), b"rewritten\nxy");
    });
}

#[test]
fn another_file_under_the_name_is_not_appended_to() {
    with_scene(TREE, |scene| {
        let handle = open(&scene.root, "file").unwrap();
        let _ = scene.root.replace(&name("file"), &handle, b"theirs", &quick()).unwrap();
        let error = scene.root.append(&name("file"), Some(&handle), b"x", &quick(), HardLinks::Refuse);
        assert_eq!(error.unwrap_err(), Error::Changed);
        assert_eq!(scene.content("file"), b"theirs");
        fs::remove_file(scene.work().join("file")).unwrap();
        let error = scene.root.append(&name("file"), Some(&handle), b"x", &quick(), HardLinks::Refuse);
        assert_eq!(error.unwrap_err(), Error::NotFound);
        std::os::unix::fs::symlink("../outside/secret", scene.work().join("file")).unwrap();
        let error = scene.root.append(&name("file"), Some(&handle), b"x", &quick(), HardLinks::Refuse);
        assert_eq!(error.unwrap_err().code(), "not_a_regular_file");
    });
}

#[test]
fn without_a_handle_it_creates_and_only_that() {
    with_scene(TREE, |scene| {
        let written = scene.root.append(&name("d/new"), None, b"x", &quick(), HardLinks::Refuse).unwrap();
        assert!(written.created);
        assert_eq!(written.made_dirs, 1);
        let error = scene.root.append(&name("file"), None, b"x", &quick(), HardLinks::Refuse).unwrap_err();
        assert_eq!(error, Error::Exists);
        assert_eq!(scene.content("file"), b"old\n");
    });
}

#[test]
fn several_names_are_refused_unless_allowed() {
    with_scene(TREE, |scene| {
        fs::hard_link(scene.outside().join("secret"), scene.work().join("alias")).unwrap();
        fs::hard_link(scene.work().join("file"), scene.work().join("second")).unwrap();
        let alias = open(&scene.root, "alias").unwrap();
        let error = scene.root.append(&name("alias"), Some(&alias), b"x", &quick(), HardLinks::Refuse);
        assert_eq!(error.unwrap_err(), Error::HardLinked { names: 2 });
        let second = open(&scene.root, "second").unwrap();
        let _ = scene.root.append(&name("second"), Some(&second), b"x", &quick(), HardLinks::Allow).unwrap();
        assert_eq!(scene.content("file"), b"old\nx");
    });
}

#[test]
fn set_id_bits_go_and_read_only_is_respected() {
    with_scene(TREE, |scene| {
        let path = scene.work().join("file");
        for (mode, expected) in [(0o6755, 0o755), (0o4750, 0o750), (0o640, 0o640)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let handle = open(&scene.root, "file").unwrap();
            let _ =
                scene.root.append(&name("file"), Some(&handle), b"x", &quick(), HardLinks::Refuse).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, expected);
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let handle = open(&scene.root, "file").unwrap();
        let error = scene.root.append(&name("file"), Some(&handle), b"x", &quick(), HardLinks::Refuse);
        assert_eq!(error.unwrap_err().code(), "read_only_file");
    });
}
