//! Request bodies that handlers read in chunks.

use std::rc::{Rc, Weak};

use super::{Engine, Handler, abort};
use crate::connection::Connection;
use crate::link::Link;
use crate::request::{Request, RequestId};
use crate::response::Response;
use crate::state::{ConnectionState, Outcome};
use crate::upload::{Read, UploadFailure, UploadPart};

/// Place of a body in the engine.
pub(super) struct UploadPlace {
    link: Weak<Link>,
    connection: usize,
}

impl Engine {
    /// Requests the next chunk of the body of a request ([`Request::is_streamed`]). The engine calls
    /// [`Handler::body_part`] once with the chunk, but not before the next [`Engine::drive`]. The engine
    /// reads from the socket only after such a request of the handler, and reads at most one chunk in
    /// advance.
    ///
    /// Returns false if nothing is left to read: the handler has already received the end or a failure, has
    /// canceled reading or has responded, or the client has disconnected. In this case, no callback is
    /// called.
    pub fn read_body(&self, id: RequestId) -> bool {
        let Some((link, slot)) = self.upload_of(id) else {
            return false;
        };
        let is_wanted = link
            .upload
            .borrow_mut()
            .as_mut()
            .is_some_and(|upload| upload.want());
        if is_wanted {
            self.enqueue_slot(slot);
        }
        is_wanted
    }

    /// Ends reading of a body. The connection closes after the response, unless the engine has already
    /// received the whole body. No callback is called. Has no effect if nothing is left to read.
    pub fn cancel_body(&self, id: RequestId) {
        let Some((link, _)) = self.upload_of(id) else {
            return;
        };
        if let Some(upload) = &mut *link.upload.borrow_mut() {
            upload.cancel();
        }
    }

    fn upload_of(&self, id: RequestId) -> Option<(Rc<Link>, usize)> {
        let uploads = self.uploads.borrow();
        let place = uploads.get(&id)?;
        Some((place.link.upgrade()?, place.connection))
    }

    /// Makes the body of a request available to the handler.
    pub(super) fn begin_upload(&self, id: RequestId, slot: usize, link: &Rc<Link>) {
        if let Some(upload) = &mut *link.upload.borrow_mut() {
            upload.id = Some(id);
        }
        let place = UploadPlace {
            link: Rc::downgrade(link),
            connection: slot,
        };
        self.uploads.borrow_mut().insert(id, place);
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
