//! Peer: axum, whose WebSockets are tokio-tungstenite, on tokio's single-threaded runtime.

use axum::Router;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::routing::any;
use serde_json::Value;
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let port = std::env::var("PORT").expect("PORT");
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).await.expect("a port");
    let app = Router::new().route("/", any(async |upgrade: WebSocketUpgrade| upgrade.on_upgrade(echo)));
    axum::serve(listener, app).await.expect("serves");
}

async fn echo(mut socket: WebSocket) {
    while let Some(Ok(message)) = socket.recv().await {
        let Message::Text(text) = message else { continue };
        let Ok(value) = serde_json::from_str::<Value>(&text) else { return };
        if socket.send(Message::Text(value.to_string().into())).await.is_err() {
            return;
        }
    }
}
