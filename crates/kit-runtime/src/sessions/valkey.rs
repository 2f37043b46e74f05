//! Store of sessions in Valkey or Redis. The counterpart for Node is `packages/auth/src/sessions/valkey-sessions.ts`; both
//! have the same names and scripts.

use std::fmt;
use std::time::Duration;

use redis::{Cmd, FromRedisValue};
use serde::{Deserialize, Serialize};

use super::store::{SessionStore, StoredSession};
use crate::option_error::OptionError;
use crate::valkey::ValkeyConnection;
use crate::{Error, Timestamp};

/// Adds a session and its id to the ids of the user. The ids live as long as the session that ends last, and ids of
/// sessions that have ended are removed, so that the list cannot grow without end.
const CREATE: &str = r#"
redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
redis.call("ZREMRANGEBYSCORE", KEYS[2], "-inf", ARGV[3])
redis.call("ZADD", KEYS[2], ARGV[4], ARGV[5])
if redis.call("PTTL", KEYS[2]) < tonumber(ARGV[6]) then redis.call("PEXPIRE", KEYS[2], ARGV[6]) end
return 1"#;

/// Replaces a session only if it exists, so that a request that ends after the logout does not bring the session back.
const CHANGE: &str = r#"
local text = redis.call("GET", KEYS[1])
if not text then return 0 end
local session = cjson.decode(text)
session[ARGV[1]] = ARGV[2]
if ARGV[3] == "" then redis.call("SET", KEYS[1], cjson.encode(session), "KEEPTTL")
else redis.call("SET", KEYS[1], cjson.encode(session), "PX", ARGV[3]) end
return 1"#;

/// Adds the new id before the old one is removed, because an empty list would lose its end.
const RENAME: &str = r#"
local text = redis.call("GET", KEYS[1])
if not text then return 0 end
local session = cjson.decode(text)
session.id = ARGV[3]
session.seenAt = ARGV[4]
local lifetime = math.min(tonumber(ARGV[5]), tonumber(session.expiresAt) - tonumber(ARGV[4]))
if lifetime <= 0 then return 0 end
redis.call("DEL", KEYS[1])
redis.call("SET", KEYS[2], cjson.encode(session), "PX", string.format("%d", lifetime))
local ids = ARGV[1] .. "of:" .. session.subject
redis.call("ZADD", ids, session.expiresAt, ARGV[3])
redis.call("ZREM", ids, ARGV[2])
return 1"#;

const REMOVE: &str = r#"
local text = redis.call("GET", KEYS[1])
if not text then return 0 end
redis.call("DEL", KEYS[1])
redis.call("ZREM", ARGV[1] .. "of:" .. cjson.decode(text).subject, ARGV[2])
return 1"#;

const REMOVE_ALL: &str = r#"
for _, id in ipairs(redis.call("ZRANGE", KEYS[1], 0, -1)) do
  if id ~= ARGV[2] then
    redis.call("DEL", ARGV[1] .. id)
    redis.call("ZREM", KEYS[1], id)
  end
end
return 1"#;

/// Session in Valkey. All values are texts, because the scripts of Valkey write numbers with 14 digits.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    id: String,
    subject: String,
    data: String,
    created_at: String,
    seen_at: String,
    expires_at: String,
}

/// Store of sessions in Valkey or Redis (6 or newer), with the names of `valkeySessions` of `@kit/auth`, so that servers on
/// Node and in Rust can share the sessions. Valkey removes sessions that have ended. While Valkey cannot be reached,
/// requests with a session get 503. Clones share one connection.
///
/// ```
/// use std::time::Duration;
///
/// use kit_runtime::sessions::ValkeySessions;
///
/// let store = ValkeySessions::open("valkey://localhost:6379")?
///     .prefix("{shop:sessions}:")
///     .timeout(Duration::from_secs(1))?;
/// # drop(store);
/// assert!(ValkeySessions::open("http://localhost").is_err());
/// # Ok::<(), kit_runtime::OptionError>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct ValkeySessions {
    connection: ValkeyConnection,
    prefix: String,
}

