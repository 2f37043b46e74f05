//! State of a WebSocket that its user and the driver of its bytes share.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::close::Close;
use crate::session::{Message, SOFT_LIMIT, Session};

/// Open WebSocket, whose bytes [`drive`](super::drive) moves. Its user receives and sends messages meanwhile.
///
/// ```
/// use kit_websocket::connection::{SharedSession, drive};
/// use kit_websocket::{Compression, Message, Session};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let (ours, theirs) = tokio::io::duplex(1024);
/// let never = std::time::Duration::from_secs(3600);
/// let server = SharedSession::new(Session::new(1024, Compression::None));
/// let client = SharedSession::new(Session::client(1024, Compression::None, || [1, 2, 3, 4]));
/// let talk = async {
///     client.send(Message::Text("Hi".into())).await;
///     assert_eq!(server.next().await, Some(Message::Text("Hi".into())));
///     client.close(1000, "bye");
///     assert_eq!(server.next().await, None);
/// };
/// let _ = tokio::join!(
///     drive(ours, &server, never, std::future::pending()),
///     drive(theirs, &client, never, std::future::pending()),
///     talk,
/// );
/// assert_eq!(server.end().0, 1000);
/// assert!(client.is_closed_here() && !server.is_closed_here());
/// assert_eq!(server.ended(), Some(server.wait_for_end().await));
/// # }
/// ```
#[derive(Debug)]
pub struct SharedSession {
    state: Mutex<State>,
    /// Notified if a message has arrived or the socket has ended.
    arrived: Notify,
    /// Notified if there is room for further messages, or the socket has ended.
    room: Notify,
    /// Notified if the driver must write, or may read again.
    work: Notify,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) session: Session,
    /// Messages that the user has not received.
    inbox: VecDeque<Message<'static>>,
    inbox_bytes: usize,
    /// True if a sender waits for room.
    is_full: bool,
    /// True if this side has closed the socket first.
    is_closed_here: bool,
    /// Number of bytes of the messages that were sent.
    sent: u64,
    end: Option<Close>,
}

impl State {
    /// Returns true if the driver must not read, because enough messages wait for the user.
    pub(super) fn holds_back(&self) -> bool {
        self.inbox_bytes >= SOFT_LIMIT && self.session.is_open()
    }

    /// Drops the messages that the user has not received.
    fn drop_inbox(&mut self) {
        self.inbox.clear();
        self.inbox_bytes = 0;
    }
}

/// Returns the number of bytes of a message.
fn length(message: &Message<'_>) -> usize {
    match message {
        Message::Text(text) => text.len(),
        Message::Binary(bytes) => bytes.len(),
    }
}

/// Returns the number of bytes that a message counts while it waits for the user. An empty message needs memory too.
fn size(message: &Message<'_>) -> usize {
    64 + length(message)
}

