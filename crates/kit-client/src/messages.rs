//! Messages of WebSockets: JSON, plain text and bytes.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use kit_runtime::Contract;
use kit_runtime::json::to_text;
use kit_websocket::Message;

use crate::json::decode;

/// Kinds of the messages of a WebSocket in one direction, and the Rust type of these messages. Generated clients pass the kinds that a
/// contract declares to [`Call::open`](crate::Call::open).
///
/// | messages of the contract | kinds | Rust type |
/// |---|---|---|
/// | a type `T` | [`JSON`](Messages::JSON) | `T` |
/// | `Text` | [`TEXT`](Messages::TEXT) | `String` |
/// | `Bytes` | [`BYTES`](Messages::BYTES) | [`Bytes`] |
/// | `T \| Bytes` | [`JSON_OR_BYTES`](Messages::JSON_OR_BYTES) | [`TextOrBinary<T>`] |
/// | `Text \| Bytes` | [`TEXT_OR_BYTES`](Messages::TEXT_OR_BYTES) | `TextOrBinary<String>` |
pub struct Messages<T> {
    /// Reads a message of the server. Returns the reason if the message is of another kind, or does not fit its type.
    pub(crate) read: fn(Message<'static>) -> Result<T, String>,
    /// Writes a message for the server. Returns the reason if the value has no form in JSON.
    pub(crate) write: fn(&T) -> Result<Message<'_>, String>,
}

impl<T: Contract> Messages<T> {
    /// JSON in text messages.
    pub const JSON: Self = Self {
        read: read_json,
        write: write_json,
    };
}

impl Messages<String> {
    /// Plain text in text messages.
    pub const TEXT: Self = Self {
        read: read_text,
        write: |text| Ok(write_text(text)),
    };
}

impl Messages<Bytes> {
    /// Bytes in binary messages.
    pub const BYTES: Self = Self {
        read: |message| match message {
            Message::Binary(bytes) => Ok(owned(bytes)),
            Message::Text(_) => Err(other_kind("text", "binary")),
        },
        write: |bytes| Ok(Message::Binary(Cow::Borrowed(bytes))),
    };
}

impl<T: Contract> Messages<TextOrBinary<T>> {
    /// JSON in text messages, and bytes in binary messages.
    pub const JSON_OR_BYTES: Self = Self {
        read: |message| TextOrBinary::read(message, read_json),
        write: |message| message.write(write_json),
    };
}

impl Messages<TextOrBinary<String>> {
    /// Plain text in text messages, and bytes in binary messages.
    pub const TEXT_OR_BYTES: Self = Self {
        read: |message| TextOrBinary::read(message, read_text),
        write: |message| message.write(|text| Ok(write_text(text))),
    };
}

impl<T> Clone for Messages<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Messages<T> {}

impl<T> fmt::Debug for Messages<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages").finish_non_exhaustive()
    }
}

/// Message of a WebSocket that has both text messages and binary messages. `T` is `String` for plain text, or the type of the
/// JSON messages.
///
/// ```
/// use kit_client::TextOrBinary;
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

impl<T> TextOrBinary<T> {
    fn read(
        message: Message<'static>,
        read_text: impl FnOnce(Message<'static>) -> Result<T, String>,
    ) -> Result<Self, String> {
        match message {
            Message::Binary(bytes) => Ok(Self::Binary(owned(bytes))),
            text @ Message::Text(_) => read_text(text).map(Self::Text),
        }
    }

    fn write(
        &self,
        write_text: impl FnOnce(&T) -> Result<Message<'_>, String>,
    ) -> Result<Message<'_>, String> {
        match self {
            Self::Text(text) => write_text(text),
            Self::Binary(bytes) => Ok(Message::Binary(Cow::Borrowed(bytes))),
        }
    }
}

fn read_json<T: Contract>(message: Message<'static>) -> Result<T, String> {
    let text = read_text(message)?;
    decode(&text).map_err(|reason| format!("a message is no {}: {reason}", T::NAME))
}

