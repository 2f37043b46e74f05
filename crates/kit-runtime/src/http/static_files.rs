//! Static files: responses that kit-static creates.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Task, Poll, ready};
use std::{borrow::Cow, io, mem};

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use hyper::body::{Frame, SizeHint};
use kit_static::{Answer, FileBody, FileReader, FileRequest, FileResponse, Site, answer, covers};
use tokio::task::{JoinHandle, spawn_blocking};

use super::header_text::text_of;
use super::refusals::{method_not_allowed, precondition_failed, range_not_satisfiable};
use super::reply::{ResponseCut, Streamed};
use super::{Context, Error};
use crate::start_error;

/// Files of an application, or the reason why the server must not start.
#[derive(Debug)]
pub(super) struct StaticFiles(Result<Arc<[Site]>, String>);

impl StaticFiles {
    /// Looks the directories up.
    pub(super) fn new(sites: Vec<Site>) -> Self {
        let sites: io::Result<Vec<Site>> = sites.into_iter().map(Site::resolve).collect();
        Self(sites.map(Into::into).map_err(|error| error.to_string()))
    }

    /// Returns an error if a directory does not exist.
    pub(super) fn check(&self) -> Result<(), Error> {
        match &self.0 {
            Ok(_) => Ok(()),
            Err(problem) => Err(start_error::failure(
                problem,
                "in the option `staticFiles`",
                "start the server in the directory that relative paths begin at, and copy the files there",
            )),
        }
    }

    /// Responds to a request that no route matches. Returns `None` if there is no file.
    pub(super) async fn respond(&self, context: &Context) -> Result<Option<axum::response::Response>, Error> {
        let sites = self.0.as_ref().map_err(|problem| Error::internal(problem))?;
        let path = context.path();
        if !covers(sites, path) {
            return Ok(None);
        }
        let query = context.query();
        let target = if query.is_empty() {
            path.to_owned()
        } else {
            format!("{path}?{query}")
        };
        let header = |name: &str| text_of(context.headers(), name).map(Cow::into_owned);
        let request = FileRequest::new(context.method().as_str(), &target, header);
        let sites = Arc::clone(sites);
        let found = spawn_blocking(move || answer(&sites, &request)).await;
        match found?? {
            Answer::Missing => Ok(None),
            Answer::Response(response) => Ok(Some(with_file(response)?)),
            Answer::MethodNotAllowed => Err(method_not_allowed(context.method().as_str(), "GET, HEAD")),
            Answer::PreconditionFailed => Err(precondition_failed()),
            Answer::RangeNotSatisfiable { size } => Err(range_not_satisfiable(size)),
        }
    }
}

fn with_file(
    FileResponse {
        status,
        headers,
        body,
    }: FileResponse,
) -> Result<axum::response::Response, Error> {
    let mut response = axum::response::Response::new(Body::empty());
    put_body_into(&mut response, body);
    *response.status_mut() = StatusCode::from_u16(status)?;
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes())?;
        let value = HeaderValue::from_str(&value)?;
        response.headers_mut().append(name, value);
    }
    Ok(response)
}

/// Makes the body of kit-static the body of a response.
pub(super) fn put_body_into(response: &mut axum::response::Response, body: FileBody) {
    *response.body_mut() = match body {
        FileBody::Empty => Body::empty(),
        FileBody::Whole(bytes) => Body::from(bytes),
        FileBody::Absent { length } => {
            response
                .headers_mut()
                .insert(header::CONTENT_LENGTH, length.into());
            // An entity tag of the missing body would differ from that of GET.
            response.extensions_mut().insert(Streamed);
            Body::empty()
        }
        FileBody::Stream(reader) => {
            response.extensions_mut().insert(Streamed);
            Body::new(FileStream {
                left: reader.length(),
                state: State::Idle(reader),
            })
        }
    };
}

/// Body that reads a file on tokio's threads for blocking work, one chunk at a time.
struct FileStream {
    state: State,
    /// Number of bytes that were not passed to the connection yet.
    left: u64,
}

enum State {
    Idle(FileReader),
    Reading(JoinHandle<(io::Result<Vec<u8>>, FileReader)>),
    Over,
}

impl hyper::body::Body for FileStream {
    type Data = Bytes;
    type Error = ResponseCut;

    fn poll_frame(
        self: Pin<&mut Self>,
        task: &mut Task<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ResponseCut>>> {
        let this = self.get_mut();
        loop {
            match &mut this.state {
                State::Over => return Poll::Ready(None),
                State::Reading(reading) => {
                    let read = match ready!(Pin::new(reading).poll(task)) {
                        Ok((Ok(chunk), reader)) => Ok((chunk, reader)),
                        Ok((Err(error), _)) => Err(Error::from(error)),
                        Err(error) => Err(Error::from(error)),
                    };
                    this.state = State::Over;
                    return Poll::Ready(match read {
                        Ok((chunk, _)) if chunk.is_empty() => None,
                        Ok((chunk, reader)) => {
                            this.left = this.left.saturating_sub(chunk.len() as u64);
                            this.state = State::Idle(reader);
                            Some(Ok(Frame::data(chunk.into())))
                        }
                        Err(error) => {
                            error.log_late("A response was cut");
                            Some(Err(ResponseCut))
                        }
                    });
                }
                State::Idle(_) => {
                    if let State::Idle(mut reader) = mem::replace(&mut this.state, State::Over) {
                        this.state = State::Reading(spawn_blocking(move || (reader.read(), reader)));
                    }
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
