//! Removing files.

use std::fs;

use rooted_fs::{Durability, Error, RelName};

use crate::support::{list, name, open, with_scene};

#[test]
fn the_file_that_was_seen_is_removed() {
    with_scene("//- /dir/file\nx\n//- /dir/keep\ny\n", |scene| {
        let handle = open(&scene.root, "dir/file").unwrap();
        scene.root.remove(&name("dir/file"), &handle, Durability::Full).unwrap();
        assert_eq!(list(&scene.work().join("dir")), ["keep"]);
        let again = scene.root.remove(&name("dir/file"), &handle, Durability::Full);
        assert_eq!(again.unwrap_err(), Error::Changed);
        let root = scene.root.remove(&RelName::root(), &handle, Durability::Full);
        assert_eq!(root.unwrap_err(), Error::IsADirectory);
    });
}

#[test]
fn another_file_stays() {
    with_scene("//- /file\nx\n//- /other\ny\n", |scene| {
        let handle = open(&scene.root, "file").unwrap();
        assert_eq!(scene.root.remove(&name("other"), &handle, Durability::None).unwrap_err(), Error::Changed);
        fs::write(scene.work().join("file"), b"changed").unwrap();
        assert_eq!(scene.root.remove(&name("file"), &handle, Durability::None).unwrap_err(), Error::Changed);
        assert_eq!(list(&scene.work()), ["file", "other"]);
    });
}

#[test]
fn other_names_of_the_file_stay() {
    with_scene("//- /file\nx\n", |scene| {
        fs::hard_link(scene.outside().join("secret"), scene.work().join("alias")).unwrap();
        let handle = open(&scene.root, "alias").unwrap();
        scene.root.remove(&name("alias"), &handle, Durability::None).unwrap();
        assert_eq!(list(&scene.work()), ["file"]);
    });
}
