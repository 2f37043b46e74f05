//! A request of HTTP/2 and its response. A connection has several at the same time.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, SendStream};
use http::StatusCode;
use http_body::Body as _;
use kit_http2::Meter;

use super::body::RecvBody;
use crate::body::{Answering, Body};
use crate::collecting::Collecting;
use crate::config::Timeouts;
use crate::request::{Request, RequestId};
use crate::upload::{Read, Upload};

/// A request and its response.
pub(crate) struct Exchange {
    /// Method of the request is HEAD.
    pub(crate) is_head: bool,
    state: RefCell<State>,
    /// True before the first call of [`Exchange::advance`].
    is_new: Cell<bool>,
    send: RefCell<SendResponse<Bytes>>,
    /// Body of the request, if the handler reads it in chunks.
    pub(crate) upload: RefCell<Option<Box<Upload>>>,
    /// True if the response asks the client to use another connection.
    pub(crate) closes: Cell<bool>,
    /// Meter of the connection, if the client waits for the status 100 before it sends the body (RFC 9110, 10.1.1).
    expecting: Cell<Option<Rc<RefCell<Meter>>>>,
}

/// State of a request. The order of the states is the order in which a request has them.
pub(crate) enum State {
    /// The body is arriving.
    Receiving(Box<Receiving>),
    /// The request is complete, or its handler reads its body in chunks. The engine has not passed it to the handler.
    Received(Rc<Request>),
    /// The handler has the request.
    Waiting(RequestId),
    /// There is a response, and h2 must send its head.
    Responded(http::Response<Body>),
    Sending(Box<Sending>),
    /// The handler has aborted the response, whose head h2 may not have.
    GivenUp(Option<http::Response<Body>>),
    /// The handler has aborted the response. h2 has its head, and sends it before the engine resets the stream, so that the client does
    /// not repeat the request.
    Cutting,
    /// The response is complete, or the client does not want it.
    Ended,
}

/// A request whose body is arriving.
pub(crate) struct Receiving {
    pub(crate) body: Collecting<RecvBody>,
    /// Address of the client; `None` for a Unix socket.
    pub(crate) remote: Option<SocketAddr>,
    /// Time at which the head was complete.
    pub(crate) begun: Instant,
}

/// A response whose head was passed to h2.
pub(crate) struct Sending {
    stream: SendStream<Bytes>,
    body: Body,
    /// Bytes that were read from the body and that the window of the client does not accept yet.
    rest: Bytes,
}

/// Result of [`Exchange::advance`].
pub(crate) enum Step {
    /// The client, the handler or the socket must do something.
    Waiting,
    /// The handler must get this request.
    Request(Rc<Request>),
    /// The response is passed to h2 completely, or was aborted.
    Complete,
    /// The client has ended the stream.
    Left,
}

impl Exchange {
    /// `expecting` is the meter of the connection if the client waits for the status 100 before it sends the body.
    pub(crate) fn new(
        send: SendResponse<Bytes>,
        is_head: bool,
        expecting: Option<Rc<RefCell<Meter>>>,
        state: State,
    ) -> Self {
        Self {
            expecting: Cell::new(expecting),
            is_head,
            state: RefCell::new(state),
            is_new: Cell::new(true),
            send: RefCell::new(send),
            upload: RefCell::new(None),
            closes: Cell::new(false),
        }
    }

    /// Returns the id of the request that the handler is working on.
    pub(crate) fn request(&self) -> Option<RequestId> {
        match *self.state.borrow() {
            State::Waiting(id) => Some(id),
            _ => None,
        }
    }

    /// Returns the id of the request whose response is sent in chunks and not complete.
    pub(crate) fn stream(&self) -> Option<RequestId> {
        match &*self.state.borrow() {
            State::Responded(response) => response.body().stream(),
            State::Sending(sending) => sending.body.stream(),
            _ => None,
        }
    }

    /// Records that the handler has the request.
    pub(crate) fn wait(&self, id: RequestId) {
        *self.state.borrow_mut() = State::Waiting(id);
    }

