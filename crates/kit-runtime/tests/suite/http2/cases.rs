//! Cases of the tests after RFC 9113.

use super::client::Outcome::{self, GoAway, Reset, Response};
use super::client::{END_HEADERS, HEADERS, WHOLE, fields, frame, request};

pub(super) const PROTOCOL_ERROR: u32 = 1;
pub(super) const FLOW_CONTROL_ERROR: u32 = 3;
pub(super) const STREAM_CLOSED: u32 = 5;
pub(super) const FRAME_SIZE_ERROR: u32 = 6;
pub(super) const REFUSED_STREAM: u32 = 7;
pub(super) const COMPRESSION_ERROR: u32 = 9;
pub(super) const ENHANCE_YOUR_CALM: u32 = 11;

/// Bytes after the begin of a connection, and the permitted reactions on stream 1.
pub(super) struct Case {
    pub(super) section: &'static str,
    pub(super) name: &'static str,
    pub(super) bytes: Vec<u8>,
    pub(super) expected: Vec<Outcome>,
}

/// Error of the connection with this code, or its end. The server may close the connection before the client reads.
pub(super) fn broken(code: u32) -> Vec<Outcome> {
    vec![GoAway(code)]
}

/// Error of the connection for which RFC 9113 names this code. h2 uses the general code `PROTOCOL_ERROR` for all of these.
pub(super) fn general(code: u32) -> Vec<Outcome> {
    vec![GoAway(code), Reset(code), GoAway(PROTOCOL_ERROR)]
}

/// Error of the stream with this code, which h2 does not notice.
pub(super) fn ignored(code: u32) -> Vec<Outcome> {
    vec![Reset(code), GoAway(code), Response(200)]
}

/// Error of the stream with this code. RFC 9113, 5.4.2 permits an error of the connection in its place.
pub(super) fn reset(code: u32) -> Vec<Outcome> {
    vec![Reset(code), GoAway(code)]
}

pub(super) fn answered(status: u16) -> Vec<Outcome> {
    vec![Response(status)]
}

pub(super) fn get() -> Vec<u8> {
    frame(HEADERS, WHOLE, 1, &fields(&request("GET", "/origin")))
}

/// Returns the request with changed fields.
pub(super) fn with(changed: &[(&str, &str)]) -> Vec<u8> {
    let all = [&request("GET", "/origin")[..], changed].concat();
    frame(HEADERS, WHOLE, 1, &fields(&all))
}

pub(super) fn only(all: &[(&str, &str)]) -> Vec<u8> {
    frame(HEADERS, WHOLE, 1, &fields(all))
}

/// Returns the head of a request with a body.
pub(super) fn post(extra: &[(&str, &str)]) -> Vec<u8> {
    let mut all = request("POST", "/echo");
    all.push(("content-type", "application/json"));
    all.extend(extra);
    frame(HEADERS, END_HEADERS, 1, &fields(&all))
}

pub(super) fn case(
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
