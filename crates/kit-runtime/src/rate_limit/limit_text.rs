//! Limits as text, such as `100/min`.

use std::time::Duration;

/// Maximum number of requests. It is that of `@kit/rate-limit`, whose store in Valkey counts exactly up to this number.
const MOST_REQUESTS: u64 = 1_000_000_000;

const DAY: u64 = 86_400;
const LONGEST_WINDOW: u64 = 31 * DAY;

/// Number of requests in a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) requests: u64,
    pub(super) window: Duration,
}

impl Limit {
    /// Reads a limit such as `100/min` or `5/10s`. Returns `None` for any other form, or if a number is not in its range.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (requests, time) = text.split_once('/')?;
        let requests = number(requests, 10).filter(|requests| *requests <= MOST_REQUESTS)?;
        let digits = time.bytes().take_while(u8::is_ascii_digit).count();
        let (times, unit) = time.split_at_checked(digits)?;
        let times = if times.is_empty() { 1 } else { number(times, 7)? };
        let seconds = times
            * match unit {
                "s" | "sec" => 1,
                "min" => 60,
                "h" | "hour" => 3600,
                "day" => DAY,
                _ => return None,
            };
        (seconds <= LONGEST_WINDOW).then(|| Self {
            requests,
            window: Duration::from_secs(seconds),
        })
    }
}

/// Reads a number with at most `most` digits that does not begin with 0.
fn number(text: &str, most: usize) -> Option<u64> {
    let is_number =
        text.len() <= most && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::Limit;

    #[test]
    fn reads_limits_with_every_unit() {
        for (text, requests, seconds) in [
            ("100/min", 100, 60),
            ("5/10s", 5, 10),
            ("1/sec", 1, 1),
            ("7/2h", 7, 7200),
            ("7/hour", 7, 3600),
            ("1000000000/31day", 1_000_000_000, 31 * 86_400),
        ] {
            let limit = Limit::read(text).map(|limit| (limit.requests, limit.window.as_secs()));
            assert_eq!(limit, Some((requests, seconds)), "{text}");
        }
    }

    #[test]
    fn refuses_other_forms_and_numbers_out_of_range() {
        for text in [
            "",
            "/",
            "100",
            "100/",
            "0/s",
            "01/s",
            "+1/s",
            "1/0s",
            "1/01s",
            "1/ms",
            "1/s ",
            " 1/s",
            "1/1.5s",
            "1000000001/s",
            "1/32day",
            "1/99999999s",
            "99999999999999999999/s",
            "1/ß",
        ] {
            assert_eq!(Limit::read(text), None, "{text}");
        }
    }
}
