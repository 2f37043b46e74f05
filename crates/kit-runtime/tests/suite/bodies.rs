//! Tests requests that have a body although their contract declares none.

// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]

use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use kit_runtime::axum::body::{Body, to_bytes};
use kit_runtime::axum::http;
use kit_runtime::{Application, Error, Request, Response, Routes, Segment, StatusCode, Value};

/// Path of an item: `/items/:id`.
const ITEM: &[Segment] = &[Segment::Static("items"), Segment::Parameter("id")];

#[derive(Clone)]
struct App;

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

async fn nothing(_app: App, request: Request) -> Result<Response, Error> {
    let context = request.into_context()?;
    Ok(Response::empty(&context, StatusCode::NO_CONTENT))
}

/// Returns the status and the parsed body of the response to a request.
fn ask(method: &str, body: &'static str) -> (u16, Value) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(answer(method, body))
}

async fn answer(method: &str, body: &'static str) -> (u16, Value) {
    let router = Routes::new(App)
        .route("GET /items/:id", ITEM, nothing)
        .route("POST /items/:id", ITEM, nothing)
        .route("DELETE /items/:id", ITEM, nothing)
        .into_router();
    let request = http::Request::builder()
        .method(method)
        .uri("/items/1")
        .header(http::header::CONTENT_LENGTH, body.len())
        .body(Body::from(body))
        .unwrap();
    let service = TowerToHyperService::new(kit_runtime::axum::Router::from(router));
    let answer = service.call(request).await.unwrap();
    let status = answer.status().as_u16();
    let bytes = to_bytes(answer.into_body(), 10_000).await.unwrap();
    (status, serde_json::from_slice(&bytes).unwrap_or_default())
}

#[test]
fn refuses_get_and_head_requests_with_a_body() {
    let (status, answer) = ask("GET", "hello");
    assert_eq!(status, 400);
    let error = &answer["error"];
    assert_eq!(error["code"], "VALIDATION_ERROR");
    let message = "Invalid body: $: expected no body, received a body of 5 bytes";
    assert_eq!(error["message"], message);
    assert_eq!(error["details"]["fields"][0]["path"], "$");
    assert_eq!(ask("HEAD", "h").0, 400);
}

#[test]
fn ignores_an_undeclared_body_of_post_and_delete_requests() {
    for (method, body) in [("POST", "{}"), ("DELETE", "x"), ("GET", ""), ("POST", "")] {
        assert_eq!(ask(method, body).0, 204, "{method} {body}");
    }
}
