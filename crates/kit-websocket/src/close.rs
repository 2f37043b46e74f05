//! Codes and reasons with which WebSockets close.

/// Maximum length of a reason in bytes: a control frame has at most 125 bytes, and the code needs two.
const REASON_BYTES: usize = 123;

/// End of a WebSocket, as the application sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Close {
    /// Code of a close frame; 1005 for a close frame without a code, 1006 for an end without a close frame.
    pub code: u16,
    /// Reason in the close frame, or an empty text.
    pub reason: String,
}

impl Close {
    /// Code for a close frame without a code.
    pub const NO_CODE: u16 = 1005;

    /// End of a connection without a close frame.
    ///
    /// ```
    /// assert_eq!(kit_websocket::Close::abnormal().code, 1006);
    /// ```
    #[must_use]
    pub fn abnormal() -> Self {
        Self {
            code: 1006,
            reason: String::new(),
        }
    }
}

/// Violation of the protocol by the other side, which gets its code and reason in a close frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Violation {
    /// Close code: 1002, 1007 or 1009.
    pub code: u16,
    /// Reason for the other side, such as `the message is too large`.
    pub reason: &'static str,
}

impl Violation {
    pub(crate) const fn protocol(reason: &'static str) -> Self {
        Self { code: 1002, reason }
    }

    pub(crate) const NOT_UTF8: Self = Self {
        code: 1007,
        reason: "the text is not valid UTF-8",
    };
    pub(crate) const NOT_DEFLATED: Self = Self {
        code: 1007,
        reason: "the message is not compressed correctly",
    };
    pub(crate) const TOO_LARGE: Self = Self {
        code: 1009,
        reason: "the message is too large",
    };
}

/// Returns true if an endpoint may send a code in a close frame (RFC 6455, 7.4, and IANA's registry).
///
/// ```
/// use kit_websocket::may_send_code;
///
/// assert!(may_send_code(1000) && may_send_code(4001));
/// assert!(!may_send_code(1005) && !may_send_code(2000));
/// ```
#[must_use]
pub fn may_send_code(code: u16) -> bool {
    matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999)
}

/// Returns the longest beginning of a reason that fits into a close frame. Does not split a character.
///
/// ```
/// use kit_websocket::cut_reason;
///
/// assert_eq!(cut_reason("bye"), "bye");
/// assert_eq!(cut_reason(&"é".repeat(100)), "é".repeat(61));
/// ```
#[must_use]
pub fn cut_reason(reason: &str) -> &str {
    let mut end = reason.len().min(REASON_BYTES);
    while !reason.is_char_boundary(end) {
        end -= 1;
    }
    &reason[..end]
}
