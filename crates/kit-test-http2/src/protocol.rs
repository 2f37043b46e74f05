//! Requirements of RFC 9113, section by section: reaction of the server to single frames.

use crate::cases::{Case, PROTOCOL_ERROR, REFUSED_STREAM};
use crate::client::Outcome::{Closed, GoAway, Response};
use crate::client::{
    Client, END_STREAM, HEADERS, PING, PREFACE, RST_STREAM, SETTINGS, WHOLE, fields, frame, request,
};
use crate::{Target, frame_cases, request_cases};

/// Sends the cases, each on its own connection. Returns the cases with another reaction than expected.
fn wrong(target: &Target, cases: Vec<Case>) -> Vec<String> {
    let mut wrong = Vec::new();
    for case in cases {
        let mut client = target.open();
        client.write(&case.bytes);
        let (outcome, body) = client.outcome(1);
        if !case.expected.contains(&outcome) {
            wrong.push(format!(
                "{} {}: {outcome:?} in place of {:?} {}",
                case.section,
                case.name,
                case.expected,
                String::from_utf8_lossy(&body)
            ));
        }
    }
    wrong
}

/// Sends single frames, and checks the reactions.
pub fn reacts_to_frames_as_rfc_9113_requires(target: &Target) {
    let cases = frame_cases::all();
    assert_eq!(cases.len(), 50, "write the number of cases into README.md too");
    assert_eq!(wrong(target, cases), Vec::<String>::new());
}

/// Sends valid and invalid requests, and checks the reactions.
pub fn reacts_to_requests_as_rfc_9113_requires(target: &Target) {
    let cases = request_cases::all();
    assert_eq!(cases.len(), 46, "write the number of cases into README.md too");
    assert_eq!(wrong(target, cases), Vec::<String>::new());
}

/// Checks the beginning of a connection, and `PING`.
pub fn begins_a_connection_with_settings_and_refuses_another_preface(target: &Target) {
    let (address, config) = (&target.address, &target.config);
    let mut client = Client::connect(address, config);
    client.write(&[PREFACE, &frame(SETTINGS, 0, 0, &[])].concat());
    let first = client.read().unwrap();
    assert_eq!(
        (first.kind, first.flags & END_STREAM),
        (SETTINGS, 0),
        "3.4: SETTINGS come first"
    );
    let is_ack = client.read_kind(SETTINGS).unwrap().flags & END_STREAM == 1;
    assert!(is_ack, "6.5.3: SETTINGS are acknowledged");
    client.send(PING, 0, 0, b"12345678");
    let pong = client.read_kind(PING).unwrap();
    assert_eq!(
        (pong.flags, &pong.payload[..]),
        (1, &b"12345678"[..]),
        "6.7: PING is answered"
    );
    let mut early = Client::connect(address, config);
    early.write(PREFACE);
    early.get(1, "/origin");
    let (outcome, _) = early.outcome(1);
    // RFC 9113, 3.4 requires an error, which h2 does not report.
    assert!(
        matches!(outcome, GoAway(PROTOCOL_ERROR) | Response(200)),
        "3.4: {outcome:?}"
    );
    let mut other = Client::connect(address, config);
    other.write(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let (outcome, _) = other.outcome(1);
    assert!(
        matches!(outcome, GoAway(PROTOCOL_ERROR) | Closed),
        "3.4: {outcome:?}"
    );
}

/// Opens more streams than the server permits.
pub fn refuses_streams_above_the_maximum_number_and_serves_the_others(target: &Target) {
    let mut client = target.open();
    let path = fields(&request("GET", "/slow"));
    let frames: Vec<u8> = (0..101)
        .flat_map(|number| frame(HEADERS, WHOLE, 2 * number + 1, &path))
        .collect();
    client.write(&frames);
    let refused = client.read_kind(RST_STREAM).unwrap();
    assert_eq!(
        (refused.stream, refused.number(0)),
        (201, REFUSED_STREAM),
        "5.1.2"
    );
    assert_eq!(client.outcome(199).0, Response(200));
}
