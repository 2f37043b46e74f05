//! Notes API that an experienced Rust developer has written without kit, with axum, serde and sqlx. Routes, rules, SQL
//! statements and error format are those of `examples/notes-rust`. It uses extractors for the input, derived models and
//! handwritten checks.

mod auth;
mod errors;
mod notes;
mod store;

use std::error::Error;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::routing::get;
use axum::serve::ListenerExt as _;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::filter::LevelFilter;

use errors::AppError;

/// Maximum size of a request body in bytes, as in kit.
const BODY_LIMIT: usize = 1024 * 1024;
/// Number of connections to PostgreSQL, as in a generated server.
const CONNECTIONS: u32 = 10;

fn router(pool: PgPool) -> Router {
    let one = get(notes::read).put(notes::change).delete(notes::remove);
    Router::new()
        .route("/notes", get(notes::list).post(notes::create))
        .route("/notes/{id}", one)
        .fallback(async || AppError::new(StatusCode::NOT_FOUND, "NOT_FOUND", "No route matches this path"))
        .method_not_allowed_fallback(async || {
            AppError::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "METHOD_NOT_ALLOWED",
                "This path does not support this method",
            )
        })
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .with_state(pool)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt()
        .json()
        .with_max_level(LevelFilter::INFO)
        .init();
    let port: u16 = std::env::var("PORT")?.parse()?;
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .connect(&std::env::var("DATABASE_URL")?)
        .await?;
    let mut terminated = signal(SignalKind::terminate())?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await?.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router(pool))
        .with_graceful_shutdown(async move {
            terminated.recv().await;
        })
        .await?;
    Ok(())
}
