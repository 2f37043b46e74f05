//! Timestamps: the Rust type for `Date` of TypeScript. The timestamps have a precision of one millisecond. In JSON,
//! they are an RFC 3339 date-time string.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// First and last timestamp with a four-digit year, in milliseconds since 1970.
const FIRST: i64 = -62_167_219_200_000;
const LAST: i64 = 253_402_300_799_999;
const DAY: i64 = 86_400_000;

/// Names of months and days in headers (RFC 9110, 5.6.7).
pub(crate) const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
pub(crate) const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// A timestamp with a precision of one millisecond, in the years 0 to 9999.
///
/// ```
/// use kit_runtime::Timestamp;
///
/// let moment: Timestamp = "2026-01-01T01:00:00.5+01:00".parse()?;
/// assert_eq!(moment.to_string(), "2026-01-01T00:00:00.500Z");
/// # Ok::<(), kit_runtime::TimestampError>(())
/// ```
///
/// The cargo feature `jiff` converts timestamps from and to `jiff::Timestamp`, for calendars and time zones.
/// `jiff::Timestamp` cannot be the type of a field itself: its text has no `.000`, and its nanoseconds would get lost in
/// databases and in JavaScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// Error for a string or a number that is not a timestamp in the years 0 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimestampError;

impl fmt::Display for TimestampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an RFC 3339 date-time of the years 0 to 9999")
    }
}

impl std::error::Error for TimestampError {}

impl Timestamp {
    /// Returns the current time.
    ///
    /// ```
    /// use kit_runtime::Timestamp;
    ///
    /// assert!(Timestamp::now() > Timestamp::from_unix_millis(1_767_225_600_000)?);
    /// # Ok::<(), kit_runtime::TimestampError>(())
    /// ```
    pub fn now() -> Self {
        Self::from(SystemTime::now())
    }

    /// Creates a timestamp from milliseconds since 1970-01-01T00:00:00Z.
    ///
    /// ```
    /// use kit_runtime::Timestamp;
    ///
    /// let time = Timestamp::from_unix_millis(1_767_225_600_500)?;
    /// assert_eq!(time.to_string(), "2026-01-01T00:00:00.500Z");
    /// # Ok::<(), kit_runtime::TimestampError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the year is not between 0 and 9999.
    pub fn from_unix_millis(millis: i64) -> Result<Self, TimestampError> {
        if (FIRST..=LAST).contains(&millis) {
            Ok(Self(millis))
        } else {
            Err(TimestampError)
        }
    }

    /// Creates a timestamp in the same way as [`Self::from_unix_millis`]. A value out of range becomes the first or
    /// last timestamp.
    ///
    /// ```
    /// use kit_runtime::Timestamp;
    ///
    /// let last = Timestamp::from_unix_millis_saturating(i64::MAX);
    /// assert_eq!(last.to_string(), "9999-12-31T23:59:59.999Z");
    /// ```
    pub fn from_unix_millis_saturating(millis: i64) -> Self {
        Self(millis.clamp(FIRST, LAST))
    }

    /// Returns the milliseconds since 1970-01-01T00:00:00Z.
    ///
    /// ```
    /// use kit_runtime::Timestamp;
    ///
    /// let time: Timestamp = "1970-01-01T00:00:01Z".parse()?;
    /// assert_eq!(time.unix_millis(), 1_000);
    /// # Ok::<(), kit_runtime::TimestampError>(())
    /// ```
    pub fn unix_millis(self) -> i64 {
        self.0
    }
}

/// A time after the year 9999 becomes the last timestamp of that year. A time before 1970 becomes the start of 1970.
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        Self(i64::try_from(since.as_millis()).unwrap_or(LAST).min(LAST))
    }
}

/// Converts a timestamp. The range of `jiff` includes all timestamps.
///
/// ```
/// use kit_runtime::{Timestamp, jiff};
///
/// let moment: Timestamp = "2026-01-01T00:00:00.5Z".parse()?;
/// let next_day = jiff::Timestamp::from(moment) + jiff::SignedDuration::from_hours(24);
/// assert_eq!(next_day.to_string(), "2026-01-02T00:00:00.5Z");
/// # Ok::<(), kit_runtime::TimestampError>(())
/// ```
#[cfg(feature = "jiff")]
impl From<Timestamp> for jiff::Timestamp {
    fn from(moment: Timestamp) -> Self {
        Self::from_millisecond(moment.0).unwrap_or_default()
    }
}

