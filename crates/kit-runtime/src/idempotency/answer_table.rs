//! The table with the answers of idempotency keys. It is that of `@kit/idempotency`, so that Node servers and Rust servers
//! can share it.

use std::fmt;

use axum::body::Bytes;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use sqlx::PgExecutor;
use sqlx::postgres::PgConnection;

use crate::Error;
use crate::http::StoredAnswer;
use crate::postgres::is_transaction_conflict;

/// Number of expired answers that one request removes.
const REMOVED_AT_ONCE: u32 = 20;

/// Row of the table: fingerprint, status, content type, headers, body.
type Row = (String, i32, Option<String>, String, Option<Vec<u8>>);

/// Another transaction has stored an answer for the same key.
#[derive(Debug)]
struct ConflictError;

impl fmt::Display for ConflictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Another request with this idempotency key was executed at the same time")
    }
}

impl std::error::Error for ConflictError {}

/// Returns true if a transaction failed because of another one, such as one that stored an answer for the same key.
pub(super) fn is_conflict(error: &Error) -> bool {
    let Some(source) = error.source() else {
        return false;
    };
    source.is::<ConflictError>() || is_transaction_conflict(source)
}

/// Statements on the table. All of them belong to the transaction of the request.
#[derive(Debug)]
pub(super) struct AnswerTable {
    name: String,
    find: String,
    add: String,
    remove: String,
}

impl AnswerTable {
    /// Creates the statements. SQL must be able to contain the name without quotes.
    pub(super) fn new(name: String) -> Self {
        Self {
            find: format!(
                "SELECT fingerprint, status, content_type, headers, body FROM {name} \
                 WHERE id = $1 AND expires_at > now()"
            ),
            add: format!(
                "INSERT INTO {name} AS known (id, fingerprint, status, content_type, headers, body, expires_at) \
                 VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 ms') \
                 ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status, \
                   content_type = excluded.content_type, headers = excluded.headers, body = excluded.body, \
                   expires_at = excluded.expires_at \
                 WHERE known.expires_at <= now()"
            ),
            remove: format!(
                "DELETE FROM {name} WHERE id IN (\
                   SELECT id FROM {name} WHERE expires_at < now() ORDER BY expires_at LIMIT {REMOVED_AT_ONCE} \
                   FOR UPDATE SKIP LOCKED)"
            ),
            name,
        }
    }

    /// Locks a key until the end of the transaction. Returns false if another transaction has locked it.
    pub(super) async fn lock(&self, connection: &mut PgConnection, id: &str) -> Result<bool, Error> {
        let lock = "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 7146)) AS locked";
        let key = format!("{}:{id}", self.name);
        Ok(sqlx::query_scalar(lock).bind(key).fetch_one(connection).await?)
    }

    /// Returns the fingerprint and the answer of a key that has not expired.
    pub(super) async fn find(
        &self,
        executor: impl PgExecutor<'_>,
        id: &str,
    ) -> Result<Option<(String, StoredAnswer)>, Error> {
        let row: Option<Row> = sqlx::query_as(&self.find)
            .bind(id)
            .fetch_optional(executor)
            .await?;
        let Some((fingerprint, status, content_type, headers, body)) = row else {
            return Ok(None);
        };
        let texts: Vec<String> = serde_json::from_str(&headers)?;
        let mut headers = Vec::with_capacity(texts.len() / 2);
        for pair in texts.chunks_exact(2) {
            headers.push((HeaderName::try_from(&pair[0])?, header_value(&pair[1])?));
        }
        let answer = StoredAnswer {
            status: StatusCode::from_u16(u16::try_from(status)?)?,
            content_type: content_type.map(|text| header_value(&text)).transpose()?,
            headers,
            body: body.map(Bytes::from),
        };
        Ok(Some((fingerprint, answer)))
    }

    /// Stores an answer, and removes some expired answers.
    ///
    /// # Errors
    ///
    /// A [`ConflictError`] if another transaction has stored an answer for this key.
    pub(super) async fn add(
        &self,
        connection: &mut PgConnection,
        id: &str,
        fingerprint: &str,
        answer: &StoredAnswer,
        lifetime_ms: f64,
    ) -> Result<(), Error> {
        let names = answer.headers.iter();
        let headers: Vec<String> = names
            .flat_map(|(name, value)| [name.as_str().to_owned(), latin1(value)])
            .collect();
        let added = sqlx::query(&self.add)
            .bind(id)
            .bind(fingerprint)
            .bind(i32::from(answer.status.as_u16()))
            .bind(answer.content_type.as_ref().map(latin1))
            .bind(serde_json::to_string(&headers)?)
            .bind(answer.body.as_deref())
            .bind(lifetime_ms)
            .execute(&mut *connection)
            .await?;
        if added.rows_affected() != 1 {
            return Err(ConflictError.into());
        }
        sqlx::query(&self.remove).execute(connection).await?;
        Ok(())
    }
}

/// Returns the value of a header as text with a character for each byte, as servers of Node store it.
fn latin1(value: &HeaderValue) -> String {
    value.as_bytes().iter().copied().map(char::from).collect()
}

/// Returns the value of a header from the text of [`latin1`].
fn header_value(text: &str) -> Result<HeaderValue, Error> {
    let bytes: Result<Vec<u8>, _> = text.chars().map(u8::try_from).collect();
    Ok(HeaderValue::from_bytes(&bytes?)?)
}
