//! Writers that compete: one wins, the others are told, and nothing is lost in silence.

use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::Barrier;

use rooted_fs::{Durability, Error, HardLinks, Root, TierChoice, WriteOptions};

use crate::support::{check_no_litter, list, nailed, name, open, quick, with_scene};

/// Adds one line by reading, editing and replacing, as often as it takes.
fn edit(root: &Root, line: &str, options: &WriteOptions) {
    loop {
        let edited = nailed(root, "file", |name, _| {
            let old = root.open_file(name)?;
            let mut text = old.read_to_limit(1 << 20)?;
            text.extend_from_slice(line.as_bytes());
            root.replace(name, &old, &text, options)
        });
        match edited {
            Ok(_) => return,
            Err(Error::Changed | Error::Busy) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// Adds one line in place, as often as it takes.
fn append(root: &Root, line: &str, options: &WriteOptions) {
    loop {
        let appended = nailed(root, "file", |name, _| {
            let old = root.open_file(name)?;
            root.append(name, Some(&old), line.as_bytes(), options, HardLinks::Refuse)
        });
        match appended {
            Ok(_) => return,
            Err(Error::Changed | Error::Busy) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[track_caller]
fn check_lines(content: &[u8], expected: &mut Vec<String>) {
    let text = std::str::from_utf8(content).unwrap();
    let mut lines: Vec<_> = text.split_inclusive('\n').map(str::to_owned).collect();
    lines.sort();
    expected.sort();
    assert_eq!(&lines, expected);
}

#[test]
fn of_ten_creators_one_wins() {
    with_scene("", |scene| {
        for round in 0..10 {
            let path = format!("d{round}/file");
            let start = Barrier::new(10);
            let results: Vec<_> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..10)
                    .map(|n| {
                        let (path, start, root) = (&path, &start, &scene.root);
                        scope.spawn(move || {
                            start.wait();
                            root.create(&name(path), format!("by {n}").as_bytes(), &quick()).map(|_| n)
                        })
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            let winners: Vec<_> = results.iter().flatten().collect();
            assert_eq!(winners.len(), 1, "{results:?}");
            assert!(results.iter().filter_map(|r| r.as_ref().err()).all(|error| *error == Error::Exists));
            assert_eq!(scene.content(&path), format!("by {}", winners[0]).as_bytes());
        }
    });
}

#[test]
fn thirty_parallel_edits_all_survive() {
    with_scene("//- /file\n", |scene| {
        std::thread::scope(|scope| {
            for n in 0..30 {
                let root = &scene.root;
                scope.spawn(move || edit(root, &format!("line {n}\n"), &quick()));
            }
        });
        check_lines(&scene.content("file"), &mut (0..30).map(|n| format!("line {n}\n")).collect());
    });
}

#[test]
fn thirty_parallel_appends_all_survive() {
    with_scene("//- /file\n", |scene| {
        let durable = WriteOptions { durability: Durability::Data, ..quick() };
        std::thread::scope(|scope| {
            for n in 0..30 {
                let root = &scene.root;
                let options = if n % 3 == 0 { durable } else { quick() };
                scope.spawn(move || append(root, &format!("line {n}\n"), &options));
            }
        });
        check_lines(&scene.content("file"), &mut (0..30).map(|n| format!("line {n}\n")).collect());
    });
}

#[test]
fn edits_and_appends_together_all_survive() {
    with_scene("//- /file\n", |scene| {
        std::thread::scope(|scope| {
            for n in 0..15 {
                let root = &scene.root;
                scope.spawn(move || edit(root, &format!("edit {n}\n"), &quick()));
                scope.spawn(move || append(root, &format!("append {n}\n"), &quick()));
            }
        });
        let edits = (0..15).map(|n| format!("edit {n}\n"));
        let appends = (0..15).map(|n| format!("append {n}\n"));
        check_lines(&scene.content("file"), &mut edits.chain(appends).collect());
    });
}

#[test]
fn one_handle_shared_by_threads_wins_once() {
    with_scene("//- /file\nold\n", |scene| {
        let handle = open(&scene.root, "file").unwrap();
        let wins = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|n| {
                    let (root, handle) = (&scene.root, &handle);
                    scope.spawn(move || root.replace(&name("file"), handle, &[b'0' + n], &quick()).is_ok())
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).filter(|won| *won).count()
        });
        assert_eq!(wins, 1);
    });
}

#[test]
fn removals_and_creations_alternate_without_loss() {
    with_scene("", |scene| {
        // Every creation that succeeds is removed exactly once, by somebody who saw it.
        let (created, removed) = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|n: usize| {
                    let root = &scene.root;
                    scope.spawn(move || {
                        let mut counts = (0, 0);
                        for _ in 0..100 {
                            if n.is_multiple_of(2) {
                                counts.0 += usize::from(root.create(&name("file"), b"x", &quick()).is_ok());
                            } else if let Ok(handle) = root.open_file(&name("file")) {
                                let gone = root.remove(&name("file"), &handle, Durability::None);
                                counts.1 += usize::from(gone.is_ok());
                            }
                        }
                        counts
                    })
                })
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
        });
        assert_eq!(created - removed, list(&scene.work()).len());
    });
}

const WORKER: &str = "ROOTED_FS_TEST_WORKER";
const LINES_PER_WORKER: usize = 15;

/// Does nothing in an ordinary run: it is the other process of the test below.
#[test]
fn worker_process() {
    let Ok(order) = env::var(WORKER) else { return };
    let (id, dir) = order.split_once(' ').unwrap();
    for (turn, choice) in [TierChoice::Auto, TierChoice::Nofollow].into_iter().enumerate() {
        let root = Root::open(Path::new(dir), choice).unwrap();
        for n in 0..LINES_PER_WORKER {
            let line = format!("worker {id} turn {turn} line {n}\n");
            if n % 2 == 0 { edit(&root, &line, &quick()) } else { append(&root, &line, &quick()) }
        }
    }
}

#[test]
fn processes_do_not_lose_each_others_lines() {
    with_scene("//- /file\n", |scene| {
        let me = env::current_exe().unwrap();
        let workers: Vec<_> = (0..4)
            .map(|id| {
                Command::new(&me)
                    .args(["--exact", "concurrency::worker_process", "--nocapture"])
                    .env(WORKER, format!("{id} {}", scene.work().display()))
                    .stdout(std::process::Stdio::null())
                    .spawn()
                    .unwrap()
            })
            .collect();
        for mut worker in workers {
            assert!(worker.wait().unwrap().success());
        }
        let mut expected = Vec::new();
        for id in 0..4 {
            for turn in 0..2 {
                expected.extend((0..LINES_PER_WORKER).map(|n| format!("worker {id} turn {turn} line {n}\n")));
            }
        }
        check_lines(&scene.content("file"), &mut expected);
        check_no_litter(&scene.work());
    });
}
