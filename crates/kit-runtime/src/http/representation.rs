//! Representations of resources (RFC 9110, 3.2): tags made from bytes, and headers that describe a body.

use axum::http::HeaderMap;
use sha2_v10::{Digest as _, Sha256};

/// Number of hexadecimal digits of a generated entity tag: 128 bits.
const DIGITS: usize = 32;

/// Headers that describe a body which a 304 response does not have (RFC 9110, 15.4.5).
const OF_THE_REPRESENTATION: [&str; 9] = [
    "content-digest",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-md5",
    "content-range",
    "content-type",
    "digest",
    "repr-digest",
];

/// Returns a strong entity tag of a body. The tag depends only on the bytes, so all processes and the servers on Node make the
/// same tag.
pub(super) fn tag_of(bytes: &[u8]) -> String {
    let digest = format!("{:x}", Sha256::digest(bytes));
    format!("\"{}\"", digest.get(..DIGITS).unwrap_or_default())
}

/// Removes the headers that describe a body.
pub(super) fn remove_description(headers: &mut HeaderMap) {
    for name in OF_THE_REPRESENTATION {
        headers.remove(name);
    }
}