impl fmt::Debug for ValkeySessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValkeySessions")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl ValkeySessions {
    /// Creates the store. The server is connected when the first request has a session.
    ///
    /// `url` is `valkey://user:password@host:6379/0`; with `valkeys`, the connection is encrypted. `redis` and `rediss` mean
    /// the same.
    ///
    /// # Errors
    ///
    /// If the URL is not valid.
    pub fn open(url: &str) -> Result<Self, OptionError> {
        let connection = ValkeyConnection::open(url).map_err(|problem| refused(&problem))?;
        Ok(Self {
            connection,
            prefix: "{kit:sessions}:".to_owned(),
        })
    }

    /// Sets the beginning of all names in the store. Default: `{kit:sessions}:`, as on Node.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the longest time of a command, up to a minute. Default: 500 ms.
    ///
    /// # Errors
    ///
    /// If the time is zero or longer than a minute.
    pub fn timeout(mut self, timeout: Duration) -> Result<Self, OptionError> {
        self.connection
            .set_timeout(timeout)
            .map_err(|problem| refused(&problem))?;
        Ok(self)
    }

    async fn send<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, Error> {
        self.connection.send(command).await.map_err(|error| {
            tracing::error!(error = %error, "The store of sessions does not answer");
            Error::unavailable("Service Unavailable")
        })
    }

    /// Runs a script, and returns the number that the script returns.
    async fn run(&self, script: &str, keys: &[String], values: &[&str]) -> Result<u64, Error> {
        let mut command = redis::cmd("EVAL");
        command.arg(script).arg(keys.len()).arg(keys).arg(values);
        self.send(&command).await
    }

    fn key(&self, id: &str) -> String {
        format!("{}{id}", self.prefix)
    }

    fn ids_of(&self, subject: &str) -> String {
        format!("{}of:{subject}", self.prefix)
    }
}

impl SessionStore for ValkeySessions {
    async fn create(&self, session: &StoredSession, idle: Duration) -> Result<(), Error> {
        let text = |time: Timestamp| time.unix_millis().to_string();
        let written = Written {
            id: session.id.clone(),
            subject: session.subject.clone(),
            data: session.data.clone(),
            created_at: text(session.created_at),
            seen_at: text(session.seen_at),
            expires_at: text(session.expires_at),
        };
        let lifetime = session.expires_at.unix_millis() - session.seen_at.unix_millis();
        let keys = [self.key(&session.id), self.ids_of(&session.subject)];
        let values = [
            &*serde_json::to_string(&written)?,
            &*millis(idle).min(lifetime).to_string(),
            &*written.seen_at,
            &*written.expires_at,
            &*session.id,
            &*lifetime.to_string(),
        ];
        self.run(CREATE, &keys, &values).await?;
        Ok(())
    }

    async fn read(&self, id: &str) -> Result<Option<StoredSession>, Error> {
        let mut get = redis::cmd("GET");
        get.arg(self.key(id));
        let Some(text) = self.send::<Option<String>>(&get).await? else {
            return Ok(None);
        };
        let written: Written = serde_json::from_str(&text)?;
        let time = |text: &str| -> Result<Timestamp, Error> {
            Ok(Timestamp::from_unix_millis_saturating(text.parse()?))
        };
        Ok(Some(StoredSession {
            id: id.to_owned(),
            created_at: time(&written.created_at)?,
            seen_at: time(&written.seen_at)?,
            expires_at: time(&written.expires_at)?,
            subject: written.subject,
            data: written.data,
        }))
    }

    async fn touch(&self, id: &str, seen_at: Timestamp, idle: Duration) -> Result<(), Error> {
        let (seen_at, idle) = (seen_at.unix_millis().to_string(), millis(idle).to_string());
        self.run(CHANGE, &[self.key(id)], &["seenAt", &seen_at, &idle])
            .await?;
        Ok(())
    }

    async fn update(&self, id: &str, data: &str) -> Result<(), Error> {
        self.run(CHANGE, &[self.key(id)], &["data", data, ""]).await?;
        Ok(())
    }

    async fn rename(&self, id: &str, next: &str, seen_at: Timestamp, idle: Duration) -> Result<bool, Error> {
        let (seen_at, idle) = (seen_at.unix_millis().to_string(), millis(idle).to_string());
        let keys = [self.key(id), self.key(next)];
        let renamed = self
            .run(RENAME, &keys, &[&self.prefix, id, next, &seen_at, &idle])
            .await?;
        Ok(renamed == 1)
    }

    async fn delete(&self, id: &str) -> Result<(), Error> {
        self.run(REMOVE, &[self.key(id)], &[&self.prefix, id]).await?;
        Ok(())
    }

    async fn delete_all(&self, subject: &str, except: Option<&str>) -> Result<(), Error> {
        let values = [&*self.prefix, except.unwrap_or_default()];
        self.run(REMOVE_ALL, &[self.ids_of(subject)], &values).await?;
        Ok(())
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn refused(problem: &str) -> OptionError {
    OptionError::new("sessions", problem)
}
