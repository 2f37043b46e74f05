//! Tests of layers of tower around some routes, and of routes that only axum knows.

// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use kit_runtime::axum::body::Body;
use kit_runtime::axum::extract::State;
use kit_runtime::axum::http;
use kit_runtime::axum::middleware::map_response;
use kit_runtime::axum::response::{IntoResponse, Response as HttpResponse};
use kit_runtime::axum::routing::get;
use kit_runtime::{
    Application, Error, Reply, Request, Response, Router, Routes, Segment, Serve, StatusCode, axum,
};

#[derive(Clone)]
struct App;

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

async fn empty(_app: App, request: Request) -> Result<Response, Error> {
    let context = request.into_context()?;
    Ok(Response::empty(&context, StatusCode::OK))
}

async fn fail(_app: App, _request: Request) -> Result<Response, Error> {
    Err(Error::conflict("BUSY", "Another export runs"))
}

fn router() -> Router<App> {
    const EXPORT: &[Segment] = &[Segment::Static("exports"), Segment::Parameter("id")];
    const ALL: &[Segment] = &[Segment::Static("exports"), Segment::Static("all")];
    const OTHER: &[Segment] = &[Segment::Static("other")];
    Routes::new(App)
        .route("GET /exports/:id", EXPORT, empty)
        .route("POST /exports/:id", EXPORT, fail)
        .route("GET /exports/all", ALL, empty)
        .route("GET /other", OTHER, empty)
        .into_router()
}

async fn mark(response: HttpResponse) -> impl IntoResponse {
    ([("x-layer", "1")], response)
}

async fn mark_write(response: HttpResponse) -> impl IntoResponse {
    ([("x-layer", "2")], response)
}

/// Returns the status of the response, and the header that layers set.
fn ask(program: &axum::Router, method: &str, path: &str) -> (u16, Option<String>) {
    let request = http::Request::builder().method(method).uri(path);
    let request = request.body(Body::empty()).unwrap();
    let service = TowerToHyperService::new(program.clone());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let answer = runtime.block_on(service.call(request)).unwrap();
    let mark = answer.headers().get("x-layer");
    let mark = mark.map(|value| value.to_str().unwrap().to_owned());
    (answer.status().as_u16(), mark)
}

async fn echo(_app: App, request: Request) -> Result<Response, Error> {
    let text = request.text(&["text/plain"])?;
    let context = request.into_context()?;
    Response::reply(&context, StatusCode::OK, Reply::text(text))
}

async fn echo_chunks(_app: App, request: Request) -> Result<Response, Error> {
    let mut body = request.chunks(&["text/plain"])?;
    let context = request.into_context()?;
    let mut bytes = Vec::new();
    body.write_to(&mut bytes).await?;
    Response::reply(&context, StatusCode::OK, Reply::bytes(bytes))
}

/// Returns the status and the body of the response to a body that no header declares.
fn send(program: &axum::Router, path: &str, body: Body) -> (u16, String) {
    let request = http::Request::post(path).header("content-type", "text/plain");
    let request = request.body(body).unwrap();
    let service = TowerToHyperService::new(program.clone());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let answer = service.call(request).await.unwrap();
        let status = answer.status().as_u16();
        let bytes = axum::body::to_bytes(answer.into_body(), 1 << 20).await.unwrap();
        (status, String::from_utf8(bytes.to_vec()).unwrap())
    })
}

#[test]
fn reads_a_body_that_no_header_declares() {
    const ECHO: &[Segment] = &[Segment::Static("echo")];
    const CHUNKS: &[Segment] = &[Segment::Static("chunks")];
    let routes = Routes::new(App).route("POST /echo", ECHO, echo);
    let routes = routes.route("POST /chunks", CHUNKS, echo_chunks).streamed_body();
    let program = axum::Router::from(routes.body_bytes(10).into_router());
    for path in ["/echo", "/chunks"] {
        assert_eq!(send(&program, path, Body::from("text")), (200, "text".to_owned()));
        assert_eq!(send(&program, path, Body::empty()), (200, String::new()));
    }
    assert_eq!(send(&program, "/chunks", Body::from("too long a text")).0, 413);
}

#[test]
fn runs_a_layer_for_each_request_of_its_route() {
    let kit = axum::Router::from(router());
    let parts = [
        ("GET /exports/:id", kit.clone().layer(map_response(mark))),
        ("POST /exports/:id", kit.layer(map_response(mark_write))),
    ];
    let program = router().split(parts).unwrap();
    for (method, path, expected) in [
        ("GET", "/exports/7", (200, Some("1"))),
        ("HEAD", "/exports/7", (200, Some("1"))),
        ("GET", "/exports/7/", (200, Some("1"))),
        ("GET", "/%65xports/7", (200, Some("1"))),
        ("GET", "/exports/a%2Fb?page=2", (200, Some("1"))),
        ("POST", "/exports/7", (409, Some("2"))),
        ("GET", "/exports/all", (200, None)),
        ("GET", "/%65xports/%61ll/", (200, None)),
        ("DELETE", "/exports/7", (405, None)),
        ("GET", "/other", (200, None)),
        ("GET", "/none", (404, None)),
    ] {
        let (status, mark) = ask(&program, method, path);
        assert_eq!((status, mark.as_deref()), expected, "{method} {path}");
    }
}

#[test]
fn a_shutdown_waits_for_the_timeout_of_a_route_inside_of_a_router_of_axum() {
    const SLOW: &[Segment] = &[Segment::Static("slow")];
    let millis = 3_600_000;
    let router = Routes::new(App)
        .route("GET /slow", SLOW, empty)
        .timeout_ms(millis)
        .into_router();
    let slow = axum::Router::from(router.clone()).layer(map_response(mark));
    let program = router.split([("GET /slow", slow)]).unwrap();
    assert_eq!(program.longest_timeout(), Some(Duration::from_millis(millis)));
}

#[test]
fn refuses_a_layer_for_a_route_that_does_not_exist() {
    let parts = [("GET /export/:id", axum::Router::new())];
    let error = router().split(parts).unwrap_err();
    assert_eq!(
        error.message(),
        "`GET /export/:id` is not a route of the application, so it cannot have a layer. The routes are: \
         GET /exports/:id, POST /exports/:id, GET /exports/all, GET /other"
    );
}

async fn status(State(App): State<App>) -> impl IntoResponse {
    [("x-layer", "own")]
}

#[test]
fn responds_to_routes_of_the_user_before_those_of_contracts() {
    let own = axum::Router::new()
        .route("/internal/status", get(status))
        .route("/exports/all", get(status))
        .with_state(App);
    let program = axum::Router::from(router()).merge(own);
    for (method, path, expected) in [
        ("GET", "/internal/status", (200, Some("own"))),
        ("HEAD", "/internal/status", (200, Some("own"))),
        ("POST", "/internal/status", (405, None)),
        ("GET", "/exports/all", (200, Some("own"))),
        ("GET", "/exports/7", (200, None)),
        ("GET", "/internal/other", (404, None)),
    ] {
        let (status, mark) = ask(&program, method, path);
        assert_eq!((status, mark.as_deref()), expected, "{method} {path}");
    }
}
