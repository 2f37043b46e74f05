//! Client that sends requests to a router in the same process.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderMap, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde_json::Value;
use tokio::io::DuplexStream;

use super::curl::curl_of;
use crate::connection::{self, Timeouts};
use crate::settings::Settings;
use crate::shutdown::Shutdown;
use crate::{Error, Serve};

/// Size of the two buffers between client and server, in bytes.
const BUFFER: usize = 64 * 1024;

/// Time for which the client reads a response that has no end, such as events.
const ENDLESS: Duration = Duration::from_secs(1);

/// Headers by name in lower case.
pub(super) type Headers = BTreeMap<String, String>;

/// Headers of the configuration, which each client of the test program has from its start.
static FIRST_HEADERS: OnceLock<Headers> = OnceLock::new();

/// Sets the headers that all further clients have.
pub(super) fn set_first_headers(headers: Headers) {
    let headers = headers.into_iter();
    // A program sets them once.
    let _ = FIRST_HEADERS.set(
        headers
            .map(|(name, value)| (name.to_ascii_lowercase(), value))
            .collect(),
    );
}

/// Client of a router that runs in the same process. Clones have the same headers.
///
/// The requests are HTTP/1.1 messages that the server reads like those of a network connection: with the checks of their bytes, the
/// limits and the error responses.
///
/// ```
/// use kit_runtime::testing::TestClient;
/// use kit_runtime::{Application, Router};
///
/// fn client<A: Application>(router: Router<A>) -> TestClient {
///     let client = TestClient::new(router);
///     client.set_header("authorization", "Bearer tester");
///     client
/// }
/// ```
#[derive(Clone)]
pub struct TestClient {
    connect: Arc<dyn Fn(DuplexStream) + Send + Sync>,
    headers: Arc<RwLock<Headers>>,
}

impl TestClient {
    /// Creates a client of a router. Must be called in an async runtime.
    pub fn new(router: impl Serve) -> Self {
        // A wrong variable gives the defaults. `TestSetup` reports the mistake.
        let _ = Settings::load();
        let peer = SocketAddr::from(([127, 0, 0, 1], 1));
        Self {
            connect: Arc::new(move |stream| {
                tokio::spawn(connection::connect(
                    stream,
                    peer,
                    router.clone(),
                    Timeouts::default(),
                    None,
                    Shutdown::of_server(),
                ));
            }),
            headers: Arc::new(RwLock::new(FIRST_HEADERS.get().cloned().unwrap_or_default())),
        }
    }

    /// Sets a header of all further requests.
    pub fn set_header(&self, name: &str, value: impl Into<String>) {
        let mut headers = self.headers.write().unwrap_or_else(PoisonError::into_inner);
        headers.insert(name.to_ascii_lowercase(), value.into());
    }

