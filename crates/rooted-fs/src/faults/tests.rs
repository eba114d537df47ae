//! Every step of every write fails once with each error, and stops once: nothing half-done is ever seen.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use rustix::io::Errno;
use tempfile::TempDir;

use super::{Fault, Step, inject, inject_all};
use crate::{
    Durability, Error, HardLinks, InPlace, Parents, RelName, Root, TierChoice, WhyInPlace, WriteOptions,
    is_temporary_name,
};

const OLD: &[u8] = b"the old content\n";
const NEW: &[u8] = b"the new content, which is longer\n";
const FAULTS: [Fault; 4] = [
    Fault::Fails(Errno::IO.raw_os_error()),
    Fault::Fails(Errno::NOSPC.raw_os_error()),
    Fault::Fails(Errno::DQUOT.raw_os_error()),
    Fault::Stops,
];

fn name(path: &str) -> RelName {
    RelName::parse(Path::new(path)).unwrap()
}

fn options() -> WriteOptions {
    WriteOptions { parents: Parents::Create, ..WriteOptions::default() }
}

fn entries(dir: &Path) -> Vec<OsString> {
    let mut names: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

fn temporaries(dir: &Path) -> usize {
    entries(dir).iter().filter(|name| is_temporary_name(name)).count()
}

/// Runs `work` once per step and fault on a fresh directory; `check` judges what is left. Returns the steps met.
fn every_fault<T>(
    setup: impl Fn(&Path),
    work: impl Fn(&Root) -> Result<T, Error>,
    check: impl Fn(&Path, &Root, Step, Fault, Result<T, Error>),
) -> Vec<Step> {
    let mut met_steps = Vec::new();
    for step in Step::ALL {
        for fault in FAULTS {
            let dir = TempDir::new().unwrap();
            setup(dir.path());
            let root = Root::open(dir.path(), TierChoice::Auto).unwrap();
            let (result, met) = inject(step, fault, || work(&root));
            if !met {
                assert!(result.is_ok(), "{step:?} was not met and yet: {:?}", result.err());
                continue;
            }
            if met_steps.last() != Some(&step) {
                met_steps.push(step);
            }
            check(dir.path(), &root, step, fault, result);
        }
    }
    met_steps
}

/// What `code` the fault must come out as.
fn code_of(fault: Fault) -> &'static str {
    match fault {
        Fault::Fails(errno) if errno == Errno::NOSPC.raw_os_error() => "no_space",
        Fault::Fails(errno) if errno == Errno::DQUOT.raw_os_error() => "quota",
        _ => "io",
    }
}

#[test]
fn a_replacement_is_all_or_nothing() {
    let met = every_fault(
        |dir| fs::write(dir.join("f"), OLD).unwrap(),
        |root| {
            let handle = root.open_file(&name("f"))?;
            root.replace(&name("f"), &handle, NEW, &options())
        },
        |dir, root, step, fault, result| {
            let content = fs::read(dir.join("f")).unwrap();
            match (&result, fault) {
                (Ok(written), Fault::Fails(_)) => {
                    assert_eq!(content, NEW);
                    assert_eq!(written.unsynced.is_some(), step == Step::SyncDir);
                    assert_eq!(written.leftover.is_some(), step == Step::RemoveDisplaced);
                }
                (Err(error), Fault::Fails(_)) => {
                    assert_eq!(content, OLD, "{step:?}");
                    assert_eq!(error.code(), code_of(fault), "{step:?}");
                    assert_eq!(entries(dir), ["f"], "{step:?}");
                }
                (_, _) => assert!(content == OLD || content == NEW, "{step:?}"),
            }
            // What a crash, or a file that could not be removed, left: one file that the sweep knows.
            drop(result);
            let left = temporaries(dir);
            assert!(left <= 1);
            assert_eq!(root.sweep(&RelName::root()).unwrap(), left, "{step:?} {fault:?}");
            assert_eq!(entries(dir), ["f"], "{step:?} {fault:?}");
            assert_eq!(fs::read(dir.join("f")).unwrap(), content);
        },
    );
    assert_eq!(
        met,
        [
            Step::CreateTemporary,
            Step::WriteFirst,
            Step::WriteRest,
            Step::CopyMetadata,
            Step::SyncFile,
            Step::Lock,
            Step::Compare,
            Step::Commit,
            Step::Displaced,
            Step::RemoveDisplaced,
            Step::SyncDir
        ]
    );
}

