//! Entity tag and time of a file (RFC 9110, 8.8).

use crate::accept::Coding;
use crate::find::FoundFile;
use crate::http_date::{http_date, now, seconds_of};

/// 2 January 1980 in seconds since 1970. Tools that make equal archives each time set the times of all files to the first
/// day of 1970 or of 1980, so that different contents of one size would get one entity tag.
const FIRST_MEANINGFUL: i64 = 315_619_200;

/// Validators of a file. `None` if the file has no usable time of its last change.
#[derive(Debug, Default)]
pub(crate) struct Validators {
    pub(crate) tag: Option<String>,
    pub(crate) last_modified: Option<String>,
    /// Time of the last change in seconds, if it is in [`Validators::last_modified`].
    seconds: Option<i64>,
}

impl Validators {
    /// Creates the validators of a file. The entity tag consists of the size, the time of the last change in nanoseconds, and
    /// the coding. It is strong, so that clients can continue a download.
    pub(crate) fn of(found: &FoundFile<'_>) -> Self {
        let Some(modified) = found.opened.modified else {
            return Self::default();
        };
        let seconds = i64::try_from(modified / 1_000_000_000).unwrap_or(i64::MAX);
        if seconds < FIRST_MEANINGFUL {
            return Self::default();
        }
        let end = found.coding.map_or_else(String::new, |coding: Coding| {
            let name = coding.name();
            format!("-{name}")
        });
        // RFC 9110, 8.8.2.1: the time must not be later than that of the response.
        let seconds = Some(seconds).filter(|seconds| *seconds <= now());
        Self {
            tag: Some(format!("\"{:x}-{modified:x}{end}\"", found.opened.size)),
            last_modified: seconds.map(http_date),
            seconds,
        }
    }

    /// Returns true if ranges may be sent: the header `if-range` is absent, or has the entity tag or the time of the file
    /// (RFC 9110, 13.1.5). A time counts only if the file did not change in the second before the response.
    pub(crate) fn hold_if_range(&self, header: Option<&str>) -> bool {
        let Some(header) = header else { return true };
        if header.contains('"') {
            return self.tag.as_deref() == Some(header);
        }
        self.seconds
            .is_some_and(|seconds| seconds_of(header) == Some(seconds) && seconds < now())
    }
}
