//! The routes of the application, without features of HTTP that have programs of their own.

use std::sync::{Arc, Mutex};

use axum::extract::{DefaultBodyLimit, FromRef};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use crate::errors::AppError;
use crate::middleware::{self, Quota};
use crate::notes;
use crate::store::Store;

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

/// Returns the routes. The pool connects to the database when the first query is sent.
pub fn router() -> Result<Router, Box<dyn std::error::Error>> {
    let url = std::env::var("DATABASE_URL").unwrap_or_else(|_| "postgres://127.0.0.1:1/none".to_owned());
    let state = AppState {
        store: Arc::default(),
        quota: Arc::default(),
        pool: PgPoolOptions::new().max_connections(4).connect_lazy(&url)?,
    };
    let account = get(middleware::account)
        .layer(axum::middleware::from_fn(middleware::no_store))
        .layer(axum::middleware::from_fn_with_state(
            state.clone(),
            middleware::quota,
        ))
        .layer(axum::middleware::from_fn(middleware::locale))
        .layer(axum::middleware::from_fn(middleware::tenant))
        .layer(axum::middleware::from_fn(middleware::require_auth));
    let router = Router::new()
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
        .with_state(state);
    Ok(router)
}
