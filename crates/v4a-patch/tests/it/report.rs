//! What is reported about hunks that were placed.

use v4a_patch::{Options, Tier, apply, plan};

/// Checks, per hunk: old line, new line, and whether the whole file had to be searched.
#[track_caller]
fn check(file: &str, patch: &str, expected: &[(usize, usize, bool)]) {
    let done = apply(file.as_bytes(), patch.as_bytes(), "a.txt", &Options::default()).unwrap();
    let found: Vec<_> =
        done.report.hunks.iter().map(|hunk| (hunk.line, hunk.new_line, hunk.fallback)).collect();
    assert_eq!(found, expected, "{}", String::from_utf8_lossy(&done.bytes));
}

#[test]
fn lines() {
    check("a\nb\nc\n", "@@\n-b\n+x\n+y\n@@\n-c\n+z\n", &[(2, 2, false), (3, 4, false)]);
    check("a\nb\nc\n", "@@\n-c\n+C\n@@\n-a\n+A\n+B\n", &[(3, 4, false), (1, 1, true)]);
    check("a\nb\n", "@@\n+new\n a\n@@\n-b\n", &[(1, 1, false), (2, 3, false)]);
    check(
        "a\n",
        "@@\n-a\n+1\n+2\n@@\n+c\n*** End of File\n@@\n+d\n*** End of File\n",
        &[(1, 1, false), (2, 3, false), (2, 4, false)],
    );
    check("a\nb\n", "@@\n+t\n*** End of File\n@@\n-a\n", &[(3, 2, false), (1, 1, true)]);
}

#[test]
fn tiers_and_counts() {
    let done = apply(b"a \nb\n", b"@@\n a\n-b\n+1\n+2\n", "a.txt", &Options::default()).unwrap();
    let hunk = &done.report.hunks[0];
    assert_eq!((hunk.tier, hunk.matched, hunk.removed, hunk.added), (Tier::TrailingWhitespace, 2, 1, 2));
    let done = apply(b"a \n", b"@@\n-a \n+b\n", "a.txt", &Options::default()).unwrap();
    assert_eq!(done.report.hunks[0].tier, Tier::Exact);
}

#[test]
fn an_earlier_twin_is_noted() {
    let done =
        apply(b"v\nhead\nv\n", b"@@\n-head\n+HEAD\n@@\n-v\n+w\n", "a.txt", &Options::default()).unwrap();
    assert_eq!(done.report.hunks[1].also_at, Some(1));
    assert_eq!(done.report.hunks[0].also_at, None);
}

#[test]
fn changed_means_other_bytes() {
    let check = |file: &[u8], patch: &[u8], changed| {
        let plan = plan(file, patch, "a.txt", &Options::default()).unwrap();
        assert_eq!((plan.changed(), plan.render() != file), (changed, changed));
    };
    check(b"v\nw\n", b"@@\n-v\n+v\n w\n", false);
    check(b"v \nw\n", b"@@\n-v\n+v\n w\n", true);
    // Removed here, added there: together nothing changes.
    check(b"a\na\na\nb\n", b"@@\n-a\n a\n a\n+a\n b\n", false);
}

#[test]
fn edits_are_disjoint_and_in_order() {
    let plan = plan(
        b"a\nb\nc\nd",
        b"@@\n-a\n+A\n@@\n-b\n@@\n-d\n+D\n@@\n+e\n*** End of File\n",
        "a.txt",
        &Options::default(),
    )
    .unwrap();
    let edits: Vec<_> =
        plan.edits().map(|(range, text)| (range, String::from_utf8_lossy(text).into_owned())).collect();
    assert_eq!(edits, [(0..4, "A\n".to_owned()), (6..7, "D\ne".to_owned())]);
    assert_eq!(plan.render(), b"A\nc\nD\ne");
}
