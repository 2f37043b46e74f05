//! Signatures of cookies (HMAC-SHA-256), and their keys.

use std::fmt;

use hmac_v12::{Hmac, Mac as _};
use sha2_v10::Sha256;

use crate::bytes::{base64url, from_base64url};

/// Environment variable with the keys, separated by commas.
const VARIABLE: &str = "KIT_COOKIE_KEYS";
/// Minimum length of a key in UTF-16 code units, which are the characters of the TypeScript runtime.
const SHORTEST_KEY: usize = 32;

/// Keys for signed cookies. The first key signs, and all keys verify.
#[derive(Clone, Default)]
pub struct CookieKeys(Vec<String>);

impl CookieKeys {
    /// Reads the value of `KIT_COOKIE_KEYS`: keys, separated by commas. An empty text has no keys.
    ///
    /// ```
    /// use kit_runtime::cookies::CookieKeys;
    ///
    /// assert!(CookieKeys::parse("0123456789abcdef0123456789abcdef").is_ok());
    /// assert!(CookieKeys::parse("short").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If a key is too short. The message never contains a key.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::parse_variable(VARIABLE, text)
    }

    /// Reads the value of a variable that has keys, such as `KIT_CURSOR_KEYS`.
    pub(crate) fn parse_variable(variable: &str, text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let keys: Vec<String> = text.split(',').map(|key| key.trim().to_owned()).collect();
        for (index, key) in keys.iter().enumerate() {
            if key.encode_utf16().count() < SHORTEST_KEY {
                return Err(format!(
                    "{variable}: key {} must have at least {SHORTEST_KEY} characters; make one with `openssl rand \
                     -base64 32`",
                    index + 1
                ));
            }
        }
        Ok(Self(keys))
    }

    /// Returns true if there are no keys.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the signature of a text by the first key. Returns `None` if there are no keys.
    pub(crate) fn sign_text(&self, text: &str) -> Option<String> {
        let mac = mac(self.0.first()?, &[text])?;
        Some(base64url(&mac.finalize().into_bytes()))
    }

    /// Returns true if a key has made the signature of a text. The comparison takes the same time for every signature.
    pub(crate) fn verify_text(&self, text: &str, signature: &str) -> bool {
        let Some(signature) = from_base64url(signature) else {
            return false;
        };
        let is_by = |key: &String| mac(key, &[text]).is_some_and(|mac| mac.verify_slice(&signature).is_ok());
        self.0.iter().any(is_by)
    }

    /// Returns a cookie's value with its signature: `value.signature`. The signature includes the name, so that a client
    /// cannot use the value of one cookie for another.
    ///
    /// # Errors
    ///
    /// If there are no keys. `function` is the name of the caller's function.
    pub(super) fn sign(&self, function: &str, name: &str, value: &str) -> Result<String, String> {
        let first = self.0.first().and_then(|key| mac(key, &[name, "=", value]));
        let mac = first.ok_or_else(|| needs_key(function))?;
        let signature = base64url(&mac.finalize().into_bytes());
        Ok(format!("{value}.{signature}"))
    }

    /// Returns the value of a signed cookie without its signature; `None` if no key has made the signature. The comparison
    /// takes the same time for every signature.
    ///
    /// # Errors
    ///
    /// If there are no keys.
    pub(super) fn verify<'v>(
        &self,
        function: &str,
        name: &str,
        signed: Option<&'v str>,
    ) -> Result<Option<&'v str>, String> {
        if self.0.is_empty() {
            return Err(needs_key(function));
        }
        let parts = signed.and_then(|signed| signed.rsplit_once('.'));
        Ok(parts.and_then(|(value, text)| {
            let signature = from_base64url(text)?;
            let is_by = |key: &String| {
                mac(key, &[name, "=", value]).is_some_and(|mac| mac.verify_slice(&signature).is_ok())
            };
            self.0.iter().any(is_by).then_some(value)
        }))
    }
}

/// Prints the number of keys, but never a key.
impl fmt::Debug for CookieKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CookieKeys({} of them)", self.0.len())
    }
}

/// Returns the authentication code of a text, which is given in parts. HMAC accepts keys of every length, so the result is
/// never `None`.
fn mac(key: &str, text: &[&str]) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).ok()?;
    for part in text {
        mac.update(part.as_bytes());
    }
    Some(mac)
}

fn needs_key(function: &str) -> String {
    format!("{function} needs a key: set the variable {VARIABLE}")
}
