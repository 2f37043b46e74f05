//! Login at an identity provider by `OpenID` Connect: authorization code with PKCE, state and nonce. The cookie and the rules
//! are those of `createOidc` of `@kit/auth`, so that a login can begin on a server of one kind and end on the other.

mod logout;
mod options;
mod pending;
mod provider;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use indexmap::IndexMap;
use sha2_v10::{Digest as _, Sha256};

use crate::bytes::base64url;
use crate::coerce::decode_query_component;
use crate::json::Json;
use crate::jwt::{JwtError, Location};
use crate::{Context, Cookie, Error, Timestamp};
use pending::Pending;
use provider::{Provider, Refusal, with_query};

pub use logout::OidcLogout;
pub use options::OidcOptions;

/// Returns the reason for which the application cannot set a parameter of the request, or `None` if the application can.
fn reserved(parameter: &str) -> Option<&'static str> {
    match parameter {
        "client_id"
        | "response_type"
        | "redirect_uri"
        | "state"
        | "nonce"
        | "code_challenge"
        | "code_challenge_method" => Some("kit sets this parameter"),
        "scope" => Some("set the option `scope` of OidcOptions"),
        "max_age" => Some("kit does not verify the claim `auth_time`; use `prompt=login`"),
        _ => None,
    }
}

/// Parameters of responses of other flows, in which the browser has seen the tokens.
const OTHER_FLOWS: [&str; 3] = ["id_token", "token", "response"];

/// Logins at an identity provider. The metadata of the provider is fetched at the first login. Needs keys in
/// `KIT_COOKIE_KEYS`.
///
/// ```
/// use std::sync::LazyLock;
///
/// use kit_runtime::oidc::{Oidc, OidcLogin, OidcOptions, OidcStart, OidcTokens};
/// use kit_runtime::{Context, Error, OptionError};
///
/// fn oidc() -> Result<&'static Oidc, OptionError> {
///     static OIDC: LazyLock<Result<Oidc, OptionError>> = LazyLock::new(|| {
///         OidcOptions::new("https://id.example/", "shop", "https://shop.example/callback")
///             .client_secret("the secret of this application at the provider")
///             .build()
///     });
///     OIDC.as_ref().map_err(Clone::clone)
/// }
///
/// /// Returns the URL to which the browser is redirected.
/// async fn begin(context: &Context, return_to: &str) -> Result<String, Error> {
///     oidc()?.start(context, OidcStart::to(return_to)).await
/// }
///
/// /// Ends the login in the handler of the callback, whose query has `code` and `state`.
/// async fn end(context: &Context) -> Result<OidcLogin, Error> {
///     oidc()?.finish(context).await
/// }
///
/// async fn refresh(login: &OidcLogin) -> Result<Option<OidcTokens>, Error> {
///     let Some(token) = login.tokens().refresh_token() else { return Ok(None) };
///     oidc()?.refresh(token, login.subject()).await.map(Some)
/// }
///
/// /// Returns the URL at which the browser logs out at the provider.
/// async fn after_logout(id_token: &str) -> Result<Option<String>, Error> {
///     oidc()?.logout_url(id_token, "https://shop.example/").await
/// }
///
/// /// Returns the user whose sessions end, because the provider has logged the user out.
/// async fn logged_out(logout_token: &str) -> Result<String, Error> {
///     Ok(oidc()?.verify_logout(logout_token).await?.subject().to_owned())
/// }
/// ```
pub struct Oidc {
    issuer: String,
    metadata: Location,
    client: Client,
    redirect_uri: String,
    scope: String,
    cookie: String,
    login_time: Duration,
    clock_tolerance: Duration,
    provider: Mutex<Option<Arc<Provider>>>,
}

/// This application as the provider knows it.
struct Client {
    id: String,
    secret: Option<String>,
    /// Longest time of one request to the provider.
    timeout: Duration,
}

/// Contains no secret.
impl fmt::Debug for Oidc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Oidc")
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

