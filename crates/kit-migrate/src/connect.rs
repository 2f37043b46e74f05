//! Connects to PostgreSQL.

use std::future::Future;
use std::time::Duration;

use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::tls::Security;
use crate::url::{check, is_url};
use crate::{DatabaseError, MigrateError};

/// Connect timeout if the URL specifies none.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Runs a future to completion on this thread.
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

/// Time without traffic after which TCP keepalive probes start.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// Future that sends and receives the bytes of a client; the future must be polled while the client is in
/// use.
type Wire = tokio_postgres::Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// A connection, with the TLS settings for the second connection that a cancel request needs.
pub(crate) struct Connection {
    pub(crate) client: Client,
    tls: MakeRustlsConnect,
}

impl Connection {
    /// Asks the server to cancel the running statement. Returns nothing: only the connection that runs the statement
    /// receives the result.
    pub(crate) async fn cancel(&self) {
        // The request uses a new connection. If that fails, the connection to cancel is probably broken too.
        let _ = self.client.cancel_token().cancel_query(self.tls.clone()).await;
    }
}

impl std::ops::Deref for Connection {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// Opens a connection.
pub(crate) async fn connect(url: &str) -> Result<Connection, MigrateError> {
    check(url)?;
    let (url, security) = Security::from_url(url)?;
    let mut config: Config = url.parse().map_err(MigrateError::Url)?;
    // If the connection string has the form `host=… sslmode=…`, the parser of `tokio_postgres` reads the mode itself.
    let own = [config.get_ssl_mode()];
    let modes = if is_url(&url) { security.modes } else { &own };
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if config.get_application_name().is_none() {
        config.application_name("kit migrate");
    }
    config
        .keepalives_idle(KEEPALIVE)
        .keepalives_interval(KEEPALIVE / 3)
        .keepalives_retries(3);
    let target = describe(&config);
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err(MigrateError::Connect {
            target,
            source: DatabaseError::plain("the URL names no host"),
            help: "a URL is postgres://user:password@host:5432/database",
        });
    }
    let tls = security.connector()?;
    // The connect timeout of the configuration covers only the TCP connection: a server may accept it and then send
    // nothing.
    let each = *config.get_connect_timeout().unwrap_or(&CONNECT_TIMEOUT);
    let places = config.get_hosts().len().max(config.get_hostaddrs().len());
    let limit = each.saturating_mul(u32::try_from(places).unwrap_or(u32::MAX).saturating_add(1));
    let (client, connection) = make(&mut config, modes, &tls, limit).await.map_err(|source| {
        let help = help(&source);
        MigrateError::Connect { target, source, help }
    })?;
    // Errors of the connection also reach the client's next call, so there is nothing to report here.
    tokio::spawn(async move {
        let _ = connection.await;
    });
    Ok(Connection { client, tls })
}

/// Connects in the first of the given TLS modes that the server accepts. If all attempts fail, returns the
/// error of the last attempt with TLS, or of the first attempt if none used TLS.
async fn make(
    config: &mut Config,
    modes: &[SslMode],
    tls: &MakeRustlsConnect,
    limit: Duration,
) -> Result<(Client, Wire), Box<DatabaseError>> {
    let mut refused: Option<Box<DatabaseError>> = None;
    for mode in modes {
        config.ssl_mode(*mode);
        let refusal = match tokio::time::timeout(limit, config.connect(tls.clone())).await {
            Ok(Ok(made)) => return Ok(made),
            Ok(Err(error)) => DatabaseError::of(error, None),
            Err(_) => DatabaseError::plain("the server did not respond before the timeout"),
        };
        let goes_on = depends_on_tls(&refusal);
        if refused.is_none() || *mode != SslMode::Disable {
            refused = Some(refusal);
        }
        if !goes_on {
            break;
        }
    }
    Err(refused.unwrap_or_else(|| DatabaseError::plain("there is no way to connect")))
}

/// Returns true if an attempt with the other TLS mode may succeed: a `pg_hba.conf` can accept only
/// connections with TLS, or only connections without TLS.
fn depends_on_tls(refusal: &DatabaseError) -> bool {
    refusal.code.as_deref() == Some("28000") || refusal.message.contains("TLS handshake")
}

/// Returns advice for a connection that failed.
fn help(refusal: &DatabaseError) -> &'static str {
    match refusal.code.as_deref() {
        Some("28P01") => {
            "correct the user or the password in the URL; in the URL, write characters other than letters and digits as %XX"
        }
        Some("3D000") => {
            "create the database (CREATE DATABASE), or write the name of another database in the URL"
        }
        Some("28000") if refusal.message.contains("no encryption") => {
            "the server requires TLS: remove `sslmode=disable` from the URL, or write `sslmode=require`"
        }
        Some("28000") if refusal.message.contains("client certificate") => {
            "the server requires a client certificate: add it to the URL with `sslcert=/path/to/client.crt&sslkey=/path/to/client.key`"
        }
        Some("28000") => "the server's pg_hba.conf does not allow this user to connect from this machine",
        Some("53300") => {
            "the server has reached its maximum number of connections; try again when one is free"
        }
        Some("57P03") => "the server is starting or stopping; try again in a moment",
        // `BadSignature` means that the authority has the name of a known one but another key, so it is a different
        // authority.
        None if ["UnknownIssuer", "BadSignature"]
            .iter()
            .any(|why| refusal.message.contains(why)) =>
        {
            "this machine does not trust the authority that signed the server's certificate: add the authority's certificate to the URL with `sslrootcert=/path/to/ca.pem`"
        }
        None if refusal.message.contains("not valid for name")
            || refusal.message.contains("NotValidForName") =>
        {
            "the server's certificate is for another host: write that host into the URL, or add `sslmode=verify-ca`"
        }
        None if refusal.message.contains("does not support TLS") => {
            "the server does not support TLS: write `sslmode=disable` if the network is trusted, or configure TLS on the server"
        }
        None if refusal.message.contains("refused") || refusal.message.contains("timed out") => {
            "start PostgreSQL on this host and port, or correct DATABASE_URL"
        }
        _ => "",
    }
}

/// Describes the target of a connection, without the password.
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
