//! A connection that has become a WebSocket, and the options with which a handler accepts it.

use std::time::Duration;

use http::header::{HeaderName, HeaderValue};
use kit_websocket::{Compression, Session, accept_key};

use crate::request::{Request, RequestId};
use crate::response::parse_header;
use crate::response_error::ResponseError;
use crate::server_headers::{DefaultHeaders, is_reserved};

/// Options with which a handler accepts a WebSocket. See [`crate::Engine::accept_socket`].
///
/// ```
/// use std::time::Duration;
///
/// let mut options = kit_http::SocketOptions::new(64 * 1024, Duration::from_secs(30));
/// options.add_header("set-cookie", b"a=1")?;
/// assert!(options.add_header("sec-websocket-accept", b"x").is_err());
/// # Ok::<(), kit_http::ResponseError>(())
/// ```
#[derive(Debug)]
pub struct SocketOptions {
    /// Maximum size of a message of the client in bytes, after decompression.
    pub message_bytes: usize,
    /// True if the engine may agree to compress messages.
    pub compression: bool,
    /// Time without bytes of the client after which the engine sends a ping, and after which it then closes the connection.
    pub ping_after: Duration,
    protocol: Option<HeaderValue>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl SocketOptions {
    /// Creates options without compression, subprotocol and headers.
    pub fn new(message_bytes: usize, ping_after: Duration) -> Self {
        Self {
            message_bytes,
            compression: false,
            ping_after,
            protocol: None,
            headers: Vec::new(),
        }
    }

    /// Sets the subprotocol that the response names.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not valid in a header.
    pub fn set_protocol(&mut self, protocol: &str) -> Result<(), ResponseError> {
        let (_, value) = parse_header("sec-websocket-protocol", protocol.as_bytes())?;
        self.protocol = Some(value);
        Ok(())
    }

    /// Adds a header to the response.
    ///
    /// # Errors
    ///
    /// Returns an error if the name or the value is invalid, or if the engine sets the header
    /// itself.
    pub fn add_header(&mut self, name: &str, value: &[u8]) -> Result<(), ResponseError> {
        let (name, value) = parse_header(name, value)?;
        let text = name.as_str();
        if is_reserved(text) || text == "connection" || text.starts_with("sec-websocket-") {
            return Err(ResponseError::Reserved(text.to_owned()));
        }
        self.headers.push((name, value));
        Ok(())
    }

    /// Returns the compression that the handshake agrees on.
    pub(crate) fn negotiate(&self, request: &Request) -> Compression {
        match request.header("sec-websocket-extensions") {
            Some(offers) if self.compression => Compression::negotiate(&offers),
            _ => Compression::None,
        }
    }

    /// Returns the head of the response with the status 101.
    pub(crate) fn head(
        &self,
        request: &Request,
        compression: Compression,
        defaults: &DefaultHeaders,
    ) -> Vec<u8> {
        let key = request.header("sec-websocket-key").unwrap_or_default();
        let mut head = Vec::with_capacity(512);
        head.extend_from_slice(b"HTTP/1.1 101 Switching Protocols\r\n");
        let mut field = |name: &str, value: &[u8]| {
            for part in [name.as_bytes(), b": ", value, b"\r\n"] {
                head.extend_from_slice(part);
            }
        };
        field("upgrade", b"websocket");
        field("connection", b"Upgrade");
        field("sec-websocket-accept", accept_key(&key).as_bytes());
        if compression == Compression::Deflate {
            field("sec-websocket-extensions", Compression::RESPONSE.as_bytes());
        }
        if let Some(protocol) = &self.protocol {
            field("sec-websocket-protocol", protocol.as_bytes());
        }
        for (name, value) in &self.headers {
            field(name.as_str(), value.as_bytes());
        }
        for line in defaults.lines(&self.headers) {
            head.extend_from_slice(line.as_bytes());
        }
        head.extend_from_slice(b"\r\n");
        head
    }
}

/// State of a connection that is a WebSocket.
#[derive(Debug)]
pub(crate) struct WebSocket {
    pub(crate) id: RequestId,
    pub(crate) session: Session,
    /// True if the handler does not want messages for now, so that the engine does not read.
    pub(crate) is_paused: bool,
    /// True if the connection must end without a close frame.
    pub(crate) is_terminated: bool,
    ping_after: Duration,
    /// True if the client has sent nothing since the last ping.
    is_ping_sent: bool,
    /// Number that grows with each received byte.
    received: usize,
}

impl WebSocket {
    pub(crate) fn new(id: RequestId, session: Session, ping_after: Duration) -> Self {
        Self {
            id,
            session,
            is_paused: false,
            is_terminated: false,
            ping_after,
            is_ping_sent: false,
            received: 0,
        }
    }

    pub(crate) fn ping_after(&self) -> Duration {
        self.ping_after
    }

    pub(crate) fn received(&self) -> usize {
        self.received
    }

    pub(crate) fn note_received(&mut self, count: usize) {
        self.received = self.received.wrapping_add(count);
        self.is_ping_sent = false;
    }

    /// Sends a ping because the client has been silent.
    pub(crate) fn ping(&mut self) {
        self.session.ping();
        self.is_ping_sent = true;
    }

    /// Returns true if the engine must not read from the socket.
    pub(crate) fn holds_back(&self) -> bool {
        self.is_paused && self.session.is_open()
    }

    /// Returns true if the client has sent nothing since the last ping.
    pub(crate) fn is_ping_sent(&self) -> bool {
        self.is_ping_sent
    }
}
