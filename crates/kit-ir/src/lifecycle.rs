//! Life of a route after its replacement: deprecation, sunset and successor.

use serde::{Deserialize, Serialize};

/// Dates of a route and its successor, from the tags `@deprecatedSince`, `@sunset` and `@successor`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Lifecycle {
    /// Date since which the route is deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated_since: Option<CalendarDate>,
    /// Date on which the route is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sunset: Option<CalendarDate>,
    /// Path or URL of the route that replaces this route.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub successor: Option<String>,
}

impl Lifecycle {
    /// Returns true if the route has none of the tags.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the names and values of the headers of each response: `deprecation` (RFC 9745), `sunset` (RFC 8594) and
    /// `link` (RFC 8288).
    ///
    /// ```
    /// use kit_ir::{CalendarDate, Lifecycle};
    ///
    /// let lifecycle = Lifecycle {
    ///     deprecated_since: CalendarDate::parse("2026-01-01"),
    ///     sunset: CalendarDate::parse("2027-02-28"),
    ///     successor: Some("/v2/notes".to_owned()),
    /// };
    /// let expected = [
    ///     ("deprecation", "@1767225600".to_owned()),
    ///     ("sunset", "Sun, 28 Feb 2027 00:00:00 GMT".to_owned()),
    ///     ("link", "</v2/notes>; rel=\"successor-version\"".to_owned()),
    /// ];
    /// assert_eq!(lifecycle.headers(), expected);
    /// ```
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = Vec::new();
        if let Some(date) = &self.deprecated_since {
            headers.push(("deprecation", format!("@{}", date.days() * 86_400)));
        }
        if let Some(date) = &self.sunset {
            headers.push(("sunset", date.http_date()));
        }
        if let Some(successor) = &self.successor {
            headers.push(("link", format!("<{successor}>; rel=\"successor-version\"")));
        }
        headers
    }
}

/// A day of the calendar in UTC, as text: `2026-01-31`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CalendarDate(String);

impl CalendarDate {
    /// Returns the date of a text such as `2026-01-31`; `None` if the text is not a date from 1970 to 9999.
    ///
    /// ```
    /// use kit_ir::CalendarDate;
    ///
    /// assert_eq!(CalendarDate::parse("2028-02-29").unwrap().as_str(), "2028-02-29");
    /// assert_eq!(CalendarDate::parse("2026-02-29"), None);
    /// assert_eq!(CalendarDate::parse("2026-1-1"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let has_form = text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        let date = Self(text.to_owned());
        let (year, month, day) = date.parts();
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let is_date = has_form && year >= 1970 && (1..=12).contains(&month) && (1..=days).contains(&day);
        is_date.then_some(date)
    }

    /// Returns the text of the date.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the year, the month and the day.
    fn parts(&self) -> (i64, i64, i64) {
        let mut parts = self.0.split('-').map(|part| part.parse().unwrap_or(0));
        let mut next = || parts.next().unwrap_or(0);
        (next(), next(), next())
    }

    /// Returns the number of days since 1970-01-01.
    fn days(&self) -> i64 {
        let (year, month, day) = self.parts();
        // The year begins in March, so that the leap day is its last day.
        let (year, month) = if month > 2 {
            (year, month - 3)
        } else {
            (year - 1, month + 9)
        };
        let of_year = (153 * month + 2) / 5 + day - 1;
        year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468
    }

    /// Returns the beginning of the day in the form of HTTP (RFC 9110, section 5.6.7).
    fn http_date(&self) -> String {
        const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
        const MONTHS: [&str; 12] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ];
        let (year, month, day) = self.parts();
        let name = |names: &[&'static str], number: i64| {
            let number = usize::try_from(number).unwrap_or(0);
            names.get(number).copied().unwrap_or_default()
        };
        let (weekday, month) = (name(&WEEKDAYS, self.days() % 7), name(&MONTHS, month - 1));
        format!("{weekday}, {day:02} {month} {year:04} 00:00:00 GMT")
    }
}
