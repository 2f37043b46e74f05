//! Reasons why the server ends an HTTP/2 connection.

/// Error codes of RFC 9113, 7.
const NO_ERROR: u32 = 0;
const ENHANCE_YOUR_CALM: u32 = 11;

/// Reason why the server ends a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum End {
    /// No stream was open for some time, or the server shuts down.
    Idle,
    TooManyControlFrames,
    TooManyResets,
    TooManyStreams,
    /// The header section of a request, or the begin of the connection, took too long.
    SlowHead,
    /// The peer did not read a response for too long.
    NotReading,
}

impl End {
    /// Returns the error code for `GOAWAY`.
    pub(super) fn code(self) -> u32 {
        match self {
            Self::Idle => NO_ERROR,
            _ => ENHANCE_YOUR_CALM,
        }
    }

    /// Returns the reason for the log. `None` if the end is normal.
    pub(super) fn message(self) -> Option<&'static str> {
        match self {
            Self::Idle => None,
            Self::TooManyControlFrames => {
                Some("the client sent too many frames that belong to no request or have no content")
            }
            Self::TooManyResets => Some("the client ended too many of its requests"),
            Self::TooManyStreams => Some("the client began requests after the server had refused more"),
            Self::SlowHead => Some("the client took too long to send the headers of a request"),
            Self::NotReading => Some("the client did not read a response"),
        }
    }
}
