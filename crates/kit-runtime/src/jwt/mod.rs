//! Access tokens: signed JSON Web Tokens (RFC 7519) in the header `authorization` (RFC 6750). The rules are those of `jwt`
//! of `@kit/auth`.

mod algorithm;
mod fetch;
mod keys;
mod options;
mod remote;
mod token;
mod weak_rsa;

use std::fmt;
use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use jsonwebtoken::DecodingKey;

use crate::check::Failure;
use crate::granted_scopes::known_scopes;
use crate::json::{Json, from_json};
use crate::{Caller, Contract, Error, Request};
use keys::KeySet;
use remote::RemoteKeys;
use token::Rules;

#[cfg(feature = "oidc")]
pub(crate) use fetch::Location;
pub use options::{JwtKeys, JwtOptionError, JwtOptions};
pub use remote::KeyCache;

enum KeySource {
    Secrets(Vec<DecodingKey>),
    Set(KeySet),
    Remote(Arc<RemoteKeys>),
}

/// Verifier of access tokens: the signature, issuer, audience, times and type. Tokens must have the claims `exp` and `sub`.
///
/// ```
/// use std::sync::LazyLock;
///
/// use kit_runtime::jwt::{Jwt, JwtCaller, JwtKeys, JwtOptionError, JwtOptions};
/// use kit_runtime::{Caller, Error, Middleware, Request};
///
/// pub fn tokens() -> Result<&'static Jwt, JwtOptionError> {
///     static TOKENS: LazyLock<Result<Jwt, JwtOptionError>> = LazyLock::new(|| {
///         let keys = JwtKeys::url("https://id.example/.well-known/jwks.json");
///         JwtOptions::new("https://id.example/", "https://api.example/", keys)
///             .scopes(["orders:read"])
///             .build()
///     });
///     TOKENS.as_ref().map_err(Clone::clone)
/// }
///
/// pub struct RequireAuth {
///     pub auth: JwtCaller,
/// }
///
/// impl Caller for RequireAuth {
///     fn has(&self, scope: &str) -> bool {
///         self.auth.has(scope)
///     }
/// }
///
/// impl<A: Sync> Middleware<A> for RequireAuth {
///     const NAME: &'static str = "requireAuth";
///
///     async fn run(_app: &A, request: &Request) -> Result<Self, Error> {
///         let auth = tokens()?.require(request).await?;
///         Ok(Self { auth })
///     }
/// }
///
/// /// Returns the id of the caller, if the request has a token.
/// async fn caller_of(request: &Request) -> Result<Option<String>, Error> {
///     let caller = tokens()?.read(request).await?;
///     Ok(caller.map(|caller| caller.subject().to_owned()))
/// }
///
/// /// Returns true if a message of a WebSocket is a valid token.
/// async fn is_token(message: &str) -> Result<bool, Error> {
///     Ok(tokens()?.verify(message).await.is_ok())
/// }
/// ```
pub struct Jwt {
    rules: Rules,
    keys: KeySource,
    /// Accepted schemes of the header `authorization`.
    schemes: Vec<String>,
    scopes: Vec<String>,
    scopes_of: fn(&Json) -> Vec<String>,
    check_claims: Option<fn(&Json) -> Vec<Failure>>,
    /// Challenge for a request without a token.
    missing: HeaderValue,
    /// Challenge for a request whose token is not valid.
    refused: HeaderValue,
}

/// Contains no keys.
impl fmt::Debug for Jwt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jwt").finish_non_exhaustive()
    }
}

/// Reason why a token does not name a caller. The texts contain no part of the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JwtError {
    /// The token is forged, expired, or not for this application.
    Invalid(String),
    /// The keys that verify tokens cannot be fetched.
    Unavailable {
        /// Seconds after which a client may try again.
        retry_after: u64,
        /// Host of the keys.
        host: String,
    },
}

impl fmt::Display for JwtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(reason) => f.write_str(reason),
            Self::Unavailable { host, .. } => write!(f, "The keys of {host} cannot be fetched"),
        }
    }
}

impl std::error::Error for JwtError {}

impl Jwt {
    /// Returns the caller of a request with a valid token.
    ///
    /// # Errors
    ///
    /// 401 `UNAUTHORIZED` if the request has no token, 401 `INVALID_TOKEN` if the token is not valid, and 503
    /// `SERVICE_UNAVAILABLE` if the keys cannot be fetched.
    pub async fn require(&self, request: &Request) -> Result<JwtCaller, Error> {
        let caller = self.read(request).await?;
        caller.ok_or_else(|| self.refuse_missing(request))
    }

