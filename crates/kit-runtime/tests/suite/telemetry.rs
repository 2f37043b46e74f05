//! Tests the export of telemetry with a collector that listens on a socket and decodes what it receives.

#![cfg(all(unix, feature = "otlp"))]
// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]
#![allow(clippy::disallowed_methods)] // certificates are files

use std::collections::BTreeMap;
use std::io::Read as _;
use std::net::TcpListener;

use crate::authority::Authority;
use crate::collector::{collector, encrypted_collector, hex, metrics_of, received, show, values};
use crate::process::Server;
use kit_runtime::shape::{Property, Shape};
use kit_runtime::{Application, Contract, Error, Middleware, Request, Response, Routes, Segment, StatusCode};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode as Outcome;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";

/// Path of an item: `/items/:id`.
const ITEM: &[Segment] = &[Segment::Static("items"), Segment::Parameter("id")];

#[derive(Clone)]
struct App;

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Item {
    size: i64,
}

impl Contract for Item {
    const NAME: &'static str = "Item";

    fn shape() -> &'static Shape {
        static SHAPE: Shape = Shape::object("Item", &[Property::required("size", Shape::INTEGER)]);
        &SHAPE
    }
}

struct Own;

impl Middleware<App> for Own {
    const NAME: &'static str = "own";

    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Ok(Self)
    }
}

async fn item(app: App, request: Request) -> Result<Response, Error> {
    let Own = request.middleware(&app).await?;
    let context = request.into_context()?;
    context.set_attribute("items.count", 1);
    context.set_attribute("items.count", 3);
    if context.path().ends_with("/none") {
        return Err(Error::new(
            StatusCode::NOT_FOUND,
            "ITEM_NOT_FOUND",
            "There is no such item",
        ));
    }
    tracing::info!(size = 3, "An item was read");
    Response::json(&context, StatusCode::OK, &Item { size: 3 })
}

/// Not a test: runs the server that the tests start as a separate process.
#[test]
fn server() {
    if std::env::var_os("KIT_TEST_SERVER").is_none() {
        return;
    }
    let router = Routes::new(App).route("GET /items/:id", ITEM, item).into_router();
    let _ = kit_runtime::run(kit_runtime::serve(router));
}

#[test]
fn exports_requests_and_logs_to_a_collector() {
    let (address, receiver) = collector();
    let server = Server::start(
        module_path!(),
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", address),
            ("OTEL_SERVICE_NAME", "items".to_owned()),
        ],
    );
    let parent = format!("traceparent: 00-{TRACE}-{PARENT}-01\r\n");
    assert!(server.get("/items/1", &parent).starts_with("HTTP/1.1 200 "));
    // The caller does not sample this trace, so it must not be exported.
    server.get("/items/2", &format!("traceparent: 00-{TRACE}-{PARENT}-00\r\n"));
    assert!(server.get("/items/none", "").starts_with("HTTP/1.1 404 "));
    let log = server.stop();
    let (spans, records, services) = received(&receiver);
    assert!(
        services.len() >= 2 && services.iter().all(|name| name == "items"),
        "{services:?}"
    );

    let of = |trace: &dyn Fn(&str) -> bool| -> Vec<&Span> {
        spans.iter().filter(|span| trace(&hex(&span.trace_id))).collect()
    };
    let names = |spans: &[&Span]| spans.iter().map(|span| span.name.clone()).collect::<Vec<_>>();
    let good = of(&|trace| trace == TRACE);
    assert_eq!(
        names(&good),
        [
            "GET /items/:id",
            "middleware:own",
            "validation:params",
            "validation:query",
            "validation:body",
            "handler",
            "serialization"
        ]
    );
    let [root, middleware, _, _, _, handler, _] = good.as_slice() else {
        panic!()
    };
    assert_eq!(
        (hex(&root.parent_span_id), root.kind()),
        (PARENT.to_owned(), SpanKind::Server)
    );
    let attributes = values(&root.attributes);
    let expected = [
        ("http.method", "GET"),
        ("http.route", "/items/:id"),
        ("http.status_code", "200"),
    ];
    assert!(
        attributes
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .eq(expected),
        "{attributes:?}"
    );
    for span in &good {
        assert_eq!(span.status.as_ref().unwrap().code(), Outcome::Ok);
        assert!(span.start_time_unix_nano >= root.start_time_unix_nano);
        assert!(span.end_time_unix_nano <= root.end_time_unix_nano);
    }
    assert_eq!(
        (&middleware.parent_span_id, middleware.kind()),
        (&root.span_id, SpanKind::Internal)
    );
    assert!(values(&middleware.attributes).is_empty());
    assert_eq!(
        values(&handler.attributes),
        BTreeMap::from([("items.count".to_owned(), "3".to_owned())])
    );

    let failed = of(&|trace| trace != TRACE);
    assert_eq!(
        names(&failed),
        [
            "GET /items/:id",
            "middleware:own",
            "validation:params",
            "validation:query",
            "validation:body",
            "handler"
        ]
    );
    let outcomes = failed.iter().map(|span| span.status.as_ref().unwrap().code());
    let good = [Outcome::Ok; 4];
    assert!(outcomes.eq([Outcome::Error].into_iter().chain(good).chain([Outcome::Error])));
    assert_eq!(
        values(&failed[0].attributes)["error.message"],
        "There is no such item"
    );
    assert!(failed[0].parent_span_id.is_empty());

    let read: Vec<&LogRecord> = records
        .iter()
        .filter(|record| show(record.body.as_ref()) == "An item was read")
        .collect();
    assert_eq!(read.len(), 2);
    assert_eq!(
        (hex(&read[0].trace_id), &read[0].span_id),
        (TRACE.to_owned(), &handler.span_id)
    );
    assert_eq!(
        (read[0].severity_number, read[0].severity_text.as_str()),
        (9, "INFO")
    );
    let fields = values(&read[0].attributes);
    assert_eq!(
        (fields["route"].as_str(), fields["phase"].as_str()),
        ("GET /items/:id", "handler")
    );
    assert!(
        log.contains(&format!("\"spanId\":\"{}\"", hex(&handler.span_id))),
        "{log}"
    );
}

