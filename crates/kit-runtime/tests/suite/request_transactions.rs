//! Tests of the transaction that a wrapper of idempotency keys shares with the handler, if the handler uses it wrongly.
#![cfg(feature = "sqlx")]
// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use kit_runtime::axum::body::{Body, to_bytes};
use kit_runtime::axum::{self, http};
use kit_runtime::idempotency::{IdempotencyOptions, KeyOwner};
use kit_runtime::postgres::RequestTransaction;
use kit_runtime::{
    Application, Error, Never, Next, Request, Response, Routes, Segment, StatusCode, Wrapped, Wrapper, sql,
};
use kit_test_postgres::database;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

const TABLES: [&str; 2] = [
    "CREATE TABLE payments (id serial PRIMARY KEY)",
    "CREATE TABLE kit_idempotency (id text PRIMARY KEY, fingerprint text NOT NULL, status integer NOT NULL, \
     content_type text, headers text NOT NULL, body bytea, expires_at timestamptz(3) NOT NULL)",
];

#[derive(Clone)]
struct App {
    pool: PgPool,
    /// Transaction of the last request.
    kept: Arc<Mutex<Option<RequestTransaction>>>,
}

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

struct Once(RequestTransaction);

impl Wrapper<App> for Once {
    const NAME: &'static str = "once";

    type Reply = Never;

    async fn run(app: &App, request: &Request, next: Next<'_, Self>) -> Result<Wrapped, Error> {
        let options = IdempotencyOptions::new();
        let has_key = request.header("idempotency-key").is_some();
        let once = if has_key { options } else { options.optional() }.build()?;
        once.run(&app.pool, request, KeyOwner::Anyone, next, Self).await
    }
}

async fn pay(app: App, request: Request) -> Result<Response, Error> {
    let (app, request) = (&app, &request);
    let rest = move |Once(transaction): Once| async move {
        sqlx::query("INSERT INTO payments DEFAULT VALUES")
            .execute(&mut *transaction.connection().await?)
            .await?;
        if request.header("x-do").as_deref() == Some("hold") {
            let held = transaction.clone();
            let (begun, begins) = tokio::sync::oneshot::channel();
            tokio::spawn(async move {
                let _connection = held.connection().await;
                let _ = begun.send(());
                tokio::time::sleep(Duration::from_millis(300)).await;
            });
            begins.await?;
        }
        if let Some(keys) = request
            .header("x-do")
            .as_deref()
            .and_then(|what| what.strip_prefix("lock "))
        {
            for key in keys.split(' ') {
                sqlx::query("SELECT pg_advisory_xact_lock($1::text::bigint)")
                    .bind(key)
                    .execute(&mut *transaction.connection().await?)
                    .await?;
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
        let ignored = match request.header("x-do").as_deref() {
            Some("fail") => Some("INSERT INTO missing VALUES (1)"),
            Some("end") => Some("ROLLBACK"),
            _ => None,
        };
        if let Some(sql) = ignored {
            let _ = sqlx::query(sql)
                .execute(&mut *transaction.connection().await?)
                .await;
        }
        if request.header("x-do").as_deref() == Some("use the pool") {
            sqlx::query("INSERT INTO payments DEFAULT VALUES")
                .execute(&app.pool)
                .await?;
        }
        *app.kept.lock().unwrap() = Some(transaction);
        let context = request.handler_context()?;
        Ok(Response::empty(&context, StatusCode::CREATED))
    };
    request.wrapper(app, rest).await
}

/// Sends a payment, without a key if the key is empty. Returns the status and the body of the response.
async fn send(app: &App, key: &str, what: &str) -> (u16, String) {
    let response = respond(app, key, what).await;
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), 10_000).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

async fn respond(app: &App, key: &str, what: &str) -> http::Response<Body> {
    let routes = Routes::new(app.clone()).route("POST /payments", &[Segment::Static("payments")], pay);
    let mut request = http::Request::post("/payments").header("x-do", what);
    if !key.is_empty() {
        request = request.header("idempotency-key", key);
    }
    let request = request.body(Body::empty()).unwrap();
    let router = axum::Router::from(routes.into_router());
    TowerToHyperService::new(router).call(request).await.unwrap()
}

async fn payments(app: &App) -> i64 {
    let count = sqlx::query_scalar("SELECT count(*) FROM payments");
    count.fetch_one(&app.pool).await.unwrap()
}

/// Runs a test with an application on a new database, and a pool of ten connections.
fn with_app<F: Future>(test: &str, body: impl FnOnce(App) -> F) {
    with_connections(10, test, body);
}

fn with_connections<F: Future>(connections: u32, test: &str, body: impl FnOnce(App) -> F) {
    let Some(database) = database(test) else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let pool = PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(Duration::from_secs(2))
            .connect(&database.url)
            .await
            .unwrap();
        for table in TABLES {
            sqlx::query(table).execute(&pool).await.unwrap();
        }
        body(App {
            pool,
            kept: Arc::default(),
        })
        .await;
    });
}

