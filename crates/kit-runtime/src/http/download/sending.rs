//! Sending of downloads: the range of the request, and the headers of the response.

use std::borrow::Cow;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use kit_static::{ByteRange, FileBelow, FileBody, FileRequest, Selection, Validators, select};

use super::Read;
use crate::http::header_text::text_of;
use crate::http::refusals::{precondition_failed, range_not_satisfiable};
use crate::http::reply::Streamed;
use crate::http::representation::remove_description;
use crate::http::static_files::put_body_into;
use crate::http::{Context, Error, Reply};

/// Value of `cache-control` if neither the download nor other code has set one. Without the header, caches may guess for how long
/// they keep a response that has `last-modified`.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Download whose size is known, and whose file is open.
pub(super) struct OpenDownload {
    pub(super) body: OpenBody,
    pub(super) size: u64,
    pub(super) validators: Validators,
    pub(super) disposition: Option<HeaderValue>,
    pub(super) cache_control: Option<HeaderValue>,
}

/// Bytes of a download.
pub(super) enum OpenBody {
    File(FileBelow),
    Bytes(Bytes),
    Source(Read),
}

/// Download that is sent after the wrappers of its route have returned. A response keeps values that are `Clone` and `Sync`.
#[derive(Clone)]
pub(super) struct Waiting(Arc<Mutex<Option<OpenDownload>>>);

impl OpenDownload {
    /// Returns the download as an extension of a response.
    pub(super) fn waiting(self) -> Waiting {
        Waiting(Arc::new(Mutex::new(Some(self))))
    }
}

/// Completes the response of a download: evaluates the preconditions and the range of the request. Returns other responses
/// unchanged.
///
/// # Errors
///
/// 412 if a precondition does not hold, 416 if the body has none of the requested ranges, and 500 if the handler has called
/// [`Context::set_status`].
pub(in crate::http) fn send(
    context: &Context,
    mut response: axum::response::Response,
) -> Result<axum::response::Response, Error> {
    let Some(Waiting(download)) = response.extensions_mut().remove::<Waiting>() else {
        return Ok(response);
    };
    response.extensions_mut().remove::<Streamed>();
    let taken = download.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(download) = taken else {
        return Err(Error::internal("The download was already sent"));
    };
    match download.put_into(context, &mut response) {
        Ok(()) => Ok(response),
        Err(error) => {
            // The error response keeps the headers of the handler and of wrappers that do not describe its body.
            let headers = mem::take(response.headers_mut());
            context.answer_headers().extend(headers);
            Err(error)
        }
    }
}

impl OpenDownload {
    fn put_into(self, context: &Context, response: &mut axum::response::Response) -> Result<(), Error> {
        if context.status().is_some() {
            let route = context.route().unwrap_or_default();
            return Err(Error::internal(format!(
                "{route} sends a download, whose status is 200 or 206, so `set_status` cannot change the status"
            )));
        }
        let header = |name: &str| text_of(context.headers(), name).map(Cow::into_owned);
        let request = FileRequest::new(context.method().as_str(), "", header);
        let selected = select(&request, &self.validators, self.size);
        let range = match &selected {
            Selection::PreconditionFailed => return Err(precondition_failed()),
            Selection::RangeNotSatisfiable => return Err(range_not_satisfiable(self.size)),
            // A server may send the whole body in place of several ranges (RFC 9110, 14.2).
            Selection::Ranges(ranges) => ranges.first().copied().filter(|_| ranges.len() == 1),
            Selection::NotModified | Selection::Whole => None,
        };
        let is_not_modified = selected == Selection::NotModified;
        let headers = response.headers_mut();
        for (name, value) in self.validators.headers(is_not_modified) {
            headers.insert(HeaderName::try_from(name)?, HeaderValue::try_from(value)?);
        }
        if let Some(value) = self.cache_control {
            headers.insert(header::CACHE_CONTROL, value);
        } else {
            headers.entry(header::CACHE_CONTROL).or_insert(CACHE_CONTROL);
        }
        if is_not_modified {
            remove_description(headers);
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return Ok(());
        }
        headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        if let Some(value) = self.disposition {
            headers.insert(header::CONTENT_DISPOSITION, value);
        }
        if let Some(range) = range {
            let value = HeaderValue::try_from(range.content_range(self.size))?;
            headers.insert(header::CONTENT_RANGE, value);
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        }
        put_part_into(context, response, self.body, self.size, range);
        Ok(())
    }
}

/// Makes a part of a download the body of a response.
fn put_part_into(
    context: &Context,
    response: &mut axum::response::Response,
    body: OpenBody,
    size: u64,
    range: Option<ByteRange>,
) {
    let whole = size.checked_sub(1).map(|last| ByteRange { first: 0, last });
    let Some(part) = range.or(whole) else {
        // The body is empty already. hyper adds the length only for GET.
        response.headers_mut().insert(header::CONTENT_LENGTH, size.into());
        return;
    };
    match body {
        _ if *context.method() == Method::HEAD => put_body_into(response, FileBody::Absent { length: size }),
        OpenBody::File(file) => put_body_into(response, file.into_body(range)),
        OpenBody::Bytes(bytes) => {
            let position = |position: u64| usize::try_from(position).unwrap_or(usize::MAX);
            let end = position(part.last).saturating_add(1).min(bytes.len());
            *response.body_mut() = Body::from(bytes.slice(position(part.first).min(end)..end));
        }
        OpenBody::Source(read) => {
            let reply = Reply::stream(move |chunks| read(part, chunks)).length(part.length());
            reply.put_body_into(context, response);
        }
    }
}
