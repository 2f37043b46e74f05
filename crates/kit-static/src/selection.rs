//! Decides whether a response has the whole body, a part of it, or no body: first by the preconditions of the request, then by
//! its ranges (RFC 9110, 13.2.2).

use std::borrow::Cow;

use crate::preconditions::{CurrentVersion, Outcome, evaluate};
use crate::range::{ByteRange, ranges_of};
use crate::request::FileRequest;
use crate::validators::Validators;

/// Result of [`select`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// A precondition does not hold: 412.
    PreconditionFailed,
    /// The client has the current body: 304.
    NotModified,
    /// The body has none of the requested ranges: 416.
    RangeNotSatisfiable,
    /// The response has the whole body: 200.
    Whole,
    /// The response has these parts of the body, at least one: 206.
    Ranges(Vec<ByteRange>),
}

/// Selects the part of a body of `size` bytes for a request with the method GET or HEAD.
///
/// ```
/// use kit_static::{ByteRange, FileRequest, Selection, Validators, select};
///
/// let request = FileRequest::new("GET", "/film", |name| {
///     (name == "range").then(|| "bytes=-10".to_owned())
/// });
/// let selected = select(&request, &Validators::default(), 100);
/// assert_eq!(selected, Selection::Ranges(vec![ByteRange { first: 90, last: 99 }]));
/// ```
#[must_use]
pub fn select(request: &FileRequest, validators: &Validators, size: u64) -> Selection {
    let current = CurrentVersion {
        tag: validators.tag.as_deref(),
        last_modified: validators.last_modified.as_deref(),
    };
    let header = |name: &str| request.header(name).map(Cow::Borrowed);
    match evaluate(&request.method, header, Some(&current)) {
        Outcome::Failed => return Selection::PreconditionFailed,
        Outcome::NotModified => return Selection::NotModified,
        Outcome::Passed => {}
    }
    match ranges_for(request, validators, size) {
        None => Selection::Whole,
        Some(ranges) if ranges.is_empty() => Selection::RangeNotSatisfiable,
        Some(ranges) => Selection::Ranges(ranges),
    }
}

/// Returns the ranges of a response, or `None` if the whole body is sent.
fn ranges_for(request: &FileRequest, validators: &Validators, size: u64) -> Option<Vec<ByteRange>> {
    let range = request.header("range")?;
    // RFC 9110, 14.2: ranges are defined for GET only.
    if request.method != "GET" || !validators.hold_if_range(request.header("if-range")) {
        return None;
    }
    ranges_of(range, size)
}
