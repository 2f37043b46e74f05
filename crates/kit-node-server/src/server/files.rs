//! Static files without JavaScript. kit-static finds and reads them on libuv's thread pool; this module passes the results
//! to the engine. Requests without a file, and those that end with an error, are passed on to JavaScript.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use kit_http::{HeaderName, Request, RequestId, Response, ResponseError, WriteResult};
use kit_static::{Answer, FileBody, FileReader, FileRequest, FileResponse, Site, answer, covers};

use super::Server;

static ORIGIN: HeaderName = HeaderName::from_static("origin");

/// Files that a server serves, and the requests for them that are in progress.
pub(crate) struct Files {
    sites: Arc<[Site]>,
    /// Paths that JavaScript serves, without a slash at the end.
    reserved: HashSet<String>,
    /// Headers of each response in addition to the headers of the site.
    headers: Vec<(String, String)>,
    /// True if JavaScript must serve requests with the header `origin`.
    depends_on_origin: bool,
    progress: RefCell<HashMap<RequestId, Progress>>,
    /// Requests that JavaScript must serve. The flag is true if the client has disconnected.
    passed_on: RefCell<Vec<(RequestId, bool)>>,
    /// True if a file could not be sent to its end. The application has not been told yet.
    has_cut: Cell<bool>,
}

/// State of a request for a file.
enum Progress {
    /// The file is looked up. The flag is true if the client has disconnected.
    Opening { is_aborted: bool },
    /// The response is sent, and the thread pool reads the next chunk.
    Reading { may_write: bool },
    /// The next chunk is read, and the client has not received enough of the previous ones.
    Waiting { reader: FileReader, chunk: Vec<u8> },
}

impl Files {
    pub(crate) fn new(
        sites: Vec<Site>,
        reserved: Vec<String>,
        headers: Vec<(String, String)>,
        depends_on_origin: bool,
    ) -> Self {
        Self {
            sites: sites.into(),
            reserved: reserved.into_iter().collect(),
            headers,
            depends_on_origin,
            progress: RefCell::default(),
            passed_on: RefCell::default(),
            has_cut: Cell::new(false),
        }
    }

    /// Returns true if the request may be one for a file.
    fn may_serve(&self, request: &Request, path: &str) -> bool {
        matches!(request.method(), "GET" | "HEAD")
            && request.body_length() == Some(0)
            && !request.body_too_large()
            && !(self.depends_on_origin && request.has_header(&ORIGIN))
            && !self.reserved.contains(path.strip_suffix('/').unwrap_or(path))
            && covers(&self.sites, path)
    }

    /// Returns the head of a response, and its body.
    fn head(&self, response: FileResponse) -> Result<(Response, FileBody), ResponseError> {
        let mut head = Response::new(response.status.into())?;
        let vary_of = |list: &[(String, String)]| -> Vec<String> {
            let varies = list.iter().filter(|(name, _)| name == "vary");
            varies.map(|(_, value)| value.clone()).collect()
        };
        let vary = [vary_of(&response.headers), vary_of(&self.headers)].concat();
        let is_replaced = |name: &str| self.headers.iter().any(|(other, _)| other == name);
        let own = response.headers.iter().filter(|(name, _)| !is_replaced(name));
        for (name, value) in own.chain(&self.headers).filter(|(name, _)| name != "vary") {
            head.add_header(name, value.as_bytes())?;
        }
        if !vary.is_empty() {
            head.add_header("vary", vary.join(", ").as_bytes())?;
        }
        Ok((head, response.body))
    }
}

impl Server {
    /// Starts to look up the file of a request, for which there is no route. Returns false if JavaScript must serve it.
    /// `path` and `target` have the normal form.
    pub(super) fn begin_file(&self, id: RequestId, request: &Request, path: &str, target: &str) -> bool {
        let Some(files) = &self.files else { return false };
        if !files.may_serve(request, path) {
            return false;
        }
        let header = |name: &str| {
            let value = request.header(name)?;
            Some(value.iter().copied().map(char::from).collect())
        };
        let wanted = FileRequest::new(request.method(), target, header);
        let sites = Arc::clone(&files.sites);
        let is_begun = self.run(
            move || answer(&sites, &wanted),
            move |server, result| server.answer_with_file(id, result),
        );
        if is_begun {
            let opening = Progress::Opening { is_aborted: false };
            files.progress.borrow_mut().insert(id, opening);
        }
        is_begun
    }

    /// Sends the response with a file, or passes the request on.
    fn answer_with_file(&self, id: RequestId, result: Option<io::Result<Answer>>) {
        let Some(files) = &self.files else { return };
        let Some(Progress::Opening { is_aborted }) = files.progress.borrow_mut().remove(&id) else {
            return;
        };
        let sent = if let Some(Ok(Answer::Response(response))) = result {
            let head = files.head(response);
            head.and_then(|(head, body)| self.send_file(files, id, head, body))
        } else {
            // JavaScript runs into the same error, and logs it.
            files.passed_on.borrow_mut().push((id, is_aborted));
            Ok(())
        };
        if sent.is_err() {
            self.engine.respond_internal_error(id);
        }
        self.wake();
    }

