//! Sessions in a signed cookie. The cookie, the table and the rules are those of `createSessions` of `@kit/auth`, so that
//! servers on Node and in Rust can share the sessions of an application.

mod memory;
mod options;
#[cfg(feature = "sqlx")]
mod postgres;
mod store;
#[cfg(feature = "valkey")]
mod valkey;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use axum::http::{HeaderValue, header};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2_v10::{Digest as _, Sha256};

use crate::bytes::{base64url, from_base64url};
use crate::granted_scopes::known_scopes;
use crate::json::{from_json, parse, to_text};
use crate::random::random_bytes;
use crate::{Caller, Context, Cookie, Error, Timestamp};
use options::ScopesOf;
use store::later;

pub use memory::MemorySessions;
pub use options::SessionOptions;
#[cfg(feature = "sqlx")]
pub use postgres::PostgresSessions;
pub use store::{SessionStore, StoredSession};
#[cfg(feature = "valkey")]
pub use valkey::ValkeySessions;

/// Bytes of a token. Nobody can guess 256 bits.
const TOKEN_BYTES: usize = 32;
/// Maximum length of the data of a session, as JSON. Lengths are in UTF-16 code units, as on Node.
const MOST_DATA: usize = 64 * 1024;
/// Maximum length of a user's id.
const LONGEST_SUBJECT: usize = 255;

/// Sessions of an application, with data of the type `D`. The cookie has a random token, and the store has the hash of the
/// token, so that a copy of the store is of no use to log in. Needs keys in `KIT_COOKIE_KEYS`.
///
/// ```
/// use kit_runtime::sessions::{PostgresSessions, Session, SessionOptions, Sessions};
/// use kit_runtime::{Caller, Context, Error, Middleware, OptionError, Request};
/// use serde::{Deserialize, Serialize};
/// use sqlx::PgPool;
///
/// #[derive(Debug, Clone, Serialize, Deserialize)]
/// pub struct SessionData {
///     pub name: String,
/// }
///
/// pub struct App {
///     pub pool: PgPool,
/// }
///
/// impl App {
///     /// Returns the sessions in the table `kit_sessions`.
///     pub fn sessions(&self) -> Result<Sessions<PostgresSessions, SessionData>, OptionError> {
///         SessionOptions::new(PostgresSessions::new(self.pool.clone())).build()
///     }
/// }
///
/// pub struct RequireSession {
///     pub auth: Session<SessionData>,
/// }
///
/// impl Caller for RequireSession {
///     fn has(&self, scope: &str) -> bool {
///         self.auth.has(scope)
///     }
/// }
///
/// impl Middleware<App> for RequireSession {
///     const NAME: &'static str = "requireSession";
///
///     async fn run(app: &App, request: &Request) -> Result<Self, Error> {
///         let auth = app.sessions()?.require(request.context()).await?;
///         Ok(Self { auth })
///     }
/// }
///
/// async fn log_in(app: &App, context: &Context, user: &str) -> Result<(), Error> {
///     let data = SessionData { name: "Ada".to_owned() };
///     app.sessions()?.start(context, user, &data).await
/// }
///
/// async fn log_out(app: &App, context: &Context) -> Result<(), Error> {
///     app.sessions()?.end(context).await
/// }
///
/// /// Ends the other sessions of a user after a change of the password, and gives this session a new token.
/// async fn after_new_password(app: &App, context: &Context, user: &str) -> Result<(), Error> {
///     let sessions = app.sessions()?;
///     sessions.rotate(context).await?;
///     sessions.end_all(user, Some(context)).await
/// }
///
/// /// Returns false if nobody is logged in.
/// async fn rename(app: &App, context: &Context, name: String) -> Result<bool, Error> {
///     app.sessions()?.update(context, &SessionData { name }).await
/// }
///
/// async fn name_of_visitor(app: &App, context: &Context) -> Result<Option<String>, Error> {
///     let session = app.sessions()?.read(context).await?;
///     Ok(session.map(|session| session.data().name.clone()))
/// }
/// ```
pub struct Sessions<S, D> {
    store: S,
    cookie: Cow<'static, str>,
    idle: Duration,
    absolute: Duration,
    scopes: &'static [&'static str],
    scopes_of: Option<ScopesOf<D>>,
    data: PhantomData<fn() -> D>,
}

impl<S: SessionStore, D: Serialize + DeserializeOwned> Sessions<S, D> {
    /// Logs a user in: stores a session with a new token and sets the cookie. A session that the request already has ends, so
    /// that nobody can prepare the session of another user (session fixation).
    ///
    /// # Errors
    ///
    /// 500 if there are no keys for cookies, if `subject` has not 1 to 255 characters, or if the data has more than 65,536
    /// characters as JSON; 503 if the store cannot be reached.
    pub async fn start(&self, context: &Context, subject: &str, data: &D) -> Result<(), Error> {
        if subject.is_empty() || utf16_length(subject) > LONGEST_SUBJECT {
            let problem = format!("The id of a user must have 1 to {LONGEST_SUBJECT} characters");
            return Err(Error::internal(problem));
        }
        let data = text_of(data)?;
        if let Some(old) = self.id_of(context)? {
            self.store.delete(&old).await?;
        }
        let now = Timestamp::now();
        let token = new_token()?;
        let session = StoredSession {
            id: hash_of(&token),
            subject: subject.to_owned(),
            data,
            created_at: now,
            seen_at: now,
            expires_at: later(now, self.absolute),
        };
        self.store.create(&session, self.idle).await?;
        self.set_cookie(context, token, session.expires_at)
    }

