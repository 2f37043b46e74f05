//! Tests the store of rate limits in PostgreSQL. The table is that of `limitTableSql()` of `@kit/rate-limit`.
#![cfg(feature = "sqlx")]
// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use kit_runtime::axum::body::Body;
use kit_runtime::axum::{self, http};
use kit_runtime::postgres::connect;
use kit_runtime::rate_limit::{IfStoreFails, PostgresLimits, RateLimitOptions, SharedRateLimit};
use kit_runtime::{Application, Error, Request, Response, Routes, Segment, StatusCode};
use kit_test_postgres::{Database, database, execute, query};

const TABLE: &str = "CREATE SCHEMA api;
CREATE UNLOGGED TABLE api.limits (
  key text PRIMARY KEY,
  count bigint NOT NULL,
  ends_at timestamptz(3) NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX limits_ends_at ON api.limits (ends_at)";

#[derive(Clone)]
struct App(Arc<SharedRateLimit>);

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

async fn limited(App(limit): App, request: Request) -> Result<Response, Error> {
    let client = request.header("x-client");
    limit.check_by(&request, client.as_deref()).await?;
    let context = request.into_context()?;
    Ok(Response::empty(&context, StatusCode::OK))
}

impl App {
    async fn of(database: &Database, limit: &str, if_store_fails: IfStoreFails) -> Self {
        let pool = connect(&database.url).await.unwrap();
        let store = PostgresLimits::new(pool).table("api.limits").unwrap();
        let limit = RateLimitOptions::new(limit).build_shared(store, if_store_fails);
        Self(Arc::new(limit.unwrap()))
    }

    /// Returns the status of a response, and its header `ratelimit`.
    async fn send(&self, client: &str) -> (u16, String) {
        let routes = Routes::new(self.clone()).route("GET /limited", &[Segment::Static("limited")], limited);
        let request = http::Request::get("/limited").header("x-client", client);
        let request = request.body(Body::empty()).unwrap();
        let router = axum::Router::from(routes.into_router());
        let response = TowerToHyperService::new(router).call(request).await.unwrap();
        let state = response.headers().get("ratelimit");
        let state = state.map_or("", |value| value.to_str().unwrap()).to_owned();
        (response.status().as_u16(), state)
    }
}

fn run(test: &str, work: impl AsyncFnOnce(Database)) {
    let Some(database) = database(test) else { return };
    execute(&database.url, TABLE);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(work(database));
}

#[test]
fn several_processes_share_a_limit_and_a_window_begins_again_after_its_end() {
    run("several_processes_share_a_limit", async |database| {
        let one = App::of(&database, "2/s", IfStoreFails::Refuse).await;
        let other = App::of(&database, "2/s", IfStoreFails::Refuse).await;
        let statuses = [
            one.send("ada").await.0,
            other.send("ada").await.0,
            one.send("ada").await.0,
        ];
        assert_eq!(statuses, [200, 200, 429]);
        assert_eq!(one.send("bob").await, (200, r#""2/s";r=1;t=1"#.to_owned()));
        tokio::time::sleep(Duration::from_millis(1050)).await;
        assert_eq!(other.send("ada").await.0, 200);
    });
}

#[test]
fn counts_every_one_of_many_requests_at_the_same_time() {
    run("counts_every_one_of_many_requests", async |database| {
        let app = App::of(&database, "150/min", IfStoreFails::Refuse).await;
        let mut sending = tokio::task::JoinSet::new();
        for _ in 0..200 {
            let app = app.clone();
            sending.spawn(async move { app.send("ada").await.0 });
        }
        let statuses = sending.join_all().await;
        let count = |wanted: u16| statuses.iter().filter(|status| **status == wanted).count();
        assert_eq!((count(200), count(429)), (150, 50));
    });
}

#[test]
fn removes_windows_that_have_ended() {
    run("removes_windows_that_have_ended", async |database| {
        let sql = "INSERT INTO api.limits SELECT 'old ' || n, 1, now() - interval '1 s' FROM generate_series(1, 150) n";
        let url = database.url.clone();
        tokio::task::spawn_blocking(move || execute(&url, sql))
            .await
            .unwrap();
        let app = App::of(&database, "1000/min", IfStoreFails::Refuse).await;
        for _ in 0..100 {
            app.send("ada").await;
        }
        let url = database.url.clone();
        let left = tokio::task::spawn_blocking(move || {
            query(&url, "SELECT count(*) || ' ' || max(count) FROM api.limits")
        });
        assert_eq!(left.await.unwrap(), ["1 100"]);
    });
}

#[test]
fn the_option_decides_while_the_table_is_missing() {
    run(
        "the_option_decides_while_the_table_is_missing",
        async |database| {
            let url = database.url.clone();
            tokio::task::spawn_blocking(move || execute(&url, "DROP TABLE api.limits"))
                .await
                .unwrap();
            for (if_store_fails, expected) in [
                (IfStoreFails::Refuse, [503, 503]),
                (IfStoreFails::Allow, [200, 200]),
                (IfStoreFails::CountInMemory, [200, 429]),
            ] {
                let app = App::of(&database, "1/min", if_store_fails).await;
                assert_eq!(
                    [app.send("ada").await.0, app.send("ada").await.0],
                    expected,
                    "{if_store_fails:?}"
                );
            }
        },
    );
}

#[test]
fn refuses_options_that_are_not_valid() {
    run("refuses_options_of_postgres_limits", async |database| {
        let store = PostgresLimits::new(connect(&database.url).await.unwrap());
        assert!(store.clone().table("Limits").is_err());
        assert!(store.clone().timeout(Duration::ZERO).is_err());
        assert!(store.timeout(Duration::from_secs(1)).is_ok());
    });
}
