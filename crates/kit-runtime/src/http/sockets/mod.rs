//! WebSockets (RFC 6455) of routes.

mod driver;
mod handshake;
mod message;
mod opening;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kit_websocket::connection::SharedSession;
use kit_websocket::{Message, cut_reason};

use super::source::Slot;
use super::{Context, Error, Phase};
use crate::check::Failure;
use crate::debug::RecordedStream;

pub(super) use driver::spawn;
pub use handshake::SocketOptions;
pub(super) use handshake::check_handshake;
pub use kit_websocket::Close as SocketClose;
pub use message::{SocketMessage, TextOrBinary};
pub(super) use opening::begin;

/// Maximum length of the reason of a close frame in bytes.
const LONGEST_REASON: usize = 123;

/// Open WebSocket of a client. `In` is the type of the messages of the client, `Out` the type of the messages of the server.
/// Clones refer to the same socket, so that one task can receive while another one sends. A type of a contract stands for messages
/// in JSON, `String` for plain text, [`BodyBytes`](crate::BodyBytes) for binary messages, and [`TextOrBinary`] for both.
///
/// ```
/// use kit_runtime::{Contract, Error, Socket};
///
/// async fn echo<T: Contract>(socket: Socket<T, T>) -> Result<(), Error> {
///     while let Some(message) = socket.recv().await {
///         socket.send(&message).await?;
///     }
///     Ok(())
/// }
/// ```
pub struct Socket<In, Out> {
    shared: Arc<SharedSession>,
    context: Context,
    stream: RecordedStream,
    messages: PhantomData<fn(Out) -> In>,
}

impl<In, Out> Clone for Socket<In, Out> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            context: self.context.clone(),
            stream: self.stream.clone(),
            messages: PhantomData,
        }
    }
}

impl<In: SocketMessage, Out: SocketMessage> Socket<In, Out> {
    fn new(shared: Arc<SharedSession>, context: Context, stream: RecordedStream) -> Self {
        Self {
            shared,
            context,
            stream,
            messages: PhantomData,
        }
    }

    /// Returns the subprotocol that the handshake chose: the first offer of the client that the contract names. Returns `None`
    /// if the contract names none, or if the client offered none.
    ///
    /// ```
    /// use kit_runtime::{Contract, Socket};
    ///
    /// fn has_receipts<T: Contract>(socket: &Socket<T, T>) -> bool {
    ///     socket.protocol() == Some("chat.v2")
    /// }
    /// ```
    pub fn protocol(&self) -> Option<&'static str> {
        self.context.subprotocol().get().copied()
    }

    /// Returns the next message of the client. Returns `None` when the socket has ended, and after a message that does not
    /// fit its type: such a message closes the socket with the code 1003, 1007 or 1008. While nobody calls
    /// this function, about 64 KiB of messages wait in the server, and the rest waits at the client.
    pub async fn recv(&self) -> Option<In> {
        let message = self.shared.next().await?;
        match &message {
            Message::Text(text) => self.stream.received(Some(text), In::IS_PLAIN_TEXT, text.len()),
            Message::Binary(bytes) => self.stream.received(None, false, bytes.len()),
        }
        match In::read(message) {
            Ok(message) => Some(message),
            Err((code, failures)) => {
                self.shared.refuse(code, &reason(&failures));
                let error = Error::invalid(Slot::Body, In::MESSAGE, failures).in_phase(Phase::Body);
                self.context.scope_part(|| error.log(&self.context));
                None
            }
        }
    }

    /// Sends a message. Waits while 64 KiB wait for the client.
    ///
    /// # Errors
    ///
    /// Returns an error if the socket has ended, so that a handler that returns it with `?` ends too, or if the value has no
    /// JSON form. In development, also if the value does not fit its type.
    pub async fn send(&self, message: &Out) -> Result<(), Error> {
        let message = message.write(&self.context)?;
        match &message {
            Message::Text(text) => {
                self.stream
                    .sent_message(Some(text), Out::IS_PLAIN_TEXT, text.len());
            }
            Message::Binary(bytes) => self.stream.sent_message(None, false, bytes.len()),
        }
        if self.shared.send(message).await {
            return Ok(());
        }
        Err(Error::socket_ended())
    }

    /// Closes the socket after all messages that were sent. Messages that were not received are dropped. `reason` is cut to 123
    /// bytes. Use a code from 4000 to 4999 for reasons of the application.
    ///
    /// ```
    /// use kit_runtime::{Contract, Socket};
    ///
    /// async fn wait_for_first<T: Contract>(socket: Socket<T, T>) -> Option<T> {
    ///     let first = socket.recv().await;
    ///     socket.close(1000, "the game has begun");
    ///     first
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// Never. A code that must not be sent is replaced by 1011.
    pub fn close(&self, code: u16, reason: &str) {
        let code = if kit_websocket::may_send_code(code) {
            code
        } else {
            1011
        };
        self.shared.close(code, reason);
    }

    /// Returns how the socket has ended; `None` while it is open.
    ///
    /// ```
    /// use kit_runtime::{Contract, Socket};
    ///
    /// fn is_open<T: Contract>(socket: &Socket<T, T>) -> bool {
    ///     socket.ended().is_none()
    /// }
    /// ```
    pub fn ended(&self) -> Option<SocketClose> {
        self.shared.ended()
    }
}

