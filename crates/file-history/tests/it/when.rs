//! Time ranges as people write them.

use file_history::{
    Context, Error, FileState, Filter, FixedZone, History, Intent, MemStore, Op, Options, UnixMillis, Zone,
    time_range,
};

const UTC: FixedZone = FixedZone { offset_s: 0 };

/// Central Europe in 2026: summer time from 2026-03-29 01:00 to 2026-10-25 01:00 UTC.
struct Berlin;

const SPRING: i64 = 1_774_746_000; // 2026-03-29 01:00:00 UTC
const AUTUMN: i64 = 1_792_890_000; // 2026-10-25 01:00:00 UTC

impl Zone for Berlin {
    fn instants(&self, local: i64) -> (UnixMillis, UnixMillis) {
        let offset = |utc: i64| if (SPRING..AUTUMN).contains(&utc) { 7200 } else { 3600 };
        let fits: Vec<i64> =
            [7200, 3600].map(|o| local - o).into_iter().filter(|&utc| utc + offset(utc) == local).collect();
        let (first, last) = match fits.as_slice() {
            [] => (SPRING, SPRING),
            [only] => (*only, *only),
            [first, .., last] => (*first, *last),
        };
        (UnixMillis(first * 1000), UnixMillis(last * 1000))
    }
}

#[track_caller]
fn check(zone: &impl Zone, from: Option<&str>, to: Option<&str>, expected: (Option<i64>, Option<i64>)) {
    let expected = (expected.0.map(|s| UnixMillis(s * 1000)), expected.1.map(|s| UnixMillis(s * 1000)));
    assert_eq!(time_range(from, to, zone), Ok(expected));
}

/// 2026-08-13 00:00:00 UTC.
const DAY: i64 = 1_786_579_200;

/// V51, V52, V53.
#[test]
fn v51_to_v53_bounds_stand_for_their_whole_unit() {
    check(&UTC, None, None, (None, None));
    check(&UTC, Some("2026-08-13 10:00"), None, (Some(DAY + 36_000), None));
    check(&UTC, Some("2026-08-13"), Some("2026-08-13"), (Some(DAY), Some(DAY + 86_400)));
    check(&UTC, None, Some("2026-08-13 15:04"), (None, Some(DAY + 15 * 3600 + 5 * 60)));
    check(&UTC, None, Some("2026-08-13 15:04:05"), (None, Some(DAY + 15 * 3600 + 4 * 60 + 6)));
    check(&UTC, Some(" 2026-08-13T10:00:01 "), None, (Some(DAY + 36_001), None));
    check(&UTC, Some("1970-01-01"), Some("1970-01-01 00:00:00"), (Some(0), Some(1)));
    check(&UTC, Some("2000-02-29"), None, (Some(951_782_400), None));
    check(&UTC, Some("1969-12-31 23:59:59"), None, (Some(-1), None));
}

#[test]
fn v52_v53_the_rows_of_a_day_and_of_a_minute() {
    let mut history = History::new(MemStore::new(), Options::default());
    // The last second of the 12th, the first and the last of the 13th, the first of the 14th, and around 15:04:59.
    for second in [DAY - 1, DAY, DAY + 54_299, DAY + 54_300, DAY + 86_399, DAY + 86_400] {
        let content = second.to_string();
        let intent = Intent::new(content.as_bytes(), Op::Edit, None, Some(FileState::of(b"x")), "t");
        history.begin(&[intent], &Context::task("T"), UnixMillis(second * 1000)).unwrap();
    }
    let listed = |from, to| {
        let (from, to) = time_range(from, to, &UTC).unwrap();
        let page = history.list(&Filter { from, to, limit: 24, ..Filter::default() }).unwrap();
        page.rows.iter().rev().map(|row| row.at.0 / 1000 - DAY).collect::<Vec<_>>()
    };
    assert_eq!(listed(Some("2026-08-13"), Some("2026-08-13")), [0, 54_299, 54_300, 86_399]);
    assert_eq!(listed(None, Some("2026-08-13 15:04")), [-1, 0, 54_299], "15:04:59 is in, 15:05:00 is not");
    assert_eq!(listed(Some("2026-08-13 15:05"), None), [54_300, 86_399, 86_400]);
}

#[test]
fn v54_other_forms_are_refused() {
    for text in [
        "yesterday",
        "2026-02-30",
        "13:00",
        "",
        "2026-13-01",
        "2026-00-01",
        "2026-01-00",
        "2026-1-1",
        "26-01-01",
        "2026-01-01 24:00",
        "2026-01-01 10",
        "2026-01-01 10:60",
        "2026-01-01 10:00:60",
        "2026-01-01 10:00:00.5",
        "2026-01-01 10:00:00 ",
        "2100-02-29",
        "2026-01-01-01",
        "+026-01-01",
        "２０２６-01-01",
    ] {
        let expected = if text == "2026-01-01 10:00:00 " { None } else { Some(Error::BadTime) };
        assert_eq!(time_range(Some(text), None, &UTC).err(), expected, "{text}");
    }
}

#[test]
fn v55_an_empty_range_is_refused() {
    let code = time_range(Some("2026-08-14"), Some("2026-08-13"), &UTC).unwrap_err().code();
    assert_eq!(code, "empty_range");
}

#[test]
fn v56_a_time_that_comes_twice() {
    check(&Berlin, Some("2026-10-25 02:30"), None, (Some(AUTUMN - 1800), None));
    check(&Berlin, None, Some("2026-10-25 02:30"), (None, Some(AUTUMN + 1860)));
    check(
        &Berlin,
        Some("2026-10-25"),
        Some("2026-10-25"),
        (Some(1_792_879_200), Some(1_792_879_200 + 25 * 3600)),
    );
}

#[test]
fn v57_a_time_that_does_not_come() {
    check(&Berlin, Some("2026-03-29 02:30"), None, (Some(SPRING), None));
}
