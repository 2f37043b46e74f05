//! Entity tag and time of the last change of a body (RFC 9110, 8.8).

use std::time::{SystemTime, UNIX_EPOCH};

use crate::accept::Coding;
use crate::http_date::{http_date, now, seconds_of};
use crate::open::OpenFile;

/// 2 January 1980 in seconds since 1970. Tools that make equal archives each time set the times of all files to the first
/// day of 1970 or of 1980, so that different contents of one size would get one entity tag.
const FIRST_MEANINGFUL: i64 = 315_619_200;

/// Validators of a body: its entity tag, and the time of its last change. Each may be unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    pub(crate) tag: Option<String>,
    pub(crate) last_modified: Option<String>,
    /// Time of the last change in seconds, if it is in [`Validators::last_modified`].
    seconds: Option<i64>,
}

impl Validators {
    /// Creates the validators of a body. `tag` is an entity tag in quotes, such as `"7"`. A time in the future, or before
    /// 1970, is left out.
    ///
    /// ```
    /// use std::time::{Duration, UNIX_EPOCH};
    ///
    /// use kit_static::Validators;
    ///
    /// let modified = UNIX_EPOCH + Duration::from_secs(784_111_777);
    /// let validators = Validators::new(Some("\"7\"".to_owned()), Some(modified));
    /// let headers = validators.headers(false);
    /// assert_eq!(headers[0], ("etag".to_owned(), "\"7\"".to_owned()));
    /// assert_eq!(headers[1].1, "Sun, 06 Nov 1994 08:49:37 GMT");
    /// ```
    #[must_use]
    pub fn new(tag: Option<String>, modified: Option<SystemTime>) -> Self {
        let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let seconds = since.and_then(|since| i64::try_from(since.as_secs()).ok());
        Self {
            tag,
            ..Self::default()
        }
        .with_seconds(seconds)
    }

    /// Creates the validators of a file. The entity tag consists of the size, the time of the last change in nanoseconds, and
    /// the coding. It is strong, so that clients can continue a download. A file without a usable time has no validators.
    pub(crate) fn of(file: &OpenFile, coding: Option<Coding>) -> Self {
        let Some(modified) = file.modified else {
            return Self::default();
        };
        let seconds = i64::try_from(modified / 1_000_000_000).unwrap_or(i64::MAX);
        if seconds < FIRST_MEANINGFUL {
            return Self::default();
        }
        let end = coding.map_or_else(String::new, |coding: Coding| {
            let name = coding.name();
            format!("-{name}")
        });
        Self {
            tag: Some(format!("\"{:x}-{modified:x}{end}\"", file.size)),
            ..Self::default()
        }
        .with_seconds(Some(seconds))
    }

    /// Sets the time of the last change, in seconds since 1970.
    fn with_seconds(mut self, seconds: Option<i64>) -> Self {
        // RFC 9110, 8.8.2.1: the time must not be later than that of the response.
        self.seconds = seconds.filter(|seconds| *seconds <= now());
        self.last_modified = self.seconds.map(http_date);
        self
    }

    /// Replaces each unknown validator by that of `other`.
    ///
    /// ```
    /// use kit_static::Validators;
    ///
    /// let own = Validators::new(Some("\"7\"".to_owned()), None);
    /// assert_eq!(own.clone().or(&Validators::default()), own);
    /// ```
    #[must_use]
    pub fn or(mut self, other: &Self) -> Self {
        if self.tag.is_none() {
            self.tag.clone_from(&other.tag);
        }
        if self.seconds.is_none() {
            self.seconds = other.seconds;
            self.last_modified.clone_from(&other.last_modified);
        }
        self
    }

    /// Returns the headers `etag` and `last-modified`. With `is_not_modified`, the headers of a response with the status 304,
    /// which has the time only if there is no entity tag.
    #[must_use]
    pub fn headers(&self, is_not_modified: bool) -> Vec<(String, String)> {
        let header = |name: &str, value: &Option<String>| Some((name.to_owned(), value.clone()?));
        let tag = header("etag", &self.tag);
        let needs_time = !is_not_modified || tag.is_none();
        let time = header("last-modified", &self.last_modified).filter(|_| needs_time);
        tag.into_iter().chain(time).collect()
    }

    /// Returns true if ranges may be sent: the header `if-range` is absent, or has the entity tag or the time of the body
    /// (RFC 9110, 13.1.5). A weak entity tag never matches. A time counts only if the body did not change in the second before
    /// the response.
    pub(crate) fn hold_if_range(&self, header: Option<&str>) -> bool {
        let Some(header) = header else { return true };
        if header.contains('"') {
            return self.tag.as_deref() == Some(header) && !header.starts_with("W/");
        }
        self.seconds
            .is_some_and(|seconds| seconds_of(header) == Some(seconds) && seconds < now())
    }
}
