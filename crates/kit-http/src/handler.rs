//! Callbacks of the engine.

use std::net::SocketAddr;

use crate::rejection::Refusal;
use crate::request::{Request, RequestId};
use crate::upload::UploadPart;
use kit_websocket::Message as SocketMessage;

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
    /// Called for each request. The request is complete, unless [`Request::is_streamed`] is true. Respond with
    /// [`crate::Engine::respond`], during this call or any time later.
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
    /// Called for each complete message of a WebSocket. After [`crate::Engine::pause_socket`], messages that the engine has
    /// already read may follow.
    fn socket_message(&mut self, id: RequestId, message: SocketMessage<'_>) {
        let _ = (id, message);
    }
    /// Called after [`WriteResult::Wait`], when the client of a WebSocket has read so much that the sender may continue.
    fn socket_drained(&mut self, id: RequestId) {
        let _ = id;
    }
    /// Called once when a WebSocket has ended, as its last callback. `code` is the code of the client's close frame, the code
    /// with which the engine closed because of a violation of the protocol, 1005 for a close frame without a code, or 1006
    /// if there was no close frame.
    fn socket_closed(&mut self, id: RequestId, code: u16, reason: &str) {
        let _ = (id, code, reason);
    }
    /// Called when the engine has rejected data that is not a valid request, for the log of the application.
    fn refused(&mut self, refusal: &Refusal) {
        let _ = refusal;
    }
    /// Called when the TLS handshake of a client has failed, with a constant text as the reason. Any client can cause
    /// this call, so a log must bound the number of its lines. Not called for a client that has disconnected or was too slow.
    fn handshake_failed(&mut self, remote: Option<SocketAddr>, reason: &'static str) {
        let _ = (remote, reason);
    }
    /// Called when the engine ends a connection of HTTP/2 whose client has exceeded a limit, with a constant text as the reason. Any
    /// client can cause this call, so a log must bound the number of its lines.
    fn http2_limited(&mut self, remote: Option<SocketAddr>, reason: &'static str) {
        let _ = (remote, reason);
    }
    /// Called once when the engine stops accepting connections for some time.
    fn paused(&mut self, pause: Pause) {
        let _ = pause;
    }
}
