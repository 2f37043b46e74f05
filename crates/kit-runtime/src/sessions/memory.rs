//! Store of sessions in the memory of the process.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indexmap::IndexMap;

use super::store::{SessionStore, StoredSession};
use crate::{Error, Timestamp};

/// Maximum number of sessions. Beyond this number, the oldest sessions end.
const MOST: usize = 10_000;

/// Store of sessions in the memory of the process, for tests and development. All sessions are lost when the process ends,
/// and other processes cannot read the sessions. If there are more than 10,000 sessions, the oldest sessions end.
///
/// ```
/// use std::sync::LazyLock;
///
/// use kit_runtime::sessions::MemorySessions;
///
/// static STORE: LazyLock<MemorySessions> = LazyLock::new(MemorySessions::default);
/// # let _ = &*STORE;
/// ```
#[derive(Debug, Default)]
pub struct MemorySessions(Mutex<IndexMap<String, StoredSession>>);

impl MemorySessions {
    fn sessions(&self) -> MutexGuard<'_, IndexMap<String, StoredSession>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reference is a store too, so that a static variable can be the store.
impl SessionStore for &MemorySessions {
    async fn create(&self, session: &StoredSession, _idle: Duration) -> Result<(), Error> {
        let mut sessions = self.sessions();
        if sessions.len() >= MOST {
            sessions.shift_remove_index(0);
        }
        sessions.insert(session.id.clone(), session.clone());
        Ok(())
    }

    async fn read(&self, id: &str) -> Result<Option<StoredSession>, Error> {
        Ok(self.sessions().get(id).cloned())
    }

    async fn touch(&self, id: &str, seen_at: Timestamp, _idle: Duration) -> Result<(), Error> {
        if let Some(session) = self.sessions().get_mut(id) {
            session.seen_at = session.seen_at.max(seen_at);
        }
        Ok(())
    }

    async fn update(&self, id: &str, data: &str) -> Result<(), Error> {
        if let Some(session) = self.sessions().get_mut(id) {
            data.clone_into(&mut session.data);
        }
        Ok(())
    }

    async fn rename(&self, id: &str, next: &str, seen_at: Timestamp, _idle: Duration) -> Result<bool, Error> {
        let mut sessions = self.sessions();
        let Some(session) = sessions.shift_remove(id) else {
            return Ok(false);
        };
        let renamed = StoredSession {
            id: next.to_owned(),
            seen_at,
            ..session
        };
        sessions.insert(next.to_owned(), renamed);
        Ok(true)
    }

    async fn delete(&self, id: &str) -> Result<(), Error> {
        self.sessions().shift_remove(id);
        Ok(())
    }

    async fn delete_all(&self, subject: &str, except: Option<&str>) -> Result<(), Error> {
        self.sessions()
            .retain(|id, session| session.subject != subject || Some(id.as_str()) == except);
        Ok(())
    }
}
