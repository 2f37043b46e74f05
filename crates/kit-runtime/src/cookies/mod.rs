//! Cookies that handlers and middleware set, with safe defaults and signatures. The counterpart for Node is
//! `packages/core/src/cookies`; both pass `conformance/set-cookies.json`.

mod attributes;
mod signature;
mod writer;

use std::fmt;

use crate::Timestamp;

pub use signature::CookieKeys;
pub use writer::{Cookies, SetCookie};

/// A cookie for [`crate::Context::set_cookie`]. The defaults are safe: scripts cannot read the cookie (`HttpOnly`),
/// browsers send it over HTTPS only (`Secure`, except in development) and with no request that another site starts,
/// except for navigation (`SameSite=Lax`), for every path (`Path=/`) of this host.
///
/// ```
/// use kit_runtime::{Cookie, SameSite};
///
/// let session = Cookie::new("__Host-sid", "a1b2c3").max_age_seconds(3600).signed();
/// let theme = Cookie::new("theme", "dark").readable_by_scripts().same_site(SameSite::Strict);
/// let ended = Cookie::deleted("__Host-sid");
/// # let _ = (session, theme, ended);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Cookie {
    name: String,
    /// Value of the cookie. `None` makes browsers delete the cookie.
    value: Option<String>,
    max_age_seconds: Option<u64>,
    expires: Option<Timestamp>,
    path: String,
    domain: Option<String>,
    /// True to send the cookie over HTTPS only. With `None`, the environment decides: false in development,
    /// otherwise true.
    secure: Option<bool>,
    http_only: bool,
    same_site: SameSite,
    partitioned: bool,
    signed: bool,
}

/// Requests from pages of other sites with which browsers send a cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SameSite {
    /// Browsers send the cookie only with requests from pages of the same site.
    Strict,
    /// Browsers also send the cookie if a user opens a link to the site on a page of another site.
    #[default]
    Lax,
    /// Browsers send the cookie with all requests. A cookie with this value has the attribute `Secure`.
    None,
}

impl Cookie {
    /// Creates a cookie. Percent-encodes the characters of the value that are not allowed in cookies.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self::with(name.into(), Some(value.into()))
    }

    /// Creates a cookie that makes browsers delete the cookie of this name. Set the path and the domain with which it
    /// was set.
    pub fn deleted(name: impl Into<String>) -> Self {
        Self::with(name.into(), None)
    }

    fn with(name: String, value: Option<String>) -> Self {
        Self {
            name,
            value,
            max_age_seconds: None,
            expires: None,
            path: "/".to_owned(),
            domain: None,
            secure: None,
            http_only: true,
            same_site: SameSite::Lax,
            partitioned: false,
            signed: false,
        }
    }

    /// Sets the time until the cookie expires. Without a time, the cookie ends with the browser's session.
    #[must_use]
    pub fn max_age_seconds(mut self, seconds: u64) -> Self {
        self.max_age_seconds = Some(seconds);
        self
    }

    /// Sets the time at which the cookie expires. If the maximum age is set too, browsers use the maximum age.
    ///
    /// ```
    /// use kit_runtime::{Cookie, Timestamp};
    ///
    /// let end = Timestamp::from_unix_millis(1_767_225_600_000)?;
    /// let notice = Cookie::new("notice", "seen").expires(end).path("/shop");
    /// # let _ = notice;
    /// # Ok::<(), kit_runtime::TimestampError>(())
    /// ```
    #[must_use]
    pub fn expires(mut self, time: Timestamp) -> Self {
        self.expires = Some(time);
        self
    }

    /// Sets the path below which browsers send the cookie.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Sets the domain whose hosts all receive the cookie. Without a domain, only the host that sets the cookie receives
    /// it.
    ///
    /// ```
    /// use kit_runtime::Cookie;
    ///
    /// let theme = Cookie::new("theme", "dark").domain("example.com").secure(true);
    /// # let _ = theme;
    /// ```
    #[must_use]
    pub fn domain(mut self, domain: impl Into<String>) -> Self {
        self.domain = Some(domain.into());
        self
    }

    /// Determines if browsers send the cookie over HTTPS only. Default: true, but false if `NODE_ENV` is `development`.
    #[must_use]
    pub fn secure(mut self, is_secure: bool) -> Self {
        self.secure = Some(is_secure);
        self
    }

    /// Lets scripts of the page read the cookie.
    #[must_use]
    pub fn readable_by_scripts(mut self) -> Self {
        self.http_only = false;
        self
    }

    /// Sets the requests of other sites with which browsers send the cookie.
    #[must_use]
    pub fn same_site(mut self, same_site: SameSite) -> Self {
        self.same_site = same_site;
        self
    }

    /// Gives an embedded page a separate cookie for each site that embeds the page. Makes the cookie secure.
    ///
    /// ```
    /// use kit_runtime::{Cookie, SameSite};
    ///
    /// let chat = Cookie::new("__Host-chat", "a1b2c3").same_site(SameSite::None).partitioned();
    /// # let _ = chat;
    /// ```
    #[must_use]
    pub fn partitioned(mut self) -> Self {
        self.partitioned = true;
        self
    }

    /// Adds a signature, so that [`crate::Context::signed_cookie`] detects values that the application has not set. Needs
    /// keys in `KIT_COOKIE_KEYS`. The value stays readable for the client.
    #[must_use]
    pub fn signed(mut self) -> Self {
        self.signed = true;
        self
    }
}

/// Shows no value, because it may be a secret.
impl fmt::Debug for Cookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cookie")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
