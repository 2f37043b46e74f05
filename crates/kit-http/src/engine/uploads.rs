//! Request bodies that handlers read in chunks.

use std::rc::{Rc, Weak};
use std::task::Context;
use std::time::Instant;

use super::{Engine, Handler, abort};
use crate::connection::Connection;
use crate::http2::Exchange;
use crate::link::Link;
use crate::request::{Request, RequestId};
use crate::response::Response;
use crate::state::{ConnectionState, Outcome};
use crate::upload::{Read, Upload, UploadFailure, UploadPart};

/// Place of a body in the engine.
pub(super) struct UploadPlace {
    owner: Owner,
    connection: usize,
}

/// State that contains the body.
enum Owner {
    Link(Weak<Link>),
    Exchange(Weak<Exchange>),
}

impl Engine {
    /// Requests the next chunk of the body of a request ([`Request::is_streamed`]). The engine calls
    /// [`Handler::body_part`] once with the chunk, but not before the next [`Engine::drive`]. Over HTTP/1.1, the
    /// engine reads from the socket only after such a request of the handler, and reads at most one chunk in
    /// advance. Over HTTP/2, up to 256 KiB may arrive in advance.
    ///
    /// Returns false if nothing is left to read: the handler has already received the end or a failure, has
    /// canceled reading or has responded, or the client has disconnected. In this case, no callback is
    /// called.
    pub fn read_body(&self, id: RequestId) -> bool {
        let Some((is_wanted, slot)) = self.with_upload(id, Upload::want) else {
            return false;
        };
        if is_wanted {
            self.enqueue_slot(slot);
        }
        is_wanted
    }

    /// Ends reading of a body. Over HTTP/1.1, the connection closes after the response, unless the engine has already
    /// received the whole body. No callback is called. Has no effect if nothing is left to read.
    pub fn cancel_body(&self, id: RequestId) {
        if let Some(((), slot)) = self.with_upload(id, Upload::cancel) {
            // Over HTTP/2, the client may send as many bytes of other bodies as the canceled body had unread.
            self.enqueue_slot(slot);
        }
    }

    /// Calls a function with the body of a request. Also returns the index of the connection.
    fn with_upload<T>(&self, id: RequestId, run: impl FnOnce(&mut Upload) -> T) -> Option<(T, usize)> {
        let uploads = self.uploads.borrow();
        let place = uploads.get(&id)?;
        let result = match &place.owner {
            Owner::Link(link) => run(link.upgrade()?.upload.borrow_mut().as_mut()?),
            Owner::Exchange(exchange) => run(exchange.upgrade()?.upload.borrow_mut().as_mut()?),
        };
        Some((result, place.connection))
    }

    /// Makes the body of a request available to the handler.
    pub(super) fn begin_upload(&self, id: RequestId, slot: usize, link: &Rc<Link>) {
        if let Some(upload) = &mut *link.upload.borrow_mut() {
            upload.id = Some(id);
        }
        let place = UploadPlace {
            owner: Owner::Link(Rc::downgrade(link)),
            connection: slot,
        };
        self.uploads.borrow_mut().insert(id, place);
    }

    /// Makes the body of a request of HTTP/2 available to the handler.
    pub(super) fn begin_upload_of(&self, id: RequestId, slot: usize, exchange: &Rc<Exchange>) {
        if let Some(upload) = &mut *exchange.upload.borrow_mut() {
            upload.id = Some(id);
        }
        let place = UploadPlace {
            owner: Owner::Exchange(Rc::downgrade(exchange)),
            connection: slot,
        };
        self.uploads.borrow_mut().insert(id, place);
    }

    /// Passes the chunks of a body of HTTP/2 to the handler, as long as the handler waits for them and they have arrived.
    pub(super) fn read_upload_of(
        &self,
        exchange: &Exchange,
        context: &mut Context<'_>,
        handler: &mut dyn Handler,
    ) {
        if !exchange.is_body_wanted() {
            return;
        }
        let now = Instant::now();
        while let Some(read) = exchange.poll_upload(context, now) {
            let id = exchange.upload.borrow().as_ref().and_then(|upload| upload.id);
            let Some(id) = id else { return };
            match read {
                Read::Chunk(data) => handler.body_part(id, UploadPart::Chunk(&data)),
                Read::End => {
                    self.drop_upload_of(exchange);
                    handler.body_part(id, UploadPart::End);
                }
                Read::TooLarge => handler.body_part(id, UploadPart::Failed(UploadFailure::TooLarge)),
                Read::Broken => handler.body_part(id, UploadPart::Failed(UploadFailure::Aborted)),
            }
        }
    }

