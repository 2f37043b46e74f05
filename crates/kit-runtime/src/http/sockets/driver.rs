//! Moves the bytes of a WebSocket, and runs its handler.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::time::Duration;

use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use kit_websocket::CLOSE_TIME;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::Instant;

use super::super::catch_panic::catch_panic;
use super::super::request_log::Entry;
use super::opening::OpenSocket;
use super::shared::Shared;
use crate::shutdown::Shutdown;

/// Size of the read buffer in bytes.
const BUFFER: usize = 8 * 1024;
/// Maximum number of bytes of one write.
const MAX_WRITE: usize = 64 * 1024;
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
        mut work,
    } = socket;
    let shutdown = Shutdown::of_server();
    let moving = async {
        if let Ok(upgraded) = upgrade.await {
            // An error means that the connection has ended without a close frame.
            let _ = move_bytes(upgraded, &shared, ping_after, shutdown).await;
        }
        let (code, bytes) = shared.end();
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

async fn move_bytes(
    upgraded: Upgraded,
    shared: &Shared,
    ping_after: Duration,
    mut shutdown: Shutdown,
) -> io::Result<()> {
    let (mut reader, mut writer) = tokio::io::split(TokioIo::new(upgraded));
    let mut is_shut_down = false;
    let mut buffer = vec![0; BUFFER];
    let mut chunk = Vec::new();
    let mut last_bytes = Instant::now();
    let mut is_ping_sent = false;
    let mut close_until: Option<Instant> = None;
    loop {
        let (holds_back, is_closing, has_ended) = {
            let state = shared.lock();
            let output = state.session.output();
            chunk.clear();
            chunk.extend_from_slice(&output[..output.len().min(MAX_WRITE)]);
            let session = &state.session;
            (state.holds_back(), session.is_closing(), session.end().is_some())
        };
        if has_ended && chunk.is_empty() {
            // Waits, within limits, until the client has read everything.
            return writer.shutdown().await;
        }
        if is_closing && chunk.is_empty() && close_until.is_none() {
            close_until = Some(Instant::now() + CLOSE_TIME);
        }
        // While the server does not read, it receives no pongs.
        let wake_at = close_until.or_else(|| (!holds_back).then(|| last_bytes + ping_after));
        tokio::select! {
            count = reader.read(&mut buffer), if !holds_back && !has_ended => match count? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => {
                    last_bytes = Instant::now();
                    is_ping_sent = false;
                    shared.receive(&mut buffer[..count]);
                }
            },
            count = writer.write(&chunk), if !chunk.is_empty() => match count? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                count => shared.advance(count),
            },
            () = shared.work() => {}
            () = shutdown.begun(), if !is_shut_down => {
                is_shut_down = true;
                let (code, reason) = GOING_AWAY;
                shared.close(code, reason);
            }
            () = sleep_until(wake_at), if chunk.is_empty() => {
                if is_closing || is_ping_sent {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                shared.lock().session.ping();
                is_ping_sent = true;
                last_bytes = Instant::now();
            }
        }
    }
}

async fn sleep_until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}
