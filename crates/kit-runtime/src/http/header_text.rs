//! Headers as strings.

use std::borrow::Cow;

use axum::http::header::AsHeaderName;
use axum::http::{HeaderMap, HeaderValue};

/// Returns a header as a string, in the same way as [`Context::header`](super::Context::header).
pub(crate) fn text_of(headers: &HeaderMap, name: impl AsHeaderName) -> Option<Cow<'_, str>> {
    let is_cookie = name.as_str().eq_ignore_ascii_case("cookie");
    let mut values = headers.get_all(name).iter();
    let mut joined = latin1(values.next()?);
    for value in values {
        let separator = if is_cookie { "; " } else { ", " };
        let text = joined.to_mut();
        text.push_str(separator);
        text.push_str(&latin1(value));
    }
    Some(joined)
}

/// Decodes the bytes of a header as Latin-1, like every server of kit.
fn latin1(value: &HeaderValue) -> Cow<'_, str> {
    match value.to_str() {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(value.as_bytes().iter().copied().map(char::from).collect()),
    }
}
