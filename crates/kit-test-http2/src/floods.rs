//! Clients that send much, or read little, to keep the server busy.

#![allow(clippy::disallowed_methods)] // Reason: a file of the system has the memory of a process.

use crate::Target;
use crate::client::Outcome::{self, Closed, GoAway, Response};
use crate::client::{
    CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, PING, PRIORITY, RST_STREAM, SETTINGS, WHOLE,
    WINDOW_UPDATE, fields, frame, request,
};

const ENHANCE_YOUR_CALM: Outcome = GoAway(11);
/// Number of frames of a flood. The server ends the connection after far fewer frames.
const COUNT: u32 = 20_000;
/// Maximum growth of the server's memory during a flood, in KiB.
const GROWTH: u64 = 64 * 1024;

/// Returns the memory of a process in KiB.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Sends a flood until the server ends the connection. Returns the number of sent frames and the reaction.
fn flood(target: &Target, begin: &[u8], mut next: impl FnMut(u32) -> Vec<u8>) -> (u32, Outcome) {
    let mut client = target.open();
    client.write(begin);
    let mut count = 0;
    while count < COUNT {
        let batch: Vec<u8> = (0..50).flat_map(|index| next(count + index)).collect();
        count += 50;
        if !client.write(&batch) {
            break;
        }
    }
    (count, client.outcome(u32::MAX).0)
}

/// Floods the server in twelve ways. `process` is the process of the server, whose memory must not grow much.
pub fn ends_connections_that_flood_with_control_frames_and_serves_the_others(target: &Target, process: u32) {
    let mut other = target.open();
    other.get(1, "/origin");
    assert_eq!(other.outcome(1).0, Response(200));
    let before = memory(process);
    let mut post = request("POST", "/echo");
    post.push(("content-type", "application/json"));
    let post = frame(HEADERS, END_HEADERS, 1, &fields(&post));
    let get = fields(&request("GET", "/origin"));
    let cancelled = |number: u32| {
        let stream = 2 * number + 1;
        [
            frame(HEADERS, WHOLE, stream, &get),
            frame(RST_STREAM, 0, stream, &[0, 0, 0, 8]),
        ]
        .concat()
    };
    let malformed = |number: u32| {
        frame(
            HEADERS,
            WHOLE,
            2 * number + 1,
            &fields(&[(":scheme", "https"), (":path", "/")]),
        )
    };
    let zero_update = |number: u32| {
        let stream = 2 * number + 1;
        [
            frame(HEADERS, END_HEADERS, stream, &get),
            frame(WINDOW_UPDATE, 0, stream, &[0; 4]),
        ]
        .concat()
    };
    let is_ended = |name: &str, (count, outcome): (u32, Outcome)| {
        assert!(
            matches!(outcome, ENHANCE_YOUR_CALM | Closed),
            "{name}: {outcome:?}"
        );
        assert!(
            count < COUNT || outcome == ENHANCE_YOUR_CALM,
            "{name}: {count} frames"
        );
    };
    let same = |bytes: Vec<u8>| move |_: u32| bytes.clone();
    is_ended("PING", flood(target, &[], same(frame(PING, 0, 0, &[0; 8]))));
    is_ended("SETTINGS", flood(target, &[], same(frame(SETTINGS, 0, 0, &[]))));
    is_ended(
        "PRIORITY",
        flood(target, &[], same(frame(PRIORITY, 0, 1, &[0, 0, 0, 3, 1]))),
    );
    is_ended(
        "WINDOW_UPDATE",
        flood(target, &[], same(frame(WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1]))),
    );
    is_ended("empty DATA", flood(target, &post, same(frame(DATA, 0, 1, &[]))));
    is_ended("unknown frames", flood(target, &[], same(frame(77, 0, 0, &[]))));
    is_ended("rapid reset", flood(target, &[], cancelled));
    is_ended("resets by errors", flood(target, &[], malformed));
    // h2 ends the connection at the first of these errors, or resets each stream.
    let (_, outcome) = flood(target, &[], zero_update);
    assert!(matches!(outcome, GoAway(1 | 11) | Closed), "{outcome:?}");
    let begin = frame(HEADERS, END_STREAM, 1, &get);
    is_ended(
        "CONTINUATION",
        flood(
            target,
            &begin,
            same(frame(CONTINUATION, 0, 1, &[0, 1, b'x', 1, b'1'])),
        ),
    );
    is_ended(
        "empty CONTINUATION",
        flood(target, &begin, same(frame(CONTINUATION, 0, 1, &[]))),
    );
    // The server refuses the body, and resets the stream.
    let mut large = request("POST", "/echo");
    large.push(("content-length", "999999999"));
    let large = frame(HEADERS, END_HEADERS, 1, &fields(&large));
    is_ended(
        "trailers of a stream that the server has reset",
        flood(
            target,
            &large,
            same(frame(HEADERS, WHOLE, 1, &fields(&[("a", "b")]))),
        ),
    );
    let after = memory(process);
    assert!(after < before + GROWTH, "{before} KiB became {after} KiB");
    // The table for header compression is full of one header, and each request refers to it many times.
    let value = "a".repeat(3900);
    let mut bomb = fields(&request("GET", "/origin"));
    bomb.extend([0x40, 1, b'x']);
    bomb.extend(&fields(&[("", value.as_str())])[2..]);
    bomb.extend([0xbe; 4000]);
    let mut client = target.open();
    client.send(HEADERS, WHOLE, 1, &bomb);
    assert!(matches!(client.outcome(1).0, ENHANCE_YOUR_CALM | Response(431)));
    let after = memory(process);
    assert!(after < before + GROWTH, "{before} KiB became {after} KiB");
    other.get(3, "/big");
    other.send(WINDOW_UPDATE, 0, 0, &[0, 64, 0, 0]);
    other.send(WINDOW_UPDATE, 0, 3, &[0, 64, 0, 0]);
    other.read_kind(DATA).unwrap();
    let mut last = target.open();
    last.get(1, "/origin");
    assert_eq!(last.outcome(1).0, Response(200));
}

/// Requests many large responses without reading them, three times. The server waits 1.5 seconds for a client that does not read,
/// and then frees the responses. glibc gives large blocks back to the system until the first of them was freed, and may keep
/// the memory of later ones for reuse. So only the growth after the second time shows a leak.
pub fn frees_responses_that_no_client_reads(target: &Target, process: u32) {
    request_without_reading(target);
    request_without_reading(target);
    let before = memory(process);
    request_without_reading(target);
    let after = memory(process);
    assert!(after < before + 2 * GROWTH, "{before} KiB became {after} KiB");
}

/// Requests 400 responses of 1 MiB each, and waits until the server has ended the connections.
fn request_without_reading(target: &Target) {
    let mut clients = Vec::new();
    for _ in 0..8 {
        let mut client = target.open();
        // INITIAL_WINDOW_SIZE of 0: the server may not send a byte of a body.
        client.send(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]);
        for stream in 0..50 {
            client.get(2 * stream + 1, "/big");
        }
        clients.push(client);
    }
    for client in &mut clients {
        assert_eq!(client.outcome(u32::MAX).0, ENHANCE_YOUR_CALM);
    }
    let mut client = target.open();
    client.get(1, "/origin");
    assert_eq!(client.outcome(1).0, Response(200));
}