impl<In, Out> fmt::Debug for Socket<In, Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Socket").finish_non_exhaustive()
    }
}

/// Returns the reason of a close frame for a message that breaks its contract: the first failure.
fn reason(failures: &[Failure]) -> String {
    let first = failures.first();
    shortened(first.map_or_else(String::new, |failure| {
        format!("{}: expected {}", failure.path, failure.expected)
    }))
}

/// Returns a reason that fits into a close frame. A reason that is cut ends with three dots, as on Node.
fn shortened(reason: String) -> String {
    if cut_reason(&reason).len() == reason.len() {
        return reason;
    }
    let mut end = cut_reason(&reason).len().min(LONGEST_REASON - 3);
    while !reason.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}...", &reason[..end])
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Socket, SocketOptions, shortened};
    use crate::shape::Shape;
    use crate::{Application, Contract, Error, Request, Response, Routes};

    #[derive(Clone)]
    struct App;

    impl Application for App {
        async fn ready(&self) -> Result<(), Error> {
            Ok(())
        }
    }

    #[derive(serde::Deserialize, serde::Serialize)]
    struct Text(String);

    impl Contract for Text {
        const NAME: &'static str = "Text";

        fn shape() -> &'static Shape {
            static SHAPE: Shape = Shape::TEXT;
            &SHAPE
        }
    }

    /// Server that sends each message back, for `tests/conformance/autobahn.ts`. It runs if `KIT_TEST_SERVER` is set.
    #[test]
    fn echo_server() {
        if std::env::var_os("KIT_TEST_SERVER").is_none() {
            return;
        }
        let echo = async |socket: Socket<Text, Text>| {
            while let Some(message) = socket.shared.next().await {
                socket.shared.send(message).await;
            }
            Ok(())
        };
        let options = SocketOptions {
            message_bytes: Some(1 << 26),
            compression: true,
            ping_after: Duration::from_secs(60),
        };
        let router = Routes::new(App)
            .route("WS /", &[], move |_: App, request: Request| async move {
                Response::socket(&request.into_context()?, options, echo)
            })
            .into_router();
        crate::run(crate::serve(router));
    }

    #[test]
    fn shortens_a_reason_that_does_not_fit_into_a_close_frame() {
        assert_eq!(shortened("x".repeat(123)), "x".repeat(123));
        assert_eq!(shortened("x".repeat(124)), format!("{}...", "x".repeat(120)));
        assert_eq!(
            shortened(format!("x{}", "é".repeat(100))),
            format!("x{}...", "é".repeat(59))
        );
    }
}