impl SharedSession {
    /// Creates the state of a connection whose handshake is complete.
    #[must_use]
    pub fn new(session: Session) -> Self {
        Self {
            state: Mutex::new(State {
                session,
                inbox: VecDeque::new(),
                inbox_bytes: 0,
                is_full: false,
                is_closed_here: false,
                sent: 0,
                end: None,
            }),
            arrived: Notify::new(),
            room: Notify::new(),
            work: Notify::new(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the driver has something to do.
    pub(super) async fn work(&self) {
        self.work.notified().await;
    }

    /// Returns the next message; `None` when the socket has ended.
    pub async fn next(&self) -> Option<Message<'static>> {
        loop {
            // Registered before the check, so that no notification between the two is lost.
            let arrived = self.arrived.notified();
            {
                let mut state = self.lock();
                if let Some(message) = state.inbox.pop_front() {
                    let was_holding = state.holds_back();
                    state.inbox_bytes -= size(&message);
                    if was_holding && !state.holds_back() {
                        self.work.notify_one();
                    }
                    return Some(message);
                }
                if state.end.is_some() || !state.session.is_open() {
                    return None;
                }
            }
            arrived.await;
        }
    }

    /// Sends a message. Waits first while too many bytes wait for the other side, so a call that is dropped while it waits sends
    /// nothing. Returns false if the socket has ended.
    pub async fn send(&self, message: Message<'_>) -> bool {
        loop {
            // Registered before the check, so that no notification between the two is lost.
            let room = self.room.notified();
            {
                let mut state = self.lock();
                if state.end.is_some() || !state.session.is_open() {
                    return false;
                }
                if !state.is_full {
                    state.sent += u64::try_from(length(&message)).unwrap_or(0);
                    state.is_full = !state.session.send(&message);
                    break;
                }
            }
            room.await;
        }
        self.work.notify_one();
        true
    }

    /// Closes the socket after all messages that were sent. `reason` is cut to 123 bytes. Messages that were not received are
    /// dropped, unless the other side has closed the socket first.
    pub fn close(&self, code: u16, reason: &str) {
        let mut state = self.lock();
        if state.session.is_open() && state.end.is_none() {
            state.drop_inbox();
        }
        self.close_session(state, code, reason);
    }

    /// Closes the socket because of a message that does not fit its type. All messages after this message are dropped.
    ///
    /// ```
    /// use kit_websocket::connection::SharedSession;
    /// use kit_websocket::{Compression, Session};
    ///
    /// let socket = SharedSession::new(Session::new(1024, Compression::None));
    /// socket.refuse(1008, "$.name: expected a string");
    /// assert!(socket.is_closed_here());
    /// ```
    pub fn refuse(&self, code: u16, reason: &str) {
        let mut state = self.lock();
        state.drop_inbox();
        self.close_session(state, code, reason);
    }

    /// Closes the socket after all messages that were sent. The user may still receive the messages that have arrived.
    pub(super) fn close_later(&self, code: u16, reason: &str) {
        self.close_session(self.lock(), code, reason);
    }

    fn close_session(&self, mut state: MutexGuard<'_, State>, code: u16, reason: &str) {
        state.is_closed_here |= state.session.is_open() && state.end.is_none();
        state.session.close(code, reason);
        drop(state);
        self.wake_all();
        self.work.notify_one();
    }

    /// Returns how the socket has ended; `None` while it is open.
    pub fn ended(&self) -> Option<Close> {
        self.lock().end.clone()
    }

    /// Returns true if this side has closed the socket first.
    pub fn is_closed_here(&self) -> bool {
        self.lock().is_closed_here
    }

    /// Waits until the socket has ended.
    pub async fn wait_for_end(&self) -> Close {
        loop {
            // Registered before the check, so that no notification between the two is lost.
            let arrived = self.arrived.notified();
            if let Some(end) = self.ended() {
                return end;
            }
            arrived.await;
        }
    }

    /// Passes received bytes to the session, and stores the messages for the user.
    pub(super) fn receive(&self, bytes: &mut [u8]) {
        let mut state = self.lock();
        let mut start = 0;
        while start < bytes.len() {
            let received = state.session.receive(&mut bytes[start..]);
            start += received.taken;
            let Some(message) = received.message else { continue };
            let message = match message {
                Message::Text(text) => Message::Text(text.into_owned().into()),
                Message::Binary(bytes) => Message::Binary(bytes.into_owned().into()),
            };
            state.inbox_bytes += size(&message);
            state.inbox.push_back(message);
            self.arrived.notify_waiters();
        }
        if !state.session.is_open() {
            drop(state);
            self.wake_all();
        }
    }

    /// Records that the connection has accepted bytes of the output.
    pub(super) fn advance(&self, count: usize) {
        let mut state = self.lock();
        state.session.advance(count);
        if state.session.take_drain() {
            state.is_full = false;
            drop(state);
            self.room.notify_waiters();
        }
    }

    /// Records the end of the connection. Returns the close code, and the number of bytes of the messages that were sent.
    pub fn end(&self) -> (u16, u64) {
        let mut state = self.lock();
        let end = state.session.end().cloned().unwrap_or_else(Close::abnormal);
        let code = state.end.get_or_insert(end).code;
        let sent = state.sent;
        drop(state);
        self.wake_all();
        (code, sent)
    }

    fn wake_all(&self) {
        self.arrived.notify_waiters();
        self.room.notify_waiters();
    }
}
