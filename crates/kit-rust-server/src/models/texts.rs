//! Reads the texts that values have in JSON: timestamps and bytes.

/// Returns the milliseconds since 1970 of an RFC 3339 date-time. As in the runtimes, a leap second (`:60`) counts as
/// the second after it.
pub(super) fn millis(text: &str) -> Option<i64> {
    let text = text.to_ascii_uppercase();
    let leap = text.get(17..19) == Some("60");
    let text = if leap {
        format!("{}59{}", &text[..17], &text[19..])
    } else {
        text
    };
    let moment: jiff::Timestamp = text.parse().ok()?;
    Some(moment.as_millisecond() + if leap { 1000 } else { 0 })
}

/// Decodes base64. Returns `None` for other text. The build has already refused such a default.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    for group in text.trim_end_matches('=').as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for at in 0..4 {
            let sextet = match group.get(at) {
                Some(digit) => DIGITS.iter().position(|known| known == digit)?,
                None => 0,
            };
            bits = bits << 6 | u32::try_from(sextet).ok()?;
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}
