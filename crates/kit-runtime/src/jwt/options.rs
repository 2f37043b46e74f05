//! Options of the verifier of access tokens.

use std::fmt;
use std::time::Duration;

use axum::http::HeaderValue;
use jsonwebtoken::DecodingKey;

use super::algorithm::Algorithm;
use super::fetch::Location;
use super::keys::{KeySet, MOST_CANDIDATES};
use super::remote::{KeyCache, RemoteKeys};
use super::token::{self, Rules};
use super::{Jwt, KeySource};
use crate::Contract;
use crate::check::{Failure, Secrets, explain_without};
use crate::granted_scopes::scope_problem;
use crate::json::Json;

/// Keys that verify the signatures of tokens.
///
/// ```
/// use kit_runtime::jwt::JwtKeys;
///
/// let of_provider = JwtKeys::url("https://id.example/.well-known/jwks.json");
/// let of_application = JwtKeys::secret("a secret with at least 32 bytes.");
/// let old_and_new = JwtKeys::secrets(["an old secret of at least 32 bytes", "a new secret of at least 32 bytes."]);
/// let public = JwtKeys::set(r#"{ "keys": [{ "kty": "OKP", "crv": "Ed25519", "x": "…" }] }"#);
/// ```
#[derive(Clone)]
pub struct JwtKeys(Given);

#[derive(Clone)]
enum Given {
    Url(String),
    Set(String),
    Secrets(Vec<Vec<u8>>),
}

impl JwtKeys {
    /// Keys of a JWK set (RFC 7517) at a URL, which must begin with `https:`, except for `localhost`.
    pub fn url(url: impl Into<String>) -> Self {
        Self(Given::Url(url.into()))
    }

    /// Public keys of a JWK set, as JSON.
    pub fn set(json: impl Into<String>) -> Self {
        Self(Given::Set(json.into()))
    }

    /// Secret of an HMAC, with at least as many bytes as the hash of the algorithm.
    pub fn secret(secret: impl Into<Vec<u8>>) -> Self {
        Self::secrets([secret])
    }

    /// Secrets of an HMAC, while one replaces another.
    pub fn secrets<S: Into<Vec<u8>>>(secrets: impl IntoIterator<Item = S>) -> Self {
        Self(Given::Secrets(secrets.into_iter().map(Into::into).collect()))
    }
}

/// Contains no keys.
impl fmt::Debug for JwtKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Given::Url(_) => "JwtKeys::url(…)",
            Given::Set(_) => "JwtKeys::set(…)",
            Given::Secrets(_) => "JwtKeys::secrets(…)",
        })
    }
}

/// Option of [`JwtOptions`] that is not valid. The message names the option and the accepted values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JwtOptionError(String);

impl fmt::Display for JwtOptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for JwtOptionError {}

/// Options of [`Jwt`].
///
/// ```
/// use kit_runtime::jwt::{JwtKeys, JwtOptions};
///
/// let keys = JwtKeys::url("https://id.example/.well-known/jwks.json");
/// let jwt = JwtOptions::new("https://id.example/", "https://api.example/", keys)
///     .scopes(["orders:read", "orders:write"])
///     .build()?;
/// # Ok::<(), kit_runtime::jwt::JwtOptionError>(())
/// ```
///
/// All options, with claims of the type `T`:
///
/// ```
/// use std::time::Duration;
///
/// use kit_runtime::Contract;
/// use kit_runtime::json::Json;
/// use kit_runtime::jwt::{Jwt, JwtKeys, JwtOptionError, JwtOptions, KeyCache};
///
/// fn roles(claims: &Json) -> Vec<String> {
///     match claims.get("role") {
///         Some(Json::String(role)) if role == "manager" => vec!["orders:write".to_owned()],
///         _ => Vec::new(),
///     }
/// }
///
/// fn verifier<T: Contract>() -> Result<Jwt, JwtOptionError> {
///     JwtOptions::new("https://id.example/", "shop", JwtKeys::url("https://id.example/keys"))
///         .or_issuer("https://old-id.example/")
///         .or_audience("https://api.example/")
///         .algorithms(["ES256"])
///         .scopes(["orders:write"])
///         .scopes_of(roles)
///         .claims::<T>()
///         .clock_tolerance(Duration::from_secs(10))
///         .token_type("at+jwt")
///         .max_token_length(4096)
///         .or_scheme("Token")
///         .realm("shop")
///         .key_cache(KeyCache::default())
///         .build()
/// }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct JwtOptions {
    issuers: Vec<String>,
    audiences: Vec<String>,
    keys: JwtKeys,
    algorithms: Option<Vec<String>>,
    scopes: Vec<String>,
    scopes_of: fn(&Json) -> Vec<String>,
    check_claims: Option<fn(&Json) -> Vec<Failure>>,
    tolerance: Duration,
    kind: Option<String>,
    max_token_length: usize,
    schemes: Vec<String>,
    realm: Option<String>,
    cache: Option<KeyCache>,
}