fn check_creation(named: bool) {
    let met = every_fault(
        |_| {},
        |root| {
            root.no_nameless.store(named, Ordering::Relaxed);
            root.create(&name("a/b/f"), NEW, &options())
        },
        |dir, root, step, fault, result| {
            let file = dir.join("a/b/f");
            match (&result, fault) {
                (Ok(written), _) => {
                    assert!(matches!(step, Step::SyncDir), "{step:?}");
                    assert!(written.unsynced.is_some());
                    assert_eq!(fs::read(&file).unwrap(), NEW);
                }
                (Err(error), Fault::Fails(_)) => {
                    assert_eq!(error.code(), code_of(fault), "{step:?}");
                    assert!(entries(dir).is_empty(), "{step:?} left {:?}", entries(dir));
                }
                (Err(_), _) => {
                    assert!(!file.exists() || fs::read(&file).unwrap() == NEW, "{step:?}");
                }
            }
            drop(result);
            if dir.join("a/b").exists() {
                let left = temporaries(&dir.join("a/b"));
                assert!(left <= usize::from(named), "{step:?}");
                assert_eq!(root.sweep(&name("a/b")).unwrap(), left);
                assert_eq!(temporaries(&dir.join("a/b")), 0);
            }
        },
    );
    assert_eq!(
        met,
        [
            Step::MakeDir,
            Step::CreateTemporary,
            Step::WriteFirst,
            Step::WriteRest,
            Step::SyncFile,
            Step::Commit,
            Step::SyncDir
        ]
    );
}

#[test]
fn a_creation_without_a_name_is_all_or_nothing() {
    check_creation(false);
}

#[test]
fn a_creation_under_a_temporary_name_is_all_or_nothing() {
    check_creation(true);
}

#[test]
fn an_append_says_what_arrived() {
    let met = every_fault(
        |dir| fs::write(dir.join("f"), OLD).unwrap(),
        |root| {
            let handle = root.open_file(&name("f"))?;
            root.append(&name("f"), Some(&handle), NEW, &options(), HardLinks::Refuse)
        },
        |dir, _, step, _, result| {
            let content = fs::read(dir.join("f")).unwrap();
            assert!(content.starts_with(OLD));
            assert_eq!(entries(dir), ["f"]);
            let added = &content[OLD.len()..];
            match result {
                Ok(written) => {
                    assert_eq!(step, Step::SyncFile);
                    assert!(written.unsynced.is_some());
                    assert_eq!(added, NEW);
                }
                Err(Error::ShortWrite { written, wanted, .. }) => {
                    assert_eq!(step, Step::WriteRest);
                    assert_eq!((written as usize, wanted as usize), (NEW.len() / 2, NEW.len()));
                    assert_eq!(added, &NEW[..NEW.len() / 2]);
                }
                Err(_) => assert!(added.is_empty(), "{step:?}"),
            }
        },
    );
    assert_eq!(met, [Step::WriteRest, Step::SyncFile, Step::Lock, Step::Compare, Step::Append]);
}

#[test]
fn writing_in_place_puts_the_old_content_back() {
    for new in [NEW, b"short"] {
        let met = every_fault(
            |dir| fs::write(dir.join("f"), OLD).unwrap(),
            |root| {
                let handle = root.open_file(&name("f"))?;
                let options = WriteOptions { in_place: InPlace::Allow, ..options() };
                root.replace_in_place(&name("f"), &handle, new, &options)
            },
            |dir, _, step, fault, result| {
                let content = fs::read(dir.join("f")).unwrap();
                match (result, fault) {
                    (Err(error), Fault::Fails(_)) => {
                        assert_eq!(error.code(), code_of(fault), "{step:?}");
                        assert_eq!(content, OLD, "{step:?}");
                    }
                    (Err(error), _) => assert_eq!(error.code(), "damaged"),
                    (Ok(_), _) => panic!("{step:?} was ignored"),
                }
            },
        );
        assert_eq!(met, [Step::WriteRest, Step::SyncFile, Step::WriteInPlace]);
    }
}

