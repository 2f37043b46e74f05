//! Connections that speak HTTP/2.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use bytes::Bytes;
use h2::RecvStream;
use h2::server::SendResponse;
use http::header::{CONTENT_LENGTH, EXPECT};
use http::{HeaderMap, Method};
use kit_guard::Rejection;
use kit_http2::{MAX_STREAMS, Meter};

use super::{Engine, Handler, POLL_ROUNDS};
use crate::body::Body;
use crate::collecting::Collecting;
use crate::connection::Connection;
use crate::error_bodies::trace_id;
use crate::http2::{Accepted, Exchange, Http2, Receiving, RecvBody, State, Step, to_http2};
use crate::link::Link;
use crate::rejection::Refusal;
use crate::request::{BodyState, Request, RequestId};
use crate::response::Response;
use crate::state::Outcome;
use crate::upload::{Upload, UploadBody, UploadFailure};

impl Engine {
    /// Polls a connection of HTTP/2 from the engine's queue.
    pub(super) fn drive_http2(&self, slot: usize, connection: &Rc<Connection>, handler: &mut dyn Handler) {
        if self.is_leaving(connection)
            && let Some(http2) = &mut *connection.http2.borrow_mut()
        {
            http2.begin_closing(self.now.get());
        }
        let outcome = self.poll_http2(slot, connection, handler);
        self.settle(slot, connection, outcome, handler);
    }

    /// Reads and writes as much as possible without waiting.
    pub(super) fn poll_http2(
        &self,
        slot: usize,
        connection: &Rc<Connection>,
        handler: &mut dyn Handler,
    ) -> Outcome {
        let link = &connection.link;
        let mut outcome = Outcome::Again;
        for round in 1..=POLL_ROUNDS {
            let mut http2 = connection.http2.borrow_mut();
            let Some(http2) = &mut *http2 else {
                return Outcome::Done;
            };
            let (now, timeouts) = (self.now.get(), &self.config.timeouts);
            http2.begin_round(now);
            outcome = self.poll_once(slot, connection, http2, handler);
            if link.socket.borrow_mut().flush().is_err() {
                return Outcome::Done;
            }
            match outcome {
                // The last round looks at the times of a connection whose client sends without a pause.
                Outcome::Again if round < POLL_ROUNDS => continue,
                Outcome::Ended => break,
                _ => {}
            }
            self.end_late_bodies(link, http2, now, handler);
            let is_late = http2.check_times(link, timeouts, now);
            // If the client has read nothing for too long, it must read now, even if it still sends.
            if http2.end().is_some() || (http2.woken.is_set() && !is_late) {
                outcome = Outcome::Again;
                continue;
            }
            if !is_late {
                break;
            }
            let written = link.socket.borrow().written();
            outcome = self.poll_once(slot, connection, http2, handler);
            if link.socket.borrow_mut().flush().is_err() {
                return Outcome::Done;
            }
            if link.socket.borrow().written() == written {
                return Outcome::Done;
            }
        }
        let is_ended = connection
            .http2
            .borrow()
            .as_ref()
            .is_some_and(|http2| http2.end().is_some());
        if is_ended || outcome == Outcome::Ended {
            return self.end_http2(connection, handler);
        }
        outcome
    }

    /// Passes responses to h2, accepts the requests that have arrived, and continues all requests for which something has arrived.
    /// Returns `Again` if h2 must be polled again.
    fn poll_once(
        &self,
        slot: usize,
        connection: &Rc<Connection>,
        http2: &mut Http2,
        handler: &mut dyn Handler,
    ) -> Outcome {
        // Responses come first, because h2 writes them when it is asked for the next request.
        self.poll_exchanges(slot, connection, http2, handler, Exchange::is_active);
        http2.woken.clear();
        let mut outcome = Outcome::Waiting;
        for accepted in 0..=MAX_STREAMS {
            match http2.accept() {
                Accepted::Request(request, send) => {
                    let exchange = self.admit(&connection.link, &http2.meter, request, send, handler);
                    http2.exchanges.push(Rc::new(exchange));
                    if !http2.may_have_request() {
                        break;
                    }
                }
                Accepted::Waiting => break,
                Accepted::Ended => return Outcome::Ended,
            }
            if accepted == MAX_STREAMS {
                outcome = Outcome::Again;
            }
        }
        // h2 wakes the engine if something has arrived for an exchange that it has polled before.
        let is_woken = http2.woken.is_set();
        self.poll_exchanges(slot, connection, http2, handler, |exchange| {
            is_woken || exchange.is_due()
        });
        if http2.woken.is_set() {
            outcome = Outcome::Again;
        }
        outcome
    }

