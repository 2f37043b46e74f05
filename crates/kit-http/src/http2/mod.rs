//! Connections of HTTP/2 (RFC 9113). Clients choose this protocol in the TLS handshake.
//!
//! h2 checks frames, header compression and flow control. h2 needs no runtime: the engine polls an [`Http2`] whenever its socket is
//! ready or a handler has responded. [`kit_http2::Meter`] bounds what h2 does not bound.
//!
//! ```text
//! socket ── TLS ── meter ──▶ h2 ──▶ Exchange (one for each request) ──▶ Handler::request
//!                             ▲         │
//!                             └─────────┘ Engine::respond, respond_stream, write, end
//! ```

mod body;
mod exchange;
mod io;
mod response;

use std::cell::RefCell;
use std::future::Future as _;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use h2::RecvStream;
use h2::server::{Builder, Connection, Handshake, SendResponse};
use kit_http2::{
    CONNECTION_WINDOW, End, HEADER_LIST_BYTES, MAX_STREAMS, Meter, PENDING_RESETS, SEND_BUFFER, STREAM_WINDOW,
};

pub(crate) use body::RecvBody;
pub(crate) use exchange::{Exchange, Receiving, State, Step};
pub(crate) use response::to_http2;

use crate::config::{Limits, Timeouts};
use crate::link::Link;
use crate::reader::Reader;
use crate::wake::WakeFlag;
use io::{MeteredIo, Round};

/// Reason for the log if h2 has ended a connection.
const TOO_MUCH: &str = "the client sent too many resets, frames of one header section, or small frames";

/// State of a connection of HTTP/2.
pub(crate) struct Http2 {
    stage: Stage,
    pub(crate) exchanges: Vec<Rc<Exchange>>,
    pub(crate) meter: Rc<RefCell<Meter>>,
    pub(crate) woken: WakeFlag,
    round: Rc<Round>,
    /// Number of requests that h2 has returned.
    accepted: u64,
    is_leaving: bool,
    /// True if h2 has ended the connection with an error.
    is_failed: bool,
    /// True if h2 has ended the connection because its client has exceeded a limit.
    is_limited: bool,
    reader: Reader,
    /// Time at which the connection must be polled again.
    pub(crate) deadline: Option<Instant>,
}

enum Stage {
    /// The client has not sent the beginning of a connection completely.
    Handshake(Box<Handshake<MeteredIo, Bytes>>),
    Open(Box<Connection<MeteredIo, Bytes>>),
    Ended,
}

/// Result of [`Http2::accept`].
#[allow(clippy::large_enum_variant)] // moved once, so that a box would cost more
pub(crate) enum Accepted {
    Request(http::Request<RecvStream>, SendResponse<Bytes>),
    /// The client must send something, or read.
    Waiting,
    /// The connection has ended.
    Ended,
}

impl Http2 {
    pub(crate) fn new(link: &Rc<Link>, limits: &Limits, timeouts: &Timeouts, now: Instant) -> Self {
        let times = kit_http2::Timeouts {
            head: timeouts.head,
            idle: timeouts.idle,
            write: timeouts.write,
        };
        let meter = Rc::new(RefCell::new(Meter::new(times, now)));
        let round = Rc::new(Round::new(now));
        // Heads between the two sizes get an error response with a body.
        let head_bytes = u32::try_from(limits.head_bytes).unwrap_or(u32::MAX / 2);
        let handshake = Builder::new()
            .max_concurrent_streams(MAX_STREAMS)
            .initial_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_header_list_size(HEADER_LIST_BYTES.max(2 * head_bytes))
            .max_send_buffer_size(SEND_BUFFER)
            .max_pending_accept_reset_streams(PENDING_RESETS)
            .handshake(MeteredIo::new(
                Rc::clone(link),
                Rc::clone(&meter),
                Rc::clone(&round),
            ));
        Self {
            stage: Stage::Handshake(Box::new(handshake)),
            exchanges: Vec::new(),
            meter,
            woken: WakeFlag::default(),
            round,
            accepted: 0,
            is_leaving: false,
            is_failed: false,
            is_limited: false,
            reader: Reader::default(),
            deadline: None,
        }
    }

    /// Begins a round of polling, in which h2 reads a bounded number of bytes. `now` is the time of all that happens until the next
    /// call.
    pub(crate) fn begin_round(&self, now: Instant) {
        self.round.begin(now);
    }

