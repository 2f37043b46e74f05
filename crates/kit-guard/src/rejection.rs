//! Reasons why bytes are rejected.

/// Reason why the bytes of a connection are rejected. The server sends it as the last response before it closes the
/// connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rejection {
    /// Status of the response.
    pub status: u16,
    /// Machine-readable code in the error envelope.
    pub code: &'static str,
    /// Description for people.
    pub message: &'static str,
}

impl Rejection {
    /// Creates the rejection of a message with invalid syntax or framing (400).
    ///
    /// ```
    /// use kit_guard::Rejection;
    ///
    /// let rejection = Rejection::bad_request("the method is invalid");
    /// assert_eq!((rejection.status, rejection.code), (400, "BAD_REQUEST"));
    /// ```
    pub const fn bad_request(message: &'static str) -> Self {
        Self {
            status: 400,
            code: "BAD_REQUEST",
            message,
        }
    }

    /// The peer took too long to send its request (408).
    pub const TIMEOUT: Self = Self {
        status: 408,
        code: "REQUEST_TIMEOUT",
        message: "the request was not received in time",
    };

    /// The request target exceeds its maximum length (414).
    pub const TARGET_TOO_LONG: Self = Self {
        status: 414,
        code: "URI_TOO_LONG",
        message: "the request target is too long",
    };

    /// An `expect` header other than `100-continue` (417).
    pub const EXPECTATION_FAILED: Self = Self {
        status: 417,
        code: "EXPECTATION_FAILED",
        message: "only the expectation `100-continue` is supported",
    };

    /// The header section has too many bytes or too many fields (431).
    pub const HEADERS_TOO_LARGE: Self = Self {
        status: 431,
        code: "REQUEST_HEADER_FIELDS_TOO_LARGE",
        message: "the request's header fields are too large or too many",
    };

    /// Creates the rejection for a feature of HTTP that this server does not implement (501).
    ///
    /// ```
    /// use kit_guard::Rejection;
    ///
    /// let rejection = Rejection::not_implemented("this server is not a proxy");
    /// assert_eq!((rejection.status, rejection.code), (501, "NOT_IMPLEMENTED"));
    /// ```
    pub const fn not_implemented(message: &'static str) -> Self {
        Self {
            status: 501,
            code: "NOT_IMPLEMENTED",
            message,
        }
    }

    /// The version is neither HTTP/1.1 nor HTTP/1.0 (505).
    pub const VERSION: Self = Self {
        status: 505,
        code: "HTTP_VERSION_NOT_SUPPORTED",
        message: "only HTTP/1.1 and HTTP/1.0 are supported",
    };
}
