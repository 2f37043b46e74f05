//! Peer in Rust: the application of the benchmark, handwritten with axum. Like most users of axum, it uses extractors
//! for input, `from_fn` for middleware, serde for JSON and sqlx for the database. Its routes, rules and error format
//! are those of the application.

mod edge;
mod errors;
mod identity;
mod middleware;
mod notes;
mod store;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::extract::{DefaultBodyLimit, FromRef};
use axum::http::StatusCode;
use axum::routing::get;
use axum::serve::ListenerExt;
use axum::{Json, Router};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use errors::AppError;
use middleware::Quota;
use store::Store;

/// State that handlers share.
#[derive(Clone, FromRef)]
struct AppState {
    store: Arc<Mutex<Store>>,
    quota: Arc<Quota>,
    pool: PgPool,
}

#[derive(serde::Serialize)]
struct Health {
    status: &'static str,
}

fn router(state: AppState) -> Router {
    let account = get(middleware::account)
        .layer(axum::middleware::from_fn(middleware::no_store))
        .layer(axum::middleware::from_fn_with_state(
            state.clone(),
            middleware::quota,
        ))
        .layer(axum::middleware::from_fn(middleware::locale))
        .layer(axum::middleware::from_fn(middleware::tenant))
        .layer(axum::middleware::from_fn(middleware::require_auth));
    Router::new()
        .route("/health", get(async || Json(Health { status: "ok" })))
        .route("/notes", axum::routing::post(notes::create))
        .route("/notes/{id}", get(notes::read))
        .route("/stored-notes/{id}", get(notes::read_stored))
        .route("/account", account)
        .fallback(async || AppError::new(StatusCode::NOT_FOUND, "NOT_FOUND", "No route matches this path"))
        .method_not_allowed_fallback(async || {
            AppError::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "METHOD_NOT_ALLOWED",
                "This path does not support this method",
            )
        })
        .layer(DefaultBodyLimit::max(1024 * 1024))
        .with_state(state)
}

async fn serve(port: u16) -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::var("DATABASE_URL").unwrap_or_else(|_| "postgres://127.0.0.1:1/none".to_owned());
    let state = AppState {
        store: Arc::default(),
        quota: Arc::default(),
        // The pool connects when the first query is sent.
        pool: PgPoolOptions::new().max_connections(4).connect_lazy(&url)?,
    };
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let app = match std::env::var("BENCH_FEATURE") {
        Ok(feature) => identity::router(&feature).unwrap_or_else(|| edge::router(&feature)),
        Err(_) => router(state),
    };
    // Limits need the addresses of clients.
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port = std::env::var("PORT")?.parse()?;
    // Exits when the benchmark exits or is killed, because its end of the pipe closes then.
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    // Uses one thread, like all other servers here. A request costs less than on tokio's thread pool, whose threads
    // take work from each other.
    let mut runtime = match std::env::var("AXUM_THREADS").ok() {
        None => tokio::runtime::Builder::new_current_thread(),
        Some(threads) => {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            builder.worker_threads(threads.parse()?);
            builder
        }
    };
    runtime.enable_all().build()?.block_on(serve(port))
}
