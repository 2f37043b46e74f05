//! Call of a route: its request.

use std::marker::PhantomData;
use std::time::{Duration, Instant};

use kit_runtime::Contract;
use kit_runtime::json::{Json, to_text};
use reqwest::header::{ACCEPT, CONTENT_TYPE, COOKIE, HeaderMap, HeaderValue, IF_RANGE, RANGE};
use reqwest::{Body, Method, RequestBuilder, Response};

use crate::answer::in_time;
use crate::error::{Declared, Error, Refusal};
use crate::retry::{Retry, declares_key, has_key, may_pass};
use crate::text::{cookies, header, headers, query, wire};
use crate::{Answer, ByteRange, Client, Parts, Segment, path};

/// Call of a route whose request is being made. `E` is the enum of the errors that the contract declares.
#[derive(Debug)]
pub struct Call<'c, E> {
    pub(crate) client: &'c Client,
    method: Method,
    segments: &'static [Segment],
    params: Option<Json>,
    query: String,
    headers: HeaderMap,
    /// True if the contract of the route declares the header `idempotency-key`.
    declares_key: bool,
    body: Option<Content>,
    accepted: &'static str,
    is_stream: bool,
    /// Reason why the request cannot be sent.
    problem: Option<String>,
    declared: PhantomData<fn() -> E>,
}

#[derive(Debug)]
enum Content {
    Body(Body, String),
    Multipart(Parts),
}

impl<'c, E: Declared> Call<'c, E> {
    pub(crate) fn new(client: &'c Client, method: Method, segments: &'static [Segment]) -> Self {
        Self {
            client,
            method,
            segments,
            params: None,
            query: String::new(),
            headers: client.headers.clone(),
            declares_key: false,
            body: None,
            accepted: "application/json",
            is_stream: false,
            problem: None,
            declared: PhantomData,
        }
    }

    /// Sets the path parameters.
    #[must_use]
    pub fn params<T: Contract>(mut self, params: &T) -> Self {
        self.params = self.wire(params);
        self
    }

    /// Sets the query.
    #[must_use]
    pub fn query<T: Contract>(mut self, values: &T) -> Self {
        if let Some(json) = self.wire(values) {
            self.query = query(&json);
        }
        self
    }

    /// Adds the headers of the contract. They replace headers of the client with the same names.
    #[must_use]
    pub fn headers<T: Contract>(mut self, values: &T) -> Self {
        self.declares_key |= declares_key(T::shape());
        let Some(json) = self.wire(values) else {
            return self;
        };
        match headers(&json) {
            Ok(headers) => {
                for (name, value) in headers {
                    self.header(&name, &value);
                }
            }
            Err(problem) => self.refuse(problem),
        }
        self
    }

    /// Asks for a part of a download.
    #[must_use]
    pub fn range(mut self, range: Option<&ByteRange>) -> Self {
        if let Some(range) = range {
            self.header(RANGE.as_str(), &range.header());
            if let Some(tag) = &range.tag {
                self.header(IF_RANGE.as_str(), tag);
            }
        }
        self
    }

    /// Adds the cookies of the contract to those of the client.
    #[must_use]
    pub fn cookies<T: Contract>(mut self, values: &T) -> Self {
        let text = self.wire(values).and_then(|json| cookies(&json));
        if let Some(mut text) = text {
            if let Some(other) = self.headers.get(COOKIE).and_then(|value| value.to_str().ok()) {
                text = format!("{other}; {text}");
            }
            self.header(COOKIE.as_str(), &text);
        }
        self
    }

    /// Sets a body in JSON.
    #[must_use]
    pub fn json<T: Contract>(mut self, value: &T) -> Self {
        match to_text(value) {
            Ok(text) => self.body("application/json", text),
            Err(error) => {
                self.refuse(format!("{} cannot be sent: {error}", T::NAME));
                self
            }
        }
    }

    /// Sets the body of a form.
    #[must_use]
    pub fn form<T: Contract>(mut self, value: &T) -> Self {
        match self.wire(value) {
            Some(json) => self.body("application/x-www-form-urlencoded", query(&json)),
            None => self,
        }
    }

