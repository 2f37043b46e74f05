//! Connections to PostgreSQL: the pool, its limits, and TLS with the `sslmode` values of libpq.
//!
//! The TLS support of sqlx is not used, because it differs from libpq: sqlx trusts the authorities of the operating
//! system in addition to the authorities in `sslrootcert`, checks nothing at `sslmode=require` with `sslrootcert`,
//! never encrypts at `allow`, does not retry without TLS at `prefer`, and checks the host at `verify-ca`. The module
//! `tunnel` encrypts the connections instead.

mod failure;
mod limits;
mod outage;
mod request_transaction;
mod security;
mod table_name;
mod tenant;
mod tls;
mod transaction_places;
mod tunnel;
mod url;

use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions, PgSslMode};
use sqlx::{Connection as _, Executor as _, PgPool};
use tokio::sync::Notify;

use crate::{Error, http, metrics, start_error};
use limits::Limits;
use security::{TlsMode, TlsSettings};
use tunnel::Tunnel;

pub use request_transaction::{RequestTransaction, TransactionConnection};
pub use tenant::Tenant;

pub(crate) use failure::{Temporary, help_for_missing, is_transaction_conflict, sql_state, temporary};
pub(crate) use outage::report_outage;
pub(crate) use request_transaction::EndGuard;
pub(crate) use table_name::is_table_name;

/// Maximum time that the start of the server waits for a PostgreSQL that is starting too.
const START: Duration = Duration::from_secs(30);
/// Pause between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(250);
/// Timeout of a ping on a connection.
const PING: Duration = Duration::from_millis(500);
/// Idle time after which the pool pings a connection before a request uses it. sqlx pings each connection when it returns to the
/// pool, so a second ping right after that tells nothing new.
const PINGED_AFTER: Duration = Duration::from_millis(50);

/// Connects to a database and returns the pool.
///
/// `url` is `postgres://user:password@host:5432/database`. Its parameters `sslmode`, `sslrootcert`, `sslcert` and
/// `sslkey` mean the same as in libpq. If a parameter is absent, `PGSSLMODE`, `PGSSLROOTCERT`, `PGSSLCERT` or
/// `PGSSLKEY` is used.
///
/// Environment variables:
/// - `DATABASE_POOL_SIZE`: maximum number of connections; 10 by default.
/// - `DATABASE_CONNECT_TIMEOUT_MS`: maximum time in milliseconds that a request waits for a connection before the
///   response is 503; 2,000 by default.
/// - `DATABASE_STATEMENT_TIMEOUT_MS`: maximum duration of a statement in milliseconds before PostgreSQL cancels it; by
///   default `REQUEST_TIMEOUT_MS`. 0 is no limit.
///
/// ```
/// use kit_runtime::Error;
///
/// async fn count_notes() -> Result<i64, Error> {
///     let pool = kit_runtime::postgres::connect("postgres://localhost/notes").await?;
///     Ok(sqlx::query_scalar("SELECT count(*) FROM notes").fetch_one(&pool).await?)
/// }
/// ```
///
/// # Errors
///
/// If the URL or an environment variable is invalid, or the database cannot be reached within 30 seconds.
pub async fn connect(url: &str) -> Result<PgPool, Error> {
    let limits = Limits::load()?;
    url::check(url)?;
    let (stripped, security) = TlsSettings::of(url, |name| std::env::var(name).ok())?;
    let options: PgConnectOptions = stripped
        .parse()
        .map_err(|error: sqlx::Error| url::refused(url, &error.to_string()))?;
    // The tunnel encrypts, so sqlx connects without TLS. libpq ignores `sslmode` for Unix sockets, too.
    let options = options.ssl_mode(PgSslMode::Disable);
    // PostgreSQL 12 and newer print exact numbers by default, and poolers such as pgbouncer refuse this parameter.
    let options = options.extra_float_digits(None);
    let database = database_text(&options);
    let options = reach(options, &security, &database).await?;
    let settings: Arc<str> = limits.session().into();
    let broken = Arc::new(Notify::new());
    let noticed = Arc::clone(&broken);
    let pool = PgPoolOptions::new()
        .max_connections(limits.connections)
        .acquire_timeout(limits.acquire)
        .after_connect(move |connection, _| {
            let settings = Arc::clone(&settings);
            Box::pin(async move {
                connection.execute(&*settings).await?;
                Ok(())
            })
        })
        // Replaces the test of idle connections in sqlx, which waits without limit and does not notify `outage`.
        .test_before_acquire(false)
        .before_acquire(move |connection, pooled| {
            if pooled.idle_for < PINGED_AFTER {
                return Box::pin(async { Ok(true) });
            }
            let noticed = Arc::clone(&noticed);
            Box::pin(async move {
                let is_alive = is_alive(connection).await;
                if !is_alive {
                    noticed.notify_one();
                }
                Ok(is_alive)
            })
        })
        .after_release(|connection, _| Box::pin(is_free(connection)))
        .connect_lazy_with(options.clone());
    // Open one connection now, because PostgreSQL may reject the settings of the session.
    pool.acquire()
        .await
        .map_err(|error| unreachable(&error, None, &database))?;
    outage::watch(pool.clone(), options, broken);
    let watched = pool.clone();
    metrics::watch_pool(move || {
        let (idle, all) = (watched.num_idle() as u64, u64::from(watched.size()));
        metrics::Pool {
            idle,
            used: all.saturating_sub(idle),
            max: watched.options().get_max_connections().into(),
        }
    });
    Ok(pool)
}

