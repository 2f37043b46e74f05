//! Idempotency keys, with the rules and the table of `@kit/idempotency`: a request is executed once, however often its
//! client repeats it.

mod answer_table;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;
use axum::http::{HeaderValue, StatusCode, header};
use sha2_v10::{Digest as _, Sha256};
use sqlx::PgPool;

use crate::bytes::hex;
use crate::http::StoredAnswer;
use crate::postgres::{EndGuard, RequestTransaction, is_table_name};
use crate::{Error, Next, Passed, Replies, Request, Wrapped, is_development};
use answer_table::{AnswerTable, is_conflict};

const HEADER: &str = "idempotency-key";
const LONGEST_KEY: usize = 255;
const MS_OF_HOUR: f64 = 3_600_000.0;

/// Option of [`IdempotencyOptions`] that is not valid. The message names the option and the accepted values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyOptionError(String);

impl fmt::Display for IdempotencyOptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for IdempotencyOptionError {}

/// Isolation level of a transaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Isolation {
    /// `read committed`, the default of PostgreSQL.
    #[default]
    ReadCommitted,
    /// `repeatable read`.
    RepeatableRead,
    /// `serializable`.
    Serializable,
}

impl Isolation {
    /// Returns the SQL that begins a transaction.
    fn begin(self) -> &'static str {
        match self {
            Self::ReadCommitted => "BEGIN ISOLATION LEVEL read committed",
            Self::RepeatableRead => "BEGIN ISOLATION LEVEL repeatable read",
            Self::Serializable => "BEGIN ISOLATION LEVEL serializable",
        }
    }
}

/// Client to whom a key belongs. Another client with the same key does not get the stored answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOwner<'c> {
    /// The id of the caller, such as the subject of its token. An empty id is an error, because the key would belong to
    /// nobody.
    Caller(&'c str),
    /// One set of keys for all callers: `by: "none"` on Node.
    Anyone,
}

/// Options of [`Idempotency`].
///
/// ```
/// use kit_runtime::idempotency::{IdempotencyOptions, Isolation};
///
/// let once = IdempotencyOptions::new()
///     .optional()
///     .hours(48.0)
///     .max_bytes(64 * 1024)
///     .isolation(Isolation::RepeatableRead)
///     .table("api.answers")
///     .build()?;
/// assert!(IdempotencyOptions::new().hours(0.0).build().is_err());
/// # Ok::<(), kit_runtime::idempotency::IdempotencyOptionError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct IdempotencyOptions {
    required: bool,
    hours: f64,
    max_bytes: usize,
    isolation: Isolation,
    table: String,
}

impl Default for IdempotencyOptions {
    fn default() -> Self {
        Self {
            required: true,
            hours: 24.0,
            max_bytes: 1024 * 1024,
            isolation: Isolation::default(),
            table: "kit_idempotency".to_owned(),
        }
    }
}

impl IdempotencyOptions {
    /// Creates the options with the defaults of `@kit/idempotency`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets clients omit the key. Their requests are then executed each time, in a transaction too.
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// Sets the hours after which an answer is forgotten, from 0.01 to 8,760. Default: 24.
    pub fn hours(mut self, hours: f64) -> Self {
        self.hours = hours;
        self
    }

    /// Sets the maximum bytes of a stored body. A larger one is an error, and the transaction is rolled back. Default: 1 MiB.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets the isolation level of the transaction. Default: `read committed`.
    pub fn isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = isolation;
        self
    }

    /// Sets the name of the table, with or without a schema. Default: `kit_idempotency`.
    pub fn table(mut self, name: impl Into<String>) -> Self {
        self.table = name.into();
        self
    }

    /// Checks the options.
    ///
    /// # Errors
    ///
    /// If an option is not valid.
    pub fn build(self) -> Result<Idempotency, IdempotencyOptionError> {
        let refused = |text: String| Err(IdempotencyOptionError(format!("idempotency: {text}")));
        if !(0.01..=8760.0).contains(&self.hours) {
            return refused(format!(
                "`hours` must be a number from 0.01 to 8760, not {}",
                self.hours
            ));
        }
        if self.max_bytes == 0 {
            return refused("`max_bytes` must be at least 1".to_owned());
        }
        if !is_table_name(&self.table) {
            return refused(format!(
                "the name of the table must have lower-case letters, digits and underscores, such as api.answers, not {:?}",
                self.table
            ));
        }
        Ok(Idempotency {
            required: self.required,
            lifetime_ms: self.hours * MS_OF_HOUR,
            max_bytes: self.max_bytes,
            begin: self.isolation.begin(),
            table: AnswerTable::new(self.table),
        })
    }
}