    /// Sets a body in another format, with its media type.
    #[must_use]
    pub fn body(mut self, media_type: &str, body: impl Into<Body>) -> Self {
        self.body = Some(Content::Body(body.into(), media_type.to_owned()));
        self
    }

    /// Sets a multipart body.
    #[must_use]
    pub fn multipart(mut self, parts: Parts) -> Self {
        self.body = Some(Content::Multipart(parts));
        self
    }

    /// Sets the body by a function, which chooses the format.
    #[must_use]
    pub fn body_by(self, write: impl FnOnce(Self) -> Self) -> Self {
        write(self)
    }

    /// Sets the media type of the response. `is_stream` is true if the response arrives in parts, so that the timeout applies
    /// only to its head.
    #[must_use]
    pub fn accept(mut self, media_type: &'static str, is_stream: bool) -> Self {
        self.accepted = media_type;
        self.is_stream = is_stream;
        self
    }

    /// Replaces the media type of [`Call::accept`] by one of those that the contract declares. `None` leaves the choice to the
    /// server. The server may still respond with a stream, so the timeout is that of [`Call::accept`].
    #[must_use]
    pub fn prefer(mut self, media_type: Option<&'static str>) -> Self {
        if let Some(media_type) = media_type {
            self.accepted = media_type;
        }
        self
    }

    /// Sends the request, and returns the response.
    ///
    /// # Errors
    ///
    /// If the request cannot be sent, if there is no response, or if the response is an error.
    pub async fn send(self) -> Result<Answer, Error<E>> {
        let http = self.client.http.clone();
        self.respond(&http).await
    }

    /// Sends the request, and returns a response that is no error.
    pub(crate) async fn respond(self, http: &reqwest::Client) -> Result<Answer, Error<E>> {
        let (places, deadline) = (self.client.places, self.deadline());
        // A client may have a key for all its calls. A route that does not know the key would execute repeated requests again.
        let runs_once = self.declares_key && has_key(&self.headers);
        let exchange = Exchange {
            is_stream: self.is_stream,
            timeout: self.client.timeout,
            retry: self.client.retry,
            limit: self.client.retry.limit_of(&self.method, runs_once),
            runs_once,
        };
        let request = self.request(http).map_err(Error::Request)?;
        let response = exchange.run(request).await?;
        if response.status().as_u16() < 400 {
            return Ok(Answer::new(response, deadline));
        }
        let (status, headers) = (response.status(), response.headers().clone());
        let text = in_time(deadline, response.text()).await?;
        let refusal = Refusal::new(status, headers, text, places);
        Err(match E::read(refusal) {
            Ok(declared) => Error::Declared(declared),
            Err(refusal) => Error::Refused(refusal),
        })
    }

    /// Returns the time at which a body that the caller does not read in parts must have arrived. Returns `None` if `reqwest` knows
    /// the time itself, or if the time is later than an `Instant` can be.
    fn deadline(&self) -> Option<Instant> {
        let timeout = self.is_stream.then_some(self.client.timeout)?;
        Instant::now().checked_add(timeout)
    }