#[test]
fn a_removal_is_all_or_nothing() {
    let met = every_fault(
        |dir| fs::write(dir.join("f"), OLD).unwrap(),
        |root| {
            let handle = root.open_file(&name("f"))?;
            root.remove(&name("f"), &handle, Durability::Full)
        },
        |dir, root, step, fault, result| {
            assert!(result.is_err());
            match fault {
                Fault::Fails(_) if step == Step::SyncDir => assert!(entries(dir).is_empty()),
                Fault::Fails(_) => assert_eq!(entries(dir), ["f"], "{step:?}"),
                _ => {
                    root.sweep(&RelName::root()).unwrap();
                    assert_eq!(temporaries(dir), 0);
                }
            }
        },
    );
    assert_eq!(
        met,
        [Step::Lock, Step::Compare, Step::Commit, Step::Displaced, Step::RemoveDisplaced, Step::SyncDir]
    );
}

#[test]
fn directories_are_taken_back() {
    let met = every_fault(
        |dir| fs::create_dir(dir.join("a")).unwrap(),
        |root| root.make_dirs(&name("a/b/c"), Durability::Full),
        |dir, _, step, fault, result| {
            assert!(result.is_err(), "{step:?}");
            if matches!(fault, Fault::Fails(_)) {
                assert!(entries(&dir.join("a")).is_empty(), "{step:?}");
            }
        },
    );
    assert_eq!(met, [Step::MakeDir, Step::SyncDir]);
}

thread_local! {
    static PLACE: RefCell<PathBuf> = const { RefCell::new(PathBuf::new()) };
}

/// Puts another file in the place of `f`, as a program does that knows nothing of locks.
fn intrude(content: &str) {
    PLACE.with_borrow(|dir| {
        fs::write(dir.join("theirs"), content).unwrap();
        fs::rename(dir.join("theirs"), dir.join("f")).unwrap();
    });
}

/// Lets others act at steps of `work` on a directory with `f`; returns its result, `f` and the directory.
fn with_intruders<T>(
    plan: &[(Step, Fault)],
    work: impl Fn(&Root) -> Result<T, Error>,
) -> (Result<T, Error>, Vec<u8>, TempDir) {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("f"), OLD).unwrap();
    PLACE.set(dir.path().to_owned());
    let root = Root::open(dir.path(), TierChoice::Auto).unwrap();
    let (result, met) = inject_all(plan, || work(&root));
    assert!(met, "{plan:?}");
    let content = fs::read(dir.path().join("f")).unwrap_or_default();
    (result, content, dir)
}

fn replace_f(root: &Root) -> Result<crate::Written, Error> {
    let handle = root.open_file(&name("f"))?;
    root.replace(&name("f"), &handle, NEW, &options())
}

#[test]
fn a_file_that_is_replaced_between_comparison_and_exchange_is_put_back() {
    let theirs = Fault::Calls(|| intrude("theirs"));
    for step in [Step::WriteFirst, Step::Lock, Step::Compare, Step::Commit] {
        let (result, content, dir) = with_intruders(&[(step, theirs)], replace_f);
        assert_eq!((result.unwrap_err(), content), (Error::Changed, b"theirs".to_vec()), "{step:?}");
        assert_eq!(entries(dir.path()), ["f"], "{step:?}");
    }
}

#[test]
fn a_file_that_is_written_to_between_comparison_and_exchange_is_put_back() {
    let write = Fault::Calls(|| PLACE.with_borrow(|dir| fs::write(dir.join("f"), "theirs").unwrap()));
    let (result, content, dir) = with_intruders(&[(Step::Commit, write)], replace_f);
    assert_eq!((result.unwrap_err(), content), (Error::Changed, b"theirs".to_vec()));
    assert_eq!(entries(dir.path()), ["f"]);
}

#[test]
fn nothing_of_three_writers_is_lost() {
    let plan = [
        (Step::Commit, Fault::Calls(|| intrude("second"))),
        (Step::Displaced, Fault::Calls(|| intrude("third"))),
    ];
    let (result, content, dir) = with_intruders(&plan, replace_f);
    assert_eq!(result.unwrap_err(), Error::Changed);
    let names = entries(dir.path());
    assert_eq!(names.len(), 2);
    let kept = fs::read(dir.path().join(&names[0])).unwrap();
    assert_eq!((content, kept), (b"second".to_vec(), b"third".to_vec()));
    // No sweep takes it.
    let root = Root::open(dir.path(), TierChoice::Auto).unwrap();
    assert_eq!(root.sweep(&RelName::root()).unwrap(), 0);
}

