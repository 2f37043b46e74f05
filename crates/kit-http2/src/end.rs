//! Reasons why the server ends an HTTP/2 connection.

use crate::frames::goaway;

/// Error codes of RFC 9113, 7.
const NO_ERROR: u32 = 0;
pub(crate) const PROTOCOL_ERROR: u32 = 1;
pub(crate) const FLOW_CONTROL_ERROR: u32 = 3;
pub(crate) const STREAM_CLOSED: u32 = 5;
pub(crate) const FRAME_SIZE_ERROR: u32 = 6;
const ENHANCE_YOUR_CALM: u32 = 11;

/// Reason why the server ends a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum End {
    /// No stream was open for some time, or the server shuts down.
    Idle,
    /// The client sent too many frames that belong to no request or have no content.
    TooManyControlFrames,
    /// The client ended too many of its requests, or had them ended by its errors.
    TooManyResets,
    /// The client began streams after the server had refused more.
    TooManyStreams,
    /// The header section of a request, or the start of the connection, took too long.
    SlowHead,
    /// The client did not read a response for too long, or too slowly.
    NotReading,
}

impl End {
    /// Returns the error code for `GOAWAY`.
    fn code(self) -> u32 {
        match self {
            Self::Idle => NO_ERROR,
            _ => ENHANCE_YOUR_CALM,
        }
    }

    /// Returns the `GOAWAY` frame that tells the client the reason: the connection ends, and the server has not processed streams above
    /// `last_stream`.
    ///
    /// ```
    /// use kit_http2::End;
    ///
    /// // The code 11 is ENHANCE_YOUR_CALM.
    /// assert_eq!(End::TooManyResets.goaway(3), [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 11]);
    /// ```
    pub fn goaway(self, last_stream: u32) -> Vec<u8> {
        goaway(last_stream, self.code())
    }

    /// Returns the reason for the log. `None` if the end is normal.
    ///
    /// ```
    /// use kit_http2::End;
    ///
    /// assert_eq!(End::Idle.message(), None);
    /// assert_eq!(End::NotReading.message(), Some("the client did not read a response"));
    /// ```
    pub fn message(self) -> Option<&'static str> {
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
