//! Listing and walking by handle.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rooted_fs::{Dir, Kind, RelName};

use crate::support::{name, with_scene};

const TREE: &str = "\
//- /a/one
1
//- /a/b/two
2
//- /a/b/c/three
3
//- /a/loop -> ../a
//- /a/out -> OUTSIDE
//- /a/out_file -> OUTSIDE/secret
";

fn sorted(dir: &Dir) -> Vec<(OsString, Kind)> {
    let mut entries = Vec::new();
    dir.entries(&mut entries).unwrap();
    let mut all: Vec<_> = entries.into_iter().map(|entry| (entry.name, entry.kind)).collect();
    all.sort();
    all
}

#[test]
fn entries_have_kinds_and_links_stay_links() {
    with_scene(TREE, |scene| {
        let dir = scene.root.open_dir(&name("a")).unwrap();
        let expected = [
            ("b", Kind::Dir),
            ("loop", Kind::Symlink),
            ("one", Kind::File),
            ("out", Kind::Symlink),
            ("out_file", Kind::Symlink),
        ];
        for _ in 0..2 {
            let listed = sorted(&dir);
            assert_eq!(listed, expected.map(|(name, kind)| (OsString::from(name), kind)));
        }
        let mut seen = 0;
        dir.each_entry(|_, _| {
            seen += 1;
            seen < 2
        })
        .unwrap();
        assert_eq!(seen, 2);
    });
}

#[test]
fn a_walk_finds_every_file_once() {
    with_scene(TREE, |scene| {
        fn walk(dir: &Dir, found: &mut Vec<Vec<u8>>) {
            for (name, kind) in sorted(dir) {
                match kind {
                    Kind::Dir => walk(&dir.open_dir(&name).unwrap(), found),
                    Kind::File => found.push(dir.open_file(&name).unwrap().read_to_limit(100).unwrap()),
                    _ => {}
                }
            }
        }
        let mut found = Vec::new();
        walk(&scene.root.open_dir(&RelName::root()).unwrap(), &mut found);
        assert_eq!(found.concat(), b"3\n2\n1\n");
    });
}

#[test]
fn a_step_is_one_component_and_no_link() {
    with_scene(TREE, |scene| {
        let dir = scene.root.open_dir(&name("a")).unwrap();
        for bad in ["", ".", "..", "b/two", "/", "/etc", "b\0"] {
            assert_eq!(dir.open_dir(OsStr::new(bad)).unwrap_err().code(), "invalid_name", "{bad}");
            assert_eq!(dir.open_file(OsStr::new(bad)).unwrap_err().code(), "invalid_name", "{bad}");
            assert_eq!(dir.stat(OsStr::new(bad)).unwrap_err().code(), "invalid_name", "{bad}");
        }
        for link in ["loop", "out"] {
            assert_eq!(dir.open_dir(OsStr::new(link)).unwrap_err().code(), "not_a_directory");
        }
        assert_eq!(dir.open_file(OsStr::new("out_file")).unwrap_err().code(), "not_a_regular_file");
        assert_eq!(dir.open_file(OsStr::new("b")).unwrap_err().code(), "is_a_directory");
        assert_eq!(dir.open_file(OsStr::new("none")).unwrap_err().code(), "not_found");
        assert_eq!(dir.stat(OsStr::new("out")).unwrap().kind, Kind::Symlink);
        let inner = dir.open_dir(OsStr::new("b")).unwrap();
        assert_eq!(inner.meta().identity(), scene.root.stat(&name("a/b")).unwrap().identity());
    });
}

#[test]
fn names_are_bytes() {
    with_scene("", |scene| {
        let mut expected = Vec::new();
        for bytes in [&b"\xff\xfe"[..], b"a\nb", b"\x1b[31m", b"caf\xc3\xa9", b"cafe\xcc\x81", b"..x", b" "] {
            std::fs::write(scene.work().join(OsStr::from_bytes(bytes)), bytes).unwrap();
            expected.push((OsString::from_vec(bytes.to_vec()), Kind::File));
        }
        expected.sort();
        let dir = scene.root.open_dir(&RelName::root()).unwrap();
        assert_eq!(sorted(&dir), expected);
        for (name, _) in expected {
            let name = RelName::root().join(&name).unwrap();
            assert_eq!(scene.root.open_file(&name).unwrap().read_to_limit(99).unwrap(), name.as_bytes());
        }
    });
}

#[test]
fn a_large_directory_is_listed_whole() {
    with_scene("//- /many/\n", |scene| {
        for n in 0..1200 {
            std::fs::write(scene.work().join(format!("many/file-with-a-longer-name-{n:05}")), b"").unwrap();
        }
        let dir = scene.root.open_dir(&name("many")).unwrap();
        let listed = sorted(&dir);
        assert_eq!(listed.len(), 1200);
        assert!(listed.windows(2).all(|pair| pair[0] < pair[1]));
        // Threads that list one handle at the same time do not take entries from each other.
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| sorted(&dir).len())).collect();
            assert!(threads.into_iter().all(|thread| thread.join().unwrap() == 1200));
        });
    });
}

#[test]
fn a_deep_tree_is_walked_by_handle_beyond_the_longest_path() {
    with_scene("", |scene| {
        let part = "d".repeat(200);
        let mut dir = scene.root.open_dir(&RelName::root()).unwrap();
        std::fs::create_dir(scene.work().join(&part)).unwrap();
        let mut here = name(&part);
        dir = dir.open_dir(OsStr::new(&part)).unwrap();
        while let Ok(next) = here.join(OsStr::new(&part)) {
            scene.root.make_dirs(&next, rooted_fs::Durability::None).unwrap();
            dir = dir.open_dir(OsStr::new(&part)).unwrap();
            here = next;
        }
        assert_eq!(dir.meta().identity().ino, scene.root.stat(&here).unwrap().ino);
    });
}