    /// Continues the exchanges that `is_chosen` chooses, and removes those that have ended.
    fn poll_exchanges(
        &self,
        slot: usize,
        connection: &Rc<Connection>,
        http2: &mut Http2,
        handler: &mut dyn Handler,
        is_chosen: impl Fn(&Exchange) -> bool,
    ) {
        let mut index = 0;
        while let Some(exchange) = http2.exchanges.get(index) {
            if !is_chosen(exchange) {
                index += 1;
                continue;
            }
            let exchange = Rc::clone(exchange);
            if self.poll_exchange(slot, connection, http2, &exchange, handler) {
                http2.exchanges.swap_remove(index);
            } else {
                index += 1;
            }
        }
    }

    /// Applies the rules of HTTP/1.1 to a request, and decides how its body is read.
    fn admit(
        &self,
        link: &Link,
        meter: &Rc<RefCell<Meter>>,
        request: http::Request<RecvStream>,
        send: SendResponse<Bytes>,
        handler: &mut dyn Handler,
    ) -> Exchange {
        let (mut parts, body) = request.into_parts();
        let is_head = parts.method == Method::HEAD;
        let remote = link.socket.borrow().peer();
        // `convert` refuses all other expectations.
        let expecting = parts.headers.contains_key(EXPECT).then(|| Rc::clone(meter));
        let begin = |state: State| Exchange::new(send, is_head, expecting, state);
        if let Err(rejection) = kit_http2::convert(&mut parts, &self.config.limits.of_heads()) {
            let response = refuse(link, rejection, is_head, handler);
            return begin(State::Responded(response));
        }
        if body.is_end_stream() {
            let request = Request::new(parts, Bytes::new(), BodyState::Whole, remote);
            return begin(State::Received(Rc::new(request)));
        }
        let rules = link.body_rules.of(parts.method.as_str(), parts.uri.path());
        let length = parts.headers.get(CONTENT_LENGTH);
        let length: Option<u64> = length.and_then(|length| length.to_str().ok()?.parse().ok());
        if length.is_some_and(|length| length > rules.limit as u64) {
            let request = Request::new(parts, Bytes::new(), BodyState::TooLarge, remote);
            return begin(State::Received(Rc::new(request)));
        }
        let body = RecvBody::new(body, length);
        if rules.is_streamed {
            let state = BodyState::Streamed { length };
            let request = Request::new(parts, Bytes::new(), state, remote);
            let exchange = begin(State::Received(Rc::new(request)));
            let upload = Upload::new(UploadBody::Http2(body), rules.limit, rules.rate);
            *exchange.upload.borrow_mut() = Some(Box::new(upload));
            return exchange;
        }
        begin(State::Receiving(Box::new(Receiving {
            body: Collecting::new(parts, body, rules.limit),
            remote,
            begun: self.now.get(),
        })))
    }

    /// Continues a request. Returns true if the request has ended.
    fn poll_exchange(
        &self,
        slot: usize,
        connection: &Rc<Connection>,
        http2: &mut Http2,
        exchange: &Rc<Exchange>,
        handler: &mut dyn Handler,
    ) -> bool {
        loop {
            let stream = exchange.stream();
            let step = exchange.advance(&mut http2.woken.context());
            if let Some(id) = stream {
                self.finish_stream(id, handler);
            }
            match step {
                Step::Request(request) => self.start_exchange(slot, connection, exchange, &request, handler),
                Step::Waiting => {
                    self.read_upload_of(exchange, &mut http2.woken.context(), handler);
                    if exchange.can_advance() {
                        continue;
                    }
                    if let Some(id) = exchange.stream() {
                        let is_blocked = connection.link.socket.borrow().is_write_blocked();
                        self.update_exchange(id, exchange.is_flushed() && !is_blocked, handler);
                    }
                    return false;
                }
                Step::Complete => {
                    if exchange.closes.get() {
                        http2.leave();
                    }
                    self.drop_upload_of(exchange);
                    return true;
                }
                Step::Left => {
                    self.forget_exchange(exchange, stream, UploadFailure::Aborted, handler);
                    return true;
                }
            }
        }
    }

