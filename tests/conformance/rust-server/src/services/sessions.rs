//! Sessions and API keys of the tests. The times of sessions are in `SESSION_IDLE_MS` and `SESSION_ABSOLUTE_MS`, the store
//! of sessions in `SESSION_STORE`, and the stored keys in `API_KEYS`.

use std::env;
use std::sync::LazyLock;
use std::time::Duration;

use kit_runtime::api_keys::{ApiKeyOptions, ApiKeys, StoredApiKey};
use kit_runtime::sessions::{
    MemorySessions, SessionOptions, SessionStore, Sessions, StoredSession, ValkeySessions,
};
use kit_runtime::{Error, OptionError, Timestamp};
use serde::{Deserialize, Serialize};

/// Data of a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SessionData {
    pub name: String,
}

/// Store in Valkey if `SESSION_STORE` has its URL, and else in memory.
pub enum Store {
    Memory(&'static MemorySessions),
    Valkey(ValkeySessions),
}

impl SessionStore for Store {
    async fn create(&self, session: &StoredSession, idle: Duration) -> Result<(), Error> {
        match self {
            Self::Memory(store) => store.create(session, idle).await,
            Self::Valkey(store) => store.create(session, idle).await,
        }
    }

    async fn read(&self, id: &str) -> Result<Option<StoredSession>, Error> {
        match self {
            Self::Memory(store) => store.read(id).await,
            Self::Valkey(store) => store.read(id).await,
        }
    }

    async fn touch(&self, id: &str, seen_at: Timestamp, idle: Duration) -> Result<(), Error> {
        match self {
            Self::Memory(store) => store.touch(id, seen_at, idle).await,
            Self::Valkey(store) => store.touch(id, seen_at, idle).await,
        }
    }

    async fn update(&self, id: &str, data: &str) -> Result<(), Error> {
        match self {
            Self::Memory(store) => store.update(id, data).await,
            Self::Valkey(store) => store.update(id, data).await,
        }
    }

    async fn rename(&self, id: &str, next: &str, seen_at: Timestamp, idle: Duration) -> Result<bool, Error> {
        match self {
            Self::Memory(store) => store.rename(id, next, seen_at, idle).await,
            Self::Valkey(store) => store.rename(id, next, seen_at, idle).await,
        }
    }

    async fn delete(&self, id: &str) -> Result<(), Error> {
        match self {
            Self::Memory(store) => store.delete(id).await,
            Self::Valkey(store) => store.delete(id).await,
        }
    }

    async fn delete_all(&self, subject: &str, except: Option<&str>) -> Result<(), Error> {
        match self {
            Self::Memory(store) => store.delete_all(subject, except).await,
            Self::Valkey(store) => store.delete_all(subject, except).await,
        }
    }
}

type AllSessions = Sessions<Store, SessionData>;

/// Returns the sessions.
pub fn sessions() -> Result<&'static AllSessions, OptionError> {
    static STORE: LazyLock<MemorySessions> = LazyLock::new(MemorySessions::default);
    static SESSIONS: LazyLock<Result<AllSessions, OptionError>> = LazyLock::new(|| {
        let store = match env::var("SESSION_STORE") {
            Ok(url) => Store::Valkey(ValkeySessions::open(&url)?),
            Err(_) => Store::Memory(&STORE),
        };
        SessionOptions::new(store)
            .idle(time("SESSION_IDLE_MS", 1_800_000))
            .absolute(time("SESSION_ABSOLUTE_MS", 43_200_000))
            .scopes(&["read", "write"])
            .scopes_of(|_user, _data| vec!["read".to_owned(), "x".to_owned()])
            .build()
    });
    SESSIONS.as_ref().map_err(Clone::clone)
}

fn time(variable: &str, default: u64) -> Duration {
    let given = env::var(variable).ok().and_then(|text| text.parse().ok());
    Duration::from_millis(given.unwrap_or(default))
}

/// Returns the check of API keys.
pub fn keys() -> Result<&'static ApiKeys, OptionError> {
    static KEYS: LazyLock<Result<ApiKeys, OptionError>> =
        LazyLock::new(|| ApiKeyOptions::new("shop").scopes(["orders:read", "orders:write"]).build());
    KEYS.as_ref().map_err(Clone::clone)
}

/// Finds a key in the list of `API_KEYS`.
pub async fn find_key(id: String) -> Result<Option<StoredApiKey>, Error> {
    #[derive(Deserialize)]
    struct Row {
        id: String,
        hash: String,
        subject: String,
        scopes: Vec<String>,
        expires: Option<String>,
    }
    let rows: Vec<Row> = serde_json::from_str(&env::var("API_KEYS").unwrap_or_default())?;
    let Some(row) = rows.into_iter().find(|row| row.id == id) else {
        return Ok(None);
    };
    Ok(Some(StoredApiKey {
        hash: row.hash,
        subject: row.subject,
        scopes: row.scopes,
        expires_at: row.expires.map(|end| end.parse()).transpose()?,
    }))
}
