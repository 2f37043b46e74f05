//! Peer: the profiles of HttpArena with axum, tower-http and sqlx. The variable `ARENA_WORKERS` is the number of threads; one thread is tokio's single-threaded runtime.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::StatusCode;
use axum::routing::{any, get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use axum_server::accept::NoDelayAcceptor;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use serde::{Deserialize, Serialize};
use sqlx::postgres::PgPoolOptions;
use sqlx::{FromRow, PgPool};
use tokio::net::TcpListener;
use tower_http::compression::CompressionLayer;
use tower_http::services::ServeDir;

#[derive(Clone, Deserialize, Serialize)]
struct Rating {
    score: i32,
    count: i32,
}

#[derive(Clone, Deserialize, Serialize)]
struct Item {
    id: i32,
    name: String,
    category: String,
    price: i32,
    quantity: i32,
    active: bool,
    tags: Vec<String>,
    rating: Rating,
}

#[derive(Serialize)]
struct Processed<'a> {
    #[serde(flatten)]
    item: &'a Item,
    total: i64,
}

#[derive(Serialize)]
struct List<T> {
    count: usize,
    items: Vec<T>,
}

#[derive(FromRow)]
struct Row {
    id: i32,
    name: String,
    category: String,
    price: i32,
    quantity: i32,
    active: bool,
    tags: sqlx::types::Json<Vec<String>>,
    rating_score: i32,
    rating_count: i32,
}

#[derive(Clone)]
struct Shared {
    items: Arc<Vec<Item>>,
    pool: PgPool,
}

#[derive(Deserialize)]
struct Addends {
    a: i64,
    b: i64,
}

#[derive(Deserialize)]
struct Multiplier {
    m: Option<i64>,
}

#[derive(Deserialize)]
struct Range {
    min: Option<i32>,
    max: Option<i32>,
    limit: Option<i64>,
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("the variable {name} is not set"))
}

fn main() {
    let threads: usize = variable("ARENA_WORKERS").parse().expect("the number of threads");
    let mut builder = if threads == 1 {
        tokio::runtime::Builder::new_current_thread()
    } else {
        tokio::runtime::Builder::new_multi_thread()
    };
    builder
        .worker_threads(threads)
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(serve());
}

async fn serve() {
    let dataset = std::fs::read(variable("ARENA_DATASET")).expect("the data set");
    let shared = Shared {
        items: Arc::new(serde_json::from_slice(&dataset).expect("the data set is JSON")),
        pool: PgPoolOptions::new()
            .max_connections(8)
            .connect_lazy(&variable("DATABASE_URL"))
            .expect("the URL of the database"),
    };
    let files = ServeDir::new(variable("ARENA_STATIC"))
        .precompressed_br()
        .precompressed_gzip();
    let app = Router::new()
        .route("/baseline11", get(sum).post(sum_with_body))
        .route("/baseline2", get(sum))
        .route("/pipeline", get(async || "ok"))
        .route("/json/{count}", get(json).layer(CompressionLayer::new()))
        .route("/upload", post(upload).layer(DefaultBodyLimit::disable()))
        .route("/async-db", get(stored))
        .route(
            "/ws",
            any(async |upgrade: WebSocketUpgrade| upgrade.on_upgrade(echo)),
        )
        .nest_service("/static", files)
        .with_state(shared);
    let address = format!("127.0.0.1:{}", variable("PORT"));
    if let Ok(certificate) = std::env::var("ARENA_TLS_CERT") {
        serve_with_tls(&address, certificate, app).await;
        return;
    }
    let listener = TcpListener::bind(address).await.expect("a free port");
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, app).await.expect("the server");
}

/// Serves HTTP/1.1 and HTTP/2 over TLS, as users of axum do: with axum-server and rustls.
async fn serve_with_tls(address: &str, certificate: String, app: Router) {
    let config = RustlsConfig::from_pem_file(certificate, variable("ARENA_TLS_KEY"))
        .await
        .expect("a certificate and its key");
    let listener = std::net::TcpListener::bind(address).expect("a free port");
    listener
        .set_nonblocking(true)
        .expect("a listener that does not block");
    axum_server::from_tcp(listener)
        .expect("the listener of the runtime")
        .acceptor(RustlsAcceptor::new(config).acceptor(NoDelayAcceptor))
        .serve(app.into_make_service())
        .await
        .expect("the server");
}

async fn sum(Query(Addends { a, b }): Query<Addends>) -> String {
    (a + b).to_string()
}

async fn sum_with_body(Query(Addends { a, b }): Query<Addends>, body: String) -> Result<String, StatusCode> {
    let number: i64 = body.trim().parse().map_err(|_| StatusCode::BAD_REQUEST)?;
    Ok((a + b + number).to_string())
}

async fn json(
    State(shared): State<Shared>,
    Path(count): Path<usize>,
    Query(Multiplier { m }): Query<Multiplier>,
) -> axum::response::Response {
    use axum::response::IntoResponse;
    let multiplier = m.unwrap_or(1);
    let items: Vec<_> = shared
        .items
        .iter()
        .take(count)
        .map(|item| Processed {
            item,
            total: i64::from(item.price) * i64::from(item.quantity) * multiplier,
        })
        .collect();
    Json(List {
        count: items.len(),
        items,
    })
    .into_response()
}

/// Returns the number of bytes of a body, which is read while the body arrives.
async fn upload(body: Body) -> Result<String, StatusCode> {
    use futures_util::StreamExt;
    let mut chunks = body.into_data_stream();
    let mut bytes = 0;
    while let Some(chunk) = chunks.next().await {
        bytes += chunk.map_err(|_| StatusCode::BAD_REQUEST)?.len();
    }
    Ok(bytes.to_string())
}

async fn stored(
    State(shared): State<Shared>,
    Query(Range { min, max, limit }): Query<Range>,
) -> Result<Json<List<Item>>, StatusCode> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT id, name, category, price, quantity, active, tags, rating_score, rating_count \
         FROM items WHERE price BETWEEN $1 AND $2 LIMIT $3",
    )
    .bind(min.unwrap_or(10))
    .bind(max.unwrap_or(50))
    .bind(limit.unwrap_or(50).clamp(1, 50))
    .fetch_all(&shared.pool)
    .await
    .map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    let items: Vec<_> = rows.into_iter().map(item_of).collect();
    Ok(Json(List {
        count: items.len(),
        items,
    }))
}

fn item_of(row: Row) -> Item {
    Item {
        id: row.id,
        name: row.name,
        category: row.category,
        price: row.price,
        quantity: row.quantity,
        active: row.active,
        tags: row.tags.0,
        rating: Rating {
            score: row.rating_score,
            count: row.rating_count,
        },
    }
}

async fn echo(mut socket: WebSocket) {
    while let Some(Ok(message)) = socket.recv().await {
        if matches!(message, Message::Text(_) | Message::Binary(_)) && socket.send(message).await.is_err() {
            return;
        }
    }
}
