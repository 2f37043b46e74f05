//! States of a connection, and the waits and results that follow from them.

use crate::body::Body;
use crate::linger::Linger;
use crate::partial_request::PartialRequest;
use crate::request::{Request, RequestId};
use crate::response::Response;
use crate::web_socket::WebSocket;

/// State of a connection. HTTP/1.1 serves the requests of a connection one after another, so the state of the current
/// request is the state of the connection.
///
/// Transitions, with the code that makes them:
///
/// | from | to | if |
/// |---|---|---|
/// | `Idle` | `Received` | the fast path has read a request, or hyper a request without a body |
/// | `Idle` | `Received` | hyper has read the head of a request whose handler reads the body in chunks |
/// | `Idle` | `ReceivingBody` | hyper has read the head of another request with a body |
/// | `Idle` | `Partial` | the fast path has read the head of a request and not all of its body |
/// | `Partial` | `Received` | the body is complete |
/// | `Partial` | `Idle` | the body is unusual or large, so hyper must read the request |
/// | `Idle` | `BetweenRequests` | hyper asks for a request, and no byte of it has arrived, or the fast path must read it |
/// | `Idle` | `ClientLeft` | hyper asks for a request, and the client has closed its sending side |
/// | `Idle` | `Refused` | hyper asks for a request, and the guard has rejected the next data |
/// | `BetweenRequests`, `ClientLeft` | `Idle` | hyper gives up its state, or is polled again |
/// | `ReceivingBody` | `Received` | the body is complete or too large |
/// | `Received` | `Waiting` | the engine passes the request to the handler |
/// | `Received` | `Responded` | the engine has too many requests in progress |
/// | `Waiting` | `Refused` | the handler reads the body in chunks, and the guard has rejected the next one |
/// | `Waiting` | `FastResponse` | the handler has responded, and the response qualifies for the fast path |
/// | `Waiting` | `Responded` | the handler has responded otherwise |
/// | `FastResponse` | `Idle` | the fast path has encoded the response |
/// | `Responded` | `Streaming` | hyper takes a response whose body is written in chunks |
/// | `Responded` | `Idle` | hyper takes any other response |
/// | `Streaming` | `Idle` | hyper has read the whole body |
/// | `Responded`, `Streaming` | `GivenUp` | the handler aborts the stream |
/// | `Waiting` | `WebSocket` | the handler has accepted a WebSocket |
/// | `WebSocket` | `Lingering` | both sides have sent a close frame, or the client has violated the protocol |
/// | `Idle` | `Http2` | client and server have agreed on HTTP/2 in the TLS handshake |
/// | `Http2` | `Lingering` | the connection of HTTP/2 has ended |
/// | any | `Lingering` | hyper has closed the connection, the client has ended in the middle of a body, or a request has not arrived in time |
///
/// If hyper has not read the request of a response (`Responded`), the response did not qualify for the fast
/// path. hyper then reads the request again ([`crate::link::Link::replay_to_hyper`]), which does not change
/// the state.
///
/// The state does not tell if hyper or the fast path serves the connection, because each of them can wait for
/// a request or for its response. [`crate::connection::Connection`] contains hyper's own state, which refers
/// to the link with this state.
pub(crate) enum ConnectionState {
    /// No byte of a request has arrived, or only a part of its head.
    Idle,
    /// hyper waits for a request, and no byte of a request has arrived. Another connection can use hyper's
    /// state.
    BetweenRequests,
    /// There is no request, and the client has closed its sending side.
    ClientLeft,
    /// The data after the last request was rejected. hyper is told that the stream has ended. The connection
    /// stays in this state.
    Refused,
    /// hyper is receiving the body.
    ReceivingBody,
    /// The fast path is receiving the body.
    Partial(Box<PartialRequest>),
    /// The request is complete, or its handler reads its body in chunks. The engine has not passed it to the handler.
    Received(Request),
    /// The handler has the request.
    Waiting {
        id: RequestId,
        /// True if the handler was notified that the client has disconnected.
        abort_reported: bool,
    },
    /// The handler has responded, and the fast path must write the response.
    FastResponse(Response),
    /// The handler has responded, and hyper must write the response.
    Responded(http::Response<Body>),
    /// hyper is writing the response to this request, whose body is sent in chunks.
    Streaming(RequestId),
    /// The handler has aborted a response that is sent in chunks, which hyper may not have taken yet. Bytes
    /// that the socket accepts at once are still written, because many clients repeat a request if they get
    /// no byte of a response. After these bytes, the connection is closed.
    GivenUp(Option<http::Response<Body>>),
    /// The connection is a WebSocket, and hyper no longer serves it.
    WebSocket(Box<WebSocket>),
    /// The connection speaks HTTP/2, and each of its requests has a state of its own.
    Http2,
    /// The connection reads no further request. The engine writes a rejection, and discards the bytes that
    /// the client still sends.
    Lingering(Box<Linger>),
}

