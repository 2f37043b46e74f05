//! Answers.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use serde::Serialize;

use super::{Context, Error, Phase};
use crate::json::to_text;

/// An answer of a route.
#[derive(Debug)]
pub struct Response(pub(super) axum::response::Response);

impl Response {
    /// A value as JSON.
    pub fn json(context: &Context, status: StatusCode, value: &impl Serialize) -> Result<Self, Error> {
        context.enter(Phase::Serialization);
        let text = to_text(value)?;
        Ok(Self(with_text(context, status, text)))
    }

    /// Nothing.
    pub fn empty(context: &Context, status: StatusCode) -> Self {
        let mut response = axum::response::Response::new(Body::empty());
        *response.status_mut() = status;
        response
            .headers_mut()
            .extend(std::mem::take(&mut *context.answer_headers()));
        Self(response)
    }
}

/// Any error as its answer.
pub(super) fn of_error(context: &Context, error: &Error) -> axum::response::Response {
    error.log();
    drop_description_of_body(&mut context.answer_headers());
    let text = error.body(context).to_string();
    let mut response = with_text(context, error.status(), text);
    if let Some((name, value)) = error.header() {
        response.headers_mut().insert(name, value.clone());
    }
    response
}

fn with_text(context: &Context, status: StatusCode, text: String) -> axum::response::Response {
    let mut response = axum::response::Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.extend(std::mem::take(&mut *context.answer_headers()));
    response
}

/// Headers that describe the body that was meant go with it.
fn drop_description_of_body(headers: &mut axum::http::HeaderMap) {
    let names: Vec<_> = headers.keys().cloned().collect();
    for name in names {
        let text = name.as_str();
        if text.starts_with("content-")
            || matches!(text, "cache-control" | "etag" | "expires" | "last-modified")
        {
            headers.remove(name);
        }
    }
}
