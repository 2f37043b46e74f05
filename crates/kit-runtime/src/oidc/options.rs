//! Options of logins at an identity provider.

use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use super::{Client, Oidc};
use crate::jwt::Location;
use crate::option_error::OptionError;

/// Bounds of the times that options set.
const LOGIN_TIMES: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(3600)];
const TIMEOUTS: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(60)];
const LONGEST_TOLERANCE: Duration = Duration::from_secs(300);

/// Options of [`Oidc`].
///
/// ```
/// use std::time::Duration;
///
/// use kit_runtime::oidc::OidcOptions;
///
/// let oidc = OidcOptions::new("https://id.example/", "shop", "https://shop.example/callback")
///     .client_secret("the secret of this application at the provider")
///     .scope("openid offline_access")
///     .cookie("__Host-login")
///     .login_time(Duration::from_secs(300))
///     .clock_tolerance(Duration::from_secs(10))
///     .timeout(Duration::from_secs(2))
///     .build()?;
/// # drop(oidc);
/// assert!(OidcOptions::new("http://id.example/", "shop", "https://shop.example/callback").build().is_err());
/// # Ok::<(), kit_runtime::OptionError>(())
/// ```
#[must_use]
pub struct OidcOptions {
    issuer: String,
    client_id: String,
    client_secret: Option<String>,
    redirect_uri: String,
    scope: String,
    cookie: String,
    login_time: Duration,
    clock_tolerance: Duration,
    timeout: Duration,
}

/// Contains no secret.
impl fmt::Debug for OidcOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OidcOptions")
            .field("issuer", &self.issuer)
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}

impl OidcOptions {
    /// Sets the issuer of the provider, whose metadata is at `/.well-known/openid-configuration`, the id of this application at
    /// the provider, and the URL of the callback route, as it is registered at the provider.
    pub fn new(
        issuer: impl Into<String>,
        client_id: impl Into<String>,
        redirect_uri: impl Into<String>,
    ) -> Self {
        Self {
            issuer: issuer.into(),
            client_id: client_id.into(),
            client_secret: None,
            redirect_uri: redirect_uri.into(),
            scope: "openid".to_owned(),
            cookie: "__Host-login".to_owned(),
            login_time: Duration::from_secs(600),
            clock_tolerance: Duration::from_secs(5),
            timeout: Duration::from_secs(5),
        }
    }

    /// Sets the secret of this application at the provider. Default: none, for a public client.
    pub fn client_secret(mut self, secret: impl Into<String>) -> Self {
        self.client_secret = Some(secret.into());
        self
    }

    /// Sets the scopes of the login, with blanks between them. Default: `openid`.
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scope = scope.into();
        self
    }

    /// Sets the name of the cookie that remembers a login in progress. Default: `__Host-login`.
    pub fn cookie(mut self, name: impl Into<String>) -> Self {
        self.cookie = name.into();
        self
    }

    /// Sets the longest time of a login, from 10 seconds to an hour. Default: 10 minutes.
    pub fn login_time(mut self, time: Duration) -> Self {
        self.login_time = time;
        self
    }

    /// Sets the accepted difference between the clocks of provider and application. Default: 5 seconds, at most 5 minutes.
    pub fn clock_tolerance(mut self, tolerance: Duration) -> Self {
        self.clock_tolerance = tolerance;
        self
    }

    /// Sets the longest time of one request to the provider, from 100 ms to a minute. Default: 5 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Checks the options, without a request to the provider.
    ///
    /// # Errors
    ///
    /// If an option is not valid.
    pub fn build(self) -> Result<Oidc, OptionError> {
        let refused = |text: String| OptionError::new("oidc", text);
        let url = |option: &str, url: &str| {
            let is_plain = !url.contains(['?', '#']);
            Location::read(url).filter(|_| is_plain).ok_or_else(|| {
                refused(format!(
                    "`{option}` must be a URL with https: and without a query; only localhost may be without TLS"
                ))
            })
        };
        url("issuer", &self.issuer)?;
        url("redirect_uri", &self.redirect_uri)?;
        let metadata = url(
            "issuer",
            &format!(
                "{}/.well-known/openid-configuration",
                self.issuer.trim_end_matches('/')
            ),
        )?;
        if self.client_id.is_empty() {
            return Err(refused(
                "`client_id` must be the id of this application at the provider".to_owned(),
            ));
        }
        if !self.scope.split(' ').any(|word| word == "openid") {
            return Err(refused("`scope` must have openid".to_owned()));
        }
        if !self.cookie.starts_with("__Host-") {
            return Err(refused("`cookie` must begin with __Host-".to_owned()));
        }
        for (option, time, [least, most]) in [
            ("login_time", self.login_time, LOGIN_TIMES),
            ("timeout", self.timeout, TIMEOUTS),
            (
                "clock_tolerance",
                self.clock_tolerance,
                [Duration::ZERO, LONGEST_TOLERANCE],
            ),
        ] {
            if !(least..=most).contains(&time) {
                return Err(refused(format!(
                    "`{option}` must be from {least:?} to {most:?}, not {time:?}"
                )));
            }
        }
        Ok(Oidc {
            issuer: self.issuer,
            metadata,
            client: Client {
                id: self.client_id,
                secret: self.client_secret,
                timeout: self.timeout,
            },
            redirect_uri: self.redirect_uri,
            scope: self.scope,
            cookie: self.cookie,
            login_time: self.login_time,
            clock_tolerance: self.clock_tolerance,
            provider: Mutex::new(None),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::OidcOptions;

    #[test]
    fn refuses_options_that_are_not_safe() {
        let good = || OidcOptions::new("https://id.example", "shop", "https://shop.example/callback");
        let callback = |url: &str| OidcOptions::new("https://id.example", "shop", url);
        for (options, message) in [
            (
                OidcOptions::new("http://id.example", "shop", "https://shop.example/"),
                "`issuer` must be a URL with https:",
            ),
            (callback("/callback"), "`redirect_uri` must be a URL"),
            (callback("https://shop.example/callback?x=1"), "without a query"),
            (
                OidcOptions::new("https://id.example", "", "https://shop.example/"),
                "`client_id` must be",
            ),
            (good().scope("email"), "`scope` must have openid"),
            (good().cookie("login"), "must begin with __Host-"),
            (
                good().login_time(Duration::from_millis(1)),
                "`login_time` must be from 10s",
            ),
            (good().timeout(Duration::from_secs(61)), "not 61s"),
            (
                good().clock_tolerance(Duration::from_secs(301)),
                "`clock_tolerance`",
            ),
        ] {
            let error = options.build().expect_err("an error").to_string();
            assert!(error.starts_with("oidc: ") && error.contains(message), "{error}");
        }
        assert!(good().build().is_ok());
    }
}
