//! Validates a host with an optional port, as in `Host` and in request targets of the absolute form (RFC 9110, 7.2; RFC
//! 3986, 3.2).

use crate::characters::{HOST, all};

/// Returns true if the value is a non-empty host with or without a port: `example.org`, `10.0.0.1:80`, `[::1]:3000`.
///
/// Rejects percent-escapes: DNS names have none, and the parser behind this check does not accept them.
pub(crate) fn is_authority(text: &[u8]) -> bool {
    let (host, port) = if text.first() == Some(&b'[') {
        let Some(end) = memchr::memchr(b']', text) else {
            return false;
        };
        let (literal, rest) = text.split_at(end + 1);
        let inside = &literal[1..end];
        if inside.is_empty() || !inside.iter().all(|byte| *byte == b':' || is_of_name(*byte)) {
            return false;
        }
        match rest.split_first() {
            None => return true,
            Some((b':', port)) => (literal, port),
            Some(_) => return false,
        }
    } else {
        match memchr::memchr(b':', text) {
            None => return !text.is_empty() && all(text, HOST),
            Some(colon) => (&text[..colon], &text[colon + 1..]),
        }
    };
    let is_literal = host.first() == Some(&b'[');
    !host.is_empty() && (is_literal || all(host, HOST)) && is_port(port)
}

fn is_of_name(byte: u8) -> bool {
    all(&[byte], HOST)
}

/// Returns true for a valid port. A port may be empty (RFC 3986, 3.2.3). Numbers above 65,535 are invalid.
fn is_port(port: &[u8]) -> bool {
    port.len() <= 5
        && port.iter().all(u8::is_ascii_digit)
        && port
            .iter()
            .fold(0_u32, |sum, digit| sum * 10 + u32::from(digit - b'0'))
            <= 65_535
}

#[cfg(test)]
mod tests {
    use super::is_authority;

    #[test]
    fn accepts_hosts_with_and_without_ports() {
        for good in [
            "a",
            "example.org",
            "example.org:80",
            "10.0.0.1:65535",
            "[::1]",
            "[::1]:3000",
            "[v1.a]",
            "a:",
            "a_b-c~d.",
        ] {
            assert!(is_authority(good.as_bytes()), "{good}");
        }
    }

    #[test]
    fn refuses_values_that_are_not_a_host() {
        for bad in [
            "", ":", ":80", "a:b", "a:80:90", "a:65536", "a:000080", "a b", "a/b", "u@a", "a%20b", "[", "[]",
            "[::1", "[::1]a", "[::1]]", "a[", "::1", "[a b]", "a\t", "\u{e4}",
        ] {
            assert!(!is_authority(bad.as_bytes()), "{bad}");
        }
    }
}
