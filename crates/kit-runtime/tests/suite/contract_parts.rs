//! Tests of declared headers and cookies, declared replies, details of errors, and limits of single routes.

// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use kit_runtime::axum::body::{Body, to_bytes};
use kit_runtime::axum::http;
use kit_runtime::shape::{Property, Shape};
use kit_runtime::{
    Application, Contract, Error, Request, Response, Routes, Segment, StatusCode, Value, value,
};
use serde::{Deserialize, Serialize};

#[derive(Clone)]
struct App;

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Head {
    x_tenant: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    x_ids: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    authorization: Option<String>,
}

impl Contract for Head {
    const NAME: &'static str = "Head";

    fn shape() -> &'static Shape {
        static SHAPE: Shape = Shape::object(
            "Head",
            &[
                Property::required("x-tenant", Shape::TEXT.min_length(2)),
                Property::optional("x-ids", Shape::array(&Shape::NUMBER)),
                Property::optional("authorization", Shape::TEXT.min_length(20)).sensitive(),
            ],
        );
        &SHAPE
    }
}

#[derive(Serialize, Deserialize)]
struct Cookies {
    sid: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    visits: Option<f64>,
}

impl Contract for Cookies {
    const NAME: &'static str = "Cookies";

    fn shape() -> &'static Shape {
        static SHAPE: Shape = Shape::object(
            "Cookies",
            &[
                Property::required("sid", Shape::TEXT.min_length(4)).sensitive(),
                Property::optional("visits", Shape::NUMBER).sensitive(),
            ],
        );
        &SHAPE
    }
}

#[derive(Serialize, Deserialize)]
struct Heard {
    head: Head,
    cookies: Cookies,
}

impl Contract for Heard {
    const NAME: &'static str = "Heard";

    fn shape() -> &'static Shape {
        &Shape::Unknown
    }
}

#[derive(Serialize, Deserialize)]
struct Left {
    left: f64,
}

impl Contract for Left {
    const NAME: &'static str = "Left";

    fn shape() -> &'static Shape {
        static SHAPE: Shape = Shape::object("Left", &[Property::required("left", Shape::NUMBER)]);
        &SHAPE
    }
}

async fn echo(_app: App, request: Request) -> Result<Response, Error> {
    let head = request.declared_headers()?;
    let cookies = request.declared_cookies()?;
    let context = request.into_context()?;
    Response::json(&context, StatusCode::OK, &Heard { head, cookies })
}

async fn size(_app: App, request: Request) -> Result<Response, Error> {
    let left: Left = request.body()?;
    let context = request.into_context()?;
    Response::declared(&context, StatusCode::ACCEPTED)?.json(&left)
}

async fn sold_out(_app: App, request: Request) -> Result<Response, Error> {
    request.into_context()?;
    Err(Error::conflict("SOLD_OUT", "Sold out").with_declared_details(&Left { left: 2.0 }))
}

async fn slow(_app: App, request: Request) -> Result<Response, Error> {
    let context = request.into_context()?;
    tokio::time::sleep(Duration::from_secs(60)).await;
    Ok(Response::empty(&context, StatusCode::NO_CONTENT))
}

const ECHO: &[Segment] = &[Segment::Static("echo")];
const SIZE: &[Segment] = &[Segment::Static("size")];
const WIDE: &[Segment] = &[Segment::Static("wide")];
const SOLD_OUT: &[Segment] = &[Segment::Static("sold-out")];
const SLOW: &[Segment] = &[Segment::Static("slow")];

/// Returns the response to a request: its status, and its body as JSON.
fn ask(method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, Value) {
    let routes = Routes::new(App)
        .route("GET /echo", ECHO, echo)
        .route("POST /size", SIZE, size)
        .body_bytes(20)
        .route("POST /wide", WIDE, size)
        .body_bytes(3_000_000)
        .route("GET /sold-out", SOLD_OUT, sold_out)
        .route("GET /slow", SLOW, slow)
        .timeout_ms(20);
    let mut request = http::Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    if !body.is_empty() {
        request = request.header("content-length", body.len());
        request = request.header("content-type", "application/json");
    }
    let request = request.body(Body::from(body.to_owned())).unwrap();
    let service = TowerToHyperService::new(kit_runtime::axum::Router::from(routes.into_router()));
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let answer = service.call(request).await.unwrap();
        let status = answer.status().as_u16();
        let bytes = to_bytes(answer.into_body(), 5_000_000).await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    })
}

