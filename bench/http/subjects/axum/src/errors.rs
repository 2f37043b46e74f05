//! Error format of the responses: `{ "error": { code, message, details?, traceId } }`.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Error response to a failed request.
pub struct AppError {
    status: StatusCode,
    code: &'static str,
    message: &'static str,
    fields: Vec<Field>,
}

/// Path of an invalid value in a body, and the problem.
#[derive(Serialize)]
pub struct Field {
    pub path: &'static str,
    pub expected: String,
}

#[derive(Serialize)]
struct Envelope {
    error: Body,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    code: &'static str,
    message: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Details>,
    trace_id: String,
}

#[derive(Serialize)]
struct Details {
    fields: Vec<Field>,
}

impl AppError {
    pub const fn new(status: StatusCode, code: &'static str, message: &'static str) -> Self {
        Self {
            status,
            code,
            message,
            fields: Vec::new(),
        }
    }

    pub const fn validation(message: &'static str, fields: Vec<Field>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            code: "VALIDATION_ERROR",
            message,
            fields,
        }
    }
}

impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        let fields = self.fields;
        let body = Body {
            code: self.code,
            message: self.message,
            details: (!fields.is_empty()).then_some(Details { fields }),
            trace_id: uuid::Uuid::new_v4().simple().to_string(),
        };
        (self.status, Json(Envelope { error: body })).into_response()
    }
}
