//! The end of a WebSocket, and what the end proves.

use kit_websocket::Message;

use super::document::{SocketTable, Table};
use super::outcome::{Checked, Stop, fail};

/// Close codes with which an application refuses a message (RFC 6455, 7.4.1).
pub(super) const REFUSED: u16 = 1008;
pub(super) const OTHER_KIND: u16 = 1003;
pub(super) const NO_JSON: u16 = 1007;
pub(super) const FAILED: u16 = 1011;

/// End of a WebSocket, with the messages that the client received before.
#[derive(Debug, Default)]
pub(super) struct Closed {
    pub(super) received: Vec<Message<'static>>,
    /// `None` if the application did not close the socket in time.
    pub(super) code: Option<u16>,
    pub(super) reason: String,
}

/// Returns true if an application that keeps its contract closes a socket with this code because of the last message.
pub(super) fn refuses_last(socket: &SocketTable, closed: &Closed) -> bool {
    let expected = if socket.takes("json") {
        NO_JSON
    } else if socket.takes("text") {
        REFUSED
    } else {
        return closed.code == Some(OTHER_KIND) && closed.reason == "$: expected a binary message";
    };
    closed.code == Some(expected)
}

/// Checks the close code of a socket whose application must refuse the message.
pub(super) fn expect_code(table: &Table, closed: &Closed, expected: u16) -> Checked {
    if closed.code == Some(expected) {
        return Ok(());
    }
    may_be_unread(table, closed.code)?;
    fail(unexpected(table, closed, &expected.to_string()))
}

/// Ends a test if the handler has possibly not read the message: a handler that reads no messages does not see them.
pub(super) fn may_be_unread(table: &Table, code: Option<u16>) -> Checked {
    match code {
        None | Some(1000) => Err(not_proved(table, code)),
        Some(_) => Ok(()),
    }
}

pub(super) fn not_proved(table: &Table, code: Option<u16>) -> Stop {
    let end = match code {
        None => "did not close the WebSocket",
        Some(_) => "closed the WebSocket itself",
    };
    Stop::Ignored(format!(
        "not proved: the handler of {} {end}, so it possibly did not read the message",
        table.route
    ))
}

pub(super) fn unexpected(table: &Table, closed: &Closed, expected: &str) -> String {
    let code = closed.code.unwrap_or_default();
    format!(
        "{} closed the WebSocket with {code} {}, expected {expected}",
        table.route, closed.reason
    )
}
