//! Tests of the error responses of the engine itself.

use std::collections::HashSet;
use std::time::Duration;

use kit_http::{Config, Timeouts};

use crate::support::{Answer, Server};

/// Returns the trace id in an error response. Asserts that everything else is as expected.
fn trace_id<'text>(answer: &'text Answer, code: &str) -> &'text str {
    let text = answer.text();
    let start = format!(r#"{{"error":{{"code":"{code}","message":""#);
    let rest = text.strip_prefix(&start).unwrap_or_else(|| panic!("{text}"));
    let (message, rest) = rest
        .split_once(r#"","traceId":""#)
        .unwrap_or_else(|| panic!("{text}"));
    assert!(!message.is_empty() && !message.contains(['"', '\\']), "{text}");
    rest.strip_suffix(r#""}}"#).unwrap_or_else(|| panic!("{text}"))
}

fn assert_date(answer: &Answer) {
    let date = answer.header("date").unwrap_or_else(|| panic!("{}", answer.head));
    let time = httpdate::parse_http_date(date).unwrap_or_else(|_| panic!("{date}"));
    let now = std::time::SystemTime::now();
    let age = now
        .duration_since(time)
        .unwrap_or_else(|_| panic!("{date} is in the future"));
    assert!(age < Duration::from_mins(1), "{date}");
    assert!(date.ends_with(" GMT") && date.len() == 29, "{date}");
}

#[test]
fn sends_a_different_trace_id_and_a_date_with_every_rejection() {
    let server = Server::with(&Config {
        timeouts: Timeouts {
            head: Duration::from_millis(50),
            ..Timeouts::default()
        },
        ..Config::default()
    });
    let long = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(8 * 1024));
    let large = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "a: b\r\n".repeat(100));
    let cases = [
        (400, "BAD_REQUEST", "GET / HTTP/1.1\r\n\r\n"),
        (408, "REQUEST_TIMEOUT", "GET / HT"),
        (414, "URI_TOO_LONG", &long),
        (
            417,
            "EXPECTATION_FAILED",
            "GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n",
        ),
        (431, "REQUEST_HEADER_FIELDS_TOO_LARGE", &large),
        (
            501,
            "NOT_IMPLEMENTED",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        ),
        (
            505,
            "HTTP_VERSION_NOT_SUPPORTED",
            "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
        ),
    ];
    let mut ids = HashSet::new();
    for (status, code, bytes) in cases.iter().chain(&cases) {
        let mut client = server.connect();
        client.send(bytes.as_bytes());
        let answer = client.answer();
        assert_eq!(answer.status, *status, "{}", answer.text());
        assert_date(&answer);
        let id = trace_id(&answer, code);
        let is_hex = id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        assert!(id.len() == 32 && is_hex && id != "0".repeat(32), "{id}");
        assert!(ids.insert(id.to_owned()), "{id} was there before");
        assert!(client.is_at_end());
    }
}