impl JwtOptions {
    /// Sets the accepted value of the claim `iss`, the accepted value of the claim `aud`, which is the name of this
    /// application at the issuer, and the keys.
    pub fn new(issuer: impl Into<String>, audience: impl Into<String>, keys: JwtKeys) -> Self {
        Self {
            issuers: vec![issuer.into()],
            audiences: vec![audience.into()],
            keys,
            algorithms: None,
            scopes: Vec::new(),
            scopes_of: token::scopes_of,
            check_claims: None,
            tolerance: Duration::from_secs(5),
            kind: None,
            max_token_length: 8192,
            schemes: vec!["Bearer".to_owned()],
            realm: None,
            cache: None,
        }
    }

    /// Adds another accepted value of the claim `iss`.
    pub fn or_issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuers.push(issuer.into());
        self
    }

    /// Adds another accepted value of the claim `aud`.
    pub fn or_audience(mut self, audience: impl Into<String>) -> Self {
        self.audiences.push(audience.into());
        self
    }

    /// Sets the accepted algorithms (RFC 7518, section 3.1). Default for public keys: RS256, RS384, RS512, PS256, PS384, PS512,
    /// ES256, ES384, `EdDSA` and Ed25519. Default for secrets: HS256.
    pub fn algorithms<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Self {
        self.algorithms = Some(names.into_iter().map(str::to_owned).collect());
        self
    }

    /// Sets the scopes that contracts of this application may require. Other scopes of a token are ignored. Default: none.
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the function that returns the scopes of a token. Default: the claim `scope` (RFC 8693), else the claim `scp`, as a
    /// list or as words with blanks between them.
    pub fn scopes_of(mut self, scopes_of: fn(&Json) -> Vec<String>) -> Self {
        self.scopes_of = scopes_of;
        self
    }

    /// Sets the type of the claims, which every token must fit. [`JwtCaller::claims_as`](super::JwtCaller::claims_as) returns them.
    pub fn claims<T: Contract>(mut self) -> Self {
        self.check_claims = Some(|claims| explain_without(Secrets::All, T::shape(), claims, true));
        self
    }

    /// Sets the accepted difference between the clocks of issuer and application. Default: 5 seconds, at most 5 minutes.
    pub fn clock_tolerance(mut self, tolerance: Duration) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Sets the required value of the header `typ`, such as `at+jwt` (RFC 9068). Default: a token may have no `typ`, `JWT` or
    /// `at+jwt`, so that tokens for other purposes are refused.
    pub fn token_type(mut self, name: impl Into<String>) -> Self {
        self.kind = Some(name.into());
        self
    }

    /// Sets the maximum length of a token in characters, from 64 to 65,536. Default: 8,192.
    pub fn max_token_length(mut self, characters: usize) -> Self {
        self.max_token_length = characters;
        self
    }

    /// Adds another accepted scheme of the header `authorization`, of any case. The scheme `Bearer` is always accepted.
    pub fn or_scheme(mut self, name: impl Into<String>) -> Self {
        self.schemes.push(name.into());
        self
    }

    /// Sets the name of the protected area in the header `www-authenticate`. Default: none.
    pub fn realm(mut self, name: impl Into<String>) -> Self {
        self.realm = Some(name.into());
        self
    }

    /// Sets the times of the cache for keys from a URL.
    pub fn key_cache(mut self, cache: KeyCache) -> Self {
        self.cache = Some(cache);
        self
    }

    /// Creates the verifier, without a request for keys.
    ///
    /// # Errors
    ///
    /// If an option is not valid, such as a secret that is too short.
    pub fn build(self) -> Result<Jwt, JwtOptionError> {
        let refused = |text: String| Err(JwtOptionError(format!("jwt: {text}")));
        for (option, names) in [("issuer", &self.issuers), ("audience", &self.audiences)] {
            if names.iter().any(String::is_empty) {
                return refused(format!(
                    "`{option}` must be a name, so that tokens for other applications are refused"
                ));
            }
        }
        if self.tolerance > Duration::from_secs(300) {
            return refused(format!(
                "`clock_tolerance` must be at most 300 s, not {:?}",
                self.tolerance
            ));
        }
        if !(64..=65_536).contains(&self.max_token_length) {
            return refused(format!(
                "`max_token_length` must be from 64 to 65536, not {}",
                self.max_token_length
            ));
        }
        if let Some(problem) = scope_problem(self.scopes.iter().map(String::as_str)) {
            return refused(problem);
        }
        let is_quotable = |text: &str| {
            let mut bytes = text.bytes();
            bytes.all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\'))
        };
        if let Some(realm) = self.realm.as_deref().filter(|realm| !is_quotable(realm)) {
            return refused(format!(
                "`realm` must be printable ASCII without quotes and backslashes, not {realm:?}"
            ));
        }
        let is_scheme = |name: &str| {
            name.starts_with(|first: char| first.is_ascii_alphabetic())
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        if let Some(name) = self.schemes.iter().find(|name| !is_scheme(name)) {
            return refused(format!("a scheme must be a name such as Token, not {name:?}"));
        }
        let algorithms = match self.read_algorithms() {
            Ok(algorithms) => algorithms,
            Err(text) => return refused(text),
        };
        let keys = match key_source(self.keys, self.cache, &algorithms) {
            Ok(keys) => keys,
            Err(text) => return refused(text),
        };
        let area = self
            .realm
            .map(|realm| format!(" realm=\"{realm}\""))
            .unwrap_or_default();
        let comma = if area.is_empty() { "" } else { "," };
        let challenge = |text: String| {
            HeaderValue::try_from(text)
                .map_err(|_| JwtOptionError("jwt: `realm` must be printable ASCII".to_owned()))
        };
        Ok(Jwt {
            rules: Rules {
                issuers: self.issuers,
                audiences: self.audiences,
                algorithms,
                tolerance: self.tolerance.as_secs_f64(),
                kind: self.kind.as_deref().map(token::media_type),
                max_length: self.max_token_length,
            },
            keys,
            schemes: self.schemes,
            scopes: self.scopes,
            scopes_of: self.scopes_of,
            check_claims: self.check_claims,
            missing: challenge(format!("Bearer{area}"))?,
            refused: challenge(format!(
                "Bearer{area}{comma} error=\"invalid_token\", error_description=\"The access token is not valid\""
            ))?,
        })
    }

    fn read_algorithms(&self) -> Result<Vec<Algorithm>, String> {
        let is_of_secrets = matches!(self.keys.0, Given::Secrets(_));
        let allowed = Algorithm::all(is_of_secrets);
        let Some(names) = &self.algorithms else {
            return Ok(if is_of_secrets {
                Algorithm::named("HS256").into_iter().collect()
            } else {
                allowed
            });
        };
        let found: Vec<_> = names
            .iter()
            .filter_map(|name| Algorithm::named(name).filter(|found| allowed.contains(found)))
            .collect();
        if !names.is_empty() && found.len() == names.len() {
            return Ok(found);
        }
        let allowed: Vec<_> = allowed.iter().map(|algorithm| algorithm.name()).collect();
        Err(format!(
            "`algorithms` must be of {}, because the keys are {}, not {names:?}",
            allowed.join(", "),
            if is_of_secrets { "secrets" } else { "public keys" }
        ))
    }
}

