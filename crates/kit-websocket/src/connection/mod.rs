//! Moves the bytes of a WebSocket over a connection of tokio.

mod shared;

use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::Instant;

use crate::session::CLOSE_TIME;

pub use shared::SharedSession;

/// Size of the read buffer in bytes.
const BUFFER: usize = 8 * 1024;
/// Maximum number of bytes of one write.
const MAX_WRITE: usize = 64 * 1024;

/// Moves the bytes of a WebSocket until both sides have closed it. After the time `ping_after` without bytes, sends a ping, and
/// ends the connection if the ping gets no response in the same time. When `closing` is ready, closes the socket with its code and
/// reason. The caller then calls [`SharedSession::end`], also after an error.
///
/// ```
/// use kit_websocket::connection::{SharedSession, drive};
/// use tokio::io::{AsyncRead, AsyncWrite};
///
/// async fn run(stream: impl AsyncRead + AsyncWrite, shared: &SharedSession) -> u16 {
///     let ping_after = std::time::Duration::from_secs(30);
///     let _ = drive(stream, shared, ping_after, std::future::pending()).await;
///     shared.end().0
/// }
/// ```
///
/// # Errors
///
/// If the connection ends without a close frame.
pub async fn drive(
    stream: impl AsyncRead + AsyncWrite,
    shared: &SharedSession,
    ping_after: Duration,
    closing: impl Future<Output = (u16, &'static str)>,
) -> io::Result<()> {
    let (mut reader, mut writer) = tokio::io::split(stream);
    let mut closing = pin!(closing);
    let mut is_closed = false;
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
            // Waits, within limits, until the other side has read everything.
            return writer.shutdown().await;
        }
        if is_closing && chunk.is_empty() && close_until.is_none() {
            close_until = Some(Instant::now() + CLOSE_TIME);
        }
        // While this side does not read, it receives no pongs.
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
            (code, reason) = &mut closing, if !is_closed => {
                is_closed = true;
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
