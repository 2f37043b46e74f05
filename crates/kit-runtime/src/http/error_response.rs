//! The response to a failed request: status and body of an error, and its entries in the log.

use std::borrow::Cow;
use std::time::SystemTime;

use axum::http::StatusCode;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;
use tracing::Level;

use super::details::{HandlerLocation, UnexpectedDetails, WithLocation};
use super::error::Invalid;
use super::error_format::{Written, chosen};
use super::fields::{ValidationDetails, development_failure};
use super::{Context, Error, Phase, rejection_log};
use crate::json::to_text_of;
use crate::log_level::is_enabled;
use crate::redact::redactor;
use crate::settings::settings;
use crate::{SERVER_ADAPTER, Timestamp, is_development};

#[cfg(feature = "sqlx")]
use crate::postgres::{help_for_missing, sql_state};

impl Error {
    /// Returns the phase in which the error occurred.
    fn phase(&self, context: &Context) -> Phase {
        self.0.phase.unwrap_or_else(|| context.phase())
    }

    /// Returns the messages of the underlying errors, starting with the immediate cause.
    fn causes(&self) -> Vec<String> {
        let mut causes = Vec::new();
        let mut cause = self.0.source.as_ref().and_then(|source| source.source());
        while let Some(error) = cause.filter(|_| causes.len() < 8) {
            causes.push(error.to_string());
            cause = error.source();
        }
        causes
    }

    /// Returns the status of the response. It can differ from the status of the error: an application can
    /// choose 422 for validation errors.
    pub(super) fn sent_status(&self) -> StatusCode {
        let Some(chosen) = chosen() else {
            return self.status();
        };
        let status = chosen.status(self.status().as_u16(), self.code());
        StatusCode::from_u16(status).unwrap_or(self.status())
    }

    /// Returns status, content type and body of the response in the error format of the application. Returns
    /// `None` if the application uses kit's envelope.
    pub(super) fn written(&self, context: &Context) -> Option<Written> {
        let chosen = chosen()?;
        let error = serde_json::to_value(ErrorJson::new(self, context)).ok()?;
        let Value::Object(error) = error else { return None };
        Some(chosen.write(self.sent_status().as_u16(), error))
    }

    /// Returns the body of the response.
    pub(super) fn body(&self, context: &Context) -> String {
        let error = ErrorJson::new(self, context);
        // Failures contain values of the request, and numbers are written as in JavaScript. Serializing strings and
        // JSON trees cannot fail.
        let failures = self
            .0
            .invalid
            .as_ref()
            .map_or(0, |invalid| invalid.failures.len());
        to_text_of(&Envelope { error }, 256 + failures * 128).unwrap_or_default()
    }

    /// Returns the source location that created the error, such as `src/handlers/notes.rs:12`. Returns `None`
    /// if the location is not in a file of the project.
    fn own_location(&self) -> Option<String> {
        let place = self.0.location;
        let is_own = place.file().starts_with("src/");
        is_own.then(|| format!("{}:{}", place.file(), place.line()))
    }

