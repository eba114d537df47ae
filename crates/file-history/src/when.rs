//! Bounds of a time range as people write them, in local time.
//!
//! This crate knows no time zone: the caller's [`Zone`] says which instants a local time stands for.

use crate::{error::Error, version::UnixMillis};

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Turns local times into instants.
pub trait Zone {
    /// Returns the earliest and the latest instant that clocks in this zone show as `local` seconds since 1970-01-01
    /// 00:00:00. Where clocks went back both exist; where they jumped over it, both are the first instant after the
    /// jump.
    fn instants(&self, local: i64) -> (UnixMillis, UnixMillis);
}

/// A zone with one offset from UTC, in seconds.
///
/// # Examples
///
/// ```
/// use file_history::{FixedZone, UnixMillis, time_range};
/// let zone = FixedZone { offset_s: 7200 };
/// let day = (Some(UnixMillis(1_786_572_000_000)), Some(UnixMillis(1_786_658_400_000)));
/// assert_eq!(time_range(Some("2026-08-13"), Some("2026-08-13"), &zone), Ok(day));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedZone {
    /// Seconds east of Greenwich.
    pub offset_s: i32,
}

impl Zone for FixedZone {
    fn instants(&self, local: i64) -> (UnixMillis, UnixMillis) {
        let at = UnixMillis(local.saturating_sub(self.offset_s.into()).saturating_mul(1000));
        (at, at)
    }
}

/// Reads both bounds of a range: `YYYY-MM-DD`, `YYYY-MM-DD HH:MM` or `YYYY-MM-DD HH:MM:SS`, local time.
///
/// A bound stands for its whole unit (day, minute or second): `from` for its first instant, `to` for its last, so that
/// the same day twice is that day. The upper instant that is returned is exclusive, as a `Filter` wants it. A time that
/// clocks show twice counts from its first showing to the end of its second; one that they skip is the next there is.
///
/// # Errors
///
/// [`Error::BadTime`], and [`Error::EmptyRange`] if `from` is not before `to`.
pub fn time_range(
    from: Option<&str>,
    to: Option<&str>,
    zone: &impl Zone,
) -> Result<(Option<UnixMillis>, Option<UnixMillis>), Error> {
    let from = from.map(parse).transpose()?.map(|(start, _)| zone.instants(start).0);
    let to = to.map(parse).transpose()?.map(|(start, unit)| {
        // The last second of the unit, and one more: clocks may change right behind it.
        let last = zone.instants(start + unit - 1).1;
        UnixMillis(last.0.saturating_add(1000))
    });
    match (from, to) {
        (Some(from), Some(to)) if from >= to => Err(Error::EmptyRange { from: from.0, to: to.0 }),
        range => Ok(range),
    }
}

/// Reads one bound: its first local second since 1970, and how many seconds it stands for.
fn parse(text: &str) -> Result<(i64, i64), Error> {
    let (date, time) = match text.trim().split_once([' ', 'T']) {
        Some((date, time)) => (date, Some(time)),
        None => (text.trim(), None),
    };
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    if !(1..=12).contains(&month) || day < 1 || day > days_of(year, month) {
        return Err(Error::BadTime);
    }
    let start = days_since_1970(year, month, day) * DAY;
    let Some(time) = time else { return Ok((start, DAY)) };
    let ([hour, minute, second], unit) = match time.len() {
        5 => {
            let [hour, minute] = numbers(time, ':', [2, 2])?;
            ([hour, minute, 0], 60)
        }
        _ => (numbers(time, ':', [2, 2, 2])?, 1),
    };
    if hour > 23 || minute > 59 || second > 59 {
        return Err(Error::BadTime);
    }
    Ok((start + hour * 3600 + minute * 60 + second, unit))
}

/// Reads numbers of exactly these many digits with `separator` between them.
fn numbers<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Result<[i64; N], Error> {
    let mut found = [0; N];
    let mut parts = text.split(separator);
    for (number, digits) in found.iter_mut().zip(digits) {
        let part = parts.next().ok_or(Error::BadTime)?;
        if part.len() != digits || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Error::BadTime);
        }
        *number = part.parse().map_err(|_| Error::BadTime)?;
    }
    if parts.next().is_some() { Err(Error::BadTime) } else { Ok(found) }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Counts days of the Gregorian calendar, extended backwards.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let leap_days = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let before_year = (year - 1970) * 365 + leap_days(year - 1) - leap_days(1969);
    let before_month: i64 = (1..month).map(|month| days_of(year, month)).sum();
    before_year + before_month + day - 1
}
