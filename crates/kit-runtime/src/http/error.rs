//! Failures, and the one envelope that they are answered with.

use std::borrow::Cow;
use std::fmt;
use std::time::SystemTime;

use axum::http::{HeaderName, HeaderValue, StatusCode};
use serde_json::{Map, Value, json};

use super::Context;
use crate::check::Failure;
use crate::{SERVER_ADAPTER, Timestamp, is_development};

/// What keeps a request from being answered as it wants.
///
/// An error of the application has a status, a code that clients can rely on and a message. Every other error becomes
/// 500 `INTERNAL_SERVER_ERROR` by `?`; in production its message goes to the log alone.
pub struct Error(Box<Inner>);

struct Inner {
    status: StatusCode,
    code: Cow<'static, str>,
    message: String,
    details: Option<Value>,
    header: Option<(HeaderName, HeaderValue)>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
    invalid: Option<Invalid>,
}

/// A part of a request that does not fit its contract.
struct Invalid {
    schema: &'static str,
    failures: Vec<Failure>,
}

impl Error {
    /// An error of the application.
    pub fn new(status: StatusCode, code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            status,
            code: code.into(),
            message: message.into(),
            details: None,
            header: None,
            source: None,
            invalid: None,
        }))
    }

    /// The same with details for the client.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.0.details = Some(details);
        self
    }

    /// The same with a header of the answer.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.header = Some((name, value));
        self
    }

    /// 401.
    pub fn unauthorized(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, code, message)
    }

    /// 403.
    pub fn forbidden(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, message)
    }

    /// 404.
    pub fn not_found(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    /// 409.
    pub fn conflict(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    /// 501: what the application has in its contracts and not in its code; `file` is where it belongs.
    pub fn not_written(what: &str, file: &str) -> Self {
        let message = format!("`{what}` is not written yet: {file}");
        Self::new(StatusCode::NOT_IMPLEMENTED, "NOT_IMPLEMENTED", message)
    }

    /// A fault of the application that no client can do anything about.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, INTERNAL, message).into_unknown()
    }

    fn into_unknown(mut self) -> Self {
        let message = self.0.message.clone();
        self.0.source = Some(message.into());
        self
    }

    /// A part of the request, in words, does not fit the type of that name.
    pub(super) fn invalid(part: &str, schema: &'static str, failures: Vec<Failure>) -> Self {
        let mut message = format!("Invalid {part}");
        if let Some(first) = failures.first() {
            let more = match failures.len() {
                1 => String::new(),
                count => format!(" (and {} more)", count - 1),
            };
            let Failure {
                path,
                expected,
                received,
                ..
            } = first;
            message = format!("{message}: {path}: expected {expected}, received {received}{more}");
        }
        let fields: Vec<Value> = failures.iter().map(field).collect();
        let mut error = Self::new(StatusCode::BAD_REQUEST, "VALIDATION_ERROR", message)
            .with_details(json!({ "fields": fields }));
        error.0.invalid = Some(Invalid { schema, failures });
        error
    }

    /// The status of its answer.
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// What clients can rely on.
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// What people read.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub(super) fn header(&self) -> Option<&(HeaderName, HeaderValue)> {
        self.0.header.as_ref()
    }

    /// The messages of what caused it, the nearest first.
    fn causes(&self) -> Vec<String> {
        let mut causes = Vec::new();
        let mut cause = self.0.source.as_ref().and_then(|source| source.source());
        while let Some(error) = cause.filter(|_| causes.len() < 8) {
            causes.push(error.to_string());
            cause = error.source();
        }
        causes
    }

    /// The body of its answer.
    pub(super) fn body(&self, context: &Context) -> Value {
        let inner = &*self.0;
        let is_development = is_development();
        let mut error = Map::new();
        error.insert("code".to_owned(), json!(inner.code));
        if inner.source.is_some() && !is_development {
            error.insert("message".to_owned(), json!("Internal Server Error"));
        } else {
            error.insert("message".to_owned(), json!(inner.message));
        }
        if inner.source.is_some() && is_development {
            let causes = self.causes();
            let mut details = json!({ "name": "Error" });
            if !causes.is_empty() {
                details["causes"] = json!(causes);
            }
            error.insert("details".to_owned(), details);
        } else if let Some(details) = &inner.details {
            error.insert("details".to_owned(), details.clone());
        }
        error.insert("traceId".to_owned(), json!(context.trace_id()));
        if is_development {
            self.add_development_fields(&mut error, context);
        }
        json!({ "error": error })
    }

    /// What helps to find the fault without a search.
    fn add_development_fields(&self, error: &mut Map<String, Value>, context: &Context) {
        error.insert("status".to_owned(), json!(self.status().as_u16()));
        error.insert("phase".to_owned(), json!(context.phase().to_string()));
        if let Some(route) = context.route() {
            error.insert("route".to_owned(), json!(route));
        }
        if let Some(Invalid { schema, failures }) = &self.0.invalid {
            let failures: Vec<Value> = failures.iter().map(in_full).collect();
            error.insert("schema".to_owned(), json!(schema));
            error.insert("failures".to_owned(), json!(failures));
        }
        error.insert("server".to_owned(), json!(SERVER_ADAPTER));
        error.insert("serverAdapter".to_owned(), json!(SERVER_ADAPTER));
        error.insert("requestId".to_owned(), json!(context.request_id()));
        error.insert("timestamp".to_owned(), json!(Timestamp::from(SystemTime::now())));
    }

    /// Logs it where it comes too late to be an answer.
    pub(super) fn log_cut(&self) {
        let causes = self.causes().join(": ");
        tracing::error!(code = self.code(), causes, "An answer was cut: {self}");
    }

    /// Logs it: what is the server's fault as an error, what is the client's for who wants to know.
    pub(super) fn log(&self) {
        let (code, message) = (self.code(), self.message());
        let status = self.status().as_u16();
        if status >= 500 {
            let causes = self.causes().join(": ");
            tracing::error!(code, status, causes, "{message}");
        } else {
            tracing::debug!(code, status, "{message}");
        }
    }
}

/// An item of `details.fields`: `value` is absent where nothing was there.
fn field(failure: &Failure) -> Value {
    let mut field = json!({ "path": failure.path, "expected": failure.expected });
    if let Some(value) = &failure.value {
        field["value"] = value.clone();
    }
    field
}

fn in_full(failure: &Failure) -> Value {
    let Failure {
        path,
        expected,
        received,
        suggestion,
        ..
    } = failure;
    let fallback = || format!("send {expected} instead");
    let suggestion = suggestion.clone().unwrap_or_else(fallback);
    json!({ "path": path, "expected": expected, "received": received, "suggestion": suggestion })
}

const INTERNAL: &str = "INTERNAL_SERVER_ERROR";

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Error {
    fn from(error: E) -> Self {
        let message = error.to_string();
        let mut own = Self::new(StatusCode::INTERNAL_SERVER_ERROR, INTERNAL, message);
        own.0.source = Some(Box::new(error));
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
