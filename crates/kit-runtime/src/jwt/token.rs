//! Form and claims of a token.

use std::time::SystemTime;

use jsonwebtoken::DecodingKey;
use jsonwebtoken::crypto;

use super::algorithm::Algorithm;
use super::keys::text_of;
use crate::bytes::from_base64url;
use crate::json::{Json, parse};

/// Maximum length of the claim `sub`, as in `OpenID` Connect Core, section 2.
const LONGEST_SUBJECT: usize = 255;

/// Rules for tokens.
pub(super) struct Rules {
    pub(super) issuers: Vec<String>,
    pub(super) audiences: Vec<String>,
    pub(super) algorithms: Vec<Algorithm>,
    /// Accepted difference between clocks, in seconds.
    pub(super) tolerance: f64,
    /// Required value of `typ`. If it is `None`, a token may have no `typ`, `JWT` or `at+jwt`.
    pub(super) kind: Option<String>,
    pub(super) max_length: usize,
}

/// Token whose signature is not verified yet.
pub(super) struct Parsed<'t> {
    pub(super) algorithm: Algorithm,
    header: Json,
    /// Bytes of the payload.
    payload: Vec<u8>,
    /// Signed part of the token.
    message: &'t str,
    signature: &'t str,
}

impl Parsed<'_> {
    /// Returns the member `kid` of the header.
    pub(super) fn key_id(&self) -> Option<&Json> {
        self.header.get("kid")
    }

    pub(super) fn is_signed_by(&self, key: &DecodingKey) -> bool {
        let algorithm = self.algorithm.library();
        // An error means that the signature has no form of this algorithm.
        crypto::verify(self.signature, self.message.as_bytes(), key, algorithm).unwrap_or(false)
    }
}

impl Rules {
    /// Reads the parts of a token and checks its header. Refuses base64url that is not canonical, so that two
    /// different texts are never the same token.
    pub(super) fn read<'t>(&self, token: &'t str) -> Result<Parsed<'t>, String> {
        if token.len() > self.max_length {
            return Err(format!("The token has more than {} characters", self.max_length));
        }
        let form = || "A token must have three parts in base64url".to_owned();
        let (message, signature) = token.rsplit_once('.').ok_or_else(form)?;
        let (header, payload) = message.split_once('.').ok_or_else(form)?;
        let header = from_base64url(header).ok_or_else(form)?;
        let payload = from_base64url(payload).ok_or_else(form)?;
        from_base64url(signature).ok_or_else(form)?;
        let header = object(&header).ok_or("The header is not a JSON object")?;
        check_critical(&header)?;
        let name = header.get("alg").and_then(text_of);
        let algorithm = name
            .and_then(Algorithm::named)
            .filter(|algorithm| self.algorithms.contains(algorithm))
            .ok_or("The algorithm is not accepted")?;
        self.check_type(&header)?;
        Ok(Parsed {
            algorithm,
            header,
            payload,
            message,
            signature,
        })
    }

    fn check_type(&self, header: &Json) -> Result<(), String> {
        let given = header.get("typ").and_then(text_of).map(media_type);
        let is_accepted = match &self.kind {
            Some(kind) => given.as_ref() == Some(kind),
            None => matches!(given.as_deref(), None | Some("jwt" | "at+jwt")),
        };
        if is_accepted {
            return Ok(());
        }
        Err("The header `typ` has another value than access tokens have".to_owned())
    }

    /// Checks the claims of a token whose signature is right. Returns the claims and the claim `sub`.
    pub(super) fn claims(&self, token: &Parsed<'_>) -> Result<(Json, String), String> {
        let claims = object(&token.payload).ok_or(NOT_AN_OBJECT)?;
        let issuer = claims.get("iss").and_then(text_of);
        if !issuer.is_some_and(|issuer| self.issuers.iter().any(|known| known == issuer)) {
            return Err("The claim `iss` names another issuer".to_owned());
        }
        let is_own =
            |value: &Json| text_of(value).is_some_and(|text| self.audiences.iter().any(|own| own == text));
        let is_for_own = match claims.get("aud") {
            Some(Json::Array(list)) => list.iter().any(is_own),
            Some(value) => is_own(value),
            None => false,
        };
        if !is_for_own {
            return Err("The claim `aud` names other applications".to_owned());
        }
        let number = |name: &str| match claims.get(name) {
            None => Ok(None),
            Some(Json::Number(seconds)) => Ok(Some(*seconds)),
            Some(_) => Err(format!("The claim `{name}` is not a number")),
        };
        number("iat")?;
        let now = now();
        if number("nbf")?.is_some_and(|begin| begin > now + self.tolerance) {
            return Err("The token is not valid yet".to_owned());
        }
        let end = number("exp")?.ok_or("The claim `exp` is missing")?;
        if end <= now - self.tolerance {
            return Err("The token has expired".to_owned());
        }
        let subject = claims.get("sub").and_then(text_of).unwrap_or_default();
        // The parser replaces an unpaired surrogate by U+0000.
        if !(1..=LONGEST_SUBJECT).contains(&subject.encode_utf16().count()) || subject.contains('\0') {
            return Err(format!(
                "The claim `sub` must have 1 to {LONGEST_SUBJECT} characters"
            ));
        }
        let subject = subject.to_owned();
        Ok((claims, subject))
    }
}

