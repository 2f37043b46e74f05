//! WebSockets of routes.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::{Arc, LazyLock};

use kit_websocket::connection::{SharedSession, drive};
use kit_websocket::{Compression, Session, accept_key, handshake_key, may_send_code};
use reqwest::header::{
    CONNECTION, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_EXTENSIONS, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use reqwest::{Response, StatusCode};
use rustls::crypto::SecureRandom;

use crate::error::Declared;
use crate::{Call, Error, Messages, Undeclared};

pub use kit_websocket::Close as SocketClose;

/// Close code and reason for a server whose messages do not fit the contract, as of the TypeScript client.
const UNREADABLE: (u16, &str) = (3008, "The client cannot read the messages");

/// Open WebSocket of a route. Clones refer to the same socket, so that one task can receive while another one sends. The socket
/// closes when its last clone is dropped. A lost connection is not opened again.
///
/// ```
/// use kit_client::{Error, Socket};
///
/// async fn echo<T>(socket: Socket<T, T>) -> Result<(), Error> {
///     while let Some(message) = socket.recv().await? {
///         socket.send(&message).await?;
///     }
///     Ok(())
/// }
/// ```
///
/// Plain text is a `String`, and a binary message [`Bytes`](crate::Bytes). A direction with text messages and binary messages has
/// [`TextOrBinary`](crate::TextOrBinary):
///
/// ```
/// use kit_client::{Bytes, Error, Socket, TextOrBinary};
///
/// async fn first_bytes(socket: Socket<String, TextOrBinary<String>>) -> Result<Option<Bytes>, Error> {
///     socket.send(&"start".to_owned()).await?;
///     while let Some(message) = socket.recv().await? {
///         match message {
///             TextOrBinary::Text(text) => println!("{text}"),
///             TextOrBinary::Binary(bytes) => return Ok(Some(bytes)),
///         }
///     }
///     Ok(None)
/// }
/// ```
pub struct Socket<Sent, Received> {
    open: Arc<Open>,
    sent: Messages<Sent>,
    received: Messages<Received>,
}

struct Open {
    shared: Arc<SharedSession>,
    protocol: Option<&'static str>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.shared.close(1000, "");
    }
}

/// Ends a socket when the task of its connection ends, also by a panic, so that no caller waits for ever.
struct Ending(Arc<SharedSession>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl<Sent, Received> Clone for Socket<Sent, Received> {
    fn clone(&self) -> Self {
        Self {
            open: Arc::clone(&self.open),
            sent: self.sent,
            received: self.received,
        }
    }
}

impl<Sent, Received> Socket<Sent, Received> {
    /// Returns the subprotocol that the server chose. Returns `None` if the call offered none.
    pub fn protocol(&self) -> Option<&'static str> {
        self.open.protocol
    }

    /// Returns the next message of the server. Returns `None` when the socket has ended. While nobody calls this function, about
    /// 64 KiB of messages wait in the client, and the rest waits at the server.
    ///
    /// # Errors
    ///
    /// If a message does not fit its type, or if the contract has no messages of this kind, such as binary ones. The socket then
    /// closes with the code 3008. A text message that is not UTF-8 breaks the protocol, and ends the socket with the code 1007.
    pub async fn recv(&self) -> Result<Option<Received>, Error<Undeclared>> {
        let Some(message) = self.open.shared.next().await else {
            return Ok(None);
        };
        let received = (self.received.read)(message).map_err(Error::Response);
        if received.is_err() {
            let (code, reason) = UNREADABLE;
            self.open.shared.refuse(code, reason);
        }
        received.map(Some)
    }

    /// Sends a message. Waits while 64 KiB wait for the server.
    ///
    /// # Errors
    ///
    /// If the socket has ended, or if the value has no form in JSON.
    pub async fn send(&self, message: &Sent) -> Result<(), Error<Undeclared>> {
        let message = (self.sent.write)(message).map_err(Error::Request)?;
        if self.open.shared.send(message).await {
            return Ok(());
        }
        Err(Error::Request("the WebSocket is closed".to_owned()))
    }

    /// Closes the socket after all messages that were sent. `code` is 1000 or a code from 3000 to 4999. A code that must not be
    /// sent is replaced by 1000. `reason` is cut to 123 bytes. Messages that were not received are dropped.
    pub fn close(&self, code: u16, reason: &str) {
        let code = if may_send_code(code) { code } else { 1000 };
        self.open.shared.close(code, reason);
    }

    /// Returns how the socket has ended; `None` while the connection is open. The code 1006 means that the connection was lost.
    pub fn ended(&self) -> Option<SocketClose> {
        self.open.shared.ended()
    }

    /// Waits until the connection has ended.
    pub async fn closed(&self) -> SocketClose {
        self.open.shared.wait_for_end().await
    }
}

