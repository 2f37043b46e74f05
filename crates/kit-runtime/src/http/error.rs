//! Failures, and the one envelope that they are answered with.

use std::borrow::Cow;
use std::fmt;
use std::panic::Location;
use std::time::SystemTime;

use axum::http::{HeaderName, HeaderValue, StatusCode};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Value, json};

use super::Context;
use super::source::Slot;
use crate::check::Failure;
use crate::json::to_text;
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
    /// The type of that, for developers.
    name: &'static str,
    invalid: Option<Invalid>,
    /// Where the code made it.
    place: &'static Location<'static>,
}

/// A part of a request, or an answer, that does not fit its contract.
struct Invalid {
    schema: &'static str,
    failures: Vec<Failure>,
    /// The slot of the contract.
    slot: Slot,
}

impl Error {
    /// An error of the application.
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
            place: Location::caller(),
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
    #[track_caller]
    pub fn unauthorized(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, code, message)
    }

    /// 403.
    #[track_caller]
    pub fn forbidden(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, message)
    }

    /// 404.
    #[track_caller]
    pub fn not_found(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    /// 409.
    #[track_caller]
    pub fn conflict(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, message)
    }

    /// 501: what the application has in its contracts and not in its code; `file` is where it belongs.
    #[track_caller]
    pub fn not_written(what: &str, file: &str) -> Self {
        let message = format!("`{what}` is not written yet: {file}");
        Self::new(StatusCode::NOT_IMPLEMENTED, "NOT_IMPLEMENTED", message)
    }

    /// A fault of the application that no client can do anything about.
    #[track_caller]
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, INTERNAL, message).into_unknown()
    }

    fn into_unknown(mut self) -> Self {
        let message = self.0.message.clone();
        self.0.source = Some(message.into());
        self
    }

    /// A part of the request does not fit the type of that name.
    pub(super) fn invalid(slot: Slot, schema: &'static str, failures: Vec<Failure>) -> Self {
        let message = describe(&format!("Invalid {slot}"), &failures);
        let mut error = Self::new(StatusCode::BAD_REQUEST, "VALIDATION_ERROR", message);
        error.0.invalid = Some(Invalid {
            schema,
            failures,
            slot,
        });
        error
    }

    /// What a handler gave does not fit its contract: a fault of the application.
    pub(super) fn unfit_answer(route: &str, schema: &'static str, failures: Vec<Failure>) -> Self {
        let what = format!("The handler of {route} returned what is no {schema}");
        let mut error = Self::internal(describe(&what, &failures));
        error.0.name = "ResponseContractError";
        error.0.invalid = Some(Invalid {
            schema,
            failures,
            slot: Slot::Response,
        });
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
    pub(super) fn body(&self, context: &Context) -> String {
        let error = Told { error: self, context };
        // Values of the request are shown in it, and their numbers as JavaScript writes them. Texts and trees of JSON always have a text.
        to_text(&Envelope { error }).unwrap_or_default()
    }

    /// `src/handlers/notes.rs:12`, where the project's own code made it.
    fn own_place(&self) -> Option<String> {
        let place = self.0.place;
        let is_own = place.file().starts_with("src/");
        is_own.then(|| format!("{}:{}", place.file(), place.line()))
    }

    /// A text of it for the log, which is no place for users' data: PostgreSQL quotes the value that it refused.
    fn without_values<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match (self.is_bad_data(), text.find('"'), text.rfind('"')) {
            (true, Some(start), Some(end)) if start < end => {
                Cow::Owned(format!("{}\"[redacted]\"{}", &text[..start], &text[end + 1..]))
            }
            _ => Cow::Borrowed(text),
        }
    }

    /// Whether the database refused a value: in such messages what is quoted is the data, in all others a name.
    #[cfg(feature = "sqlx")]
    fn is_bad_data(&self) -> bool {
        let source = self.0.source.as_deref();
        let error = source.and_then(|source| source.downcast_ref::<sqlx::Error>());
        let code = error.and_then(|error| error.as_database_error()?.code());
        code.is_some_and(|code| code.starts_with("22"))
    }

    #[cfg(not(feature = "sqlx"))]
    #[allow(clippy::unused_self)] // Reason: the other one looks at it.
    fn is_bad_data(&self) -> bool {
        false
    }

    /// Logs it where it comes too late to be an answer.
    pub(super) fn log_cut(&self) {
        let causes = self.causes().join(": ");
        let causes = self.without_values(&causes);
        let message = self.without_values(self.message());
        tracing::error!(
            code = self.code(),
            causes = &*causes,
            "An answer was cut: {message}"
        );
    }

    /// What the log says of it.
    pub(super) fn told(&self) -> String {
        self.without_values(self.message()).into_owned()
    }

    /// Logs it: what is the server's fault as an error, what is the client's for who wants to know.
    pub(super) fn log(&self) {
        let (code, message) = (self.code(), self.without_values(self.message()));
        let status = self.status().as_u16();
        if status >= 500 {
            let causes = self.causes().join(": ");
            let causes = self.without_values(&causes);
            let place = self.own_place();
            tracing::error!(code, status, causes = &*causes, place, "{message}");
        } else {
            tracing::debug!(code, status, "{message}");
        }
    }
}

