//! Why bytes are refused.

/// Why a connection's bytes are refused, and what it tells the peer before it closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rejection {
    /// HTTP status.
    pub status: u16,
    /// Machine-readable code of the error envelope.
    pub code: &'static str,
    /// What is wrong, for a person.
    pub message: &'static str,
}

impl Rejection {
    /// A message whose syntax or framing is wrong.
    pub const fn bad_request(message: &'static str) -> Self {
        Self {
            status: 400,
            code: "BAD_REQUEST",
            message,
        }
    }

    /// The peer took too long to send its request.
    pub const TIMEOUT: Self = Self {
        status: 408,
        code: "REQUEST_TIMEOUT",
        message: "the request was not received in time",
    };

    /// The request target is longer than the limit.
    pub const TARGET_TOO_LONG: Self = Self {
        status: 414,
        code: "URI_TOO_LONG",
        message: "the request target is too long",
    };

    /// An `Expect` that is not `100-continue`.
    pub const EXPECTATION_FAILED: Self = Self {
        status: 417,
        code: "EXPECTATION_FAILED",
        message: "only the expectation `100-continue` is supported",
    };

    /// The header section is larger than the limit, in bytes or in fields.
    pub const HEADERS_TOO_LARGE: Self = Self {
        status: 431,
        code: "REQUEST_HEADER_FIELDS_TOO_LARGE",
        message: "the request's header fields are too large or too many",
    };

    /// Something HTTP defines and this server does not do.
    pub const fn not_implemented(message: &'static str) -> Self {
        Self {
            status: 501,
            code: "NOT_IMPLEMENTED",
            message,
        }
    }

    /// Neither HTTP/1.1 nor HTTP/1.0.
    pub const VERSION: Self = Self {
        status: 505,
        code: "HTTP_VERSION_NOT_SUPPORTED",
        message: "only HTTP/1.1 and HTTP/1.0 are supported",
    };
}
