//! State that the two ends of a connection share. One end is the stream, in which the guard checks bytes before hyper
//! reads them. The other is the service, which hyper calls for responses.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use kit_guard::Rejection;
use tokio::time::Instant;

/// State that the socket and the service of a connection share. The same task polls the two.
#[derive(Debug)]
pub(super) struct ConnectionState {
    /// Address of the peer.
    pub(super) peer: IpAddr,
    started_at: Instant,
    /// Time of the last completed response, in nanoseconds since the start of the connection; 0 before the first
    /// response.
    answered: AtomicU64,
    /// Number of requests that hyper passed to the service.
    requests: AtomicU64,
    /// True if the response to the last request is not completely written yet.
    is_answering: AtomicBool,
    /// True if the connection no longer carries HTTP, because a response had the status 101.
    is_upgraded: AtomicBool,
    /// True if a field of `rare` was ever set. As long as it is false, no code locks the mutex.
    has_rare_state: AtomicBool,
    rare: Mutex<RareState>,
}

/// State that most connections never need.
#[derive(Debug, Default)]
struct RareState {
    /// The reason why a request body was rejected, and the number of its request on the connection.
    refused: Option<(u64, Rejection)>,
    /// Waker of the stream, if it waits for the end of the response in progress.
    waiting: Option<Waker>,
}

impl ConnectionState {
    pub(super) fn new(peer: IpAddr) -> Self {
        Self {
            peer,
            started_at: Instant::now(),
            answered: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            is_answering: AtomicBool::new(false),
            is_upgraded: AtomicBool::new(false),
            has_rare_state: AtomicBool::new(false),
            rare: Mutex::default(),
        }
    }

    /// Returns the time of the last completed response.
    pub(super) fn answered(&self) -> Option<Instant> {
        let nanos = self.answered.load(Ordering::Relaxed);
        (nanos > 0).then(|| self.started_at + Duration::from_nanos(nanos))
    }

    /// Starts the response to a new request. The response is in progress until the returned value is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> ResponseInProgress {
        self.is_answering.store(true, Ordering::Relaxed);
        ResponseInProgress {
            number: self.requests.fetch_add(1, Ordering::Relaxed) + 1,
            connection: Arc::clone(self),
        }
    }

    /// Records that the bytes after the response in progress are not HTTP.
    pub(super) fn upgrade(&self) {
        self.is_upgraded.store(true, Ordering::Relaxed);
    }

    /// Returns true if the connection no longer carries HTTP.
    pub(super) fn is_upgraded(&self) -> bool {
        self.is_upgraded.load(Ordering::Relaxed)
    }

    /// Returns true if a response is in progress.
    pub(super) fn is_answering(&self) -> bool {
        self.is_answering.load(Ordering::Relaxed)
    }

    /// Wakes `waker` when the response in progress is complete.
    pub(super) fn wait(&self, waker: &Waker) {
        self.rare().waiting = Some(waker.clone());
        self.has_rare_state.store(true, Ordering::Relaxed);
    }

    /// Records that the body of request `number` is rejected. The response to this request then reports the
    /// rejection.
    pub(super) fn refuse_body(&self, number: u64, rejection: Rejection) {
        self.rare().refused = Some((number, rejection));
        self.has_rare_state.store(true, Ordering::Relaxed);
    }

    fn rare(&self) -> MutexGuard<'_, RareState> {
        self.rare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A response in progress, until it is dropped.
#[derive(Debug)]
pub(super) struct ResponseInProgress {
    number: u64,
    connection: Arc<ConnectionState>,
}

impl ResponseInProgress {
    /// Returns the reason if the body of the request was rejected. In this case the error replaces the handler's
    /// response, because the handler may have read only a part of the body.
    pub(super) fn refusal(&self) -> Option<Rejection> {
        if !self.connection.has_rare_state.load(Ordering::Relaxed) {
            return None;
        }
        let refused = self.connection.rare().refused;
        refused
            .filter(|(number, _)| *number == self.number)
            .map(|(_, rejection)| rejection)
    }
}

impl Drop for ResponseInProgress {
    fn drop(&mut self) {
        let nanos = self.connection.started_at.elapsed().as_nanos();
        let nanos = u64::try_from(nanos).unwrap_or(u64::MAX);
        self.connection.answered.store(nanos, Ordering::Relaxed);
        self.connection.is_answering.store(false, Ordering::Relaxed);
        if !self.connection.has_rare_state.load(Ordering::Relaxed) {
            return;
        }
        if let Some(waker) = self.connection.rare().waiting.take() {
            waker.wake();
        }
    }
}
