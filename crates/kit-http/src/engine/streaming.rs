//! Responses whose bodies are written in chunks.

use std::rc::{Rc, Weak};

use bytes::Bytes;

use super::{Engine, Handler, WriteResult};
use crate::body::{Answering, Body, ChunkReader, Queue};
use crate::connection::Connection;
use crate::http2::Exchange;
use crate::link::Link;
use crate::request::RequestId;
use crate::response::Response;
use crate::response_error::ResponseError;
use crate::state::Outcome;

/// A response that is sent in chunks and that the handler has not ended.
pub(super) struct Stream {
    queue: Rc<Queue>,
    /// Connection of the stream. It exists as long as the stream is in the engine's list.
    link: Weak<Link>,
    /// State of the request, if it is one of HTTP/2.
    exchange: Option<Weak<Exchange>>,
    connection: usize,
    /// Length of the body that the head declares.
    length: Option<u64>,
    /// True if the body ends only with the connection, as for HTTP/1.0.
    ends_with_connection: bool,
}

impl Engine {
    /// Responds to a request with a body that is written in chunks. `head` is the response without a body.
    /// `length` is the number of bytes of the body. If it is given, exactly this number of bytes must be
    /// written. If it is absent, the body uses the chunked coding, and for HTTP/1.0 it ends with the
    /// connection. The head is sent without waiting for a chunk. Until the end of the stream, the id of the
    /// request identifies the stream.
    ///
    /// Returns false if the client has disconnected. In this case, no callback is called for the stream.
    ///
    /// A client that closes its sending side may still read, so the stream continues until a write fails. While there
    /// is nothing to write, the operating system regularly checks if a silent client is still there (TCP keep-alive).
    ///
    /// A response to HEAD, and a response whose status allows no body, is complete with its head.
    ///
    /// # Errors
    ///
    /// Returns an error if the request is unknown, or already has a response.
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
            let connection: Weak<dyn Answering> = match &pending.exchange {
                None => Rc::downgrade(&link) as _,
                Some(exchange) => Weak::clone(exchange) as _,
            };
            let body = Body::ChunkReader(ChunkReader::new(id, Rc::clone(&queue), connection));
            let ends_with_connection = length.is_none() && pending.request.is_http_10();
            if ends_with_connection {
                head.close();
            }
            let stream = Stream {
                queue,
                link: Rc::downgrade(&link),
                exchange: pending.exchange.clone(),
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

    /// Writes a chunk to the stream of a request. The first small chunk after a call of [`Engine::drive`] is sent at once, if
    /// nothing waits before it. The next [`Engine::drive`] sends all other chunks. Also accepts a chunk after
    /// [`WriteResult::Wait`].
    ///
    /// # Errors
    ///
    /// Returns an error if the chunk exceeds the declared length. The chunk is not sent.
    pub fn write(&self, id: RequestId, piece: Bytes) -> Result<WriteResult, ResponseError> {
        let streams = self.streams.borrow();
        let Some(stream) = streams.get(&id) else {
            return Ok(WriteResult::Closed);
        };
        if let (Some(missing), Some(declared)) = (stream.queue.missing(), stream.length)
            && piece.len() as u64 > missing
        {
            let found = declared - missing + piece.len() as u64;
            return Err(ResponseError::Length { declared, found });
        }
        let has_room = self.write_directly(id, stream, &piece).unwrap_or_else(|| {
            self.enqueue_slot(stream.connection);
            stream.queue.push(piece)
        });
        Ok(if has_room {
            WriteResult::Ready
        } else {
            WriteResult::Wait
        })
    }

    /// Writes a chunk to the socket at once, if nothing waits before it. Most events and lines are such chunks: without hyper
    /// and a second visit of each connection, they cost half the time in the engine. Returns true if the writer may continue,
    /// and `None` if hyper must write the chunk.
    fn write_directly(&self, id: RequestId, stream: &Stream, chunk: &[u8]) -> Option<bool> {
        if stream.exchange.is_some()
            || stream.ends_with_connection
            || !stream.queue.take_direct_write(self.turn.get())
        {
            return None;
        }
        let link = stream.link.upgrade()?;
        let unsent = link.write_chunk(id, chunk)?;
        if unsent > 0 || link.socket.borrow().has_unsent() {
            // The connection gets a deadline for its client.
            self.enqueue_slot(stream.connection);
        }
        Some(stream.queue.note_unsent(unsent))
    }

    /// Ends a stream. Chunks that were written before are still sent, and the connection serves further requests. Has
    /// no effect if the stream has already ended.
    ///
    /// # Errors
    ///
    /// Returns an error if the body is shorter than the declared length. In this case, the connection is
    /// closed, or the stream of HTTP/2 is reset, so that the client notices that the body is incomplete.
    pub fn end(&self, id: RequestId) -> Result<(), ResponseError> {
        let Some(stream) = self.streams.borrow_mut().remove(&id) else {
            return Ok(());
        };
        if let (Some(missing @ 1..), Some(declared)) = (stream.queue.missing(), stream.length) {
            self.give_up_stream(&stream);
            let found = declared - missing;
            return Err(ResponseError::Length { declared, found });
        }
        stream.queue.end();
        self.end_reading_of(&stream);
        self.enqueue_slot(stream.connection);
        Ok(())
    }

    /// Aborts a stream that cannot be completed. The next [`Engine::drive`] closes its connection, or resets the
    /// stream of HTTP/2, so that the client notices that the body is incomplete. No callback is called. Has no effect if the
    /// stream has already ended.
    pub fn destroy(&self, id: RequestId) {
        let stream = self.streams.borrow_mut().remove(&id);
        if let Some(stream) = stream {
            self.give_up_stream(&stream);
        }
    }

    /// Ends a stream whose body has its declared length and was passed to hyper, even if the handler has not ended the
    /// stream yet.
    pub(super) fn finish_stream(&self, id: RequestId, handler: &mut dyn Handler) {
        let mut streams = self.streams.borrow_mut();
        if !streams
            .get(&id)
            .is_some_and(|stream| stream.queue.is_fully_read())
        {
            return;
        }
        let finished = streams.remove(&id);
        drop(streams);
        if let Some(stream) = &finished {
            self.end_reading_of(stream);
        }
        // The writer of the last chunk may wait for this call.
        if finished.is_some_and(|stream| stream.queue.take_owed_drain()) {
            handler.drained(id);
        }
    }

    /// Updates a stream after its connection was polled: notifies the handler if the client has disconnected,
    /// or if the writer may continue.
    pub(super) fn update_stream(
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
        let (left, broken) = connection.link.departure();
        if left || broken {
            return Outcome::Done;
        }
        // hyper writes until the socket accepts no more, so hyper's buffer is empty.
        if !connection.link.socket.borrow().is_write_blocked() {
            queue.note_sent();
        }
        if queue.take_drain() {
            handler.drained(id);
        }
        outcome
    }

    /// Updates a stream of HTTP/2 after its connection was polled: notifies the handler if the writer may continue.
    pub(super) fn update_exchange(&self, id: RequestId, is_flushed: bool, handler: &mut dyn Handler) {
        let streams = self.streams.borrow();
        let queue = streams.get(&id).map(|stream| Rc::clone(&stream.queue));
        drop(streams);
        let Some(queue) = queue else { return };
        if is_flushed {
            queue.note_sent();
        }
        if queue.take_drain() {
            handler.drained(id);
        }
    }

    /// Notifies the handler that the client of its stream of HTTP/2 has disconnected.
    pub(super) fn abort_stream_of(&self, id: RequestId, handler: &mut dyn Handler) {
        let stream = self.streams.borrow_mut().remove(&id);
        if stream.is_some() {
            handler.stream_aborted(id);
        }
    }

    /// Notifies the handler that the connection of its stream was closed.
    pub(super) fn abort_stream(&self, connection: &Connection, handler: &mut dyn Handler) {
        let Some(id) = connection.link.stream() else {
            return;
        };
        let stream = self.streams.borrow_mut().remove(&id);
        if let Some(stream) = stream {
            stream.reset_if_ends_with_connection(&connection.link);
            handler.stream_aborted(id);
        }
    }

    /// Ends reading of the request's body, because the response is complete.
    fn end_reading_of(&self, stream: &Stream) {
        if let Some(exchange) = &stream.exchange {
            if let Some(exchange) = exchange.upgrade() {
                self.drop_upload_of(&exchange);
            }
            return;
        }
        if let Some(link) = stream.link.upgrade() {
            self.drop_upload(&link);
        }
    }

    fn give_up_stream(&self, stream: &Stream) {
        if let Some(exchange) = &stream.exchange {
            if let Some(exchange) = exchange.upgrade() {
                exchange.give_up();
            }
        } else if let Some(link) = stream.link.upgrade() {
            link.give_up_stream();
            stream.reset_if_ends_with_connection(&link);
        }
        self.enqueue_slot(stream.connection);
    }
}

impl Stream {
    /// Makes the connection end with a reset if the body ends with the connection. Without a reset, the
    /// client would take the incomplete body for a complete one.
    fn reset_if_ends_with_connection(&self, link: &Link) {
        if self.ends_with_connection {
            link.socket.borrow().reset_when_closed();
        }
    }
}
