//! The ways out that file tools have been attacked with: nothing leaks, nothing outside changes, nothing hangs.

use std::fs;
use std::os::unix::fs::symlink;

use rooted_fs::{Durability, Error, Follow, HardLinks, Kind, Place, RelName};

use crate::support::{CANARY, Scene, nailed, name, open, quick, read, with_scene, write};

const TREE: &str = "\
//- /file
inside
//- /dir/file
inside
//- /link_file -> ../outside/secret
//- /link_abs -> OUTSIDE/secret
//- /link_dir -> ../outside
//- /chain1 -> chain2
//- /chain2 -> chain3
//- /chain3 -> link_file
//- /sibling -> ../work-evil
//- /proc_root -> /proc/self/root
//- /proc_cwd -> /proc/self/cwd
//- /environ -> /proc/self/environ
//- /stdin -> /dev/stdin
//- /fd0 -> /proc/self/fd/0
//- /zero -> /dev/zero
//- /up -> ..
//- /dangling -> ../outside/planted
//- /dangling1 -> dangling2
//- /dangling2 -> ../outside/planted
//- /dangling_dir -> ../outside/planted_dir
//- /me -> .
";

/// Spellings of ways out; `B` is the folder that holds the root.
const WAYS_OUT: &[&str] = &[
    "../outside/secret",
    "B/outside/secret",
    "B/work/../outside/secret",
    "B/work-evil/secret",
    "B/work /secret",
    "B/work\"",
    "B//outside///secret",
    "//B/outside/secret",
    "/proc/self/root/B/outside/secret",
    "/proc/thread-self/root/B/outside/secret",
    "/proc/self/cwd/../outside/secret",
    "/proc/self/environ",
    "dir/../../outside/secret",
    "me/me/../outside/secret",
    "nothing/../../outside/secret",
    "link_file",
    "link_file/",
    "link_file/.",
    "link_abs",
    "link_dir",
    "link_dir/",
    "link_dir/.",
    "link_dir/secret",
    "link_dir/sub/secret",
    "link_dir/new",
    "link_dir/new/deeper",
    "link_dir/..",
    "dir/../link_dir/secret",
    "chain1",
    "sibling/secret",
    "proc_root/B/outside/secret",
    "proc_cwd/../outside/secret",
    "environ",
    "stdin",
    "fd0",
    "zero",
    "up/outside/secret",
    "up",
    "dangling",
    "dangling/",
    "dangling/below",
    "dangling1",
    "dangling_dir/new",
    "dangling_dir",
];

fn ways_out(scene: &Scene) -> Vec<String> {
    let base = scene.base();
    let base = base.to_str().unwrap();
    let mut ways: Vec<_> = WAYS_OUT
        .iter()
        .map(|way| way.replace("/B/", &format!("{base}/")).replace("B/", &format!("{base}/")))
        .collect();
    ways.push(format!("{base}/{}outside/secret", "./".repeat(1000)));
    ways.push(format!("{}../outside/secret", "./".repeat(1500)));
    ways
}

#[test]
fn no_way_out_reads_anything() {
    with_scene(TREE, |scene| {
        for way in ways_out(scene) {
            match read(&scene.root, &way) {
                Ok(bytes) => panic!("`{way}` gave {:?}", String::from_utf8_lossy(&bytes)),
                Err(error) => assert_ne!(error.code(), "busy", "`{way}`"),
            }
        }
    });
}

#[test]
fn no_way_out_lists_anything() {
    with_scene(TREE, |scene| {
        for way in ways_out(scene) {
            let listed = nailed(&scene.root, &way, |name, _| scene.root.open_dir(name));
            assert!(listed.is_err(), "`{way}` was listed");
            let stat = nailed(&scene.root, &way, |name, _| scene.root.stat(name));
            assert!(stat.is_err(), "`{way}` was looked at");
        }
    });
}

#[test]
fn no_way_out_writes_anything() {
    with_scene(TREE, |scene| {
        let file = scene.root.open_file(&name("file")).unwrap();
        for way in ways_out(scene) {
            assert!(write(&scene.root, &way, b"planted", &quick()).is_err(), "`{way}` was written");
            let append = nailed(&scene.root, &way, |name, hint| {
                let old = if hint.exists { Some(scene.root.open_file(name)?) } else { None };
                scene.root.append(name, old.as_ref(), b"planted", &quick(), HardLinks::Refuse)
            });
            assert!(append.is_err(), "`{way}` was appended to");
            let made = nailed(&scene.root, &way, |name, _| scene.root.make_dirs(name, Durability::None));
            // Making a directory that exists is no change; none of these is inside.
            assert!(made.is_err(), "`{way}` was made");
            let removed =
                nailed(&scene.root, &way, |name, _| scene.root.remove(name, &file, Durability::None));
            assert!(removed.is_err(), "`{way}` was removed");
        }
        scene.check_outside();
        assert!(fs::symlink_metadata(scene.work().join("dangling")).unwrap().is_symlink());
    });
}

