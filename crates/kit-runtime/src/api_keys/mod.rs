//! API keys. The keys, their hashes and the rules are those of `createApiKey` and `apiKeys` of `@kit/auth`.

mod key;

use std::fmt;

use axum::http::{HeaderName, HeaderValue, header};
use hmac_v12::digest::Output;
use sha2_v10::{Digest as _, Sha256};

use crate::bytes::from_base64url;
use crate::granted_scopes::{known_scopes, scope_problem};
use crate::option_error::OptionError;
use crate::{Caller, Error, Request, Timestamp};

pub use key::{NewApiKey, create_api_key, hash_api_key};

/// Challenge of a 401 response. No registered scheme describes a key in a header of its own.
const CHALLENGE: HeaderValue = HeaderValue::from_static("ApiKey");

/// API key as the application stores it, beside its id.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredApiKey {
    /// Hash of the key, from [`create_api_key`].
    pub hash: String,
    /// Id of the owner.
    pub subject: String,
    /// Scopes of the key.
    pub scopes: Vec<String>,
    /// Time at which the key ends. `None`: never.
    pub expires_at: Option<Timestamp>,
}

/// Contains no hash.
impl fmt::Debug for StoredApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredApiKey")
            .field("subject", &self.subject)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

/// Options of [`ApiKeys`].
///
/// ```
/// use kit_runtime::api_keys::ApiKeyOptions;
///
/// let keys = ApiKeyOptions::new("shop").header("x-shop-key").scopes(["orders:read"]).build()?;
/// # let _ = keys;
/// # Ok::<(), kit_runtime::OptionError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ApiKeyOptions {
    prefix: String,
    header: String,
    scopes: Vec<String>,
}

impl ApiKeyOptions {
    /// Sets the prefix of the keys, the same as for [`create_api_key`].
    pub fn new(prefix: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
            header: "x-api-key".to_owned(),
            scopes: Vec::new(),
        }
    }

    /// Sets the name of the request header with the key. Default: `x-api-key`.
    pub fn header(mut self, name: impl Into<String>) -> Self {
        self.header = name.into();
        self
    }

    /// Sets the scopes that contracts of this application may require. Other scopes of a key are ignored. Default: none.
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Creates the check of keys.
    ///
    /// # Errors
    ///
    /// If an option is not valid.
    pub fn build(self) -> Result<ApiKeys, OptionError> {
        key::check_prefix(&self.prefix)?;
        let refused = |problem: String| OptionError::new("API keys", problem);
        let is_short = self.header.len() <= 50
            && self
                .header
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let name = HeaderName::try_from(&self.header).ok().filter(|name| {
            // `authorization` has schemes, and browsers send `cookie` without a decision of the page.
            is_short && *name != header::AUTHORIZATION && *name != header::COOKIE
        });
        let header = name.ok_or_else(|| {
            refused(format!(
                "`header` must be a header name other than authorization and cookie, such as x-api-key, not {:?}",
                self.header
            ))
        })?;
        if let Some(problem) = scope_problem(self.scopes.iter().map(String::as_str)) {
            return Err(refused(problem));
        }
        Ok(ApiKeys {
            prefix: self.prefix,
            header,
            scopes: self.scopes,
        })
    }
}

/// Check of the API keys of requests.
///
/// ```
/// use std::sync::LazyLock;
///
/// use kit_runtime::api_keys::{ApiKeyCaller, ApiKeyOptions, ApiKeys, StoredApiKey};
/// use kit_runtime::{Caller, Error, Middleware, OptionError, Request};
/// use sqlx::PgPool;
///
/// pub struct App {
///     pub pool: PgPool,
/// }
///
/// fn keys() -> Result<&'static ApiKeys, OptionError> {
///     static KEYS: LazyLock<Result<ApiKeys, OptionError>> =
///         LazyLock::new(|| ApiKeyOptions::new("shop").scopes(["orders:read"]).build());
///     KEYS.as_ref().map_err(Clone::clone)
/// }
///
/// async fn find(pool: &PgPool, id: String) -> Result<Option<StoredApiKey>, Error> {
///     let query = sqlx::query_as("SELECT hash, subject, scopes, expires_at FROM api_keys WHERE id = $1").bind(id);
///     let row = query.fetch_optional(pool).await?;
///     Ok(row.map(|(hash, subject, scopes, expires_at)| StoredApiKey { hash, subject, scopes, expires_at }))
/// }
///
/// pub struct RequireKey {
///     pub auth: ApiKeyCaller,
/// }
///
/// impl Caller for RequireKey {
///     fn has(&self, scope: &str) -> bool {
///         self.auth.has(scope)
///     }
/// }
///
/// impl Middleware<App> for RequireKey {
///     const NAME: &'static str = "requireKey";
///
///     async fn run(app: &App, request: &Request) -> Result<Self, Error> {
///         let auth = keys()?.require(request, |id| find(&app.pool, id)).await?;
///         Ok(Self { auth })
///     }
/// }
/// ```
#[derive(Debug, Clone)]
pub struct ApiKeys {
    prefix: String,
    header: HeaderName,
    scopes: Vec<String>,
}

