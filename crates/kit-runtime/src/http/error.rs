//! Errors of an application, and their conversion from other errors. `error_response.rs` makes responses of these.

use std::borrow::Cow;
use std::fmt;
use std::panic::Location;

use axum::http::{HeaderName, HeaderValue, StatusCode};
use serde_json::Value;

use super::Phase;
use super::fields::message_of;
use super::source::Slot;
use crate::check::Failure;

/// An error that becomes an error response.
///
/// Application error with a status, a code that clients can rely on, and a message. The operator `?` converts every
/// other error to 500 `INTERNAL_SERVER_ERROR`; in production, the message of such an error is only logged and not sent
/// to the client.
///
/// ```
/// use kit_runtime::{Error, StatusCode};
///
/// let error = Error::not_found("NOTE_NOT_FOUND", "There is no such note");
/// assert_eq!(error.status(), StatusCode::NOT_FOUND);
/// assert_eq!(error.code(), "NOTE_NOT_FOUND");
/// ```
pub struct Error(pub(super) Box<Inner>);

/// Code of the error of a message for a client that can no longer receive messages.
#[cfg(feature = "sockets")]
const SOCKET_ENDED: &str = "SOCKET_ENDED";

pub(super) struct Inner {
    pub(super) status: StatusCode,
    pub(super) code: Cow<'static, str>,
    pub(super) message: String,
    pub(super) details: Option<Value>,
    pub(super) header: Option<(HeaderName, HeaderValue)>,
    pub(super) source: Option<Box<dyn std::error::Error + Send + Sync>>,
    /// Type name of the underlying error, for developers.
    pub(super) name: &'static str,
    pub(super) invalid: Option<Invalid>,
    /// Location in the source code that created the error.
    pub(super) location: &'static Location<'static>,
    /// Phase in which the error occurred, if a wrapper has passed the error on. `None` if the error occurred
    /// in the current phase of the request.
    pub(super) phase: Option<Phase>,
    /// True if the client has caused the error with a body that the handler reads. The log counts the error as a refusal.
    pub(super) is_of_body: bool,
}

/// A part of a request or a response that does not fit its type.
pub(super) struct Invalid {
    pub(super) schema: &'static str,
    pub(super) failures: Vec<Failure>,
    /// Slot of the contract whose type the value does not fit.
    pub(super) slot: Slot,
}

