//! Tests of wrappers: their order, the headers of the response, their own replies, and errors.

// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use kit_runtime::axum::body::{Body, to_bytes};
use kit_runtime::axum::http;
use kit_runtime::shape::{Property, Shape};
use kit_runtime::{
    Application, Context, Contract, Error, HeaderName, HeaderValue, Middleware, Never, Next, Replies, Reply,
    Request, Response, Routes, Segment, StatusCode, Wrapped, Wrapper,
};
use serde::{Deserialize, Serialize};

/// Steps in the order in which they ran.
#[derive(Clone, Default)]
struct App(Arc<Mutex<Vec<String>>>);

impl App {
    fn note(&self, step: impl Into<String>) {
        self.0.lock().unwrap().push(step.into());
    }
}

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[derive(Serialize, Deserialize)]
struct Page {
    page: f64,
}

impl Contract for Page {
    const NAME: &'static str = "Page";

    fn shape() -> &'static Shape {
        static SHAPE: Shape = Shape::object("Page", &[Property::required("page", Shape::NUMBER)]);
        &SHAPE
    }
}

fn set(context: &Context, name: &'static str, value: &'static str) {
    context.set_header(HeaderName::from_static(name), HeaderValue::from_static(value));
}

fn add_cookie(context: &Context, value: &'static str) {
    context.append_header(
        HeaderName::from_static("set-cookie"),
        HeaderValue::from_static(value),
    );
}

/// The header `x-do` of a request tells the outer wrapper, the inner wrapper and the handler what to do.
fn asks_for(context: &Context, what: &str) -> bool {
    let header = context.header("x-do").unwrap_or_default();
    header.split(' ').any(|word| word == what)
}

struct Outer {
    number: i32,
}

impl Wrapper<App> for Outer {
    const NAME: &'static str = "outer";

    type Reply = Never;

    async fn run(app: &App, request: &Request, next: Next<'_, Self>) -> Result<Wrapped, Error> {
        let context = request.context();
        app.note("outer begins");
        set(context, "x-outer", "before");
        add_cookie(context, "outer=1");
        let result = next.run(Self { number: 7 }).await;
        let ended = match &result {
            Ok(answer) => format!("outer ends {}", answer.status()),
            Err(error) => format!("outer ends {}", error.code()),
        };
        app.note(ended);
        if asks_for(context, "recover") {
            if let Err(error) = result {
                return Err(Error::new(StatusCode::BAD_GATEWAY, "RECOVERED", error.message()));
            }
        }
        let mut answer = result?;
        if asks_for(context, "fail-late") {
            set(context, "x-late", "1");
            return Err(Error::conflict("LATE", "The wrapper failed"));
        }
        if asks_for(context, "bytes") {
            let bytes = answer.body().await;
            app.note(format!("body {bytes:?}"));
        }
        if asks_for(context, "change") {
            let seen = answer.headers().get("x-handler").cloned();
            app.note(format!("saw {seen:?}"));
            answer.set_header(
                HeaderName::from_static("x-handler"),
                HeaderValue::from_static("changed"),
            );
            answer.set_header(
                HeaderName::from_static("set-cookie"),
                HeaderValue::from_static("answer=1"),
            );
            answer.set_header(
                HeaderName::from_static("content-length"),
                HeaderValue::from_static("1"),
            );
            answer.remove_header(&HeaderName::from_static("x-removed"));
            set(context, "x-context", "after");
            add_cookie(context, "context=1");
        }
        Ok(answer.into())
    }
}

struct Between;

impl Middleware<App> for Between {
    const NAME: &'static str = "between";

    async fn run(app: &App, request: &Request) -> Result<Self, Error> {
        app.note("between");
        if asks_for(request.context(), "refuse-between") {
            return Err(Error::unauthorized("UNKNOWN", "Nobody says who asks"));
        }
        Ok(Self)
    }
}

struct Inner;