/// Converts a timestamp of `jiff`. Drops fractions of a millisecond.
///
/// ```
/// use kit_runtime::{Timestamp, jiff};
///
/// let moment: jiff::Timestamp = "2026-01-01T00:00:00.1239Z".parse()?;
/// assert_eq!(Timestamp::try_from(moment)?.to_string(), "2026-01-01T00:00:00.123Z");
/// assert!(Timestamp::try_from(jiff::Timestamp::MIN).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the year is below 0. The last timestamp of `jiff` is in the year 9999.
#[cfg(feature = "jiff")]
impl TryFrom<jiff::Timestamp> for Timestamp {
    type Error = TimestampError;

    fn try_from(moment: jiff::Timestamp) -> Result<Self, TimestampError> {
        // Rounds down also before 1970, as when a database column is read.
        let millis = moment.as_nanosecond().div_euclid(1_000_000);
        Self::from_unix_millis(i64::try_from(millis).map_err(|_| TimestampError)?)
    }
}

impl Timestamp {
    /// Formats the timestamp: `2026-01-01T00:00:00.500Z`. Does not use `format!`, because responses contain many
    /// timestamps.
    fn text(self) -> [u8; 24] {
        let (days, clock) = (self.0.div_euclid(DAY), self.0.rem_euclid(DAY));
        let (year, month, day) = date_of(days);
        let mut text = *b"0000-00-00T00:00:00.000Z";
        for (at, digits, number) in [
            (0, 4, year),
            (5, 2, month),
            (8, 2, day),
            (11, 2, clock / 3_600_000),
            (14, 2, clock / 60_000 % 60),
            (17, 2, clock / 1000 % 60),
            (20, 3, clock % 1000),
        ] {
            let mut rest = number;
            for place in text[at..at + digits].iter_mut().rev() {
                *place = b"0123456789"[usize::try_from(rest % 10).unwrap_or(0)];
                rest /= 10;
            }
        }
        text
    }
}

impl Timestamp {
    /// Formats the timestamp like `Date.prototype.toUTCString`: `Thu, 01 Jan 1970 00:00:00 GMT`.
    pub(crate) fn http_date(self) -> String {
        let days = self.0.div_euclid(DAY);
        let (year, month, day) = date_of(days);
        // 1970-01-01 was a Thursday.
        let weekday = usize::try_from((days + 3).rem_euclid(7)).ok();
        let weekday = weekday.and_then(|at| WEEKDAYS.get(at)).unwrap_or(&"");
        let month = usize::try_from(month - 1).ok();
        let month = month.and_then(|at| MONTHS.get(at)).unwrap_or(&"");
        let text = self.text();
        let clock = std::str::from_utf8(&text[11..19]).unwrap_or_default();
        format!("{weekday}, {day:02} {month} {year:04} {clock} GMT")
    }
}

/// Formats the timestamp like `Date.prototype.toISOString`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.text()).unwrap_or_default())
    }
}

