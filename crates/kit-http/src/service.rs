//! The service that hyper calls for each request. It collects the body, passes the request to the engine, and
//! waits for the response.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::request::Parts;
use http_body::Body as _;
use hyper::body::Incoming;

use crate::body::{Answering as _, Body};
use crate::collecting::{BodyEndedEarly, Collecting};
use crate::link::{CurrentLink, Link};
use crate::request::{BodyState, Request};
use crate::state::ConnectionState;
use crate::upload::{Upload, UploadBody};

/// The service for the requests of one connection.
pub(crate) struct Service(pub(crate) Rc<CurrentLink>);

impl hyper::service::Service<http::Request<Incoming>> for Service {
    type Response = http::Response<Body>;
    type Error = BodyEndedEarly;
    type Future = ResponseFuture;

    fn call(&self, request: http::Request<Incoming>) -> ResponseFuture {
        let Ok(link) = self.0.link().map(|link| Rc::clone(&link)) else {
            return ResponseFuture {
                link: None,
                collecting: None,
            };
        };
        if !link.has_response() {
            link.requests_of_hyper.set(link.requests_of_hyper.get() + 1);
        }
        let (parts, body) = request.into_parts();
        if body.is_end_stream() {
            deliver(&link, parts, Bytes::new(), BodyState::Whole);
            return ResponseFuture {
                link: Some(link),
                collecting: None,
            };
        }
        let rules = link.body_rules.of(parts.method.as_str(), parts.uri.path());
        let limit = rules.limit;
        if body.size_hint().lower() > limit as u64 {
            // The body is not read, so hyper does not send `100 Continue`.
            deliver(&link, parts, Bytes::new(), BodyState::TooLarge);
            return ResponseFuture {
                link: Some(link),
                collecting: None,
            };
        }
        if rules.is_streamed && !link.has_response() {
            let length = body.size_hint().exact();
            // hyper sends `100 Continue` when the body is read for the first time.
            *link.upload.borrow_mut() =
                Some(Box::new(Upload::new(UploadBody::Http1(body), limit, rules.rate)));
            deliver(&link, parts, Bytes::new(), BodyState::Streamed { length });
            return ResponseFuture {
                link: Some(link),
                collecting: None,
            };
        }
        // hyper reads a request again if it must write a response that the fast path does not support.
        if !link.has_response() {
            *link.state.borrow_mut() = ConnectionState::ReceivingBody;
        }
        ResponseFuture {
            link: Some(link),
            collecting: Some(Box::new(Collecting::new(parts, body, limit))),
        }
    }
}

/// Future of a request. It resolves to its response.
pub(crate) struct ResponseFuture {
    /// Connection of the request. Always `Some`, because hyper is only polled for a connection.
    link: Option<Rc<Link>>,
    collecting: Option<Box<Collecting<Incoming>>>,
}

impl Future for ResponseFuture {
    type Output = Result<http::Response<Body>, BodyEndedEarly>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let Some(link) = &this.link else {
            return Poll::Ready(Err(BodyEndedEarly));
        };
        if let Some(collecting) = &mut this.collecting {
            let complete = match collecting.poll(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Ready(Ok(complete)) => complete,
            };
            if let Some(collected) = this.collecting.take() {
                let (parts, body, body_state) = collected.finish(complete);
                deliver(link, parts, body, body_state);
            }
        }
        match link.take_response() {
            Some(answer) => {
                if answer.body().stream().is_none() || answer.body().is_end_stream() {
                    link.finish_answer(context);
                }
                Poll::Ready(Ok(answer))
            }
            None => Poll::Pending,
        }
    }
}

fn deliver(link: &Link, parts: Parts, body: Bytes, body_state: BodyState) {
    // The handler has already responded to this request. hyper only reads it again.
    if link.has_response() {
        return;
    }
    let remote = link.socket.borrow().peer();
    let request = Request::new(parts, body, body_state, remote);
    *link.state.borrow_mut() = ConnectionState::Received(request);
}