enum InnerReply {
    Accepted { body: Page },
    NotModified,
}

impl Replies for InnerReply {
    fn respond(self, context: &Context) -> Result<Response, Error> {
        match self {
            Self::Accepted { body } => {
                Response::of_wrapper(context, "inner", StatusCode::ACCEPTED).json(&body)
            }
            Self::NotModified => Ok(Response::of_wrapper(context, "inner", StatusCode::NOT_MODIFIED).empty()),
        }
    }
}

impl Wrapper<App> for Inner {
    const NAME: &'static str = "inner";

    type Reply = InnerReply;

    async fn run(app: &App, request: &Request, next: Next<'_, Self>) -> Result<Wrapped<InnerReply>, Error> {
        let context = request.context();
        app.note("inner begins");
        set(context, "x-inner", "before");
        if asks_for(context, "reply-early") {
            return Ok(Wrapped::Reply(InnerReply::NotModified));
        }
        if asks_for(context, "stop-handler") {
            let stopped = tokio::time::timeout(Duration::from_millis(10), next.run(Self)).await;
            assert!(stopped.is_err());
            return Ok(Wrapped::Reply(InnerReply::NotModified));
        }
        let result = next.run(Self).await;
        set(context, "x-after", "inner");
        if asks_for(context, "reply-late") {
            let body = Page { page: 2.0 };
            return Ok(Wrapped::Reply(InnerReply::Accepted { body }));
        }
        Ok(result?.into())
    }
}

struct Query;

impl Query {
    fn check(page: &Page, context: &Context, app: &App) {
        app.note(format!("handler {}", page.page));
        set(context, "x-handler", "1");
        set(context, "x-removed", "1");
        set(context, "x-inner", "handler");
        add_cookie(context, "handler=1");
    }
}

async fn page(app: App, request: Request) -> Result<Response, Error> {
    let (app, request) = (&app, &request);
    let rest = move |outer: Outer| async move {
        let _between: Between = request.middleware(app).await?;
        let rest = move |_inner: Inner| async move {
            let query: Page = request.query()?;
            let context = request.handler_context()?;
            assert_eq!(outer.number, 7);
            Query::check(&query, &context, app);
            if asks_for(&context, "status") {
                context.set_status(StatusCode::CREATED);
            }
            if asks_for(&context, "fail") {
                return Err(Error::not_found("NO_PAGE", "There is no such page"));
            }
            assert!(!asks_for(&context, "panic"), "the handler panics");
            if asks_for(&context, "stop-handler") {
                tokio::time::sleep(Duration::from_secs(60)).await;
            }
            Response::json(&context, StatusCode::OK, &query)
        };
        request.wrapper(app, rest).await
    };
    request.wrapper(app, rest).await
}

/// True after the function of the stream was dropped without having run.
static IS_STREAM_DROPPED: AtomicBool = AtomicBool::new(false);

struct DropMark;

impl Drop for DropMark {
    fn drop(&mut self) {
        IS_STREAM_DROPPED.store(true, Ordering::Relaxed);
    }
}

async fn stream(app: App, request: Request) -> Result<Response, Error> {
    let (app, request) = (&app, &request);
    let rest = move |_outer: Outer| async move {
        let rest = move |_inner: Inner| async move {
            let context = request.handler_context()?;
            let mark = DropMark;
            let fails = asks_for(&context, "fail-stream");
            let owned = context.clone();
            set(&context, "x-handler", "1");
            add_cookie(&context, "handler=1");
            let reply = Reply::stream(async move |mut chunks| {
                let _mark = mark;
                if asks_for(&owned, "fail-after-nothing") {
                    chunks.send("").await?;
                    return Err(Error::internal("The report is closed"));
                }
                if fails {
                    set(&owned, "x-handler", "2");
                    add_cookie(&owned, "stream=1");
                    return Err(Error::conflict("TOO_LATE", "The report is closed"));
                }
                chunks.send("a,b\n").await
            });
            Response::reply(&context, StatusCode::OK, reply.content_type("text/csv"))
        };
        request.wrapper(app, rest).await
    };
    request.wrapper(app, rest).await
}