    /// Returns the caller like [`Self::require`]. Returns `None` if the request has no header `authorization`.
    ///
    /// # Errors
    ///
    /// The same as those of [`Self::require`], if the request has the header.
    pub async fn read(&self, request: &Request) -> Result<Option<JwtCaller>, Error> {
        let Some(header) = request.header("authorization") else {
            return Ok(None);
        };
        let Some(token) = token::of_header(&header, &self.schemes) else {
            return Err(self.refuse_missing(request));
        };
        match self.verify(token).await {
            Ok(caller) => Ok(Some(caller)),
            Err(JwtError::Invalid(reason)) => {
                tracing::debug!(reason, "An access token was refused");
                request
                    .context()
                    .set_header(header::WWW_AUTHENTICATE, self.refused.clone());
                Err(Error::unauthorized(
                    "INVALID_TOKEN",
                    "The access token is not valid",
                ))
            }
            Err(JwtError::Unavailable { retry_after, .. }) => {
                request
                    .context()
                    .set_header(header::RETRY_AFTER, retry_after.into());
                let status = StatusCode::SERVICE_UNAVAILABLE;
                Err(Error::new(status, "SERVICE_UNAVAILABLE", "Service Unavailable"))
            }
        }
    }

    /// Returns the caller that a token names. Use this function for tokens from elsewhere, such as the first message of a
    /// WebSocket.
    ///
    /// # Errors
    ///
    /// If the token is not valid, or if the keys cannot be fetched.
    pub async fn verify(&self, token: &str) -> Result<JwtCaller, JwtError> {
        let invalid = |reason: &str| JwtError::Invalid(reason.to_owned());
        let parsed = self.rules.read(token).map_err(JwtError::Invalid)?;
        let remote;
        let candidates = match &self.keys {
            KeySource::Secrets(secrets) => secrets.iter().collect(),
            KeySource::Set(set) => set.find(parsed.algorithm, parsed.key_id()),
            KeySource::Remote(keys) => {
                let fits = |set: &KeySet| !set.find(parsed.algorithm, parsed.key_id()).is_empty();
                remote = keys.keys(fits).await.ok_or_else(|| JwtError::Unavailable {
                    retry_after: keys.retry_after(),
                    host: keys.host().to_owned(),
                })?;
                remote.find(parsed.algorithm, parsed.key_id())
            }
        };
        if candidates.is_empty() {
            return Err(invalid("No key fits the token"));
        }
        if !candidates.iter().any(|key| parsed.is_signed_by(key)) {
            return Err(invalid("The signature is not valid"));
        }
        let (claims, subject) = self.rules.claims(&parsed).map_err(JwtError::Invalid)?;
        let failures = self.check_claims.map(|check| check(&claims)).unwrap_or_default();
        if !failures.is_empty() {
            let paths: Vec<_> = failures
                .iter()
                .take(5)
                .map(|failure| failure.path.as_str())
                .collect();
            return Err(JwtError::Invalid(format!(
                "Claims break the rules of their type: {}",
                paths.join(", ")
            )));
        }
        let scopes = known_scopes((self.scopes_of)(&claims), |scope| {
            self.scopes.iter().any(|known| known == scope)
        });
        Ok(JwtCaller(Arc::new(Verified {
            subject,
            scopes,
            claims,
        })))
    }

    fn refuse_missing(&self, request: &Request) -> Error {
        request
            .context()
            .set_header(header::WWW_AUTHENTICATE, self.missing.clone());
        Error::unauthorized("UNAUTHORIZED", "Missing or invalid authorization header")
    }
}

/// Caller of a request with a valid token. Clones share their claims.
///
/// ```
/// use kit_runtime::Caller as _;
/// use kit_runtime::jwt::JwtCaller;
///
/// fn may_write(caller: &JwtCaller, owner: &str) -> bool {
///     caller.subject() == owner || caller.has("admin")
/// }
///
/// fn describe(caller: &JwtCaller) -> String {
///     format!("scopes {:?}, tenant {:?}", caller.scopes(), caller.claims().get("tenant"))
/// }
///
/// fn claims<T: kit_runtime::Contract>(caller: &JwtCaller) -> Result<T, kit_runtime::Error> {
///     caller.claims_as::<T>()
/// }
/// ```
#[derive(Clone)]
pub struct JwtCaller(Arc<Verified>);

struct Verified {
    subject: String,
    scopes: Vec<String>,
    claims: Json,
}

impl JwtCaller {
    /// Returns the claim `sub`: the id of the caller at the issuer. Unique only together with the issuer.
    pub fn subject(&self) -> &str {
        &self.0.subject
    }

    /// Returns the scopes of the token that the option `scopes` lists.
    pub fn scopes(&self) -> &[String] {
        &self.0.scopes
    }

    /// Returns all claims.
    pub fn claims(&self) -> &Json {
        &self.0.claims
    }

    /// Returns the claims as a value of their type.
    ///
    /// # Errors
    ///
    /// 500 if the claims do not fit the type. With the option [`JwtOptions::claims`] of the same type, they always fit.
    pub fn claims_as<T: Contract>(&self) -> Result<T, Error> {
        Ok(from_json(&self.0.claims)?)
    }
}

impl Caller for JwtCaller {
    fn has(&self, scope: &str) -> bool {
        self.0.scopes.iter().any(|known| known == scope)
    }
}

/// Contains no claims, because they may be hidden in the log.
impl fmt::Debug for JwtCaller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JwtCaller")
            .field("subject", &self.0.subject)
            .field("scopes", &self.0.scopes)
            .finish_non_exhaustive()
    }
}
