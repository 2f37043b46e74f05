//! Writes the header `set-cookie`, and reads signed cookies of requests.

use std::fmt::Write as _;

use super::attributes::{attributes, end};
use super::{Cookie, CookieKeys};
use crate::coerce::{cookies, decode_percent};

/// Maximum number of bytes of the name and value together. Browsers ignore larger cookies (RFC 6265bis, 5.6).
const MOST_BYTES: usize = 4096;
/// Attributes that make browsers delete a cookie.
const ENDED: &str = "; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT";

/// Writes and verifies cookies.
///
/// ```
/// use kit_runtime::Cookie;
/// use kit_runtime::cookies::{CookieKeys, Cookies};
///
/// let keys = CookieKeys::parse("0123456789abcdef0123456789abcdef")?;
/// let cookies = Cookies::new(&keys, true);
/// let written = cookies.write(&Cookie::new("sid", "a1").signed())?;
/// let (sent, _) = written.line.split_once(';').unwrap_or_default();
/// assert_eq!(cookies.read_signed("sid", Some(sent))?, Some("a1".to_owned()));
/// assert_eq!(cookies.read_signed("sid", Some("sid=a1"))?, None);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct Cookies<'k> {
    keys: &'k CookieKeys,
    is_secure_by_default: bool,
}

/// Cookie as a response sets it.
#[derive(Debug, PartialEq, Eq)]
pub struct SetCookie {
    /// Name, domain and path of the cookie. A browser keeps one cookie for each combination of the three.
    pub id: String,
    /// Value of the header `set-cookie`.
    pub line: String,
}

impl<'k> Cookies<'k> {
    /// Creates the writer.
    pub fn new(keys: &'k CookieKeys, is_secure_by_default: bool) -> Self {
        Self {
            keys,
            is_secure_by_default,
        }
    }

    /// Returns a cookie for the response.
    ///
    /// # Errors
    ///
    /// If the name or an attribute is invalid, if browsers would ignore the cookie, or if the cookie needs a key and
    /// there is none. The message never contains the value.
    pub fn write(&self, cookie: &Cookie) -> Result<SetCookie, String> {
        let name = &cookie.name;
        let refused = |problem: String| format!("set_cookie: the cookie {name:?} cannot be set: {problem}");
        if !is_name(name) {
            let problem = "the name may hold only letters, digits and !#$%&'*+-.^_`|~";
            return Err(refused(problem.to_owned()));
        }
        let attributes = attributes(cookie, self.is_secure_by_default).map_err(refused)?;
        let domain = cookie.domain.as_deref().unwrap_or_default();
        let id = format!("{name};{domain};{}", cookie.path);
        let Some(value) = &cookie.value else {
            let line = format!("{name}={ENDED}{attributes}");
            return Ok(SetCookie { id, line });
        };
        let mut text = encode(value);
        if cookie.signed {
            text = self.keys.sign("A signed cookie", name, &text)?;
        }
        let bytes = name.len() + text.len();
        if bytes > MOST_BYTES {
            return Err(refused(format!(
                "name and value have {bytes} bytes, and browsers ignore a cookie with more than {MOST_BYTES}; store less \
                 in the cookie, such as an id"
            )));
        }
        let line = format!("{name}={text}{}{attributes}", end(cookie));
        Ok(SetCookie { id, line })
    }

    /// Returns the value of a signed cookie; `None` if the request has no cookie of this name, or if its signature is
    /// wrong. `header` is the value of the header `cookie`.
    ///
    /// # Errors
    ///
    /// If there are no keys.
    pub fn read_signed(&self, name: &str, header: Option<&str>) -> Result<Option<String>, String> {
        let sent = header.and_then(|header| cookies(header).find(|(known, _)| *known == name));
        let text = sent.map(|(_, text)| text);
        let value = self.keys.verify("signed_cookie", name, text)?;
        Ok(value.map(|value| {
            decode_percent(value).map_or_else(|| value.to_owned(), std::borrow::Cow::into_owned)
        }))
    }
}

/// Returns true if a string may be the name of a cookie: a token of RFC 9110.
fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_allowed)
}

/// Percent-encodes every character that RFC 6265 does not allow in a value, and `%`, so that decoding restores the
/// value.
fn encode(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        if matches!(byte, b'!'..=b'~') && !matches!(byte, b'"' | b'%' | b',' | b';' | b'\\') {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}
