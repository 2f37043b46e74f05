//! Panics of handlers.

use std::panic::AssertUnwindSafe;
use std::task::Poll;

use super::Error;

/// Converts a panic into an error, so that a panic fails one request and not the connection.
pub(super) fn catch_panic<T>(poll: impl FnOnce() -> Poll<Result<T, Error>>) -> Poll<Result<T, Error>> {
    std::panic::catch_unwind(AssertUnwindSafe(poll)).unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let message = message.unwrap_or("it gave no message");
        Poll::Ready(Err(Error::internal(format!("The handler panicked: {message}"))))
    })
}
