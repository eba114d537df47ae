//! Watching directories: what happens in them is seen by the next look.

use std::fs;
use std::io::Write as _;

use rooted_fs::{Seen, Watcher};

use crate::support::{name, with_scene};

const TREE: &str = "\
//- /a/one
1
//- /a/two
2
//- /a/sub/three
3
";

/// What was seen, one word for each change and its name.
fn drain(watcher: &mut Watcher) -> Vec<String> {
    let mut seen = Vec::new();
    watcher
        .drain(|change| {
            seen.push(match change {
                Seen::Content { name, .. } => format!("content {}", name.display()),
                Seen::Name { name, .. } => format!("name {}", name.display()),
                Seen::Dir { .. } => "dir".to_owned(),
                Seen::Moved { .. } => "moved".to_owned(),
                Seen::Ended { .. } => "ended".to_owned(),
                other => format!("{other:?}"),
            });
        })
        .unwrap();
    seen.dedup();
    seen
}

#[test]
fn changes_are_seen_at_once_and_by_name() {
    with_scene(TREE, |scene| {
        let mut watcher = Watcher::new().unwrap();
        let dir = scene.root.open_dir(&name("a")).unwrap();
        let id = watcher.add(&dir).unwrap();
        assert_eq!(watcher.add(&dir).unwrap(), id);
        assert_eq!(drain(&mut watcher), [] as [&str; 0]);
        let path = scene.root.path().join("a");
        fs::OpenOptions::new().append(true).open(path.join("one")).unwrap().write_all(b"more").unwrap();
        assert_eq!(drain(&mut watcher), ["content one"]);
        fs::write(path.join("new"), "").unwrap();
        assert_eq!(drain(&mut watcher)[0], "name new");
        fs::rename(path.join("new"), path.join("two")).unwrap();
        assert_eq!(drain(&mut watcher), ["name new", "name two"]);
        fs::remove_file(path.join("two")).unwrap();
        assert_eq!(drain(&mut watcher), ["name two"]);
        // What happens further down is not seen here.
        fs::write(path.join("sub/three"), "4").unwrap();
        assert_eq!(drain(&mut watcher), [] as [&str; 0]);
        watcher.remove(id);
        assert_eq!(drain(&mut watcher), ["ended"]);
        fs::write(path.join("one"), "5").unwrap();
        assert_eq!(drain(&mut watcher), [] as [&str; 0]);
    });
}

#[test]
fn a_directory_that_moves_or_goes_says_so() {
    with_scene(TREE, |scene| {
        let mut watcher = Watcher::new().unwrap();
        watcher.add(&scene.root.open_dir(&name("a/sub")).unwrap()).unwrap();
        let path = scene.root.path().join("a");
        fs::rename(path.join("sub"), path.join("elsewhere")).unwrap();
        assert_eq!(drain(&mut watcher), ["moved"]);
        fs::remove_dir_all(path.join("elsewhere")).unwrap();
        assert_eq!(drain(&mut watcher), ["name three", "moved", "ended"]);
    });
}

#[test]
fn the_system_says_how_many_there_may_be() {
    assert!(Watcher::system_limit().is_none_or(|limit| limit > 0));
}
