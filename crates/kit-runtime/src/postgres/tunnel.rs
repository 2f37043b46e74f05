//! TLS for the connections of sqlx. sqlx connects to a Unix socket in a private directory, and its connections are
//! forwarded to PostgreSQL over TLS.

use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;

use super::security::{TlsMode, TlsSettings, refused};
use super::tls;
use crate::host::without_brackets;
use crate::{Error, http};

/// Message that requests TLS before a session
/// (<https://www.postgresql.org/docs/current/protocol-message-formats.html>).
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];
/// Timeout for the connection and its TLS handshake together.
const CONNECT: Duration = Duration::from_secs(10);

/// A Unix socket whose connections are forwarded to PostgreSQL. It closes on drop, unless [`Tunnel::keep`] was
/// called.
pub(super) struct Tunnel {
    directory: PathBuf,
    target: Arc<Target>,
    task: Option<JoinHandle<()>>,
}

/// Reason why the last connection could not be forwarded.
#[derive(Debug, Clone)]
pub(super) struct TunnelError {
    pub(super) text: String,
    /// True if the TLS handshake failed, so that the server may accept a connection without TLS.
    pub(super) is_tls: bool,
    /// True if no server listens at the address, perhaps because it is still starting.
    pub(super) is_refused: bool,
}

struct Target {
    host: String,
    port: u16,
    name: ServerName<'static>,
    security: TlsSettings,
    config: OnceLock<Arc<ClientConfig>>,
    is_plain_allowed: bool,
    is_encrypted: AtomicBool,
    problem: Mutex<Option<TunnelError>>,
}

impl Tunnel {
    pub(super) fn open(
        options: &PgConnectOptions,
        security: &TlsSettings,
        mode: TlsMode,
    ) -> Result<Self, Error> {
        // In a URL, an IPv6 address is in brackets.
        let host = without_brackets(options.get_host()).to_owned();
        let name = ServerName::try_from(host.clone()).map_err(|_| {
            refused(format!(
                "`{host}` is not a host name that a TLS certificate can contain"
            ))
        })?;
        let target = Arc::new(Target {
            port: options.get_port(),
            name,
            security: security.clone(),
            config: OnceLock::new(),
            is_plain_allowed: mode == TlsMode::Offered,
            is_encrypted: AtomicBool::new(false),
            problem: Mutex::default(),
            host,
        });
        // Without files, the settings cannot be wrong. Most of these servers have no TLS, and then need no code of it in memory.
        if security.needs_files() {
            target.config()?;
        }
        let directory =
            std::env::temp_dir().join(format!("kit-{}-{}", std::process::id(), http::random_trace_id()));
        let unusable = |error: io::Error| {
            refused(format!(
                "kit cannot create the directory {}, which the TLS connection to the database needs: {error}; set TMPDIR to another directory",
                directory.display()
            ))
        };
        // Other users must not connect, because the tunnel authenticates with the client certificate.
        std::fs::DirBuilder::new()
            .mode(0o700)
            .create(&directory)
            .map_err(unusable)?;
        let socket = directory.join(format!(".s.PGSQL.{}", target.port));
        let listener = UnixListener::bind(&socket).map_err(|error| {
            let _ = std::fs::remove_dir(&directory);
            unusable(error)
        })?;
        let task = tokio::spawn(accept(listener, Arc::clone(&target)));
        Ok(Self {
            directory,
            target,
            task: Some(task),
        })
    }

    /// Returns options with which sqlx connects to the tunnel.
    pub(super) fn options(&self, options: &PgConnectOptions) -> PgConnectOptions {
        options.clone().socket(&self.directory)
    }

    /// Returns true if the last connection was encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.target.is_encrypted.load(Ordering::Relaxed)
    }

    pub(super) fn problem(&self) -> Option<TunnelError> {
        let problem = self.target.problem.lock();
        problem.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps the tunnel open until the process ends. The tunnel's temporary directory is removed when the async runtime
    /// is dropped.
    pub(super) fn keep(mut self) {
        let Some(task) = self.task.take() else { return };
        let directory = self.directory.clone();
        // The async runtime drops its tasks at the end, and this task removes the directory when it is dropped.
        tokio::spawn(async move {
            let _remove = RemoveOnDrop(directory);
            let _ = task.await;
        });
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
            drop(RemoveOnDrop(self.directory.clone()));
        }
    }
}

