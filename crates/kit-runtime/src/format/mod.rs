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
///
/// ```
/// use kit_runtime::format::is_uuid;
///
/// assert!(is_uuid("f81d4fae-7dec-41d0-a765-00a0c91e6bf6"));
/// assert!(!is_uuid("f81d4fae7dec41d0a76500a0c91e6bf6"));
/// ```
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Returns true if a string is a `full-date` of RFC 3339, such as `2026-02-28`.
///
/// ```
/// use kit_runtime::format::is_calendar_date;
///
/// assert!(is_calendar_date("2028-02-29"));
/// assert!(!is_calendar_date("2026-02-29"));
/// ```
pub fn is_calendar_date(text: &str) -> bool {
    text.len() == 10 && crate::timestamp::date_at_start(text.as_bytes()).is_some()
}