/// Returns the message of the error for these headers.
fn refused(headers: &[(&str, &str)]) -> String {
    let (status, answer) = ask("GET", "/echo", headers, "");
    assert_eq!(status, 400, "{headers:?}");
    answer["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn decodes_headers_and_cookies_of_a_request() {
    let headers = [
        ("x-tenant", "acme"),
        ("X-Ids", "1, 2"),
        ("x-ids", "3"),
        ("cookie", "sid=%C3%A4bcd; visits=7"),
        ("cookie", "visits=8"),
    ];
    let expected = value!({
        "head": { "x-tenant": "acme", "x-ids": [1, 2, 3] },
        "cookies": { "sid": "äbcd", "visits": 7 },
    });
    assert_eq!(ask("GET", "/echo", &headers, ""), (200, expected));
}

#[test]
fn validates_headers_before_cookies() {
    let missing =
        "Invalid headers: $[\"x-tenant\"]: expected string, at least 2 characters, received nothing";
    assert_eq!(refused(&[("cookie", "sid=a")]), missing);
    let missing = "Invalid cookies: $.sid: expected string, at least 4 characters, received nothing";
    assert_eq!(refused(&[("x-tenant", "acme")]), missing);
}

#[test]
fn shows_no_values_of_cookies_and_credentials_in_errors() {
    let tenant = ("x-tenant", "acme");
    for headers in [
        [tenant, ("cookie", "sid=xyz")],
        [tenant, ("cookie", "sid=abcd; visits=xyz")],
        [tenant, ("authorization", "xyz")],
    ] {
        let (status, answer) = ask("GET", "/echo", &headers, "");
        assert_eq!(status, 400);
        // A random trace id has no such letters.
        assert!(!answer.to_string().contains("xyz"), "{answer}");
        assert_eq!(answer["error"]["details"]["fields"][0]["value"], "[redacted]");
    }
    let (_, answer) = ask("GET", "/echo", &[("x-tenant", "a")], "");
    assert_eq!(answer["error"]["details"]["fields"][0]["value"], "a");
}

#[test]
fn refuses_u0000_in_a_cookie() {
    let message = refused(&[("x-tenant", "acme"), ("cookie", "sid=abc%00d")]);
    let expected = "Invalid cookies: $.sid: expected string without U+0000 and unpaired surrogates, \
                    received string with one of them";
    assert_eq!(message, expected);
}

#[test]
fn sends_the_declared_details_of_an_error() {
    let (status, answer) = ask("GET", "/sold-out", &[], "");
    assert_eq!(
        (status, &answer["error"]["details"]),
        (409, &value!({ "left": 2 }))
    );
}

#[test]
fn refuses_bodies_above_the_limit_of_their_route() {
    let short = "{\"left\":1}";
    assert_eq!(ask("POST", "/size", &[], short).0, 202);
    let (status, answer) = ask("POST", "/size", &[], "{\"left\":1,\"more\":\"1\"}");
    assert_eq!(
        (status, &answer["error"]["details"]),
        (413, &value!({ "limit": 20 }))
    );
    assert_eq!(ask("PUT", "/size", &[], "{\"left\":1,\"more\":\"1\"}").0, 405);
}

#[test]
fn accepts_larger_bodies_if_the_limit_of_the_route_is_larger() {
    let body = |bytes: usize| format!("{{\"left\":1,\"more\":\"{}\"}}", "x".repeat(bytes));
    assert_eq!(ask("POST", "/wide", &[], &body(2_000_000)).0, 202);
    assert_eq!(ask("POST", "/wide", &[], &body(3_000_000)).0, 413);
    // Another method of the path has no route, so the limit of the process applies.
    assert_eq!(ask("PUT", "/wide", &[], &body(2_000_000)).0, 413);
}

#[test]
fn ends_requests_after_the_timeout_of_their_route() {
    let (status, answer) = ask("GET", "/slow", &[], "");
    assert_eq!(
        (status, &answer["error"]["code"]),
        (503, &value!("REQUEST_TIMEOUT"))
    );
    assert_eq!(answer["error"]["message"], "The request took longer than 20 ms");
}
