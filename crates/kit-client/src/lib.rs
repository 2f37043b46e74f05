//! Library of every Rust client that kit generates: writes requests as the contracts declare them, and reads responses.
//!
//! `@kit/plugin-rust-server` writes this crate into `.kit/rust-client/` of a project. Generated clients use the crate as
//! `kit_client`. Types of requests and responses come from `kit-runtime`, so a client reads exactly what a server writes.
//!
//! ```no_run
//! use kit_client::{Client, Error, ErrorPlaces, Method, Segment, Undeclared};
//!
//! # async fn run() -> Result<(), Error> {
//! let client = Client::new("https://api.example.com", ErrorPlaces::ENVELOPE)?;
//! let answer = client.call::<Undeclared>(Method::GET, &[Segment::Static("healthz")]).send().await?;
//! assert_eq!(answer.status(), 200);
//! # Ok(())
//! # }
//! ```

mod answer;
mod call;
mod download;
mod error;
mod event_stream;
mod json;
mod lines;
#[cfg(feature = "sockets")]
mod messages;
mod outgoing;
mod parts;
mod path;
mod retry;
#[cfg(feature = "sockets")]
mod socket;
mod text;

use std::time::Duration;

pub use answer::Answer;
pub use bytes::Bytes;
pub use call::Call;
pub use download::{ByteRange, Download};
pub use error::{Declared, Error, ErrorPlaces, Refusal, Undeclared};
pub use event_stream::{EventStream, ReadEvent, ReceivedEvent, event_data};
pub use lines::LineStream;
#[cfg(feature = "sockets")]
pub use messages::{Messages, TextOrBinary};
pub use outgoing::{ChunkSender, LineSender, RequestLines, body_from_reader, body_from_writer};
pub use parts::{File, Parts};
pub use path::Segment;
pub use reqwest;
pub use reqwest::{Body, Method, StatusCode};
pub use retry::Retry;
#[cfg(feature = "sockets")]
pub use socket::{Socket, SocketClose};

use reqwest::header::HeaderMap;

/// Time in which a call must end, unless the client has another timeout.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum size of a message of a WebSocket in bytes, unless the client has another one.
#[cfg(feature = "sockets")]
const MESSAGE_BYTES: usize = 16 * 1024 * 1024;
/// Time without bytes of the server after which a WebSocket sends a ping, unless the client has another one.
#[cfg(feature = "sockets")]
const PING_AFTER: Duration = Duration::from_secs(30);

/// Connections to a server, and headers of all requests. Clones share the connections.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    headers: HeaderMap,
    timeout: Duration,
    retry: Retry,
    places: ErrorPlaces,
    /// Connections of WebSockets, once one was opened. They need HTTP/1.1.
    #[cfg(feature = "sockets")]
    sockets: std::sync::Arc<std::sync::OnceLock<reqwest::Client>>,
    #[cfg(feature = "sockets")]
    message_bytes: usize,
    #[cfg(feature = "sockets")]
    ping_after: Duration,
}

impl Client {
    /// Creates a client for the server at a URL, such as `https://api.example.com`. The URL may have a path, below which the
    /// routes are. `places` are the places of values in the error bodies of the server.
    ///
    /// # Errors
    ///
    /// If the URL is invalid, or if TLS cannot be set up.
    pub fn new(base: &str, places: ErrorPlaces) -> Result<Self, Error> {
        let url: reqwest::Url = base
            .parse()
            .map_err(|error| Error::Request(format!("`{base}` is not a URL: {error}")))?;
        // Fails if the program has chosen another provider, which is then used.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = builder().build()?;
        Ok(Self {
            http,
            base: url.as_str().trim_end_matches('/').to_owned(),
            headers: HeaderMap::new(),
            timeout: TIMEOUT,
            retry: Retry::default(),
            places,
            #[cfg(feature = "sockets")]
            sockets: std::sync::Arc::default(),
            #[cfg(feature = "sockets")]
            message_bytes: MESSAGE_BYTES,
            #[cfg(feature = "sockets")]
            ping_after: PING_AFTER,
        })
    }

    /// Sends requests with another client of `reqwest`, for example with a proxy or with other certificates. If contracts declare
    /// redirects as replies, this client must not follow redirects. For WebSockets over TLS, it must speak only HTTP/1.1
    /// (`http1_only`).
    #[must_use]
    pub fn with_http(self, http: reqwest::Client) -> Self {
        Self {
            #[cfg(feature = "sockets")]
            sockets: std::sync::Arc::new(std::sync::OnceLock::from(http.clone())),
            http,
            ..self
        }
    }

    /// Sets the maximum size of a message that a WebSocket of this client takes, 16 MiB by default. A larger message closes the
    /// socket with the code 1009.
    #[cfg(feature = "sockets")]
    #[must_use]
    pub fn with_message_limit(self, bytes: usize) -> Self {
        Self {
            message_bytes: bytes,
            ..self
        }
    }

    /// Sets the time without bytes of the server after which a WebSocket sends a ping, 30 seconds by default. The connection ends
    /// if the ping gets no response in the same time, or if the server takes no bytes of a message in twice this time.
    /// [`Duration::MAX`] switches both limits off.
    #[cfg(feature = "sockets")]
    #[must_use]
    pub fn with_ping_after(self, ping_after: Duration) -> Self {
        Self { ping_after, ..self }
    }

    /// Returns the client for handshakes of WebSockets.
    #[cfg(feature = "sockets")]
    fn http_of_sockets(&self) -> reqwest::Result<reqwest::Client> {
        if let Some(http) = self.sockets.get() {
            return Ok(http.clone());
        }
        let http = builder().http1_only().build()?;
        Ok(self.sockets.get_or_init(|| http).clone())
    }

    /// Adds a header to all requests, such as `authorization`. The value replaces an earlier one.
    ///
    /// # Errors
    ///
    /// If the name or the value is no valid header.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, Error> {
        let (name, value) = text::header(name, value).map_err(Error::Request)?;
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Sets the rules by which calls are repeated.
    #[must_use]
    pub fn with_retry(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    /// Sets the time in which a call must end with its repetitions, 30 seconds by default. The time includes the sending of a body,
    /// so a large upload needs a longer one. For a response that arrives in parts, such as events, only its head must arrive in this
    /// time. [`Duration::MAX`] switches the limit off.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Begins a call of a route. The type parameter is the enum of the errors that the contract declares.
    pub fn call<E: Declared>(&self, method: Method, path: &'static [Segment]) -> Call<'_, E> {
        Call::new(self, method, path)
    }
}

/// Returns the settings of `reqwest` that all clients have.
fn builder() -> reqwest::ClientBuilder {
    // A contract may declare a redirect as a reply.
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none())
}
