//! Sizes, names, retention, purging, damage.

use file_history::{
    ChangeId, Context, Error, FileState, Filter, Gap, History, Intent, Keep, MAX_PATH_BYTES, MemStore, Op,
    Options, Outcome, Policy, Purge, Side, Store, UnixMillis, codec,
};

fn edit<S: Store>(
    history: &mut History<S>,
    path: &[u8],
    old: Option<&[u8]>,
    new: &[u8],
    at: i64,
) -> Option<ChangeId> {
    edit_for(history, "T1", path, old, new, at)
}

fn edit_for<S: Store>(
    history: &mut History<S>,
    task: &str,
    path: &[u8],
    old: Option<&[u8]>,
    new: &[u8],
    at: i64,
) -> Option<ChangeId> {
    let intent = Intent::new(path, Op::Edit, old.map(FileState::of), Some(FileState::of(new)), "test");
    let id = history.begin(&[intent], &Context::task(task), UnixMillis(at)).unwrap()[0];
    if let Some(id) = id {
        history.settle(&[(id, Outcome::Landed)]).unwrap();
    }
    id
}

/// Text that compresses like source and differs by seed.
pub(crate) fn text(seed: u64, lines: u64) -> Vec<u8> {
    let line = |n: u64| {
        let mixed = (n ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        format!("    let value_{n} = compute({mixed:x}, {});\n", mixed >> 40)
    };
    (0..lines).map(line).collect::<String>().into_bytes()
}

#[test]
fn v45_v46_limits_of_a_list() {
    let mut history = History::new(MemStore::new(), Options::default());
    for n in 0..30_u8 {
        edit(&mut history, b"a", (n > 0).then_some(&[n.wrapping_sub(1)][..]), &[n], 0);
    }
    let count = |asked: Option<i64>| {
        let page =
            history.list(&Filter { limit: file_history::tool_limit(asked), ..Filter::default() }).unwrap();
        (page.rows.len(), page.more)
    };
    assert_eq!(count(None), (3, true));
    assert_eq!(count(Some(24)), (24, true));
    assert_eq!(count(Some(100)), (24, true));
    assert_eq!(count(Some(0)), (3, true));
    assert_eq!(count(Some(-5)), (3, true));
    let page = history.list(&Filter { limit: 24, below: Some(ChangeId(11)), ..Filter::default() }).unwrap();
    assert_eq!((page.rows.len(), page.more, page.rows[0].id), (10, false, ChangeId(10)));
}

#[test]
fn v69_v70_large_files() {
    let mut history = History::new(MemStore::new(), Options { max_content_bytes: 10 << 20 });
    let nine = vec![7; 9 << 20];
    let id = edit(&mut history, b"a", Some(&nine), b"small", 0).unwrap();
    assert_eq!(history.read(ChangeId(id.0 - 1)).unwrap().unwrap().bytes, nine);

    let eleven = vec![7; 11 << 20];
    let mut intent =
        Intent::new(b"b", Op::Edit, Some(FileState::of(&eleven)), Some(FileState::of(b"small")), "test");
    let refused = history.begin(&[intent], &Context::default(), UnixMillis(0)).unwrap_err();
    assert_eq!(refused.code(), "too_large_to_keep");
    assert_eq!(history.newest(b"b").unwrap(), None);
    intent.keep = Keep::Fitting;
    let id = history.begin(&[intent], &Context::default(), UnixMillis(0)).unwrap()[0].unwrap();
    assert_eq!(history.sides(id).unwrap().0, Side::Omitted(Gap::TooLarge));
    assert_eq!(history.read(id).unwrap().unwrap().bytes, b"small");
}

#[test]
fn v82_pruning_keeps_the_newest_and_what_undo_needs() {
    let mut history = History::new(MemStore::new(), Options::default());
    let mut old = b"first".to_vec();
    for n in 0..40_u64 {
        let new = text(n, 3);
        edit_for(&mut history, &format!("T{n}"), b"a", Some(&old), &new, 0);
        old = new;
    }
    let eight_days = UnixMillis(8 * 86_400_000);
    let pruned = history.prune(&Policy::default(), eight_days).unwrap();
    let kept = history.list(&Filter { limit: 100, ..Filter::default() }).unwrap().rows;
    // The newest 32, and the baseline.
    assert_eq!((pruned.changes, kept.len()), (8, 33));
    assert_eq!(kept.last().unwrap().op, Op::Baseline);
    assert!(history.verify().unwrap().is_sound());
    assert_eq!(history.read(ChangeId(5)), Err(Error::Pruned(ChangeId(5))));
    let next = edit(&mut history, b"a", Some(&old), b"x", 1).unwrap();
    assert_eq!(next, ChangeId(42));
}

#[test]
fn pruning_keeps_the_first_change_of_a_task_that_is_still_listed() {
    let mut history = History::new(MemStore::new(), Options::default());
    for n in 0..10_u8 {
        edit(&mut history, b"a", (n > 0).then_some(&[n.wrapping_sub(1)][..]), &[n], 0);
    }
    let policy = Policy { keep_newest: 2, ..Policy::default() };
    history.prune(&policy, UnixMillis(8 * 86_400_000)).unwrap();
    let kept = history.list(&Filter { limit: 100, ..Filter::default() }).unwrap().rows;
    assert_eq!(kept.iter().map(|row| row.id.0).collect::<Vec<_>>(), [10, 9, 1]);
}

#[test]
fn v84_over_quota_the_oldest_task_goes_first() {
    let mut history = History::new(MemStore::new(), Options::default());
    for n in 0..20 {
        edit_for(&mut history, "T1", format!("one{n}").as_bytes(), None, &text(n, 200), 0);
        edit_for(
            &mut history,
            "T1",
            format!("one{n}").as_bytes(),
            Some(&text(n, 200)),
            &text(n + 500, 200),
            0,
        );
    }
    for n in 0..20 {
        edit_for(&mut history, "T2", format!("two{n}").as_bytes(), None, &text(n + 900, 200), 0);
    }
    let before = history.stats().unwrap().stored_bytes;
    let policy = Policy { quota_bytes: before * 3 / 4, protect: &["T2"], ..Policy::default() };
    history.prune(&policy, UnixMillis(1)).unwrap();
    assert!(history.stats().unwrap().stored_bytes <= before * 3 / 4);
    let of = |task| {
        let filter = Filter { task: Some(task), limit: 100, ..Filter::default() };
        history.list(&filter).unwrap().rows.len()
    };
    assert_eq!(of("T2"), 20);
    assert!(of("T1") < 40);
    // What is left of T1 can be read, but no longer undone: the state before its first change is gone.
    let mut disk = file_history::MemWorkspace::new();
    for n in 0..20 {
        disk.put(format!("one{n}").as_bytes(), &text(n + 500, 200));
    }
    let plan = history.undo_plan("T1", &[], file_history::OnConflict::Force, &mut disk).unwrap();
    let gone =
        plan.files().iter().filter(|file| file.class == file_history::Class::NotRestorable(Gap::Pruned));
    assert!(gone.count() > 0 && plan.is_refused());
    assert!(history.verify().unwrap().is_sound());
}

#[test]
fn a_quota_that_cannot_be_met_ends() {
    let mut history = History::new(MemStore::new(), Options::default());
    for n in 0..5 {
        edit(&mut history, b"a", Some(&text(n, 50)), &text(n + 1, 50), 0);
    }
    history.prune(&Policy { quota_bytes: 1, ..Policy::default() }, UnixMillis(1)).unwrap();
    assert!(history.newest(b"a").unwrap().is_some());
}

#[test]
fn purging_leaves_patches_of_the_purged_content_readable() {
    let mut history = History::new(MemStore::new(), Options::default());
    let mut lines = text(1, 300);
    let mut contents = vec![lines.clone()];
    for n in 0..6 {
        let old = lines.clone();
        lines.extend(format!("line {n}\n").bytes());
        contents.push(lines.clone());
        edit(&mut history, b"a", Some(&old), &lines, n);
    }
    // Versions: 1 is the baseline, n + 2 the nth edit.
    history.purge(Purge::Change(ChangeId(1))).unwrap();
    history.purge(Purge::Change(ChangeId(2))).unwrap();
    history.purge(Purge::Change(ChangeId(3))).unwrap();
    assert!(history.verify().unwrap().is_sound());
    for id in 4..=7 {
        assert_eq!(history.read(ChangeId(id)).unwrap().unwrap().bytes, contents[id as usize - 1]);
    }
    assert_eq!(history.read(ChangeId(2)), Err(Error::Pruned(ChangeId(2))));
}

#[test]
fn v91_damage_stays_with_its_version() {
    let store = MemStore::new();
    let mut history = History::new(store.reopen(), Options::default());
    edit(&mut history, b"a", None, &text(1, 10), 0);
    edit(&mut history, b"b", None, &text(2, 20), 0);
    store.damage(text(1, 10).len() as u64);
    assert_eq!(history.read(ChangeId(1)), Err(Error::Damaged(ChangeId(1))));
    assert!(history.read(ChangeId(2)).is_ok());
    assert_eq!(history.verify().unwrap().damaged, [ChangeId(1)]);
    let mut disk = file_history::MemWorkspace::new();
    assert_eq!(history.restore_plan(ChangeId(1), &mut disk), Err(Error::Damaged(ChangeId(1))));
}

#[test]
fn v87_v89_any_bytes_in_content_and_names() {
    let mut history = History::new(MemStore::new(), Options::default());
    let content = b"\xef\xbb\xbfa\r\nb\n\0\xff\xfe".to_vec();
    let name = b"dir/new\nline\xff";
    let id = edit(&mut history, name, None, &content, 0).unwrap();
    assert_eq!(history.read(id).unwrap().unwrap().bytes, content);
    let page = history.list(&Filter { paths: &[name], ..Filter::default() }).unwrap();
    assert_eq!(page.rows[0].path, name);
}

#[test]
fn v93_forged_lengths_are_rejected() {
    let (kind, data) = codec::encode(&text(1, 100), None);
    assert_eq!(kind, codec::ZSTD);
    for forged in [u64::MAX, 4 << 30, codec::MAX_RAW_BYTES, text(1, 100).len() as u64 + 1, 0] {
        assert_eq!(codec::decode(kind, forged, &data, None), Err(codec::Malformed));
    }
    assert_eq!(codec::decode(codec::PATCH, 10, &data, None), Err(codec::Malformed));
    assert_eq!(codec::decode(9, 10, &data, None), Err(codec::Malformed));
}

#[test]
fn chains_of_patches_are_short_and_small() {
    let mut history = History::new(MemStore::new(), Options::default());
    let mut content = text(1, 1500);
    let mut raw = 0;
    for n in 0..100_u64 {
        let old = content.clone();
        let at = (n as usize * 7919) % content.len();
        content.splice(at..at, format!("changed {n}\n").bytes());
        edit(&mut history, b"a", Some(&old), &content, 0);
        raw += content.len() as u64;
    }
    let size = history.stats().unwrap();
    assert!(size.stored_bytes * 10 < raw, "{size:?} of {raw}");
    assert!(history.verify().unwrap().is_sound());
}

#[test]
fn wrong_arguments_are_refused() {
    let mut history = History::new(MemStore::new(), Options::default());
    let mut begin = |path: &[u8], tool: &str, context: Context<'_>| {
        let intent = Intent::new(path, Op::Edit, None, Some(FileState::of(b"x")), tool);
        history.begin(&[intent], &context, UnixMillis(0)).map(drop)
    };
    for path in
        [&b""[..], b"/a", b"a/", b"a//b", b"./a", b"a/../b", b"..", b"a\0b", &[b'a'; MAX_PATH_BYTES + 1]]
    {
        assert_eq!(
            begin(path, "t", Context::default()),
            Err(Error::BadPath { max: MAX_PATH_BYTES }),
            "{path:?}"
        );
    }
    let long = "x".repeat(600);
    assert_eq!(begin(b"a", &long, Context::default()).unwrap_err().code(), "too_long");
    assert_eq!(begin(b"a", "t", Context::task(&long)).unwrap_err().code(), "too_long");
    let goal = "ä".repeat(5000);
    begin(b"a", "t", Context { task: "T", goal: &goal, run: "R" }).unwrap();
    let row = history.newest(b"a").unwrap().unwrap();
    assert_eq!((row.goal.len(), row.run.as_str()), (4096, "R"));
    assert_eq!(history.settle(&[(ChangeId(1), Outcome::Open)]), Err(Error::NotAnOutcome));
    assert_eq!(history.settle(&[(ChangeId(7), Outcome::Landed)]), Err(Error::UnknownVersion(ChangeId(7))));
}

#[test]
fn begin_is_all_or_nothing() {
    let mut history = History::new(MemStore::new(), Options::default());
    let good = Intent::new(b"a", Op::Edit, None, Some(FileState::of(b"x")), "t");
    let bad = Intent::new(b"/", Op::Edit, None, Some(FileState::of(b"x")), "t");
    assert!(history.begin(&[good, bad], &Context::default(), UnixMillis(0)).is_err());
    assert_eq!(history.stats().unwrap().changes, 0);
    let same = Intent::new(b"b", Op::Edit, Some(FileState::of(b"x")), Some(FileState::of(b"x")), "t");
    let ids = history.begin(&[same, good], &Context::default(), UnixMillis(0)).unwrap();
    assert_eq!(ids, [None, Some(ChangeId(1))]);
}