    fn send_file(
        &self,
        files: &Files,
        id: RequestId,
        mut head: Response,
        body: FileBody,
    ) -> Result<(), ResponseError> {
        match body {
            FileBody::Empty => self.engine.respond(id, head),
            FileBody::Whole(bytes) => {
                head.set_body(bytes.into());
                self.engine.respond(id, head)
            }
            FileBody::Absent { length } => self.engine.respond_stream(id, head, Some(length)).map(drop),
            FileBody::Stream(reader) => {
                if self.engine.respond_stream(id, head, Some(reader.length()))? {
                    self.read_file(files, id, reader, true);
                }
                Ok(())
            }
        }
    }

    /// Reads the next chunk of a file. `may_write` is true if the client has received enough of the previous ones.
    fn read_file(&self, files: &Files, id: RequestId, mut reader: FileReader, may_write: bool) {
        let is_begun = self.run(
            move || (reader.read(), reader),
            move |server, result| server.take_chunk(id, result),
        );
        if is_begun {
            let reading = Progress::Reading { may_write };
            files.progress.borrow_mut().insert(id, reading);
        } else {
            self.engine.destroy(id);
        }
    }

    fn take_chunk(&self, id: RequestId, result: Option<(io::Result<Vec<u8>>, FileReader)>) {
        let Some(files) = &self.files else { return };
        // Without progress, the client has disconnected meanwhile.
        let Some(Progress::Reading { may_write }) = files.progress.borrow_mut().remove(&id) else {
            return;
        };
        match result {
            Some((Ok(chunk), reader)) if may_write => self.write_chunk(files, id, chunk, reader),
            Some((Ok(chunk), reader)) => {
                let waiting = Progress::Waiting { reader, chunk };
                files.progress.borrow_mut().insert(id, waiting);
            }
            _ => {
                files.has_cut.set(true);
                self.engine.destroy(id);
            }
        }
        self.wake();
    }

    /// Writes a chunk and reads the next one.
    fn write_chunk(&self, files: &Files, id: RequestId, chunk: Vec<u8>, reader: FileReader) {
        self.note_piece(chunk.len());
        match self.engine.write(id, Bytes::from(chunk)) {
            Ok(WriteResult::Closed) | Err(_) => {}
            // The engine ends the response, because its body has the declared length.
            Ok(_) if reader.is_at_end() => {}
            Ok(written) => self.read_file(files, id, reader, written == WriteResult::Ready),
        }
    }

    /// Continues a file after the client has received enough. Returns false if the response is not a file.
    pub(super) fn drain_file(&self, id: RequestId) -> bool {
        let Some(files) = &self.files else { return false };
        let progress = files.progress.borrow_mut().remove(&id);
        match progress {
            None => return false,
            Some(Progress::Waiting { reader, chunk }) => self.write_chunk(files, id, chunk, reader),
            Some(Progress::Reading { .. }) => {
                let reading = Progress::Reading { may_write: true };
                files.progress.borrow_mut().insert(id, reading);
            }
            Some(Progress::Opening { .. }) => {}
        }
        true
    }

    /// Forgets a file whose client has disconnected. Returns false if the response is not a file.
    pub(super) fn abort_file_stream(&self, id: RequestId) -> bool {
        let removed = self
            .files
            .as_ref()
            .and_then(|files| files.progress.borrow_mut().remove(&id));
        removed.is_some()
    }

    /// Notes that the client of a request has disconnected. Returns false if the request is not one for a file.
    pub(super) fn abort_file(&self, id: RequestId) -> bool {
        let Some(files) = &self.files else { return false };
        match files.progress.borrow_mut().get_mut(&id) {
            Some(Progress::Opening { is_aborted }) => *is_aborted = true,
            Some(_) => {}
            None => return false,
        }
        true
    }

    /// Returns the requests that JavaScript must serve.
    pub(super) fn take_passed_on(&self) -> Vec<(RequestId, bool)> {
        let files = self.files.as_ref();
        files.map_or_else(Vec::new, |files| files.passed_on.take())
    }

    /// Returns true if a file could not be sent to its end since the last call.
    pub(super) fn take_cut_file(&self) -> bool {
        self.files
            .as_ref()
            .is_some_and(|files| files.has_cut.replace(false))
    }

    /// Ends the requests for files whose connections are closed, so that no request is left without a response.
    pub(super) fn abandon_files(&self) {
        let Some(files) = &self.files else { return };
        let left = files.progress.take();
        let passed_on = files.passed_on.take().into_iter().map(|(id, _)| id);
        for id in left.into_keys().chain(passed_on) {
            self.engine.respond_internal_error(id);
        }
    }
}
