//! Local time: a port for the time zone, and times as people read them.

use std::fmt;

use file_history::{UnixMillis, Zone};

/// The time zone that times are read and shown in.
pub trait LocalTime: fmt::Debug + Send + Sync {
    /// Returns the earliest and the latest instant, in milliseconds since 1970 UTC, that clocks show as `local` seconds
    /// since 1970-01-01 00:00:00. For a time that clocks skip both are the first instant after the gap.
    fn instants(&self, local: i64) -> (i64, i64);

    /// Returns how many seconds clocks are ahead of UTC at an instant in seconds since 1970 UTC.
    fn offset_at(&self, unix: i64) -> i32;
}

/// Coordinated universal time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Utc;

impl LocalTime for Utc {
    fn instants(&self, local: i64) -> (i64, i64) {
        let at = local.saturating_mul(1000);
        (at, at)
    }

    fn offset_at(&self, _unix: i64) -> i32 {
        0
    }
}

/// A time zone as the history reads ranges in it.
pub(crate) struct InZone<'a>(pub(crate) &'a dyn LocalTime);

impl Zone for InZone<'_> {
    fn instants(&self, local: i64) -> (UnixMillis, UnixMillis) {
        let (earliest, latest) = self.0.instants(local);
        (UnixMillis(earliest), UnixMillis(latest))
    }
}

/// Shows an instant as `YYYY-MM-DD HH:MM:SS` in local time.
pub(crate) fn show(at: UnixMillis, zone: &dyn LocalTime) -> String {
    let unix = at.0.div_euclid(1000);
    let local = unix.saturating_add(i64::from(zone.offset_at(unix)));
    let (days, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// Shows a modification time in nanoseconds since 1970 as `YYYY-MM-DD HH:MM` in local time.
pub(crate) fn show_minute(modified_ns: i64, zone: &dyn LocalTime) -> String {
    let mut shown = show(UnixMillis(modified_ns.div_euclid(1_000_000)), zone);
    shown.truncate(shown.len() - 3);
    shown
}

/// Year, month and day of a number of days since 1970-01-01, in the Gregorian calendar: years start in March here, so
/// that the leap day is the last of a year.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use file_history::UnixMillis;

    use super::{Utc, show};

    #[test]
    fn instants_are_shown_as_clocks_do() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00:00"),
            (-1, "1969-12-31 23:59:59"),
            (951_782_400, "2000-02-29 00:00:00"),
            (1_786_615_445, "2026-08-13 10:04:05"),
            (4_107_542_399, "2100-02-28 23:59:59"),
        ] {
            assert_eq!(show(UnixMillis(seconds * 1000 + 7), &Utc), expected);
        }
    }
}
