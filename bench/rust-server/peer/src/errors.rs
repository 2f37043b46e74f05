//! Error format of the responses: `{ "error": { code, message, details?, traceId } }`.

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use uuid::Uuid;

/// Error response to a failed request.
pub struct AppError {
    status: StatusCode,
    code: &'static str,
    message: String,
    details: Option<Details>,
}

/// Path of an invalid value in a request, and the problem.
#[derive(Serialize)]
pub struct Field {
    pub path: &'static str,
    pub expected: &'static str,
    pub value: serde_json::Value,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Details {
    Fields { fields: Vec<Field> },
    Id { id: String },
}

#[derive(Serialize)]
struct Envelope {
    error: Body,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    code: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Details>,
    trace_id: String,
}

impl AppError {
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            details: None,
        }
    }

    pub fn invalid(part: &str, fields: Vec<Field>) -> Self {
        let mut message = format!("Invalid {part}");
        if let Some(Field { path, expected, .. }) = fields.first() {
            message = format!("{message}: {path}: expected {expected}");
        }
        Self {
            details: Some(Details::Fields { fields }),
            ..Self::new(StatusCode::BAD_REQUEST, "VALIDATION_ERROR", message)
        }
    }

    pub fn no_note(id: String) -> Self {
        Self {
            details: Some(Details::Id { id }),
            ..Self::new(StatusCode::NOT_FOUND, "NOTE_NOT_FOUND", "Note not found")
        }
    }
}

impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        let error = Body {
            code: self.code,
            message: self.message,
            details: self.details,
            trace_id: Uuid::new_v4().simple().to_string(),
        };
        (self.status, Json(Envelope { error })).into_response()
    }
}

impl From<sqlx::Error> for AppError {
    fn from(error: sqlx::Error) -> Self {
        tracing::error!("{error}");
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Self::new(status, "INTERNAL_SERVER_ERROR", "Internal Server Error")
    }
}

/// Converts the error of a body that serde has refused. serde stops at the first value of a wrong type.
impl From<JsonRejection> for AppError {
    fn from(rejection: JsonRejection) -> Self {
        let (status, code) = match rejection.status() {
            status @ StatusCode::UNSUPPORTED_MEDIA_TYPE => (status, "UNSUPPORTED_MEDIA_TYPE"),
            status @ StatusCode::PAYLOAD_TOO_LARGE => (status, "PAYLOAD_TOO_LARGE"),
            _ => (StatusCode::BAD_REQUEST, "VALIDATION_ERROR"),
        };
        Self::new(status, code, rejection.body_text())
    }
}

impl From<QueryRejection> for AppError {
    fn from(rejection: QueryRejection) -> Self {
        let status = StatusCode::BAD_REQUEST;
        Self::new(status, "VALIDATION_ERROR", rejection.body_text())
    }
}
