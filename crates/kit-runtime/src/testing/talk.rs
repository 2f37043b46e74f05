//! Client side of an open WebSocket.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::time::Duration;

use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use kit_websocket::connection::{SharedSession, drive};
use kit_websocket::{Compression, Message, Session};

use super::case::LARGEST;
use super::closed::Closed;

/// Time for which a test waits until the application closes a socket.
const CLOSE_TIME: Duration = Duration::from_secs(2);

/// Sends messages, and receives messages until the application closes the socket.
pub(super) async fn talk(upgraded: Upgraded, messages: Vec<Message<'static>>) -> Closed {
    let shared = SharedSession::new(Session::client(LARGEST, Compression::None, mask));
    let mut closed = Closed::default();
    let moving = async {
        let _ = drive(
            TokioIo::new(upgraded),
            &shared,
            CLOSE_TIME * 2,
            std::future::pending(),
        )
        .await;
        shared.end();
    };
    let sending = async {
        for message in messages {
            if !shared.send(message).await {
                break;
            }
        }
    };
    let receiving = async {
        while let Some(message) = shared.next().await {
            closed.received.push(message);
        }
    };
    let talking = async { tokio::join!(moving, sending, receiving) };
    let _ = tokio::time::timeout(CLOSE_TIME, talking).await;
    if let Some(end) = shared.ended() {
        closed.code = Some(end.code);
        closed.reason = end.reason;
    }
    closed
}

/// Returns the mask of a frame.
fn mask() -> [u8; 4] {
    let [a, b, c, d, ..] = RandomState::new().build_hasher().finish().to_le_bytes();
    [a, b, c, d]
}
