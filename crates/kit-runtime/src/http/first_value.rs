//! The beginning of a streamed response: the head waits for the first value, so that a failure before it is an error response.

use std::future::poll_fn;
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context as Task, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use hyper::body::{Body as _, Frame, SizeHint};

use super::joined_headers::join;
use super::{Context, Error};
use crate::media_type::MediaType;

/// Longest time that the head of a response waits for the first value. A quiet stream must open, too.
const LONGEST_WAIT: Duration = Duration::from_millis(250);

/// Beginning of a stream, which the body of the response and the code that waits for the first value share.
#[derive(Debug, Clone)]
pub(super) struct Beginning(Arc<Mutex<State>>);

#[derive(Debug)]
enum State {
    /// The head of the response waits.
    Waiting,
    /// The stream has sent a value, or the head waits no more.
    Begun,
    /// The stream has failed before its first value.
    Failed(Error),
}

impl Beginning {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(State::Waiting)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the stream has sent a value.
    pub(super) fn begin(&self) {
        *self.state() = State::Begun;
    }

    /// Takes the error of the stream if the head of the response still waits. Returns the error otherwise.
    pub(super) fn fail(&self, error: Error) -> Result<(), Error> {
        let mut state = self.state();
        match *state {
            State::Waiting => {
                *state = State::Failed(error);
                Ok(())
            }
            State::Begun | State::Failed(_) => Err(error),
        }
    }

    fn is_waiting(&self) -> bool {
        matches!(*self.state(), State::Waiting)
    }
}

/// Waits for the first value of a streamed response, for at most [`LONGEST_WAIT`]. Returns other responses unchanged. Headers
/// and the status that the stream sets before its first value apply to the response.
///
/// # Errors
///
/// Returns the error of the stream if it fails before its first value.
pub(super) async fn wait(
    context: &Context,
    mut response: axum::response::Response,
) -> Result<axum::response::Response, Error> {
    let Some(beginning) = response.extensions_mut().remove::<Beginning>() else {
        return Ok(response);
    };
    context.clear_status();
    let mut body = mem::take(response.body_mut());
    let first = {
        let next = poll_fn(|task| match Pin::new(&mut body).poll_frame(task) {
            // An empty value is a value, but no part of the body.
            Poll::Pending if !beginning.is_waiting() => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
            Poll::Ready(frame) => Poll::Ready(frame),
        });
        tokio::time::timeout(LONGEST_WAIT, next).await.ok().flatten()
    };
    let state = mem::replace(&mut *beginning.state(), State::Begun);
    let set = mem::take(&mut *context.answer_headers());
    let headers = response.headers_mut();
    *headers = join(mem::take(headers), &set);
    if let State::Failed(error) = state {
        // An error response keeps the headers of the handler and of wrappers, but has another body.
        let mut headers = mem::take(response.headers_mut());
        headers.remove(header::CONTENT_TYPE);
        headers.remove(header::CONTENT_LENGTH);
        *context.answer_headers() = headers;
        return Err(error);
    }
    if let Some(status) = context.status() {
        *response.status_mut() = status;
    }
    prevent_buffering(response.headers_mut());
    *response.body_mut() = match first {
        Some(first) => Body::new(Begun {
            first: Some(first),
            rest: body,
        }),
        None => body,
    };
    Ok(response)
}

/// Sets the headers of an event stream without which a cache or a proxy may hold back events until the response ends.
fn prevent_buffering(headers: &mut HeaderMap) {
    let content_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let is_events = content_type
        .and_then(MediaType::parse)
        .is_some_and(|found| found.essence == "text/event-stream");
    if is_events {
        let no_store = HeaderValue::from_static("no-store");
        headers.entry(header::CACHE_CONTROL).or_insert(no_store);
        let buffering = HeaderName::from_static("x-accel-buffering");
        headers.entry(buffering).or_insert(HeaderValue::from_static("no"));
    }
}

/// Body whose first frame was taken before the head of the response was sent.
struct Begun {
    /// First frame, or the error of a stream that failed right after an empty value.
    first: Option<Result<Frame<Bytes>, axum::Error>>,
    rest: Body,
}

impl hyper::body::Body for Begun {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        task: &mut Task<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match self.first.take() {
            Some(first) => Poll::Ready(Some(first)),
            None => Pin::new(&mut self.rest).poll_frame(task),
        }
    }

    fn size_hint(&self) -> SizeHint {
        let first = self
            .first
            .as_ref()
            .and_then(|first| first.as_ref().ok()?.data_ref());
        let first = first.map_or(0, |bytes| u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        let rest = self.rest.size_hint();
        match rest.exact() {
            Some(rest) => SizeHint::with_exact(first + rest),
            None => rest,
        }
    }
}