    /// Hides user data in a message for the log: replaces the value that PostgreSQL quotes when it rejects
    /// the value.
    fn without_values<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !self.is_bad_data() {
            return Cow::Borrowed(text);
        }
        match (text.find('"'), text.rfind('"')) {
            (Some(start), Some(end)) if start < end => {
                Cow::Owned(format!("{}\"[redacted]\"{}", &text[..start], &text[end + 1..]))
            }
            _ => Cow::Borrowed(text),
        }
    }

    /// Returns true if the database rejected a value. In this case, the quoted part of the error message is
    /// user data. In all other messages, it is a name.
    #[cfg(feature = "sqlx")]
    fn is_bad_data(&self) -> bool {
        let source = self.0.source.as_deref();
        let error = source.and_then(|source| source.downcast_ref::<sqlx::Error>());
        let code = error.and_then(|error| error.as_database_error()?.code());
        code.is_some_and(|code| code.starts_with("22"))
    }

    #[cfg(not(feature = "sqlx"))]
    #[allow(clippy::unused_self)] // Reason: same signature as with the feature.
    fn is_bad_data(&self) -> bool {
        false
    }

    /// Returns advice if the error says that a table or column does not exist in the database.
    #[cfg(feature = "sqlx")]
    fn help(&self) -> Option<&'static str> {
        let source = self.0.source.as_deref()?;
        help_for_missing(source.downcast_ref::<sqlx::Error>()?)
    }

    #[cfg(not(feature = "sqlx"))]
    #[allow(clippy::unused_self)] // Reason: same signature as with the feature.
    fn help(&self) -> Option<&'static str> {
        None
    }

    /// Returns the SQL state of an error of the database.
    #[cfg(feature = "sqlx")]
    fn sql_state(&self) -> Option<String> {
        sql_state(self.source()?)
    }

    #[cfg(not(feature = "sqlx"))]
    #[allow(clippy::unused_self)] // Reason: same signature as with the feature.
    fn sql_state(&self) -> Option<&'static str> {
        None
    }

    /// Logs an error after the response has begun, so the client cannot receive an error response. `what` is the
    /// consequence.
    pub(super) fn log_late(&self, what: &str) {
        let causes = self.causes().join(": ");
        let causes = self.without_values(&causes);
        let message = self.without_values(self.message());
        tracing::error!(code = self.code(), causes = &*causes, "{what}: {message}");
    }

    /// Returns the phase of the error for the debug sidecar.
    #[cfg(feature = "debug")]
    pub(crate) fn phase_of(&self, context: &Context) -> Phase {
        self.phase(context)
    }

    /// Returns the name of the error's type for the debug sidecar.
    #[cfg(feature = "debug")]
    pub(crate) fn kind(&self) -> &'static str {
        self.0.name
    }

    /// Returns the fields of the error body in development, without the values that a database error quotes.
    #[cfg(feature = "debug")]
    pub(crate) fn description(&self, context: &Context) -> Value {
        let error = ErrorJson {
            error: self,
            context,
            is_development: true,
        };
        let mut fields = serde_json::to_value(error).unwrap_or_default();
        if let Some(Value::Array(causes)) = fields.pointer_mut("/details/causes") {
            for cause in causes {
                if let Value::String(text) = cause {
                    *text = self.without_values(text).into_owned();
                }
            }
        }
        if let Some(Value::String(stack)) = fields.pointer_mut("/details/stack") {
            let message = self.message();
            *stack = stack.replace(message, &self.without_values(message));
        }
        fields
    }

    /// Returns the message for exported spans and for the debug sidecar, without user data and hidden values.
    pub(crate) fn log_message(&self) -> String {
        redactor().text(&self.without_values(self.message())).into_owned()
    }

    /// Logs the error as the response to a request. An error from middleware or a handler is logged as an error; below
    /// 500, at the level of `LOG_CLIENT_ERRORS`. A request that the router or the validation rejects is logged as a
    /// warning, with the rate limit of [`rejection_log`].
    pub(super) fn log(&self, context: &Context) {
        let (code, message) = (self.code(), self.without_values(self.message()));
        let status = self.sent_status().as_u16();
        let place = || self.own_location();
        if status >= 500 {
            let causes = self.causes().join(": ");
            let causes = self.without_values(&causes);
            let help = self.help();
            tracing::error!(
                code,
                status,
                causes = &*causes,
                place = place(),
                state = self.sql_state(),
                help,
                "{message}"
            );
        } else if !self.0.is_of_body
            && matches!(
                self.phase(context),
                Phase::Middleware(_) | Phase::Handler | Phase::Serialization
            )
        {
            match settings().client_errors {
                Level::ERROR => tracing::error!(code, status, place = place(), "{message}"),
                Level::WARN => tracing::warn!(code, status, place = place(), "{message}"),
                Level::INFO => tracing::info!(code, status, place = place(), "{message}"),
                Level::DEBUG => tracing::debug!(code, status, place = place(), "{message}"),
                Level::TRACE => tracing::trace!(code, status, place = place(), "{message}"),
            }
        } else if is_enabled(Level::WARN) && rejection_log::should_log(context.route(), status) {
            let (method, path) = (context.method().as_str(), context.shown_path());
            tracing::warn!(code, status, method, path = &*path, "{message}");
        }
    }
}

