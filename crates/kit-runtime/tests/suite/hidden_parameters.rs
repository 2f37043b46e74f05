//! Tests that neither the log nor exported spans contain the values of hidden path parameters, such as `:token`.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // helper functions of tests may unwrap like tests

use crate::process::Server;
use kit_runtime::shape::{Property, Shape};
use kit_runtime::{Application, Contract, Error, Middleware, Request, Response, Routes, Segment, StatusCode};
use serde::{Deserialize, Serialize};

#[derive(Clone)]
struct App;

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[derive(Serialize, Deserialize)]
struct Step {
    step: i64,
}

impl Contract for Step {
    const NAME: &'static str = "Step";

    fn shape() -> &'static Shape {
        static SHAPE: Shape = Shape::object("Step", &[Property::required("step", Shape::INTEGER)]);
        &SHAPE
    }
}

/// Logs the request and its context.
struct Logged;

impl Middleware<App> for Logged {
    const NAME: &'static str = "logged";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let context = request.context();
        tracing::info_span!("logged", ?context).in_scope(|| tracing::info!(?request, ?context, "A request"));
        Ok(Self)
    }
}

async fn answer(app: App, request: Request) -> Result<Response, Error> {
    let Logged = request.middleware(&app).await?;
    let Step { .. } = request.params()?;
    let context = request.into_context()?;
    Ok(Response::empty(&context, StatusCode::NO_CONTENT))
}

const RESET: &[Segment] = &[
    Segment::Static("reset"),
    Segment::Parameter("token"),
    Segment::Parameter("step"),
];
const CARDS: &[Segment] = &[
    Segment::Static("cards"),
    Segment::Parameter("step"),
    Segment::Wildcard("cardNumber"),
];

/// Not a test: runs the server that the tests start as a separate process.
#[test]
fn server() {
    if std::env::var_os("KIT_TEST_SERVER").is_none() {
        return;
    }
    let routes = Routes::new(App)
        .route("GET /reset/:token/:step", RESET, answer)
        .route("GET /cards/:step/*cardNumber", CARDS, answer)
        .sensitive(&["cardNumber"]);
    let _ = kit_runtime::run(kit_runtime::serve(routes.into_router()));
}

/// Sends requests that are refused and requests that are handled.
fn send_secrets(server: &Server) {
    for (path, status) in [
        ("/reset/secret-1/2", "204"),
        ("/reset/secret-%31/first", "400"),
        ("/reset/secret%2F1/first/", "400"),
        ("/cards/2/secret-2/secret-3", "204"),
        ("/cards/first/secret-2/secret-3", "400"),
    ] {
        let response = server.get(path, "");
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status} ")),
            "{path}: {response}"
        );
    }
}

#[test]
fn hides_parameters_in_the_log_of_refused_requests() {
    let server = Server::start(module_path!(), &[("LOG_LEVEL", "warn".to_owned())]);
    send_secrets(&server);
    let log = server.stop();
    assert!(!log.contains("secret"), "{log}");
    assert_eq!(
        log.matches(r#""path":"/reset/[redacted]/first""#).count(),
        2,
        "{log}"
    );
    assert!(log.contains(r#""path":"/cards/first/[redacted]""#), "{log}");
}

#[test]
fn hides_parameters_in_the_debug_output_of_a_request() {
    let server = Server::start(module_path!(), &[]);
    send_secrets(&server);
    let log = server.stop();
    assert!(!log.contains("secret"), "{log}");
    let requests = log.matches(r"Request { context: Context { method: GET, path: \");
    assert_eq!(requests.count(), 5, "{log}");
}

#[test]
fn shows_parameters_that_are_not_hidden() {
    let server = Server::start(
        module_path!(),
        &[
            ("LOG_REDACT", "params.step".to_owned()),
            ("LOG_REDACT_DEFAULTS", "false".to_owned()),
        ],
    );
    server.get("/reset/shown/first", "");
    let log = server.stop();
    assert!(log.contains(r#""path":"/reset/shown/[redacted]""#), "{log}");
}

#[cfg(feature = "otlp")]
#[test]
fn hides_parameters_in_exported_spans_and_records() {
    let (address, receiver) = crate::collector::collector();
    let server = Server::start(module_path!(), &[("OTEL_EXPORTER_OTLP_ENDPOINT", address)]);
    send_secrets(&server);
    server.stop();
    let (spans, records, _) = crate::collector::received(&receiver);
    assert_eq!(spans.iter().filter(|span| span.name == "logged").count(), 5);
    let refused = records.iter().filter(|record| record.severity_text == "WARN");
    assert_eq!(refused.count(), 3, "{records:?}");
    let exported = format!("{spans:?}\n{records:?}");
    assert!(!exported.contains("secret"), "{exported}");
}
