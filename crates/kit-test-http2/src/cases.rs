//! Cases by the rules of RFC 9113.

use crate::client::Outcome::{self, GoAway, Reset, Response};
use crate::client::{END_HEADERS, HEADERS, WHOLE, fields, frame, request};

pub(crate) const PROTOCOL_ERROR: u32 = 1;
pub(crate) const FLOW_CONTROL_ERROR: u32 = 3;
pub(crate) const STREAM_CLOSED: u32 = 5;
pub(crate) const FRAME_SIZE_ERROR: u32 = 6;
pub(crate) const REFUSED_STREAM: u32 = 7;
pub(crate) const COMPRESSION_ERROR: u32 = 9;
pub(crate) const ENHANCE_YOUR_CALM: u32 = 11;

/// Bytes after the start of a connection, and the permitted reactions on stream 1.
pub(crate) struct Case {
    pub(crate) section: &'static str,
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) expected: Vec<Outcome>,
}

/// Error of the connection with this code, or its end. The server may close the connection before the client reads.
pub(crate) fn broken(code: u32) -> Vec<Outcome> {
    vec![GoAway(code)]
}

/// Error of the connection for which RFC 9113 names this code. h2 uses the general code `PROTOCOL_ERROR` for all of these.
pub(crate) fn general(code: u32) -> Vec<Outcome> {
    vec![GoAway(code), Reset(code), GoAway(PROTOCOL_ERROR)]
}

/// Error of the stream with this code, which h2 does not notice.
pub(crate) fn ignored(code: u32) -> Vec<Outcome> {
    vec![Reset(code), GoAway(code), Response(200)]
}

/// Error of the stream with this code. RFC 9113, 5.4.2 permits an error of the connection in its place.
pub(crate) fn reset(code: u32) -> Vec<Outcome> {
    vec![Reset(code), GoAway(code)]
}

pub(crate) fn answered(status: u16) -> Vec<Outcome> {
    vec![Response(status)]
}

pub(crate) fn get() -> Vec<u8> {
    frame(HEADERS, WHOLE, 1, &fields(&request("GET", "/origin")))
}

/// Returns the request with changed fields.
pub(crate) fn with(changed: &[(&str, &str)]) -> Vec<u8> {
    let all = [&request("GET", "/origin")[..], changed].concat();
    frame(HEADERS, WHOLE, 1, &fields(&all))
}

pub(crate) fn only(all: &[(&str, &str)]) -> Vec<u8> {
    frame(HEADERS, WHOLE, 1, &fields(all))
}

/// Returns the head of a request with a body.
pub(crate) fn post(extra: &[(&str, &str)]) -> Vec<u8> {
    let mut all = request("POST", "/echo");
    all.push(("content-type", "application/json"));
    all.extend(extra);
    frame(HEADERS, END_HEADERS, 1, &fields(&all))
}

pub(crate) fn case(
    section: &'static str,
    name: &'static str,
    frames: &[Vec<u8>],
    expected: Vec<Outcome>,
) -> Case {
    Case {
        section,
        name,
        bytes: frames.concat(),
        expected,
    }
}