#[test]
fn serves_requests_and_logs_one_error_if_the_collector_is_unreachable() {
    // The listener is closed at once, so no program listens at its address.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = Server::start(
        module_path!(),
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{address}")),
            ("OTEL_BSP_SCHEDULE_DELAY", "50".to_owned()),
            ("OTEL_LOGS_EXPORTER", "none".to_owned()),
        ],
    );
    for _ in 0..3 {
        assert!(server.get("/items/1", "").starts_with("HTTP/1.1 200 "));
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    let log = server.stop();
    assert_eq!(
        log.matches("The collector does not accept traces").count(),
        1,
        "{log}"
    );
}

#[test]
fn refuses_to_start_with_an_unsupported_exporter() {
    for (name, value, expected) in [
        (
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "ftp://a:4318",
            "is not a URL with http:// or https://",
        ),
        (
            "OTEL_EXPORTER_OTLP_PROTOCOL",
            "grpc",
            "supports only http/protobuf",
        ),
    ] {
        let mut variables = vec![("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1".to_owned())];
        variables.push((name, value.to_owned()));
        let mut server = Server::start(module_path!(), &variables);
        let mut error = String::new();
        server
            .child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut error)
            .unwrap();
        assert!(server.child.wait().is_ok());
        assert!(error.contains(expected) && error.contains(name), "{error}");
    }
}

/// Writes a file of the test with this name. Returns its path.
fn file(name: &str, text: &str) -> String {
    let directory = std::env::temp_dir().join(format!("kit-telemetry-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn exports_to_a_collector_with_tls_whose_authority_is_in_a_file() {
    let authority = Authority::new();
    let (certificate, key) = authority.certify("localhost");
    let (address, receiver) = encrypted_collector(&certificate, &key);
    let server = Server::start(
        module_path!(),
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", address),
            (
                "OTEL_EXPORTER_OTLP_CERTIFICATE",
                file("ca.pem", &authority.certificate),
            ),
        ],
    );
    assert!(server.get("/items/1", "").starts_with("HTTP/1.1 200 "));
    let log = server.stop();
    let (spans, records, _) = received(&receiver);
    assert!(
        spans.len() == 7 && !records.is_empty(),
        "{} spans: {log}",
        spans.len()
    );
}

#[test]
fn exports_nothing_to_a_collector_whose_authority_is_unknown() {
    let (certificate, key) = Authority::new().certify("localhost");
    let (address, receiver) = encrypted_collector(&certificate, &key);
    let stranger = file("stranger.pem", &Authority::new().certificate);
    let server = Server::start(
        module_path!(),
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", address),
            ("OTEL_EXPORTER_OTLP_CERTIFICATE", stranger),
        ],
    );
    assert!(server.get("/items/1", "").starts_with("HTTP/1.1 200 "));
    server.stop();
    assert!(receiver.try_recv().is_err());
}

#[test]
fn exports_metrics_of_requests_and_of_the_process() {
    let (address, receiver) = collector();
    let server = Server::start(
        module_path!(),
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", address),
            ("OTEL_TRACES_EXPORTER", "none".to_owned()),
            ("OTEL_LOGS_EXPORTER", "none".to_owned()),
        ],
    );
    server.get("/items/1", "");
    server.get("/items/none", "");
    server.stop();
    let bodies: Vec<_> = receiver.try_iter().collect();
    assert!(bodies.iter().all(|(path, _)| path == "/v1/metrics"), "{bodies:?}");
    let metrics = bodies.iter().flat_map(|(_, body)| metrics_of(body));
    let metrics: BTreeMap<_, _> = metrics.map(|metric| (metric.name.clone(), metric)).collect();
    for name in [
        "http.server.active_requests",
        "kit.server.connections",
        "process.uptime",
    ] {
        assert!(metrics.contains_key(name), "{name} of {:?}", metrics.keys());
    }
    let Some(Data::Histogram(durations)) = &metrics["http.server.request.duration"].data else {
        panic!("{metrics:?}");
    };
    let mut statuses: Vec<_> = durations
        .data_points
        .iter()
        .map(|point| {
            (
                values(&point.attributes)["http.response.status_code"].clone(),
                point.count,
            )
        })
        .collect();
    statuses.sort();
    assert_eq!(statuses, [("200".to_owned(), 1), ("404".to_owned(), 1)]);
    assert_eq!(
        values(&durations.data_points[0].attributes)["http.route"],
        "/items/:id"
    );
}
