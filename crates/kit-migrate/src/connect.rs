//! Connections.

use std::future::Future;
use std::time::Duration;

use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::tls::Security;
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

/// How long a silent connection may be dead before that is noticed.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// What moves the bytes of a client.
type Wire = tokio_postgres::Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// A connection, and how to reach its server once more.
pub(crate) struct Connection {
    pub(crate) client: Client,
    tls: MakeRustlsConnect,
}

impl Connection {
    /// Asks the server to cancel what the connection runs. Whether it did shows there.
    pub(crate) async fn cancel(&self) {
        // Over a connection of its own; where that fails, so will the one that is to be cancelled.
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
    let (url, security) = Security::of(url)?;
    let mut config: Config = url.parse().map_err(MigrateError::Url)?;
    // In the form `host=… sslmode=…` the parser read it itself.
    let own = [config.get_ssl_mode()];
    let ways = if url.contains("://") { security.ways } else { &own };
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
            source: Refusal::plain("the URL names no host"),
            help: "a URL is postgres://user:password@host:5432/database",
        });
    }
    let tls = security.connector()?;
    // The limit of the configuration is one for the connection alone: a server may take it and then say nothing.
    let each = *config.get_connect_timeout().unwrap_or(&CONNECT_TIMEOUT);
    let places = config.get_hosts().len().max(config.get_hostaddrs().len());
    let limit = each.saturating_mul(u32::try_from(places).unwrap_or(u32::MAX).saturating_add(1));
    let (client, connection) = make(&mut config, ways, &tls, limit).await.map_err(|source| {
        let help = help(&source);
        MigrateError::Connect { target, source, help }
    })?;
    // Its errors also reach the client's next call, so there is nothing to report here.
    tokio::spawn(async move {
        let _ = connection.await;
    });
    Ok(Connection { client, tls })
}

/// Makes a connection in the first of some ways that the server takes. The refusal is that of the way with TLS, if one had it.
async fn make(
    config: &mut Config,
    ways: &[SslMode],
    tls: &MakeRustlsConnect,
    limit: Duration,
) -> Result<(Client, Wire), Box<Refusal>> {
    let mut refused: Option<Box<Refusal>> = None;
    for way in ways {
        config.ssl_mode(*way);
        let refusal = match tokio::time::timeout(limit, config.connect(tls.clone())).await {
            Ok(Ok(made)) => return Ok(made),
            Ok(Err(error)) => Refusal::of(error, None),
            Err(_) => Refusal::plain("the server said nothing, and the wait timed out"),
        };
        let goes_on = depends_on_tls(&refusal);
        if refused.is_none() || *way != SslMode::Disable {
            refused = Some(refusal);
        }
        if !goes_on {
            break;
        }
    }
    Err(refused.unwrap_or_else(|| Refusal::plain("there is no way to connect")))
}

/// Whether a server may take with TLS whom it refused without, or the other way round: its list of who may come tells them apart.
fn depends_on_tls(refusal: &Refusal) -> bool {
    refusal.code.as_deref() == Some("28000") || refusal.message.contains("TLS handshake")
}

/// What to do about a connection that was not made.
fn help(refusal: &Refusal) -> &'static str {
    match refusal.code.as_deref() {
        Some("28P01") => {
            "correct the user or the password in the URL; characters other than letters and digits are written as %XX there"
        }
        Some("3D000") => "make the database (CREATE DATABASE), or name another one in the URL",
        Some("28000") if refusal.message.contains("no encryption") => {
            "the server wants TLS: take `sslmode=disable` out of the URL, or write `sslmode=require`"
        }
        Some("28000") if refusal.message.contains("client certificate") => {
            "the server wants a certificate of this side: name it with `sslcert=/path/to/client.crt&sslkey=/path/to/client.key`"
        }
        Some("28000") => "the server's pg_hba.conf does not let this user in from here",
        Some("53300") => "the server has as many connections as it takes; try again when one is free",
        Some("57P03") => "the server is starting or stopping; try again in a moment",
        // An authority of the same name, but with another key, is another one.
        None if ["UnknownIssuer", "BadSignature"]
            .iter()
            .any(|why| refusal.message.contains(why)) =>
        {
            "the authority that signed the server's certificate is not known here: name its certificate with `sslrootcert=/path/to/ca.pem`"
        }
        None if refusal.message.contains("not valid for name")
            || refusal.message.contains("NotValidForName") =>
        {
            "the server's certificate is for another host: write that host into the URL, or `sslmode=verify-ca`"
        }
        None if refusal.message.contains("does not support TLS") => {
            "the server has no TLS: write `sslmode=disable` where the network is trusted, or set it up there"
        }
        None if refusal.message.contains("refused") || refusal.message.contains("timed out") => {
            "is the server running there, and does DATABASE_URL name the right host and port?"
        }
        _ => "",
    }
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
