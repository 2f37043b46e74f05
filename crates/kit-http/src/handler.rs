//! Callbacks of the engine.

use crate::rejection::Refusal;
use crate::request::{Request, RequestId};
use crate::upload::UploadPart;

/// Reason why the engine does not accept connections for now. New connections wait in the kernel's queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    /// The number of open connections has reached [`crate::Limits::connections`].
    ConnectionLimit,
    /// The process or the operating system has no file descriptors or no memory left.
    Exhausted,
}

/// Result of [`crate::Engine::write`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteResult {
    /// The chunk was accepted, and the writer may continue.
    Ready,
    /// The chunk was accepted, and the writer should wait until [`Handler::drained`] is called.
    Wait,
    /// The chunk was dropped: the client has disconnected, or the stream has already ended.
    Closed,
}

/// Callbacks of the engine. Only [`crate::Engine::drive`] calls them.
pub trait Handler {
    /// Called for each request. It is complete, unless [`Request::is_streamed`] is true. Respond with [`crate::Engine::respond`], during this call or any time later.
    fn request(&mut self, id: RequestId, request: &Request);
    /// Called if the client closes its sending side before the response, which usually means that it has
    /// disconnected. Called at most once for each request. The request can still be read. It still needs a
    /// response, which is sent in case the client is still connected.
    fn aborted(&mut self, id: RequestId);
    /// Called after [`WriteResult::Wait`], when the client has read so much of the stream that the writer may continue.
    fn drained(&mut self, id: RequestId) {
        let _ = id;
    }
    /// Called if the client of a stream disconnects before the end, or is disconnected because it does not read. This is the
    /// last callback for the stream.
    fn stream_aborted(&mut self, id: RequestId) {
        let _ = id;
    }
    /// Called once after each [`crate::Engine::read_body`] that returned true, unless the handler has canceled reading or responded
    /// meanwhile.
    fn body_part(&mut self, id: RequestId, part: UploadPart<'_>) {
        let _ = (id, part);
    }
    /// Called when the engine has rejected data that is not a valid request, for the log of the application.
    fn refused(&mut self, refusal: &Refusal) {
        let _ = refusal;
    }
    /// Called once when the engine stops accepting connections for some time.
    fn paused(&mut self, pause: Pause) {
        let _ = pause;
    }
}