impl Error {
    /// Creates an application error with a status, a code that clients can rely on, and a message for people.
    ///
    /// ```
    /// use kit_runtime::{Error, StatusCode};
    ///
    /// let error = Error::new(StatusCode::GONE, "NOTE_DELETED", "The note was deleted");
    /// assert_eq!(error.message(), "The note was deleted");
    /// ```
    #[track_caller]
    pub fn new(status: StatusCode, code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            status,
            code: code.into(),
            message: message.into(),
            details: None,
            header: None,
            source: None,
            name: "Error",
            invalid: None,
            location: Location::caller(),
            phase: None,
            is_of_body: false,
        }))
    }

    /// Sets `details` of the error, which every client receives.
    ///
    /// ```
    /// use kit_runtime::{Error, value};
    ///
    /// let error = Error::conflict("LIMIT_REACHED", "There are too many notes")
    ///     .with_details(value!({ "limit": 100 }));
    /// assert_eq!(error.code(), "LIMIT_REACHED");
    /// ```
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.0.details = Some(details);
        self
    }

    /// Adds a header to the response.
    ///
    /// ```
    /// use kit_runtime::{Error, HeaderValue, StatusCode, header};
    ///
    /// let error = Error::new(StatusCode::TOO_MANY_REQUESTS, "TOO_MANY_REQUESTS", "Wait for a minute")
    ///     .with_header(header::RETRY_AFTER, HeaderValue::from_static("60"));
    /// assert_eq!(error.status(), StatusCode::TOO_MANY_REQUESTS);
    /// ```
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.header = Some((name, value));
        self
    }

    /// Creates the error of a message for a client that can no longer receive messages.
    #[cfg(feature = "sockets")]
    #[track_caller]
    pub(super) fn socket_ended() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            SOCKET_ENDED,
            "The WebSocket has ended",
        )
    }

    /// Returns true for the error of [`Self::socket_ended`].
    #[cfg(feature = "sockets")]
    pub(super) fn is_socket_ended(&self) -> bool {
        self.code() == SOCKET_ENDED
    }

    /// Creates an error with the status 400 Bad Request.
    ///
    /// ```
    /// use kit_runtime::{Error, StatusCode};
    ///
    /// let error = Error::bad_request("NO_SUCH_PAGE", "The cursor is not valid");
    /// assert_eq!(error.status(), StatusCode::BAD_REQUEST);
    /// ```
    #[track_caller]
    pub fn bad_request(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// Creates an error with the status 401 Unauthorized.
    ///
    /// ```
    /// use kit_runtime::{Error, StatusCode};
    ///
    /// let error = Error::unauthorized("UNAUTHORIZED", "Log in first");
    /// assert_eq!(error.status(), StatusCode::UNAUTHORIZED);
    /// ```
    #[track_caller]
    pub fn unauthorized(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, code, message)
    }

    /// Creates an error with the status 403 Forbidden.
    ///
    /// ```
    /// use kit_runtime::{Error, StatusCode};
    ///
    /// let error = Error::forbidden("NOT_YOUR_NOTE", "Only its author may change a note");
    /// assert_eq!(error.status(), StatusCode::FORBIDDEN);
    /// ```
    #[track_caller]
    pub fn forbidden(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, message)
    }

    /// Creates an error with the status 404 Not Found.
    #[track_caller]
    pub fn not_found(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    /// Creates an error with the status 409 Conflict, for a request that conflicts with stored data.
    #[track_caller]
    pub fn conflict(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    /// Creates an error with the status 503 Service Unavailable and `Retry-After: 1`, for a store that does not answer.
    #[cfg(any(feature = "sqlx", feature = "valkey"))]
    #[track_caller]
    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, UNAVAILABLE, message)
            .with_header(axum::http::header::RETRY_AFTER, RETRY_AFTER)
    }

    /// Creates an error with the status 501 Not Implemented, for a part of the contract that no code implements yet.
    /// `what` names the part, and `file` is the file that should implement it.
    #[doc(hidden)] // Called only by generated code.
    #[track_caller]
    pub fn not_implemented(what: &str, file: &str) -> Self {
        let message = format!("`{what}` is not implemented yet: write the code in {file}");
        Self::new(StatusCode::NOT_IMPLEMENTED, "NOT_IMPLEMENTED", message)
    }

    /// Creates an error with the status 501 Not Implemented, for a route whose handler cannot be generated because
    /// the types do not specify enough. `what` names the route, and `reason` the missing information.
    #[doc(hidden)] // Called only by generated code.
    #[track_caller]
    pub fn not_specified(what: &str, reason: &str) -> Self {
        let message = format!("kit cannot generate the handler of `{what}`: {reason}");
        Self::new(StatusCode::NOT_IMPLEMENTED, "NOT_IMPLEMENTED", message)
    }

    /// Creates an error with the status 500 Internal Server Error: a bug in the application that the client cannot fix.
    ///
    /// ```
    /// use kit_runtime::{Error, StatusCode};
    ///
    /// assert_eq!(Error::internal("The cache is empty").status(), StatusCode::INTERNAL_SERVER_ERROR);
    /// ```
    #[track_caller]
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, INTERNAL, message).into_unknown()
    }

    fn into_unknown(mut self) -> Self {
        let message = self.0.message.clone();
        self.0.source = Some(message.into());
        self
    }

    /// Creates an error for a slot of a request that does not fit the type `schema`.
    pub(super) fn invalid(slot: Slot, schema: &'static str, failures: Vec<Failure>) -> Self {
        let message = message_of(slot.invalid(), &failures);
        let mut error = Self::new(StatusCode::BAD_REQUEST, "VALIDATION_ERROR", message);
        error.0.invalid = Some(Invalid {
            schema,
            failures,
            slot,
        });
        error
    }

    /// Creates an error for a value that a handler returned and that does not fit its contract. This is a bug in the
    /// application. `owner` is the function that returned the value, and `found` describes the value: `a value that is
    /// not a valid`.
    pub(super) fn invalid_response(
        owner: &str,
        found: &str,
        schema: &'static str,
        failures: Vec<Failure>,
    ) -> Self {
        let what = format!("{owner} returned {found} {schema}");
        let mut error = Self::internal(message_of(&what, &failures));
        error.0.name = "ResponseContractError";
        error.0.invalid = Some(Invalid {
            schema,
            failures,
            slot: Slot::Response,
        });
        error
    }

    /// Marks the error of a client in a body that the handler reads.
    pub(super) fn of_body(mut self) -> Self {
        self.0.is_of_body = true;
        self
    }

    /// Stores the phase in which the error occurred. An error that an inner wrapper has passed on keeps its
    /// phase.
    pub(super) fn in_phase(mut self, phase: Phase) -> Self {
        self.0.phase.get_or_insert(phase);
        self
    }

    /// Returns the status of the response.
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// Returns the code that clients can rely on.
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// Returns the message for people.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the message for clients in production. The message of an unknown error may contain names of hosts and tables.
    pub(super) fn public_message(&self) -> &str {
        if self.0.source.is_none() {
            return &self.0.message;
        }
        #[cfg(feature = "sqlx")]
        if self.0.code == CONFLICT {
            return CONFLICT_MESSAGE;
        }
        let status = self.0.status;
        status.canonical_reason().unwrap_or("Internal Server Error")
    }

    /// Returns the error that was converted to this error.
    #[cfg(feature = "sqlx")]
    pub(crate) fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source = self.0.source.as_ref()?;
        Some(&**source)
    }

    pub(super) fn header(&self) -> Option<&(HeaderName, HeaderValue)> {
        self.0.header.as_ref()
    }
}

