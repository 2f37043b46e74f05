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
mod error;
mod event_stream;
mod json;
mod lines;
mod path;
mod retry;
mod text;

use std::time::Duration;

pub use answer::Answer;
pub use call::Call;
pub use error::{Declared, Error, ErrorPlaces, Refusal, Undeclared};
pub use event_stream::{EventStream, ReadEvent, ReceivedEvent, event_data};
pub use lines::LineStream;
pub use path::Segment;
pub use reqwest;
pub use reqwest::multipart::{Form, Part};
pub use reqwest::{Body, Method, StatusCode};
pub use retry::Retry;

use reqwest::header::{HeaderMap, HeaderName};

/// Time in which a call must end, unless the client has another timeout.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Connections to a server, and headers of all requests. Clones share the connections.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    headers: HeaderMap,
    timeout: Duration,
    retry: Retry,
    places: ErrorPlaces,
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
        let http = reqwest::Client::builder()
            // A contract may declare a redirect as a reply.
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self {
            http,
            base: url.as_str().trim_end_matches('/').to_owned(),
            headers: HeaderMap::new(),
            timeout: TIMEOUT,
            retry: Retry::default(),
            places,
        })
    }

    /// Sends requests with another client of `reqwest`, for example with a proxy or with other certificates. If contracts declare
    /// redirects as replies, this client must not follow redirects.
    #[must_use]
    pub fn with_http(self, http: reqwest::Client) -> Self {
        Self { http, ..self }
    }

    /// Adds a header to all requests, such as `authorization`. The value replaces an earlier one.
    ///
    /// # Errors
    ///
    /// If the name or the value is no valid header.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, Error> {
        let refused = |reason: &str| Error::Request(format!("the header `{name}` cannot be sent: {reason}"));
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|error| refused(&error.to_string()))?;
        let mut text =
            text::header_value(value).ok_or_else(|| refused("its value has invalid characters"))?;
        text.set_sensitive(true);
        self.headers.insert(key, text);
        Ok(self)
    }

    /// Sets the rules by which calls are repeated.
    #[must_use]
    pub fn with_retry(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    /// Sets the time in which a call must end with its repetitions, 30 seconds by default. For a response that arrives in parts, such as events, only
    /// its head must arrive in this time.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Begins a call of a route. The type parameter is the enum of the errors that the contract declares.
    pub fn call<E: Declared>(&self, method: Method, path: &'static [Segment]) -> Call<'_, E> {
        Call::new(self, method, path)
    }
}
