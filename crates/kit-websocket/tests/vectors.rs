//! The conformance vectors of WebSockets, with every division of the bytes into two parts.

use std::fmt::Write as _;

use kit_websocket::{Compression, Message, Session};
use serde_json::Value;

/// Messages in the form of the vectors, payloads of pongs, code and reason of the close frame, and code and reason for the
/// application.
type Outcome = (Vec<Value>, Vec<String>, (u16, String), (u16, String));

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal"))
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a text");
        text
    })
}

fn run(parts: &[&[u8]], limit: usize, compression: Compression) -> Outcome {
    let mut session = Session::new(limit, compression);
    let mut messages = Vec::new();
    for part in parts {
        let mut part = part.to_vec();
        let mut start = 0;
        while start < part.len() {
            let received = session.receive(&mut part[start..]);
            start += received.taken;
            match received.message {
                Some(Message::Text(text)) => messages.push(Value::from(text.as_ref())),
                Some(Message::Binary(bytes)) => messages.push(serde_json::json!({ "hex": hex(&bytes) })),
                None => {}
            }
        }
    }
    let mut pongs = Vec::new();
    let mut output = session.output();
    // All frames of the server are control frames here, which have a header of two bytes.
    while let [0x8a, length, rest @ ..] = output {
        let (payload, after) = rest.split_at(usize::from(*length));
        pongs.push(hex(payload));
        output = after;
    }
    let sent = match output {
        [0x88, 0] => (1005, String::new()),
        [0x88, length, rest @ ..] => {
            assert_eq!(usize::from(*length), rest.len());
            let code = u16::from_be_bytes([rest[0], rest[1]]);
            (code, String::from_utf8(rest[2..].to_vec()).expect("text"))
        }
        other => panic!("no close frame: {other:x?}"),
    };
    let end = session.end().expect("an end");
    (messages, pongs, sent, (end.code, end.reason.clone()))
}

#[test]
fn handles_the_conformance_vectors_in_parts_of_any_size() {
    let document = include_str!("../../../conformance/websocket.json");
    let document: Value = serde_json::from_str(document).expect("JSON");
    let limit = usize::try_from(document["messageBytes"].as_u64().expect("a number")).expect("small");
    let cases = document["cases"].as_array().expect("cases");
    assert!(cases.len() > 100, "{}", cases.len());
    for case in cases {
        let name = case["name"].as_str().expect("a name");
        let input = bytes(case["input"].as_str().expect("bytes"));
        let compression = if case["compression"] == true {
            Compression::Deflate
        } else {
            Compression::None
        };
        let whole = run(&[&input], limit, compression);
        let (messages, pongs, sent, end) = &whole;
        assert_eq!(Value::from(messages.clone()), case["messages"], "{name}");
        let expected = case
            .get("pongs")
            .cloned()
            .unwrap_or_else(|| Value::from(Vec::<Value>::new()));
        assert_eq!(Value::from(pongs.clone()), expected, "{name}");
        assert_eq!(
            (sent.0, end.0),
            (
                end.0,
                u16::try_from(case["close"].as_u64().expect("a code")).expect("a code")
            ),
            "{name}"
        );
        if let Some(reason) = case.get("reason") {
            assert_eq!(*reason, end.1.as_str(), "{name}");
        }
        for cut in 0..=input.len() {
            let (first, second) = input.split_at(cut);
            assert_eq!(
                run(&[first, second], limit, compression),
                whole,
                "{name}, cut at {cut}"
            );
        }
        let single: Vec<&[u8]> = input.chunks(1).collect();
        assert_eq!(run(&single, limit, compression), whole, "{name}, byte by byte");
    }
}