struct Answer {
    status: u16,
    /// Lines of the headers `x-…` and `set-cookie`, sorted.
    headers: Vec<String>,
    body: String,
    steps: Vec<String>,
}

fn ask(path: &str, action: &str) -> Answer {
    request(path, action).expect("a complete body")
}

/// Sends a request. Returns the error of the body if the body ends too early.
fn request(path: &str, action: &str) -> Result<Answer, kit_runtime::axum::Error> {
    let app = App::default();
    let routes = Routes::new(app.clone())
        .route("GET /page", &[Segment::Static("page")], page)
        .route("GET /stream", &[Segment::Static("stream")], stream);
    let request = http::Request::builder().uri(path).header("x-do", action);
    let request = request.body(Body::empty()).unwrap();
    let service = TowerToHyperService::new(kit_runtime::axum::Router::from(routes.into_router()));
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let answer = service.call(request).await.unwrap();
        let status = answer.status().as_u16();
        let headers = answer.headers().iter();
        let mut headers: Vec<_> = headers
            .filter(|(name, _)| *name != "x-content-type-options")
            .filter(|(name, _)| name.as_str().starts_with("x-") || *name == "set-cookie")
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        headers.sort();
        let bytes = to_bytes(answer.into_body(), 1000).await?;
        let body = String::from_utf8(bytes.to_vec()).unwrap();
        let steps = app.0.lock().unwrap().clone();
        Ok(Answer {
            status,
            headers,
            body,
            steps,
        })
    })
}

fn code(answer: &Answer) -> String {
    let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    body["error"]["code"].as_str().unwrap().to_owned()
}

#[test]
fn runs_wrappers_around_later_middleware_and_the_handler() {
    let answer = ask("/page?page=1", "");
    let steps = [
        "outer begins",
        "between",
        "inner begins",
        "handler 1",
        "outer ends 200 OK",
    ];
    assert_eq!(answer.steps, steps);
    assert_eq!((answer.status, answer.body.as_str()), (200, "{\"page\":1}"));
    let headers = [
        "set-cookie: handler=1",
        "set-cookie: outer=1",
        "x-after: inner",
        "x-handler: 1",
        "x-inner: handler",
        "x-outer: before",
        "x-removed: 1",
    ];
    assert_eq!(answer.headers, headers);
}

#[test]
fn keeps_headers_of_wrappers_if_a_stream_fails_before_its_first_value() {
    let answer = ask("/stream", "change fail-stream");
    assert_eq!((answer.status, code(&answer).as_str()), (409, "TOO_LATE"));
    let headers = [
        "set-cookie: answer=1",
        "set-cookie: context=1",
        "set-cookie: handler=1",
        "set-cookie: outer=1",
        "set-cookie: stream=1",
        "x-after: inner",
        "x-context: after",
        "x-handler: 2",
        "x-inner: before",
        "x-outer: before",
    ];
    assert_eq!(answer.headers, headers);
}

#[test]
fn cuts_the_body_of_a_stream_that_fails_after_an_empty_value() {
    assert!(request("/stream", "fail-after-nothing").is_err());
}

#[test]
fn changes_headers_of_the_answer() {
    let answer = ask("/page?page=1", "change");
    assert_eq!(answer.steps.last().unwrap(), "saw Some(\"1\")");
    let headers = [
        "set-cookie: answer=1",
        "set-cookie: context=1",
        "set-cookie: handler=1",
        "set-cookie: outer=1",
        "x-after: inner",
        "x-context: after",
        "x-handler: changed",
        "x-inner: handler",
        "x-outer: before",
    ];
    assert_eq!(answer.headers, headers);
    assert_eq!(answer.body, "{\"page\":1}");
}

