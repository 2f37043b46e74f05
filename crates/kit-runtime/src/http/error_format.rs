//! Format of error bodies: kit's envelope, problem details of RFC 9457, or a type of the application.
//!
//! The format applies to the whole process, because a server also responds to bytes that reach no router.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use axum::http::HeaderValue;
use serde::Serialize;
use serde_json::{Map, Value};

use super::status_phrase::status_phrase;
use crate::json::to_text;

const VALIDATION: &str = "VALIDATION_ERROR";
const ENVELOPE: HeaderValue = HeaderValue::from_static("application/json");
const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");

/// Failed request, for which an application with its own error format creates the body.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// HTTP status of the response, from 400 to 599.
    pub status: u16,
    /// Code of the error, such as `NOTE_NOT_FOUND` or `VALIDATION_ERROR`.
    pub code: String,
    /// Message for people.
    pub message: String,
    /// Details of the error.
    pub details: Option<Value>,
    /// Invalid values, if the code is `VALIDATION_ERROR`; empty for every other error.
    pub fields: Vec<InvalidField>,
    /// Trace id of the request: 32 hexadecimal digits.
    pub trace_id: String,
}

/// Value of a request that breaks a rule of its contract.
#[derive(Debug, Clone, PartialEq)]
pub struct InvalidField {
    /// `JSONPath` of the value.
    pub path: String,
    /// Type and rules of the value, for people.
    pub expected: String,
    /// The value; `None` if it cannot be shown.
    pub value: Option<Value>,
    /// First rule that the value breaks, such as `minLength`.
    pub rule: String,
    /// Argument of the rule, if the rule has an argument.
    pub limit: Option<Value>,
}

/// Format of error bodies.
pub struct ErrorFormat(Format);

/// Function that returns the body for a failure, or `None` if the body cannot be written.
type WriteBody = Box<dyn Fn(&Failure) -> Option<String> + Send + Sync>;

enum Format {
    Envelope,
    Problem,
    Declared {
        content_type: HeaderValue,
        body: WriteBody,
    },
}

impl ErrorFormat {
    /// Returns kit's envelope: `{ error: { code, message, details?, traceId } }`.
    ///
    /// ```
    /// use kit_runtime::{Application, ErrorFormat, Routes};
    ///
    /// fn with_envelope<A: Application>(routes: Routes<A>) -> Routes<A> {
    ///     routes.errors(ErrorFormat::envelope(), 400)
    /// }
    /// ```
    pub fn envelope() -> Self {
        Self(Format::Envelope)
    }

    /// Returns problem details of RFC 9457.
    ///
    /// ```
    /// use kit_runtime::{Application, ErrorFormat, Routes};
    ///
    /// fn with_problem_details<A: Application>(routes: Routes<A>) -> Routes<A> {
    ///     routes.errors(ErrorFormat::problem_details(), 422)
    /// }
    /// ```
    pub fn problem_details() -> Self {
        Self(Format::Problem)
    }

    /// Returns a format of the application: the media type, and the function that creates the body. If the function
    /// panics, the response has the status 500 and kit's envelope.
    ///
    /// ```
    /// use kit_runtime::{ErrorFormat, value};
    ///
    /// let format = ErrorFormat::declared("application/json", |failure| {
    ///     value!({ "error": failure.code, "text": failure.message })
    /// });
    /// # drop(format);
    /// ```
    pub fn declared<T: Serialize>(
        content_type: &'static str,
        body: impl Fn(&Failure) -> T + Send + Sync + 'static,
    ) -> Self {
        Self(Format::Declared {
            // `kit build` refuses a content type that cannot be a header.
            content_type: HeaderValue::from_str(content_type).unwrap_or(ENVELOPE),
            body: Box::new(move |failure| to_text(&body(failure)).ok()),
        })
    }
}

/// Format of the process, with the status of validation errors. Without it, errors are kit's envelope.
static CHOSEN: OnceLock<Chosen> = OnceLock::new();

pub(crate) struct Chosen {
    format: Format,
    validation_status: u16,
}

