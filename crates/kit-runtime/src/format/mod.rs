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

/// Returns true for a decimal number without an exponent, as PostgreSQL writes the values of a `numeric` column: `-0.50`.
///
/// ```
/// use kit_runtime::format::is_decimal;
///
/// assert!(is_decimal("-0.50"));
/// assert!(!is_decimal("1e3"));
/// ```
pub fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned
        .split_once('.')
        .map_or((unsigned, None), |(whole, fraction)| (whole, Some(fraction)));
    let are_digits =
        |text: &str| (1..=1000).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole) && (whole == "0" || !whole.starts_with('0')) && fraction.is_none_or(are_digits)
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
