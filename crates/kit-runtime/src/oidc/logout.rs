//! Logout tokens, by which a provider says that a user has logged out elsewhere.

use crate::json::Json;
use crate::jwt::JwtCaller;

/// Event in the claim `events` of a logout token.
const EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";

/// Result of [`Oidc::verify_logout`](super::Oidc::verify_logout).
///
/// ```
/// use kit_runtime::oidc::OidcLogout;
///
/// fn describe(logout: &OidcLogout) -> String {
///     format!("{} has logged out of {:?}", logout.subject(), logout.session_id())
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OidcLogout {
    subject: String,
    session_id: Option<String>,
}

impl OidcLogout {
    /// Reads the claims of a logout token whose signature was verified. The event distinguishes a logout token from other
    /// tokens with the same signature.
    ///
    /// # Errors
    ///
    /// The reason, if the claims are not those of a logout token (Back-Channel Logout 1.0, section 2.6).
    pub(super) fn of_token(token: &JwtCaller) -> Result<Self, &'static str> {
        let claims = token.claims();
        if claims.get("nonce").is_some() {
            return Err("A logout token has no claim `nonce`");
        }
        let event = claims.get("events").and_then(|events| events.get(EVENT));
        if !matches!(event, Some(Json::Object(_))) {
            return Err("The claim `events` has no event of a logout token");
        }
        let session_id = match claims.get("sid") {
            None => None,
            Some(Json::String(id)) => Some(id.clone()),
            Some(_) => return Err("The claim `sid` must be a string"),
        };
        Ok(Self {
            subject: token.subject().to_owned(),
            session_id,
        })
    }

    /// Returns the claim `sub`: the id of the user at the provider.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns the claim `sid`: the id of the session at the provider. `None` if the provider sends none.
    pub fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }
}
