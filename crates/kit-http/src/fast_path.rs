//! Fast path without hyper, for requests that contain nothing unusual and whose responses one write can send.
//!
//! For nearly all requests, one read returns everything, the head contains nothing unusual, and the response has a few
//! kilobytes that the operating system accepts in one write. For such a request, hyper takes a third of the engine's time
//! although the guard has already done the checks: hyper parses the head again, builds a map of headers, passes the body
//! through a channel, and queues the response. So [`poll`] accepts such a request directly and writes such a response at
//! once. A head must arrive in one read. A body may arrive later, and may be chunked (module `partial_request`).
//!
//! A client may send several requests in a row without waiting for responses. The fast path then reads one request after the
//! other from memory, and sends the responses together (module `sending`).
//!
//! All other requests go to hyper unchanged. The decision is made again for the response: if the response does not qualify for
//! the fast path, hyper reads the request after all ([`Link::replay_to_hyper`]), and gets the response as soon as it has read
//! the request. On the wire both paths are identical to the byte, which `tests/engine/fast_path.rs` checks.

use std::cell::RefCell;
use std::io::{self, Cursor, Write as _};

use http::StatusCode;
use http::header::{CONNECTION, CONTENT_TYPE, DATE};
use kit_guard::PlainEnd;

use crate::date;
use crate::link::Link;
use crate::partial_request::{PartialRequest, Progress};
use crate::raw_request::{RawRequest, method_of, path_of};
use crate::request::Request;
use crate::response::{Response, View};
use crate::server_headers::DefaultHeaders;
use crate::state::{ConnectionState, Outcome};

/// Maximum size of a response on the fast path in bytes. The longer a response, the less the cost of hyper matters.
const MAX_RESPONSE: usize = 16 * 1024;
/// Content type of nearly all responses.
const JSON: &str = "application/json";
/// Size in bytes of the status line and of the header fields that the engine adds.
const OWN_FIELDS: usize = 256;

/// Reads and writes as much as possible without waiting. If `leaving` is true, the connection closes after the current request.
/// Returns `None` if hyper must continue, because a request or response does not qualify for the fast path.
pub(crate) fn poll(link: &Link, leaving: bool, scratch: &RefCell<Vec<u8>>) -> Option<Outcome> {
    if let Some(response) = link.take_fast_response() {
        if leaving {
            link.unread.borrow_mut().discard();
        }
        if write(link, &response, leaving, scratch).is_err() {
            return Some(Outcome::Done);
        }
    }
    if link.has_response() {
        return None;
    }
    let is_idle = link.is_idle();
    if is_idle && link.has_passed() {
        return None;
    }
    let is_next_known = is_idle && link.has_unread();
    if !is_next_known || !link.can_hold() {
        match link.flush() {
            Ok(true) => {}
            Ok(false) => return Some(Outcome::Waiting),
            Err(_) => return Some(Outcome::Done),
        }
    }
    if link.has_partial_request() {
        return read_more(link, scratch);
    }
    // The next request is read only after the client has got the response to the request before.
    if !is_idle || link.socket.borrow().has_unsent() {
        return Some(Outcome::Waiting);
    }
    if is_next_known {
        return read_next(link);
    }
    if leaving {
        let finished = link.socket.borrow_mut().finish();
        // The last response is written, so another error only means that the client has disconnected.
        let is_blocked = finished.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock);
        return Some(if is_blocked {
            Outcome::Waiting
        } else if link.socket.borrow().is_readable() {
            Outcome::Ended
        } else {
            Outcome::Done
        });
    }
    if link.socket.borrow().is_readable() {
        read(link, scratch)
    } else {
        Some(Outcome::Waiting)
    }
}