/// JSON body of an error response.
#[derive(Serialize)]
struct Envelope<'a> {
    error: ErrorJson<'a>,
}

/// An error and its request, for serialization as JSON without an intermediate tree.
struct ErrorJson<'a> {
    error: &'a Error,
    context: &'a Context,
    /// True to add the fields for developers.
    is_development: bool,
}

impl Serialize for ErrorJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (inner, context) = (&*self.error.0, self.context);
        let is_development = self.is_development;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &inner.code)?;
        let message = if is_development {
            &inner.message
        } else {
            self.error.public_message()
        };
        map.serialize_entry("message", message)?;
        let located = is_development.then(|| self.located()).flatten();
        if inner.source.is_some() && is_development {
            let causes = self.error.causes();
            let name = inner.name;
            let place = self.error.own_location();
            let stack = place.map(|place| format!("{name}: {}\n    at {place}", inner.message));
            let details = UnexpectedDetails {
                name,
                causes,
                stack,
                located,
            };
            map.serialize_entry("details", &details)?;
        } else if let Some(details) = &inner.details {
            map.serialize_entry("details", &WithLocation { details, located })?;
        } else if let Some(located) = &located {
            map.serialize_entry("details", located)?;
        } else if let Some(Invalid { failures, .. }) =
            inner.invalid.as_ref().filter(|_| inner.source.is_none())
        {
            map.serialize_entry("details", &ValidationDetails::new(failures))?;
        }
        map.serialize_entry("traceId", context.trace_id())?;
        if is_development {
            self.add_development_fields(&mut map)?;
        }
        map.end()
    }
}

impl<'a> ErrorJson<'a> {
    /// Creates the body for clients.
    fn new(error: &'a Error, context: &'a Context) -> Self {
        Self {
            error,
            context,
            is_development: is_development(),
        }
    }

    /// Returns the location of the handler and the tests of its route. Returns `None` if the error occurred
    /// outside of the handler.
    fn located(&self) -> Option<HandlerLocation> {
        let source = self.context.source()?;
        (self.error.phase(self.context) == Phase::Handler).then(|| HandlerLocation::of(&source))
    }

    /// Adds the fields that help a developer find the bug.
    fn add_development_fields<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let (error, context) = (self.error, self.context);
        map.serialize_entry("status", &error.status().as_u16())?;
        map.serialize_entry("phase", &error.phase(context).to_string())?;
        if let Some(route) = context.route() {
            map.serialize_entry("route", route)?;
        }
        if let Some(source) = context.source() {
            let slot = error.0.invalid.as_ref().map(|invalid| invalid.slot);
            // For a bad request, the contract is the relevant source. For any other error, it is the location that
            // created the error.
            let own = error.own_location().filter(|_| slot.is_none());
            map.serialize_entry("sourceFile", own.as_deref().unwrap_or(source.contract))?;
            if let Some(slot) = slot {
                map.serialize_entry("schemaFile", source.file_of(slot))?;
            }
            map.serialize_entry("relatedTests", source.tests)?;
        }
        if let Some(Invalid { schema, failures, .. }) = &error.0.invalid {
            let failures: Vec<Value> = failures.iter().map(development_failure).collect();
            map.serialize_entry("schema", schema)?;
            map.serialize_entry("failures", &failures)?;
        }
        map.serialize_entry("server", SERVER_ADAPTER)?;
        map.serialize_entry("serverAdapter", SERVER_ADAPTER)?;
        map.serialize_entry("requestId", context.request_id())?;
        map.serialize_entry("timestamp", &Timestamp::from(SystemTime::now()))
    }
}
