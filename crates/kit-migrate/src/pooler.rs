//! Poolers that lend a server process to a client for one transaction, such as pgbouncer with `pool_mode = transaction`.
//!
//! The lock of a run and its settings belong to a server process. Behind such a pooler they would stay there when kit is gone, for whoever
//! is lent that process next, and the next statement of kit would run without them.

use std::time::Duration;

use tokio_postgres::{Client, SimpleQueryMessage};

use crate::connect::{Connection, connect};
use crate::{MigrateError, Refusal};

/// Number of tries. A pooler that others use as well may by chance lend the same process every time.
const ROUNDS: usize = 3;

/// Time limit for an answer. A pooler with no process to spare keeps its clients waiting.
const PATIENCE: Duration = Duration::from_secs(10);

/// Refuses a connection whose statements are not all run by one server process, which is its own.
///
/// A pooler gives the process back after each statement here, and lends it to a second connection, which asks next and holds it in a
/// transaction. If that connection was lent another one (others were quicker), the first one asks once more: what it is lent now is mostly
/// not what it had before. Nothing is set or locked on the way.
pub(crate) async fn refuse(url: &str, connection: &Connection) -> Result<(), MigrateError> {
    let own = process(connection, PROCESS).await?;
    // A pooler that takes turns lends another one to the very next statement.
    if process(connection, PROCESS).await? != own {
        return Err(MigrateError::Pooled);
    }
    // Where the server takes no second connection of this user, there is only this one to compare with.
    let other = tokio::time::timeout(PATIENCE, connect(url)).await;
    for _ in 0..ROUNDS {
        if process(connection, PROCESS).await? != own {
            return Err(MigrateError::Pooled);
        }
        let Ok(Ok(other)) = &other else {
            continue;
        };
        // A pooler with one process has none left for the first connection then, so this is looked at before that one is asked.
        let begin = format!("BEGIN READ ONLY; {PROCESS}");
        if process(other, &begin).await? == own || process(connection, PROCESS).await? != own {
            return Err(MigrateError::Pooled);
        }
        process(other, "ROLLBACK").await?;
    }
    Ok(())
}

/// Names a server process. Two servers may have processes of the same number.
const PROCESS: &str = "SELECT pid || ' ' || extract(epoch FROM backend_start) FROM pg_catalog.pg_stat_activity \
    WHERE pid = pg_catalog.pg_backend_pid()";

/// The server process that runs a statement. By the simple protocol: a prepared statement belongs to a process, too.
async fn process(client: &Client, sql: &str) -> Result<String, MigrateError> {
    let failed = |source| MigrateError::Database {
        doing: "cannot find out whether the connection has a server process of its own",
        source,
    };
    let messages = tokio::time::timeout(PATIENCE, client.simple_query(sql))
        .await
        .map_err(|_| {
            failed(Refusal::plain(format!(
                "there was no answer for {} s",
                PATIENCE.as_secs()
            )))
        })?
        .map_err(|error| failed(Refusal::of(error, None)))?;
    let process = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    Ok(process.unwrap_or_default().to_owned())
}
