//! Transactions that a wrapper and the handler share.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::postgres::{PgConnection, Postgres};
use sqlx::{Executor as _, PgPool, Transaction};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard};

use super::transaction_places::{Place, take_place};
use crate::Error;

/// Maximum time of a rollback.
const ROLLBACK_LIMIT: Duration = Duration::from_secs(10);

/// Transaction in which a wrapper runs the rest of a request. Clones share it.
///
/// The wrapper commits the transaction after the handler has returned, and rolls it back if the handler fails. Queries of
/// the pool are not part of the transaction. The transactions of requests leave one connection of the pool free for such
/// queries.
///
/// ```
/// use kit_runtime::Error;
/// use kit_runtime::postgres::RequestTransaction;
///
/// async fn pay(transaction: &RequestTransaction, cents: i64) -> Result<(), Error> {
///     let mut connection = transaction.connection().await?;
///     sqlx::query("UPDATE accounts SET cents = cents - $1")
///         .bind(cents)
///         .execute(&mut *connection)
///         .await?;
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct RequestTransaction(Arc<Shared>);

struct Shared {
    /// `None` after the transaction has ended.
    open: Mutex<Option<OpenTransaction>>,
    /// True after the handler or a wrapper has taken the connection.
    is_used: AtomicBool,
}

/// Transaction that has not ended.
struct OpenTransaction {
    transaction: Transaction<'static, Postgres>,
    /// Right to hold a connection, which other requests wait for.
    place: Place,
}

impl RequestTransaction {
    /// Begins a transaction. `statement` is the SQL that begins it.
    pub(crate) async fn begin(pool: &PgPool, statement: &'static str) -> Result<Self, Error> {
        let place = take_place(pool).await?;
        let transaction = pool.begin_with(statement).await?;
        Ok(Self(Arc::new(Shared {
            open: Mutex::new(Some(OpenTransaction { transaction, place })),
            is_used: AtomicBool::new(false),
        })))
    }

    /// Returns the connection of the transaction, for one query after another. Other callers wait until the result is
    /// dropped, so drop it before you call code that takes the connection too.
    ///
    /// # Errors
    ///
    /// 500 if the transaction has ended, because the handler has returned.
    pub async fn connection(&self) -> Result<TransactionConnection<'_>, Error> {
        self.0.is_used.store(true, Ordering::Relaxed);
        self.own_connection().await
    }

    /// Returns the connection for kit's own queries, which do not count as use by the handler.
    pub(crate) async fn own_connection(&self) -> Result<TransactionConnection<'_>, Error> {
        connection_of(self.0.open.lock().await)
    }

    /// Returns true if the handler or a wrapper has taken the connection.
    pub(crate) fn is_used(&self) -> bool {
        self.0.is_used.load(Ordering::Relaxed)
    }

    /// Returns the connection after the handler has returned.
    ///
    /// # Errors
    ///
    /// 500 if a task of the handler still uses the connection. Waiting for the task could take forever.
    pub(crate) fn free_connection(&self) -> Result<TransactionConnection<'_>, Error> {
        connection_of(self.0.open.try_lock().map_err(|_| still_used())?)
    }

    /// Checks after the handler that the transaction can be committed. PostgreSQL answers `COMMIT` of a failed transaction
    /// with a rollback and no error, so that a request would succeed whose rows are lost.
    ///
    /// # Errors
    ///
    /// 500 if a query has failed and the handler has ignored its error, if the handler has ended the transaction, or if a task
    /// of the handler still uses the connection.
    pub(crate) async fn check_open(&self) -> Result<(), Error> {
        let mut connection = self.free_connection()?;
        // PostgreSQL refuses a savepoint in a failed transaction, and outside of a transaction.
        // Not a prepared statement, which not every pooler in transaction mode allows.
        let Err(error) = (&mut *connection).execute("SAVEPOINT kit_end").await else {
            return Ok(());
        };
        let code = error
            .as_database_error()
            .and_then(sqlx::error::DatabaseError::code);
        Err(match code.as_deref() {
            Some("25P02") => Error::internal(
                "A query of the transaction of the request has failed, so PostgreSQL rolls the transaction back; return the \
                 error of the query, or run the query in a savepoint",
            ),
            Some("25P01") => Error::internal(
                "The handler has ended the transaction of the request; do not send COMMIT or ROLLBACK on its connection",
            ),
            _ => error.into(),
        })
    }

    /// Commits the transaction.
    ///
    /// # Errors
    ///
    /// 500 if a task of the handler still uses the connection, or if PostgreSQL does not commit.
    pub(crate) async fn commit(&self) -> Result<(), Error> {
        let open = self.0.open.try_lock().ok().and_then(|mut open| open.take());
        match open {
            Some(OpenTransaction { transaction, place }) => {
                let committed = transaction.commit().await;
                drop(place);
                Ok(committed?)
            }
            None => Err(still_used()),
        }
    }

    /// Commits the transaction if the wrapped code has succeeded, and rolls it back otherwise. Returns the result.
    ///
    /// # Errors
    ///
    /// The error of the wrapped code, and the errors of [`Self::commit`].
    pub(crate) async fn end<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        match result {
            Ok(answer) => self.commit().await.map(|()| answer),
            Err(error) => {
                self.roll_back().await;
                Err(error)
            }
        }
    }

    /// Rolls the transaction back, if no task uses the connection. Otherwise the end of this task does.
    pub(crate) async fn roll_back(&self) {
        let open = self.0.open.try_lock().ok().and_then(|mut open| open.take());
        if let Some(OpenTransaction { transaction, place }) = open {
            // The connection is broken if this fails, so PostgreSQL has rolled back. Without the limit, a request would wait for
            // a database that does not answer.
            let _ = tokio::time::timeout(ROLLBACK_LIMIT, transaction.rollback()).await;
            drop(place);
        }
    }
}

/// Ends a transaction on drop, if it was not committed: after an error, or because the request was abandoned.
pub(crate) struct EndGuard(pub(crate) RequestTransaction);

impl Drop for EndGuard {
    fn drop(&mut self) {
        if let Ok(mut open) = self.0.0.open.try_lock() {
            // sqlx rolls back a transaction that is dropped.
            drop(open.take());
            return;
        }
        // A task still uses the connection. Clones that the task or the handler keeps must not keep the transaction open.
        let shared = Arc::clone(&self.0.0);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { drop(shared.open.lock().await.take()) });
        }
    }
}

fn connection_of(open: MutexGuard<'_, Option<OpenTransaction>>) -> Result<TransactionConnection<'_>, Error> {
    MutexGuard::try_map(open, |open| open.as_mut().map(|open| &mut *open.transaction))
        .map(TransactionConnection)
        .map_err(|_| {
            Error::internal("The transaction of the request has ended, because its handler has returned")
        })
}

fn still_used() -> Error {
    Error::internal(
        "The handler has returned while another task uses the transaction of the request, so it is rolled back",
    )
}

impl fmt::Debug for RequestTransaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestTransaction").finish_non_exhaustive()
    }
}

/// Connection of a [`RequestTransaction`]. `&mut *connection` is an executor for queries.
pub struct TransactionConnection<'t>(MappedMutexGuard<'t, PgConnection>);

impl Deref for TransactionConnection<'_> {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.0
    }
}

impl DerefMut for TransactionConnection<'_> {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.0
    }
}

impl fmt::Debug for TransactionConnection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransactionConnection").finish_non_exhaustive()
    }
}
