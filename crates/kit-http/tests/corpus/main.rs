//! Tests the engine with `conformance/http-raw.json`: each case in one piece, split at every byte, and byte by byte.
//! The engine and its client share one thread, so that no waiting is needed and the engine sees every split.
#![allow(clippy::disallowed_methods)] // the cases are read from a file

mod both_ways;
mod case;
mod peer;

use std::time::{Duration, Instant};

use kit_http::{Config, Timeouts};

use crate::case::{Case, Then};
use crate::peer::{Peer, Seen, Server};

/// Maximum number of positions at which the bytes of a case are split.
const MOST_CUTS: usize = 400;

#[test]
fn responds_to_every_case_of_the_corpus_as_expected() {
    let server = Server::start(Config::default());
    for case in case::all() {
        let mut peer = Peer::connect(&server);
        peer.send(&server, &case.bytes);
        check(&case, &peer.seen(&case));
        if case.then == Then::Open {
            peer.send(&server, b"GET /further HTTP/1.1\r\nHost: a\r\n\r\n");
            let seen = peer.seen_with(&case, &["GET"]);
            assert!(!seen.ended && seen.rest.is_empty(), "{}: {seen:?}", case.name);
            let last = seen.answers.last().expect("an answer");
            assert_eq!(
                (last.status, last.said("target")),
                (200, Some("/further")),
                "{}",
                case.name
            );
        }
    }
}

#[test]
fn responses_do_not_depend_on_the_position_at_which_a_request_is_split() {
    let server = Server::start(Config::default());
    for case in case::all() {
        let step = case.bytes.len().div_ceil(MOST_CUTS);
        for cut in (1..case.bytes.len()).step_by(step) {
            let mut peer = Peer::connect(&server);
            peer.send(&server, &case.bytes[..cut]);
            peer.send(&server, &case.bytes[cut..]);
            let seen = peer.seen(&case);
            assert!(agrees(&case, &seen), "{}, cut at {cut}: {seen:?}", case.name);
        }
        let mut peer = Peer::connect(&server);
        for byte in &case.bytes {
            peer.send(&server, &[*byte]);
        }
        let seen = peer.seen(&case);
        assert!(agrees(&case, &seen), "{}, byte by byte: {seen:?}", case.name);
    }
}

#[test]
fn request_that_never_completes_times_out() {
    let patience = Duration::from_millis(20);
    let server = Server::start(Config {
        timeouts: Timeouts {
            head: patience,
            body: patience,
            idle: patience,
            ..Timeouts::default()
        },
        ..Config::default()
    });
    let mut waiting = 0;
    for case in case::all().into_iter().filter(|case| case.then == Then::Wait) {
        waiting += 1;
        let mut peer = Peer::connect(&server);
        peer.send(&server, &case.bytes);
        let start = Instant::now();
        let mut seen = peer.seen(&case);
        while !seen.ended {
            assert!(
                start.elapsed() < Duration::from_secs(5),
                "{}: never ended",
                case.name
            );
            std::thread::sleep(Duration::from_millis(1));
            server.turn();
            peer.read();
            seen = peer.seen(&case);
        }
        let statuses: Vec<u16> = seen.answers.iter().map(|answer| answer.status).collect();
        let mut expected: Vec<u16> = case.answers.iter().map(|answer| answer.status).collect();
        expected.extend(case.timeout);
        assert_eq!(statuses, expected, "{}", case.name);
    }
    assert!(waiting > 5, "the corpus has lost its cases");
}

fn check(case: &Case, seen: &Seen) {
    assert!(
        agrees(case, seen),
        "{}: expected {:?}, then {:?}; saw {seen:#?}",
        case.name,
        case.answers,
        case.then
    );
}

/// Returns true if the client received exactly the responses that the case expects.
fn agrees(case: &Case, seen: &Seen) -> bool {
    let mut answers = seen.answers.iter().peekable();
    for expected in &case.answers {
        match answers.peek() {
            Some(answer) if expected.fits(answer) => {
                answers.next();
            }
            _ if expected.optional => {}
            _ => return false,
        }
    }
    answers.next().is_none() && seen.rest.is_empty() && seen.ended == (case.then == Then::Close)
}
