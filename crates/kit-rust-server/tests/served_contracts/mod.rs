//! Sends requests to generated servers without a database: contracts with headers and cookies, and options that apply to all
//! responses.

#![allow(unreachable_pub)] // a module of tests has no outside

use std::path::Path;

use serde_json::{Value, json};

use crate::served_http::Server;

/// Tests the golden `contracts`, whose handlers the user has not written.
pub fn contracts(program: &Path) {
    let server = Server::start(program, "");
    let order = || Some(json!({ "sku": "a" }));
    let (tenant, session) = (("x-tenant", "acme"), ("cookie", "sid=12345678"));
    let send = |headers: &[(&str, &str)]| {
        let (status, answer) = server.request_with(headers, "POST", "/orders", order());
        (
            status,
            answer["error"]["message"].as_str().unwrap_or_default().to_owned(),
        )
    };
    assert_eq!(
        send(&[tenant, session]),
        (
            501,
            "`POST /orders` is not implemented yet: write the code in src/handlers/orders.rs".to_owned()
        )
    );
    let (status, message) = send(&[session]);
    assert_eq!(status, 400);
    assert!(
        message.starts_with("Invalid headers: $[\"x-tenant\"]"),
        "{message}"
    );
    let (status, message) = send(&[tenant]);
    assert_eq!(status, 400);
    assert!(message.starts_with("Invalid cookies: $.sid"), "{message}");
}

/// Tests the golden `problem`.
pub fn problem(program: &Path) {
    let server = Server::start(program, "");
    let members = |(status, body): (u16, Value), names: [&str; 3]| {
        assert_eq!(body["status"], status, "{body}");
        assert_eq!(body["type"], "about:blank", "{body}");
        (status, names.map(|name| body[name].clone()))
    };
    let missing = members(server.get("/nowhere"), ["title", "code", "detail"]);
    assert_eq!(
        missing,
        (
            404,
            [
                json!("Not Found"),
                json!("NOT_FOUND"),
                json!("No route matches this path")
            ]
        )
    );
    let invalid = server.request("POST", "/books", Some(json!({ "title": "" })));
    let (status, [title, code, errors]) = members(invalid, ["title", "code", "errors"]);
    assert_eq!(
        (status, title, code),
        (422, json!("Unprocessable Content"), json!("VALIDATION_ERROR"))
    );
    assert_eq!(errors[0]["rule"], "minLength");

    let announced = |method: &str| {
        let answer = server.answer(method, "/books", &[], None);
        ["deprecation", "sunset", "link"].map(|name| answer.header(name).map(str::to_owned))
    };
    let text = |text: &str| Some(text.to_owned());
    let (since, sunset) = (text("@1767225600"), text("Thu, 31 Dec 2026 00:00:00 GMT"));
    let link = text("</v2/books>; rel=\"successor-version\"");
    assert_eq!(announced("GET"), [since.clone(), sunset.clone(), link]);
    assert_eq!(
        announced("POST"),
        [since, sunset, None],
        "a request without a body"
    );
    assert_eq!(
        announced("DELETE"),
        [None, None, None],
        "no route has this method"
    );

    let cross_site = ("sec-fetch-site", "cross-site");
    for (origin, expected) in [
        ("https://evil.example", 403),
        ("https://app.example.com", 422),
        ("https://admin.example.com", 422),
    ] {
        let headers = [cross_site, ("origin", origin)];
        let (status, body) = server.request_with(&headers, "POST", "/books", Some(json!({})));
        assert_eq!(status, expected, "{origin}: {body}");
        assert_eq!(body["status"], expected, "{origin}: {body}");
    }
}

/// Tests the options of `createApp` in the golden `problem` that are settings of the server.
pub fn settings(program: &Path) {
    let server = Server::start(program, "");
    let large = json!({ "title": "a".repeat(20_000) });
    let status = |server: &Server, path: &str| server.answer("GET", path, &[], None).status;
    assert_eq!(server.request("POST", "/books", Some(large.clone())).0, 413);
    assert_eq!(
        (status(&server, "/live"), status(&server, "/healthz")),
        (200, 404)
    );
    // The application serves its documents in production too.
    assert_eq!(status(&server, "/openapi.json"), 200);
    let page = server.answer("GET", "/docs", &[], None);
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    assert!(
        page.body.contains("<script src=\"docs/viewer.js\"></script>"),
        "{}",
        page.body
    );
    let tag = page.header("etag").unwrap().to_owned();
    let known = server.answer("GET", "/docs", &[("if-none-match", tag.as_str())], None);
    assert_eq!(known.status, 304);
    let gzip = [("accept-encoding", "gzip")];
    let viewer = server.answer("HEAD", "/docs/viewer.js", &gzip, None);
    assert_eq!(
        (viewer.status, viewer.header("content-encoding")),
        (200, Some("gzip"))
    );
    assert_eq!(
        server
            .answer("GET", "/docs/viewer.js", &[("accept-encoding", "identity")], None)
            .status,
        406
    );
    assert_eq!(server.answer("POST", "/docs", &[], None).status, 405);
    // A variable replaces the option.
    let server = Server::start_with(&[("BODY_LIMIT_BYTES", "65536")], program, "");
    assert_eq!(server.request("POST", "/books", Some(large)).0, 422);
}

/// Tests the golden `own-errors`, with the function of the guide.
pub fn own_errors(program: &Path) {
    let server = Server::start(program, "");
    assert_eq!(
        server.get("/nowhere"),
        (
            404,
            json!({ "errors": { "body": ["No route matches this path"] } })
        )
    );
    assert_eq!(
        server.request("POST", "/books", Some(json!({ "title": "" }))),
        (
            422,
            json!({ "errors": { "body": ["title must be string, 1 to 200 characters"] } })
        )
    );
}