    fn request(mut self, http: &reqwest::Client) -> Result<RequestBuilder, String> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let mut url = format!(
            "{}{}",
            self.client.base,
            path::path(self.segments, self.params.as_ref())?
        );
        if !self.query.is_empty() {
            url.push('?');
            url.push_str(&self.query);
        }
        self.headers
            .entry(ACCEPT)
            .or_insert(HeaderValue::from_static(self.accepted));
        let request = http.request(self.method, url);
        Ok(match self.body {
            None => request.headers(self.headers),
            Some(Content::Multipart(parts)) => {
                if let Some(form) = parts.into_form()? {
                    request.headers(self.headers).multipart(form)
                } else {
                    let media_type = HeaderValue::from_static("multipart/form-data; boundary=end");
                    self.headers.insert(CONTENT_TYPE, media_type);
                    request.headers(self.headers).body("--end--\r\n")
                }
            }
            Some(Content::Body(body, media_type)) => {
                let media_type = HeaderValue::from_str(&media_type)
                    .map_err(|error| format!("`{media_type}` is no media type: {error}"))?;
                self.headers.insert(CONTENT_TYPE, media_type);
                request.headers(self.headers).body(body)
            }
        })
    }

    /// Returns a value in its form on the wire. Records the reason if the value has none.
    fn wire<T: Contract>(&mut self, value: &T) -> Option<Json> {
        match wire(value) {
            Ok(json) => Some(json),
            Err(problem) => {
                self.refuse(problem);
                None
            }
        }
    }

    /// Records a reason why the request cannot be sent. The first reason is reported.
    fn refuse(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    /// Sets a header. Records the reason if the header cannot be sent.
    pub(crate) fn header(&mut self, name: &str, value: &str) {
        match header(name, value) {
            Ok((name, value)) => {
                self.headers.insert(name, value);
            }
            Err(problem) => self.refuse(problem),
        }
    }
}

/// Sending of a request, with its repetitions.
struct Exchange {
    is_stream: bool,
    timeout: Duration,
    retry: Retry,
    /// Maximum number of repetitions of this request.
    limit: u32,
    /// True if the server executes repeated requests once.
    runs_once: bool,
}

impl Exchange {
    /// Returns the first response that needs no repetition, or the result of the last attempt.
    async fn run<E>(&self, mut request: RequestBuilder) -> Result<Response, Error<E>> {
        let begun = Instant::now();
        let left = || self.timeout.saturating_sub(begun.elapsed());
        let mut number = 0;
        loop {
            // A body that is a stream cannot be sent again.
            let next = (number < self.limit).then(|| request.try_clone()).flatten();
            let result = self.send_once(request, left()).await;
            let delay = match &result {
                Ok(response) if may_pass(response.status(), self.runs_once, response.headers()) => {
                    self.retry.delay_after(number, Some(response.headers()))
                }
                Err(Error::Transport(error)) if !error.is_builder() => self.retry.delay_after(number, None),
                _ => None,
            };
            match (next, delay) {
                (Some(next), Some(delay)) if delay < left() => {
                    // Closes or frees the connection before the delay.
                    drop(result);
                    tokio::time::sleep(delay).await;
                    request = next;
                    number += 1;
                }
                _ => return result,
            }
        }
    }