/// Reads from the socket. If the client has sent several requests, stores the bytes after the first one.
fn read(link: &Link, scratch: &RefCell<Vec<u8>>) -> Option<Outcome> {
    let mut scratch = scratch.borrow_mut();
    let count = match link.socket.borrow_mut().read(&mut scratch) {
        Ok(0) => return Some(Outcome::Done),
        Ok(count) => count,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Some(Outcome::Waiting),
        Err(_) => return Some(Outcome::Done),
    };
    let input = &scratch[..count];
    let Some((taken, outcome)) = receive(link, input) else {
        link.admit(input);
        return None;
    };
    link.unread.borrow_mut().store(&input[taken..]);
    Some(outcome)
}

/// Reads the next request from the bytes that the client has sent in advance.
fn read_next(link: &Link) -> Option<Outcome> {
    let mut unread = link.unread.borrow_mut();
    let Some((taken, outcome)) = receive(link, unread.bytes()) else {
        link.admit(unread.bytes());
        unread.discard();
        return None;
    };
    unread.advance(taken);
    Some(outcome)
}

/// Receives the request at the beginning of the input. Returns the number of bytes that belong to the request, and the outcome.
/// Returns `None` if hyper must read the input.
fn receive(link: &Link, input: &[u8]) -> Option<(usize, Outcome)> {
    let layout = link
        .guard
        .borrow_mut()
        .simple_head(input, link.body_rules.largest())?;
    if layout.end == layout.head_end && !layout.is_chunked {
        accept(link, RawRequest::new(&input[..layout.end], layout));
        return Some((layout.end, Outcome::Waiting));
    }
    let rules = link
        .body_rules
        .of(method_of(input, &layout), path_of(input, &layout));
    let mut progress = Progress::new(layout, rules.limit);
    match progress.end_in(input) {
        PlainEnd::Unusual => None,
        // The handler reads such a body in chunks. A body with a length that has arrived already is one chunk.
        _ if rules.is_streamed && (layout.is_chunked || input.len() < layout.end) => None,
        PlainEnd::At(end) => {
            accept(link, progress.finish(&input[..end]));
            Some((end, Outcome::Waiting))
        }
        PlainEnd::Incomplete => {
            let bytes = input.to_vec();
            *link.state.borrow_mut() = ConnectionState::Partial(Box::new(PartialRequest { bytes, progress }));
            Some((input.len(), Outcome::Again))
        }
    }
}

/// Reads more of a request whose head is complete.
fn read_more(link: &Link, scratch: &RefCell<Vec<u8>>) -> Option<Outcome> {
    // The rest of the body is read only after the client has got the responses to earlier requests.
    if link.socket.borrow().has_unsent() {
        return Some(Outcome::Waiting);
    }
    let mut scratch = scratch.borrow_mut();
    let count = match link.socket.borrow_mut().read(&mut scratch) {
        Ok(count @ 1..) => count,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Some(Outcome::Waiting),
        // The client has disconnected.
        Ok(_) | Err(_) => return Some(Outcome::Ended),
    };
    let mut partial = link.take_partial_request()?;
    partial.bytes.extend_from_slice(&scratch[..count]);
    match partial.progress.end_in(&partial.bytes) {
        PlainEnd::At(end) => {
            accept(link, partial.progress.finish(&partial.bytes[..end]));
            link.unread.borrow_mut().store(&partial.bytes[end..]);
            Some(Outcome::Waiting)
        }
        PlainEnd::Incomplete => {
            *link.state.borrow_mut() = ConnectionState::Partial(partial);
            Some(Outcome::Again)
        }
        PlainEnd::Unusual => {
            link.admit(&partial.bytes);
            None
        }
    }
}

/// Records that a request is complete.
fn accept(link: &Link, request: RawRequest) {
    let remote = link.socket.borrow().peer();
    *link.state.borrow_mut() = ConnectionState::Received(Request::raw(request, remote));
}