/// Whoever skips the hint and makes up names gets no further: links in a name are refused by the open itself.
#[test]
fn made_up_names_lead_nowhere() {
    with_scene(TREE, |scene| {
        let file = scene.root.open_file(&name("file")).unwrap();
        for way in
            ["link_dir/secret", "link_file", "chain1", "up/outside/secret", "proc_root/etc/passwd", "me/file"]
        {
            let name = name(way);
            assert!(scene.root.open_file(&name).unwrap_err().is_race(), "{way}");
            assert!(scene.root.open_listed(&name).is_err(), "{way}");
            assert!(scene.root.create(&name, b"x", &quick()).is_err(), "{way}");
            assert!(scene.root.replace(&name, &file, b"x", &quick()).is_err(), "{way}");
            assert!(
                scene.root.append(&name, Some(&file), b"x", &quick(), HardLinks::Allow).is_err(),
                "{way}"
            );
            assert!(scene.root.remove(&name, &file, Durability::None).is_err(), "{way}");
            assert!(scene.root.make_dirs(&name, Durability::None).is_err(), "{way}");
        }
        assert_eq!(scene.root.open_dir(&name("me")).unwrap_err(), Error::Moved);
    });
}

#[test]
fn odd_names_inside_are_just_names() {
    with_scene("", |scene| {
        for odd in [
            "..a",
            "a..",
            "...",
            "~x",
            "$HOME",
            "  both ends  ",
            "a\nb",
            "a\\..\\b",
            "%2e%2e",
            "C:\\x",
            "*",
            "\u{202e}x",
            "é",
            "e\u{301}",
        ] {
            let _ = write(&scene.root, odd, odd.as_bytes(), &quick()).unwrap();
            assert_eq!(read(&scene.root, odd).unwrap(), odd.as_bytes(), "{odd:?}");
            assert_eq!(scene.content(odd), odd.as_bytes());
        }
        // Composed and decomposed stay two files.
        assert_eq!(scene.content("é"), "é".as_bytes());
    });
}

#[test]
fn links_inside_work_for_reading_and_writing() {
    let tree = "//- /data/file\nold\n//- /rel -> data/file\n//- /abs -> WORK/data/file\n//- /dots -> data/../data/file\n//- /d -> data\n";
    with_scene(tree, |scene| {
        for (turn, way) in ["rel", "abs", "dots", "d/file", "d/../data/file"].iter().enumerate() {
            let text = format!("turn {turn}");
            let _ = write(&scene.root, way, text.as_bytes(), &quick()).unwrap();
            assert_eq!(read(&scene.root, way).unwrap(), text.as_bytes(), "{way}");
            assert_eq!(scene.content("data/file"), text.as_bytes());
        }
        for link in ["rel", "abs", "dots", "d"] {
            assert!(fs::symlink_metadata(scene.work().join(link)).unwrap().is_symlink());
        }
    });
}

#[test]
fn a_moved_relative_link_is_judged_where_it_is() {
    with_scene("//- /a/b/link -> ../../file\n//- /file\ninside\n", |scene| {
        assert_eq!(read(&scene.root, "a/b/link").unwrap(), b"inside\n");
        fs::write(scene.base().join("file"), CANARY).unwrap();
        fs::rename(scene.work().join("a/b/link"), scene.work().join("a/link")).unwrap();
        assert!(read(&scene.root, "a/link").is_err());
        fs::rename(scene.work().join("a/link"), scene.work().join("link")).unwrap();
        let hint = scene.root.hint("link".as_ref(), Follow::Leaf).unwrap();
        assert!(matches!(hint.place, Place::Outside(_)));
        fs::remove_file(scene.base().join("file")).unwrap();
    });
}

#[test]
fn the_wrong_kind_of_target_is_a_clear_error() {
    with_scene("//- /file\nx\n//- /dir/\n", |scene| {
        let code = |way: &str| write(&scene.root, way, b"x", &quick()).unwrap_err().code();
        assert_eq!(code("file/below"), "not_a_directory");
        assert_eq!(code("dir"), "is_a_directory");
        assert_eq!(code("new/"), "is_a_directory");
        assert_eq!(code(""), "empty_path");
        assert_eq!(code("."), "is_a_directory");
        assert_eq!(code(&"n".repeat(256)), "name_too_long");
        assert_eq!(code(&"n/".repeat(3000)), "name_too_long");
        assert_eq!(code("a\0b"), "invalid_name");
        assert_eq!(read(&scene.root, "dir").unwrap_err().code(), "is_a_directory");
    });
}

#[test]
fn a_hard_link_of_an_outside_file_is_never_written_through() {
    with_scene("", |scene| {
        fs::hard_link(scene.outside().join("secret"), scene.work().join("alias")).unwrap();
        let handle = open(&scene.root, "alias").unwrap();
        // Reading cannot be told from reading any file; the number of names says what it is.
        assert_eq!(handle.meta().nlink, 2);
        let append = scene.root.append(&name("alias"), Some(&handle), b"x", &quick(), HardLinks::Refuse);
        assert_eq!(append.unwrap_err().code(), "hard_linked");
        let _ = write(&scene.root, "alias", b"mine", &quick()).unwrap();
        assert_eq!(scene.content("alias"), b"mine");
    });
}

#[test]
fn a_tree_that_contains_itself_is_walked_once() {
    with_scene("//- /dir/file\nx\n", |scene| {
        symlink(".", scene.work().join("dir/me")).unwrap();
        symlink("..", scene.work().join("dir/up")).unwrap();
        let dir = scene.root.open_dir(&name("dir")).unwrap();
        let mut entries = Vec::new();
        dir.entries(&mut entries).unwrap();
        let dirs = entries.iter().filter(|entry| entry.kind == Kind::Dir).count();
        assert_eq!((entries.len(), dirs), (3, 0));
        assert_eq!(scene.root.open_dir(&RelName::root()).unwrap().meta().kind, Kind::Dir);
    });
}
