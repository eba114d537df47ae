//! The steps of a set of changes.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use rooted_fs::faults::{Fault, Step, inject, inject_all};
use rooted_fs::{Durability, Error, Exchange, RelName, is_temporary_name};

use crate::support::{list, name, with_scene};

#[test]
fn a_file_is_staged_with_content_mode_and_directories_and_published() {
    with_scene("//- /a\nold\n", |scene| {
        let mut staging = scene.root.staging(Durability::Full);
        let (a, deep) = (name("a"), name("x/y/b"));
        let (for_a, for_b) = (staging.temporary_for(&a).unwrap(), staging.temporary_for(&deep).unwrap());
        assert!(is_temporary_name(for_a.file_name().unwrap()));
        assert_eq!(for_b.parent().unwrap(), name("x/y"));
        fs::set_permissions(scene.work().join("a"), fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(staging.stage(&a, &for_a, b"new\n", None).unwrap(), 0);
        assert_eq!(staging.stage(&deep, &for_b, b"b\n", Some(0o4755)).unwrap(), 2);
        staging.sync().unwrap();
        assert_eq!(scene.content("a"), b"old\n");
        staging.exchange(&a, &for_a, Exchange::Both).unwrap();
        staging.exchange(&deep, &for_b, Exchange::Place).unwrap();
        staging.sync().unwrap();
        assert_eq!((scene.content("a"), scene.content("x/y/b")), (b"new\n".to_vec(), b"b\n".to_vec()));
        let mode = |path: &str| fs::metadata(scene.work().join(path)).unwrap().mode() & 0o7777;
        assert_eq!((mode("a"), mode("x/y/b")), (0o640, 0o755));
        staging.exchange(&a, &for_a, Exchange::Both).unwrap();
        assert_eq!(scene.content("a"), b"old\n");
        staging.exchange(&deep, &for_b, Exchange::Take).unwrap();
        staging.discard(&for_a, 0).unwrap();
        staging.discard(&for_b, 5).unwrap();
        staging.discard(&for_b, 2).unwrap();
        staging.sync().unwrap();
        assert_eq!(list(&scene.work()), ["a"]);
    });
}

#[test]
fn no_third_file_is_ever_replaced_and_no_sweep_takes_a_staged_one() {
    with_scene("//- /a\na\n//- /dir/b\nb\n//- /link -> a\n", |scene| {
        let mut staging = scene.root.staging(Durability::None);
        let a = name("a");
        let temporary = staging.temporary_for(&a).unwrap();
        staging.stage(&a, &temporary, b"staged", None).unwrap();
        assert_eq!(staging.stage(&a, &temporary, b"again", None).unwrap_err(), Error::Exists);
        assert_eq!(scene.root.sweep(&RelName::root()).unwrap(), 0);
        let refused = [
            (staging.exchange(&a, &temporary, Exchange::Place), Error::Exists),
            (staging.exchange(&a, &temporary, Exchange::Take), Error::Exists),
            (staging.exchange(&name("dir"), &temporary, Exchange::Both), Error::Changed),
            (staging.exchange(&name("link"), &temporary, Exchange::Both), Error::Changed),
            (staging.exchange(&name("none"), &temporary, Exchange::Both), Error::Changed),
            (staging.exchange(&name("none"), &name("other"), Exchange::Take), Error::Changed),
        ];
        for (result, expected) in refused {
            assert_eq!(result.unwrap_err(), expected);
        }
        let elsewhere = staging.exchange(&name("dir/b"), &temporary, Exchange::Both).unwrap_err();
        assert_eq!(elsewhere.code(), "invalid_name");
        staging.discard(&temporary, 1).unwrap();
        assert_eq!((scene.content("a"), scene.content("dir/b")), (b"a\n".to_vec(), b"b\n".to_vec()));
        assert_eq!(list(&scene.work()), ["a", "dir", "link"]);
    });
}

#[test]
fn links_are_not_followed_and_what_fails_leaves_nothing() {
    with_scene("//- /f\nx\n", |scene| {
        symlink(scene.outside(), scene.work().join("out")).unwrap();
        let mut staging = scene.root.staging(Durability::None);
        for path in ["out/new", "out/sub/deeper/new", "f/below"] {
            let target = name(path);
            let temporary = staging.temporary_for(&target).unwrap();
            assert!(staging.stage(&target, &temporary, b"x", None).is_err(), "{path}");
            assert!(staging.exchange(&target, &temporary, Exchange::Place).is_err(), "{path}");
            assert!(staging.discard(&temporary, 3).is_err(), "{path}");
        }
        assert_eq!(staging.temporary_for(&RelName::root()).unwrap_err(), Error::IsADirectory);
        assert_eq!(list(&scene.work()), ["f", "out"]);
    });
}

#[test]
fn many_files_are_synced_as_one() {
    with_scene("", |scene| {
        let mut staging = scene.root.staging(Durability::Full);
        let files: Vec<_> = (0..40).map(|n| name(&format!("d{}/f{n}", n % 3))).collect();
        let mut staged = Vec::new();
        for file in &files {
            let temporary = staging.temporary_for(file).unwrap();
            staging.stage(file, &temporary, file.as_bytes(), Some(0o644)).unwrap();
            staged.push(temporary);
        }
        staging.sync().unwrap();
        for (file, temporary) in files.iter().zip(&staged) {
            staging.exchange(file, temporary, Exchange::Place).unwrap();
        }
        staging.sync().unwrap();
        assert_eq!(scene.content("d1/f22"), b"d1/f22");
    });
}

/// `EOPNOTSUPP`: what a file system without an exchange, or without second links, answers.
const UNSUPPORTED: Fault = Fault::Fails(95);

/// An exchange on a file system that has none, with second links and without.
const WITHOUT: [&[(Step, Fault)]; 2] =
    [&[(Step::Commit, UNSUPPORTED)], &[(Step::Commit, UNSUPPORTED), (Step::CommitByLink, UNSUPPORTED)]];

#[test]
fn without_an_exchange_files_change_places_by_renaming_and_back() {
    with_scene("//- /a\nold\n", |scene| {
        fs::set_permissions(scene.work().join("a"), fs::Permissions::from_mode(0o640)).unwrap();
        for plan in WITHOUT {
            let mut staging = scene.root.staging(Durability::Full);
            let a = name("a");
            let temporary = staging.temporary_for(&a).unwrap();
            staging.stage(&a, &temporary, b"new\n", None).unwrap();
            for expected in [(b"new\n", b"old\n"), (b"old\n", b"new\n")] {
                let (result, met) = inject_all(plan, || staging.exchange(&a, &temporary, Exchange::Both));
                result.unwrap();
                assert!(met);
                let there = (scene.content("a"), fs::read(scene.work().join(temporary.as_path())).unwrap());
                assert_eq!(there, (expected.0.to_vec(), expected.1.to_vec()));
                let mode = |path: &std::path::Path| fs::metadata(path).unwrap().mode() & 0o7777;
                let modes =
                    [scene.work().join("a"), scene.work().join(temporary.as_path())].map(|path| mode(&path));
                assert_eq!(modes, [0o640, 0o640]);
                assert_eq!(list(&scene.work()).len(), 2, "no third name is left");
            }
            staging.discard(&temporary, 0).unwrap();
        }
    });
}

#[test]
fn without_an_exchange_whoever_comes_before_the_last_look_is_noticed() {
    thread_local!(static PLACE: std::cell::RefCell<std::path::PathBuf> = std::cell::RefCell::default());
    let replace = || {
        let path = PLACE.with_borrow(Clone::clone);
        fs::write(path.with_extension("other"), b"somebody else's").unwrap();
        fs::rename(path.with_extension("other"), path).unwrap();
    };
    let rewrite = || fs::write(PLACE.with_borrow(Clone::clone), b"somebody else's").unwrap();
    let remove = || fs::remove_file(PLACE.with_borrow(Clone::clone)).unwrap();
    for plan in WITHOUT {
        for act in [replace as fn(), rewrite as fn(), remove as fn()] {
            with_scene("//- /a\nold\n", |scene| {
                PLACE.set(scene.work().join("a"));
                let mut staging = scene.root.staging(Durability::None);
                let a = name("a");
                let temporary = staging.temporary_for(&a).unwrap();
                staging.stage(&a, &temporary, b"new\n", None).unwrap();
                let plan: Vec<_> = plan.iter().copied().chain([(Step::Compare, Fault::Calls(act))]).collect();
                let (result, met) = inject_all(&plan, || staging.exchange(&a, &temporary, Exchange::Both));
                assert_eq!((result.unwrap_err(), met), (Error::Changed, true));
                let left = fs::read(scene.work().join("a")).unwrap_or_else(|_| b"somebody else's".to_vec());
                assert_eq!(left, b"somebody else's");
                assert_eq!(fs::read(scene.work().join(temporary.as_path())).unwrap(), b"new\n");
                staging.discard(&temporary, 0).unwrap();
                assert!(list(&scene.work()).len() <= 1, "no third name is left");
            });
        }
    }
}

#[test]
fn without_an_exchange_a_failure_or_a_crash_leaves_the_old_file_or_the_new_one_whole() {
    let steps = [
        Step::CommitByLink,
        Step::CreateTemporary,
        Step::CopyMetadata,
        Step::SyncFile,
        Step::Compare,
        Step::Displaced,
    ];
    for plan in WITHOUT {
        for step in steps {
            for fault in [Fault::Fails(5), Fault::Stops] {
                with_scene("//- /a\nold\n", |scene| {
                    let mut staging = scene.root.staging(Durability::None);
                    let a = name("a");
                    let temporary = staging.temporary_for(&a).unwrap();
                    staging.stage(&a, &temporary, b"new\n", None).unwrap();
                    let plan: Vec<_> = plan.iter().copied().chain([(step, fault)]).collect();
                    let (result, _) = inject_all(&plan, || staging.exchange(&a, &temporary, Exchange::Both));
                    let now = scene.content("a");
                    assert!(now == b"old\n" || now == b"new\n", "{step:?} {fault:?}");
                    if result.is_err() && matches!(fault, Fault::Fails(_)) {
                        assert_eq!(now, b"old\n", "{step:?}");
                    }
                    // What a crash leaves is known by its name: the staged file to whoever wrote it down, the rest to a sweep.
                    scene.root.sweep(&RelName::root()).unwrap();
                    staging.discard(&temporary, 0).unwrap();
                    assert_eq!(list(&scene.work()), ["a"], "{step:?} {fault:?}");
                });
            }
        }
    }
}

#[test]
fn a_fault_of_the_exchange_itself_is_no_reason_to_try_another_way() {
    with_scene("//- /a\nold\n", |scene| {
        let mut staging = scene.root.staging(Durability::None);
        let a = name("a");
        let temporary = staging.temporary_for(&a).unwrap();
        staging.stage(&a, &temporary, b"new\n", None).unwrap();
        let (result, met) =
            inject(Step::Commit, Fault::Fails(5), || staging.exchange(&a, &temporary, Exchange::Both));
        assert!(result.is_err() && met);
        assert_eq!(scene.content("a"), b"old\n");
        staging.discard(&temporary, 0).unwrap();
    });
}