impl Oidc {
    /// Begins a login: sets the cookie, and returns the URL of the provider to redirect the browser to. A second login in the
    /// same browser replaces the first.
    ///
    /// # Errors
    ///
    /// 400 `INVALID_RETURN_PATH` if the path after the login leads to another origin, 500 if a parameter cannot be set
    /// or if there are no keys for cookies, and 503 if the provider does not answer.
    pub async fn start(&self, context: &Context, start: OidcStart) -> Result<String, Error> {
        let OidcStart {
            return_to,
            parameters,
        } = start;
        for (name, _) in &parameters {
            if let Some(reason) = reserved(name) {
                return Err(Error::internal(format!(
                    "Oidc::start: remove the parameter `{name}`: {reason}"
                )));
            }
        }
        let pending = Pending::new(return_to, self.login_time)?;
        let provider = self.provider().await?;
        let challenge = base64url(&Sha256::digest(&pending.verifier));
        let own = [
            ("client_id", self.client.id.as_str()),
            ("response_type", "code"),
            ("redirect_uri", self.redirect_uri.as_str()),
            ("scope", self.scope.as_str()),
            ("state", pending.state.as_str()),
            ("nonce", pending.nonce.as_str()),
            ("code_challenge", challenge.as_str()),
            ("code_challenge_method", "S256"),
        ];
        let given = parameters
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let url = with_query(provider.authorization(), own.into_iter().chain(given));
        let cookie = Cookie::new(&*self.cookie, serde_json::to_string(&pending)?)
            .max_age_seconds(self.login_time.as_secs())
            .signed();
        context.set_cookie(&cookie)?;
        Ok(url)
    }

    /// Ends a login in the callback route: verifies the response of the provider in the query of the request, and returns the
    /// user and the tokens.
    ///
    /// # Errors
    ///
    /// 400 `LOGIN_EXPIRED` if this browser has begun no login, or too long ago; 401 `LOGIN_REFUSED` if the provider refuses the
    /// user, or if its response is not valid; 503 if the provider does not answer.
    pub async fn finish(&self, context: &Context) -> Result<OidcLogin, Error> {
        let pending = context
            .signed_cookie(&self.cookie)?
            .and_then(|text| Pending::read(&text));
        context.set_cookie(&Cookie::deleted(&*self.cookie))?;
        let Some(pending) = pending else {
            return Err(Error::new(
                StatusCode::BAD_REQUEST,
                "LOGIN_EXPIRED",
                "There is no login in progress, start again",
            ));
        };
        let provider = self.provider().await?;
        let ended = self.verify_response(&provider, context.query(), &pending).await;
        let (tokens, claims, subject) =
            ended.map_err(|refusal| refusal.into_error("The login is not valid, start again"))?;
        Ok(OidcLogin {
            subject,
            claims,
            tokens,
            return_to: pending.return_to,
        })
    }

    /// Returns new tokens. A provider may replace the refresh token too, so store the result. `subject` is the id of the user at
    /// the provider.
    ///
    /// # Errors
    ///
    /// 401 `LOGIN_REFUSED` if the refresh token has ended, or belongs to another user; 503 if the provider does not answer.
    pub async fn refresh(&self, refresh_token: &str, subject: &str) -> Result<OidcTokens, Error> {
        let provider = self.provider().await?;
        let refreshed = self.refreshed(&provider, refresh_token, subject).await;
        refreshed.map_err(|refusal| refusal.into_error("The login has ended, log in again"))
    }

    /// Returns the URL at which the browser logs out at the provider, or `None` if the provider has none. End the own session
    /// first.
    ///
    /// # Errors
    ///
    /// 503 if the provider does not answer.
    pub async fn logout_url(&self, id_token: &str, return_to: &str) -> Result<Option<String>, Error> {
        let provider = self.provider().await?;
        let parameters = [
            ("id_token_hint", id_token),
            ("post_logout_redirect_uri", return_to),
            ("client_id", &self.client.id),
        ];
        Ok(provider
            .end_session()
            .map(|endpoint| with_query(endpoint, parameters)))
    }

