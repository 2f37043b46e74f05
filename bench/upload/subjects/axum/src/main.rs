//! Peer: axum, whose multipart bodies are read by multer, on tokio's single-threaded runtime. Linux only.

use std::fs::read_to_string;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Multipart};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{}", listener.local_addr().expect("an address").port());
    let app = Router::new()
        .route("/table", get(async || used()))
        .route("/avatars", post(upload))
        .layer(DefaultBodyLimit::disable());
    axum::serve(listener, app).await.expect("serves");
}

async fn upload(mut body: Multipart) -> Response {
    let mut bytes = 0;
    while let Ok(Some(mut field)) = body.next_field().await {
        while let Ok(Some(chunk)) = field.chunk().await {
            bytes += chunk.len();
        }
    }
    (StatusCode::NO_CONTENT, [("x-bytes", bytes.to_string())]).into_response()
}

/// Returns the CPU time and the largest memory of the process, as JSON.
fn used() -> String {
    let stat = read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let ticks = |index: usize| {
        fields
            .get(index)
            .and_then(|text| text.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    let status = read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| {
        line.strip_prefix("VmHWM:")?
            .split_whitespace()
            .next()?
            .parse::<f64>()
            .ok()
    });
    // The kernel counts 100 ticks in a second.
    format!(
        r#"{{"cpuMs":{},"peakMiB":{}}}"#,
        (ticks(11) + ticks(12)) * 10.0,
        peak.unwrap_or(0.0) / 1024.0
    )
}