impl ConnectionState {
    /// Returns true if no byte of a request has arrived, or only a part of its head.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(
            self,
            Self::Idle | Self::BetweenRequests | Self::ClientLeft | Self::Refused
        )
    }

    /// Returns what a connection in this state waits for. The parameters are true if the send buffer of the
    /// socket is full, and if a part of a head has arrived.
    pub(crate) fn wait_kind(
        &self,
        is_write_blocked: impl Fn() -> bool,
        is_in_head: impl Fn() -> bool,
    ) -> WaitKind {
        match self {
            Self::Lingering(_) => WaitKind::Linger,
            Self::Http2 => WaitKind::Http2,
            Self::WebSocket(web_socket) => wait_of(web_socket, is_write_blocked()),
            // The socket may still have to accept responses to earlier requests.
            Self::Idle
            | Self::BetweenRequests
            | Self::ClientLeft
            | Self::Refused
            | Self::Partial(_)
            | Self::Responded(_)
            | Self::Streaming(_)
                if is_write_blocked() =>
            {
                WaitKind::Write
            }
            Self::ReceivingBody | Self::Partial(_) => WaitKind::Body,
            Self::Idle | Self::BetweenRequests | Self::ClientLeft | Self::Refused => {
                if is_in_head() {
                    WaitKind::Head
                } else {
                    WaitKind::Idle
                }
            }
            // Unlimited: the server waits for the handler, not for the client.
            Self::Received(_)
            | Self::Waiting { .. }
            | Self::FastResponse(_)
            | Self::Responded(_)
            | Self::Streaming(_)
            | Self::GivenUp(_) => WaitKind::Unlimited,
        }
    }
}

fn wait_of(web_socket: &WebSocket, is_write_blocked: bool) -> WaitKind {
    if is_write_blocked && !web_socket.session.output().is_empty() {
        WaitKind::Write
    } else if web_socket.session.is_closing() {
        WaitKind::Close
    } else if web_socket.holds_back() {
        // The engine does not read pongs either. The operating system checks if the client is still there.
        WaitKind::Unlimited
    } else if web_socket.is_ping_sent() {
        WaitKind::Pong
    } else {
        WaitKind::Ping
    }
}

/// Kind of wait of a connection, which determines its deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitKind {
    Unlimited,
    Idle,
    Head,
    Body,
    /// The handler waits for the next chunk of the body.
    Upload,
    Write,
    Linger,
    /// The connection speaks HTTP/2, which has deadlines of its own.
    Http2,
    /// A WebSocket waits for bytes, after which it sends a ping.
    Ping,
    /// A WebSocket waits for bytes after a ping.
    Pong,
    /// A WebSocket waits for the close frame of the client.
    Close,
}

/// Result of polling a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The connection waits for its socket or for a response of the handler.
    Waiting,
    /// The connection may have more to do, so it must be polled again.
    Again,
    /// The connection has ended after its last response, or in the middle of a request.
    Ended,
    /// The client did not send its request in time.
    TimedOut,
    /// The connection can be dropped.
    Done,
}

#[cfg(test)]
mod tests {
    use kit_guard::Guard;

    use super::{ConnectionState, WaitKind};
    use crate::linger::Linger;
    use crate::partial_request::{PartialRequest, Progress};
    use crate::request::RequestId;

    #[test]
    fn connection_has_a_deadline_only_while_the_client_must_send_or_read() {
        let id = RequestId { slot: 0, serial: 0 };
        let waiting = ConnectionState::Waiting {
            id,
            abort_reported: false,
        };
        let lingering = ConnectionState::Lingering(Box::new(Linger::new(Vec::new(), 0)));
        let head = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n";
        let partial = || {
            let layout = Guard::new(kit_guard::Limits::default()).simple_head(head, 5);
            ConnectionState::Partial(Box::new(PartialRequest {
                bytes: head.to_vec(),
                progress: Progress::new(layout.expect("a request"), 5),
            }))
        };
        let blocked = (true, false);
        let in_head = (false, true);
        for (state, (is_write_blocked, is_in_head), expected) in [
            (ConnectionState::Idle, (false, false), WaitKind::Idle),
            (ConnectionState::Idle, in_head, WaitKind::Head),
            (ConnectionState::Idle, blocked, WaitKind::Write),
            (ConnectionState::Refused, in_head, WaitKind::Head),
            (ConnectionState::ReceivingBody, blocked, WaitKind::Body),
            (partial(), (false, false), WaitKind::Body),
            // The engine reads the rest of the body after the client has read the responses to earlier requests.
            (partial(), blocked, WaitKind::Write),
            (waiting, blocked, WaitKind::Unlimited),
            (
                ConnectionState::Streaming(id),
                (false, false),
                WaitKind::Unlimited,
            ),
            (ConnectionState::Streaming(id), blocked, WaitKind::Write),
            (lingering, blocked, WaitKind::Linger),
        ] {
            assert_eq!(state.wait_kind(|| is_write_blocked, || is_in_head), expected);
        }
    }
}
