//! Identity provider: its metadata, and its token endpoint.

use std::fmt::Write as _;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use indexmap::IndexMap;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{Client, OidcLogout, OidcTokens};
use crate::bytes;
use crate::json::{Json, parse};
use crate::jwt::{Jwt, JwtCaller, JwtError, JwtKeys, JwtOptions, KeyCache, Location};
use crate::{Error, Timestamp};

/// Characters that forms and queries contain as they are.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Seconds after which a client may try again while the provider does not answer.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("5");

/// Reason for which a login has no result.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The provider refuses the user, or the browser sent a response that is not valid. The text contains no part of the
    /// response.
    Invalid(String),
    /// The provider sent tokens that are not valid, or its settings do not fit those of the application.
    Wrong(String),
    /// The provider does not answer.
    Unavailable(String),
    /// The provider refuses this application, such as for a wrong secret.
    Misconfigured(String),
}

impl Refusal {
    pub(super) fn invalid(reason: &str) -> Self {
        Self::Invalid(reason.to_owned())
    }

    /// Returns the error for the client. `message` is the one if the login is refused.
    pub(super) fn into_error(self, message: &str) -> Error {
        match self {
            Self::Invalid(reason) => {
                tracing::debug!(reason, "A login was refused");
                Error::unauthorized("LOGIN_REFUSED", message)
            }
            Self::Wrong(reason) => {
                tracing::warn!(
                    reason,
                    "A login was refused, because the tokens of the provider are not valid"
                );
                Error::unauthorized("LOGIN_REFUSED", message)
            }
            Self::Unavailable(reason) => unavailable("the identity provider", &reason),
            Self::Misconfigured(reason) => Error::internal(reason),
        }
    }
}

/// Returns the error 503 with `retry-after`, and logs the reason.
pub(super) fn unavailable(provider: &str, reason: &str) -> Error {
    tracing::error!(provider, reason, "The identity provider does not answer");
    let status = StatusCode::SERVICE_UNAVAILABLE;
    Error::new(status, "SERVICE_UNAVAILABLE", "Service Unavailable")
        .with_header(header::RETRY_AFTER, RETRY_AFTER)
}

/// Provider as its metadata describe it.
pub(super) struct Provider {
    issuer: String,
    authorization: String,
    token: Location,
    end_session: Option<String>,
    /// True if each response names its issuer (RFC 9207).
    names_issuer: bool,
    jwt: Jwt,
    /// Verifies tokens with the type of logout tokens.
    logout_jwt: Jwt,
}

impl Provider {
    /// Fetches the metadata of a provider.
    ///
    /// # Errors
    ///
    /// The reason, if the metadata cannot be fetched or is not valid.
    pub(super) async fn discover(
        location: &Location,
        issuer: &str,
        client: &Client,
        clock_tolerance: Duration,
    ) -> Result<Self, String> {
        let fetched = tokio::time::timeout(client.timeout, location.fetch()).await;
        let text = fetched
            .map_err(|_| format!("no answer within {:?}", client.timeout))?
            .map_err(|error| error.to_string())?;
        let metadata = parse(&text).map_err(|_| "the metadata is not JSON".to_owned())?;
        let text_of = |name: &str| match metadata.get(name) {
            Some(Json::String(text)) => Some(text.as_str()),
            _ => None,
        };
        let location_of = |name: &str| {
            let location = text_of(name).and_then(Location::read);
            location.ok_or_else(|| format!("the metadata has no {name} with https:"))
        };
        let found = text_of("issuer").unwrap_or_default();
        if !is_same_issuer(found, issuer) {
            return Err(format!("the metadata is of another issuer than {issuer}"));
        }
        for name in ["authorization_endpoint", "jwks_uri"] {
            location_of(name)?;
        }
        let end_session = text_of("end_session_endpoint").filter(|url| Location::read(url).is_some());
        // Tokens come from the provider itself, so nobody can provoke fetches of keys.
        let cache = KeyCache {
            cooldown: Duration::from_secs(1),
            timeout: client.timeout,
            ..KeyCache::default()
        };
        let tokens = || {
            let keys = JwtKeys::url(text_of("jwks_uri").unwrap_or_default());
            JwtOptions::new(found, &*client.id, keys)
                .clock_tolerance(clock_tolerance)
                .key_cache(cache)
        };
        let jwt = tokens().build().map_err(|error| error.to_string())?;
        let logout_jwt = tokens().token_type("logout+jwt").build();
        let logout_jwt = logout_jwt.map_err(|error| error.to_string())?;
        Ok(Self {
            issuer: found.to_owned(),
            authorization: text_of("authorization_endpoint").unwrap_or_default().to_owned(),
            token: location_of("token_endpoint")?,
            end_session: end_session.map(str::to_owned),
            names_issuer: metadata.get("authorization_response_iss_parameter_supported")
                == Some(&Json::Bool(true)),
            jwt,
            logout_jwt,
        })
    }

    pub(super) fn authorization(&self) -> &str {
        &self.authorization
    }