impl ApiKeys {
    /// Returns the owner of the request's key. `find` returns the stored key with an id, or `None`.
    ///
    /// # Errors
    ///
    /// 401 `UNAUTHORIZED` if the request has no key, 401 `INVALID_API_KEY` if the key does not exist or has ended, and the
    /// error of `find`.
    pub async fn require<Found>(
        &self,
        request: &Request,
        find: impl FnOnce(String) -> Found,
    ) -> Result<ApiKeyCaller, Error>
    where
        Found: Future<Output = Result<Option<StoredApiKey>, Error>>,
    {
        let refuse = |code: &'static str, message: String| {
            request.context().set_header(header::WWW_AUTHENTICATE, CHALLENGE);
            Error::unauthorized(code, message)
        };
        let Some(key) = request.header(self.header.as_str()) else {
            return Err(refuse("UNAUTHORIZED", format!("Missing header {}", self.header)));
        };
        let id = key::id_of(&self.prefix, &key).map(str::to_owned);
        let stored = match &id {
            Some(id) => find(id.clone()).await?,
            None => None,
        };
        let is_right = is_hash_of(stored.as_ref(), &key);
        match (id, stored) {
            (Some(id), Some(stored)) if is_right && !has_ended(&stored) => Ok(ApiKeyCaller {
                id,
                scopes: known_scopes(stored.scopes, |scope| {
                    self.scopes.iter().any(|known| known == scope)
                }),
                subject: stored.subject,
                expires_at: stored.expires_at,
            }),
            _ => Err(refuse("INVALID_API_KEY", "The API key is not valid".to_owned())),
        }
    }
}

/// Owner of a valid API key.
///
/// ```
/// use kit_runtime::Caller as _;
/// use kit_runtime::api_keys::ApiKeyCaller;
///
/// fn may_write(caller: &ApiKeyCaller) -> bool {
///     caller.has("orders:write")
/// }
///
/// fn describe(caller: &ApiKeyCaller) -> String {
///     let (id, owner) = (caller.id(), caller.subject());
///     format!("{id} of {owner}, scopes {:?}, until {:?}", caller.scopes(), caller.expires_at())
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKeyCaller {
    id: String,
    subject: String,
    scopes: Vec<String>,
    expires_at: Option<Timestamp>,
}

impl ApiKeyCaller {
    /// Returns the id of the key.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the id of the owner.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns the scopes of the key that the option `scopes` lists.
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// Returns the time at which the key ends. `None`: never.
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.expires_at
    }
}

impl Caller for ApiKeyCaller {
    fn has(&self, scope: &str) -> bool {
        self.scopes.iter().any(|known| known == scope)
    }
}

/// Returns true if a key has the stored hash. Takes the same time if there is no stored key, so that the time does not show
/// which ids exist.
fn is_hash_of(stored: Option<&StoredApiKey>, key: &str) -> bool {
    let expected = stored
        .and_then(|stored| from_base64url(&stored.hash))
        .unwrap_or_default();
    let mut bytes = Output::<Sha256>::default();
    let has_length = bytes.len() == expected.len();
    if has_length {
        bytes.copy_from_slice(&expected);
    }
    // The type compares in constant time.
    let actual = hmac_v12::digest::CtOutput::<Sha256>::new(Sha256::digest(key.as_bytes()));
    let is_equal = actual == hmac_v12::digest::CtOutput::new(bytes);
    is_equal && has_length && stored.is_some()
}

fn has_ended(key: &StoredApiKey) -> bool {
    key.expires_at.is_some_and(|end| end <= Timestamp::now())
}

#[cfg(test)]
mod tests {
    use super::{ApiKeyOptions, StoredApiKey, create_api_key, is_hash_of};

    #[test]
    fn refuses_options_that_are_not_valid() {
        for (options, message) in [
            (ApiKeyOptions::new("Shop"), "the prefix must have"),
            (
                ApiKeyOptions::new("shop").header("authorization"),
                "other than authorization",
            ),
            (
                ApiKeyOptions::new("shop").header("Cookie"),
                "other than authorization",
            ),
            (
                ApiKeyOptions::new("shop").header("a b"),
                "other than authorization",
            ),
            (ApiKeyOptions::new("shop").header(""), "other than authorization"),
            (ApiKeyOptions::new("shop").scopes([""]), "names of 1 to 200"),
        ] {
            let Err(error) = options.build() else {
                panic!("{message}: the option was accepted");
            };
            assert!(error.to_string().contains(message), "{error}");
        }
    }

    #[test]
    fn accepts_only_the_key_of_a_hash() {
        let (Ok(one), Ok(other)) = (create_api_key("shop"), create_api_key("shop")) else {
            panic!("the prefix is valid");
        };
        let stored = |hash: &str| StoredApiKey {
            hash: hash.to_owned(),
            subject: "ada".to_owned(),
            scopes: Vec::new(),
            expires_at: None,
        };
        assert!(is_hash_of(Some(&stored(&one.hash)), &one.key));
        assert!(!is_hash_of(Some(&stored(&other.hash)), &one.key));
        assert!(!is_hash_of(Some(&stored(&one.hash[1..])), &one.key));
        assert!(!is_hash_of(Some(&stored("")), &one.key));
        assert!(!is_hash_of(None, &one.key));
    }
}