/// Wrapper code that executes a request only once, however often a client repeats it with the same header
/// `idempotency-key`. The answers are in the table of `idempotencyTableSql` of `@kit/idempotency`, which Node servers and
/// Rust servers can share.
///
/// ```
/// use std::sync::LazyLock;
///
/// use kit_runtime::idempotency::{Idempotency, IdempotencyOptionError, IdempotencyOptions, KeyOwner};
/// use kit_runtime::postgres::RequestTransaction;
/// use kit_runtime::{Error, Never, Next, Request, Wrapped, Wrapper};
/// use sqlx::PgPool;
///
/// struct App {
///     pool: PgPool,
/// }
///
/// fn idempotency() -> Result<&'static Idempotency, IdempotencyOptionError> {
///     static ONCE: LazyLock<Result<Idempotency, IdempotencyOptionError>> =
///         LazyLock::new(|| IdempotencyOptions::new().build());
///     ONCE.as_ref().map_err(Clone::clone)
/// }
///
/// /// Id of the caller, which the middleware of the authentication has added to the context.
/// #[derive(Clone)]
/// struct Subject(String);
///
/// struct Once {
///     /// Transaction in which the handler makes its queries.
///     transaction: RequestTransaction,
/// }
///
/// impl Wrapper<App> for Once {
///     const NAME: &'static str = "once";
///
///     type Reply = Never;
///
///     async fn run(app: &App, request: &Request, next: Next<'_, Self>) -> Result<Wrapped, Error> {
///         let subject = request.context().get::<Subject>();
///         let owner = KeyOwner::Caller(subject.as_ref().map_or("", |Subject(id)| id));
///         let adds = |transaction| Self { transaction };
///         idempotency()?.run(&app.pool, request, owner, next, adds).await
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Idempotency {
    required: bool,
    lifetime_ms: f64,
    max_bytes: usize,
    /// SQL that begins a transaction.
    begin: &'static str,
    table: AnswerTable,
}

/// Key of a request in the table.
struct Key {
    id: String,
    fingerprint: String,
}

impl Idempotency {
    /// Runs the rest of a request in a transaction, and stores its answer in this transaction. If the request was executed
    /// before, returns the stored answer. `adds` creates the value that the wrapper adds to the request, with the
    /// transaction for the queries of the handler.
    ///
    /// If the wrapped code fails, everything is rolled back, and nothing is stored. An answer that sets a cookie is an error,
    /// because readers of the table could use a stored cookie to log in.
    ///
    /// # Errors
    ///
    /// - 400 `VALIDATION_ERROR` if the header `idempotency-key` is missing or not valid.
    /// - 409 `IDEMPOTENCY_KEY_IN_USE` with `retry-after` if a request with this key is running.
    /// - 422 `IDEMPOTENCY_KEY_REUSED` if the key was used for another request.
    /// - 500 if the id of the caller is empty, if the answer is a stream or too large, or if the body arrives in chunks.
    /// - The error of the wrapped code.
    pub async fn run<W, R: Replies>(
        &self,
        pool: &PgPool,
        request: &Request,
        owner: KeyOwner<'_>,
        next: Next<'_, W>,
        adds: impl FnOnce(RequestTransaction) -> W + Send,
    ) -> Result<Wrapped<R>, Error> {
        let key = self.key(request, owner)?;
        let transaction = RequestTransaction::begin(pool, self.begin).await?;
        let _guard = EndGuard(transaction.clone());
        let executed = self
            .execute(request, key.as_ref(), &transaction, next, adds)
            .await;
        match (transaction.end(executed).await, key) {
            // Above `read committed`, a transaction does not see an answer that was stored after the transaction began.
            // PostgreSQL then rolls this transaction back when both change the same rows.
            (Err(error), Some(key)) if is_conflict(&error) => match self.table.find(pool, &key.id).await {
                Ok(Some(_)) => Err(in_use()),
                _ => Err(error),
            },
            (result, _) => result.map(Wrapped::Passed),
        }
    }

    async fn execute<W>(
        &self,
        request: &Request,
        key: Option<&Key>,
        transaction: &RequestTransaction,
        next: Next<'_, W>,
        adds: impl FnOnce(RequestTransaction) -> W + Send,
    ) -> Result<Passed, Error> {
        let added = adds(transaction.clone());
        let Some(Key { id, fingerprint }) = key else {
            let answer = next.run(added).await?;
            warn_if_unused(transaction, request);
            transaction.check_open().await?;
            return Ok(answer);
        };
        match self.known(transaction, id).await? {
            Some((known, answer)) if known == *fingerprint => return Ok(next.send_stored(answer)),
            Some(_) => {
                return Err(Error::new(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    "IDEMPOTENCY_KEY_REUSED",
                    "This idempotency key was used for another request; send a new key with each new request",
                ));
            }
            None => {}
        }
        let mut answer = next.run(added).await?;
        warn_if_unused(transaction, request);
        let stored = answer.store().await?;
        if stored.headers.iter().any(|(name, _)| *name == header::SET_COOKIE) {
            return Err(Error::internal(format!(
                "{}: the answer sets a cookie, but cookies are not stored, because readers of the table could use them to \
                 log in; set the cookie in a route without idempotency keys",
                request.context().route().unwrap_or_default()
            )));
        }
        let bytes = stored.body.as_ref().map_or(0, Bytes::len);
        if bytes > self.max_bytes {
            return Err(Error::internal(format!(
                "{}: the answer has {bytes} bytes, but at most {} are stored; answer with less, or raise `max_bytes`",
                request.context().route().unwrap_or_default(),
                self.max_bytes
            )));
        }
        transaction.check_open().await?;
        let mut connection = transaction.free_connection()?;
        self.table
            .add(&mut connection, id, fingerprint, &stored, self.lifetime_ms)
            .await?;
        Ok(answer)
    }

