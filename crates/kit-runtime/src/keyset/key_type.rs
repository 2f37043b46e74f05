//! Types of the columns that sort a list.

use crate::format::{is_calendar_date, is_decimal, is_uuid};
use crate::is_date_time;

/// Type of a column that sorts a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyType {
    /// `bigint`.
    BigInt,
    /// `citext`, which PostgreSQL compares without case.
    Citext,
    /// `date`.
    Date,
    /// `double precision`.
    Double,
    /// `integer`.
    Integer,
    /// `numeric`.
    Numeric,
    /// `text` or `varchar`.
    Text,
    /// `timestamp`, in UTC.
    Timestamp,
    /// `timestamptz`.
    Timestamptz,
    /// `uuid`.
    Uuid,
}

impl KeyType {
    /// Returns the name of the type in PostgreSQL.
    ///
    /// ```
    /// use kit_runtime::keyset::KeyType;
    ///
    /// assert_eq!(KeyType::Double.name(), "double precision");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::BigInt => "bigint",
            Self::Citext => "citext",
            Self::Date => "date",
            Self::Double => "double precision",
            Self::Integer => "integer",
            Self::Numeric => "numeric",
            Self::Text => "text",
            Self::Timestamp => "timestamp",
            Self::Timestamptz => "timestamptz",
            Self::Uuid => "uuid",
        }
    }

    /// Returns true if PostgreSQL can convert a text to the type.
    pub(super) fn accepts(self, text: &str) -> bool {
        match self {
            Self::BigInt => text.parse::<i64>().is_ok_and(|number| number.to_string() == text),
            Self::Date => is_calendar_date(text) && !text.starts_with("0000"),
            Self::Double => is_double(text),
            Self::Integer => text.parse::<i32>().is_ok_and(|number| number.to_string() == text),
            Self::Numeric => is_decimal(text),
            Self::Citext | Self::Text => !text.contains('\0'),
            Self::Timestamp => is_time(text),
            Self::Timestamptz => text.strip_suffix('Z').is_some_and(is_time),
            Self::Uuid => is_uuid(text) && !text.bytes().any(|byte| byte.is_ascii_uppercase()),
        }
    }
}

/// Returns true for a time with microseconds, such as `2026-01-31T12:00:00.123456`. PostgreSQL has no year 0.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 26
        && bytes[10] == b'T'
        && bytes[19] == b'.'
        && &bytes[17..19] != b"60"
        && !text.starts_with("0000")
        && is_date_time(&format!("{text}Z"))
}

/// Returns true for a number as PostgreSQL writes numbers that are not infinite: `-1.5`, `1e+22`.
fn is_double(text: &str) -> bool {
    let (mantissa, exponent) = text
        .split_once('e')
        .map_or((text, None), |(mantissa, exponent)| (mantissa, Some(exponent)));
    let digits = |text: &str, most: usize| {
        (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
    };
    let unsigned = mantissa.strip_prefix('-').unwrap_or(mantissa);
    let (whole, fraction) = unsigned
        .split_once('.')
        .map_or((unsigned, None), |(whole, fraction)| (whole, Some(fraction)));
    let has_form = digits(whole, 20)
        && fraction.is_none_or(|fraction| digits(fraction, 20))
        && exponent.is_none_or(|exponent| {
            exponent
                .strip_prefix(['+', '-'])
                .is_some_and(|text| digits(text, 3))
        });
    has_form
        && text
            .parse::<f64>()
            .is_ok_and(|value| value.is_finite() && (value != 0.0 || unsigned == "0" && exponent.is_none()))
}

#[cfg(test)]
mod tests {
    use super::KeyType;

    #[test]
    fn accepts_only_texts_that_postgresql_can_convert() {
        let id = "0b6ad1d4-51c4-4d5e-8bd5-bd3a5e1e3f10";
        let upper = id.to_uppercase();
        let time = "2026-01-31T12:00:00.123456";
        for (r#type, valid, invalid) in [
            (
                KeyType::BigInt,
                ["0", "-9223372036854775808"],
                ["9223372036854775808", "-0", "01", "+1", "1.0", ""],
            ),
            (
                KeyType::Numeric,
                ["-0.50", "12345678901234567890"],
                ["NaN", "1.", ".5", "01", "1e3", ""],
            ),
            (
                KeyType::Date,
                ["2026-01-31", "9999-12-31"],
                ["0000-01-01", "2026-02-30", "2026-1-1", "infinity", " ", ""],
            ),
            (
                KeyType::Integer,
                ["7", "-2147483648"],
                ["2147483648", "x", " 1", "1 ", "1e3", ""],
            ),
            (
                KeyType::Double,
                ["-1.5", "1e+22"],
                ["NaN", "Infinity", "1e-400", "1e999", "1_0", ""],
            ),
            (
                KeyType::Timestamp,
                [time, "0001-01-01T00:00:00.000000"],
                [
                    "2026-01-31T12:00:00.123",
                    "2026-01-31T23:59:60.000000",
                    "2026-02-30T12:00:00.000000",
                    "0000-01-01T00:00:00.000000",
                    "now",
                    "2026-01-31T12:00:00é12345",
                ],
            ),
            (KeyType::Uuid, [id, id], [&upper, "", "{", "x", "0", "-"]),
        ] {
            assert!(valid.iter().all(|text| r#type.accepts(text)), "{type:?}");
            for text in invalid {
                assert!(!r#type.accepts(text), "{type:?} {text}");
            }
        }
        assert!(KeyType::Timestamptz.accepts(&format!("{time}Z")));
        assert!(!KeyType::Timestamptz.accepts(time));
        assert!(KeyType::Text.accepts("é") && !KeyType::Text.accepts("a\0b"));
    }
}