impl<Sent, Received> fmt::Debug for Socket<Sent, Received> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Socket").finish_non_exhaustive()
    }
}

impl<E: Declared> Call<'_, E> {
    /// Opens a WebSocket, and offers these subprotocols, the preferred one first. `sent` and `received` are the kinds of messages that
    /// the contract declares.
    ///
    /// # Errors
    ///
    /// If the request cannot be sent, or if the server does not accept the WebSocket.
    pub async fn open<Sent, Received>(
        mut self,
        protocols: &[&'static str],
        sent: Messages<Sent>,
        received: Messages<Received>,
    ) -> Result<Socket<Sent, Received>, Error<E>> {
        let key = handshake_key(random());
        for (name, value) in [
            (CONNECTION, "Upgrade"),
            (UPGRADE, "websocket"),
            (SEC_WEBSOCKET_VERSION, "13"),
            (SEC_WEBSOCKET_KEY, key.as_str()),
        ] {
            self.header(name.as_str(), value);
        }
        if !protocols.is_empty() {
            self.header(SEC_WEBSOCKET_PROTOCOL.as_str(), &protocols.join(", "));
        }
        let (message_bytes, ping_after) = (self.client.message_bytes, self.client.ping_after);
        let http = self.client.http_of_sockets()?;
        let response = self
            .accept("application/json", true)
            .respond(&http)
            .await?
            .response;
        let protocol = agreed(&response, &key, protocols).map_err(Error::Response)?;
        let upgraded = response.upgrade().await?;
        let session = Session::client(message_bytes, Compression::None, random::<4>);
        let shared = Arc::new(SharedSession::new(session));
        let moved = Ending(Arc::clone(&shared));
        tokio::spawn(async move {
            // An error means that the connection has ended without a close frame.
            let _ = drive(upgraded, &moved.0, ping_after, std::future::pending()).await;
        });
        Ok(Socket {
            open: Arc::new(Open { shared, protocol }),
            sent,
            received,
        })
    }
}

/// Checks the response to a handshake (RFC 6455, section 4.1). Returns the subprotocol that the server chose.
///
/// # Errors
///
/// Returns a message if the response does not accept the WebSocket as this client asked for it.
fn agreed(
    response: &Response,
    key: &str,
    protocols: &[&'static str],
) -> Result<Option<&'static str>, String> {
    let header = |name| response.headers().get(name).map(HeaderValue::as_bytes);
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        let status = response.status().as_u16();
        return Err(format!(
            "the server responded with {status} to the handshake of a WebSocket"
        ));
    }
    if header(SEC_WEBSOCKET_ACCEPT) != Some(accept_key(key.as_bytes()).as_bytes()) {
        return Err("the header sec-websocket-accept does not fit the key of the handshake".to_owned());
    }
    if header(SEC_WEBSOCKET_EXTENSIONS).is_some() {
        return Err("the server uses an extension that this client did not offer".to_owned());
    }
    let Some(chosen) = header(SEC_WEBSOCKET_PROTOCOL) else {
        return Ok(None);
    };
    let found = protocols.iter().find(|name| name.as_bytes() == chosen);
    let unknown = || "the server uses a subprotocol that this client did not offer".to_owned();
    found.copied().map(Some).ok_or_else(unknown)
}

/// Returns random bytes that nobody can predict.
fn random<const N: usize>() -> [u8; N] {
    static SOURCE: LazyLock<&'static dyn SecureRandom> =
        LazyLock::new(|| rustls::crypto::ring::default_provider().secure_random);
    let mut bytes = [0; N];
    if SOURCE.fill(&mut bytes).is_err() {
        // The system has no random bytes. The seeds of hash maps are random too.
        bytes.fill_with(|| RandomState::new().build_hasher().finish().to_le_bytes()[0]);
    }
    bytes
}
