//! State that the two ends of a connection share. One end is the stream, in which the guard checks bytes before hyper
//! reads them. The other is the service, which hyper calls for responses.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use kit_guard::Rejection;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::timeouts::ReusableTimeout;

/// Client of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    /// Verified certificate, if the client has sent one in the TLS handshake.
    #[cfg(feature = "tls")]
    pub(crate) certificate: Option<crate::ClientCertificate>,
}

impl From<SocketAddr> for Peer {
    fn from(address: SocketAddr) -> Self {
        Self {
            address,
            #[cfg(feature = "tls")]
            certificate: None,
        }
    }
}

/// State that the socket and the service of a connection share. The same task polls the two.
#[derive(Debug)]
pub struct ConnectionState {
    /// Address of the peer.
    pub(crate) peer: IpAddr,
    /// Verified certificate of the peer.
    #[cfg(feature = "tls")]
    pub(crate) certificate: Option<crate::ClientCertificate>,
    /// Timeout of the request in progress.
    pub(crate) timeout: ReusableTimeout,
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
    /// True if the handler of the last request reads the body while the body arrives.
    is_body_streamed: AtomicBool,
    /// Minimum rate of this body in bytes per second, or [`NO_RATE`].
    body_rate: AtomicU64,
    /// True if this handler waits for the next bytes of the body.
    is_chunk_awaited: AtomicBool,
    /// True if the peer has closed its sending side during a response.
    is_half_closed: AtomicBool,
    /// Notified when `is_half_closed` becomes true.
    half_closed: Notify,
    /// True if a field of `rare` was ever set. As long as it is false, no code locks the mutex.
    has_rare_state: AtomicBool,
    rare: Mutex<RareState>,
}

/// Value of `body_rate` if the minimum rate of the server applies.
const NO_RATE: u64 = u64::MAX;

/// State that most connections never need.
#[derive(Debug, Default)]
struct RareState {
    /// The reason why a request body was rejected, and the number of its request on the connection.
    refused: Option<(u64, Rejection)>,
    /// Waker of the stream, if it waits for the end of the response in progress.
    waiting: Option<Waker>,
}

impl ConnectionState {
    pub(super) fn new(peer: &Peer) -> Self {
        Self {
            peer: peer.address.ip(),
            #[cfg(feature = "tls")]
            certificate: peer.certificate.clone(),
            timeout: ReusableTimeout::default(),
            started_at: Instant::now(),
            answered: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            is_answering: AtomicBool::new(false),
            is_upgraded: AtomicBool::new(false),
            is_body_streamed: AtomicBool::new(false),
            body_rate: AtomicU64::new(NO_RATE),
            is_chunk_awaited: AtomicBool::new(false),
            is_half_closed: AtomicBool::new(false),
            half_closed: Notify::new(),
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
        self.is_body_streamed.store(false, Ordering::Relaxed);
        self.is_chunk_awaited.store(false, Ordering::Relaxed);
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

    /// Records that the handler of the last request reads the body while the body arrives. The server then limits the times in
    /// which the handler waits for the client, and not the time of the whole body.
    /// `rate` replaces the minimum rate of the server.
    pub(crate) fn stream_body(&self, rate: Option<u32>) {
        self.body_rate
            .store(rate.map_or(NO_RATE, u64::from), Ordering::Relaxed);
        self.is_body_streamed.store(true, Ordering::Relaxed);
    }

    /// Returns the minimum rate of the last request's body, once. Returns `None` if the minimum rate of the server applies.
    pub(super) fn take_body_rate(&self) -> Option<u32> {
        u32::try_from(self.body_rate.swap(NO_RATE, Ordering::Relaxed)).ok()
    }

    /// Returns true if the handler of the last request reads the body while the body arrives.
    pub(super) fn is_body_streamed(&self) -> bool {
        self.is_body_streamed.load(Ordering::Relaxed)
    }

    /// Records if the handler waits for the next bytes of the body.
    pub(crate) fn await_chunk(&self, is_awaited: bool) {
        self.is_chunk_awaited.store(is_awaited, Ordering::Relaxed);
    }

    /// Returns true if the handler waits for the next bytes of the body.
    pub(super) fn is_chunk_awaited(&self) -> bool {
        self.is_chunk_awaited.load(Ordering::Relaxed)
    }

    /// Records that the peer has closed its sending side during a response. The peer may still read.
    pub(super) fn half_close(&self) {
        if !self.is_half_closed.swap(true, Ordering::Relaxed) {
            self.half_closed.notify_one();
        }
    }

    /// Waits until the peer closes its sending side.
    pub(crate) async fn half_closed(&self) {
        if !self.is_half_closed.load(Ordering::Relaxed) {
            self.half_closed.notified().await;
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
