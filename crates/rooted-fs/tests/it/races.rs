//! An attacker that swaps objects as fast as it can, against every operation, on both tiers.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rooted_fs::{Dir, Durability, HardLinks};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::support::{CANARY, Scene, list, nailed, on_both_tiers, quick, read, write};

/// Tries per race and tier. Tools that check first and open then leak within a few dozen.
const TRIES: usize = 1500;

/// Exchanges `left` and `right` below the scene's folder without pause while `work` runs `TRIES` times.
fn race(tree: &str, left: &str, right: &str, work: impl Fn(&Scene, usize) -> bool) {
    on_both_tiers(|choice| {
        let scene = Scene::new(choice, tree);
        let (stop, flips) = (AtomicBool::new(false), AtomicU64::new(0));
        let (left, right) = (scene.base().join(left), scene.base().join(right));
        let wins = std::thread::scope(|scope| {
            scope.spawn(|| flip(&left, &right, &stop, &flips));
            let (mut tries, mut wins) = (0, 0);
            // On a busy machine one of the two may run alone for a while: go on until both have had a turn.
            while tries < TRIES || (tries < 50 * TRIES && (wins == 0 || flips.load(Ordering::Relaxed) == 0)) {
                wins += usize::from(work(&scene, tries));
                tries += 1;
            }
            stop.store(true, Ordering::Relaxed);
            wins
        });
        assert!(
            wins > 0 && flips.into_inner() > 0,
            "one of the two never had a turn: the race tests nothing"
        );
        scene_is_unharmed(&scene);
    });
}

/// Exchanges in bursts: each operation is hit in the middle, and some have the time to end.
fn flip(left: &Path, right: &Path, stop: &AtomicBool, flips: &AtomicU64) {
    while !stop.load(Ordering::Relaxed) {
        for _ in 0..100 {
            // An operation under test may have removed one of them; the others still move.
            let _ = renameat_with(CWD, left, CWD, right, RenameFlags::EXCHANGE);
            flips.fetch_add(1, Ordering::Relaxed);
        }
        let rest = Instant::now();
        while rest.elapsed() < Duration::from_micros(200) {
            std::hint::spin_loop();
        }
    }
}

/// What is outside has its names and its content.
fn scene_is_unharmed(scene: &Scene) {
    assert_eq!(list(&scene.outside()), ["secret", "sub"]);
    assert_eq!(list(&scene.outside().join("sub")), ["secret"]);
    assert_eq!(fs::read(scene.outside().join("secret")).unwrap(), CANARY);
    assert_eq!(fs::read(scene.outside().join("sub/secret")).unwrap(), CANARY);
}

const DIRS: &str = "//- /d/secret\ninside\n//- /l -> ../outside\n";
const FILES: &str = "//- /f\ninside\n//- /l -> ../outside/secret\n";

/// Passes what is inside, counts it, and fails on the canary.
fn inside(bytes: Result<Vec<u8>, rooted_fs::Error>) -> bool {
    match bytes {
        Ok(bytes) => {
            assert_ne!(bytes, CANARY, "leaked");
            true
        }
        Err(_) => false,
    }
}

#[test]
fn a_parent_that_turns_into_a_link_while_reading() {
    race(DIRS, "work/d", "work/l", |scene, _| inside(read(&scene.root, "d/secret")));
}

#[test]
fn a_file_that_turns_into_a_link_while_reading() {
    race(FILES, "work/f", "work/l", |scene, _| inside(read(&scene.root, "f")));
}

#[test]
fn a_file_that_turns_into_a_link_while_walking() {
    race(FILES, "work/f", "work/l", |scene, _| {
        let dir = scene.root.open_dir(&rooted_fs::RelName::root()).unwrap();
        inside(dir.open_file("f".as_ref()).and_then(|handle| handle.read_to_limit(100)))
    });
}

#[test]
fn a_parent_that_turns_into_a_link_while_creating() {
    race(DIRS, "work/d", "work/l", |scene, n| {
        write(&scene.root, &format!("d/new{n}"), b"x", &quick()).is_ok()
    });
}

#[test]
fn a_file_that_turns_into_a_link_while_overwriting() {
    race(FILES, "work/f", "work/l", |scene, _| write(&scene.root, "f", b"mine", &quick()).is_ok());
}

#[test]
fn a_file_that_turns_into_a_link_while_appending() {
    race(FILES, "work/f", "work/l", |scene, _| {
        nailed(&scene.root, "f", |name, _| {
            let handle = scene.root.open_file(name)?;
            scene.root.append(name, Some(&handle), b"x", &quick(), HardLinks::Refuse)
        })
        .is_ok()
    });
}

#[test]
fn a_parent_that_turns_into_a_link_while_removing() {
    race(DIRS, "work/d", "work/l", |scene, _| {
        let _ = write(&scene.root, "d/secret", b"x", &quick());
        nailed(&scene.root, "d/secret", |name, _| {
            let handle = scene.root.open_file(name)?;
            scene.root.remove(name, &handle, Durability::None)
        })
        .is_ok()
    });
}

#[test]
fn a_parent_that_turns_into_a_link_while_listing() {
    race(DIRS, "work/d", "work/l", |scene, _| {
        let dir: Result<Dir, _> = nailed(&scene.root, "d", |name, _| scene.root.open_dir(name));
        let mut entries = Vec::new();
        let listed = dir.and_then(|dir| dir.entries(&mut entries));
        assert!(entries.iter().all(|entry| entry.name != "sub"), "listed the outside");
        listed.is_ok()
    });
}

#[test]
fn a_parent_that_turns_into_a_link_while_making_directories() {
    race(DIRS, "work/d", "work/l", |scene, n| {
        nailed(&scene.root, &format!("d/n{n}/x"), |name, _| scene.root.make_dirs(name, Durability::None))
            .is_ok()
    });
}

#[test]
fn a_directory_that_is_moved_out_while_reading_below_it() {
    // `d/b` and the empty directory outside change places; `..` of it is then the outside.
    on_both_tiers(|choice| {
        let scene = Scene::new(choice, "//- /d/b/file\ninside\n//- /d/secret\ninside\n");
        let (inner, outer) = (scene.work().join("d/b"), scene.outside().join("b"));
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    fs::rename(&inner, &outer).unwrap();
                    fs::rename(&outer, &inner).unwrap();
                }
            });
            for _ in 0..TRIES {
                let _ = inside(read(&scene.root, "d/b/../secret"));
                let _ = inside(read(&scene.root, "d/b/../../d/b/../secret"));
                let _ = write(&scene.root, "d/b/../secret", b"inside\n", &quick());
                let _ = write(&scene.root, "d/b/../new", b"inside\n", &quick());
            }
            stop.store(true, Ordering::Relaxed);
        });
        scene_is_unharmed(&scene);
    });
}

#[test]
fn a_temporary_file_of_a_replacement_is_not_followed() {
    // Links in place of everything that has a temporary name: the writer must not write through one.
    on_both_tiers(|choice| {
        let scene = Scene::new(choice, "//- /f\nold\n");
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    for entry in fs::read_dir(scene.work()).unwrap().flatten() {
                        if rooted_fs::is_temporary_name(&entry.file_name()) {
                            let _ = fs::remove_file(entry.path());
                            let _ = symlink("../outside/secret", entry.path());
                        }
                    }
                }
            });
            for _ in 0..TRIES / 3 {
                let _ = write(&scene.root, "f", b"new", &quick());
            }
            stop.store(true, Ordering::Relaxed);
        });
        scene_is_unharmed(&scene);
    });
}
