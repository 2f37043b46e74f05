//! The response of a route, and the response for an error.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use serde::Serialize;

use super::{Context, Error, Phase, Reply};
use crate::check::explain;
use crate::json::{parse, to_text};
use crate::{Contract, debug, is_development};

/// A response of a route.
///
/// ```
/// use kit_runtime::{Context, Contract, Error, Reply, Response, StatusCode};
///
/// fn respond<Note: Contract>(context: &Context, note: Option<&Note>, is_text: bool) -> Result<Response, Error> {
///     match note {
///         None => Ok(Response::empty(context, StatusCode::NO_CONTENT)),
///         Some(_) if is_text => Response::reply(context, StatusCode::OK, Reply::text("a note")),
///         Some(note) => Response::json(context, StatusCode::OK, note),
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Response(pub(super) axum::response::Response);

impl Response {
    /// Creates a response with a value as JSON. In development, the value is first checked against its contract.
    ///
    /// # Errors
    ///
    /// 500 if the value has no JSON form, or, in development, if it does not fit its contract.
    pub fn json<T: Contract>(context: &Context, status: StatusCode, value: &T) -> Result<Self, Error> {
        context.enter(Phase::Serialization);
        let text = to_text(value)?;
        if is_development() {
            check::<T>(context, None, &text, "a value that is not a valid")?;
        }
        let status = context.status().unwrap_or(status);
        Ok(Self(with_text(context, status, text)))
    }

    /// Creates a JSON response without a check, for a value whose type no contract declares.
    pub(super) fn value(
        context: &Context,
        status: StatusCode,
        value: &impl Serialize,
    ) -> Result<Self, Error> {
        let text = to_text(value)?;
        Ok(Self(with_text(context, context.status().unwrap_or(status), text)))
    }

    /// Creates the response from a [`Reply`], for a contract that does not declare the content.
    ///
    /// # Errors
    ///
    /// 500 if the content type of the reply is invalid.
    pub fn reply(context: &Context, status: StatusCode, reply: Reply) -> Result<Self, Error> {
        reply.respond(context, status)
    }

    /// Creates a response without a body.
    pub fn empty(context: &Context, status: StatusCode) -> Self {
        let mut response = axum::response::Response::new(Body::empty());
        *response.status_mut() = context.status().unwrap_or(status);
        response
            .headers_mut()
            .extend(std::mem::take(&mut *context.answer_headers()));
        Self(response)
    }
}

/// Checks the JSON of a body or of headers against the type `T`. `found` describes the value in the error: `a
/// value that is not a valid`. `wrapper` is the name of the wrapper that created the response, if a wrapper
/// did.
pub(super) fn check<T: Contract>(
    context: &Context,
    wrapper: Option<&str>,
    text: &str,
    found: &str,
) -> Result<(), Error> {
    let Ok(value) = parse(text) else { return Ok(()) };
    let failures = explain(T::shape(), &value);
    if failures.is_empty() {
        return Ok(());
    }
    let route = context.route().unwrap_or_default();
    let owner = match wrapper {
        Some(name) => format!("The wrapper {name} of {route}"),
        None => format!("The handler of {route}"),
    };
    Err(Error::invalid_response(&owner, found, T::NAME, failures))
}

/// Creates the response for any error, and logs the error.
pub(super) fn of_error(context: &Context, error: &Error) -> axum::response::Response {
    error.log(context);
    debug::failed(context, error);
    drop_description_of_body(&mut context.answer_headers());
    let mut response = match error.written(context) {
        None => with_text(context, error.status(), error.body(context)),
        Some(written) => {
            let status = StatusCode::from_u16(written.status).unwrap_or(error.status());
            with_typed_text(context, status, written.content_type, written.text)
        }
    };
    if let Some((name, value)) = error.header() {
        response.headers_mut().insert(name, value.clone());
    }
    response
}

fn with_text(context: &Context, status: StatusCode, text: String) -> axum::response::Response {
    with_typed_text(
        context,
        status,
        HeaderValue::from_static("application/json"),
        text,
    )
}

fn with_typed_text(
    context: &Context,
    status: StatusCode,
    content_type: HeaderValue,
    text: String,
) -> axum::response::Response {
    let mut response = axum::response::Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type);
    let own = std::mem::take(&mut *context.answer_headers());
    if !own.is_empty() {
        headers.extend(own);
    }
    response
}

/// Removes the headers that describe the body of the handler, such as `content-type` and `etag`, because the error
/// replaces that body.
fn drop_description_of_body(headers: &mut axum::http::HeaderMap) {
    let names: Vec<_> = headers.keys().cloned().collect();
    for name in names {
        let text = name.as_str();
        if text.starts_with("content-")
            || matches!(
                text,
                "accept-ranges" | "cache-control" | "etag" | "expires" | "last-modified"
            )
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
    async fn formats_numbers_in_error_bodies_like_javascript() {
        let details = json!({ "values": [2.0, -0.0, 1e21, 0.5, 7] });
        let error = Error::new(StatusCode::CONFLICT, "TAKEN", "Taken").with_details(details);
        let answer = of_error(&context(HeaderValue::from_static("")), &error);
        let text = answer.into_body().collect().await.unwrap().to_bytes();
        let text = std::str::from_utf8(&text).unwrap();
        assert!(text.contains(r#"{"values":[2,0,1e+21,0.5,7]}"#), "{text}");
    }

    #[test]
    fn decodes_header_bytes_as_latin1() {
        let context = context(HeaderValue::from_bytes(b"\xe4\xff").unwrap());
        assert_eq!(context.header("x-own").as_deref(), Some("\u{e4}\u{ff}"));
    }
}