    pub(super) fn end_session(&self) -> Option<&str> {
        self.end_session.as_deref()
    }

    /// Returns the code of a response that belongs to the login with this state.
    ///
    /// # Errors
    ///
    /// If the response is of another provider or login, or if the provider refuses the user.
    pub(super) fn code_of(
        &self,
        response: &IndexMap<String, String>,
        state: &str,
    ) -> Result<String, Refusal> {
        match response.get("iss") {
            Some(issuer) if *issuer != self.issuer => {
                return Err(Refusal::invalid("The response is of another issuer"));
            }
            None if self.names_issuer => {
                return Err(Refusal::invalid("The response names no issuer"));
            }
            _ => {}
        }
        if response.get("state").map(String::as_str) != Some(state) {
            return Err(Refusal::invalid("The response belongs to another login"));
        }
        // The provider's text comes by the browser, so it is not repeated.
        if response.contains_key("error") {
            return Err(Refusal::invalid("The provider refused the login"));
        }
        match response.get("code") {
            Some(code) if !code.is_empty() => Ok(code.clone()),
            _ => Err(Refusal::invalid("The response has no code")),
        }
    }

    /// Sends a request to the token endpoint, and returns its tokens.
    ///
    /// # Errors
    ///
    /// If the provider does not answer or refuses the request, or if its response is not valid.
    pub(super) async fn tokens(&self, client: &Client, form: &[(&str, &str)]) -> Result<OidcTokens, Refusal> {
        let mut form = form.to_vec();
        let authorization = client
            .secret
            .as_deref()
            .map(|secret| basic_credentials(&client.id, secret));
        if authorization.is_none() {
            form.push(("client_id", &client.id));
        }
        let sent = self.token.post_form(encode(form), authorization.as_deref());
        let (status, text) = tokio::time::timeout(client.timeout, sent)
            .await
            .map_err(|_| Refusal::Unavailable(format!("no answer within {:?}", client.timeout)))?
            .map_err(|error| Refusal::Unavailable(error.to_string()))?;
        let body = parse(&text).ok().filter(|_| !status.is_server_error());
        let Some(body @ Json::Object(_)) = body else {
            return Err(Refusal::Unavailable(format!(
                "the token endpoint answered {}",
                status.as_u16()
            )));
        };
        if status == StatusCode::OK {
            return read_tokens(&body);
        }
        // RFC 6749, section 5.2: these errors are about the user's code or refresh token, the others about the application.
        match body.get("error") {
            Some(Json::String(error)) if matches!(error.as_str(), "invalid_grant" | "access_denied") => Err(
                Refusal::invalid("The provider refused the code or the refresh token"),
            ),
            error => {
                let name = match error {
                    Some(Json::String(name)) => name.chars().take(100).collect(),
                    _ => status.as_u16().to_string(),
                };
                Err(Refusal::Misconfigured(format!(
                    "The token endpoint of {} refuses this application: {name:?}",
                    self.issuer
                )))
            }
        }
    }

    /// Verifies an ID token: the signature, issuer, audience, times, and the authorized party.
    ///
    /// # Errors
    ///
    /// If the token is not valid, or if the keys of the provider cannot be fetched.
    pub(super) async fn verify(&self, client: &Client, id_token: &str) -> Result<JwtCaller, Refusal> {
        let verified = self.jwt.verify(id_token).await.map_err(|error| match error {
            JwtError::Invalid(reason) => Refusal::Wrong(reason),
            JwtError::Unavailable { .. } => Refusal::Unavailable(error.to_string()),
        })?;
        let claims = verified.claims();
        // OpenID Connect Core, section 3.1.3.7.
        let is_for_several = matches!(claims.get("aud"), Some(Json::Array(list)) if list.len() != 1);
        let is_authorized = match claims.get("azp") {
            Some(party) => *party == Json::String(client.id.clone()),
            None => !is_for_several,
        };
        if !is_authorized {
            return Err(Refusal::Wrong(
                "The ID token was issued to another application".to_owned(),
            ));
        }
        if !matches!(claims.get("iat"), Some(Json::Number(_))) {
            return Err(Refusal::Wrong("The ID token has no claim `iat`".to_owned()));
        }
        Ok(verified)
    }

    /// Verifies a logout token: the signature, issuer, audience and times, and the claims of such tokens (`OpenID` Connect
    /// Back-Channel Logout 1.0, section 2.6).
    ///
    /// # Errors
    ///
    /// If the token is not valid, or if the keys of the provider cannot be fetched.
    pub(super) async fn verify_logout(&self, token: &str) -> Result<OidcLogout, JwtError> {
        let verified = match self.logout_jwt.verify(token).await {
            // Some providers do not give logout tokens the type `logout+jwt`.
            Err(JwtError::Invalid(_)) => self.jwt.verify(token).await?,
            verified => verified?,
        };
        OidcLogout::of_token(&verified).map_err(|reason| JwtError::Invalid(reason.to_owned()))
    }
}

