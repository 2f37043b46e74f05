//! Tests spans that handlers create with `tracing`. A collector receives them, and log entries contain the spans in
//! which they were written.

#![cfg(all(unix, feature = "otlp"))]
// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use crate::collector::{collector, hex, received, show, values};
use crate::process::Server;
use kit_runtime::{Application, Error, Request, Response, Routes, Segment, StatusCode};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::trace::v1::Span;
use tracing::Instrument as _;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

/// Path of an item: `/items/:id`.
const ITEM: &[Segment] = &[Segment::Static("items"), Segment::Parameter("id")];

#[derive(Clone)]
struct App;

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

async fn load(id: &str) {
    let found = tracing::info_span!("query", rows = tracing::field::Empty);
    async {
        // A task that waits between two log entries stays in its span.
        tokio::task::yield_now().await;
        tracing::Span::current().record("rows", 2);
        tracing::info!(id, "Rows were read");
    }
    .instrument(found)
    .await;
    tracing::debug_span!("too fine to be told").in_scope(|| ());
}

async fn item(_app: App, request: Request) -> Result<Response, Error> {
    let context = request.into_context()?;
    let after = tracing::info_span!("after the answer");
    async {
        load("7").await;
        // A task that is not a part of the request has only its span.
        let _ = tokio::spawn(async { tracing::info!("The task runs") }.instrument(after)).await;
    }
    .instrument(tracing::info_span!("load", id = "7"))
    .await;
    Ok(Response::empty(&context, StatusCode::NO_CONTENT))
}

/// Not a test: runs the server that the tests start as a separate process.
#[test]
fn server() {
    if std::env::var_os("KIT_TEST_SERVER").is_none() {
        return;
    }
    let router = Routes::new(App).route("GET /items/:id", ITEM, item).into_router();
    let _ = kit_runtime::run(async {
        tracing::info_span!("start").in_scope(|| tracing::info!("The job runs"));
        kit_runtime::serve(router).await
    });
}

fn named<'s>(spans: &'s [Span], name: &str) -> Vec<&'s Span> {
    spans.iter().filter(|span| span.name == name).collect()
}

fn said<'r>(records: &'r [LogRecord], message: &str) -> Vec<&'r LogRecord> {
    records
        .iter()
        .filter(|record| show(record.body.as_ref()) == message)
        .collect()
}

#[test]
fn exports_spans_of_handlers_as_children_of_the_handler_phase() {
    let (address, receiver) = collector();
    let server = Server::start(module_path!(), &[("OTEL_EXPORTER_OTLP_ENDPOINT", address)]);
    let sampled = format!("traceparent: 00-{TRACE}-b7ad6b7169203331-01\r\n");
    assert!(server.get("/items/7", &sampled).starts_with("HTTP/1.1 204 "));
    let unsampled = format!("traceparent: 00-{TRACE}-b7ad6b7169203331-00\r\n");
    assert!(server.get("/items/7", &unsampled).starts_with("HTTP/1.1 204 "));
    server.stop();
    let (spans, records, _) = received(&receiver);

    let [handler] = named(&spans, "handler")[..] else {
        panic!("{spans:?}")
    };
    let [load] = named(&spans, "load")[..] else {
        panic!("{spans:?}")
    };
    let [query] = named(&spans, "query")[..] else {
        panic!("{spans:?}")
    };
    assert_eq!(load.parent_span_id, handler.span_id);
    assert_eq!(query.parent_span_id, load.span_id);
    assert_eq!(
        (hex(&load.trace_id), hex(&query.trace_id)),
        (TRACE.to_owned(), TRACE.to_owned())
    );
    let one = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
    assert_eq!(values(&load.attributes), one("id", "7"));
    assert_eq!(values(&query.attributes), one("rows", "2"));
    assert!(query.start_time_unix_nano >= load.start_time_unix_nano);
    assert!(query.end_time_unix_nano <= load.end_time_unix_nano);
    assert!(named(&spans, "too fine to be told").is_empty());

    // Records of both requests exist, but only those of the sampled request belong to exported spans.
    let read = said(&records, "Rows were read");
    assert_eq!(read.len(), 2);
    assert_eq!(read[0].span_id, query.span_id);
    assert_ne!(read[1].span_id, query.span_id);
    let [after] = named(&spans, "after the answer")[..] else {
        panic!("{spans:?}")
    };
    assert_eq!(after.parent_span_id, handler.span_id);
    assert_eq!(said(&records, "The task runs")[0].span_id, after.span_id);

    let [start] = named(&spans, "start")[..] else {
        panic!("{spans:?}")
    };
    assert!(start.parent_span_id.is_empty() && hex(&start.trace_id) != TRACE);
    assert_eq!(said(&records, "The job runs")[0].trace_id, start.trace_id);
}

#[test]
fn writes_the_open_spans_into_each_log_entry() {
    let server = Server::start(module_path!(), &[]);
    assert!(server.get("/items/7", "").starts_with("HTTP/1.1 204 "));
    let log = server.stop();
    let read = log.lines().find(|line| line.contains("Rows were read")).unwrap();
    let spans =
        "\"spans\":[{\"name\":\"load\",\"data\":{\"id\":\"7\"}},{\"name\":\"query\",\"data\":{\"rows\":2}}]";
    assert!(read.contains(spans), "{read}");
    assert!(read.contains("\"data\":{\"id\":\"7\"}"), "{read}");
    let task = log.lines().find(|line| line.contains("The task runs")).unwrap();
    assert!(
        task.contains("\"spans\":[{\"name\":\"after the answer\"}]"),
        "{task}"
    );
}
