//! The time that a build writes into files.

use std::time::{Duration, SystemTime};

use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};

use crate::BuildError;

const COMPACT: &str = "%Y%m%d%H%M%S";

/// Time of a build, with a precision of one millisecond. If `SOURCE_DATE_EPOCH` is set, every file contains this time,
/// even an unchanged file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildTime {
    timestamp: Timestamp,
    fixed: bool,
}

impl BuildTime {
    /// Returns the time from the value of `SOURCE_DATE_EPOCH` (empty counts as unset), or else from the clock's time `now`.
    ///
    /// ```
    /// use std::time::SystemTime;
    /// let time = kit_build::BuildTime::new(Some("1700000000"), SystemTime::now()).unwrap();
    /// assert_eq!(time.iso(), "2023-11-14T22:13:20.000Z");
    /// assert_eq!(time.compact(), "20231114221320");
    /// ```
    ///
    /// # Errors
    /// Returns an error if `SOURCE_DATE_EPOCH` is not a number of seconds within the range of dates, or if `now` is out of range.
    pub fn new(source_date_epoch: Option<&str>, now: SystemTime) -> Result<Self, BuildError> {
        if let Some(value) = source_date_epoch.filter(|value| !value.is_empty()) {
            let invalid = || BuildError::SourceDateEpoch {
                value: value.to_owned(),
            };
            let seconds: i64 = value.parse().map_err(|_| invalid())?;
            let timestamp = Timestamp::from_second(seconds).map_err(|_| invalid())?;
            if seconds < 0 {
                return Err(invalid());
            }
            return Ok(Self {
                timestamp,
                fixed: true,
            });
        }
        let since = now
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or(Duration::ZERO);
        let milliseconds = i64::try_from(since.as_millis()).map_err(|_| BuildError::Clock)?;
        Ok(Self {
            timestamp: Timestamp::from_millisecond(milliseconds).map_err(|_| BuildError::Clock)?,
            fixed: false,
        })
    }

    /// Returns true if the time comes from `SOURCE_DATE_EPOCH`.
    pub fn is_fixed(&self) -> bool {
        self.fixed
    }

    /// Returns the time in the format of JavaScript's `toISOString`.
    pub fn iso(&self) -> String {
        self.timestamp.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
    }

    /// Returns the time in the format of migration names: `yyyymmddhhmmss`, UTC.
    pub fn compact(&self) -> String {
        self.timestamp.strftime(COMPACT).to_string()
    }

    /// Returns a time for the name of a new migration, in the format of [`BuildTime::compact`]. `earlier` is the time of the
    /// last migration. The result is at least one second later, so that migrations are sorted correctly even if the clock is
    /// slow. `None` if `earlier` is not a valid time.
    pub fn compact_after(&self, earlier: &str) -> Option<String> {
        let earlier = DateTime::strptime(COMPACT, earlier).ok()?;
        let next = earlier.checked_add(SignedDuration::from_secs(1)).ok()?;
        Some(self.compact().max(next.strftime(COMPACT).to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::BuildTime;

    #[test]
    fn build_time_has_the_milliseconds_of_the_clock() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_micros(1_700_000_000_123_999);
        let time = BuildTime::new(None, now).unwrap();
        assert_eq!(time.iso(), "2023-11-14T22:13:20.123Z");
        assert!(!time.is_fixed());
        assert_eq!(BuildTime::new(Some(""), now).unwrap(), time);
    }

    #[test]
    fn time_of_a_new_migration_is_later_than_the_time_of_the_last_migration() {
        let time = BuildTime::new(Some("1700000000"), SystemTime::now()).unwrap();
        let after = |earlier| time.compact_after(earlier);
        assert_eq!(after("20231114221319").as_deref(), Some("20231114221320"));
        assert_eq!(after("20231114221320").as_deref(), Some("20231114221321"));
        assert_eq!(after("20991231235959").as_deref(), Some("21000101000000"));
        assert_eq!(after("20991399999999"), None);
    }

    #[test]
    fn refuses_an_invalid_source_date_epoch() {
        for value in ["soon", "-1", "1.5", "99999999999999", " 1"] {
            let error = BuildTime::new(Some(value), SystemTime::UNIX_EPOCH).unwrap_err();
            assert!(error.to_string().contains(value), "{error}");
        }
    }
}
