//! Normal form of a request path. Each path has exactly one normal form, so that all code that reads a path sees the
//! same string.
//!
//! `/%61dmin` and `/admin` are equivalent according to RFC 3986, section 6.2.2. A middleware that compares strings
//! would see two paths, so the path is normalized before any code compares it:
//!
//! - Escapes of unreserved characters (letters, digits, `-._~`) are decoded.
//! - Escapes of `:` and `*` are decoded too, because route paths can only contain them as escapes.
//! - Escapes of `^`, `{`, `|` and `}` are decoded too: they are invalid in a URI, and clients send them unescaped or
//!   escaped.
//! - All other escapes stay escapes, with upper-case digits. So `%2F` is never a separator, and `%40` is not the same
//!   path as `@`.
//! - Characters that are invalid in a path (a space, `"`, `<`, non-ASCII characters) are escaped. Only the paths of
//!   routes contain such characters.
//!
//! `packages/core/src/router/normal-path.ts` implements the same in TypeScript, and both pass `conformance/paths.json`.

use std::borrow::Cow;

/// Returns the normal form of a path, or of a segment. Returns `None` if an escape is invalid, or if the decoded
/// bytes are not UTF-8.
///
/// ```
/// use kit_guard::normal_path;
///
/// assert_eq!(normal_path("/%61dmin/x%2fy").as_deref(), Some("/admin/x%2Fy"));
/// assert_eq!(normal_path("/caf\u{e9}").as_deref(), Some("/caf%C3%A9"));
/// assert_eq!(normal_path("/100%"), None);
/// ```
#[must_use]
pub fn normal_path(path: &str) -> Option<Cow<'_, str>> {
    let bytes = path.as_bytes();
    let is_plain = |byte: &u8| class_of(*byte) != ESCAPED && *byte != b'%';
    let Some(first) = bytes.iter().position(|byte| !is_plain(byte)) else {
        return Some(Cow::Borrowed(path));
    };
    let mut normal = String::with_capacity(path.len() + 8);
    normal.push_str(&path[..first]);
    let mut decoded = Vec::with_capacity(bytes.len() - first);
    let mut at = first;
    while let Some(&byte) = bytes.get(at) {
        let value = if byte == b'%' {
            at += 3;
            let digits = bytes.get(at - 2..at)?;
            hex_value(digits[0])? << 4 | hex_value(digits[1])?
        } else {
            at += 1;
            byte
        };
        decoded.push(value);
        let stays_escaped = match class_of(value) {
            DECODED => false,
            RAW => byte == b'%',
            _ => true,
        };
        if stays_escaped {
            normal.push('%');
            normal.push(hex_digit(value >> 4));
            normal.push(hex_digit(value & 15));
        } else {
            normal.push(char::from(value));
        }
    }
    std::str::from_utf8(&decoded).ok()?;
    Some(if normal == path {
        Cow::Borrowed(path)
    } else {
        Cow::Owned(normal)
    })
}

/// Returns a request target with its path in the normal form and an unchanged query. A path without a normal form stays
/// unchanged, and the router rejects it.
///
/// ```
/// use kit_guard::normal_target;
///
/// assert_eq!(normal_target("/%61?q=%61"), "/a?q=%61");
/// assert_eq!(normal_target("/%6"), "/%6");
/// ```
#[must_use]
pub fn normal_target(target: &str) -> Cow<'_, str> {
    let end = target.find('?').unwrap_or(target.len());
    let (path, query) = target.split_at(end);
    match normal_path(path) {
        Some(Cow::Owned(normal)) => Cow::Owned(normal + query),
        _ => Cow::Borrowed(target),
    }
}

