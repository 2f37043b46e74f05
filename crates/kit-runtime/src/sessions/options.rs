//! Options of sessions.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use super::Sessions;
use crate::granted_scopes::scope_problem;
use crate::option_error::OptionError;

/// Shortest and longest time of a session.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(400 * 86_400);

/// Function that returns the scopes of a session, from the id of the user and the data.
pub(super) type ScopesOf<D> = fn(&str, &D) -> Vec<String>;

/// Options of [`Sessions`] with data of the type `D`.
///
/// ```
/// use std::time::Duration;
///
/// use kit_runtime::sessions::{MemorySessions, SessionOptions, Sessions};
///
/// fn scopes_of(_user: &str, role: &String) -> Vec<String> {
///     let scopes: &[&str] = if role == "staff" { &["orders:read", "orders:write"] } else { &["orders:read"] };
///     scopes.iter().map(|scope| (*scope).to_owned()).collect()
/// }
///
/// static STORE: std::sync::LazyLock<MemorySessions> = std::sync::LazyLock::new(MemorySessions::default);
///
/// let sessions: Sessions<&MemorySessions, String> = SessionOptions::new(&*STORE)
///     .cookie("__Host-shop")
///     .idle(Duration::from_secs(600))
///     .absolute(Duration::from_secs(86_400))
///     .scopes(&["orders:read", "orders:write"])
///     .scopes_of(scopes_of)
///     .build()?;
/// # let _ = sessions;
/// # Ok::<(), kit_runtime::OptionError>(())
/// ```
#[must_use]
pub struct SessionOptions<S, D> {
    store: S,
    cookie: Cow<'static, str>,
    idle: Duration,
    absolute: Duration,
    scopes: &'static [&'static str],
    scopes_of: Option<ScopesOf<D>>,
}

impl<S, D> SessionOptions<S, D> {
    /// Sets the store of the sessions.
    pub fn new(store: S) -> Self {
        Self {
            store,
            cookie: Cow::Borrowed("__Host-session"),
            idle: Duration::from_secs(30 * 60),
            absolute: Duration::from_secs(12 * 3600),
            scopes: &[],
            scopes_of: None,
        }
    }

    /// Sets the name of the cookie, with the prefix `__Host-` or `__Secure-`. Default: `__Host-session`.
    pub fn cookie(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.cookie = name.into();
        self
    }

    /// Sets the time without a request after which a session ends. Default: 30 minutes.
    pub fn idle(mut self, time: Duration) -> Self {
        self.idle = time;
        self
    }

    /// Sets the time after the login after which a session ends. Default: 12 hours.
    pub fn absolute(mut self, time: Duration) -> Self {
        self.absolute = time;
        self
    }

    /// Sets the scopes that contracts of this application may require. Other scopes of a session are ignored. Default: none.
    pub fn scopes(mut self, scopes: &'static [&'static str]) -> Self {
        self.scopes = scopes;
        self
    }

    /// Sets the function that returns the scopes of a session, from the id of the user and the data. Default: none.
    pub fn scopes_of(mut self, scopes_of: fn(&str, &D) -> Vec<String>) -> Self {
        self.scopes_of = Some(scopes_of);
        self
    }

    /// Creates the sessions.
    ///
    /// # Errors
    ///
    /// If an option is not valid.
    pub fn build(self) -> Result<Sessions<S, D>, OptionError> {
        let refused = |text: String| Err(OptionError::new("sessions", text));
        if !is_cookie(&self.cookie) {
            return refused(format!(
                "`cookie` must begin with __Host- or __Secure-, so that pages over HTTP cannot set the cookie, not {:?}",
                self.cookie
            ));
        }
        for (name, time) in [("idle", self.idle), ("absolute", self.absolute)] {
            if !(SHORTEST..=LONGEST).contains(&time) {
                return refused(format!(
                    "`{name}` must be a time from 1 second to 400 days, not {time:?}"
                ));
            }
        }
        if let Some(problem) = scope_problem(self.scopes.iter().copied()) {
            return refused(problem);
        }
        Ok(Sessions {
            store: self.store,
            cookie: self.cookie,
            idle: self.idle,
            absolute: self.absolute,
            scopes: self.scopes,
            scopes_of: self.scopes_of,
            data: PhantomData,
        })
    }
}

impl<S, D> fmt::Debug for SessionOptions<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionOptions")
            .field("cookie", &self.cookie)
            .finish_non_exhaustive()
    }
}

/// Returns true for a name with a prefix for which browsers refuse cookies that were set without TLS.
fn is_cookie(name: &str) -> bool {
    let rest = name
        .strip_prefix("__Host-")
        .or_else(|| name.strip_prefix("__Secure-"));
    rest.is_some_and(|rest| {
        (1..=60).contains(&rest.len())
            && rest
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    })
}