#[test]
fn reads_the_bytes_of_an_answer_without_consuming_them() {
    let answer = ask("/page?page=1", "bytes");
    assert_eq!(answer.steps.last().unwrap(), "body Some(b\"{\\\"page\\\":1}\")");
    assert_eq!(answer.body, "{\"page\":1}");
    let answer = ask("/stream", "bytes");
    assert_eq!(answer.steps.last().unwrap(), "body None");
    assert_eq!(answer.body, "a,b\n");
}

#[test]
fn a_wrapper_replies_and_the_handler_is_not_called() {
    let answer = ask("/page?page=1", "reply-early");
    assert_eq!((answer.status, answer.body.as_str()), (304, ""));
    assert_eq!(
        answer.steps,
        [
            "outer begins",
            "between",
            "inner begins",
            "outer ends 304 Not Modified"
        ]
    );
    assert_eq!(
        answer.headers,
        ["set-cookie: outer=1", "x-inner: before", "x-outer: before"]
    );
}

#[test]
fn drops_status_and_headers_of_the_handler_if_the_wrapper_replies() {
    for action in ["reply-late status", "reply-late fail"] {
        let answer = ask("/page?page=1", action);
        assert_eq!((answer.status, answer.body.as_str()), (202, "{\"page\":2}"));
        let headers = [
            "set-cookie: outer=1",
            "x-after: inner",
            "x-inner: before",
            "x-outer: before",
        ];
        assert_eq!(answer.headers, headers, "{action}");
    }
    assert_eq!(ask("/page?page=1", "status").status, 201);
}

#[test]
fn a_wrapper_can_stop_the_handler_and_reply_itself() {
    let answer = ask("/page?page=1", "stop-handler status");
    assert_eq!(answer.status, 304);
    assert_eq!(
        answer.headers,
        ["set-cookie: outer=1", "x-inner: before", "x-outer: before"]
    );
}

#[test]
fn drops_the_stream_of_an_answer_that_is_not_sent() {
    let answer = ask("/stream", "reply-late");
    assert_eq!((answer.status, answer.body.as_str()), (202, "{\"page\":2}"));
    assert!(IS_STREAM_DROPPED.load(Ordering::Relaxed));
}

#[test]
fn passes_errors_of_wrapped_code_to_wrappers() {
    for (path, action, status, error) in [
        ("/page?page=x", "", 400, "VALIDATION_ERROR"),
        ("/page?page=1", "fail", 404, "NO_PAGE"),
        ("/page?page=1", "refuse-between", 401, "UNKNOWN"),
    ] {
        let answer = ask(path, action);
        assert_eq!((answer.status, code(&answer).as_str()), (status, error));
        assert_eq!(*answer.steps.last().unwrap(), format!("outer ends {error}"));
        let answer = ask(path, &format!("{action} recover"));
        assert_eq!((answer.status, code(&answer).as_str()), (502, "RECOVERED"));
    }
}

#[test]
fn keeps_headers_of_the_handler_in_an_error_response() {
    let answer = ask("/page?page=1", "fail");
    let expected = [
        "set-cookie: handler=1",
        "set-cookie: outer=1",
        "x-after: inner",
        "x-handler: 1",
        "x-inner: handler",
        "x-outer: before",
        "x-removed: 1",
    ];
    assert_eq!(answer.headers, expected);
    let answer = ask("/page?page=1", "fail-late status");
    assert_eq!((answer.status, code(&answer).as_str()), (409, "LATE"));
    let mut late = expected.to_vec();
    late.insert(5, "x-late: 1");
    assert_eq!(answer.headers, late);
}

#[test]
fn responds_with_500_if_wrapped_code_panics() {
    let answer = ask("/page?page=1", "panic");
    assert_eq!(
        (answer.status, code(&answer).as_str()),
        (500, "INTERNAL_SERVER_ERROR")
    );
}