    /// Returns the headers of all requests.
    pub(super) fn headers(&self) -> Headers {
        self.headers
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Starts a request. `target` is the path with the query, as in a URL: `/notes/a%20b?page=2`.
    ///
    /// ```
    /// use kit_runtime::testing::TestClient;
    /// use kit_runtime::{Application, Error, Response, Routes, Segment, StatusCode};
    ///
    /// #[derive(Clone)]
    /// struct App;
    ///
    /// impl Application for App {
    ///     async fn ready(&self) -> Result<(), Error> {
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let router = Routes::new(App).route("GET /ping", &[Segment::Static("ping")], async |_app, request| {
    ///     Ok(Response::empty(&request.into_context()?, StatusCode::NO_CONTENT))
    /// });
    /// let client = TestClient::new(router.into_router());
    /// let response = client.request("GET", "/ping").send().await?;
    /// assert_eq!(response.status(), 204);
    /// # Ok::<(), Error>(())
    /// # }).unwrap();
    /// ```
    pub fn request(&self, method: &str, target: &str) -> TestRequest {
        TestRequest {
            client: self.clone(),
            method: method.to_owned(),
            target: target.to_owned(),
            headers: Headers::new(),
            body: None,
            has_default_headers: true,
            is_endless: false,
        }
    }
}

/// Request that a [`TestClient`] sends.
///
/// ```
/// use kit_runtime::testing::{TestClient, TestResponse};
/// use kit_runtime::{Error, value};
///
/// async fn add_note(client: &TestClient) -> Result<TestResponse, Error> {
///     let request = client.request("POST", "/notes").header("x-tenant", "acme");
///     request.json(&value!({ "title": "Milk" })).send().await
/// }
///
/// async fn add_text(client: &TestClient) -> Result<TestResponse, Error> {
///     let request = client.request("POST", "/texts").without_default_headers();
///     request.body("text/plain", "Milk").send().await
/// }
/// ```
#[must_use = "a request is sent by `send`"]
pub struct TestRequest {
    client: TestClient,
    method: String,
    target: String,
    headers: Headers,
    body: Option<Bytes>,
    has_default_headers: bool,
    is_endless: bool,
}

impl TestRequest {
    /// Sets a header.
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.insert(name.to_ascii_lowercase(), value.into());
        self
    }

    /// Sets the body: a value as JSON.
    pub fn json(self, value: &impl Serialize) -> Self {
        // A value that has no JSON form is sent as an empty body, which the server refuses.
        let text = serde_json::to_string(value).unwrap_or_default();
        self.body("application/json", text)
    }

    /// Sets the body and its media type.
    pub fn body(mut self, media_type: &str, body: impl Into<Bytes>) -> Self {
        let name = header::CONTENT_TYPE.as_str();
        self.headers
            .entry(name.to_owned())
            .or_insert_with(|| media_type.to_owned());
        self.body = Some(body.into());
        self
    }

    /// Leaves out the headers of the client, such as its credentials.
    pub fn without_default_headers(mut self) -> Self {
        self.has_default_headers = false;
        self
    }

    pub(super) fn with_headers(mut self, headers: Headers) -> Self {
        self.headers.extend(headers);
        self
    }

    /// Adds the headers of the client, unless they are left out. Headers of the request replace them.
    fn with_default_headers(mut self) -> Self {
        if self.has_default_headers {
            self.headers = merged(self.client.headers(), self.headers);
            self.has_default_headers = false;
        }
        self
    }

    /// Ends the response after some time, if the response has no end.
    pub(super) fn endless(mut self, is_endless: bool) -> Self {
        self.is_endless = is_endless;
        self
    }

    /// Sends the request, and reads the complete response.
    ///
    /// # Errors
    ///
    /// If the request has a name or value that HTTP does not allow, or if the response breaks off.
    pub async fn send(self) -> Result<TestResponse, Error> {
        self.exchange().await.map(|(answer, _)| answer)
    }

    /// Sends the handshake of a WebSocket. Returns the response, and the connection if the server has accepted the handshake.
    #[cfg(feature = "sockets")]
    pub(super) async fn open(self) -> Result<(TestResponse, Option<hyper::upgrade::Upgraded>), Error> {
        let (answer, upgrade) = self.exchange().await?;
        let upgraded = match upgrade {
            Some(upgrade) => Some(upgrade.await?),
            None => None,
        };
        Ok((answer, upgraded))
    }

    /// Returns the request as a command of curl.
    pub(super) fn command(&self) -> String {
        curl_of(&self.method, &self.target, &self.headers, self.body.as_ref())
    }

    /// Sends the request, and reads the complete response. A response that changes the protocol has the connection, too.
    async fn exchange(mut self) -> Result<(TestResponse, Option<OnUpgrade>), Error> {
        self = self.with_default_headers();
        let command = self.command();
        let (ours, theirs) = tokio::io::duplex(BUFFER);
        (self.client.connect)(theirs);
        let (mut sender, connection) = http1::handshake(TokioIo::new(ours)).await?;
        let connection = tokio::spawn(connection.with_upgrades());
        let mut request = Request::builder()
            .method(self.method.as_str())
            .uri(self.target.as_str());
        if !self.headers.contains_key("host") {
            request = request.header(header::HOST, "localhost");
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(self.body.clone().unwrap_or_default()))?;
        let mut response = sender.send_request(request).await?;
        let is_upgrade = response.status() == StatusCode::SWITCHING_PROTOCOLS;
        let upgrade = is_upgrade.then(|| hyper::upgrade::on(&mut response));
        let (head, mut body) = response.into_parts();
        let mut bytes = Vec::new();
        let read = async {
            while let Some(frame) = body.frame().await {
                if let Ok(data) = frame?.into_data() {
                    bytes.extend_from_slice(&data);
                }
            }
            Ok::<(), hyper::Error>(())
        };
        if self.is_endless {
            if let Ok(ended) = tokio::time::timeout(ENDLESS, read).await {
                ended?;
            }
        } else {
            read.await?;
        }
        if upgrade.is_none() {
            connection.abort();
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let answer = TestResponse {
            status: head.status.as_u16(),
            headers: head.headers,
            json: serde_json::from_str(&text).ok(),
            text,
            bytes: bytes.into(),
            command,
        };
        Ok((answer, upgrade))
    }
}

/// Returns headers in which other headers replace those of the same name. Cookies are replaced by name, too.
pub(super) fn merged(mut headers: Headers, mut others: Headers) -> Headers {
    if let (Some(before), Some(own)) = (headers.get("cookie"), others.get_mut("cookie")) {
        *own = with_cookies(before, own);
    }
    headers.append(&mut others);
    headers
}

/// Returns the cookies of the client and of a request. A cookie of the request replaces a cookie of the same name.
fn with_cookies(before: &str, own: &str) -> String {
    let name = |pair: &str| pair.split('=').next().unwrap_or_default().to_owned();
    let own: Vec<&str> = own
        .split(';')
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
        .collect();
    let names: Vec<String> = own.iter().map(|pair| name(pair)).collect();
    let others = before.split(';').map(str::trim);
    let others = others.filter(|pair| !pair.is_empty() && !names.contains(&name(pair)));
    others.chain(own.iter().copied()).collect::<Vec<_>>().join("; ")
}

/// Response to a request of a [`TestClient`].
///
/// ```
/// use kit_runtime::testing::TestResponse;
///
/// fn check(response: &TestResponse) {
///     assert_eq!(response.status(), 201);
///     assert_eq!(response.header("location"), Some("/notes/7"));
///     assert_eq!(response.cookie("theme"), Some("dark"));
///     assert_eq!(response.json()["title"], "Milk");
///     assert!(!response.text().is_empty());
///     assert_eq!(response.bytes().len(), response.text().len());
/// }
/// ```
#[derive(Debug, Clone)]
pub struct TestResponse {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) text: String,
    pub(super) bytes: Bytes,
    pub(super) json: Option<Value>,
    /// Request as a command of curl.
    pub(super) command: String,
}

impl TestResponse {
    /// Returns the status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the value of a header. Returns `None` if the response lacks the header, or if its value is not text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the value of a cookie that the response sets, as it is in the header `cookie` of a request.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        let set = self.headers.get_all(header::SET_COOKIE);
        set.into_iter().find_map(|cookie| {
            let pair = cookie.to_str().ok()?.split(';').next()?;
            let (found, value) = pair.split_once('=')?;
            (found == name).then_some(value)
        })
    }

    /// Returns the body as text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the bytes of the body.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the body as a JSON value; null if the body is not JSON.
    pub fn json(&self) -> &Value {
        self.json.as_ref().unwrap_or(&Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::with_cookies;

    #[test]
    fn cookies_of_a_request_are_sent_beside_those_of_the_client() {
        assert_eq!(
            with_cookies("session=s1; theme=dark", "theme=light"),
            "session=s1; theme=light"
        );
        assert_eq!(with_cookies("session=s1", ""), "session=s1");
    }
}
