//! Errors for responses that cannot be sent.

/// Error for a response that cannot be sent. The request still needs a response.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ResponseError {
    /// The request is unknown, or already has a response.
    #[error("the request is unknown or already answered")]
    UnknownRequest,
    /// The status is not between 200 and 599.
    #[error("the status {0} is not a final HTTP status (200 to 599)")]
    Status(u32),
    /// The name of a header is not a token (RFC 9110, section 5.6.2).
    #[error("the header name `{0}` is invalid")]
    HeaderName(String),
    /// The value of a header contains control characters, such as a line break.
    #[error("the value of the header `{0}` has characters that HTTP does not allow")]
    HeaderValue(String),
    /// Only the engine may set this header, because it belongs to the framing of the message or to the connection.
    #[error("the header `{0}` is set by the server itself")]
    Reserved(String),
    /// The request does not ask for a WebSocket ([`crate::Request::wants_socket`]).
    #[error("the request does not ask for a WebSocket")]
    NoHandshake,
    /// The body is longer or shorter than the declared length.
    #[error("the body has {found} bytes, but the head of the response declared {declared}")]
    Length {
        /// Length that [`crate::Engine::respond_stream`] declared, in bytes.
        declared: u64,
        /// Length of the body in bytes. If the body is too long, the chunk that was refused is
        /// included.
        found: u64,
    },
}
