//! Store of sessions in PostgreSQL. The counterpart for Node is `packages/auth/src/sessions/postgres-sessions.ts`; both use
//! the same table.

use std::borrow::Cow;
use std::time::Duration;

use sqlx::PgPool;

use super::store::{SessionStore, StoredSession, later};
use crate::option_error::OptionError;
use crate::postgres::is_table_name;
use crate::{Error, Timestamp};

/// Store of sessions in PostgreSQL. The table is that of `sessionTableSql()` of `@kit/auth`, so that servers on Node and in
/// Rust can share the sessions. While the database cannot be reached, requests with a session get 503.
///
/// ```
/// use kit_runtime::Error;
/// use kit_runtime::sessions::PostgresSessions;
/// use sqlx::PgPool;
///
/// /// Removes sessions that have ended. Call this function once an hour.
/// async fn remove_ended(pool: &PgPool) -> Result<(), Error> {
///     let store = PostgresSessions::new(pool.clone()).table("auth.sessions")?;
///     while store.delete_ended().await? > 0 {}
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone)]
pub struct PostgresSessions {
    pool: PgPool,
    table: Cow<'static, str>,
}

impl PostgresSessions {
    /// Creates a store with the table `kit_sessions`.
    pub fn new(pool: PgPool) -> Self {
        Self {
            pool,
            table: Cow::Borrowed("kit_sessions"),
        }
    }

    /// Sets the name of the table, with or without a schema.
    ///
    /// # Errors
    ///
    /// If the name needs quotes.
    pub fn table(mut self, name: impl Into<Cow<'static, str>>) -> Result<Self, OptionError> {
        let name = name.into();
        if !is_table_name(&name) {
            return Err(OptionError::new(
                "sessions",
                format_args!(
                    "the name of the table must have lower-case letters, digits and underscores, such as auth.sessions, \
                     not {name:?}"
                ),
            ));
        }
        self.table = name;
        Ok(self)
    }

    /// Removes up to 1,000 sessions that have ended, and returns their number. Call this function once in a while.
    ///
    /// # Errors
    ///
    /// If the database cannot be reached.
    pub async fn delete_ended(&self) -> Result<u64, Error> {
        let table = &self.table;
        let sql = format!(
            "DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE idle_until < $1 ORDER BY idle_until LIMIT 1000 \
             FOR UPDATE SKIP LOCKED)"
        );
        let query = sqlx::query(&sql).bind(Timestamp::now());
        Ok(query.execute(&self.pool).await?.rows_affected())
    }
}

/// Row of a session.
type Row = (String, String, String, Timestamp, Timestamp, Timestamp);

impl SessionStore for PostgresSessions {
    async fn create(&self, session: &StoredSession, idle: Duration) -> Result<(), Error> {
        let sql = format!(
            "INSERT INTO {} (id, subject, data, created_at, seen_at, idle_until, expires_at) VALUES ($1, $2, $3, $4, $5, \
             $6, $7)",
            self.table
        );
        let query = sqlx::query(&sql)
            .bind(&session.id)
            .bind(&session.subject)
            .bind(&session.data)
            .bind(session.created_at)
            .bind(session.seen_at)
            .bind(later(session.seen_at, idle).min(session.expires_at))
            .bind(session.expires_at);
        query.execute(&self.pool).await?;
        Ok(())
    }

    async fn read(&self, id: &str) -> Result<Option<StoredSession>, Error> {
        let sql = format!(
            "SELECT id, subject, data, created_at, seen_at, expires_at FROM {} WHERE id = $1",
            self.table
        );
        let query = sqlx::query_as::<_, Row>(&sql).bind(id);
        let row = query.fetch_optional(&self.pool).await?;
        Ok(row.map(
            |(id, subject, data, created_at, seen_at, expires_at)| StoredSession {
                id,
                subject,
                data,
                created_at,
                seen_at,
                expires_at,
            },
        ))
    }

    async fn touch(&self, id: &str, seen_at: Timestamp, idle: Duration) -> Result<(), Error> {
        let sql = format!(
            "UPDATE {} SET seen_at = $2, idle_until = least($3, expires_at) WHERE id = $1 AND seen_at < $2",
            self.table
        );
        let query = sqlx::query(&sql)
            .bind(id)
            .bind(seen_at)
            .bind(later(seen_at, idle));
        query.execute(&self.pool).await?;
        Ok(())
    }

    async fn update(&self, id: &str, data: &str) -> Result<(), Error> {
        let sql = format!("UPDATE {} SET data = $2 WHERE id = $1", self.table);
        sqlx::query(&sql).bind(id).bind(data).execute(&self.pool).await?;
        Ok(())
    }

    async fn rename(&self, id: &str, next: &str, seen_at: Timestamp, idle: Duration) -> Result<bool, Error> {
        // The row stays the same, so that a simultaneous `delete_all` waits for this statement and removes the row afterwards.
        let sql = format!(
            "UPDATE {} SET id = $2, seen_at = $3, idle_until = least($4, expires_at) WHERE id = $1",
            self.table
        );
        let query = sqlx::query(&sql)
            .bind(id)
            .bind(next)
            .bind(seen_at)
            .bind(later(seen_at, idle));
        Ok(query.execute(&self.pool).await?.rows_affected() == 1)
    }

    async fn delete(&self, id: &str) -> Result<(), Error> {
        let sql = format!("DELETE FROM {} WHERE id = $1", self.table);
        sqlx::query(&sql).bind(id).execute(&self.pool).await?;
        Ok(())
    }

    async fn delete_all(&self, subject: &str, except: Option<&str>) -> Result<(), Error> {
        let sql = format!(
            "DELETE FROM {} WHERE subject = $1 AND id IS DISTINCT FROM $2",
            self.table
        );
        sqlx::query(&sql)
            .bind(subject)
            .bind(except)
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}
