//! Query of a request to the sidecar, and the durations in it.

use super::answer::{Refusal, truncate};
use super::nearest::suggestion;
use crate::coerce::decode_percent;

/// Maximum value of a limit in a query.
const GREATEST_LIMIT: u64 = 1_000_000;

/// Description of the accepted durations, for messages.
const DURATION_FORM: &str = "a number with s, m, h or d: `30s`, `5m`, `1h`, `24h`";

/// Query of a request. An unknown or repeated parameter is an error, so that a misspelled parameter is not ignored.
#[derive(Debug)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    pub(super) fn parse(query: &str, known: &[&str]) -> Result<Self, Refusal> {
        let mut values: Vec<(String, String)> = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decode(name), decode(value));
            if !known.contains(&name.as_str()) {
                let takes = match known {
                    [] => "this endpoint has no parameters".to_owned(),
                    known => suggestion(&name, known),
                };
                let name = truncate(&name);
                return Err(Refusal::invalid(format!(
                    "there is no parameter `{name}`; {takes}"
                )));
            }
            if values.iter().any(|(other, _)| *other == name) {
                return Err(Refusal::invalid(format!(
                    "the parameter `{name}` is given twice; give it once"
                )));
            }
            values.push((name, value));
        }
        Ok(Self(values))
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns a duration such as `5m` in milliseconds, at most `longest`.
    pub(super) fn duration(&self, name: &str, longest: u64) -> Result<Option<u64>, Refusal> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let Some(ms) = read_duration(text) else {
            let text = truncate(text);
            return Err(Refusal::invalid(format!(
                "`{name}` must be a duration, {DURATION_FORM}; not \"{text}\""
            )));
        };
        if ms > longest {
            let longest = write_duration(longest);
            return Err(Refusal::invalid(format!(
                "`{name}` may be at most {longest}, because older data is not kept; not {text}"
            )));
        }
        Ok(Some(ms))
    }

    /// Returns the smallest of the given limits, or `otherwise` if the query has none of these parameters.
    pub(super) fn limit(&self, names: &[&str], otherwise: usize) -> Result<usize, Refusal> {
        let mut least = None;
        for name in names {
            if let Some(limit) = self.whole(name, 1, GREATEST_LIMIT)? {
                let limit = usize::try_from(limit).unwrap_or(usize::MAX);
                least = Some(least.map_or(limit, |other: usize| other.min(limit)));
            }
        }
        Ok(least.unwrap_or(otherwise))
    }

    pub(super) fn whole(&self, name: &str, least: u64, most: u64) -> Result<Option<u64>, Refusal> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let is_number = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse::<u64>() {
            Ok(value) if is_number && (least..=most).contains(&value) => Ok(Some(value)),
            _ => {
                let text = truncate(text);
                Err(Refusal::invalid(format!(
                    "`{name}` must be a whole number from {least} to {most}, not \"{text}\""
                )))
            }
        }
    }

    pub(super) fn one_of(
        &self,
        name: &str,
        values: &[&'static str],
    ) -> Result<Option<&'static str>, Refusal> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        match values.iter().find(|value| **value == text) {
            Some(value) => Ok(Some(*value)),
            None => Err(Refusal::invalid(format!(
                "`{name}` must be one of {}; not \"{}\"",
                values.join(", "),
                truncate(text)
            ))),
        }
    }
}

/// Decodes a name or value of a query. A text with an invalid percent-escape is used as it is.
fn decode(text: &str) -> String {
    let spaced = text.replace('+', " ");
    match decode_percent(&spaced) {
        Some(decoded) => decoded.into_owned(),
        None => spaced,
    }
}

/// Returns the milliseconds of `30s`, `5m`, `1h`, `24h` or `7d`, or `None` if the text is not a valid duration.
fn read_duration(text: &str) -> Option<u64> {
    let unit = match text.bytes().last()? {
        b's' => 1_000,
        b'm' => 60_000,
        b'h' => 3_600_000,
        b'd' => 86_400_000,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    let is_number = (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let ms = digits.parse::<u64>().ok().filter(|_| is_number)? * unit;
    (ms > 0).then_some(ms)
}

/// Formats a duration: `90s`, `5m`, `24h`.
pub(super) fn write_duration(ms: u64) -> String {
    if ms % 3_600_000 == 0 {
        format!("{}h", ms / 3_600_000)
    } else if ms % 60_000 == 0 {
        format!("{}m", ms / 60_000)
    } else {
        format!("{}s", ms / 1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::{Query, read_duration, write_duration};

    #[test]
    fn reads_durations() {
        for (text, ms) in [
            ("30s", 30_000),
            ("5m", 300_000),
            ("1h", 3_600_000),
            ("7d", 604_800_000),
        ] {
            assert_eq!(read_duration(text), Some(ms));
        }
        for text in ["", "5", "m", "0m", "5 m", "-1s", "1234567s", "5ß"] {
            assert_eq!(read_duration(text), None, "{text}");
        }
        assert_eq!(
            [90_000, 300_000, 86_400_000].map(write_duration),
            ["90s", "5m", "24h"]
        );
    }

    #[test]
    fn refuses_unknown_repeated_and_invalid_parameters() {
        let message = |query: &str| match Query::parse(query, &["limit", "since"]) {
            Err(refusal) => refusal.message,
            Ok(query) => match query.limit(&["limit"], 7) {
                Err(refusal) => refusal.message,
                Ok(limit) => limit.to_string(),
            },
        };
        assert_eq!(message(""), "7");
        assert_eq!(message("limit=3"), "3");
        assert_eq!(
            message("limt=3"),
            "there is no parameter `limt`; did you mean `limit`?"
        );
        assert_eq!(
            message("limit=3&limit=4"),
            "the parameter `limit` is given twice; give it once"
        );
        assert_eq!(
            message("limit=x"),
            "`limit` must be a whole number from 1 to 1000000, not \"x\""
        );
        assert!(message("limit=%zz").contains("not \"%zz\""));
    }
}
