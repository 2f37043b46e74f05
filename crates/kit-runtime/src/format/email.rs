//! Email addresses: the syntax `Mailbox` of RFC 5321, section 4.1.2.

use super::ip::{is_ipv4, is_ipv6};

/// Maximum length of the local part (RFC 5321, section 4.5.3.1.1).
const MAX_LOCAL: usize = 64;
/// Maximum length of a domain. The 255 octets of its DNS form are 253 characters with dots (RFC 1035, section 2.3.4).
const MAX_DOMAIN: usize = 253;
/// Maximum length of a label of a domain (RFC 1035, section 2.3.4).
const MAX_LABEL: usize = 63;

/// Returns true if a string is a `Mailbox`, such as `name@example.com`, `"a name"@example.com` or `name@[IPv6:::1]`. A
/// domain may have only one label. Only ASCII is accepted, as in RFC 5321. The local part and the domain have maximum
/// lengths; the rule `maxLength` limits the whole string.
///
/// ```
/// use kit_runtime::format::is_email;
///
/// assert!(is_email("ada@example.com"));
/// assert!(!is_email("ada@example.com."));
/// ```
pub fn is_email(text: &str) -> bool {
    if text.len() > MAX_LOCAL + 1 + MAX_DOMAIN || !text.is_ascii() {
        return false;
    }
    let end = if text.starts_with('"') {
        end_of_quoted(text.as_bytes())
    } else {
        end_of_dot_atom(text.as_bytes())
    };
    let Some(at) = end.filter(|at| (1..=MAX_LOCAL).contains(at)) else {
        return false;
    };
    let Some(domain) = text[at..].strip_prefix('@') else {
        return false;
    };
    match domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => is_address(address),
        None => is_domain(domain),
    }
}

fn is_atom(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~-".contains(&byte)
}

/// Returns the length of the `Dot-string` that the bytes begin with, such as `first.last`. Returns `None` if the
/// bytes do not begin with a `Dot-string`.
fn end_of_dot_atom(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let first = at;
        while bytes.get(at).is_some_and(|byte| is_atom(*byte)) {
            at += 1;
        }
        if at == first {
            return None;
        }
        if bytes.get(at) != Some(&b'.') {
            return Some(at);
        }
        at += 1;
    }
}

/// Returns the length of the `Quoted-string` that the bytes begin with, such as `"a name"`. Returns `None` if the
/// bytes do not begin with a `Quoted-string`.
fn end_of_quoted(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        let mut byte = *bytes.get(at)?;
        at += 1;
        if byte == b'"' {
            return Some(at);
        }
        if byte == b'\\' {
            byte = *bytes.get(at)?;
            at += 1;
        }
        if !(0x20..=0x7e).contains(&byte) {
            return None;
        }
    }
}

/// Returns true if a string consists of labels with dots between them. A label has letters, digits and inner hyphens.
fn is_domain(text: &str) -> bool {
    text.len() <= MAX_DOMAIN
        && text.split('.').all(|label| {
            (1..=MAX_LABEL).contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
}

/// Returns advice for an ASCII string that is not an email address because its local part, its domain or a label is too
/// long; `None` for any other string.
pub(crate) fn too_long_part(text: &str) -> Option<String> {
    let (local, domain) = text.rsplit_once('@').filter(|_| text.is_ascii())?;
    if local.len() > MAX_LOCAL {
        return Some(format!("shorten the part before \"@\" to {MAX_LOCAL} characters"));
    }
    if domain.split('.').any(|label| label.len() > MAX_LABEL) {
        return Some(format!(
            "shorten each part of the domain to {MAX_LABEL} characters"
        ));
    }
    (domain.len() > MAX_DOMAIN).then(|| format!("shorten the domain to {MAX_DOMAIN} characters"))
}

/// Returns true if a string is an address literal without its brackets: `192.0.2.1` or `IPv6:2001:db8::1`. No other
/// kind of literal was ever registered.
fn is_address(text: &str) -> bool {
    match text.get(..5) {
        Some(tag) if tag.eq_ignore_ascii_case("ipv6:") => is_ipv6(&text[5..]),
        _ => is_ipv4(text),
    }
}