    /// Replaces the data of the request's session. Returns false if the request has no session.
    ///
    /// # Errors
    ///
    /// The same as those of [`Self::start`].
    pub async fn update(&self, context: &Context, data: &D) -> Result<bool, Error> {
        let Some(session) = self.find(context).await? else {
            return Ok(false);
        };
        self.store.update(&session.id, &text_of(data)?).await?;
        Ok(true)
    }

    /// Gives the session of the request a new token. Call this function if the user gets more rights. Returns false if the
    /// request has no session.
    ///
    /// # Errors
    ///
    /// 500 if there are no keys for cookies; 503 if the store cannot be reached.
    pub async fn rotate(&self, context: &Context) -> Result<bool, Error> {
        let Some(session) = self.find(context).await? else {
            return Ok(false);
        };
        let token = new_token()?;
        let now = Timestamp::now();
        if !self
            .store
            .rename(&session.id, &hash_of(&token), now, self.idle)
            .await?
        {
            return Ok(false);
        }
        self.set_cookie(context, token, session.expires_at)?;
        Ok(true)
    }

    /// Logs the user of the request out: removes the session and the cookie.
    ///
    /// # Errors
    ///
    /// 500 if there are no keys for cookies; 503 if the store cannot be reached.
    pub async fn end(&self, context: &Context) -> Result<(), Error> {
        let id = self.id_of(context)?;
        context.set_cookie(&Cookie::deleted(&*self.cookie))?;
        self.remember(context, None);
        if let Some(id) = id {
            self.store.delete(&id).await?;
        }
        Ok(())
    }

    /// Ends all sessions of a user. With a context, the session of this request does not end, for example after a change of
    /// the password.
    ///
    /// # Errors
    ///
    /// 500 if there are no keys for cookies; 503 if the store cannot be reached.
    pub async fn end_all(&self, subject: &str, except: Option<&Context>) -> Result<(), Error> {
        let except = match except {
            Some(context) => self.id_of(context)?,
            None => None,
        };
        self.store.delete_all(subject, except.as_deref()).await
    }

    /// Returns the session of a request. Returns `None` if the request has no session, or if the session has ended.
    ///
    /// # Errors
    ///
    /// 500 if there are no keys for cookies, or if the stored data does not fit the type `D`; 503 if the store cannot be
    /// reached.
    pub async fn read(&self, context: &Context) -> Result<Option<Session<D>>, Error> {
        let Some(stored) = self.find(context).await? else {
            return Ok(None);
        };
        let data = data_of(&stored.data)?;
        let granted = self
            .scopes_of
            .map_or_else(Vec::new, |scopes_of| scopes_of(&stored.subject, &data));
        Ok(Some(Session {
            scopes: known_scopes(granted, |scope| self.scopes.contains(&scope)),
            subject: stored.subject,
            data,
            created_at: stored.created_at,
            expires_at: stored.expires_at,
        }))
    }

    /// Returns the session of a request, which must have one.
    ///
    /// # Errors
    ///
    /// 401 `UNAUTHORIZED` if the request has no session, or if the session has ended; else the same as those of
    /// [`Self::read`].
    pub async fn require(&self, context: &Context) -> Result<Session<D>, Error> {
        let session = self.read(context).await?;
        session.ok_or_else(|| {
            context.set_header(header::WWW_AUTHENTICATE, HeaderValue::from_static("Cookie"));
            Error::unauthorized("UNAUTHORIZED", "There is no session")
        })
    }

    /// Remembers the id of the session that a request has received, or that it has none any more.
    fn remember(&self, context: &Context, id: Option<String>) {
        let mut received = context.get::<Received>().unwrap_or_default();
        received.0.push((self.cookie.clone(), id));
        context.insert(received);
    }

    /// Returns the id of the session that the request has received, or that its cookie names. The session may have ended.
    fn id_of(&self, context: &Context) -> Result<Option<String>, Error> {
        let received = context.get::<Received>().unwrap_or_default();
        if let Some((_, id)) = received.0.iter().rfind(|(cookie, _)| *cookie == self.cookie) {
            return Ok(id.clone());
        }
        let token = context.signed_cookie(&self.cookie)?;
        Ok(token.filter(|token| is_token(token)).map(|token| hash_of(&token)))
    }

