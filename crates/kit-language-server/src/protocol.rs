//! Messages of JSON-RPC, in which the protocol sends its requests and notifications.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Message of the editor.
#[derive(Debug, Deserialize)]
pub(crate) struct Incoming {
    /// Id of a request, a number or a text. `None` for a notification.
    #[serde(default, deserialize_with = "present")]
    pub(crate) id: Option<Value>,
    /// Name of the request or notification. `None` for the answer to a request of the server.
    pub(crate) method: Option<String>,
    #[serde(default)]
    pub(crate) params: Value,
}

/// Deserializes a value that is there, also if it is `null`.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Codes of errors, from JSON-RPC and from the Language Server Protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorCode {
    Parse = -32700,
    InvalidRequest = -32600,
    MethodNotFound = -32601,
    InvalidParams = -32602,
    NotInitialized = -32002,
    Cancelled = -32800,
    Failed = -32803,
}

/// Reason why a request fails.
#[derive(Debug)]
pub(crate) struct RequestError {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl RequestError {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}

/// Message of the server.
#[derive(Debug, Serialize)]
pub(crate) struct Outgoing<'a> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
}

impl<'a> Outgoing<'a> {
    const EMPTY: Self = Self {
        jsonrpc: "2.0",
        id: None,
        method: None,
        params: None,
        result: None,
        error: None,
    };

    pub(crate) fn notification(method: &'a str, params: Value) -> Self {
        Self {
            method: Some(method),
            params: Some(params),
            ..Self::EMPTY
        }
    }

    pub(crate) fn request(id: &str, method: &'a str, params: Value) -> Self {
        Self {
            id: Some(Value::from(id)),
            ..Self::notification(method, params)
        }
    }

    /// Answers a request.
    pub(crate) fn response(id: Value, result: Result<Value, RequestError>) -> Self {
        let (result, error) = match result {
            Ok(result) => (Some(result), None),
            Err(error) => {
                let code = error.code as i32;
                (
                    None,
                    Some(serde_json::json!({ "code": code, "message": error.message })),
                )
            }
        };
        Self {
            id: Some(id),
            result,
            error,
            ..Self::EMPTY
        }
    }
}

/// Returns the parameters of a request or notification.
pub(crate) fn parse<T: DeserializeOwned>(params: Value) -> Result<T, RequestError> {
    serde_json::from_value(params)
        .map_err(|error| RequestError::new(ErrorCode::InvalidParams, error.to_string()))
}

/// Returns the result of a request as JSON.
pub(crate) fn result(value: impl serde::Serialize) -> Result<Value, RequestError> {
    serde_json::to_value(value).map_err(|error| RequestError::new(ErrorCode::Failed, error.to_string()))
}
