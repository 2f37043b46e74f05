//! Handles outages of PostgreSQL. While connections are refused, the pool of sqlx retries until the full timeout of a
//! request. To fail requests at once instead, a background task detects the outage and gives the pool options whose
//! connections fail at once until the database is back.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Connection as _, PgPool};
use tokio::sync::Notify;

use super::failure;

/// Pause between two attempts to connect during an outage.
const PAUSE: Duration = Duration::from_millis(250);
/// Timeout of one attempt to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Wakes the tasks of all pools.
static OUTAGE_REPORTED: Notify = Notify::const_new();

/// Reports that PostgreSQL may be down, because a request failed without a connection.
pub(crate) fn report_outage() {
    OUTAGE_REPORTED.notify_waiters();
}

/// Watches the database server until the pool is closed. `options` are the options of the pool; `broken` is notified
/// about broken connections.
pub(super) fn watch(pool: PgPool, options: PgConnectOptions, broken: Arc<Notify>) {
    tokio::spawn(async move {
        while !pool.is_closed() {
            tokio::select! {
                () = broken.notified() => {}
                () = OUTAGE_REPORTED.notified() => {}
                () = pool.close_event() => return,
            }
            if is_reachable(&options).await {
                continue;
            }
            tracing::warn!("PostgreSQL refuses connections; requests that need it get the response 503");
            pool.set_connect_options(unreachable_options(&options));
            while !is_reachable(&options).await && !pool.is_closed() {
                tokio::time::sleep(PAUSE).await;
            }
            pool.set_connect_options(options.clone());
            tracing::info!("PostgreSQL accepts connections again");
        }
    });
}

/// Returns false if the server refuses connections or is starting. The pool reports all other failures by itself.
async fn is_reachable(options: &PgConnectOptions) -> bool {
    match tokio::time::timeout(CONNECT_TIMEOUT, PgConnection::connect_with(options)).await {
        Ok(Ok(connection)) => {
            let _ = connection.close().await;
            true
        }
        Ok(Err(error)) => !failure::is_retried_by_pool(&error),
        Err(_) => true,
    }
}

/// Returns options whose connections fail at once, because their socket is in a directory that cannot exist.
fn unreachable_options(options: &PgConnectOptions) -> PgConnectOptions {
    options.clone().socket("/dev/null/PostgreSQL refuses connections")
}
