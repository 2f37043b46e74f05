//! Dates in headers (RFC 9110, 5.6.7). The counterpart for Node is `packages/core/src/edge/http-date.ts`.

use std::time::{SystemTime, UNIX_EPOCH};

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
/// Names of the days. 1 January 1970 was a Thursday.
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

const LONG_DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

const SECONDS_OF_DAY: i64 = 24 * 60 * 60;

/// Returns the time of an HTTP date in seconds since 1970, or `None` if the text is not an HTTP date. Accepts the
/// current form and the two obsolete forms. A year of two digits is at most 50 years in the future.
pub(crate) fn seconds_of(text: &str) -> Option<i64> {
    let now = now();
    // The length of a year need not be exact.
    let year = 1970 + now / (SECONDS_OF_DAY * 365 + SECONDS_OF_DAY / 4);
    seconds_at(text, year)
}

/// Returns the current time in seconds since 1970.
pub(crate) fn now() -> i64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH);
    time.map_or(0, |time| i64::try_from(time.as_secs()).unwrap_or(i64::MAX))
}

/// Returns a time in seconds since 1970 as an HTTP date, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(crate) fn http_date(seconds: i64) -> String {
    let (days, time) = (
        seconds.div_euclid(SECONDS_OF_DAY),
        seconds.rem_euclid(SECONDS_OF_DAY),
    );
    let (year, month, date) = civil_of(days);
    let name = |names: &[&'static str], index: i64| {
        usize::try_from(index)
            .ok()
            .and_then(|index| names.get(index).copied())
            .unwrap_or_default()
    };
    format!(
        "{}, {date:02} {} {year:04} {:02}:{:02}:{:02} GMT",
        name(&WEEKDAYS, days.rem_euclid(7)),
        name(&MONTHS, month - 1),
        time / 3600,
        time / 60 % 60,
        time % 60
    )
}

/// Returns year, month and day of a number of days since 1970, in the Gregorian calendar. Years begin in March here, so
/// that a leap day is the last day of a year.
fn civil_of(days: i64) -> (i64, i64, i64) {
    let since = days + 719_468;
    let era = since.div_euclid(146_097);
    let day_of_era = since.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let date = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, date)
}

/// Returns the number of days since 1970. Returns `None` if the month does not have this day.
fn days_of(year: i64, month: i64, date: i64) -> Option<i64> {
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + date - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    (civil_of(days) == (year, month, date)).then_some(days)
}

fn seconds_at(text: &str, this_year: i64) -> Option<i64> {
    let words: Vec<&str> = text.split(' ').collect();
    match *words.as_slice() {
        // Sun, 06 Nov 1994 08:49:37 GMT
        [day, date, month, year, clock, "GMT"] => {
            let day = day.strip_suffix(',')?;
            (WEEKDAYS.contains(&day) && date.len() == 2).then_some(())?;
            time(digits(year, 4)?, month, digits(date, 2)?, clock)
        }
        // Sunday, 06-Nov-94 08:49:37 GMT
        [day, date, clock, "GMT"] => {
            LONG_DAYS.contains(&day.strip_suffix(',')?).then_some(())?;
            let (date, rest) = date.split_once('-')?;
            let (month, year) = rest.split_once('-')?;
            let year = this_year / 100 * 100 + digits(year, 2)?;
            let year = if year > this_year + 50 { year - 100 } else { year };
            time(year, month, digits(date, 2)?, clock)
        }
        // Sun Nov 16 08:49:37 1994
        [day, month, date, clock, year] => {
            WEEKDAYS.contains(&day).then_some(())?;
            time(digits(year, 4)?, month, digits(date, 2)?, clock)
        }
        // Sun Nov  6 08:49:37 1994
        [day, month, "", date, clock, year] => {
            WEEKDAYS.contains(&day).then_some(())?;
            time(digits(year, 4)?, month, digits(date, 1)?, clock)
        }
        _ => None,
    }
}

fn digits(text: &str, count: usize) -> Option<i64> {
    let is_number = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

fn time(year: i64, month: &str, date: i64, clock: &str) -> Option<i64> {
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let days = days_of(year, i64::try_from(month).ok()?, date)?;
    let mut parts = clock.split(':');
    let mut part = || digits(parts.next()?, 2);
    let (hours, minutes, seconds) = (part()?, part()?, part()?);
    // 60 is a leap second.
    let is_clock = parts.next().is_none() && hours < 24 && minutes < 60 && seconds <= 60;
    is_clock.then_some(days * SECONDS_OF_DAY + hours * 3600 + minutes * 60 + seconds)
}

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    reason = "the cases are in a file of the repository"
)]
mod tests {
    use serde_json::Value;

    use super::{http_date, seconds_at};

    #[test]
    fn parses_each_date_that_it_has_written() {
        assert_eq!(http_date(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
        for seconds in [0, 86_399, 951_782_400, 1_709_164_800, 4_102_444_799] {
            assert_eq!(seconds_at(&http_date(seconds), 2026), Some(seconds));
        }
    }

    #[test]
    fn parses_the_dates_of_the_conformance_file() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/conditional.json");
        // A generated server contains these sources, but not the file.
        let Ok(text) = std::fs::read_to_string(path) else {
            return;
        };
        let document: Value = serde_json::from_str(&text).unwrap();
        let dates = document["dates"].as_array().unwrap();
        assert!(dates.len() > 10);
        for date in dates {
            let text = date[0].as_str().unwrap();
            assert_eq!(seconds_at(text, 2026), date[1].as_i64(), "{text}");
        }
    }
}
