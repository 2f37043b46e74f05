//! Tests of transactions of tenants: requests of 50 tenants on shared connections see and change only rows of their tenant.
#![cfg(feature = "sqlx")]
// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use kit_runtime::axum::body::Body;
use kit_runtime::axum::{self, http};
use kit_runtime::postgres::{RequestTransaction, Tenant};
use kit_runtime::{
    Application, Error, Never, Next, Request, Response, Routes, Segment, StatusCode, Wrapped, Wrapper,
};
use kit_test_postgres::{Bouncer, database};
use sqlx::postgres::PgPoolOptions;
use sqlx::{Executor as _, PgPool, Row as _};

/// The table as migrations create it for `@tenant tenant`.
const TABLE: [&str; 5] = [
    "CREATE TABLE documents (id bigint PRIMARY KEY, tenant text NOT NULL)",
    "CREATE POLICY kit_tenant ON documents USING (tenant = NULLIF(current_setting('kit.tenant', true), '')::text)",
    "ALTER TABLE documents ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE documents FORCE ROW LEVEL SECURITY",
    "DO $$ BEGIN CREATE ROLE kit_tenant_test; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
];
const GRANT: &str = "GRANT SELECT, INSERT, UPDATE, DELETE ON documents TO kit_tenant_test";

const TENANTS: u64 = 50;
const TASKS: u64 = 16;
const REQUESTS: u64 = 120;

#[derive(Clone)]
struct App {
    pool: PgPool,
    role: Option<&'static str>,
    /// True if queries are prepared statements with names, which old versions of pgbouncer do not allow in transaction mode.
    has_named_statements: bool,
    /// Rows of other tenants that a request has seen or changed, with the request.
    leaks: Arc<Mutex<Vec<String>>>,
}

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

struct AsTenant(RequestTransaction);

impl Wrapper<App> for AsTenant {
    const NAME: &'static str = "asTenant";

    type Reply = Never;

    async fn run(app: &App, request: &Request, next: Next<'_, Self>) -> Result<Wrapped, Error> {
        let id = request.header("x-tenant").unwrap_or_default();
        let tenant = Tenant::new(&id);
        let tenant = match app.role {
            Some(role) => tenant.role(role),
            None => tenant,
        };
        tenant.run(&app.pool, next, Self).await
    }
}

async fn change(app: App, request: Request) -> Result<Response, Error> {
    let (app, request) = (&app, &request);
    let named = app.has_named_statements;
    let rest = move |AsTenant(transaction): AsTenant| async move {
        let header = |name: &str| request.header(name).unwrap_or_default();
        let (tenant, what) = (header("x-tenant"), header("x-do"));
        let id: i64 = header("x-id").parse().unwrap_or_default();
        let mut connection = transaction.connection().await?;
        let mut status = StatusCode::OK;
        match &*what {
            "insert" | "fail" => {
                sqlx::query("INSERT INTO documents (id, tenant) VALUES ($1, current_setting('kit.tenant'))")
                    .bind(id)
                    .persistent(named)
                    .execute(&mut *connection)
                    .await?;
                status = StatusCode::CREATED;
            }
            "insert for another" => {
                sqlx::query("INSERT INTO documents (id, tenant) VALUES ($1, 'other')")
                    .bind(id)
                    .persistent(named)
                    .execute(&mut *connection)
                    .await?;
            }
            "delete" => {
                let deleted: Vec<String> =
                    sqlx::query_scalar("DELETE FROM documents WHERE id = $1 RETURNING tenant")
                        .bind(id)
                        .persistent(named)
                        .fetch_all(&mut *connection)
                        .await?;
                status = if deleted.is_empty() {
                    StatusCode::NOT_FOUND
                } else {
                    StatusCode::OK
                };
                app.expect_own(&tenant, &what, &deleted);
            }
            "pause" => {
                sqlx::query("SELECT pg_sleep(0.05)")
                    .persistent(named)
                    .execute(&mut *connection)
                    .await?;
            }
            "pool" => {
                // Not a prepared statement: outside of a transaction, a pooler may give each message another server process.
                let rows = app.pool.fetch_all("SELECT tenant FROM documents").await?;
                let seen: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
                app.expect_own("", &what, &seen);
            }
            _ => {
                let seen: Vec<String> = sqlx::query_scalar("SELECT tenant FROM documents")
                    .persistent(named)
                    .fetch_all(&mut *connection)
                    .await?;
                app.expect_own(&tenant, &what, &seen);
            }
        }
        if what == "fail" {
            return Err(Error::internal("the handler fails after its insert"));
        }
        drop(connection);
        let context = request.handler_context()?;
        Ok(Response::empty(&context, status))
    };
    request.wrapper(app, rest).await
}

impl App {
    fn expect_own(&self, tenant: &str, what: &str, rows: &[String]) {
        let others = rows.iter().filter(|row| *row != tenant);
        let mut leaks = self.leaks.lock().unwrap();
        leaks.extend(others.map(|row| format!("{what} of {tenant:?}: a row of {row}")));
    }