/// Returns true if the response to a request may take the fast path. Unusual responses are written by hyper,
/// so that the fast path does not need their rules.
pub(crate) fn is_eligible(request: &Request, response: &Response, defaults: &DefaultHeaders) -> bool {
    if request.as_raw().is_none() || request.method() == "HEAD" {
        return false;
    }
    let View {
        status,
        content_type,
        headers,
        body,
    } = response.view();
    let mut length = OWN_FIELDS + defaults.length() + body.len();
    for (name, value) in headers {
        // `connection` may close the connection, `date` replaces the engine's own header, and `content-type` would occur twice.
        if name == CONNECTION || name == DATE || (name == CONTENT_TYPE && content_type.is_some()) {
            return false;
        }
        length += name.as_str().len() + value.len() + 4;
    }
    length <= MAX_RESPONSE && (response.may_have_body() || (has_no_length(status) && body.is_empty()))
}

/// Returns true for a status whose responses have neither a body nor a length (RFC 9110, 8.6).
fn has_no_length(status: StatusCode) -> bool {
    status == StatusCode::NO_CONTENT || status == StatusCode::NOT_MODIFIED
}

/// Writes a response. Holds the response back if another request of the client has arrived already.
fn write(link: &Link, response: &Response, last: bool, scratch: &RefCell<Vec<u8>>) -> io::Result<()> {
    let mut scratch = scratch.borrow_mut();
    let mut out = Cursor::new(&mut scratch[..]);
    // The buffer is large enough, as `is_eligible` has checked.
    encode(response, last, &link.defaults, &mut out)?;
    let length = usize::try_from(out.position()).unwrap_or(0);
    link.send(&scratch[..length], link.has_unread())
}

/// Encodes a response with exactly the bytes that hyper would write.
fn encode(
    response: &Response,
    last: bool,
    defaults: &DefaultHeaders,
    out: &mut Cursor<&mut [u8]>,
) -> io::Result<()> {
    let View {
        status,
        content_type,
        headers,
        body,
    } = response.view();
    if status == StatusCode::OK && content_type.is_some_and(|value| value == JSON) {
        out.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")?;
    } else {
        out.write_all(b"HTTP/1.1 ")?;
        out.write_all(status.as_str().as_bytes())?;
        out.write_all(b" ")?;
        out.write_all(status.canonical_reason().unwrap_or("<none>").as_bytes())?;
        out.write_all(b"\r\n")?;
        if let Some(content_type) = content_type {
            field(out, "content-type", content_type.as_bytes())?;
        }
    }
    for line in defaults.lines(headers) {
        out.write_all(line.as_bytes())?;
    }
    for (index, (name, value)) in headers.iter().enumerate() {
        // If a name occurs several times, all its values are written at the position of the first one.
        if headers[..index].iter().any(|(before, _)| before == name) {
            continue;
        }
        field(out, name.as_str(), value.as_bytes())?;
        for (_, again) in headers[index + 1..].iter().filter(|(other, _)| other == name) {
            field(out, name.as_str(), again.as_bytes())?;
        }
    }
    if last {
        out.write_all(b"connection: close\r\n")?;
    }
    if !has_no_length(status) {
        out.write_all(b"content-length: ")?;
        out.write_all(decimal(body.len(), &mut [0; 22]))?;
    }
    date::with_end_of_head(|end| out.write_all(end))?;
    out.write_all(body)
}

fn field(out: &mut Cursor<&mut [u8]>, name: &str, value: &[u8]) -> io::Result<()> {
    out.write_all(name.as_bytes())?;
    out.write_all(b": ")?;
    out.write_all(value)?;
    out.write_all(b"\r\n")
}

/// Writes a number and a line break to the end of a buffer, and returns both.
fn decimal(mut number: usize, line: &mut [u8; 22]) -> &[u8] {
    let mut start = line.len() - 2;
    line[start..].copy_from_slice(b"\r\n");
    loop {
        start -= 1;
        #[allow(clippy::cast_possible_truncation)] // a digit
        let digit = (number % 10) as u8;
        line[start] = b'0' + digit;
        number /= 10;
        if number == 0 {
            return &line[start..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn formats_content_lengths_in_decimal() {
        for number in [0, 7, 10, 99, 100, 16_384, usize::MAX] {
            assert_eq!(decimal(number, &mut [0; 22]), format!("{number}\r\n").as_bytes());
        }
    }
}
