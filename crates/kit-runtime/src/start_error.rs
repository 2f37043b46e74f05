//! Format of errors that stop the start of the server.

use crate::Error;

/// Returns an error of three lines: problem, location, and advice. [`run`](crate::run) prints the error.
pub(crate) fn failure(what: &str, place: &str, help: &str) -> Error {
    Error::internal(format!("{what}\n  {place}\nhelp: {help}"))
}
