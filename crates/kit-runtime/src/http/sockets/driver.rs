//! Moves the bytes of a WebSocket, and runs its handler.

use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use kit_websocket::connection::drive;

use super::super::catch_panic::catch_panic;
use super::super::request_log::Entry;
use super::SocketClose;
use super::opening::OpenSocket;
use crate::debug::StreamResult;
use crate::shutdown::Shutdown;

/// Time for which a handler may run after its socket has ended.
const HANDLER_GRACE: Duration = Duration::from_secs(10);
/// Close code of a connection that has ended without a close frame.
const ABNORMAL: u16 = 1006;
/// Code and reason for the clients of a server that shuts down.
const GOING_AWAY: (u16, &str) = (1001, "The server is closing");

/// Serves a WebSocket in a task of its own. `entry` is written when the connection has ended.
pub(in super::super) fn spawn(socket: OpenSocket, entry: Option<Entry>) {
    tokio::spawn(run(socket, entry));
}

/// Runs a handler and moves the bytes of its socket until both have ended. Writes the entry of the request log when the
/// connection has ended.
async fn run(socket: OpenSocket, entry: Option<Entry>) {
    let OpenSocket {
        upgrade,
        shared,
        ping_after,
        context,
        stream,
        mut work,
    } = socket;
    let mut shutdown = Shutdown::of_server();
    stream.open();
    let moving = async {
        if let Ok(upgraded) = upgrade.await {
            // An error means that the connection has ended without a close frame.
            let closing = async {
                shutdown.begun().await;
                GOING_AWAY
            };
            let _ = drive(TokioIo::new(upgraded), &shared, ping_after, closing).await;
        }
        let (code, bytes) = shared.end();
        let reason = shared.ended().unwrap_or_else(SocketClose::abnormal).reason;
        let result = if shared.is_closed_here() {
            StreamResult::Closed
        } else {
            StreamResult::Disconnected
        };
        stream.end(result, Some(code), &reason);
        if let Some(mut entry) = entry {
            entry.bytes = bytes;
            entry.write(code == ABNORMAL);
        }
    };
    let working = async {
        let result = poll_fn(|task| context.scope_part(|| catch_panic(|| work.as_mut().poll(task)))).await;
        match result {
            Ok(()) => shared.close(1000, ""),
            // The handler has returned the error of a message that the client can no longer receive.
            Err(error) if error.is_socket_ended() => shared.close(1000, ""),
            Err(error) => {
                context.scope_part(|| {
                    error.log_late("The handler of a WebSocket failed; the socket was closed");
                });
                shared.close(1011, "Internal error");
            }
        }
    };
    let (mut moving, mut working) = (pin!(moving), pin!(working));
    let (mut has_moved, mut has_worked) = (false, false);
    while !has_moved {
        tokio::select! {
            () = &mut moving => has_moved = true,
            () = &mut working, if !has_worked => has_worked = true,
        }
    }
    if !has_worked {
        // A handler that waits for something else than its socket must not run forever.
        let _ = tokio::time::timeout(HANDLER_GRACE, working).await;
    }
}