/// Chooses the format for the process. Only the first call has an effect.
pub(super) fn choose(ErrorFormat(format): ErrorFormat, validation_status: u16) {
    CHOSEN.get_or_init(|| Chosen {
        format,
        validation_status,
    });
}

/// Returns the chosen format; `None` for kit's envelope with the status 400.
pub(crate) fn chosen() -> Option<&'static Chosen> {
    CHOSEN.get()
}

/// An error response: its status, its content type and its body.
pub(crate) struct Written {
    pub(crate) status: u16,
    pub(crate) content_type: HeaderValue,
    pub(crate) text: String,
}

impl Chosen {
    /// Returns the status of the response to an error with a status and a code.
    pub(crate) fn status(&self, status: u16, code: &str) -> u16 {
        if status == 400 && code == VALIDATION {
            self.validation_status
        } else {
            status
        }
    }

    /// Writes an error. `error` has the members of kit's envelope. `status` is the status of the response.
    pub(crate) fn write(&self, status: u16, mut error: Map<String, Value>) -> Written {
        let (content_type, value) = match &self.format {
            Format::Envelope => {
                // In development, the envelope contains the status too.
                if let Some(own) = error.get_mut("status") {
                    *own = status.into();
                }
                (ENVELOPE, envelope(error))
            }
            Format::Problem => (PROBLEM, problem(status, error)),
            Format::Declared { content_type, body } => {
                let failure = describe(status, error);
                let text = catch_unwind(AssertUnwindSafe(|| body(&failure))).ok().flatten();
                return match text {
                    Some(text) => Written {
                        status,
                        content_type: content_type.clone(),
                        text,
                    },
                    None => failed(failure),
                };
            }
        };
        Written {
            status,
            content_type,
            // Serializing JSON trees cannot fail.
            text: to_text(&value).unwrap_or_default(),
        }
    }
}

/// Returns the response for the case that the application's function for error bodies fails.
fn failed(failure: Failure) -> Written {
    tracing::error!(
        code = failure.code,
        "The error format of the application failed; the response has the format of kit"
    );
    let mut error = Map::new();
    error.insert("code".to_owned(), "INTERNAL_SERVER_ERROR".into());
    error.insert("message".to_owned(), "Internal Server Error".into());
    error.insert("traceId".to_owned(), failure.trace_id.into());
    Written {
        status: 500,
        content_type: ENVELOPE,
        text: to_text(&envelope(error)).unwrap_or_default(),
    }
}

fn envelope(error: Map<String, Value>) -> Value {
    let mut body = Map::new();
    body.insert("error".to_owned(), Value::Object(error));
    Value::Object(body)
}

