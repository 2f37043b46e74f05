//! Connections.

use std::future::Future;
use std::time::Duration;

use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Client, Config, NoTls};

use crate::{MigrateError, Refusal};

/// How long a connection may take to be made, where the URL says nothing.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Runs a future to its end on this thread.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T, MigrateError>>) -> Result<T, MigrateError> {
    if tokio::runtime::Handle::try_current().is_ok() {
        return Err(MigrateError::Nested);
    }
    tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .map_err(MigrateError::Runtime)?
        .block_on(future)
}

/// Opens a connection.
pub(crate) async fn connect(url: &str) -> Result<Client, MigrateError> {
    // The parser knows three of the six modes; the stricter two would read like a typing mistake.
    if url.contains("sslmode=verify") {
        return Err(MigrateError::Tls);
    }
    let mut config: Config = url.parse().map_err(MigrateError::Url)?;
    if config.get_ssl_mode() == SslMode::Require {
        return Err(MigrateError::Tls);
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if config.get_application_name().is_none() {
        config.application_name("kit migrate");
    }
    let target = describe(&config);
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err(MigrateError::Connect {
            target,
            source: Refusal::plain("the URL names no host"),
        });
    }
    let (client, connection) = config
        .connect(NoTls)
        .await
        .map_err(|error| MigrateError::Connect {
            target,
            source: Refusal::of(error, None),
        })?;
    // Its errors also reach the client's next call, so there is nothing to report here.
    tokio::spawn(async move {
        let _ = connection.await;
    });
    Ok(client)
}

/// Where a connection goes, without the password.
fn describe(config: &Config) -> String {
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .map(|host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        })
        .collect();
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let database = config.get_dbname().or(config.get_user()).unwrap_or("?");
    format!("{}:{port}/{database}", hosts.join(","))
}
