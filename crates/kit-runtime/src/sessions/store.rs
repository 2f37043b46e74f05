//! Stores of sessions.

use std::time::Duration;

use crate::{Error, Timestamp};

/// Session as a store keeps it.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredSession {
    /// SHA-256 of the token in base64url. The token itself is only in the cookie.
    pub id: String,
    /// Id of the user.
    pub subject: String,
    /// Data of the application, as JSON.
    pub data: String,
    /// Time of the login.
    pub created_at: Timestamp,
    /// Time of the last request, exact to a tenth of the idle time.
    pub seen_at: Timestamp,
    /// Time after which the session ends, also if the session is in use.
    pub expires_at: Timestamp,
}

/// Contains no data and no id, because they may be hidden in the log.
impl std::fmt::Debug for StoredSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredSession")
            .field("subject", &self.subject)
            .finish_non_exhaustive()
    }
}

/// Store of sessions. Each function fails if the store cannot be reached: then requests get 503, and never count as
/// requests without a session.
///
/// ```
/// use std::time::Duration;
///
/// use kit_runtime::sessions::{SessionStore, StoredSession};
/// use kit_runtime::{Error, Timestamp};
///
/// /// Moves a session to another store.
/// async fn copy(from: &impl SessionStore, to: &impl SessionStore, id: &str) -> Result<(), Error> {
///     if let Some(session) = from.read(id).await? {
///         to.create(&session, Duration::from_secs(1800)).await?;
///         from.delete(id).await?;
///     }
///     Ok(())
/// }
///
/// async fn change(store: &impl SessionStore, session: &StoredSession) -> Result<(), Error> {
///     store.touch(&session.id, Timestamp::now(), Duration::from_secs(1800)).await?;
///     store.update(&session.id, "{}").await?;
///     store.rename(&session.id, "another-id", Timestamp::now(), Duration::from_secs(1800)).await?;
///     store.delete_all(&session.subject, Some(&session.id)).await
/// }
/// ```
pub trait SessionStore: Send + Sync {
    /// Adds a session.
    ///
    /// # Errors
    ///
    /// If the store cannot be reached.
    fn create(
        &self,
        session: &StoredSession,
        idle: Duration,
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// Returns a session, or `None` if there is none. May return a session that has ended.
    ///
    /// # Errors
    ///
    /// If the store cannot be reached.
    fn read(&self, id: &str) -> impl Future<Output = Result<Option<StoredSession>, Error>> + Send;

    /// Sets the time of the last request. Does nothing if the session does not exist any more.
    ///
    /// # Errors
    ///
    /// If the store cannot be reached.
    fn touch(
        &self,
        id: &str,
        seen_at: Timestamp,
        idle: Duration,
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// Replaces the data. Does nothing if the session does not exist any more.
    ///
    /// # Errors
    ///
    /// If the store cannot be reached.
    fn update(&self, id: &str, data: &str) -> impl Future<Output = Result<(), Error>> + Send;

    /// Gives a session another id and sets the time of the last request, in one step, so that `delete_all` ends the session
    /// before or after. Returns false if the session does not exist any more.
    ///
    /// # Errors
    ///
    /// If the store cannot be reached.
    fn rename(
        &self,
        id: &str,
        next: &str,
        seen_at: Timestamp,
        idle: Duration,
    ) -> impl Future<Output = Result<bool, Error>> + Send;

    /// Removes a session, if the session exists.
    ///
    /// # Errors
    ///
    /// If the store cannot be reached.
    fn delete(&self, id: &str) -> impl Future<Output = Result<(), Error>> + Send;

    /// Removes all sessions of a user, except the session with the id `except`.
    ///
    /// # Errors
    ///
    /// If the store cannot be reached.
    fn delete_all(
        &self,
        subject: &str,
        except: Option<&str>,
    ) -> impl Future<Output = Result<(), Error>> + Send;
}

/// Returns a time that is later by a duration.
pub(super) fn later(time: Timestamp, duration: Duration) -> Timestamp {
    let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_unix_millis_saturating(time.unix_millis().saturating_add(millis))
}