/// Removes a string from the members of an error and returns it.
fn take(error: &mut Map<String, Value>, name: &str) -> String {
    match error.shift_remove(name) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

/// Returns the problem details of an error: the members of RFC 9457, then the members that kit adds.
fn problem(status: u16, mut error: Map<String, Value>) -> Value {
    let code = take(&mut error, "code");
    let trace_id = take(&mut error, "traceId");
    let mut problem = Map::new();
    let mut set = |name: &str, value: Value| problem.insert(name.to_owned(), value);
    set("type", "about:blank".into());
    set("title", status_phrase(status).into());
    set("status", status.into());
    set("detail", take(&mut error, "message").into());
    set("instance", format!("urn:uuid:{}", uuid(&trace_id)).into());
    set("code", code.as_str().into());
    let mut details = error.shift_remove("details");
    let fields = (code == VALIDATION).then(|| take_fields(&mut details)).flatten();
    if let Some(details) = details {
        set("details", details);
    }
    if let Some(fields) = fields {
        set("errors", fields);
    }
    set("traceId", trace_id.into());
    for (name, value) in error {
        if name != "status" {
            set(&name, value);
        }
    }
    Value::Object(problem)
}

/// Removes the list of invalid values from the details and returns it. If nothing else is in the details,
/// they become `None`.
fn take_fields(details: &mut Option<Value>) -> Option<Value> {
    let object = details.as_mut()?.as_object_mut()?;
    object.get("fields").filter(|fields| fields.is_array())?;
    let fields = object.shift_remove("fields");
    if object.is_empty() {
        *details = None;
    }
    fields
}

fn describe(status: u16, mut error: Map<String, Value>) -> Failure {
    let code = take(&mut error, "code");
    let details = error.shift_remove("details");
    let fields = details
        .as_ref()
        .filter(|_| code == VALIDATION)
        .and_then(|details| details.get("fields")?.as_array())
        .map(|fields| fields.iter().map(field).collect())
        .unwrap_or_default();
    Failure {
        status,
        code,
        message: take(&mut error, "message"),
        details,
        fields,
        trace_id: take(&mut error, "traceId"),
    }
}

fn field(value: &Value) -> InvalidField {
    let text = |name: &str| {
        value
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    InvalidField {
        path: text("path"),
        expected: text("expected"),
        value: value.get("value").cloned(),
        rule: text("rule"),
        limit: value.get("limit").cloned(),
    }
}

/// Returns 32 hexadecimal digits in the form of a UUID.
fn uuid(trace_id: &str) -> String {
    let part = |from: usize, to: usize| trace_id.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{Chosen, ErrorFormat, Format, InvalidField};

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

    fn chosen(ErrorFormat(format): ErrorFormat) -> Chosen {
        Chosen {
            format,
            validation_status: 422,
        }
    }

    fn invalid() -> Map<String, Value> {
        let field =
            json!({ "path": "$.a", "expected": "string", "value": 2.0, "rule": "type", "limit": "string" });
        let error = json!({ "code": "VALIDATION_ERROR", "message": "Invalid", "details": { "fields": [field] }, "traceId": TRACE });
        error.as_object().cloned().unwrap()
    }

    #[test]
    fn writes_problem_details_with_numbers_as_in_javascript() {
        let written = chosen(ErrorFormat::problem_details()).write(422, invalid());
        assert_eq!(written.content_type, "application/problem+json");
        assert_eq!(
            written.text,
            r#"{"type":"about:blank","title":"Unprocessable Content","status":422,"detail":"Invalid","instance":"urn:uuid:0af76519-16cd-43dd-8448-eb211c80319c","code":"VALIDATION_ERROR","errors":[{"path":"$.a","expected":"string","value":2,"rule":"type","limit":"string"}],"traceId":"0af7651916cd43dd8448eb211c80319c"}"#
        );
    }

    #[test]
    fn passes_the_list_of_invalid_values_to_the_function_of_a_declared_format() {
        let format = ErrorFormat::declared("application/json", |failure| {
            let [InvalidField { path, rule, .. }] = failure.fields.as_slice() else {
                return Value::Null;
            };
            json!({ "at": path, "rule": rule, "status": failure.status, "code": failure.code })
        });
        let written = chosen(format).write(422, invalid());
        assert_eq!(
            written.text,
            r#"{"at":"$.a","rule":"type","status":422,"code":"VALIDATION_ERROR"}"#
        );
    }

    #[test]
    fn responds_with_500_if_the_function_of_a_declared_format_panics() {
        let format = ErrorFormat::declared("application/json", |failure| -> Value {
            assert_eq!(failure.status, 0, "a panic");
            Value::Null
        });
        let written = chosen(format).write(422, invalid());
        assert_eq!(written.status, 500);
        assert!(
            written
                .text
                .starts_with(r#"{"error":{"code":"INTERNAL_SERVER_ERROR""#)
        );
    }

    #[test]
    fn changes_the_status_of_validation_errors_only() {
        let chosen = Chosen {
            format: Format::Envelope,
            validation_status: 422,
        };
        assert_eq!(chosen.status(400, "VALIDATION_ERROR"), 422);
        assert_eq!(chosen.status(400, "BAD_REQUEST"), 400);
        assert_eq!(chosen.status(409, "VALIDATION_ERROR"), 409);
    }
}