const INTERNAL: &str = "INTERNAL_SERVER_ERROR";
#[cfg(any(feature = "sqlx", feature = "valkey"))]
const UNAVAILABLE: &str = "SERVICE_UNAVAILABLE";
/// `Retry-After` of responses with the status 503, in seconds.
#[cfg(any(feature = "sqlx", feature = "valkey"))]
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");

/// Code and message for clients, if another transaction uses the same rows.
#[cfg(feature = "sqlx")]
const CONFLICT: &str = "TRANSACTION_CONFLICT";
#[cfg(feature = "sqlx")]
const CONFLICT_MESSAGE: &str = "Another request uses the same data at the moment; send this request again";

/// Creates the error for a temporary failure of the database, with `Retry-After`. Returns `None` for other failures.
#[cfg(feature = "sqlx")]
#[track_caller]
fn temporary_error(error: &(dyn std::error::Error + 'static), message: &str) -> Option<Error> {
    use crate::postgres::{Temporary, report_outage, temporary};

    let kind = temporary(error)?;
    let mut own = Error::unavailable(message);
    match kind {
        Temporary::Outage => report_outage(),
        Temporary::Conflict => own.0.code = CONFLICT.into(),
    }
    Some(own)
}

#[cfg(not(feature = "sqlx"))]
fn temporary_error(_: &(dyn std::error::Error + 'static), _: &str) -> Option<Error> {
    None
}

/// Converts any error to 500 `INTERNAL_SERVER_ERROR`. A failure of the database after which the same request may succeed is
/// 503 with `Retry-After`: `SERVICE_UNAVAILABLE` if the database cannot be reached, and `TRANSACTION_CONFLICT` after a
/// deadlock, a serialization failure, or a lock that was not free.
impl<E: std::error::Error + Send + Sync + 'static> From<E> for Error {
    #[track_caller]
    fn from(error: E) -> Self {
        let message = error.to_string();
        // A closure would hide the caller.
        let mut own = match temporary_error(&error, &message) {
            Some(own) => own,
            None => Self::new(StatusCode::INTERNAL_SERVER_ERROR, INTERNAL, message),
        };
        own.0.source = Some(Box::new(error));
        own.0.name = std::any::type_name::<E>();
        own
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.status(), self.code(), self.message())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}