fn write_json<T: Contract>(value: &T) -> Result<Message<'_>, String> {
    let text = to_text(value).map_err(|error| format!("{} cannot be sent: {error}", T::NAME))?;
    Ok(Message::Text(text.into()))
}

fn read_text(message: Message<'static>) -> Result<String, String> {
    match message {
        Message::Text(text) => Ok(text.into_owned()),
        Message::Binary(_) => Err(other_kind("binary", "text")),
    }
}

fn write_text(text: &str) -> Message<'_> {
    Message::Text(Cow::Borrowed(text))
}

fn owned(bytes: Cow<'static, [u8]>) -> Bytes {
    bytes.into_owned().into()
}

fn other_kind(received: &str, declared: &str) -> String {
    format!("a message is {received}, but the contract has only {declared} messages")
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use bytes::Bytes;
    use kit_websocket::Message;

    use super::{Messages, TextOrBinary};
    use crate::json::tests::Left;

    fn text(text: &'static str) -> Message<'static> {
        Message::Text(text.into())
    }

    fn binary(bytes: &'static [u8]) -> Message<'static> {
        Message::Binary(bytes.into())
    }

    /// Asserts that a message has this form on the wire, and that reading the form returns the message.
    fn check<T: Debug + PartialEq>(messages: Messages<T>, message: &T, wire: Message<'static>) {
        assert_eq!((messages.write)(message).as_ref(), Ok(&wire));
        assert_eq!((messages.read)(wire).as_ref(), Ok(message));
    }

    #[test]
    fn each_kind_of_message_is_written_and_read() {
        let (left, json) = (Left { left: 0.5 }, text(r#"{"left":0.5}"#));
        check(Messages::JSON, &left, json.clone());
        check(Messages::TEXT, &"1".to_owned(), text("1"));
        check(Messages::TEXT, &String::new(), text(""));
        check(Messages::BYTES, &Bytes::from_static(b"\0\xff"), binary(b"\0\xff"));
        check(Messages::BYTES, &Bytes::new(), binary(b""));
        check(Messages::JSON_OR_BYTES, &TextOrBinary::Text(left), json);
        let bytes = Bytes::from_static(b"{}");
        check(
            Messages::<TextOrBinary<Left>>::JSON_OR_BYTES,
            &TextOrBinary::Binary(bytes.clone()),
            binary(b"{}"),
        );
        check(
            Messages::TEXT_OR_BYTES,
            &TextOrBinary::Text("{}".to_owned()),
            text("{}"),
        );
        check(
            Messages::TEXT_OR_BYTES,
            &TextOrBinary::Binary(bytes),
            binary(b"{}"),
        );
    }

    #[test]
    fn a_message_of_another_kind_is_refused_with_both_kinds() {
        let binary_for_text = Err("a message is binary, but the contract has only text messages".to_owned());
        assert_eq!((Messages::TEXT.read)(binary(b"1")), binary_for_text);
        let binary_for_json = (Messages::<Left>::JSON.read)(binary(b"{}")).map(|_| String::new());
        assert_eq!(binary_for_json, binary_for_text);
        let text_for_bytes = "a message is text, but the contract has only binary messages".to_owned();
        assert_eq!((Messages::BYTES.read)(text("1")), Err(text_for_bytes));
    }

    #[test]
    fn text_that_does_not_fit_its_type_is_refused_also_beside_bytes() {
        for (wrong, reason) in [
            (
                "[1,\n }",
                "a message is no Left: line 2, column 2: expected a value",
            ),
            ("{}", "a message is no Left: missing field `left`"),
        ] {
            let alone = (Messages::<Left>::JSON.read)(text(wrong));
            assert_eq!(alone, Err(reason.to_owned()));
            let beside_bytes = (Messages::<TextOrBinary<Left>>::JSON_OR_BYTES.read)(text(wrong));
            assert_eq!(beside_bytes, Err(reason.to_owned()));
        }
    }

    #[test]
    fn a_value_without_a_form_in_json_is_not_written() {
        let error = (Messages::JSON.write)(&Left { left: f64::NAN }).unwrap_err();
        assert!(error.starts_with("Left cannot be sent: "), "{error}");
    }
}