impl std::str::FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        parse_date_time(text)
            .filter(|millis| (FIRST..=LAST).contains(millis))
            .map(Self)
            .ok_or(TimestampError)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(std::str::from_utf8(&self.text()).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// Returns true if a string is a `date-time` of RFC 3339, such as `2026-02-28T23:59:59.5+01:00`. `T` and `Z` may be
/// lower case. A leap second is accepted only in the last minute of a day in UTC.
///
/// ```
/// use kit_runtime::is_date_time;
///
/// assert!(is_date_time("2026-02-28T23:59:59+01:00"));
/// assert!(!is_date_time("2026-02-29T00:00:00Z"));
/// ```
pub fn is_date_time(text: &str) -> bool {
    parse_date_time(text).is_some()
}

/// Returns true if a string is a `date-time` of RFC 3339 with a four-digit year in UTC. For example,
/// `9999-12-31T23:59:59-01:00` is refused: it is in the year 10000 in UTC, which no response could contain.
pub(crate) fn is_timestamp(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok()
}

/// Parses a `date-time` to milliseconds since 1970. A leap second becomes the first millisecond of the next day, as in
/// POSIX.
fn parse_date_time(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    if bytes.len() < 20 {
        return None;
    }
    let days = date_at_start(bytes)?;
    let (hour, minute, second) = (
        parse_two_digits(bytes, 11)?,
        parse_two_digits(bytes, 14)?,
        parse_two_digits(bytes, 17)?,
    );
    let separated = matches!(bytes[10], b'T' | b't') && bytes[13] == b':' && bytes[16] == b':';
    if !separated || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut at = 19;
    let mut millis = 0;
    if bytes[at] == b'.' {
        at += 1;
        let digits = bytes[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits == 0 {
            return None;
        }
        for place in 0..3 {
            let digit = if place < digits {
                bytes[at + place] - b'0'
            } else {
                0
            };
            millis = millis * 10 + i64::from(digit);
        }
        at += digits;
    }
    let offset = offset_at(bytes, at)?;
    if second == 60 && (hour * 60 + minute - offset).rem_euclid(1440) != 1439 {
        return None;
    }
    Some(days * DAY + (hour * 3600 + (minute - offset) * 60 + second) * 1000 + millis)
}

/// Parses the calendar date at the start of a string to days since 1970.
pub(crate) fn date_at_start(bytes: &[u8]) -> Option<i64> {
    let year = parse_two_digits(bytes, 0)? * 100 + parse_two_digits(bytes, 2)?;
    let (month, day) = (parse_two_digits(bytes, 5)?, parse_two_digits(bytes, 8)?);
    if bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=last).contains(&day).then(|| days_of(year, month, day))
}

/// Parses a time zone offset from `at` to the end of the string. Returns it in minutes east of UTC.
fn offset_at(bytes: &[u8], at: usize) -> Option<i64> {
    match bytes.get(at)? {
        b'Z' | b'z' => (bytes.len() == at + 1).then_some(0),
        sign @ (b'+' | b'-') if bytes.len() == at + 6 && bytes[at + 3] == b':' => {
            let (hour, minute) = (parse_two_digits(bytes, at + 1)?, parse_two_digits(bytes, at + 4)?);
            let minutes = hour * 60 + minute;
            (hour <= 23 && minute <= 59).then_some(if *sign == b'+' { minutes } else { -minutes })
        }
        _ => None,
    }
}

/// Parses the two digits at `at`.
fn parse_two_digits(bytes: &[u8], at: usize) -> Option<i64> {
    let digit = |at: usize| {
        let byte = *bytes.get(at)?;
        byte.is_ascii_digit().then(|| i64::from(byte - b'0'))
    };
    Some(digit(at)? * 10 + digit(at + 1)?)
}

/// Converts a date to days since 1970. In this algorithm, years begin in March, so that a leap day is the last day of
/// its year. An era has 400 years.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let shifted = if month > 2 { year } else { year - 1 };
    let (era, year_of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn date_of(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let leap_days = day_of_era / 1460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = (
        era * 400 + year_of_era,
        if month < 10 { month + 3 } else { month - 9 },
    );
    (year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::{FIRST, LAST, Timestamp};

    #[test]
    fn parses_the_timestamps_that_it_formats_for_days_of_all_years() {
        for millis in (FIRST..=LAST).step_by(86_400_000 * 13 + 12_345_679) {
            let moment = Timestamp::from_unix_millis(millis).unwrap();
            assert_eq!(moment.to_string().parse(), Ok(moment));
        }
        for millis in [FIRST, LAST, 0, -1] {
            let moment = Timestamp::from_unix_millis(millis).unwrap();
            assert_eq!(moment.to_string().parse(), Ok(moment));
        }
        assert!(Timestamp::from_unix_millis(LAST + 1).is_err());
    }

    #[test]
    fn refuses_a_date_time_whose_utc_year_is_not_0_to_9999() {
        for (text, is_readable) in [
            ("9999-12-31T23:59:59.999Z", true),
            ("9999-12-31T23:59:59.999-00:01", false),
            ("0000-01-01T00:00:00Z", true),
            ("0000-01-01T00:00:00+00:01", false),
        ] {
            assert_eq!(text.parse::<Timestamp>().is_ok(), is_readable, "{text}");
            assert!(super::is_date_time(text), "{text}");
        }
    }
}
