//! Errors of calls.

use std::fmt;

use kit_runtime::Contract;
use kit_runtime::json::{from_json, parse};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// Error of a call. `E` is the enum of the errors that the contract declares.
#[derive(Debug)]
pub enum Error<E = Undeclared> {
    /// An error that the contract declares.
    Declared(E),
    /// Another error response of the server, such as a validation error.
    Refused(Box<Refusal>),
    /// The request cannot be sent, because a value has no form on the wire. Contains the reason.
    Request(String),
    /// Missing response: the server cannot be reached.
    Transport(reqwest::Error),
    /// Missing response: the call took longer than the timeout of the client.
    Timeout,
    /// The response does not fit the contract. Contains the reason.
    Response(String),
}

/// Error response of the server.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// HTTP status.
    pub status: StatusCode,
    /// Code of the error, such as `TODO_NOT_FOUND`. `None` if the body has no code.
    pub code: Option<String>,
    /// Message for people. Empty if the body has none.
    pub message: String,
    /// Details of the error.
    pub details: Option<Value>,
    /// Trace id of the request in the server's log.
    pub trace_id: Option<String>,
    /// Headers of the response.
    pub headers: HeaderMap,
    /// Body of the response.
    pub body: String,
}

/// Enum of the errors that a contract declares. kit implements this trait for the enums that it generates.
pub trait Declared: Sized {
    /// Returns the declared error for a response.
    ///
    /// # Errors
    ///
    /// Returns the response if the contract does not declare this error.
    fn read(refusal: Refusal) -> Result<Self, Box<Refusal>>;
}

/// Errors of a contract that declares none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undeclared {}

impl Declared for Undeclared {
    fn read(refusal: Refusal) -> Result<Self, Box<Refusal>> {
        Err(Box::new(refusal))
    }
}

impl fmt::Display for Undeclared {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl std::error::Error for Undeclared {}

/// Places of values in error bodies, as names of nested properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorPlaces {
    /// Place of the code. Empty if bodies have no code, so that only the status tells errors apart.
    pub code: &'static [&'static str],
    /// Place of the message.
    pub message: &'static [&'static str],
    /// Place of the details.
    pub details: &'static [&'static str],
    /// Place of the trace id.
    pub trace_id: &'static [&'static str],
}

impl ErrorPlaces {
    /// Places in kit's envelope.
    pub const ENVELOPE: Self = Self {
        code: &["error", "code"],
        message: &["error", "message"],
        details: &["error", "details"],
        trace_id: &["error", "traceId"],
    };

    /// Places in problem details (RFC 9457), as kit writes them.
    pub const PROBLEM_DETAILS: Self = Self {
        code: &["code"],
        message: &["detail"],
        details: &["details"],
        trace_id: &["traceId"],
    };
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, headers: HeaderMap, body: String, places: ErrorPlaces) -> Self {
        let json: Value = serde_json::from_str(&body).unwrap_or_default();
        let at = |place: &[&str]| {
            let first = (!place.is_empty()).then_some(&json)?;
            place.iter().try_fold(first, |value, name| value.get(name))
        };
        let text = |place| at(place).and_then(Value::as_str).map(str::to_owned);
        Self {
            status,
            code: text(places.code),
            message: text(places.message).unwrap_or_default(),
            details: at(places.details).cloned(),
            trace_id: text(places.trace_id),
            headers,
            body,
        }
    }

    /// Returns true if the response has this status and this code. A body without a code is recognized by its status.
    pub fn is(&self, status: u16, code: &str) -> bool {
        self.status.as_u16() == status && self.code.as_deref().is_none_or(|own| own == code)
    }

    /// Returns the details as a type of the contract. Returns `None` if the details do not fit the type.
    pub fn details<T: Contract>(&self) -> Option<T> {
        let text = self.details.as_ref()?.to_string();
        from_json(&parse(&text).ok()?).ok()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server responded with {}", self.status.as_u16())?;
        if let Some(code) = &self.code {
            write!(f, " {code}")?;
        }
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        Ok(())
    }
}

impl<E: fmt::Display> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declared(error) => error.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Request(reason) => write!(f, "the request cannot be sent: {reason}"),
            Self::Transport(error) => write!(f, "there is no response: {error}"),
            Self::Timeout => f.write_str("there is no response within the timeout"),
            Self::Response(reason) => write!(f, "the response does not fit the contract: {reason}"),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for Error<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Transport(error) => Some(error),
            _ => None,
        }
    }
}

impl<E> From<reqwest::Error> for Error<E> {
    fn from(error: reqwest::Error) -> Self {
        if error.is_timeout() {
            Self::Timeout
        } else {
            Self::Transport(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use reqwest::StatusCode;
    use reqwest::header::HeaderMap;
    use serde_json::json;

    use super::{ErrorPlaces, Refusal};

    fn refusal(body: &str, places: ErrorPlaces) -> Refusal {
        Refusal::new(StatusCode::CONFLICT, HeaderMap::new(), body.to_owned(), places)
    }

    #[test]
    fn reads_the_values_of_an_error_body_at_the_places_of_its_format() {
        let body = r#"{"error":{"code":"SOLD_OUT","message":"Sold out","details":{"left":2},"traceId":"t"}}"#;
        let envelope = refusal(body, ErrorPlaces::ENVELOPE);
        assert!(envelope.is(409, "SOLD_OUT") && !envelope.is(409, "OTHER") && !envelope.is(404, "SOLD_OUT"));
        assert_eq!(envelope.details, Some(json!({ "left": 2 })));
        assert_eq!(envelope.trace_id.as_deref(), Some("t"));
        assert_eq!(
            envelope.to_string(),
            "the server responded with 409 SOLD_OUT: Sold out"
        );
        let problem = refusal(
            r#"{"code":"SOLD_OUT","detail":"Sold out"}"#,
            ErrorPlaces::PROBLEM_DETAILS,
        );
        assert!(problem.is(409, "SOLD_OUT"));
    }

    #[test]
    fn recognizes_an_error_without_a_code_by_its_status() {
        let places = ErrorPlaces {
            code: &[],
            ..ErrorPlaces::ENVELOPE
        };
        let refusal = refusal("<h1>Conflict</h1>", places);
        assert!(refusal.is(409, "SOLD_OUT"));
        assert_eq!(refusal.to_string(), "the server responded with 409");
    }
}