    async fn find(&self, context: &Context) -> Result<Option<StoredSession>, Error> {
        let Some(id) = self.id_of(context)? else {
            return Ok(None);
        };
        let Some(session) = self.store.read(&id).await? else {
            return Ok(None);
        };
        let now = Timestamp::now();
        if now >= session.expires_at || now >= later(session.seen_at, self.idle) {
            return Ok(None);
        }
        // A write for each request would cost more than the exact time is worth.
        if now > later(session.seen_at, self.idle / 10) {
            self.store
                .touch(&id, now, self.idle.min(between(now, session.expires_at)))
                .await?;
        }
        Ok(Some(session))
    }

    /// Stores a session with a new token, and sets the cookie.
    fn set_cookie(&self, context: &Context, token: String, expires_at: Timestamp) -> Result<(), Error> {
        self.remember(context, Some(hash_of(&token)));
        let rest = between(Timestamp::now(), expires_at).as_millis().div_ceil(1000);
        let seconds = u64::try_from(rest).unwrap_or(u64::MAX).max(1);
        context.set_cookie(
            &Cookie::new(&*self.cookie, token)
                .max_age_seconds(seconds)
                .signed(),
        )
    }
}

/// Ids of sessions that a request has received since it began, by the name of the cookie. `None` after a logout.
#[derive(Clone, Default)]
struct Received(Vec<(Cow<'static, str>, Option<String>)>);

fn new_token() -> Result<String, Error> {
    Ok(base64url(&random_bytes::<TOKEN_BYTES>()?))
}

impl<S, D> fmt::Debug for Sessions<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions")
            .field("cookie", &self.cookie)
            .finish_non_exhaustive()
    }
}

/// Session of a request.
///
/// ```
/// use kit_runtime::Caller as _;
/// use kit_runtime::sessions::Session;
///
/// fn describe(session: &Session<String>) -> String {
///     let (user, name) = (session.subject(), session.data());
///     let (begin, end) = (session.created_at(), session.expires_at());
///     format!("{user} ({name}) from {begin} to {end}, scopes {:?}", session.scopes())
/// }
///
/// fn may_write(session: &Session<String>) -> bool {
///     session.has("orders:write")
/// }
/// ```
#[derive(Clone)]
pub struct Session<D> {
    subject: String,
    data: D,
    created_at: Timestamp,
    expires_at: Timestamp,
    scopes: Vec<String>,
}

impl<D> Session<D> {
    /// Creates a session that no store has, for a unit test of a handler. The session ends in an hour. Needs the feature
    /// `testing`.
    ///
    /// ```
    /// use kit_runtime::Caller as _;
    /// use kit_runtime::sessions::Session;
    ///
    /// let session = Session::for_test("7", "Ada", &["orders:read"]);
    /// assert!(session.subject() == "7" && session.has("orders:read"));
    /// ```
    #[cfg(feature = "testing")]
    pub fn for_test(subject: &str, data: D, scopes: &[&str]) -> Self {
        let now = Timestamp::now();
        Self {
            subject: subject.to_owned(),
            data,
            created_at: now,
            expires_at: later(now, Duration::from_secs(3600)),
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
        }
    }

    /// Returns the id of the user.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns the data that [`Sessions::start`] or [`Sessions::update`] has stored.
    pub fn data(&self) -> &D {
        &self.data
    }

    /// Returns the time of the login.
    pub fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// Returns the time after which the session ends, also if the session is in use.
    pub fn expires_at(&self) -> Timestamp {
        self.expires_at
    }

    /// Returns the scopes of the session that the option `scopes` lists.
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }
}

impl<D> Caller for Session<D> {
    fn has(&self, scope: &str) -> bool {
        self.scopes.iter().any(|known| known == scope)
    }
}

/// Contains no data, because they may be hidden in the log.
impl<D> fmt::Debug for Session<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("subject", &self.subject)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

fn is_token(text: &str) -> bool {
    text.len() == 43 && from_base64url(text).is_some_and(|bytes| bytes.len() == TOKEN_BYTES)
}

fn hash_of(token: &str) -> String {
    base64url(&Sha256::digest(token.as_bytes()))
}

/// Returns the time from a moment to a later moment. Returns zero if the second moment is not later.
fn between(from: Timestamp, to: Timestamp) -> Duration {
    let millis = to.unix_millis().saturating_sub(from.unix_millis());
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

fn utf16_length(text: &str) -> usize {
    text.encode_utf16().count()
}

fn text_of(data: &impl Serialize) -> Result<String, Error> {
    let text = to_text(data)?;
    if utf16_length(&text) <= MOST_DATA {
        return Ok(text);
    }
    Err(Error::internal(format!(
        "The data of a session must be JSON of at most {MOST_DATA} characters; store larger data in a table of the application"
    )))
}

fn data_of<D: DeserializeOwned>(text: &str) -> Result<D, Error> {
    let json = parse(text).map_err(|error| {
        Error::internal(format!(
            "The stored data of a session is not JSON: {} was expected at {}",
            error.expected, error.offset
        ))
    })?;
    // The error of serde contains values of the data, which the log must not show.
    from_json(&json).map_err(|_| {
        Error::internal(format!(
            "The stored data of a session does not fit the type {}",
            std::any::type_name::<D>()
        ))
    })
}