    /// Verifies the logout token that the provider sends to this application when a user logs out elsewhere (`OpenID` Connect
    /// Back-Channel Logout 1.0). End the sessions of the subject then. A token without the claim `sub` is refused.
    ///
    /// # Errors
    ///
    /// 400 `LOGOUT_REFUSED` if the token is not valid, and 503 if the provider does not answer.
    pub async fn verify_logout(&self, logout_token: &str) -> Result<OidcLogout, Error> {
        let provider = self.provider().await?;
        provider
            .verify_logout(logout_token)
            .await
            .map_err(|error| match error {
                JwtError::Invalid(reason) => {
                    tracing::debug!(reason, "A logout token was refused");
                    Error::bad_request("LOGOUT_REFUSED", "The logout token is not valid")
                }
                JwtError::Unavailable { .. } => provider::unavailable(&self.issuer, &error.to_string()),
            })
    }

    /// Returns the provider, whose metadata is fetched once. Requests that need the metadata at the same time do not wait for
    /// each other.
    async fn provider(&self) -> Result<Arc<Provider>, Error> {
        let known = self
            .provider
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some(known) = known {
            return Ok(known);
        }
        let found = Provider::discover(&self.metadata, &self.issuer, &self.client, self.clock_tolerance)
            .await
            .map_err(|reason| provider::unavailable(&self.issuer, &reason))?;
        let found = Arc::new(found);
        *self.provider.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&found));
        Ok(found)
    }

    async fn verify_response(
        &self,
        provider: &Provider,
        query: &str,
        pending: &Pending,
    ) -> Result<(OidcTokens, Json, String), Refusal> {
        let code = provider.code_of(&read_response(query)?, &pending.state)?;
        let form = [
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("redirect_uri", &self.redirect_uri),
            ("code_verifier", &pending.verifier),
        ];
        let tokens = provider.tokens(&self.client, &form).await?;
        let id_token = tokens
            .id_token
            .as_deref()
            .ok_or_else(|| Refusal::Wrong("The response has no ID token".to_owned()))?;
        // The signature is verified too, although the token comes from the provider by TLS.
        let verified = provider.verify(&self.client, id_token).await?;
        if verified.claims().get("nonce") != Some(&Json::String(pending.nonce.clone())) {
            return Err(Refusal::invalid("The ID token belongs to another login"));
        }
        let subject = verified.subject().to_owned();
        Ok((tokens, verified.claims().clone(), subject))
    }

    async fn refreshed(
        &self,
        provider: &Provider,
        refresh_token: &str,
        subject: &str,
    ) -> Result<OidcTokens, Refusal> {
        let form = [("grant_type", "refresh_token"), ("refresh_token", refresh_token)];
        let mut tokens = provider.tokens(&self.client, &form).await?;
        if let Some(id_token) = &tokens.id_token {
            let verified = provider.verify(&self.client, id_token).await?;
            // OpenID Connect Core, section 12.2.
            if verified.subject() != subject {
                return Err(Refusal::invalid("The ID token is about another user"));
            }
        }
        // Without a new refresh token, the old one stays valid (RFC 6749, section 6).
        tokens
            .refresh_token
            .get_or_insert_with(|| refresh_token.to_owned());
        Ok(tokens)
    }
}

/// Reads the parameters of the provider's response. A repeated parameter is refused, because its meaning is not clear.
fn read_response(query: &str) -> Result<IndexMap<String, String>, Refusal> {
    let mut parameters = IndexMap::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = decode_query_component(name).into_owned();
        if OTHER_FLOWS.contains(&name.as_str()) {
            return Err(Refusal::invalid("The response belongs to another flow"));
        }
        let value = decode_query_component(value).into_owned();
        if parameters.insert(name, value).is_some() {
            return Err(Refusal::invalid("The response has a parameter twice"));
        }
    }
    Ok(parameters)
}

/// Path after a login, and further parameters of the request to the provider.
///
/// ```
/// use kit_runtime::oidc::OidcStart;
///
/// let start = OidcStart::to("/orders?page=2").parameter("prompt", "consent");
/// # drop(start);
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct OidcStart {
    return_to: String,
    parameters: Vec<(String, String)>,
}

