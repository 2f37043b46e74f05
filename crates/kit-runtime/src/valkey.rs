//! Connection to Valkey or Redis that all requests share.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, ConnectionAddr, FromRedisValue, RedisError};

/// Longest time for which a request may wait for an answer.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(60);

/// Reason for which a command has no result.
#[derive(Debug)]
pub(crate) enum ValkeyError {
    /// The server refused the command, or it cannot be reached.
    Refused(RedisError),
    /// The server did not answer in time.
    TimedOut(Duration),
}

impl fmt::Display for ValkeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::TimedOut(time) => write!(f, "no answer within {} ms", time.as_millis()),
        }
    }
}

impl std::error::Error for ValkeyError {}

/// Connection to a server. The first command connects. Clones share the connection.
#[derive(Clone)]
pub(crate) struct ValkeyConnection {
    client: Client,
    timeout: Duration,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Locked only for moments, so that no request waits here for another one.
    current: Mutex<Current>,
    /// Held by the request that connects. The others wait for its connection.
    connecting: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Current {
    /// Number of the connection, so that a request forgets only the connection that it has used.
    number: u64,
    open: Option<MultiplexedConnection>,
}

impl ValkeyConnection {
    /// Reads the URL of a server.
    ///
    /// # Errors
    ///
    /// The problem of the URL, without its password.
    pub(crate) fn open(url: &str) -> Result<Self, String> {
        let client = Client::open(url).map_err(|error| {
            let reason = error.detail().unwrap_or("it is not a URL of Valkey or Redis");
            format!("the URL of the store must have the form valkey://user:password@host:6379/0: {reason}")
        })?;
        if matches!(client.get_connection_info().addr(), ConnectionAddr::TcpTls { .. }) {
            // Without this choice, rustls panics if the program contains several cryptography libraries. An error means that
            // the program has chosen one.
            let _ = rustls::crypto::ring::default_provider().install_default();
        }
        Ok(Self {
            client,
            timeout: Duration::from_millis(500),
            shared: Arc::default(),
        })
    }

    /// Sets the longest time of a command, which includes the time of connecting. Default: 500 ms.
    ///
    /// # Errors
    ///
    /// The problem, if the time is zero or longer than a minute.
    pub(crate) fn set_timeout(&mut self, timeout: Duration) -> Result<(), String> {
        if timeout.is_zero() || timeout > LONGEST_TIMEOUT {
            return Err(format!(
                "the timeout of the store must be longer than 0 and at most 60 s, not {timeout:?}"
            ));
        }
        self.timeout = timeout;
        Ok(())
    }

    /// Sends a command, and returns its result.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached, refuses the command, or does not answer in time.
    pub(crate) async fn send<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, ValkeyError> {
        let mut used = None;
        let sent = tokio::time::timeout(self.timeout, self.ask(command, &mut used)).await;
        let error = match sent {
            Ok(Ok(result)) => return Ok(result),
            Ok(Err(error)) => ValkeyError::Refused(error),
            Err(_) => ValkeyError::TimedOut(self.timeout),
        };
        if let Some(number) = used {
            let mut current = self.current();
            if current.number == number {
                current.open = None;
            }
        }
        Err(error)
    }

    async fn ask<T: FromRedisValue>(&self, command: &Cmd, used: &mut Option<u64>) -> Result<T, RedisError> {
        let (number, mut connection) = self.connected().await?;
        *used = Some(number);
        command.query_async(&mut connection).await
    }

    /// Returns the connection and its number. Connects if there is none; other requests wait for this.
    async fn connected(&self) -> Result<(u64, MultiplexedConnection), RedisError> {
        if let Some(known) = self.known() {
            return Ok(known);
        }
        let _connecting = self.shared.connecting.lock().await;
        if let Some(known) = self.known() {
            return Ok(known);
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.timeout))
            .set_response_timeout(Some(self.timeout));
        let open = self
            .client
            .get_multiplexed_async_connection_with_config(&config)
            .await?;
        let mut current = self.current();
        current.number += 1;
        current.open = Some(open.clone());
        Ok((current.number, open))
    }

    fn known(&self) -> Option<(u64, MultiplexedConnection)> {
        let current = self.current();
        current.open.clone().map(|open| (current.number, open))
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.shared.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Contains no URL, because a URL may have a password.
impl fmt::Debug for ValkeyConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValkeyConnection").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::ValkeyConnection;

    /// Starts a server that answers OK to every command until it is stopped, and then only accepts connections, as a
    /// process that the operating system has stopped.
    async fn server() -> (String, Arc<AtomicBool>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let stopped = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stopped);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let is_stopped = Arc::clone(&is_stopped);
                tokio::spawn(async move {
                    let mut bytes = [0; 4096];
                    while let Ok(length @ 1..) = stream.read(&mut bytes).await {
                        let text = String::from_utf8_lossy(&bytes[..length]);
                        let commands = text.matches('*').count();
                        if !is_stopped.load(Ordering::Relaxed) {
                            let _ = stream.write_all("+OK\r\n".repeat(commands).as_bytes()).await;
                        }
                    }
                });
            }
        });
        (format!("redis://{address}"), stopped)
    }

    #[tokio::test]
    async fn a_command_waits_no_longer_than_its_timeout_while_another_one_connects() {
        let (url, stopped) = server().await;
        let mut connection = ValkeyConnection::open(&url).expect("the URL is valid");
        let timeout = Duration::from_millis(400);
        connection.set_timeout(timeout).expect("a timeout");
        let ping = redis::cmd("PING");
        connection.send::<String>(&ping).await.expect("an answer");

        stopped.store(true, Ordering::Relaxed);
        let mut waits = Vec::new();
        // The first command times out and forgets the connection. The second one still has it when the third one connects.
        for pause in [0, 200, 210] {
            tokio::time::sleep(Duration::from_millis(pause)).await;
            let connection = connection.clone();
            waits.push(tokio::spawn(async move {
                let begun = Instant::now();
                let sent = connection.send::<String>(&redis::cmd("PING")).await;
                (sent.is_err(), begun.elapsed())
            }));
        }
        for wait in waits {
            let (failed, time) = wait.await.expect("no panic");
            assert!(failed);
            assert!(time < timeout + Duration::from_millis(150), "{time:?}");
        }
    }
}
