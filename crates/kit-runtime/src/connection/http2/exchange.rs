//! One request of a connection, and its response.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::SystemTime;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Method, StatusCode, header, request};
use axum::response::Response;
use h2::RecvStream;
use h2::server::SendResponse;
use hyper::body::Body as _;
use kit_guard::Limits;
use tokio::sync::Notify;

use super::Shared;
use super::body::TimedBody;
use super::sending::Sending;
use crate::Serve;
use crate::connection::{ConnectionState, headers, refusal};
use crate::shutdown;

/// A request in progress.
pub(super) struct Exchange {
    send: SendResponse<Bytes>,
    shared: Arc<Shared>,
}

impl Exchange {
    pub(super) fn new(send: SendResponse<Bytes>, shared: Arc<Shared>) -> Self {
        Self { send, shared }
    }

    /// Responds to the request. Ends early if the client leaves.
    pub(super) async fn respond(mut self, request: hyper::Request<RecvStream>, router: impl Serve) {
        let (parts, body) = request.into_parts();
        let is_head = parts.method == Method::HEAD;
        // `kit_http2::convert` refuses all other expectations.
        let awaited = parts
            .headers
            .contains_key(header::EXPECT)
            .then(|| Arc::new(Notify::new()));
        let shared = Arc::clone(&self.shared);
        let Some(mut response) = self
            .finish(answer(parts, body, awaited.clone(), &shared, router), awaited)
            .await
        else {
            return;
        };
        // The shutdown was announced.
        if shutdown::is_closing() {
            shared.answered_at_end.notify_one();
        }
        prepare(&mut response, is_head);
        let (head, body) = response.into_parts();
        let is_end = body.is_end_stream();
        let head = hyper::Response::from_parts(head, ());
        let stream = match self.send.send_response(head, is_end) {
            Ok(stream) if !is_end => stream,
            Ok(_) => return,
            Err(error) => {
                self.log_failure(&error);
                return self.send.send_reset(h2::Reason::INTERNAL_ERROR);
            }
        };
        Sending::new(stream, body).await;
    }

    /// Waits for the response, and sends the status 100 if a handler waits for the body before. Returns `None` if the client leaves.
    async fn finish(
        &mut self,
        response: impl Future<Output = Response>,
        awaited: Option<Arc<Notify>>,
    ) -> Option<Response> {
        let mut response = pin!(response);
        let mut awaited = awaited.as_deref();
        loop {
            let awaiting = async {
                match awaited {
                    Some(awaited) => awaited.notified().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                response = response.as_mut() => return Some(response),
                () = awaiting => {
                    awaited = None;
                    self.send_continue();
                }
                _ = poll_fn(|context| self.send.poll_reset(context)) => return None,
            }
        }
    }

    /// Logs that h2 has not accepted a response.
    fn log_failure(&mut self, error: &h2::Error) {
        let mut context = Context::from_waker(Waker::noop());
        if self.send.poll_reset(&mut context).is_ready() {
            tracing::debug!("A response of HTTP/2 was not sent: {error}");
        } else {
            tracing::error!("A response of HTTP/2 was not sent: {error}");
        }
    }

    fn send_continue(&mut self) {
        let mut head = hyper::Response::new(());
        *head.status_mut() = StatusCode::CONTINUE;
        self.shared.interims.add(self.send.stream_id().into());
        // Fails only if the client has left.
        let _: Result<(), h2::Error> = self.send.send_informational(head);
    }
}

/// Returns the response to a request. Each request has its own state, because several are in progress at the same time.
async fn answer(
    mut parts: request::Parts,
    body: RecvStream,
    awaited: Option<Arc<Notify>>,
    shared: &Shared,
    router: impl Serve,
) -> Response {
    let address = shared.peer.address.ip();
    if let Err(rejection) = kit_http2::convert(&mut parts, &Limits::default()) {
        return refusal::to_response(rejection, address);
    }
    let state = Arc::new(ConnectionState::new(&shared.peer));
    let in_progress = state.begin();
    let length = parts.headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
    // The router recognizes a body of unknown length by this header.
    if !body.is_end_stream() && length.is_none() {
        let chunked = HeaderValue::from_static("chunked");
        parts.headers.insert(header::TRANSFER_ENCODING, chunked);
    }
    let body = TimedBody::new(body, length, awaited, Arc::clone(&state), shared.timeouts);
    let request = hyper::Request::from_parts(parts, body);
    let response = router.respond(request, &state).await;
    match in_progress.refusal() {
        Some(rejection) => refusal::to_response(rejection, address),
        None => response,
    }
}

/// Adds the headers that each response has, and removes those that HTTP/2 does not have.
fn prepare(response: &mut Response, is_head: bool) {
    headers::add_defaults(response);
    let length = response.body().size_hint().exact().filter(|length| *length > 0);
    let headers = response.headers_mut();
    // Routes of axum may set these headers. h2 refuses responses with them.
    for name in headers::OF_CONNECTIONS {
        headers.remove(name);
    }
    if let Some(length) = length.map(HeaderValue::from) {
        headers.entry(header::CONTENT_LENGTH).or_insert(length);
    }
    if let Ok(date) = HeaderValue::from_str(&httpdate::fmt_http_date(SystemTime::now())) {
        headers.entry(header::DATE).or_insert(date);
    }
    if is_head {
        *response.body_mut() = Body::empty();
    }
}