    /// Sends a request, again if the server has no free connection. Returns the status of the response.
    async fn send(&self, tenant: &str, what: &str, id: u64) -> u16 {
        for _ in 0..100 {
            let status = self.send_once(tenant, what, id).await;
            if status != 503 {
                return status;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("`{what}` of {tenant} got no connection in 100 attempts");
    }

    async fn send_once(&self, tenant: &str, what: &str, id: u64) -> u16 {
        let routes = Routes::new(self.clone()).route("POST /do", &[Segment::Static("do")], change);
        let mut request = http::Request::post("/do").header("x-do", what).header("x-id", id);
        if !tenant.is_empty() {
            request = request.header("x-tenant", tenant);
        }
        let request = request.body(Body::empty()).unwrap();
        let router = axum::Router::from(routes.into_router());
        let response = TowerToHyperService::new(router).call(request).await.unwrap();
        response.status().as_u16()
    }
}

/// Runs a test with an application on a new database. `as_role` decides if the connections have a role that policies limit.
fn with_app<F: Future>(test: &str, as_role: bool, body: impl FnOnce(App, PgPool) -> F) {
    let Some(database) = database(test) else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let superuser = PgPoolOptions::new().connect(&database.url).await.unwrap();
        for statement in TABLE.into_iter().chain([GRANT]) {
            sqlx::query(statement).execute(&superuser).await.unwrap();
        }
        let pool = PgPoolOptions::new()
            .max_connections(4)
            .acquire_timeout(Duration::from_secs(20))
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    if as_role {
                        sqlx::query("SET ROLE kit_tenant_test")
                            .execute(connection)
                            .await?;
                    }
                    Ok(())
                })
            })
            .connect(&database.url)
            .await
            .unwrap();
        let app = App {
            pool,
            role: None,
            has_named_statements: true,
            leaks: Arc::default(),
        };
        body(app, superuser).await;
    });
}

/// Pseudorandom numbers that are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }
}

