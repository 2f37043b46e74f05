//! Checks of the string formats of `@format`. They read each character once and never go back, so they take linear
//! time for every input.

mod email;
mod ip;
mod uri;

pub use email::is_email;
pub(crate) use email::too_long_part;
pub use ip::{is_ipv4, is_ipv6};
pub use uri::is_uri;

/// Returns true if a string is a UUID in its canonical form: 36 characters, upper or lower case, any version.
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Returns true if a string is a `full-date` of RFC 3339, such as `2026-02-28`.
pub fn is_calendar_date(text: &str) -> bool {
    text.len() == 10 && crate::timestamp::date_at_start(text.as_bytes()).is_some()
}
