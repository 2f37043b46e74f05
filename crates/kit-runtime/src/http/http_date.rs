//! Dates in headers (RFC 9110, 5.6.7). The counterpart for Node is `packages/core/src/edge/http-date.ts`.

use crate::Timestamp;
use crate::timestamp::{MONTHS, WEEKDAYS, date_at_start};

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
pub(super) fn seconds_of(text: &str) -> Option<i64> {
    let now = Timestamp::now().unix_millis() / 1000;
    // The length of a year need not be exact.
    let year = 1970 + now / (SECONDS_OF_DAY * 365 + SECONDS_OF_DAY / 4);
    seconds_at(text, year)
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
    let days = date_at_start(format!("{year:04}-{month:02}-{date:02}").as_bytes())?;
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

    use super::seconds_at;

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
