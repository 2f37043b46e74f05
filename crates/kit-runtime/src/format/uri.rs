//! URIs as in RFC 3986.

use super::ip::is_ipv6;

/// Returns true if a string is a `URI` of RFC 3986, with a scheme. Non-ASCII characters must be percent-encoded.
///
/// ```
/// use kit_runtime::format::is_uri;
///
/// assert!(is_uri("https://example.com/notes?page=2"));
/// assert!(!is_uri("/notes"));
/// ```
pub fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let mut letters = scheme.bytes();
    if !letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        || !letters.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    {
        return false;
    }
    let (rest, fragment) = rest
        .split_once('#')
        .map_or((rest, ""), |(rest, fragment)| (rest, fragment));
    let (hierarchy, query) = rest
        .split_once('?')
        .map_or((rest, ""), |(rest, query)| (rest, query));
    let path = match hierarchy.strip_prefix("//") {
        None => hierarchy,
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            if !is_authority(&rest[..end]) {
                return false;
            }
            &rest[end..]
        }
    };
    is_made_of(path, b":@/") && is_made_of(query, b":@/?") && is_made_of(fragment, b":@/?")
}

/// Returns true if a string is an authority: `[userinfo@]host[:port]`.
fn is_authority(text: &str) -> bool {
    let host = match text.rsplit_once('@') {
        None => text,
        Some((user, host)) => {
            if !is_made_of(user, b":") {
                return false;
            }
            host
        }
    };
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let Some((address, port)) = rest.split_once(']') else {
                return false;
            };
            if !is_literal(address) {
                return false;
            }
            ("", port)
        }
        None => host.find(':').map_or((host, ""), |colon| host.split_at(colon)),
    };
    let is_port = port.is_empty()
        || port
            .strip_prefix(':')
            .is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    is_port && is_made_of(name, b"")
}

/// Returns true if a string is an IP literal without its brackets: `2001:db8::1` or `v1.future`.
fn is_literal(text: &str) -> bool {
    let Some(future) = text.strip_prefix(['v', 'V']) else {
        return is_ipv6(text);
    };
    let Some((version, address)) = future.split_once('.') else {
        return false;
    };
    let plain = |byte: u8| is_unreserved_or_delimiter(byte) || byte == b':';
    !version.is_empty()
        && version.bytes().all(|byte| byte.is_ascii_hexdigit())
        && !address.is_empty()
        && address.bytes().all(plain)
}

fn is_unreserved_or_delimiter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte)
}

/// Returns true if a string contains only allowed characters: unreserved characters, sub-delimiters,
/// percent-escapes, and the characters in `more`.
fn is_made_of(text: &str, more: &[u8]) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'%' {
            let digits = bytes.get(at + 1..at + 3);
            if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                return false;
            }
            at += 3;
        } else if is_unreserved_or_delimiter(*byte) || more.contains(byte) {
            at += 1;
        } else {
            return false;
        }
    }
    true
}
