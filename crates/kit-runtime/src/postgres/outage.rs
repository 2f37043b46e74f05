//! Handles outages of PostgreSQL. While PostgreSQL refuses connections, the pool of sqlx would try again until the
//! timeout of each request. So a background task detects the outage. Until the end of the outage, the task gives
//! the pool connection options that fail immediately.

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

/// Wakes the background tasks of all pools.
static OUTAGE_REPORTED: Notify = Notify::const_new();

/// Reports that PostgreSQL may be down, because a request got no connection.
pub(crate) fn report_outage() {
    OUTAGE_REPORTED.notify_waiters();
}

/// Starts the background task, which runs until the pool is closed. `options` are the connection options of the pool.
/// `broken` is notified about each connection that no longer works.
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
            tracing::warn!(
                "PostgreSQL refuses connections; requests that need the database get the response 503"
            );
            pool.set_connect_options(unreachable_options(&options));
            while !is_reachable(&options).await && !pool.is_closed() {
                tokio::time::sleep(PAUSE).await;
            }
            pool.set_connect_options(options.clone());
            tracing::info!("PostgreSQL accepts connections again");
        }
    });
}

/// Returns false if the server refuses connections or is starting. Returns true for all other errors, because
/// requests report these errors themselves.
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

/// Returns options whose connections fail immediately, because their socket is in a directory that cannot
/// exist.
fn unreachable_options(options: &PgConnectOptions) -> PgConnectOptions {
    options.clone().socket("/dev/null/PostgreSQL refuses connections")
}