    async fn send_once<E>(&self, request: RequestBuilder, left: Duration) -> Result<Response, Error<E>> {
        if !self.is_stream {
            return Ok(request.timeout(left).send().await?);
        }
        // The timeout of reqwest would include the body.
        match tokio::time::timeout(left, request.send()).await {
            Ok(response) => Ok(response?),
            Err(_) => Err(Error::Timeout),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reqwest::Method;
    use reqwest::header::{COOKIE, HeaderName};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use crate::lines::TextLines;
    use crate::{Call, Client, Error, ErrorPlaces, Undeclared};

    /// Starts a server that sends each text 150 ms after the one before it, and never closes a connection. Returns a client.
    async fn client_of(texts: &'static [&'static str]) -> Client {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                tokio::spawn(async move {
                    while socket.read(&mut [0; 4096]).await.is_ok_and(|count| count > 0) {
                        for text in texts {
                            let _ = socket.write_all(text.as_bytes()).await;
                            tokio::time::sleep(Duration::from_millis(150)).await;
                        }
                    }
                });
            }
        });
        Client::new(&url, ErrorPlaces::ENVELOPE).unwrap()
    }

    fn call(client: &Client) -> Call<'_, Undeclared> {
        client.call(Method::GET, &[])
    }

    #[tokio::test]
    async fn a_response_that_does_not_begin_in_time_is_a_timeout_also_for_streams() {
        let client = client_of(&[]).await.with_timeout(Duration::from_millis(50));
        for is_stream in [false, true] {
            let call = call(&client).accept("text/event-stream", is_stream);
            let error = call.send().await.unwrap_err();
            assert!(matches!(error, Error::Timeout), "{is_stream}: {error:?}");
        }
    }

    #[tokio::test]
    async fn an_error_whose_body_does_not_arrive_in_time_is_a_timeout() {
        let client = client_of(&["HTTP/1.1 503 Service Unavailable\r\ncontent-length: 10\r\n\r\n"]).await;
        let client = client.with_timeout(Duration::from_millis(100));
        for is_stream in [false, true] {
            let call = call(&client).accept("text/event-stream", is_stream);
            let sent = tokio::time::timeout(Duration::from_secs(10), call.send()).await;
            let error = sent.expect("a call must end").unwrap_err();
            assert!(matches!(error, Error::Timeout), "{is_stream}: {error:?}");
        }
        #[cfg(feature = "sockets")]
        {
            let opened = call(&client).open(&[], crate::Messages::TEXT, crate::Messages::TEXT);
            let opened = tokio::time::timeout(Duration::from_secs(10), opened).await;
            let error = opened.expect("a handshake must end").unwrap_err();
            assert!(matches!(error, Error::Timeout), "{error:?}");
        }
    }

    #[tokio::test]
    async fn the_longest_duration_switches_the_timeout_off() {
        let client = client_of(&["HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n", "ok"]).await;
        let client = client.with_timeout(Duration::MAX);
        for is_stream in [false, true] {
            let answer = call(&client)
                .accept("text/plain", is_stream)
                .send()
                .await
                .unwrap();
            assert_eq!(answer.text::<Undeclared>().await.unwrap(), "ok", "{is_stream}");
        }
    }

    #[tokio::test]
    async fn the_timeout_does_not_end_a_stream_that_comes_in_place_of_the_preferred_format() {
        let client = client_of(&[
            "HTTP/1.1 200 OK\r\ncontent-length: 8\r\ncontent-type: application/jsonl\r\n\r\n\"a\"\n",
            "\"b\"\n",
        ])
        .await
        .with_timeout(Duration::from_millis(100));
        let call = call(&client)
            .accept("application/jsonl", true)
            .prefer(Some("text/csv"));
        let mut lines = TextLines::new(call.send().await.unwrap().into_inner());
        for expected in ["\"a\"", "\"b\""] {
            assert_eq!(lines.next().await.unwrap().as_deref(), Some(expected));
        }
    }

    #[tokio::test]
    async fn the_timeout_applies_to_a_preferred_body_that_is_no_stream() {
        let client = client_of(&["HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n", "ok"]).await;
        let client = client.with_timeout(Duration::from_millis(100));
        let call = call(&client)
            .accept("application/jsonl", true)
            .prefer(Some("text/csv"));
        let error = call.send().await.unwrap().text::<Undeclared>().await.unwrap_err();
        assert!(matches!(error, Error::Timeout), "{error:?}");
    }

    #[tokio::test]
    async fn the_first_of_several_mistakes_is_reported() {
        let client = Client::new("http://127.0.0.1:9", ErrorPlaces::ENVELOPE).unwrap();
        let mut call = call(&client);
        call.header("x-first", "\n");
        call.header("x-second", "\n");
        let error = call.send().await.unwrap_err();
        assert!(error.to_string().contains("`x-first`"), "{error}");
    }

    #[tokio::test]
    async fn values_of_headers_are_hidden_in_errors_and_in_debug_output() {
        let client = Client::new("http://127.0.0.1:9", ErrorPlaces::ENVELOPE).unwrap();
        let mut wrong = call(&client);
        wrong.header("x-api-key", "sk_live\n");
        let error = wrong.send().await.unwrap_err().to_string();
        assert!(
            error.contains("`x-api-key`") && !error.contains("sk_live"),
            "{error}"
        );

        let mut good = call(&client);
        for name in [COOKIE, HeaderName::from_static("x-api-key")] {
            good.header(name.as_str(), "sk_live");
            assert!(good.headers[&name].is_sensitive(), "{name}");
        }
        assert!(!format!("{good:?}").contains("sk_live"));
    }
}
