//! The time zone of this machine.

use chrono::{DateTime, Local, LocalResult, NaiveDateTime, Offset as _, TimeZone as _};
use fs_tools::LocalTime;

/// Longest stretch of local time that clocks ever skip, in minutes: a whole day, and then some.
const MAX_GAP_MINUTES: i64 = 26 * 60;

/// The zone that `TZ` or the system names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemZone;

impl LocalTime for SystemZone {
    fn instants(&self, local: i64) -> (i64, i64) {
        // What clocks skip stands for the first instant behind the gap: zones change at whole minutes.
        for minute in 0..MAX_GAP_MINUTES {
            let at = if minute == 0 { local } else { local - local.rem_euclid(60) + 60 * minute };
            match naive(at).map(|naive| Local.from_local_datetime(&naive)) {
                Some(LocalResult::Single(at)) => return (at.timestamp_millis(), at.timestamp_millis()),
                Some(LocalResult::Ambiguous(first, second)) => {
                    let (first, second) = (first.timestamp_millis(), second.timestamp_millis());
                    return (first.min(second), first.max(second));
                }
                Some(LocalResult::None) | None => {}
            }
        }
        let at = local.saturating_mul(1000);
        (at, at)
    }

    fn offset_at(&self, unix: i64) -> i32 {
        match DateTime::from_timestamp(unix, 0) {
            Some(at) => Local.offset_from_utc_datetime(&at.naive_utc()).fix().local_minus_utc(),
            None => 0,
        }
    }
}

fn naive(local: i64) -> Option<NaiveDateTime> {
    DateTime::from_timestamp(local, 0).map(|at| at.naive_utc())
}