    /// Reads and writes as much as possible without waiting and in this round, and returns the next request.
    pub(crate) fn accept(&mut self) -> Accepted {
        let mut context: Context<'_> = self.woken.context();
        if let Stage::Handshake(handshake) = &mut self.stage {
            match Pin::new(&mut **handshake).poll(&mut context) {
                Poll::Pending => return Accepted::Waiting,
                Poll::Ready(Err(_)) => {
                    self.is_failed = true;
                    self.stage = Stage::Ended;
                }
                Poll::Ready(Ok(mut connection)) => {
                    if self.is_leaving {
                        connection.graceful_shutdown();
                    }
                    self.stage = Stage::Open(Box::new(connection));
                }
            }
        }
        let Stage::Open(connection) = &mut self.stage else {
            return Accepted::Ended;
        };
        match connection.poll_accept(&mut context) {
            Poll::Pending => Accepted::Waiting,
            Poll::Ready(Some(Ok((request, send)))) => {
                self.accepted += 1;
                Accepted::Request(request, send)
            }
            Poll::Ready(ended) => {
                if let Some(Err(error)) = ended {
                    self.is_failed = true;
                    self.is_limited = is_limited(&error);
                }
                self.stage = Stage::Ended;
                Accepted::Ended
            }
        }
    }

    /// Returns true if h2 may have another request. h2 reads and writes whenever it is asked for a request, so each question costs
    /// time. The answer may be true although h2 has refused the request, but it is never false although h2 has one.
    pub(crate) fn may_have_request(&self) -> bool {
        self.meter.borrow().begun() > self.accepted
    }

    /// Tells the client to use another connection for further requests (`GOAWAY`). Requests in progress are completed.
    pub(crate) fn leave(&mut self) {
        if !std::mem::replace(&mut self.is_leaving, true)
            && let Stage::Open(connection) = &mut self.stage
        {
            connection.graceful_shutdown();
        }
    }

    /// Records that the server closes, so that the connection ends soon after its last request even if the client does not react.
    pub(crate) fn begin_closing(&mut self, now: Instant) {
        self.meter.borrow_mut().begin_closing(now);
        self.leave();
    }

    /// Returns the reason why the meter ends the connection.
    pub(crate) fn end(&self) -> Option<End> {
        self.meter.borrow().end()
    }

    /// Returns the reason for the log if the connection has ended because its client has exceeded a limit.
    pub(crate) fn limit(&self) -> Option<&'static str> {
        let limit = self.end().and_then(End::message);
        limit.or_else(|| self.is_limited.then_some(TOO_MUCH))
    }

    /// Returns the last frame for a connection that the meter ends. Empty if h2 has written a part of a frame.
    pub(crate) fn last_frame(&self, end: End) -> Vec<u8> {
        let meter = self.meter.borrow();
        if meter.may_write_frame() {
            end.goaway(meter.last_stream())
        } else {
            Vec::new()
        }
    }

    /// Returns true if the client probably sends nothing more, because no request is in progress and the client has made no error.
    pub(crate) fn is_quiet(&self) -> bool {
        !self.is_failed && self.meter.borrow().is_idle()
    }

    /// Looks for timeouts of the connection that have passed, and calculates the time of the next look. Returns true if the client has
    /// read nothing for too long, or too little.
    pub(crate) fn check_times(&mut self, link: &Link, timeouts: &Timeouts, now: Instant) -> bool {
        let mut next = Some(self.meter.borrow_mut().check(now));
        let mut earlier = |time: Option<Instant>| next = next.into_iter().chain(time).min();
        for exchange in &self.exchanges {
            earlier(exchange.deadline(now, timeouts));
        }
        let mut socket = link.socket.borrow_mut();
        let mut is_late = false;
        let written = socket.written();
        if socket.is_write_blocked() {
            let deadline = self.reader.wait(written, now, timeouts.write);
            if deadline.is_some_and(|deadline| deadline <= now) {
                // The client may have read, although the operating system has not reported this yet. The next poll writes.
                is_late = true;
                socket.assume_writable();
            }
            earlier(deadline);
        } else if self.exchanges.is_empty() {
            // The client has read everything. While bytes wait, an exchange may have ended although its client has read nothing.
            self.reader = Reader::default();
        } else {
            self.reader.pause(written, now);
        }
        self.deadline = next;
        is_late
    }
}

/// Returns true if h2 has ended the connection with `ENHANCE_YOUR_CALM`.
fn is_limited(error: &h2::Error) -> bool {
    error.is_go_away() && error.is_library() && error.reason() == Some(h2::Reason::ENHANCE_YOUR_CALM)
}
