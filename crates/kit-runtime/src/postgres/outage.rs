//! Outages of PostgreSQL. sqlx's pool tries again while connections are refused, until the whole time limit of the request is over. So that requests
//! fail at once, the pool gets options that fail at once for as long as a task beside it finds that connections are refused.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Connection as _, PgPool};
use tokio::sync::Notify;

use super::failure;

/// Pause before a PostgreSQL that refuses connections is asked again.
const PAUSE: Duration = Duration::from_millis(250);
/// Time limit for asking.
const PATIENCE: Duration = Duration::from_secs(2);

/// Wakes the tasks of all pools.
static SUSPICION: Notify = Notify::const_new();

/// Says that PostgreSQL may be down: a request failed for want of a connection.
pub(crate) fn suspect() {
    SUSPICION.notify_waiters();
}

/// Watches the pool's server for as long as the pool is open. `options` are those of the pool; `broken` tells of connections that broke.
pub(super) fn watch(pool: PgPool, options: PgConnectOptions, broken: Arc<Notify>) {
    tokio::spawn(async move {
        while !pool.is_closed() {
            tokio::select! {
                () = broken.notified() => {}
                () = SUSPICION.notified() => {}
                () = pool.close_event() => return,
            }
            if is_reachable(&options).await {
                continue;
            }
            tracing::warn!("PostgreSQL refuses connections; requests that need it are answered with 503");
            pool.set_connect_options(nowhere(&options));
            while !is_reachable(&options).await && !pool.is_closed() {
                tokio::time::sleep(PAUSE).await;
            }
            pool.set_connect_options(options.clone());
            tracing::info!("PostgreSQL accepts connections again");
        }
    });
}

/// Returns false if the server refuses connections or is starting. Every other failure is one that the pool reports by itself.
async fn is_reachable(options: &PgConnectOptions) -> bool {
    match tokio::time::timeout(PATIENCE, PgConnection::connect_with(options)).await {
        Ok(Ok(connection)) => {
            let _ = connection.close().await;
            true
        }
        Ok(Err(error)) => !failure::is_retried_by_pool(&error),
        Err(_) => true,
    }
}

/// Returns options whose connections fail at once: their socket is in a directory that cannot be there.
fn nowhere(options: &PgConnectOptions) -> PgConnectOptions {
    options.clone().socket("/dev/null/PostgreSQL refuses connections")
}
