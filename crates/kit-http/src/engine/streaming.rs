//! Answers whose bodies come piece by piece.

use std::rc::{Rc, Weak};

use bytes::Bytes;

use super::{Engine, Handler, Written};
use crate::body::{Body, Pieces, Queue};
use crate::connection::{Connection, Outcome};
use crate::link::{Link, Streaming};
use crate::request::RequestId;
use crate::response::{Response, ResponseError};

/// An answer that its handler has not ended.
pub(super) struct Stream {
    queue: Rc<Queue>,
    /// There for as long as the stream is among those of the engine.
    link: Weak<Link>,
    connection: usize,
    /// What the head said.
    length: Option<u64>,
    /// Nothing but the end of the connection tells the peer where the body ends.
    ends_with_connection: bool,
}

impl Engine {
    /// Answers a request with a body that comes piece by piece: `head` without its body, and its length where that is known;
    /// exactly so many bytes have to be written then. Else it goes in chunks, and to HTTP/1.0 up to the end of the connection.
    /// The head is sent without waiting for a piece. From here on the request's id names the stream, until it has ended.
    ///
    /// Answers whether there is a peer. Where there is none, nothing is told of the stream.
    ///
    /// A peer that closes its sending side may still read, so the stream goes on until a write fails. While there is nothing to write,
    /// the system asks a silent peer now and then if it is still there.
    ///
    /// An answer to HEAD, and one whose status allows none, has its head alone and is complete at once.
    pub fn respond_stream(
        &self,
        id: RequestId,
        mut head: Response,
        length: Option<u64>,
    ) -> Result<bool, ResponseError> {
        let (pending, link) = self.take(id)?;
        let Some(link) = link else {
            return Ok(false);
        };
        let body = if !head.may_have_body() {
            Body::Absent(None)
        } else if pending.request.method() == "HEAD" {
            Body::Absent(length)
        } else {
            let queue = Rc::new(Queue::new(length));
            let body = Body::Pieces(Pieces::new(Rc::clone(&queue), &link));
            link.stream.set(Streaming::Open(id));
            let ends_with_connection = length.is_none() && pending.request.is_http_10();
            if ends_with_connection {
                head.close();
            }
            let stream = Stream {
                queue,
                link: Rc::downgrade(&link),
                connection: pending.connection,
                length,
                ends_with_connection,
            };
            self.streams.borrow_mut().insert(id, stream);
            body
        };
        self.answer(&link, pending, head, Some(body));
        Ok(true)
    }

    /// Writes a piece to the stream of a request's answer. The bytes go out with the next [`Engine::drive`]. What is written after
    /// [`Written::Full`] is taken all the same.
    ///
    /// A piece that makes the body longer than was said is an error, and is not taken.
    pub fn write(&self, id: RequestId, piece: Bytes) -> Result<Written, ResponseError> {
        let streams = self.streams.borrow();
        let Some(stream) = streams.get(&id) else {
            return Ok(Written::Gone);
        };
        if let (Some(missing), Some(said)) = (stream.queue.missing(), stream.length)
            && piece.len() as u64 > missing
        {
            let found = said - missing + piece.len() as u64;
            return Err(ResponseError::Length { said, found });
        }
        let has_room = stream.queue.push(piece);
        self.enqueue_slot(stream.connection);
        Ok(if has_room { Written::Room } else { Written::Full })
    }

    /// Ends a stream; what was written is still sent, and the connection serves further requests. Ending one that is no
    /// more does nothing.
    ///
    /// A body that is shorter than was said is an error; its connection is cut, so that nobody takes it for the whole.
    pub fn end(&self, id: RequestId) -> Result<(), ResponseError> {
        let Some(stream) = self.streams.borrow_mut().remove(&id) else {
            return Ok(());
        };
        if let (Some(missing @ 1..), Some(said)) = (stream.queue.missing(), stream.length) {
            self.cut(&stream);
            let found = said - missing;
            return Err(ResponseError::Length { said, found });
        }
        stream.queue.end();
        if let Some(link) = stream.link.upgrade() {
            link.stream.set(Streaming::No);
        }
        self.enqueue_slot(stream.connection);
        Ok(())
    }

    /// Gives a stream up that cannot be completed: cuts its connection with the next
    /// [`Engine::drive`], so that nobody takes what was sent for the whole. Nothing is told of it. Giving up one that is no more does nothing.
    pub fn destroy(&self, id: RequestId) {
        let stream = self.streams.borrow_mut().remove(&id);
        if let Some(stream) = stream {
            self.cut(&stream);
        }
    }

    /// Looks how the stream of a connection stands that was just driven.
    pub(super) fn attend(
        &self,
        id: RequestId,
        connection: &Connection,
        outcome: Outcome,
        handler: &mut dyn Handler,
    ) -> Outcome {
        let queue = self
            .streams
            .borrow()
            .get(&id)
            .map(|stream| Rc::clone(&stream.queue));
        let Some(queue) = queue else {
            return outcome;
        };
        if queue.is_through() {
            // As long as was said, and so complete though nobody has ended it.
            self.streams.borrow_mut().remove(&id);
            connection.link.stream.set(Streaming::No);
            return outcome;
        }
        let (left, dead) = connection.link.departure();
        if left || dead {
            connection.drop_http();
            return Outcome::Done;
        }
        // hyper writes until the system takes no more.
        if !connection.link.socket.borrow().is_write_blocked() {
            queue.note_sent();
        }
        if queue.take_drain() {
            handler.drained(id);
        }
        outcome
    }

    /// Tells the handler of the stream of a connection that is no more.
    pub(super) fn abort_stream(&self, connection: &Connection, handler: &mut dyn Handler) {
        let Streaming::Open(id) = connection.link.stream.replace(Streaming::No) else {
            return;
        };
        let stream = self.streams.borrow_mut().remove(&id);
        if let Some(stream) = stream {
            stream.spoil(&connection.link);
            handler.stream_aborted(id);
        }
    }

    fn cut(&self, stream: &Stream) {
        if let Some(link) = stream.link.upgrade() {
            link.stream.set(Streaming::GivenUp);
            stream.spoil(&link);
        }
        self.enqueue_slot(stream.connection);
    }
}

impl Stream {
    /// Sees to it that the end of the connection is not taken for that of the body.
    fn spoil(&self, link: &Link) {
        if self.ends_with_connection {
            link.socket.borrow().reset_when_closed();
        }
    }
}
