//! Messages of a WebSocket: JSON, plain text and bytes.

use std::borrow::Cow;

use axum::body::Bytes;
use kit_websocket::Message;

use super::super::response::check;
use super::super::unstorable::find_unstorable;
use super::super::{Context, Error};
use crate::check::{Failure, Rule, Secrets, explain_without};
use crate::json::{from_json, parse, to_text};
use crate::{Contract, is_development};

/// Close code and broken rules of a message that breaks its contract.
pub(super) type BrokenMessage = (u16, Vec<Failure>);

/// Type of the messages of a WebSocket in one direction: a type of a contract for JSON, `String` for plain text,
/// [`BodyBytes`](crate::BodyBytes) for binary messages, and [`TextOrBinary`] for text messages and binary messages. Only this
/// crate implements the trait.
pub trait SocketMessage: Sized {
    /// Name of the type in error messages.
    #[doc(hidden)] // Used only by `Socket`.
    const MESSAGE: &'static str;

    /// True if text messages are plain text, not JSON.
    #[doc(hidden)] // Used only by `Socket`.
    const IS_PLAIN_TEXT: bool = false;

    /// Decodes a message of the client.
    #[doc(hidden)] // Called only by `Socket`.
    fn read(message: Message<'static>) -> Result<Self, BrokenMessage>;

    /// Writes a message for the client.
    #[doc(hidden)] // Called only by `Socket`.
    fn write(&self, context: &Context) -> Result<Message<'_>, Error>;
}

/// Message of a WebSocket that has both text messages and binary messages. `T` is `String` for plain text, or the type of the
/// JSON messages.
///
/// ```
/// use kit_runtime::TextOrBinary;
///
/// fn length(message: &TextOrBinary<String>) -> usize {
///     match message {
///         TextOrBinary::Text(text) => text.len(),
///         TextOrBinary::Binary(bytes) => bytes.len(),
///     }
/// }
/// assert_eq!(length(&TextOrBinary::Text("Hi".to_owned())), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextOrBinary<T> {
    /// Text message.
    Text(T),
    /// Binary message.
    Binary(Bytes),
}

impl<T: Contract> SocketMessage for T {
    const MESSAGE: &'static str = T::NAME;

    fn read(message: Message<'static>) -> Result<Self, BrokenMessage> {
        let Message::Text(text) = message else {
            return Err(other_kind("JSON in a text message", "a binary message"));
        };
        let Ok(value) = parse(&text) else {
            return Err((1007, failure("JSON", "text that is not JSON", Rule::Json)));
        };
        let failures = explain_without(Secrets::None, T::shape(), &value, !is_development());
        if !failures.is_empty() {
            return Err((1008, failures));
        }
        let decoded: T =
            from_json(&value).map_err(|_| (1008, failure(T::NAME, "another value", Rule::Type)))?;
        let unstorable = if text.contains("\\u") {
            find_unstorable(&decoded)
        } else {
            None
        };
        unstorable.map_or(Ok(decoded), |failure| Err((1008, vec![failure])))
    }

    fn write(&self, context: &Context) -> Result<Message<'_>, Error> {
        let text = to_text(self)?;
        if is_development() {
            check::<T>(context, None, &text, "a message that is not a valid")?;
        }
        Ok(Message::Text(text.into()))
    }
}

impl SocketMessage for String {
    const MESSAGE: &'static str = "Text";
    const IS_PLAIN_TEXT: bool = true;

    fn read(message: Message<'static>) -> Result<Self, BrokenMessage> {
        let Message::Text(text) = message else {
            return Err(other_kind("a text message", "a binary message"));
        };
        // Only U+0000 is possible, because text messages are UTF-8.
        let unstorable = text.contains('\0').then(|| find_unstorable(&text)).flatten();
        unstorable.map_or_else(|| Ok(text.into_owned()), |failure| Err((1008, vec![failure])))
    }

    fn write(&self, _context: &Context) -> Result<Message<'_>, Error> {
        Ok(Message::Text(Cow::Borrowed(self)))
    }
}

impl SocketMessage for Bytes {
    const MESSAGE: &'static str = "Bytes";

    fn read(message: Message<'static>) -> Result<Self, BrokenMessage> {
        match message {
            Message::Binary(bytes) => Ok(bytes.into_owned().into()),
            Message::Text(_) => Err(other_kind("a binary message", "a text message")),
        }
    }

    fn write(&self, _context: &Context) -> Result<Message<'_>, Error> {
        Ok(Message::Binary(Cow::Borrowed(self)))
    }
}

impl<T: SocketMessage> SocketMessage for TextOrBinary<T> {
    const MESSAGE: &'static str = T::MESSAGE;
    const IS_PLAIN_TEXT: bool = T::IS_PLAIN_TEXT;

    fn read(message: Message<'static>) -> Result<Self, BrokenMessage> {
        match message {
            Message::Binary(bytes) => Ok(Self::Binary(bytes.into_owned().into())),
            text @ Message::Text(_) => T::read(text).map(Self::Text),
        }
    }

    fn write(&self, context: &Context) -> Result<Message<'_>, Error> {
        match self {
            Self::Text(text) => text.write(context),
            Self::Binary(bytes) => Ok(Message::Binary(Cow::Borrowed(bytes))),
        }
    }
}

fn other_kind(expected: &str, received: &str) -> BrokenMessage {
    (1003, failure(expected, received, Rule::Encoding))
}

fn failure(expected: &str, received: &str, rule: Rule) -> Vec<Failure> {
    vec![Failure {
        path: "$".to_owned(),
        expected: expected.to_owned().into(),
        received: received.to_owned(),
        value: None,
        rule,
        limit: None,
        suggestion: None,
    }]
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;
    use kit_websocket::Message;

    use super::{SocketMessage, TextOrBinary};

    fn text(text: &'static str) -> Message<'static> {
        Message::Text(text.into())
    }

    fn binary(bytes: &'static [u8]) -> Message<'static> {
        Message::Binary(bytes.into())
    }

    #[test]
    fn reads_each_kind_of_message_and_refuses_the_other_with_1003() {
        let code = |result: Result<String, super::BrokenMessage>| result.map_err(|(code, _)| code);
        assert_eq!(code(String::read(text("Hi"))), Ok("Hi".to_owned()));
        assert_eq!(code(String::read(binary(b"Hi"))), Err(1003));
        assert_eq!(code(String::read(text("a\0"))), Err(1008));
        assert_eq!(Bytes::read(binary(b"\0")).unwrap(), Bytes::from_static(b"\0"));
        assert_eq!(Bytes::read(text("Hi")).unwrap_err().0, 1003);
        let both = TextOrBinary::<String>::read;
        assert_eq!(both(text("Hi")).unwrap(), TextOrBinary::Text("Hi".to_owned()));
        assert_eq!(
            both(binary(b"Hi")).unwrap(),
            TextOrBinary::Binary(Bytes::from_static(b"Hi"))
        );
    }
}