    fn start_exchange(
        &self,
        slot: usize,
        connection: &Connection,
        exchange: &Rc<Exchange>,
        request: &Rc<Request>,
        handler: &mut dyn Handler,
    ) {
        let link = &connection.link;
        let id = self
            .requests
            .borrow_mut()
            .insert(slot, link, Some(exchange), Rc::clone(request));
        let Some(id) = id else {
            let response = Response::overloaded(&link.error_bodies);
            return self.answer_exchange(link, exchange, response, HeaderMap::new(), None);
        };
        exchange.wait(id);
        if request.is_streamed() {
            self.begin_upload_of(id, slot, exchange);
        }
        handler.request(id, request);
    }

    /// Passes a response to a request of HTTP/2. `headers` is an empty map for its headers. If `body` is given, it replaces the body of
    /// the response.
    pub(super) fn answer_exchange(
        &self,
        link: &Link,
        exchange: &Exchange,
        response: Response,
        headers: HeaderMap,
        body: Option<Body>,
    ) {
        if body.as_ref().and_then(Body::stream).is_none() {
            // h2 tells the client that the rest of the body is not needed.
            self.drop_upload_of(exchange);
        }
        // The connection of HTTP/1.1 would close.
        exchange.closes.set(response.closes());
        exchange.respond(to_http2(
            response,
            body,
            exchange.is_head,
            headers,
            &link.defaults,
        ));
    }

    /// Responds with 408 to requests whose bodies arrive too slowly.
    fn end_late_bodies(&self, link: &Link, http2: &Http2, now: Instant, handler: &mut dyn Handler) {
        for exchange in &http2.exchanges {
            let deadline = exchange.deadline(now, &self.config.timeouts);
            if deadline.is_none_or(|deadline| now < deadline) {
                continue;
            }
            let stream = exchange.stream();
            self.forget_exchange(exchange, stream, UploadFailure::TimedOut, handler);
            if stream.is_some() {
                // A response that has begun cannot become an error.
                exchange.give_up();
            } else {
                exchange.respond(refuse(link, Rejection::TIMEOUT, exchange.is_head, handler));
            }
            http2.woken.set();
        }
    }

    /// Notifies the handler that the client of a request has disconnected. `stream` is the id of the request if its response is sent in
    /// chunks.
    fn forget_exchange(
        &self,
        exchange: &Exchange,
        stream: Option<RequestId>,
        failure: UploadFailure,
        handler: &mut dyn Handler,
    ) {
        self.fail_upload_of(exchange, failure, handler);
        if let Some(id) = exchange.request() {
            handler.aborted(id);
        }
        if let Some(id) = stream {
            self.abort_stream_of(id, handler);
        }
    }

    /// Notifies the handler that all clients of a connection have disconnected, and drops the state of HTTP/2.
    pub(super) fn forget_http2(&self, connection: &Connection, handler: &mut dyn Handler) {
        let Some(http2) = connection.http2.borrow_mut().take() else {
            return;
        };
        for exchange in &http2.exchanges {
            self.forget_exchange(exchange, exchange.stream(), UploadFailure::Aborted, handler);
        }
    }

    /// Ends a connection that h2 has ended, or that exceeds a limit. The client gets the reason.
    fn end_http2(&self, connection: &Connection, handler: &mut dyn Handler) -> Outcome {
        let (peer, is_read_closed) = {
            let socket = connection.link.socket.borrow();
            (socket.peer(), socket.is_read_closed())
        };
        let (reason, last_frame, is_quiet) = match &*connection.http2.borrow() {
            None => (None, Vec::new(), true),
            Some(http2) => {
                let end = http2.end();
                let last_frame = end.map_or_else(Vec::new, |end| http2.last_frame(end));
                (http2.limit(), last_frame, http2.is_quiet())
            }
        };
        if let Some(reason) = reason {
            handler.http2_limited(peer, reason);
        }
        let is_quiet = reason.is_none() && (is_quiet || is_read_closed);
        self.forget_http2(connection, handler);
        let limit = self.config.limits.discarded_bytes;
        if is_quiet {
            connection.end_quietly(last_frame, limit, &self.scratch)
        } else {
            connection.linger(last_frame, limit, &self.scratch)
        }
    }
}

/// Returns the response to a request that is refused, and reports the refusal.
fn refuse(
    link: &Link,
    rejection: Rejection,
    is_head: bool,
    handler: &mut dyn Handler,
) -> http::Response<Body> {
    let refusal = Refusal {
        rejection,
        trace_id: trace_id(),
        remote: link.socket.borrow().peer(),
    };
    handler.refused(&refusal);
    let response = Response::refusal(rejection, refusal.trace_id, &link.error_bodies);
    to_http2(response, None, is_head, HeaderMap::new(), &link.defaults)
}
