//! Tests the debug sidecar with queries and spans of handlers. `tests/conformance/sidecar.test.ts` tests its interface.

#![cfg(all(unix, feature = "debug", feature = "sqlx"))]
// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use kit_test_postgres::database;
use serde_json::Value;
use tracing::Instrument as _;

use crate::process::Server;
use kit_runtime::{Application, Error, Request, Response, Routes, Segment, Sidecar, StatusCode};

#[derive(Clone)]
struct App(sqlx::PgPool);

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

async fn count(App(pool): App, request: Request) -> Result<Response, Error> {
    let context = request.into_context()?;
    let read = async {
        let query = sqlx::query_scalar(
            "SELECT count(*) FROM pg_class WHERE relname <> 'a secret' AND relpages >= $1",
        );
        query.bind(0).fetch_one(&pool).await
    };
    let rows: i64 = read
        .instrument(tracing::info_span!("read", password = "s3cr3t"))
        .await?;
    context.set_attribute("rows.found", rows > 0);
    tracing::info!(token = "s3cr3t", "Rows were counted");
    Ok(Response::empty(&context, StatusCode::NO_CONTENT))
}

/// Path of [`read_number`].
const CUSTOMER: &[Segment] = &[Segment::Static("customers"), Segment::Parameter("customerName")];

/// Fails with an error of the database that quotes a value of the user.
async fn read_number(App(pool): App, request: Request) -> Result<Response, Error> {
    let context = request.into_context()?;
    let query = sqlx::query("SELECT $1::text::int").bind("s3cr3t");
    query.execute(&pool).await?;
    Ok(Response::empty(&context, StatusCode::NO_CONTENT))
}

/// Not a test: runs the server that the tests start as a separate process.
#[test]
fn server() {
    if std::env::var_os("KIT_TEST_SERVER").is_none() {
        return;
    }
    let _ = kit_runtime::run(async {
        let url = std::env::var("DATABASE_URL").unwrap();
        let pool = kit_runtime::postgres::connect(&url).await?;
        let routes = r#"[{"method":"GET","path":"/rows","ref":"GET /rows"}]"#;
        let router = Routes::new(App(pool))
            .route("GET /rows", &[Segment::Static("rows")], count)
            .route("GET /customers/:customerName", CUSTOMER, read_number)
            .sidecar(Sidecar::new("rows", "{}").routes(routes))
            .into_router();
        kit_runtime::serve(router).await
    });
}

/// Starts the server and returns it with the address of its sidecar.
fn start(url: &str, mode: &str) -> (Server, Option<String>) {
    let variables = [
        ("DATABASE_URL", url.to_owned()),
        ("DEBUG_PORT", "0".to_owned()),
        ("NODE_ENV", mode.to_owned()),
        ("DEBUG_REDACT", "customerName".to_owned()),
        // The level of the log does not apply to the spans of the sidecar.
        ("LOG_LEVEL", "info".to_owned()),
    ];
    let server = Server::start(module_path!(), &variables);
    let address = server.before.split_once("The debug sidecar listens on http://");
    let address = address.map(|(_, rest)| rest.split('"').next().unwrap().to_owned());
    (server, address)
}

fn ask(address: &str, path: &str) -> Value {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 "), "{answer}");
    serde_json::from_str(body).unwrap()
}

#[test]
fn shows_queries_and_spans_of_a_handler_without_data_of_users() {
    let Some(postgres) = database("shows_queries_and_spans_of_a_handler_without_data_of_users") else {
        return;
    };
    let (server, address) = start(&postgres.url, "development");
    let address = address.expect("the sidecar is on in development");
    assert!(server.get("/rows", "").starts_with("HTTP/1.1 204 "));
    let traces = ask(&address, "/_debug/traces");
    let trace = &traces["traces"][0];
    assert_eq!(trace["name"], "GET /rows");
    let handler = trace["children"]
        .as_array()
        .unwrap()
        .iter()
        .find(|span| span["name"] == "handler");
    let handler = handler.expect("a span of the handler");
    assert_eq!(handler["attributes"]["rows.found"], true);
    let read = &handler["children"][0];
    assert_eq!(
        (&read["name"], &read["source"]),
        (&"read".into(), &"tracing".into())
    );
    assert_eq!(read["attributes"]["password"], "[redacted]");
    let query = &read["children"][0];
    assert_eq!(
        (&query["name"], &query["source"], &query["kind"]),
        (&"sqlx SELECT".into(), &"sqlx".into(), &"client".into())
    );
    assert_eq!(
        query["attributes"]["db.query.text"],
        "SELECT count(*) FROM pg_class WHERE relname <> ? AND relpages >= $1"
    );
    assert!(query["durationMs"].as_f64().unwrap() > 0.0, "{query}");
    let logs = ask(&address, "/_debug/logs?limit=1");
    assert_eq!(logs["logs"][0]["message"], "Rows were counted");
    assert!(!format!("{traces}{logs}").contains("s3cr3t"), "{traces}{logs}");
    let health = ask(&address, "/_debug/health");
    assert_eq!(health["pool"]["max"], 10);
    assert!(health["memory"]["rss"].as_u64().unwrap() > 0, "{health}");
    // The log of the server has no events of sqlx, although the sidecar reads them.
    assert!(!server.stop().contains("pg_class"));
}

#[test]
fn hides_values_that_errors_of_the_database_quote_and_hidden_parameters_of_paths() {
    let Some(postgres) =
        database("hides_values_that_errors_of_the_database_quote_and_hidden_parameters_of_paths")
    else {
        return;
    };
    let (server, address) = start(&postgres.url, "development");
    let address = address.expect("the sidecar is on in development");
    assert!(server.get("/customers/s3cr3t", "").starts_with("HTTP/1.1 500 "));
    let refused = server.send("DELETE /customers/s3cr3t HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    assert!(refused.starts_with("HTTP/1.1 405 "), "{refused}");
    let errors = ask(&address, "/_debug/errors");
    let [refused, failed] = errors["errors"].as_array().unwrap().as_slice() else {
        panic!("{errors}");
    };
    for error in [refused, failed] {
        assert_eq!(error["path"], "/customers/[redacted]", "{error}");
    }
    let texts = format!("{} {}", failed["message"], failed["details"]["causes"]);
    assert_eq!(texts.matches("[redacted]").count(), 2, "{failed}");
    let requests = ask(&address, "/_debug/requests");
    assert_eq!(requests["requests"].as_array().unwrap().len(), 2);
    assert!(
        !format!("{errors}{requests}").contains("s3cr3t"),
        "{errors}{requests}"
    );
    drop(server.stop());
}

#[test]
fn without_a_key_the_server_does_not_start_in_production() {
    let Some(postgres) = database("without_a_key_the_server_does_not_start_in_production") else {
        return;
    };
    let (mut server, address) = start(&postgres.url, "production");
    assert_eq!((server.address.as_str(), address), ("", None));
    let mut error = String::new();
    server
        .child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut error)
        .unwrap();
    assert!(
        error.contains("the debug sidecar is on in production, but it has no key"),
        "{error}"
    );
    server.child.wait().unwrap();
}
