//! Advisory lock that allows one run at a time.

use std::time::{Duration, Instant};

use tokio_postgres::Client;

use crate::run::Run;
use crate::{Event, MigrateError};

/// Number of the advisory lock: `kit_migr` in ASCII. Advisory locks are per database.
const KEY: i64 = 0x6b69_745f_6d69_6772;

/// Interval between two attempts to get the lock.
const INTERVAL: Duration = Duration::from_millis(100);

/// Time limit for releasing the lock. The release waits if the connection still runs a statement that could not be
/// cancelled.
const RELEASE: Duration = Duration::from_secs(1);

/// Acquires the lock. The session holds it until the lock is released or the connection closes, so that no
/// lock remains after a crash.
pub(crate) async fn acquire(run: &Run<'_>) -> Result<(), MigrateError> {
    let patience = run.options.wait;
    let start = Instant::now();
    let mut said = false;
    loop {
        if run.interrupt.is_set() {
            return Err(MigrateError::Interrupted {
                name: None,
                applied: Vec::new(),
            });
        }
        let row = run
            .connection
            .query_one("SELECT pg_try_advisory_lock($1)", &[&KEY])
            .await
            .map_err(MigrateError::database("cannot take the migration lock"))?;
        if row.get(0) {
            return Ok(());
        }
        if start.elapsed() >= patience {
            return Err(MigrateError::Locked {
                holder: holder(&run.connection)
                    .await
                    .unwrap_or_else(|| "the session that has the lock is not visible".to_owned()),
                waited: patience,
            });
        }
        if !said {
            said = true;
            run.report(&Event::Waiting {
                what: "another process is applying migrations".to_owned(),
                pause: patience,
            });
        }
        tokio::time::sleep(INTERVAL.min(patience)).await;
    }
}

/// Releases the lock and resets all settings with `DISCARD ALL`, after success or failure. Closing the
/// connection has the same effect, but a pooler in session mode may keep the connection for other clients.
pub(crate) async fn release(run: &Run<'_>) {
    let release = async {
        // A failed transaction accepts no statement except `ROLLBACK`.
        run.connection.batch_execute("ROLLBACK").await?;
        run.connection.batch_execute("DISCARD ALL").await
    };
    // If the release fails, the connection is lost, and the server releases the lock.
    let _ = tokio::time::timeout(RELEASE, release).await;
}

/// Describes the holder of the lock. Returns `None` if the lock is free or the holder is not visible to this user.
pub(crate) async fn holder(client: &Client) -> Option<String> {
    let query = "SELECT activity.pid, coalesce(activity.application_name, ''), activity.backend_start::text \
        FROM pg_locks JOIN pg_stat_activity AS activity USING (pid) \
        WHERE locktype = 'advisory' AND granted AND objsubid = 1 \
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
        AND classid::bigint = $1::bigint >> 32 AND objid::bigint = $1::bigint & 4294967295";
    match client.query_opt(query, &[&KEY]).await {
        Ok(Some(row)) => Some(format!(
            "server process {}, `{}`, connected since {}",
            row.get::<_, i32>(0),
            row.get::<_, &str>(1),
            row.get::<_, &str>(2)
        )),
        _ => None,
    }
}
