//! Attributes of a cookie as text, and the rules by which browsers would ignore the cookie.

use std::fmt::Write as _;

use super::{Cookie, SameSite};

/// Maximum length of the value of an attribute. Browsers ignore longer ones (RFC 6265bis, 5.6).
const LONGEST_ATTRIBUTE: usize = 1024;

/// Returns the attributes of a cookie, except for the attributes that say when it expires: `; Path=/;
/// HttpOnly; SameSite=Lax`.
///
/// # Errors
///
/// Returns an error if an attribute is invalid, or if browsers would ignore the cookie.
pub(super) fn attributes(cookie: &Cookie, is_secure_by_default: bool) -> Result<String, String> {
    if !cookie.path.starts_with('/') || !is_attribute(&cookie.path) {
        return Err(
            "`path` must begin with a slash, and may hold only printable ASCII without `;`".to_owned(),
        );
    }
    if cookie.domain.as_deref().is_some_and(|domain| !is_domain(domain)) {
        return Err("`domain` must be a host name such as example.com".to_owned());
    }
    let is_secure = is_secure(cookie, is_secure_by_default)?;
    let mut text = format!("; Path={}", cookie.path);
    if let Some(domain) = &cookie.domain {
        let _ = write!(text, "; Domain={domain}");
    }
    if is_secure {
        text.push_str("; Secure");
    }
    if cookie.http_only {
        text.push_str("; HttpOnly");
    }
    text.push_str(match cookie.same_site {
        SameSite::Strict => "; SameSite=Strict",
        SameSite::Lax => "; SameSite=Lax",
        SameSite::None => "; SameSite=None",
    });
    if cookie.partitioned {
        text.push_str("; Partitioned");
    }
    Ok(text)
}

/// Returns the attributes that say when a cookie expires: `; Max-Age=60`.
pub(super) fn end(cookie: &Cookie) -> String {
    let mut text = String::new();
    if let Some(seconds) = cookie.max_age_seconds {
        let _ = write!(text, "; Max-Age={seconds}");
    }
    if let Some(time) = cookie.expires {
        let _ = write!(text, "; Expires={}", time.http_date());
    }
    text
}

/// Returns true if the cookie must have the attribute `Secure`, because of the option `secure`, the prefix of
/// its name, or another attribute such as `SameSite=None`.
fn is_secure(cookie: &Cookie, is_secure_by_default: bool) -> Result<bool, String> {
    // Browsers compare the prefixes in any case (RFC 6265bis, 5.4).
    let name = cookie.name.to_ascii_lowercase();
    let is_of_host = name.starts_with("__host-");
    if is_of_host && (cookie.domain.is_some() || cookie.path != "/") {
        return Err(
            "browsers ignore a cookie with the prefix __Host- that has a domain or another path than /"
                .to_owned(),
        );
    }
    let reason = if is_of_host {
        "the prefix __Host-"
    } else if name.starts_with("__secure-") {
        "the prefix __Secure-"
    } else if cookie.same_site == SameSite::None {
        "`SameSite::None`"
    } else if cookie.partitioned {
        "`partitioned`"
    } else {
        return Ok(cookie.secure.unwrap_or(is_secure_by_default));
    };
    if cookie.secure == Some(false) {
        return Err(format!(
            "browsers ignore a cookie with {reason} that is not secure"
        ));
    }
    Ok(true)
}

fn is_domain(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    !text.is_empty() && text.bytes().all(is_allowed) && is_attribute(text)
}

fn is_attribute(text: &str) -> bool {
    text.len() <= LONGEST_ATTRIBUTE
        && text
            .bytes()
            .all(|byte| matches!(byte, b' '..=b'~') && byte != b';')
}
