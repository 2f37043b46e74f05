//! State that the two ends of a connection share: the stream, on which the guard sees bytes before hyper, and the
//! service, which hyper calls for responses.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use kit_guard::Rejection;
use tokio::time::Instant;

/// State shared by the stream and the service of a connection. One task polls both ends.
#[derive(Debug)]
pub(super) struct ConnectionState {
    started_at: Instant,
    /// Time of the last completed response, in nanoseconds since the connection began; 0 before the first response.
    answered: AtomicU64,
    /// Number of requests that hyper passed to the service.
    requests: AtomicU64,
    /// True if the response to the last request is not completely written yet.
    is_answering: AtomicBool,
    /// True if `rare` was ever set. It saves the lock of the mutex on most connections.
    has_rare_state: AtomicBool,
    rare: Mutex<RareState>,
}

/// State that most connections never need.
#[derive(Debug, Default)]
struct RareState {
    /// A rejected body, with the number of its request.
    refused: Option<(u64, Rejection)>,
    /// Waker of the stream, which waits for the response in progress.
    waiting: Option<Waker>,
}

impl ConnectionState {
    pub(super) fn new() -> Self {
        Self {
            started_at: Instant::now(),
            answered: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            is_answering: AtomicBool::new(false),
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

    /// Returns true if a response is in progress.
    pub(super) fn is_answering(&self) -> bool {
        self.is_answering.load(Ordering::Relaxed)
    }

    /// Wakes `waker` when the response in progress is complete.
    pub(super) fn wait(&self, waker: &Waker) {
        self.rare().waiting = Some(waker.clone());
        self.has_rare_state.store(true, Ordering::Relaxed);
    }

    /// Rejects the rest of the body of a request.
    pub(super) fn refuse_body(&self, number: u64, rejection: Rejection) {
        self.rare().refused = Some((number, rejection));
        self.has_rare_state.store(true, Ordering::Relaxed);
    }

    fn rare(&self) -> MutexGuard<'_, RareState> {
        self.rare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A response in progress.
#[derive(Debug)]
pub(super) struct ResponseInProgress {
    number: u64,
    connection: Arc<ConnectionState>,
}

impl ResponseInProgress {
    /// Returns the reason if the body of the request was rejected. The rejection replaces the response that a handler
    /// made from the part of the body that had arrived.
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