fn key_source(keys: JwtKeys, cache: Option<KeyCache>, algorithms: &[Algorithm]) -> Result<KeySource, String> {
    match keys.0 {
        Given::Url(url) => {
            let location = Location::read(&url).ok_or(
                "the URL of the keys must begin with https: and have no password; only localhost may be without TLS",
            )?;
            Ok(KeySource::Remote(RemoteKeys::new(
                location,
                cache.unwrap_or_default(),
            )))
        }
        _ if cache.is_some() => Err("`key_cache` needs a URL as `keys`".to_owned()),
        Given::Set(json) => Ok(KeySource::Set(
            KeySet::read(&json).map_err(|error| format!("`keys`: {error}"))?,
        )),
        Given::Secrets(secrets) => {
            if secrets.is_empty() || secrets.len() > MOST_CANDIDATES {
                return Err(format!(
                    "`keys` must have 1 to {MOST_CANDIDATES} secrets, not {}",
                    secrets.len()
                ));
            }
            for secret in &secrets {
                let long = algorithms
                    .iter()
                    .find(|algorithm| algorithm.hash_bytes() > secret.len());
                if let Some(algorithm) = long {
                    let least = algorithm.hash_bytes();
                    return Err(format!(
                        "the secret has {} bytes, and {} needs at least {least}; make one with: openssl rand -base64 {}",
                        secret.len(),
                        algorithm.name(),
                        least * 3 / 2
                    ));
                }
            }
            let secrets = secrets.iter().map(|secret| DecodingKey::from_secret(secret));
            Ok(KeySource::Secrets(secrets.collect()))
        }
    }
}