    /// Drops the body of a request of HTTP/2.
    pub(super) fn drop_upload_of(&self, exchange: &Exchange) {
        let upload = exchange.upload.borrow_mut().take();
        if let Some(id) = upload.and_then(|upload| upload.id) {
            self.uploads.borrow_mut().remove(&id);
        }
    }

    /// Drops the body of a request of HTTP/2 that ends, and notifies the handler if it waits for a chunk.
    pub(super) fn fail_upload_of(
        &self,
        exchange: &Exchange,
        failure: UploadFailure,
        handler: &mut dyn Handler,
    ) {
        let is_wanted = exchange.is_body_wanted();
        let id = exchange.upload.borrow().as_ref().and_then(|upload| upload.id);
        self.drop_upload_of(exchange);
        if let (Some(id), true) = (id, is_wanted) {
            handler.body_part(id, UploadPart::Failed(failure));
        }
    }

    /// Passes a chunk to the handler that waits for it, if the chunk has arrived. Returns the outcome of the
    /// connection.
    pub(super) fn read_upload(
        &self,
        connection: &Connection,
        outcome: Outcome,
        handler: &mut dyn Handler,
    ) -> Outcome {
        if !matches!(outcome, Outcome::Waiting | Outcome::Again) {
            return outcome;
        }
        let link = &connection.link;
        let id = link.upload.borrow().as_ref().and_then(|upload| upload.id);
        let (read, is_woken) = connection.poll_upload();
        let outcome = if is_woken { Outcome::Again } else { outcome };
        let (Some(id), Some(read)) = (id, read) else {
            return outcome;
        };
        match read {
            Read::Chunk(data) => handler.body_part(id, UploadPart::Chunk(&data)),
            Read::End => {
                self.drop_upload(link);
                handler.body_part(id, UploadPart::End);
            }
            Read::TooLarge => handler.body_part(id, UploadPart::Failed(UploadFailure::TooLarge)),
            Read::Broken if link.guard.borrow().rejection().is_none() => {
                handler.body_part(id, UploadPart::Failed(UploadFailure::Aborted));
            }
            Read::Broken => {
                handler.body_part(id, UploadPart::Failed(UploadFailure::Invalid));
                return refuse(connection, handler);
            }
        }
        outcome
    }

    /// Ends reading because of a response. `is_stream` is true if the body of the response is written in
    /// chunks. In this case, the handler may continue to read the body of the request until the response is
    /// complete.
    pub(super) fn end_reading(
        &self,
        link: &Link,
        request: &Request,
        response: &mut Response,
        is_stream: bool,
    ) {
        if !request.is_streamed() {
            return;
        }
        let is_incomplete = link
            .upload
            .borrow()
            .as_ref()
            .is_some_and(|upload| !upload.is_complete());
        if is_incomplete {
            // The rest of the body is not read, so no further request can follow on this connection (RFC 9112, section
            // 9.3).
            response.close();
        }
        if !is_stream {
            self.drop_upload(link);
        }
    }

    /// Drops the body of a request. hyper reads no more of the body.
    pub(super) fn drop_upload(&self, link: &Link) {
        let upload = link.upload.borrow_mut().take();
        if let Some(id) = upload.and_then(|upload| upload.id) {
            self.uploads.borrow_mut().remove(&id);
        }
    }

    /// Drops the body of a request on a connection that closes, and notifies the handler if it waits for a chunk.
    pub(super) fn fail_upload(
        &self,
        connection: &Connection,
        failure: UploadFailure,
        handler: &mut dyn Handler,
    ) {
        let link = &connection.link;
        let is_wanted = link.is_body_wanted();
        let id = link.upload.borrow().as_ref().and_then(|upload| upload.id);
        self.drop_upload(link);
        if let (Some(id), true) = (id, is_wanted) {
            handler.body_part(id, UploadPart::Failed(failure));
        }
    }
}

/// Ends a connection whose client has sent invalid chunks. The client gets the rejection of the guard, unless the handler
/// has begun to respond.
fn refuse(connection: &Connection, handler: &mut dyn Handler) -> Outcome {
    if connection.link.request().is_none() {
        return Outcome::Done;
    }
    abort(connection, handler);
    *connection.link.state.borrow_mut() = ConnectionState::Refused;
    Outcome::Ended
}