/// Returns true if two names of issuers are equal. A URL with an empty path has two spellings.
fn is_same_issuer(found: &str, expected: &str) -> bool {
    let has_no_path = |url: &str| url.matches('/').count() == 2;
    let bare = |url: &str| {
        let without = url.strip_suffix('/').unwrap_or(url);
        if has_no_path(without) {
            without.to_owned()
        } else {
            url.to_owned()
        }
    };
    !found.is_empty() && bare(found) == bare(expected)
}

fn read_tokens(body: &Json) -> Result<OidcTokens, Refusal> {
    let text = |name: &str| match body.get(name) {
        Some(Json::String(text)) if !text.is_empty() => Some(text.clone()),
        _ => None,
    };
    let is_bearer = text("token_type").is_some_and(|kind| kind.eq_ignore_ascii_case("bearer"));
    let Some(access_token) = text("access_token").filter(|_| is_bearer) else {
        return Err(Refusal::Wrong("The response has no bearer token".to_owned()));
    };
    let seconds = match body.get("expires_in") {
        Some(Json::Number(seconds)) => Some(*seconds),
        Some(Json::String(text)) => text.parse().ok(),
        _ => None,
    };
    Ok(OidcTokens {
        access_token,
        id_token: text("id_token"),
        refresh_token: text("refresh_token"),
        expires_at: seconds.filter(|seconds: &f64| *seconds >= 0.0).map(after),
    })
}

/// Returns the time after these seconds.
#[allow(clippy::cast_possible_truncation)] // Reason: a conversion to an integer saturates.
fn after(seconds: f64) -> Timestamp {
    let millis = (seconds * 1000.0) as i64;
    Timestamp::from_unix_millis_saturating(Timestamp::now().unix_millis().saturating_add(millis))
}

/// Returns the header `authorization` of a client (RFC 6749, section 2.3.1).
fn basic_credentials(id: &str, secret: &str) -> String {
    let text = format!(
        "{}:{}",
        utf8_percent_encode(id, ENCODED),
        utf8_percent_encode(secret, ENCODED)
    );
    format!("Basic {}", bytes::encode(text.as_bytes()))
}

fn encode<'p>(parameters: impl IntoIterator<Item = (&'p str, &'p str)>) -> String {
    let mut text = String::new();
    for (name, value) in parameters {
        let separator = if text.is_empty() { "" } else { "&" };
        let _ = write!(
            text,
            "{separator}{}={}",
            utf8_percent_encode(name, ENCODED),
            utf8_percent_encode(value, ENCODED)
        );
    }
    text
}

/// Returns a URL with further parameters. The URL of an endpoint may have a query.
pub(super) fn with_query<'p>(url: &str, parameters: impl IntoIterator<Item = (&'p str, &'p str)>) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}{}", encode(parameters))
}

#[cfg(test)]
mod tests {
    use super::{basic_credentials, encode, is_same_issuer, read_tokens, with_query};
    use crate::json::parse;

    #[test]
    fn names_of_issuers_with_an_empty_path_have_two_spellings() {
        for (found, expected) in [
            ("https://id.example", "https://id.example/"),
            ("https://id.example/", "https://id.example"),
            ("https://id.example/realm", "https://id.example/realm"),
        ] {
            assert!(is_same_issuer(found, expected), "{found}");
        }
        for (found, expected) in [
            ("", ""),
            ("https://evil.example", "https://id.example"),
            ("https://id.example/realm/", "https://id.example/realm"),
            ("https://id.example/other", "https://id.example/realm"),
        ] {
            assert!(!is_same_issuer(found, expected), "{found}");
        }
    }

    #[test]
    fn credentials_and_parameters_are_encoded() {
        // RFC 7617, section 2, with the encoding of RFC 6749, section 2.3.1.
        assert_eq!(
            basic_credentials("Aladdin", "open sesame"),
            "Basic QWxhZGRpbjpvcGVuJTIwc2VzYW1l"
        );
        assert_eq!(basic_credentials("a", "b"), "Basic YTpi");
        assert_eq!(basic_credentials("a", "bc"), "Basic YTpiYw==");
        assert_eq!(encode([("a b", "c&d"), ("e", "ü~")]), "a%20b=c%26d&e=%C3%BC~");
        assert_eq!(
            with_query("https://id.example/?p=1", [("a", "b")]),
            "https://id.example/?p=1&a=b"
        );
    }

    #[test]
    fn only_bearer_tokens_are_accepted() {
        let read = |text: &str| read_tokens(&parse(text).expect("JSON")).ok();
        let tokens = read(r#"{ "access_token": "a", "token_type": "Bearer", "expires_in": "60" }"#);
        assert!(tokens.expect("tokens").expires_at().is_some());
        for text in [
            r#"{ "access_token": "a" }"#,
            r#"{ "access_token": "a", "token_type": "mac" }"#,
            r#"{ "access_token": "", "token_type": "bearer" }"#,
            r#"{ "token_type": "bearer" }"#,
        ] {
            assert!(read(text).is_none(), "{text}");
        }
    }
}
