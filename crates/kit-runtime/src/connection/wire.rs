//! What the two ends of a connection know of each other: the stream, on which the guard sees bytes before hyper does, and the service,
//! which hyper asks for answers.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use kit_guard::Rejection;
use tokio::time::Instant;

/// Both ends are polled by the connection's one task.
#[derive(Debug)]
pub(super) struct Wire {
    begun: Instant,
    /// When the last answer was written, in nanoseconds since the connection began; 0 where none was.
    answered: AtomicU64,
    /// Requests that hyper asked an answer to.
    requests: AtomicU64,
    /// Whether the last of them is not written yet.
    is_answering: AtomicBool,
    /// Whether there is anything in what follows.
    is_rare: AtomicBool,
    rare: Mutex<Rare>,
}

/// What most connections never have.
#[derive(Debug, Default)]
struct Rare {
    /// A body that was refused, by the number of its request.
    refused: Option<(u64, Rejection)>,
    /// The stream, which waits for the answer under way.
    waiting: Option<Waker>,
}

impl Wire {
    pub(super) fn new() -> Self {
        Self {
            begun: Instant::now(),
            answered: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            is_answering: AtomicBool::new(false),
            is_rare: AtomicBool::new(false),
            rare: Mutex::default(),
        }
    }

    /// When the last answer was written.
    pub(super) fn answered(&self) -> Option<Instant> {
        let nanos = self.answered.load(Ordering::Relaxed);
        (nanos > 0).then(|| self.begun + Duration::from_nanos(nanos))
    }

    /// A request came: the answer is under way until what this gives is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> Flight {
        self.is_answering.store(true, Ordering::Relaxed);
        Flight {
            number: self.requests.fetch_add(1, Ordering::Relaxed) + 1,
            wire: Arc::clone(self),
        }
    }

    /// Whether an answer is under way.
    pub(super) fn is_answering(&self) -> bool {
        self.is_answering.load(Ordering::Relaxed)
    }

    /// Has somebody woken when the answer under way is written.
    pub(super) fn wait(&self, waker: &Waker) {
        self.rare().waiting = Some(waker.clone());
        self.is_rare.store(true, Ordering::Relaxed);
    }

    /// The rest of a request's body is refused.
    pub(super) fn refuse_body(&self, number: u64, rejection: Rejection) {
        self.rare().refused = Some((number, rejection));
        self.is_rare.store(true, Ordering::Relaxed);
    }

    fn rare(&self) -> MutexGuard<'_, Rare> {
        self.rare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer under way.
#[derive(Debug)]
pub(super) struct Flight {
    number: u64,
    wire: Arc<Wire>,
}

impl Flight {
    /// Why the request's body was refused, where it was: that is its answer, whatever was made of the part that came.
    pub(super) fn refusal(&self) -> Option<Rejection> {
        if !self.wire.is_rare.load(Ordering::Relaxed) {
            return None;
        }
        let refused = self.wire.rare().refused;
        refused
            .filter(|(number, _)| *number == self.number)
            .map(|(_, rejection)| rejection)
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let nanos = self.wire.begun.elapsed().as_nanos();
        let nanos = u64::try_from(nanos).unwrap_or(u64::MAX);
        self.wire.answered.store(nanos, Ordering::Relaxed);
        self.wire.is_answering.store(false, Ordering::Relaxed);
        if !self.wire.is_rare.load(Ordering::Relaxed) {
            return;
        }
        if let Some(waker) = self.wire.rare().waiting.take() {
            waker.wake();
        }
    }
}
