//! The response to a request for a file.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;

use crate::find::{Found, FoundFile, find};
use crate::path::path_in_site;
use crate::range::ByteRange;
use crate::reader::{FileReader, Part};
use crate::request::FileRequest;
use crate::selection::{Selection, select};
use crate::site::Site;
use crate::validators::Validators;

/// Maximum number of bytes that are read before the head of the response is sent.
pub(crate) const WHOLE_BYTES: u64 = 64 * 1024;

/// Result of [`answer`].
#[derive(Debug)]
pub enum Answer {
    /// There is no file: 404.
    Missing,
    /// The file supports only GET and HEAD: 405.
    MethodNotAllowed,
    /// A precondition does not hold: 412.
    PreconditionFailed,
    /// The file has none of the requested ranges: 416.
    RangeNotSatisfiable {
        /// Number of bytes of the file.
        size: u64,
    },
    /// Response with the file, or with the status 301 or 304.
    Response(FileResponse),
}

/// Response with a file.
#[derive(Debug)]
pub struct FileResponse {
    /// Status: 200, 206, 301 or 304.
    pub status: u16,
    /// Lower-case names and values, without `content-length`.
    pub headers: Vec<(String, String)>,
    /// Body of the response.
    pub body: FileBody,
}

/// Body of a response with a file.
#[derive(Debug)]
pub enum FileBody {
    /// There is no body.
    Empty,
    /// The response to HEAD has no body, but the length of the body that GET gets.
    Absent {
        /// Number of bytes.
        length: u64,
    },
    /// Body that is already read.
    Whole(Vec<u8>),
    /// Body that the server reads while it sends.
    Stream(FileReader),
}

/// Returns true if there may be a file at a path. Does not block. `path` has its normal form.
///
/// ```
/// use kit_static::{Site, covers};
///
/// let sites = [Site::new(".").prefix("/assets").resolve()?];
/// assert!(covers(&sites, "/assets/app.js"));
/// assert!(!covers(&sites, "/app.js"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub fn covers(sites: &[Site], path: &str) -> bool {
    sites.iter().any(|site| path_in_site(site, path).is_some())
}

/// Finds the file for a request, and creates the response. Reads a small file, so that no further call is needed. Blocks.
///
/// ```
/// use kit_static::{Answer, FileRequest, Site, answer};
///
/// let sites = [Site::new(".").resolve()?];
/// let request = FileRequest::new("GET", "/Cargo.toml", |_| None);
/// assert!(matches!(answer(&sites, &request)?, Answer::Response(_)));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the file system that do not mean that the file is missing, such as a lack of permission.
pub fn answer(sites: &[Site], request: &FileRequest) -> io::Result<Answer> {
    let Some(found) = find(sites, request)? else {
        return Ok(Answer::Missing);
    };
    if !matches!(request.method.as_str(), "GET" | "HEAD") {
        return Ok(Answer::MethodNotAllowed);
    }
    match found {
        Found::File(found) => answer_with_file(found, request),
        Found::Redirect { site, location } => {
            let mut headers = site.headers.clone();
            headers.push(("location".to_owned(), location + &request.query));
            Ok(Answer::Response(FileResponse {
                status: 301,
                headers,
                body: FileBody::Empty,
            }))
        }
    }
}

fn answer_with_file(found: FoundFile<'_>, request: &FileRequest) -> io::Result<Answer> {
    let size = found.opened.size;
    let validators = Validators::of(&found.opened, found.coding);
    let mut headers = Headers(found.site.headers.clone());
    if !found.vary.is_empty() {
        headers.add("vary", found.vary);
    }
    let ranges = match select(request, &validators, size) {
        Selection::PreconditionFailed => return Ok(Answer::PreconditionFailed),
        Selection::RangeNotSatisfiable => return Ok(Answer::RangeNotSatisfiable { size }),
        Selection::NotModified => {
            headers.0.extend(validators.headers(true));
            return Ok(Answer::Response(FileResponse {
                status: 304,
                headers: headers.0,
                body: FileBody::Empty,
            }));
        }
        Selection::Whole => Vec::new(),
        Selection::Ranges(ranges) => ranges,
    };
    headers.0.extend(validators.headers(false));
    headers.add("accept-ranges", "bytes");
    if let Some(coding) = found.coding {
        headers.add("content-encoding", coding.name());
    }
    let status = if ranges.is_empty() { 200 } else { 206 };
    let parts = match ranges.as_slice() {
        [] if size == 0 => Vec::new(),
        [] => vec![Part::Range(ByteRange {
            first: 0,
            last: size - 1,
        })],
        [range] => {
            headers.add("content-range", range.content_range(size));
            vec![Part::Range(*range)]
        }
        ranges => {
            let boundary = boundary();
            let parts = multipart(ranges, size, &found.content_type, &boundary);
            headers.add(
                "content-type",
                format!("multipart/byteranges; boundary={boundary}"),
            );
            parts
        }
    };
    if ranges.len() < 2 {
        headers.add("content-type", found.content_type);
    }
    let body = body_of(FileReader::new(found.opened.file, parts), request)?;
    Ok(Answer::Response(FileResponse {
        status,
        headers: headers.0,
        body,
    }))
}

/// Reads a small body. A file that has become shorter is an error, because no part of the response is sent yet.
fn body_of(reader: FileReader, request: &FileRequest) -> io::Result<FileBody> {
    let length = reader.length();
    if request.method == "HEAD" {
        return Ok(FileBody::Absent { length });
    }
    if length > WHOLE_BYTES {
        return Ok(FileBody::Stream(reader));
    }
    reader.read_all().map(FileBody::Whole)
}

/// Returns the parts of a body with several ranges (RFC 9110, 14.6).
fn multipart(ranges: &[ByteRange], size: u64, content_type: &str, boundary: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for range in ranges {
        let content_range = range.content_range(size);
        let head = format!(
            "\r\n--{boundary}\r\ncontent-type: {content_type}\r\ncontent-range: {content_range}\r\n\r\n"
        );
        parts.push(Part::Bytes(head.into_bytes()));
        parts.push(Part::Range(*range));
    }
    parts.push(Part::Bytes(format!("\r\n--{boundary}--\r\n").into_bytes()));
    parts
}

/// Returns 128 random bits. Nobody can put the boundary into a file, because nobody knows it.
fn boundary() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random())
}

struct Headers(Vec<(String, String)>);

impl Headers {
    fn add(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_owned(), value.into()));
    }
}
