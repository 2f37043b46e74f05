//! Scenarios with one feature of HTTP: CORS and compression of tower-http, a handwritten layer for ETags, typed headers and cookies, and
//! a route with two statuses.

use std::hash::{DefaultHasher, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LOCATION};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use axum_extra::extract::CookieJar;
use serde::{Deserialize, Serialize};
use tower_http::compression::CompressionLayer;
use tower_http::cors::CorsLayer;
use uuid::Uuid;

use crate::errors::AppError;
use crate::notes::Note;
use crate::store::Store;

const KNOWN: Uuid = Uuid::from_u128(0x6f1c_2f0e_9f5d_4a3b_8e0a_3d7b_1c5e_2a10);
const ORIGIN: HeaderValue = HeaderValue::from_static("https://app.example.com");
const INVALID: AppError = AppError::new(
    StatusCode::BAD_REQUEST,
    "VALIDATION_ERROR",
    "The request is invalid",
);

#[derive(Clone)]
struct EdgeState {
    store: Arc<Mutex<Store>>,
    entries: Arc<Vec<Entry>>,
}

#[derive(Serialize)]
struct Entry {
    id: u32,
    title: String,
    tags: [&'static str; 2],
}

/// Returns the application with the feature that the benchmark has chosen.
pub fn router(feature: &str) -> Router {
    let state = EdgeState {
        store: Arc::default(),
        entries: Arc::new(entries()),
    };
    let app = Router::new()
        .route("/note", get(note))
        .route("/context", get(context))
        .route("/orders", post(create_order))
        .route("/entries", get(list_entries))
        .with_state(state);
    match feature {
        "cors" => app.layer(CorsLayer::new().allow_origin([ORIGIN])),
        "etag" => app.layer(axum::middleware::from_fn(etag)),
        "compression" => app.layer(CompressionLayer::new().gzip(true)),
        _ => app,
    }
}

fn entries() -> Vec<Entry> {
    let words = [
        "groceries",
        "weekend",
        "travel",
        "garden",
        "letters",
        "books",
        "music",
        "repairs",
    ];
    (0_u32..110)
        .map(|number| {
            let index = number as usize;
            Entry {
                id: number + 1,
                title: format!(
                    "{} and {}, part {number}",
                    words[index % 8],
                    words[(index * 3 + 1) % 8]
                ),
                tags: [words[(index * 5) % 8], words[(index * 7 + 2) % 8]],
            }
        })
        .collect()
}

async fn note(State(state): State<EdgeState>) -> Result<Json<Note>, AppError> {
    let store = state.store.lock().unwrap_or_else(PoisonError::into_inner);
    store.find(KNOWN).cloned().map(Json).ok_or(INVALID)
}

#[derive(Serialize)]
struct Context {
    tenant: String,
    count: u32,
    trace: Uuid,
    sid: String,
}

async fn context(headers: HeaderMap, cookies: CookieJar) -> Result<Json<Context>, AppError> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let tenant = text("x-tenant").filter(|text| (1..=50).contains(&text.len()));
    let count = text("x-count").and_then(|text| text.parse().ok());
    let trace = text("x-trace").and_then(|text| Uuid::parse_str(text).ok());
    let sid = cookies.get("sid").map(axum_extra::extract::cookie::Cookie::value);
    Ok(Json(Context {
        tenant: tenant.ok_or(INVALID)?.to_owned(),
        count: count.filter(|count| (1..=100).contains(count)).ok_or(INVALID)?,
        trace: trace.ok_or(INVALID)?,
        sid: sid
            .filter(|sid| (10..=64).contains(&sid.len()))
            .ok_or(INVALID)?
            .to_owned(),
    }))
}

#[derive(Deserialize)]
struct Order {
    item: String,
    quantity: u32,
}

#[derive(Serialize)]
struct Created {
    id: u32,
    item: String,
    quantity: u32,
}

#[derive(Serialize)]
struct Queued {
    job: u32,
}

async fn create_order(Json(order): Json<Order>) -> Result<Response, AppError> {
    let Order { item, quantity } = order;
    if !(1..=100).contains(&item.chars().count()) || !(1..=1000).contains(&quantity) {
        return Err(INVALID);
    }
    if quantity > 500 {
        return Ok((StatusCode::ACCEPTED, Json(Queued { job: 1 })).into_response());
    }
    let headers = [
        (LOCATION, HeaderValue::from_static("/orders/1")),
        (
            axum::http::HeaderName::from_static("x-version"),
            HeaderValue::from_static("1"),
        ),
    ];
    let created = Created {
        id: 1,
        item,
        quantity,
    };
    Ok((StatusCode::CREATED, headers, Json(created)).into_response())
}

async fn list_entries(State(state): State<EdgeState>) -> Response {
    Json(&*state.entries).into_response()
}

/// Adds a weak ETag of the body, and responds with 304 if the client has this body already.
async fn etag(request: Request, next: Next) -> Response {
    let known = request.headers().get(IF_NONE_MATCH).cloned();
    let (mut parts, body) = next.run(request).await.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let Some(tag) = tag_of(&bytes) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    let is_known = known.is_some_and(|known| known == tag);
    parts.headers.insert(ETAG, tag);
    if is_known {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(CONTENT_LENGTH);
        parts.headers.remove(CONTENT_TYPE);
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(bytes))
}

fn tag_of(bytes: &Bytes) -> Option<HeaderValue> {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    HeaderValue::from_str(&format!("W/\"{:016x}\"", hasher.finish())).ok()
}
