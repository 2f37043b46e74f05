//! WebSockets from the call of [`Response::socket`](super::super::Response::socket) to their response.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use axum::http::StatusCode;
use hyper::upgrade::OnUpgrade;
use kit_websocket::connection::SharedSession;

use super::super::catch_panic::catch_panic;
use super::super::{Context, Error};
use crate::debug::RecordedStream;

/// Call of a handler.
pub(super) type Work = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

/// WebSocket whose response is not sent yet. It is an extension of the response, so a wrapper that replaces the response drops
/// the socket too, before its handler has run.
#[derive(Clone)]
pub(super) struct Opening(Arc<Mutex<Option<OpenSocket>>>);

/// WebSocket that is ready to open.
pub(in super::super) struct OpenSocket {
    pub(super) upgrade: OnUpgrade,
    pub(super) shared: Arc<SharedSession>,
    pub(super) ping_after: Duration,
    pub(super) context: Context,
    pub(super) stream: RecordedStream,
    pub(super) work: Work,
}

impl Opening {
    pub(super) fn new(socket: OpenSocket) -> Self {
        Self(Arc::new(Mutex::new(Some(socket))))
    }

    fn take(&self) -> Option<OpenSocket> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Removes the WebSocket from a response, and runs its handler until it waits for the first time. Returns `None` for a response
/// that opens no WebSocket.
///
/// # Errors
///
/// The error of a handler that is not written yet, so that its route responds with 501 like any other route.
pub(in super::super) fn begin(response: &mut axum::response::Response) -> Result<Option<OpenSocket>, Error> {
    let opening = response.extensions_mut().remove::<Opening>();
    let Some(mut socket) = opening.and_then(|opening| opening.take()) else {
        return Ok(None);
    };
    let mut task = std::task::Context::from_waker(Waker::noop());
    let work = &mut socket.work;
    let polled = socket
        .context
        .scope_part(|| catch_panic(|| work.as_mut().poll(&mut task)));
    match polled {
        Poll::Pending => {}
        Poll::Ready(Err(error)) if error.status() == StatusCode::NOT_IMPLEMENTED => return Err(error),
        Poll::Ready(result) => socket.work = Box::pin(std::future::ready(result)),
    }
    Ok(Some(socket))
}