#[test]
fn rolls_back_if_a_task_uses_the_connection_after_the_handler_has_returned() {
    with_app(
        "rolls_back_if_a_task_uses_the_connection_after_the_handler_has_returned",
        |app| async move {
            assert_eq!(send(&app, "k-1", "hold").await.0, 500);
            // The transaction ends with the task.
            while send(&app, "k-1", "").await.0 == 409 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            assert_eq!(payments(&app).await, 1);
            assert_eq!(send(&app, "k-1", "").await, (201, String::new()));
            assert_eq!(payments(&app).await, 1);
        },
    );
}

#[test]
fn answers_500_if_the_handler_ignores_a_failed_query_or_ends_the_transaction() {
    with_app(
        "answers_500_if_the_handler_ignores_a_failed_query_or_ends_the_transaction",
        |app| async move {
            for key in ["", "k-1"] {
                for what in ["fail", "end"] {
                    assert_eq!(send(&app, key, what).await.0, 500, "{what} with the key {key:?}");
                    assert_eq!(payments(&app).await, 0);
                }
            }
            // Nothing was stored for the key.
            assert_eq!(send(&app, "k-1", "").await.0, 201);
            assert_eq!(payments(&app).await, 1);
        },
    );
}

#[test]
fn answers_503_with_retry_after_to_one_of_two_requests_in_a_deadlock() {
    with_app(
        "answers_503_with_retry_after_to_one_of_two_requests_in_a_deadlock",
        |app| async move {
            let both = tokio::join!(respond(&app, "k-1", "lock 1 2"), respond(&app, "k-2", "lock 2 1"));
            let (failed, key, what) = match both.0.status().as_u16() {
                201 => (both.1, "k-2", "lock 2 1"),
                _ => (both.0, "k-1", "lock 1 2"),
            };
            assert_eq!(failed.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(failed.headers()["retry-after"], "1");
            let body = to_bytes(failed.into_body(), 10_000).await.unwrap();
            let body = String::from_utf8(body.to_vec()).unwrap();
            let expected = r#"{"error":{"code":"TRANSACTION_CONFLICT","message":"Another request uses the same data at the moment; send this request again","#;
            assert!(body.starts_with(expected), "{body}");
            assert_eq!(payments(&app).await, 1);
            // The same request succeeds later, because nothing was stored for its key.
            assert_eq!(send(&app, key, what).await.0, 201);
            assert_eq!(payments(&app).await, 2);
        },
    );
}

#[test]
fn finds_a_conflict_only_after_a_deadlock_or_a_serialization_failure() {
    with_app(
        "finds_a_conflict_only_after_a_deadlock_or_a_serialization_failure",
        |app| async move {
            for (state, is_conflict, status) in [
                ("40001", true, 503),
                ("40P01", true, 503),
                ("55P03", false, 503),
                ("23514", false, 500),
            ] {
                let raise = format!("DO $$ BEGIN RAISE 'x' USING errcode = '{state}'; END $$");
                let failed = sqlx::query(&raise).execute(&app.pool).await;
                let error = Error::from(failed.unwrap_err());
                assert_eq!(sql::is_transaction_conflict(&error), is_conflict, "{state}");
                assert_eq!(error.status().as_u16(), status, "{state}");
            }
        },
    );
}

#[test]
fn gives_no_connection_after_the_handler_has_returned() {
    with_app(
        "gives_no_connection_after_the_handler_has_returned",
        |app| async move {
            assert_eq!(send(&app, "k-1", "").await.0, 201);
            let kept = app.kept.lock().unwrap().take().unwrap();
            let error = kept.connection().await.err().unwrap();
            assert_eq!(error.status(), StatusCode::INTERNAL_SERVER_ERROR);
            assert!(
                error
                    .message()
                    .starts_with("The transaction of the request has ended"),
                "{error:?}"
            );
        },
    );
}

#[test]
fn leaves_a_connection_for_queries_of_the_pool_if_many_requests_have_keys() {
    with_connections(
        2,
        "leaves_a_connection_for_queries_of_the_pool_if_many_requests_have_keys",
        |app| async move {
            let mut requests = Vec::new();
            for number in 0..8 {
                let app = app.clone();
                requests.push(tokio::spawn(async move {
                    send(&app, &format!("k-{number}"), "use the pool").await.0
                }));
            }
            for request in requests {
                assert_eq!(request.await.unwrap(), 201);
            }
            assert_eq!(payments(&app).await, 16);
        },
    );
}
