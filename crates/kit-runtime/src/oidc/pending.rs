//! Login in progress.

use std::time::Duration;

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::bytes::base64url;
use crate::random::random_bytes;
use crate::{Error, Timestamp};

/// Maximum length of the path after a login.
const LONGEST_PATH: usize = 1024;

/// Login in progress, as the cookie keeps it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pending {
    pub(super) state: String,
    pub(super) nonce: String,
    pub(super) verifier: String,
    pub(super) return_to: String,
    /// Time at which the login ends, in milliseconds since 1970.
    until: i64,
}

impl Pending {
    /// Begins a login.
    ///
    /// # Errors
    ///
    /// 400 `INVALID_RETURN_PATH` if the path leads to another origin, and 500 if there are no random numbers.
    pub(super) fn new(return_to: String, time: Duration) -> Result<Self, Error> {
        if !is_local(&return_to) {
            return Err(Error::new(
                StatusCode::BAD_REQUEST,
                "INVALID_RETURN_PATH",
                format!(
                    "The path after the login must begin with one slash and have at most {LONGEST_PATH} characters of a URL"
                ),
            ));
        }
        let time = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        Ok(Self {
            state: random_text()?,
            nonce: random_text()?,
            verifier: random_text()?,
            return_to,
            until: Timestamp::now().unix_millis().saturating_add(time),
        })
    }

    /// Reads a cookie with a valid signature. Returns `None` if the login has ended. The signature itself never expires.
    pub(super) fn read(text: &str) -> Option<Self> {
        let pending: Self = serde_json::from_str(text).ok()?;
        (Timestamp::now().unix_millis() < pending.until).then_some(pending)
    }
}

/// Returns 256 random bits as text.
fn random_text() -> Result<String, Error> {
    Ok(base64url(&random_bytes::<32>()?))
}

/// Returns true if a path leads to the own origin. Browsers read `//host`, `/\host` and paths with line breaks as other
/// origins. URLs contain no quotes, which would make the cookie longer than browsers accept.
fn is_local(path: &str) -> bool {
    let is_of_url = |byte: u8| byte.is_ascii_graphic() && byte != b'\\' && byte != b'"';
    path.len() <= LONGEST_PATH
        && path.starts_with('/')
        && !path.starts_with("//")
        && path.bytes().all(is_of_url)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Pending;

    #[test]
    fn accepts_only_paths_of_the_own_origin() {
        let begin = |path: &str| Pending::new(path.to_owned(), Duration::from_secs(60));
        for path in ["/", "/orders?page=2#end", "/a//b"] {
            assert!(begin(path).is_ok(), "{path}");
        }
        let long = format!("/{}", "a".repeat(1024));
        for path in [
            "",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "orders",
            "/a\tb",
            "/a\nb",
            "/ü",
            "/a\"b",
            &long,
        ] {
            let error = begin(path).err().expect("an error");
            assert_eq!(error.code(), "INVALID_RETURN_PATH", "{path}");
        }
    }

    #[test]
    fn a_login_ends_after_its_time() {
        let text = |time| {
            let pending = Pending::new("/".to_owned(), time).expect("a login");
            serde_json::to_string(&pending).expect("JSON")
        };
        assert!(Pending::read(&text(Duration::from_secs(60))).is_some());
        assert!(Pending::read(&text(Duration::ZERO)).is_none());
        assert!(Pending::read("{}").is_none());
    }
}