/// The login returns to the path `/`.
impl Default for OidcStart {
    fn default() -> Self {
        Self::to("/")
    }
}

impl OidcStart {
    /// Sets the path of this application to return to after the login.
    pub fn to(path: impl Into<String>) -> Self {
        Self {
            return_to: path.into(),
            parameters: Vec::new(),
        }
    }

    /// Adds a parameter, such as `prompt` or `login_hint`.
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }
}

/// Result of a login.
///
/// ```
/// use kit_runtime::json::Json;
/// use kit_runtime::oidc::OidcLogin;
///
/// fn describe(login: &OidcLogin) -> (&str, Option<&Json>, &str) {
///     (login.subject(), login.claims().get("email"), login.return_to())
/// }
/// ```
#[derive(Clone)]
pub struct OidcLogin {
    subject: String,
    claims: Json,
    tokens: OidcTokens,
    return_to: String,
}

impl OidcLogin {
    /// Returns the claim `sub`: the id of the user at the provider.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns the claims of the ID token (`OpenID` Connect Core, section 2).
    pub fn claims(&self) -> &Json {
        &self.claims
    }

    /// Returns the tokens of the user. Keep them on the server, such as in the data of a session.
    pub fn tokens(&self) -> &OidcTokens {
        &self.tokens
    }

    /// Returns the path to which the application sends the browser, from [`OidcStart`].
    pub fn return_to(&self) -> &str {
        &self.return_to
    }
}

/// Contains no claims and no tokens, because they may be hidden in the log.
impl fmt::Debug for OidcLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OidcLogin")
            .field("subject", &self.subject)
            .finish_non_exhaustive()
    }
}

/// Tokens of a user.
///
/// ```
/// use kit_runtime::Timestamp;
/// use kit_runtime::oidc::OidcTokens;
///
/// /// Returns the tokens that a session keeps.
/// fn kept(tokens: &OidcTokens) -> (Option<&str>, Option<&str>) {
///     (tokens.id_token(), tokens.refresh_token())
/// }
///
/// fn current(tokens: &OidcTokens) -> Option<&str> {
///     let is_over = tokens.expires_at().is_some_and(|end| end <= Timestamp::now());
///     (!is_over).then(|| tokens.access_token())
/// }
/// ```
#[derive(Clone)]
pub struct OidcTokens {
    access_token: String,
    id_token: Option<String>,
    refresh_token: Option<String>,
    expires_at: Option<Timestamp>,
}

impl OidcTokens {
    /// Returns the access token.
    pub fn access_token(&self) -> &str {
        &self.access_token
    }

    /// Returns the ID token, for [`Oidc::logout_url`]. `None` if a refresh gave none.
    pub fn id_token(&self) -> Option<&str> {
        self.id_token.as_deref()
    }

    /// Returns the refresh token.
    pub fn refresh_token(&self) -> Option<&str> {
        self.refresh_token.as_deref()
    }

    /// Returns the time at which the access token expires. `None` if the provider sent no time.
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.expires_at
    }
}

/// Contains no tokens.
impl fmt::Debug for OidcTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OidcTokens")
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{read_response, reserved};

    #[test]
    fn refuses_responses_with_repeated_parameters_and_of_other_flows() {
        let read = |query: &str| read_response(query).ok();
        let found = read("code=a%20b+c&state=s").expect("a response");
        assert_eq!(found.get("code").map(String::as_str), Some("a b c"));
        for query in ["code=a&code=b", "state=s&id_token=t", "token=t", "response=r"] {
            assert!(read(query).is_none(), "{query}");
        }
    }

    #[test]
    fn parameters_that_protect_the_login_cannot_be_set() {
        for name in ["state", "nonce", "redirect_uri", "code_challenge"] {
            assert_eq!(reserved(name), Some("kit sets this parameter"), "{name}");
        }
        assert!(reserved("scope").is_some_and(|reason| reason.contains("option `scope`")));
        assert!(reserved("max_age").is_some_and(|reason| reason.contains("`auth_time`")));
        assert_eq!(reserved("prompt"), None);
    }
}
