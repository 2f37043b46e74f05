//! Peer: axum with its own Server-Sent Events and a broadcast channel of tokio, on tokio's single-threaded runtime.

use std::convert::Infallible;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use axum::routing::get;
use axum::{Json, Router};
use futures_util::{Stream, StreamExt};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio_stream::wrappers::BroadcastStream;

type Channel = broadcast::Sender<Event>;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let port = std::env::var("PORT").expect("PORT");
    let listener = TcpListener::bind(format!("127.0.0.1:{port}"))
        .await
        .expect("a port");
    let (channel, _) = broadcast::channel::<Event>(64);
    let app = Router::new()
        .route("/events", get(read).post(publish))
        .with_state(channel);
    axum::serve(listener, app).await.expect("serves");
}

async fn read(State(channel): State<Channel>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let events = BroadcastStream::new(channel.subscribe()).filter_map(async |event| event.ok().map(Ok));
    Sse::new(events).keep_alive(KeepAlive::default())
}

async fn publish(State(channel): State<Channel>, Json(message): Json<Value>) -> StatusCode {
    let event = Event::default()
        .event("message")
        .json_data(message)
        .expect("JSON");
    // Fails only if there is no reader.
    let _ = channel.send(event);
    StatusCode::NO_CONTENT
}