/// Returns true if an idle connection still works. The pool closes a broken connection and takes another
/// connection.
async fn is_alive(connection: &mut PgConnection) -> bool {
    matches!(tokio::time::timeout(PING, connection.ping()).await, Ok(Ok(())))
}

/// Returns true if a connection may return to the pool. The query of an abandoned request may still run. In that case
/// the connection is closed, and PostgreSQL cancels the query when it notices (`client_connection_check_interval`).
async fn is_free(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    // sqlx pings each connection itself, but waits for the reply without limit.
    if !http::was_abandoned_recently() {
        return Ok(true);
    }
    match tokio::time::timeout(PING, connection.ping()).await {
        Ok(answer) => answer.map(|()| true),
        Err(_) => Ok(false),
    }
}

/// Tries to connect with and without TLS, in the order of the `sslmode`. Returns the options of the first successful
/// attempt.
async fn reach(
    options: PgConnectOptions,
    security: &TlsSettings,
    database: &str,
) -> Result<PgConnectOptions, Error> {
    let ways = if options.get_socket().is_some() {
        &[TlsMode::Plain]
    } else {
        security.ways
    };
    let end = Instant::now() + START;
    let mut is_logged = false;
    loop {
        let mut refused = None;
        for way in ways {
            let (reached, tunnel) = match way {
                TlsMode::Plain => (options.clone(), None),
                TlsMode::Offered | TlsMode::Encrypted => {
                    let tunnel = Tunnel::open(&options, security, *way)?;
                    (tunnel.options(&options), Some(tunnel))
                }
            };
            let tried = tokio::time::timeout(START, PgConnection::connect_with(&reached)).await;
            let error = match tried {
                Ok(Ok(connection)) => {
                    let _ = connection.close().await;
                    return Ok(match tunnel {
                        Some(tunnel) if tunnel.is_encrypted() => {
                            tunnel.keep();
                            reached
                        }
                        // Mode `prefer` and a server without TLS: connections need no tunnel.
                        _ => options,
                    });
                }
                Ok(Err(error)) => error,
                Err(_) => sqlx::Error::PoolTimedOut,
            };
            let problem = tunnel.as_ref().and_then(Tunnel::problem);
            let goes_on =
                failure::depends_on_tls(&error) || problem.as_ref().is_some_and(|problem| problem.is_tls);
            // An error with TLS explains more than an error without TLS.
            if refused.is_none() || *way != TlsMode::Plain {
                refused = Some((error, problem));
            }
            if !goes_on {
                break;
            }
        }
        let Some((error, problem)) = refused else {
            return Err(Error::internal("there is no way to connect to the database"));
        };
        let is_starting = problem
            .as_ref()
            .map_or_else(|| failure::may_be_starting(&error), |problem| problem.is_refused);
        if !is_starting || Instant::now() + PAUSE >= end {
            return Err(unreachable(&error, problem.as_ref(), database));
        }
        if !is_logged {
            is_logged = true;
            let reason = reason(&error, problem.as_ref());
            tracing::warn!(
                "Waiting up to {} s for the database {database}: {reason}",
                START.as_secs()
            );
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Returns the error that stops the start of the server, with advice.
fn unreachable(error: &sqlx::Error, problem: Option<&tunnel::TunnelError>, database: &str) -> Error {
    let reason = reason(error, problem);
    let what = format!("the database cannot be reached: {reason}");
    let help = failure::help(error, &reason);
    let database = format!("{database} (DATABASE_URL)");
    start_error::failure(
        &what,
        &database,
        if help.is_empty() {
            "correct DATABASE_URL"
        } else {
            help
        },
    )
}

fn reason(error: &sqlx::Error, problem: Option<&tunnel::TunnelError>) -> String {
    problem.map_or_else(|| error.to_string(), |problem| problem.text.clone())
}

/// Describes the database for errors: host, port, name and user, without the password.
fn database_text(options: &PgConnectOptions) -> String {
    let user = options.get_username();
    let database = options.get_database().unwrap_or(user);
    let host = match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    };
    format!("at {host}, database {database}, user {user}")
}
