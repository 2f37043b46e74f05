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
/// A client ends the connection if the server takes no bytes in twice the time `ping_after`, or in [`CLOSE_TIME`] while the socket is
/// closing. The stream of a server must limit the time of writes itself.
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
    // Times since which this side is closing, and since which the other side has taken no bytes that wait.
    let mut closing_since: Option<Instant> = None;
    let mut waiting_since: Option<Instant> = None;
    loop {
        let (holds_back, is_closing, has_ended, is_client) = {
            let state = shared.lock();
            let output = state.session.output();
            chunk.clear();
            chunk.extend_from_slice(&output[..output.len().min(MAX_WRITE)]);
            let session = &state.session;
            let has_ended = session.end().is_some();
            (
                state.holds_back(),
                session.is_closing(),
                has_ended,
                session.is_client(),
            )
        };
        if has_ended && chunk.is_empty() {
            // Waits, within limits, until the other side has read everything.
            return if is_client {
                tokio::time::timeout(CLOSE_TIME, writer.shutdown()).await?
            } else {
                writer.shutdown().await
            };
        }
        if is_closing || has_ended {
            closing_since.get_or_insert_with(Instant::now);
        }
        let write_until = if chunk.is_empty() {
            waiting_since = None;
            None
        } else {
            let since = *waiting_since.get_or_insert_with(Instant::now);
            let until = match closing_since {
                Some(closing) => Some(since.max(closing) + CLOSE_TIME),
                None => since.checked_add(ping_after.saturating_mul(2)),
            };
            until.filter(|_| is_client)
        };
        if is_closing && chunk.is_empty() && close_until.is_none() {
            close_until = Some(Instant::now() + CLOSE_TIME);
        }
        // While this side does not read, it receives no pongs.
        let wake_at = close_until.or_else(|| last_bytes.checked_add(ping_after).filter(|_| !holds_back));
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
                count => {
                    waiting_since = None;
                    shared.advance(count);
                }
            },
            () = shared.work() => {}
            (code, reason) = &mut closing, if !is_closed => {
                is_closed = true;
                shared.close_later(code, reason);
            }
            () = sleep_until(write_until) => return Err(io::ErrorKind::TimedOut.into()),
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

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::io::ErrorKind;
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio::time::timeout;

    use super::{SharedSession, drive};
    use crate::{Compression, Message, Session};

    const NEVER: Duration = Duration::from_secs(3600);

    fn client() -> SharedSession {
        SharedSession::new(Session::client(1024, Compression::None, || [1, 2, 3, 4]))
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_gives_up_if_the_server_takes_no_bytes() {
        let (ours, _theirs) = duplex(16);
        let shared = client();
        shared.lock().session.send(&Message::Binary(vec![0; 100].into()));
        let ping_after = Duration::from_secs(30);
        let driven = timeout(NEVER, drive(ours, &shared, ping_after, pending())).await;
        let error = driven.expect("the driver must end").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_closes_gives_up_soon_if_the_server_takes_no_bytes() {
        let (ours, _theirs) = duplex(16);
        let shared = client();
        shared.lock().session.send(&Message::Binary(vec![0; 100].into()));
        shared.close(1000, "");
        let driven = timeout(NEVER / 60, drive(ours, &shared, NEVER, pending())).await;
        let error = driven.expect("the driver must end").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_goes_on_while_the_server_takes_bytes_slowly() {
        let (ours, mut theirs) = duplex(16);
        let shared = client();
        shared.lock().session.send(&Message::Binary(vec![0; 100].into()));
        let slow = async {
            // The last bytes still wait in the client then.
            for _ in 0..80 {
                theirs.read_u8().await.unwrap();
                tokio::time::sleep(Duration::from_secs(3)).await;
            }
        };
        tokio::select! {
            ended = drive(ours, &shared, Duration::from_secs(30), pending()) => panic!("ended early: {ended:?}"),
            () = slow => {}
        }
    }

    #[tokio::test]
    async fn the_longest_duration_means_no_ping() {
        let (ours, mut theirs) = duplex(64);
        let shared = SharedSession::new(Session::new(1024, Compression::None));
        let talk = async {
            theirs
                .write_all(&[0x81, 0x82, 0, 0, 0, 0, b'H', b'i'])
                .await
                .unwrap();
            assert_eq!(shared.next().await, Some(Message::Text("Hi".into())));
        };
        tokio::select! {
            ended = drive(ours, &shared, Duration::MAX, pending()) => panic!("ended early: {ended:?}"),
            () = talk => {}
        }
    }

    #[tokio::test]
    async fn a_call_of_send_that_is_dropped_while_it_waits_sends_nothing() {
        let shared = SharedSession::new(Session::new(1024, Compression::None));
        let large = vec![0; 70 * 1024];
        assert!(shared.send(Message::Binary(large.into())).await);
        let length = shared.lock().session.output().len();
        let late = timeout(Duration::ZERO, shared.send(Message::Text("late".into())));
        late.await.expect_err("a call that waits");
        assert_eq!(shared.lock().session.output().len(), length);
        shared.advance(length);
        assert!(shared.send(Message::Text("Hi".into())).await);
        assert_eq!(shared.lock().session.output(), b"\x81\x02Hi");
    }

    #[tokio::test]
    async fn messages_after_an_own_close_are_not_received() {
        let shared = SharedSession::new(Session::new(1024, Compression::None));
        let mut packet = [0x81, 0x81, 0, 0, 0, 0, b'a', 0x81, 0x81, 0, 0, 0, 0, b'b'];
        shared.receive(&mut packet);
        assert_eq!(shared.next().await, Some(Message::Text("a".into())));
        shared.close(1008, "");
        assert_eq!(shared.next().await, None);
    }

    #[tokio::test]
    async fn messages_before_a_close_of_the_other_side_are_received_unless_one_is_refused() {
        let text = |byte| [0x81, 0x81, 0, 0, 0, 0, byte];
        let packet = [
            &text(b'a')[..],
            &text(b'b'),
            &text(b'c'),
            &[0x88, 0x80, 0, 0, 0, 0],
        ]
        .concat();
        let shared = SharedSession::new(Session::new(1024, Compression::None));
        shared.receive(&mut packet.clone());
        assert_eq!(shared.next().await, Some(Message::Text("a".into())));
        shared.close(1000, "");
        assert_eq!(shared.next().await, Some(Message::Text("b".into())));
        shared.refuse(1008, "");
        assert_eq!(shared.next().await, None);
    }
}
