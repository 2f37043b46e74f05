//! Sends requests to a generated server whose wrappers the user wrote.

#![allow(unreachable_pub)] // a module of tests has no outside

use std::path::Path;

use serde_json::{Value, json};

use crate::served_http::{Answer, Server};

/// Tests wrappers that change headers, reply and fail, around contracts with a plain response, with replies and with a
/// stream.
pub fn reports(program: &Path) {
    let server = Server::start(program, "postgres://127.0.0.1:1/none");
    let reader = ("x-user", "ann");
    let get = |path: &str, headers: &[(&str, &str)]| server.answer("GET", path, headers, None);

    let plain = get("/reports/7", &[reader]);
    assert_eq!(
        (plain.status, &plain.body),
        (200, &json!({ "id": "7", "lines": 12.5 }).to_string())
    );
    for (name, value) in [
        ("x-timed", "200"),
        ("x-log", "1"),
        ("x-reader", "ann"),
        ("etag", "\"7\""),
    ] {
        assert_eq!(plain.header(name), Some(value), "{name}");
    }

    // The wrapper drops the headers of the handler, but not that of the middleware before the wrapper.
    let known = get("/reports/7", &[reader, ("if-none-match", "\"7\"")]);
    assert_eq!((known.status, known.body.as_str()), (304, ""));
    for (name, value) in [
        ("x-timed", Some("304")),
        ("x-log", Some("1")),
        ("etag", Some("\"7\"")),
        ("x-reader", None),
    ] {
        assert_eq!(known.header(name), value, "{name}");
    }

    let accepted = get("/reports/7", &[reader, ("prefer", "respond-async")]);
    assert_eq!(
        (accepted.status, accepted.body.as_str()),
        (202, "{\"job\":\"7\"}")
    );
    for (name, value) in [
        ("x-timed", "202"),
        ("retry-after", "30"),
        ("content-type", "application/json"),
    ] {
        assert_eq!(accepted.header(name), Some(value), "{name}");
    }

    for (prefer, status, content_type, body) in [
        ("lines", 203, "application/jsonl", "{\"job\":\"7\"}\n"),
        (
            "events",
            207,
            "text/event-stream",
            "event: job\ndata: {\"job\":\"7\"}\n\n",
        ),
        ("text", 226, "text/csv; charset=utf-8", "job\n7\n"),
    ] {
        let stream = get("/reports/7", &[reader, ("prefer", prefer)]);
        assert_eq!((stream.status, stream.body.as_str()), (status, body));
        assert_eq!(stream.header("content-type"), Some(content_type));
        assert_eq!(
            stream.header("x-timed"),
            Some(status.to_string().as_str()),
            "{prefer}"
        );
    }

    let new = server.answer("POST", "/reports", &[reader], Some(json!({ "title": "a" })));
    assert_eq!((new.status, new.header("x-timed")), (201, Some("201")));
    assert_eq!(new.header("location"), Some("/reports/a"));
    let stream = get("/exports/7", &[]);
    assert_eq!((stream.status, stream.body.as_str()), (200, "a,b\n1,2\n"));
    assert_eq!(stream.header("x-timed"), Some("200"));
    let empty = server.answer("DELETE", "/reports/7", &[reader], None);
    assert_eq!((empty.status, empty.header("x-timed")), (204, Some("204")));

    let error = |answer: &Answer| {
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        (answer.status, body["error"]["code"].as_str().unwrap().to_owned())
    };
    // Middleware before the wrapper refuses, and the wrapper passes errors on.
    assert_eq!(error(&get("/reports/7", &[])), (401, "UNAUTHORIZED".to_owned()));
    assert_eq!(
        error(&get("/reports/none", &[reader])),
        (404, "NOT_FOUND".to_owned())
    );
    let invalid = server.answer("POST", "/reports", &[reader], Some(json!({ "title": "" })));
    assert_eq!(error(&invalid), (400, "VALIDATION_ERROR".to_owned()));
    let limited = get("/reports/7", &[reader, ("x-limited", "1")]);
    assert_eq!(error(&limited), (429, "TOO_MANY_REPORTS".to_owned()));
    assert!(
        limited.body.contains("\"details\":{\"after\":3}"),
        "{}",
        limited.body
    );
    assert_eq!(error(&get("/plain", &[])), (501, "NOT_IMPLEMENTED".to_owned()));
}
