//! Answers.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use serde::Serialize;

use super::{Context, Error, Phase, Reply};
use crate::check::explain;
use crate::json::{parse, to_text};
use crate::{Contract, is_development};

/// An answer of a route.
#[derive(Debug)]
pub struct Response(pub(super) axum::response::Response);

impl Response {
    /// What a handler gave, as JSON. In development it is held against its contract first.
    pub fn json<T: Contract>(context: &Context, status: StatusCode, value: &T) -> Result<Self, Error> {
        context.enter(Phase::Serialization);
        let text = to_text(value)?;
        if is_development() {
            check::<T>(context, &text)?;
        }
        let status = context.status().unwrap_or(status);
        Ok(Self(with_text(context, status, text)))
    }

    /// A value that no contract speaks of.
    pub(super) fn value(
        context: &Context,
        status: StatusCode,
        value: &impl Serialize,
    ) -> Result<Self, Error> {
        let text = to_text(value)?;
        Ok(Self(with_text(context, context.status().unwrap_or(status), text)))
    }

    /// What a handler makes where its contract leaves it open.
    pub fn reply(context: &Context, status: StatusCode, reply: Reply) -> Result<Self, Error> {
        reply.respond(context, status)
    }

    /// Nothing.
    pub fn empty(context: &Context, status: StatusCode) -> Self {
        let mut response = axum::response::Response::new(Body::empty());
        *response.status_mut() = context.status().unwrap_or(status);
        response
            .headers_mut()
            .extend(std::mem::take(&mut *context.answer_headers()));
        Self(response)
    }
}

/// Holds the text of an answer against its type.
fn check<T: Contract>(context: &Context, text: &str) -> Result<(), Error> {
    let Ok(value) = parse(text) else { return Ok(()) };
    let failures = explain(T::shape(), &value);
    if failures.is_empty() {
        return Ok(());
    }
    Err(Error::unfit_answer(
        context.route().unwrap_or_default(),
        T::NAME,
        failures,
    ))
}

/// Any error as its answer.
pub(super) fn of_error(context: &Context, error: &Error) -> axum::response::Response {
    error.log(context);
    drop_description_of_body(&mut context.answer_headers());
    let text = error.body(context);
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
    let own = std::mem::take(&mut *context.answer_headers());
    if !own.is_empty() {
        headers.extend(own);
    }
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

#[cfg(test)]
mod tests {
    use axum::http::{HeaderValue, Request, StatusCode};
    use http_body_util::BodyExt as _;
    use serde_json::json;

    use super::of_error;
    use crate::{Context, Error};

    fn context(header: HeaderValue) -> Context {
        let request = Request::builder().header("x-own", header);
        Context::new(request.body(()).unwrap().into_parts().0, None)
    }

    #[tokio::test]
    async fn numbers_in_errors_are_written_as_javascript_does() {
        let details = json!({ "values": [2.0, -0.0, 1e21, 0.5, 7] });
        let error = Error::new(StatusCode::CONFLICT, "TAKEN", "Taken").with_details(details);
        let answer = of_error(&context(HeaderValue::from_static("")), &error);
        let text = answer.into_body().collect().await.unwrap().to_bytes();
        let text = std::str::from_utf8(&text).unwrap();
        assert!(text.contains(r#"{"values":[2,0,1e+21,0.5,7]}"#), "{text}");
    }

    #[test]
    fn bytes_of_headers_are_latin1() {
        let context = context(HeaderValue::from_bytes(b"\xe4\xff").unwrap());
        assert_eq!(context.header("x-own").as_deref(), Some("\u{e4}\u{ff}"));
    }
}
