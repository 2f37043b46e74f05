//! Detects poolers that assign a server process to a client for one transaction only, such as pgbouncer with
//! `pool_mode = transaction`.
//!
//! The lock of a run and its settings belong to a server process. Behind such a pooler, both would stay in the process
//! after kit is done and affect its next client, and the next statement of kit would run in another process without
//! them.

use std::time::Duration;

use tokio_postgres::{Client, SimpleQueryMessage};

use crate::connect::{Connection, connect};
use crate::{DatabaseError, MigrateError};

/// Number of attempts. If other clients use the pooler too, the pooler may assign the same process every time by
/// chance.
const ATTEMPTS: usize = 3;

/// Time limit for a response. A pooler without a free process makes its clients wait.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);

/// Refuses a connection whose statements may run in different server processes.
///
/// A pooler in transaction mode takes the server process back after each statement. The check opens a second
/// connection, which probably gets the same process next, and keeps that process busy with a transaction. The
/// first connection then probably gets another process. If the second connection got another process, because
/// other clients were faster, the check is repeated. The check changes no setting and holds no lock.
pub(crate) async fn refuse_transaction_pooler(
    url: &str,
    connection: &Connection,
) -> Result<(), MigrateError> {
    let own = server_process(connection, PROCESS).await?;
    // A round-robin pooler assigns another process to the next statement already.
    if server_process(connection, PROCESS).await? != own {
        return Err(MigrateError::Pooled);
    }
    // If the server accepts no second connection of this user, only the first connection is checked.
    let other = tokio::time::timeout(RESPONSE_TIMEOUT, connect(url)).await;
    for _ in 0..ATTEMPTS {
        if server_process(connection, PROCESS).await? != own {
            return Err(MigrateError::Pooled);
        }
        let Ok(Ok(other)) = &other else {
            continue;
        };
        // Check the second connection first: a pooler with a single process would have none left for the first
        // connection.
        let begin = format!("BEGIN READ ONLY; {PROCESS}");
        if server_process(other, &begin).await? == own || server_process(connection, PROCESS).await? != own {
            return Err(MigrateError::Pooled);
        }
        server_process(other, "ROLLBACK").await?;
    }
    Ok(())
}

/// Query that identifies a server process. The start time of the server is included because processes of two servers may have
/// the same number. A connection with `options=-c role=…` may not see the start time of its own process.
const PROCESS: &str =
    "SELECT pg_catalog.pg_backend_pid() || ' ' || extract(epoch FROM pg_catalog.pg_postmaster_start_time())";

/// Returns the server process that runs a statement. Uses the simple protocol, because a prepared statement also
/// belongs to a process.
async fn server_process(client: &Client, sql: &str) -> Result<String, MigrateError> {
    let failed = |source| MigrateError::Database {
        doing: "cannot determine if the connection has its own server process",
        source,
    };
    let messages = tokio::time::timeout(RESPONSE_TIMEOUT, client.simple_query(sql))
        .await
        .map_err(|_| {
            failed(DatabaseError::plain(format!(
                "the server did not respond within {} s",
                RESPONSE_TIMEOUT.as_secs()
            )))
        })?
        .map_err(|error| failed(DatabaseError::of(error, None)))?;
    let process = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    Ok(process.unwrap_or_default().to_owned())
}