/// A directory that is removed on drop, with the socket in it.
struct RemoveOnDrop(PathBuf);

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        #[allow(clippy::disallowed_methods)] // Reason: this module created the socket.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn accept(listener: UnixListener, target: Arc<Target>) {
    loop {
        match listener.accept().await {
            Ok((local, _)) => {
                let target = Arc::clone(&target);
                tokio::spawn(async move { target.forward(local).await });
            }
            // The process ran out of file descriptors; wait until others are closed.
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

/// A connection to PostgreSQL, with or without TLS, before any message of the session.
enum RemoteStream {
    Plain(TcpStream),
    Encrypted(Box<tokio_rustls::client::TlsStream<TcpStream>>),
}

impl Target {
    /// Returns the configuration of TLS, which is created at the first call.
    fn config(&self) -> Result<Arc<ClientConfig>, Error> {
        if let Some(config) = self.config.get() {
            return Ok(Arc::clone(config));
        }
        let config = tls::client(&self.security)?;
        Ok(Arc::clone(self.config.get_or_init(|| config)))
    }

    /// Connects to PostgreSQL and copies bytes in both directions until one side closes.
    async fn forward(&self, local: UnixStream) {
        let opened = tokio::time::timeout(CONNECT, self.open()).await;
        let remote = opened.unwrap_or_else(|_| {
            Err(TunnelError {
                text: format!(
                    "the server did not respond within {} s (timed out)",
                    CONNECT.as_secs()
                ),
                is_tls: false,
                is_refused: false,
            })
        });
        let is_encrypted = matches!(remote, Ok(RemoteStream::Encrypted(_)));
        self.is_encrypted.store(is_encrypted, Ordering::Relaxed);
        match remote {
            Ok(RemoteStream::Plain(remote)) => join(local, remote).await,
            Ok(RemoteStream::Encrypted(remote)) => join(local, *remote).await,
            Err(problem) => {
                tracing::warn!("No connection to the database: {}", problem.text);
                *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
            }
        }
    }

    async fn open(&self) -> Result<RemoteStream, TunnelError> {
        let failed = |error: io::Error| TunnelError {
            text: error.to_string(),
            is_tls: false,
            is_refused: error.kind() == io::ErrorKind::ConnectionRefused,
        };
        let mut remote = TcpStream::connect((self.host.as_str(), self.port))
            .await
            .map_err(failed)?;
        remote.set_nodelay(true).map_err(failed)?;
        remote.write_all(&SSL_REQUEST).await.map_err(failed)?;
        match remote.read_u8().await.map_err(failed)? {
            b'S' => {}
            b'N' if self.is_plain_allowed => return Ok(RemoteStream::Plain(remote)),
            b'N' => return Err(refusal("the server does not support TLS".to_owned())),
            other => {
                return Err(refusal(format!(
                    "the server answered {other} to the request for TLS"
                )));
            }
        }
        let config = self
            .config()
            .map_err(|error| refusal(error.message().to_owned()))?;
        let connector = TlsConnector::from(config);
        let encrypted = connector.connect(self.name.clone(), remote).await;
        encrypted
            .map(|stream| RemoteStream::Encrypted(Box::new(stream)))
            .map_err(|error| refusal(format!("the TLS handshake failed: {error}")))
    }
}

fn refusal(text: String) -> TunnelError {
    TunnelError {
        text,
        is_tls: true,
        is_refused: false,
    }
}

/// Copies bytes in both directions. When one side closes, closes the other side too, because the protocol of
/// PostgreSQL has no half-closed connections.
async fn join(local: UnixStream, remote: impl AsyncRead + AsyncWrite) {
    let (mut from_local, mut to_local) = local.into_split();
    let (mut from_remote, mut to_remote) = tokio::io::split(remote);
    tokio::select! {
        _ = tokio::io::copy(&mut from_local, &mut to_remote) => {
            let _ = to_remote.shutdown().await;
        }
        _ = tokio::io::copy(&mut from_remote, &mut to_local) => {
            let _ = to_local.shutdown().await;
        }
    }
}
