//! Decides when the log says that the certificate of the server has expired, or ends soon.

use std::time::{Duration, SystemTime};

const DAY: Duration = Duration::from_secs(86_400);
/// Longest time before the end of a certificate from which the log warns.
const BEFORE_END: Duration = Duration::from_secs(7 * 86_400);
/// Part of the life of a certificate in which the log warns at most. Programs that renew certificates usually begin when a third is left.
const LAST_PART: u32 = 4;

/// A certificate at a point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Valid,
    EndsSoon,
    /// The certificate has expired, or is not valid yet.
    NotValid,
}

impl Standing {
    fn of(from: SystemTime, to: SystemTime, now: SystemTime) -> Self {
        if now > to || now < from {
            return Self::NotValid;
        }
        let life = to.duration_since(from).unwrap_or_default();
        let left = to.duration_since(now).unwrap_or_default();
        if left <= BEFORE_END.min(life / LAST_PART) {
            Self::EndsSoon
        } else {
            Self::Valid
        }
    }
}

/// Last entry of the log about the dates of the certificate in use.
#[derive(Debug, Default)]
pub(crate) struct Reports(Option<(Standing, SystemTime)>);

impl Reports {
    /// Returns what the log must say now: each change, and a problem that lasts once a day. `from` and `to` are the dates of the
    /// certificate.
    pub(crate) fn due(&mut self, from: SystemTime, to: SystemTime, now: SystemTime) -> Option<Standing> {
        let standing = Standing::of(from, to, now);
        let is_reported = |(last, at): (Standing, SystemTime)| {
            last == standing && now.duration_since(at).is_ok_and(|passed| passed < DAY)
        };
        if self.0.is_some_and(is_reported) {
            return None;
        }
        self.0 = Some((standing, now));
        Some(standing)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::{DAY, Reports, Standing};

    #[test]
    fn warns_once_a_day_from_a_week_before_the_end_and_reports_the_end_at_once() {
        let from = SystemTime::UNIX_EPOCH + 1000 * DAY;
        let to = from + 90 * DAY;
        let mut reports = Reports::default();
        let mut due = |at: SystemTime| reports.due(from, to, at).filter(|due| *due != Standing::Valid);
        let second = Duration::from_secs(1);
        assert_eq!(due(from), None);
        assert_eq!(due(to - 7 * DAY - second), None);
        assert_eq!(due(to - 7 * DAY), Some(Standing::EndsSoon));
        assert_eq!(due(to - 7 * DAY + second), None);
        assert_eq!(due(to - 6 * DAY), Some(Standing::EndsSoon));
        assert_eq!(due(to), Some(Standing::EndsSoon));
        assert_eq!(due(to + second), Some(Standing::NotValid));
        assert_eq!(due(to + DAY), None);
        assert_eq!(due(to + DAY + second), Some(Standing::NotValid));
        // The clock was set back.
        assert_eq!(due(from - second), Some(Standing::NotValid));
    }

    #[test]
    fn warns_about_certificates_with_a_short_life_in_the_last_quarter_of_it() {
        let from = SystemTime::UNIX_EPOCH + 1000 * DAY;
        let to = from + 4 * DAY;
        let second = Duration::from_secs(1);
        assert_eq!(Standing::of(from, to, from + 3 * DAY - second), Standing::Valid);
        assert_eq!(Standing::of(from, to, from + 3 * DAY), Standing::EndsSoon);
    }
}