    /// Locks the key. Returns its answer, if there is one.
    async fn known(
        &self,
        transaction: &RequestTransaction,
        id: &str,
    ) -> Result<Option<(String, StoredAnswer)>, Error> {
        let mut connection = transaction.own_connection().await?;
        if !self.table.lock(&mut connection, id).await? {
            return Err(in_use());
        }
        self.table.find(&mut *connection, id).await
    }

    /// Reads the key of a request. Returns `None` if the request has none and needs none.
    fn key(&self, request: &Request, owner: KeyOwner<'_>) -> Result<Option<Key>, Error> {
        let given = request.header(HEADER);
        if given.is_none() && !self.required {
            return Ok(None);
        }
        let Some(key) = given.as_deref().and_then(read_key) else {
            let expected = "a new random key for each new request: 1 to 255 printable ASCII characters";
            return Err(Error::invalid_header(HEADER, expected, given.is_some()));
        };
        let caller = match owner {
            KeyOwner::Anyone => "",
            KeyOwner::Caller("") => {
                return Err(Error::internal(
                    "The id of the caller is empty, so the idempotency key belongs to nobody: run the middleware that \
                     authenticates callers before this wrapper, or use `KeyOwner::Anyone`",
                ));
            }
            KeyOwner::Caller(caller) => caller,
        };
        let text = serde_json::to_string(&[caller, key])?;
        Ok(Some(Key {
            id: hex(&Sha256::digest(text)),
            fingerprint: request.fingerprint()?,
        }))
    }
}

/// Warns in development, once for each route, if the handler has not used its transaction. A handler that queries the pool
/// by mistake compiles, and its rows stay if the request fails.
fn warn_if_unused(transaction: &RequestTransaction, request: &Request) {
    static WARNED: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    if !is_development() || transaction.is_used() {
        return;
    }
    let route = request.context().route().unwrap_or_default();
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    if warned.insert(route) {
        tracing::warn!(
            "{route}: the handler has not used the transaction of its request, so its queries, if any, do not belong to the \
             transaction; take the connection with `transaction.connection()` in place of the pool"
        );
    }
}

/// Returns the error for a request whose key another request is using.
fn in_use() -> Error {
    let message = "A request with this idempotency key is running; try again later";
    Error::conflict("IDEMPOTENCY_KEY_IN_USE", message)
        .with_header(header::RETRY_AFTER, HeaderValue::from_static("1"))
}

/// Reads a key: a string of structured fields (RFC 9651), as in the draft, or plain text without quotes.
fn read_key(given: &str) -> Option<&str> {
    let quoted = given.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let key = quoted.unwrap_or(given);
    let is_allowed = |byte: u8| match byte {
        b'"' | b'\\' => false,
        b' ' => quoted.is_some(),
        byte => byte.is_ascii_graphic(),
    };
    ((1..=LONGEST_KEY).contains(&key.len()) && key.bytes().all(is_allowed)).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::{IdempotencyOptions, read_key};

    #[test]
    fn reads_keys_with_and_without_quotes() {
        let long = "a".repeat(255);
        for (given, key) in [
            ("k-1", "k-1"),
            ("\"k-1\"", "k-1"),
            ("\"a b\"", "a b"),
            (long.as_str(), long.as_str()),
        ] {
            assert_eq!(read_key(given), Some(key), "{given}");
        }
        let too_long = "a".repeat(256);
        for given in [
            "",
            "\"\"",
            "\"",
            "a b",
            "\"a",
            "a\"",
            "\"a\"b\"",
            "a\\",
            "ü",
            "\"\u{7f}\"",
            &too_long,
        ] {
            assert_eq!(read_key(given), None, "{given}");
        }
    }

    #[test]
    fn refuses_options_that_are_not_valid() {
        let message = |options: IdempotencyOptions| {
            options
                .build()
                .map_or_else(|error| error.to_string(), |_| String::new())
        };
        assert!(message(IdempotencyOptions::new().hours(f64::NAN)).contains("`hours`"));
        assert!(message(IdempotencyOptions::new().hours(8761.0)).contains("not 8761"));
        assert!(message(IdempotencyOptions::new().max_bytes(0)).contains("`max_bytes`"));
        assert!(message(IdempotencyOptions::new().table("a;b")).contains("not \"a;b\""));
        assert_eq!(message(IdempotencyOptions::new().hours(0.01)), "");
    }
}
