//! Words for what keeps the server from starting.

use crate::Error;

/// Returns an error of three lines: what is wrong, where, and what to do. [`run`](crate::run) prints it.
pub(crate) fn failure(what: &str, place: &str, help: &str) -> Error {
    Error::internal(format!("{what}\n  {place}\nhelp: {help}"))
}
