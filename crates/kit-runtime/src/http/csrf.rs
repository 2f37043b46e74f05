//! Refuses requests that web pages of other sites make with the cookies of a user (CSRF). The counterpart for Node is
//! `packages/core/src/edge/csrf.ts`; both pass `conformance/csrf.json`.

use axum::http::{Method, StatusCode};

use super::cors::is_allowed;
use super::{Context, Error};
use crate::coerce;

/// Rules for requests of web pages. `kit build` generates the value from the option `csrf` of `createApp`, and validates
/// it.
///
/// ```
/// use kit_runtime::Csrf;
///
/// let csrf = Csrf::new().origins(&["https://app.example.com"]).token("__Host-csrf", "x-csrf-token");
/// # let _ = csrf;
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Csrf {
    origins: &'static [&'static str],
    /// Names of the cookie and of the header that contain the token. `None` if no token is required.
    token: Option<(&'static str, &'static str)>,
}

impl Default for Csrf {
    fn default() -> Self {
        Self::new()
    }
}

impl Csrf {
    /// Allows requests only from pages of the server's own origin.
    pub const fn new() -> Self {
        Self {
            origins: &[],
            token: None,
        }
    }

    /// Allows requests from pages of these origins too. `https://*.example.com` matches all subdomains of
    /// `example.com`.
    #[must_use]
    pub const fn origins(mut self, origins: &'static [&'static str]) -> Self {
        self.origins = origins;
        self
    }

    /// Requires a token for requests with cookies that have no header `sec-fetch-site` and no header
    /// `origin`: the request must repeat the value of the cookie in the header.
    #[must_use]
    pub const fn token(mut self, cookie: &'static str, header: &'static str) -> Self {
        self.token = Some((cookie, header));
        self
    }

    /// Checks a request.
    ///
    /// # Errors
    ///
    /// 403 if a web page of another site has sent the request, and if the request may change data.
    pub(super) fn check(&self, context: &Context) -> Result<(), Error> {
        if self.allows(context) {
            return Ok(());
        }
        Err(Error::new(
            StatusCode::FORBIDDEN,
            "CROSS_SITE_REQUEST",
            "The request comes from a web page of an origin that may not send such requests",
        ))
    }

    fn allows(&self, context: &Context) -> bool {
        let method = context.method();
        if [Method::GET, Method::HEAD, Method::OPTIONS, Method::TRACE].contains(method) {
            return true;
        }
        let site = context.header("sec-fetch-site");
        if matches!(site.as_deref(), Some("same-origin" | "none")) {
            return true;
        }
        let origin = context.header("origin");
        let is_listed = |origin: &str| self.origins.iter().any(|allowed| is_allowed(allowed, origin));
        if origin.as_deref().is_some_and(is_listed) {
            return true;
        }
        if site.is_some() {
            return false;
        }
        let Some(origin) = origin else {
            return self.has_token(context);
        };
        context.is_own_origin(&origin)
    }

    fn has_token(&self, context: &Context) -> bool {
        let (Some((cookie, header)), Some(cookies)) = (self.token, context.header("cookie")) else {
            return true;
        };
        let given = context.header(header).filter(|given| !given.is_empty());
        let value = coerce::cookies(&cookies).find_map(|(name, value)| (name == cookie).then_some(value));
        given.is_some_and(|given| value == Some(&*given))
    }
}