/// Sends random requests of all tenants to the applications, which share a database, and compares the rows at the end.
async fn send_random_requests(apps: &[App], superuser: &PgPool) {
    let ids = Arc::new(AtomicU64::new(1));
    let stored: Arc<Mutex<BTreeMap<u64, String>>> = Arc::default();
    let mut tasks = Vec::new();
    for (task, app) in (0..TASKS).zip(apps.iter().cycle().cloned()) {
        let (ids, stored) = (Arc::clone(&ids), Arc::clone(&stored));
        tasks.push(tokio::spawn(async move {
            let mut random = Random(task);
            for _ in 0..REQUESTS {
                let tenant = format!("tenant-{}", random.below(TENANTS));
                let known = random.below(ids.load(Ordering::Relaxed)) + 1;
                match random.below(12) {
                    0..4 => {
                        let id = ids.fetch_add(1, Ordering::Relaxed);
                        stored.lock().unwrap().insert(id, tenant.clone());
                        assert_eq!(app.send(&tenant, "insert", id).await, 201);
                    }
                    4 => {
                        let id = ids.fetch_add(1, Ordering::Relaxed);
                        assert_eq!(app.send(&tenant, "fail", id).await, 500);
                    }
                    5 => {
                        let id = ids.fetch_add(1, Ordering::Relaxed);
                        assert_eq!(app.send(&tenant, "insert for another", id).await, 500);
                    }
                    6 | 7 => {
                        if app.send(&tenant, "delete", known).await == 200 {
                            let owner = stored.lock().unwrap().remove(&known);
                            assert!(owner.is_none_or(|owner| owner == tenant));
                        }
                    }
                    8 => assert_eq!(app.send(&tenant, "pool", 0).await, 200),
                    // The client goes away while PostgreSQL works.
                    9 => {
                        let sent = app.send(&tenant, "pause", 0);
                        let _ = tokio::time::timeout(Duration::from_millis(5), sent).await;
                    }
                    _ => assert_eq!(app.send(&tenant, "list", 0).await, 200),
                }
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    for app in apps {
        assert_eq!(*app.leaks.lock().unwrap(), [""; 0]);
    }
    let rows: Vec<(i64, String)> = sqlx::query_as("SELECT id, tenant FROM documents ORDER BY id")
        .fetch_all(superuser)
        .await
        .unwrap();
    let stored = stored.lock().unwrap();
    let expected = stored
        .iter()
        .map(|(id, tenant)| (i64::try_from(*id).unwrap(), tenant.clone()));
    assert_eq!(rows, expected.collect::<Vec<_>>());
    assert!(rows.len() > 100, "{}", rows.len());
}

#[test]
fn shows_each_of_50_tenants_only_its_rows_on_shared_connections() {
    with_app(
        "shows_each_of_50_tenants_only_its_rows_on_shared_connections",
        true,
        |app, superuser| async move { send_random_requests(&[app], &superuser).await },
    );
}

#[test]
fn shows_each_of_50_tenants_only_its_rows_behind_pgbouncer_in_transaction_mode() {
    const TEST: &str = "shows_each_of_50_tenants_only_its_rows_behind_pgbouncer_in_transaction_mode";
    /// Servers, each with a pool of its own.
    const WORKERS: usize = 4;
    /// Connections of the pooler to PostgreSQL. All workers together have up to 40 to the pooler.
    const CONNECTIONS: usize = 5;

    let Some(database) = database(TEST) else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let superuser = runtime.block_on(async {
        let superuser = PgPoolOptions::new().connect(&database.url).await.unwrap();
        let login = "DO $$ BEGIN CREATE ROLE kit_tenant_pooled LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$";
        let grant = "GRANT SELECT, INSERT, UPDATE, DELETE ON documents TO kit_tenant_pooled";
        for statement in TABLE.into_iter().chain([login, grant]) {
            sqlx::query(statement).execute(&superuser).await.unwrap();
        }
        superuser
    });
    let pooler = Bouncer::start(
        TEST,
        &database.url,
        "kit_tenant_pooled",
        "transaction",
        CONNECTIONS,
    );
    let Some(pooler) = pooler else { return };
    runtime.block_on(async {
        let mut apps = Vec::new();
        for _ in 0..WORKERS {
            apps.push(App {
                pool: kit_runtime::postgres::connect(&pooler.url).await.unwrap(),
                role: None,
                has_named_statements: false,
                leaks: Arc::default(),
            });
        }
        send_random_requests(&apps, &superuser).await;
        let processes: Vec<(i64,)> = sqlx::query_as(
            "SELECT count(*) FROM pg_stat_activity WHERE usename = 'kit_tenant_pooled' AND datname = current_database()",
        )
        .fetch_all(&superuser)
        .await
        .unwrap();
        let count = usize::try_from(processes[0].0).unwrap();
        assert!((1..=CONNECTIONS).contains(&count), "{count} sessions of the pooler");
    });
}

#[test]
fn sets_tenants_and_roles_with_quotes_and_refuses_zero_bytes() {
    with_app(
        "sets_tenants_and_roles_with_quotes_and_refuses_zero_bytes",
        false,
        |app, superuser| async move {
            for statement in [
                "DO $$ BEGIN CREATE ROLE \"kit \"\"tenant\\'\"; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
                "GRANT SELECT, INSERT ON documents TO \"kit \"\"tenant\\'\"",
            ] {
                sqlx::query(statement).execute(&superuser).await.unwrap();
            }
            for setting in ["on", "off"] {
                for id in [
                    "it's",
                    "back\\slash\\",
                    "'; DROP TABLE documents; --",
                    "ünï",
                    "$$ \" E'",
                ] {
                    let mut transaction = Tenant::new(id)
                        .role("kit \"tenant\\'")
                        .begin(&app.pool)
                        .await
                        .unwrap();
                    let own: String = sqlx::query_scalar("SELECT current_setting('kit.tenant')")
                        .fetch_one(&mut *transaction)
                        .await
                        .unwrap();
                    assert_eq!(own, id, "standard_conforming_strings is {setting}");
                }
                // The pool gives out its one open connection.
                sqlx::raw_sql("SET standard_conforming_strings = off")
                    .execute(&app.pool)
                    .await
                    .unwrap();
            }
            let error = Tenant::new("a\0b").begin(&app.pool).await.err().unwrap();
            assert!(error.message().contains("zero byte"), "{error:?}");
            let error = Tenant::new("a").role("b\0").begin(&app.pool).await.err().unwrap();
            assert!(error.message().contains("zero byte"), "{error:?}");
        },
    );
}

#[test]
fn refuses_a_missing_tenant_and_a_role_that_ignores_policies() {
    with_app(
        "refuses_a_missing_tenant_and_a_role_that_ignores_policies",
        false,
        |mut app, _| async move {
            assert_eq!(app.send("acme", "list", 0).await, 500);
            let error = Tenant::new("acme").begin(&app.pool).await.err().unwrap();
            assert!(error.message().contains("ignores the policies"), "{error:?}");
            app.role = Some("kit_tenant_test");
            assert_eq!(app.send("acme", "insert", 1).await, 201);
            assert_eq!(app.send("acme", "list", 0).await, 200);
            assert_eq!(app.send("globex", "list", 0).await, 200);
            assert_eq!(*app.leaks.lock().unwrap(), [""; 0]);
            assert_eq!(app.send("", "list", 0).await, 500);
            let error = Tenant::new("").begin(&app.pool).await.err().unwrap();
            assert!(error.message().contains("is empty"), "{error:?}");
            let mut transaction = Tenant::new("globex")
                .role("kit_tenant_test")
                .begin(&app.pool)
                .await
                .unwrap();
            let count: i64 = sqlx::query_scalar("SELECT count(*) FROM documents")
                .fetch_one(&mut *transaction)
                .await
                .unwrap();
            assert_eq!(count, 0);
        },
    );
}