    /// Sends a response.
    pub(crate) fn respond(&self, response: http::Response<Body>) {
        // The response tells the client as well that it may go on. h2 does not refuse a status 100 after a response.
        self.expecting.set(None);
        *self.state.borrow_mut() = State::Responded(response);
    }

    /// Aborts a response. The client notices that the body is incomplete.
    pub(crate) fn give_up(&self) {
        let mut state = self.state.borrow_mut();
        let head = match std::mem::replace(&mut *state, State::Ended) {
            State::Responded(response) => Some(response),
            _ => None,
        };
        *state = State::GivenUp(head);
    }

    /// Returns true if the handler has responded, and h2 does not know this yet.
    pub(crate) fn can_advance(&self) -> bool {
        matches!(*self.state.borrow(), State::Responded(_) | State::GivenUp(_))
    }

    /// Returns true if there may be something to pass to h2, or the handler waits for a chunk of the body. All other exchanges wait for
    /// their client, their handler or the socket.
    pub(crate) fn is_active(&self) -> bool {
        let may_send = !matches!(
            *self.state.borrow(),
            State::Receiving(_) | State::Waiting(_) | State::GivenUp(None) | State::Cutting
        );
        may_send || self.is_body_wanted()
    }

    /// Returns true if the exchange must continue after h2 was polled, although h2 has not woken the engine: the exchange is new, or
    /// its stream must be reset. A reset waits until h2 had a chance to send the head of the response.
    pub(crate) fn is_due(&self) -> bool {
        self.is_new.get() || matches!(*self.state.borrow(), State::GivenUp(None) | State::Cutting)
    }

    /// Returns true if all bytes of the response were passed to h2.
    pub(crate) fn is_flushed(&self) -> bool {
        match &*self.state.borrow() {
            State::Sending(sending) => sending.rest.is_empty(),
            State::Responded(_) => false,
            _ => true,
        }
    }

    /// Returns true if the handler waits for the next chunk of the body.
    pub(crate) fn is_body_wanted(&self) -> bool {
        self.upload
            .borrow()
            .as_ref()
            .is_some_and(|upload| upload.is_wanted())
    }

    /// Reads the next chunk of a body that the handler waits for. Returns `None` if the chunk has not arrived.
    pub(crate) fn poll_upload(&self, context: &mut Context<'_>, now: Instant) -> Option<Read> {
        let mut upload = self.upload.borrow_mut();
        let upload = upload.as_mut().filter(|upload| upload.is_wanted())?;
        match upload.poll(context) {
            Poll::Ready(read) => {
                upload.pause(now);
                Some(read)
            }
            Poll::Pending => {
                self.send_continue();
                None
            }
        }
    }

    /// Sends the status 100, once, to a client that waits for it.
    fn send_continue(&self) {
        if let Some(meter) = self.expecting.take() {
            let mut head = http::Response::new(());
            *head.status_mut() = StatusCode::CONTINUE;
            let mut send = self.send.borrow_mut();
            meter.borrow_mut().announce_interim(send.stream_id().into());
            // Fails only if the client has left.
            let _: Result<(), h2::Error> = send.send_informational(head);
        }
    }

    /// Returns the time at which the client has sent its body too slowly. Returns `None` if the server does not wait for the body.
    pub(crate) fn deadline(&self, now: Instant, timeouts: &Timeouts) -> Option<Instant> {
        if let State::Receiving(receiving) = &*self.state.borrow() {
            return receiving.begun.checked_add(timeouts.body);
        }
        let mut upload = self.upload.borrow_mut();
        upload
            .as_mut()
            .filter(|upload| upload.is_wanted())?
            .deadline(now, timeouts)
    }