/// What is wrong, with the first of the failures and how many more there are.
fn describe(what: &str, failures: &[Failure]) -> String {
    let Some(first) = failures.first() else {
        return what.to_owned();
    };
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
    format!("{what}: {path}: expected {expected}, received {received}{more}")
}

/// What clients are told.
#[derive(Serialize)]
struct Envelope<'a> {
    error: Told<'a>,
}

/// An error as it is told, written without a tree in between.
struct Told<'a> {
    error: &'a Error,
    context: &'a Context,
}

impl Serialize for Told<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (inner, context) = (&*self.error.0, self.context);
        let is_development = is_development();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &inner.code)?;
        if inner.source.is_some() && !is_development {
            map.serialize_entry("message", "Internal Server Error")?;
        } else {
            map.serialize_entry("message", &inner.message)?;
        }
        if inner.source.is_some() && is_development {
            let causes = self.error.causes();
            let name = inner.name;
            let place = self.error.own_place();
            let stack = place.map(|place| format!("{name}: {}\n    at {place}", inner.message));
            map.serialize_entry("details", &Caused { name, causes, stack })?;
        } else if let Some(details) = &inner.details {
            map.serialize_entry("details", details)?;
        } else if let Some(Invalid { failures, .. }) =
            inner.invalid.as_ref().filter(|_| inner.source.is_none())
        {
            let fields = Fields(failures);
            map.serialize_entry("details", &Refused { fields })?;
        }
        map.serialize_entry("traceId", context.trace_id())?;
        if is_development {
            self.add_development_fields(&mut map)?;
        }
        map.end()
    }
}

impl Told<'_> {
    /// What helps to find the fault without a search.
    fn add_development_fields<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (error, context) = (self.error, self.context);
        map.serialize_entry("status", &error.status().as_u16())?;
        map.serialize_entry("phase", &context.phase().to_string())?;
        if let Some(route) = context.route() {
            map.serialize_entry("route", route)?;
        }
        if let Some(source) = context.source() {
            let slot = error.0.invalid.as_ref().map(|invalid| invalid.slot);
            // A bad request is understood from its contract, anything else is repaired where it was made.
            let own = error.own_place().filter(|_| slot.is_none());
            map.serialize_entry("sourceFile", own.as_deref().unwrap_or(source.contract))?;
            if let Some(slot) = slot {
                map.serialize_entry("schemaFile", source.file_of(slot))?;
            }
            map.serialize_entry("relatedTests", source.tests)?;
        }
        if let Some(Invalid { schema, failures, .. }) = &error.0.invalid {
            let failures: Vec<Value> = failures.iter().map(in_full).collect();
            map.serialize_entry("schema", schema)?;
            map.serialize_entry("failures", &failures)?;
        }
        map.serialize_entry("server", SERVER_ADAPTER)?;
        map.serialize_entry("serverAdapter", SERVER_ADAPTER)?;
        map.serialize_entry("requestId", context.request_id())?;
        map.serialize_entry("timestamp", &Timestamp::from(SystemTime::now()))
    }
}

/// `details` of an error that nobody expected.
#[derive(Serialize)]
struct Caused {
    name: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    causes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<String>,
}

/// `details` of a part of a request that does not fit.
#[derive(Serialize)]
struct Refused<'a> {
    fields: Fields<'a>,
}

struct Fields<'a>(&'a [Failure]);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|failure| Field {
            path: &failure.path,
            expected: &failure.expected,
            value: failure.value.as_ref(),
        }))
    }
}

/// An item of `details.fields`: `value` is absent where nothing was there.
#[derive(Serialize)]
struct Field<'a> {
    path: &'a str,
    expected: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a Value>,
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
    #[track_caller]
    fn from(error: E) -> Self {
        let message = error.to_string();
        let mut own = Self::new(StatusCode::INTERNAL_SERVER_ERROR, INTERNAL, message);
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
