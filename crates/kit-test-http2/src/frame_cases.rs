//! Cases of frames (RFC 9113, 4 to 6).

use crate::cases::{
    COMPRESSION_ERROR, Case, ENHANCE_YOUR_CALM, FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR, PROTOCOL_ERROR,
    STREAM_CLOSED, answered, broken, case, general, get, post, reset,
};
use crate::client::{
    CONTINUATION, DATA, END_STREAM, GOAWAY, HEADERS, PADDED, PING, PRIORITY, PUSH_PROMISE, RST_STREAM,
    SETTINGS, WHOLE, WINDOW_UPDATE, fields, frame, request,
};

pub(crate) fn all() -> Vec<Case> {
    let body = || frame(DATA, END_STREAM, 1, b"\"text\"");
    let setting = |name: u8, value: u32| {
        let mut payload = vec![0, name];
        payload.extend(value.to_be_bytes());
        frame(SETTINGS, 0, 0, &payload)
    };
    let update = |stream, value: u32| frame(WINDOW_UPDATE, 0, stream, &value.to_be_bytes());
    let block = fields(&request("GET", "/origin"));
    let begin = || frame(HEADERS, END_STREAM, 1, &block[..10]);
    let slow = |stream| frame(HEADERS, WHOLE, stream, &fields(&request("GET", "/slow")));
    vec![
        case(
            "4.1",
            "a frame of an unknown type",
            &[frame(99, 255, 0, b"abc"), get()],
            answered(200),
        ),
        case(
            "4.1",
            "an undefined flag",
            &[frame(HEADERS, WHOLE | 0x40, 1, &block)],
            answered(200),
        ),
        case(
            "4.1",
            "the reserved bit of a stream",
            &[frame(HEADERS, WHOLE, 1 | 1 << 31, &block)],
            answered(200),
        ),
        case(
            "4.2",
            "a frame above the maximum size",
            &[post(&[]), frame(DATA, 1, 1, &[b' '; 16_385])],
            broken(FRAME_SIZE_ERROR),
        ),
        case(
            "4.3",
            "an invalid header section",
            &[frame(HEADERS, WHOLE, 1, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff])],
            general(COMPRESSION_ERROR),
        ),
        case(
            "4.3",
            "an index that the table does not have",
            &[frame(HEADERS, WHOLE, 1, &[0xfe])],
            general(COMPRESSION_ERROR),
        ),
        case(
            "4.3",
            "another frame in a header section",
            &[begin(), frame(PING, 0, 0, &[0; 8])],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "5.1",
            "DATA on an idle stream",
            &[frame(DATA, 1, 1, b"a")],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "5.1",
            "RST_STREAM on an idle stream",
            &[frame(RST_STREAM, 0, 1, &[0, 0, 0, 8])],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "5.1",
            "WINDOW_UPDATE on an idle stream",
            &[update(1, 1)],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "5.1",
            "CONTINUATION on an idle stream",
            &[frame(CONTINUATION, 4, 1, &block)],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "5.1",
            "PRIORITY on an idle stream",
            &[frame(PRIORITY, 0, 3, &[0, 0, 0, 0, 1]), get()],
            answered(200),
        ),
        case(
            "5.1",
            "DATA after the end of a request",
            &[slow(1), body()],
            general(STREAM_CLOSED),
        ),
        case(
            "5.1",
            "HEADERS after the end of a request",
            &[slow(1), get()],
            general(STREAM_CLOSED),
        ),
        case(
            "5.1.1",
            "an even stream",
            &[frame(HEADERS, WHOLE, 2, &block)],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "5.1.1",
            "a lower stream than before",
            &[slow(5), get()],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.1",
            "DATA on stream 0",
            &[frame(DATA, 1, 0, b"a")],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.1",
            "DATA with more padding than payload",
            &[post(&[]), frame(DATA, 1 | PADDED, 1, &[5, 0])],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.1",
            "DATA with padding",
            &[post(&[]), frame(DATA, 1 | PADDED, 1, b"\x02\"text\"\0\0")],
            answered(200),
        ),
        case(
            "6.2",
            "HEADERS on stream 0",
            &[frame(HEADERS, WHOLE, 0, &block)],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.2",
            "HEADERS with more padding than payload",
            &[frame(HEADERS, WHOLE | PADDED, 1, &[9, 0x82])],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.2",
            "HEADERS with padding",
            &[frame(
                HEADERS,
                WHOLE | PADDED,
                1,
                &[&[2][..], &block, &[0, 0]].concat(),
            )],
            answered(200),
        ),
        case(
            "6.2",
            "HEADERS with a priority",
            &[frame(
                HEADERS,
                WHOLE | 0x20,
                1,
                &[&[0, 0, 0, 0, 1][..], &block].concat(),
            )],
            answered(200),
        ),
        case(
            "6.3",
            "PRIORITY on stream 0",
            &[frame(PRIORITY, 0, 0, &[0, 0, 0, 1, 1])],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.3",
            "PRIORITY of another length",
            &[slow(1), frame(PRIORITY, 0, 1, &[0; 4])],
            general(FRAME_SIZE_ERROR),
        ),
        case(
            "6.4",
            "RST_STREAM on stream 0",
            &[frame(RST_STREAM, 0, 0, &[0; 4])],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.4",
            "RST_STREAM of another length",
            &[slow(1), frame(RST_STREAM, 0, 1, &[0; 3])],
            general(FRAME_SIZE_ERROR),
        ),
        case(
            "6.5",
            "SETTINGS of a stream",
            &[frame(SETTINGS, 0, 1, &[])],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.5",
            "SETTINGS with ACK and a payload",
            &[frame(SETTINGS, 1, 0, &[0; 6])],
            general(FRAME_SIZE_ERROR),
        ),
        case(
            "6.5",
            "SETTINGS of another length",
            &[frame(SETTINGS, 0, 0, &[0; 5])],
            general(FRAME_SIZE_ERROR),
        ),
        case(
            "6.5.2",
            "an unknown setting",
            &[setting(99, 1), get()],
            answered(200),
        ),
        case(
            "6.5.2",
            "ENABLE_PUSH of 2",
            &[setting(2, 2)],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.5.2",
            "INITIAL_WINDOW_SIZE above the maximum",
            &[setting(4, 1 << 31)],
            general(FLOW_CONTROL_ERROR),
        ),
        case(
            "6.5.2",
            "MAX_FRAME_SIZE below the minimum",
            &[setting(5, 100)],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.5.2",
            "MAX_FRAME_SIZE above the maximum",
            &[setting(5, 1 << 24)],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.6",
            "PUSH_PROMISE of a client",
            &[frame(PUSH_PROMISE, 4, 1, &[0, 0, 0, 2, 0x82])],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.7",
            "PING of a stream",
            &[frame(PING, 0, 1, &[0; 8])],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.7",
            "PING of another length",
            &[frame(PING, 0, 0, &[0; 6])],
            general(FRAME_SIZE_ERROR),
        ),
        case(
            "6.7",
            "PING with ACK that nobody asked for",
            &[frame(PING, 1, 0, &[1; 8]), get()],
            answered(200),
        ),
        case(
            "6.8",
            "GOAWAY of a stream",
            &[frame(GOAWAY, 0, 1, &[0; 8])],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.9",
            "WINDOW_UPDATE of 0 for the connection",
            &[update(0, 0)],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.9",
            "WINDOW_UPDATE of 0 for a stream",
            &[slow(1), update(1, 0)],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "6.9",
            "WINDOW_UPDATE of another length",
            &[frame(WINDOW_UPDATE, 0, 0, &[0; 3])],
            general(FRAME_SIZE_ERROR),
        ),
        case(
            "6.9.1",
            "a window of the connection above the maximum",
            &[update(0, (1 << 31) - 1)],
            broken(FLOW_CONTROL_ERROR),
        ),
        case(
            "6.9.1",
            "a window of a stream above the maximum",
            &[slow(1), update(1, (1 << 31) - 1)],
            reset(FLOW_CONTROL_ERROR),
        ),
        case(
            "6.10",
            "CONTINUATION on stream 0",
            &[begin(), frame(CONTINUATION, 4, 0, &block[10..])],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.10",
            "CONTINUATION of another stream",
            &[begin(), frame(CONTINUATION, 4, 3, &block[10..])],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.10",
            "CONTINUATION after the end of a header section",
            &[slow(1), frame(CONTINUATION, 4, 1, &block)],
            broken(PROTOCOL_ERROR),
        ),
        case(
            "6.10",
            "a header section in three frames",
            &[
                begin(),
                frame(CONTINUATION, 0, 1, &block[10..20]),
                frame(CONTINUATION, 4, 1, &block[20..]),
            ],
            answered(200),
        ),
        case(
            "10.5.1",
            "more CONTINUATION frames than a header section needs",
            &[begin(), frame(CONTINUATION, 0, 1, &block[10..11]).repeat(900)],
            broken(ENHANCE_YOUR_CALM),
        ),
    ]
}