    /// Continues as far as possible without waiting.
    pub(crate) fn advance(&self, context: &mut Context<'_>) -> Step {
        self.is_new.set(false);
        let mut state = self.state.borrow_mut();
        loop {
            *state = match std::mem::replace(&mut *state, State::Ended) {
                State::Receiving(mut receiving) => match receiving.body.poll(context) {
                    Poll::Pending => {
                        self.send_continue();
                        *state = State::Receiving(receiving);
                        return Step::Waiting;
                    }
                    Poll::Ready(Err(_)) => return Step::Left,
                    Poll::Ready(Ok(is_complete)) => {
                        let (parts, body, body_state) = receiving.body.finish(is_complete);
                        State::Received(Rc::new(Request::new(parts, body, body_state, receiving.remote)))
                    }
                },
                State::Received(request) => return Step::Request(request),
                State::Waiting(id) => {
                    let is_reset = self.send.borrow_mut().poll_reset(context).is_ready();
                    *state = State::Waiting(id);
                    return if is_reset { Step::Left } else { Step::Waiting };
                }
                State::Responded(response) => match self.begin(response) {
                    Ok(Some(mut sending)) => match sending.pass(context) {
                        Poll::Ready(Ok(())) => return Step::Complete,
                        Poll::Ready(Err(Gone)) => return Step::Left,
                        Poll::Pending => State::Sending(Box::new(sending)),
                    },
                    Ok(None) => return Step::Complete,
                    Err(_) => return Step::Left,
                },
                State::Sending(mut sending) => match sending.poll(context) {
                    Poll::Ready(Ok(())) => return Step::Complete,
                    Poll::Ready(Err(Gone)) => return Step::Left,
                    Poll::Pending => {
                        *state = State::Sending(sending);
                        return Step::Waiting;
                    }
                },
                State::GivenUp(Some(response)) => match self.begin(response) {
                    Ok(_) => {
                        *state = State::Cutting;
                        return Step::Waiting;
                    }
                    Err(_) => return Step::Left,
                },
                State::GivenUp(None) | State::Cutting => {
                    self.send.borrow_mut().send_reset(Reason::INTERNAL_ERROR);
                    return Step::Complete;
                }
                State::Ended => return Step::Complete,
            };
        }
    }

    /// Passes the head of a response to h2. Returns `None` if the response has no body.
    fn begin(&self, response: http::Response<Body>) -> Result<Option<Sending>, h2::Error> {
        let (head, body) = response.into_parts();
        let is_end = matches!(body, Body::Absent(_)) || body.is_end_stream();
        let head = http::Response::from_parts(head, ());
        let stream = self.send.borrow_mut().send_response(head, is_end)?;
        Ok((!is_end).then(|| Sending {
            stream,
            body,
            rest: Bytes::new(),
        }))
    }
}

impl Answering for Exchange {
    fn finish_answer(&self, _: &Context<'_>) {
        // The state of the exchange changes with the last byte.
    }
}

/// The client has ended the stream.
struct Gone;

impl From<h2::Error> for Gone {
    fn from(_: h2::Error) -> Self {
        Self
    }
}

impl Sending {
    /// Passes as many bytes to h2 as the windows of the client accept. Ready at the end of the body.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Gone>> {
        if self.stream.poll_reset(context).is_ready() {
            return Poll::Ready(Err(Gone));
        }
        self.pass(context)
    }

    /// As [`Self::poll`], but does not look if the client has ended the stream.
    fn pass(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Gone>> {
        loop {
            if self.rest.is_empty() {
                match Pin::new(&mut self.body).poll_frame(context) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(None) => {
                        self.stream.send_data(Bytes::new(), true)?;
                        return Poll::Ready(Ok(()));
                    }
                    Poll::Ready(Some(frame)) => {
                        let Ok(frame) = frame;
                        self.rest = frame.into_data().unwrap_or_default();
                    }
                }
                continue;
            }
            self.stream.reserve_capacity(self.rest.len());
            if self.stream.capacity() == 0 {
                match std::task::ready!(self.stream.poll_capacity(context)) {
                    Some(Ok(_)) => continue,
                    _ => return Poll::Ready(Err(Gone)),
                }
            }
            let count = self.stream.capacity().min(self.rest.len());
            let part = self.rest.split_to(count);
            let is_end = self.rest.is_empty() && self.body.is_end_stream();
            self.stream.send_data(part, is_end)?;
            if is_end {
                return Poll::Ready(Ok(()));
            }
        }
    }
}