#[test]
fn a_file_that_comes_between_is_not_removed() {
    let remove = |root: &Root| {
        let handle = root.open_file(&name("f"))?;
        root.remove(&name("f"), &handle, Durability::None)
    };
    let theirs = Fault::Calls(|| intrude("theirs"));
    for step in [Step::Lock, Step::Compare, Step::Commit] {
        let (result, content, dir) = with_intruders(&[(step, theirs)], remove);
        assert_eq!((result.unwrap_err(), content), (Error::Changed, b"theirs".to_vec()), "{step:?}");
        assert_eq!(entries(dir.path()), ["f"], "{step:?}");
    }
    // Put in the place of the one that is being removed: it stays, and the removal succeeds.
    let (result, content, dir) = with_intruders(&[(Step::Displaced, theirs)], remove);
    assert_eq!((result, content), (Ok(()), b"theirs".to_vec()));
    assert_eq!(entries(dir.path()), ["f"]);
}

#[test]
fn an_append_into_a_file_that_lost_its_name_is_told() {
    let append = |root: &Root| {
        let handle = root.open_file(&name("f"))?;
        root.append(&name("f"), Some(&handle), NEW, &options(), HardLinks::Refuse)
    };
    let theirs = Fault::Calls(|| intrude("theirs"));
    for step in [Step::Lock, Step::Compare, Step::Append, Step::WriteRest] {
        let (result, content, _) = with_intruders(&[(step, theirs)], append);
        assert_eq!((result.unwrap_err(), content), (Error::Changed, b"theirs".to_vec()), "{step:?}");
    }
}

#[test]
fn without_exchange_a_plain_rename_does() {
    for errno in [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP] {
        let fault = Fault::Fails(errno.raw_os_error());
        let (result, content, dir) = with_intruders(&[(Step::Commit, fault)], replace_f);
        assert_eq!(result.unwrap().leftover, None);
        assert_eq!(content, NEW);
        assert_eq!(entries(dir.path()), ["f"]);
    }
}

#[test]
fn where_renaming_is_refused_the_file_is_written_in_place() {
    for (errno, why) in [
        (Errno::BUSY, WhyInPlace::MountPoint),
        (Errno::XDEV, WhyInPlace::CrossDevice),
        (Errno::PERM, WhyInPlace::DirectoryNotWritable),
    ] {
        let plan = [(Step::Commit, Fault::Fails(errno.raw_os_error()))];
        let (result, content, dir) = with_intruders(&plan, replace_f);
        assert_eq!((result.unwrap_err(), content), (Error::InPlaceNeeded { why }, OLD.to_vec()));
        assert_eq!(entries(dir.path()), ["f"]);
        let (result, content, dir) = with_intruders(&plan, |root| {
            let handle = root.open_file(&name("f"))?;
            let options = WriteOptions { in_place: InPlace::Allow, ..options() };
            root.replace(&name("f"), &handle, NEW, &options)
        });
        assert!(result.unwrap().in_place);
        assert_eq!(content, NEW);
        assert_eq!(entries(dir.path()), ["f"]);
    }
}

#[test]
fn a_creation_finds_another_way_and_never_clobbers() {
    let not_offered = Fault::Fails(Errno::INVAL.raw_os_error());
    let refused = Fault::Fails(Errno::PERM.raw_os_error());
    let other = Fault::Calls(|| PLACE.with_borrow(|dir| fs::write(dir.join("g"), "theirs").unwrap()));
    let create = |named: bool| {
        move |root: &Root| {
            root.no_nameless.store(named, Ordering::Relaxed);
            root.create(&name("g"), NEW, &options())
        }
    };
    let by_rename = vec![(Step::Commit, not_offered)];
    let by_link = vec![(Step::Commit, not_offered)];
    let directly = vec![(Step::Commit, not_offered), (Step::CommitByLink, refused)];
    for (plan, named) in [(by_rename, false), (by_link, true), (directly, true)] {
        let (result, _, dir) = with_intruders(&plan, create(named));
        let written = result.unwrap();
        assert_eq!((written.meta.nlink, written.meta.size), (1, NEW.len() as u64), "{plan:?}");
        assert_eq!(fs::read(dir.path().join("g")).unwrap(), NEW);
        assert_eq!(entries(dir.path()), ["f", "g"]);
        // The same with somebody who is faster.
        let mut plan = plan;
        plan.push((Step::SyncFile, other));
        let (result, _, dir) = with_intruders(&plan, create(named));
        assert_eq!(result.unwrap_err(), Error::Exists);
        assert_eq!(fs::read(dir.path().join("g")).unwrap(), b"theirs");
        assert_eq!(entries(dir.path()), ["f", "g"]);
    }
}