/// Reason for which a token with a valid signature is refused if its payload has no claims.
pub(super) const NOT_AN_OBJECT: &str = "The claims are not a JSON object";

fn object(bytes: &[u8]) -> Option<Json> {
    let text = std::str::from_utf8(bytes).ok()?;
    parse(text).ok().filter(|value| matches!(value, Json::Object(_)))
}

/// Refuses a token with critical parameters (RFC 7515, section 4.1.11). `b64` is the only known one, and must be true.
fn check_critical(header: &Json) -> Result<(), String> {
    let is_known = match header.get("crit") {
        None => true,
        Some(Json::Array(names)) => {
            !names.is_empty()
                && names.iter().all(|name| text_of(name) == Some("b64"))
                && header.get("b64") == Some(&Json::Bool(true))
        }
        Some(_) => false,
    };
    if is_known {
        return Ok(());
    }
    Err("The header has a critical parameter that is not known".to_owned())
}

/// Returns the seconds since 1970, without a fraction.
#[allow(clippy::cast_precision_loss)] // Reason: a double has every second exactly.
fn now() -> f64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs() as f64)
}

/// Returns a media type in lower case and without the prefix `application/` (RFC 7515, section 4.1.9).
pub(super) fn media_type(name: &str) -> String {
    let lower = name.to_lowercase();
    lower
        .strip_prefix("application/")
        .map_or_else(|| lower.clone(), str::to_owned)
}

/// Returns the scopes of the claim `scope` or `scp`.
pub(super) fn scopes_of(claims: &Json) -> Vec<String> {
    let present = |name: &str| claims.get(name).filter(|value| **value != Json::Null);
    match present("scope").or_else(|| present("scp")) {
        Some(Json::String(words)) => words.split(' ').map(str::to_owned).collect(),
        Some(Json::Array(list)) => list.iter().filter_map(text_of).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// Returns the token of the header `authorization` (`token68` of RFC 9110, section 11.2).
pub(super) fn of_header<'h>(value: &'h str, schemes: &[String]) -> Option<&'h str> {
    let (scheme, rest) = value.split_once(' ')?;
    let token = rest.trim_start_matches(' ');
    let is_scheme = schemes.iter().any(|known| known.eq_ignore_ascii_case(scheme));
    let plain = token.trim_end_matches('=');
    let is_token = !plain.is_empty()
        && plain
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._~+/-".contains(&byte));
    (is_scheme && is_token).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::{of_header, scopes_of};
    use crate::json::parse;

    #[test]
    fn reads_only_bearer_tokens_from_the_header() {
        let bearer = ["Bearer".to_owned()];
        for good in ["Bearer a.b.c", "bearer  a.b.c", "BEARER a.b.c"] {
            assert_eq!(of_header(good, &bearer), Some("a.b.c"), "{good}");
        }
        let both = ["Bearer".to_owned(), "Token".to_owned()];
        for good in ["Bearer a.b.c", "token a.b.c"] {
            assert_eq!(of_header(good, &both), Some("a.b.c"), "{good}");
        }
        for bad in [
            "",
            "Bearer",
            "Bearer ",
            "Basic a",
            "a.b.c",
            "Bearer a b",
            "Bearer a,",
            "Bearera",
            "Bearer =",
            "Bearér a",
            "Token a",
        ] {
            assert_eq!(of_header(bad, &bearer), None, "{bad}");
        }
    }

    #[test]
    fn reads_scopes_as_words_and_as_lists() {
        let of = |claims: &str| scopes_of(&parse(claims).unwrap_or(crate::json::Json::Null));
        assert_eq!(of(r#"{ "scope": "a b" }"#), ["a", "b"]);
        assert_eq!(of(r#"{ "scope": null, "scp": ["c", 1] }"#), ["c"]);
        assert!(of(r#"{ "scope": 1, "scp": "d" }"#).is_empty());
    }
}