/// Returns true if a path has a segment `.` or `..`, unescaped or as `%2e`.
///
/// Clients remove such segments before they send a path (RFC 3986, section 5.2.4). Some proxies and
/// frameworks also remove segments that arrive, and others do not. If two of them interpret a path
/// differently, attackers can bypass access checks.
///
/// ```
/// use kit_guard::has_dot_segment;
///
/// assert!(has_dot_segment(b"/a/%2e./b"));
/// assert!(!has_dot_segment(b"/a/b.c"));
/// ```
#[must_use]
pub fn has_dot_segment(path: &[u8]) -> bool {
    // Almost no path has a dot or an escape.
    memchr::memchr2(b'.', b'%', path).is_some() && path.split(|byte| *byte == b'/').any(is_dot_segment)
}

fn is_dot_segment(mut segment: &[u8]) -> bool {
    let mut dots = 0;
    while !segment.is_empty() {
        segment = match segment {
            [b'.', rest @ ..] | [b'%', b'2', b'e' | b'E', rest @ ..] => rest,
            _ => return false,
        };
        dots += 1;
    }
    dots == 1 || dots == 2
}

/// Class of characters that mean the same as their percent-escape, such as `a` and `%61`: the escape is decoded.
const DECODED: u8 = 1;
/// Class of characters that mean something else than their percent-escape, such as `;` and `%3B`. Neither is changed.
const RAW: u8 = 2;
/// Class of characters that occur only as an escape.
const ESCAPED: u8 = 0;

static CLASSES: [u8; 128] = classes();

const fn classes() -> [u8; 128] {
    let mut table = [ESCAPED; 128];
    let mut index = 0;
    while index < 128 {
        #[allow(clippy::cast_possible_truncation)] // index is below 128
        let byte = index as u8;
        table[index] = match byte {
            b'-' | b'.' | b'_' | b'~' | b':' | b'*' | b'^' | b'{' | b'|' | b'}' => DECODED,
            b'/' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'+' | b',' | b';' | b'=' | b'@' | b'['
            | b']' => RAW,
            _ if byte.is_ascii_alphanumeric() => DECODED,
            _ => ESCAPED,
        };
        index += 1;
    }
    table
}

fn class_of(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(ESCAPED)
}

fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

fn hex_digit(value: u8) -> char {
    char::from(b"0123456789ABCDEF"[usize::from(value)])
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{has_dot_segment, normal_path};

    #[test]
    fn returns_a_path_that_already_is_normal_without_copying_it() {
        for path in ["/", "/a/b", "/caf%C3%A9/x%2Fy", "/@me/%40me", ""] {
            assert!(matches!(normal_path(path), Some(Cow::Borrowed(_))), "{path}");
        }
    }

    #[test]
    fn treats_each_escape_as_equal_to_its_character_except_for_reserved_characters() {
        for byte in 0..=127_u8 {
            let raw = char::from(byte);
            let upper = normal_path(&format!("/%{byte:02X}")).map(Cow::into_owned);
            let lower = normal_path(&format!("/%{byte:02x}")).map(Cow::into_owned);
            assert_eq!(upper, lower, "{raw:?}");
            if raw == '%' {
                continue;
            }
            let plain = normal_path(&format!("/{raw}")).map(Cow::into_owned);
            let is_apart = "/!$&'()+,;=@[]".contains(raw);
            assert_eq!(plain == upper, !is_apart, "{raw:?}");
        }
    }

    #[test]
    fn finds_dot_segments_with_and_without_escapes() {
        for path in [
            "/.",
            "/..",
            "/a/./b",
            "/a/../b",
            "/%2e",
            "/%2E.",
            "/.%2e/x",
            "/a/%2e%2E",
        ] {
            assert!(has_dot_segment(path.as_bytes()), "{path}");
        }
        for path in [
            "/",
            "/a.b",
            "/...",
            "/.a",
            "/a..",
            "/..;",
            "/%2e%2e%2e",
            "/.%2f.",
            "/%252e",
            "/a%2",
        ] {
            assert!(!has_dot_segment(path.as_bytes()), "{path}");
        }
    }
}
