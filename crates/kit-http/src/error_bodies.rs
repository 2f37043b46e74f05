//! Bodies of the engine's own error responses, in the same format as the other errors of the application.

use std::sync::Arc;

use http::header::HeaderValue;
use kit_guard::{REJECTIONS, Rejection};

use crate::ResponseError;

/// Error 503 for a request if too many requests already wait for their response.
pub(crate) const OVERLOADED: Rejection = Rejection {
    status: 503,
    code: "SERVICE_UNAVAILABLE",
    message: "too many requests are in progress",
};

/// Error of code that could not create another response (500).
pub(crate) const INTERNAL_ERROR: Rejection = Rejection {
    status: 500,
    code: "INTERNAL_SERVER_ERROR",
    message: "Internal Server Error",
};

/// Format of the error responses that the engine gives by itself. The default is kit's envelope:
/// `{"error":{"code","message","traceId"}}`.
#[derive(Debug, Clone, Default)]
pub struct ErrorBodies(Option<Arc<Custom>>);

#[derive(Debug)]
struct Custom {
    content_type: HeaderValue,
    bodies: Vec<ErrorBody>,
}

/// Body of one error, divided at the positions of the trace id.
#[derive(Debug, Clone)]
pub struct ErrorBody {
    /// Status of the error.
    pub status: u16,
    /// Message of the error.
    pub message: String,
    /// Parts of the body in order.
    pub parts: Vec<BodyPart>,
}

/// Part of an error body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyPart {
    /// Text that does not depend on the request.
    Text(String),
    /// The trace id as 32 hexadecimal digits.
    TraceId,
    /// The trace id in the form of a UUID.
    Uuid,
}

impl ErrorBodies {
    /// Creates a format from the bodies of all errors in [`ErrorBodies::errors`]. An error without a body has the
    /// default format.
    ///
    /// # Errors
    ///
    /// Returns an error if the content type is not a valid header value.
    pub fn new(content_type: &str, bodies: Vec<ErrorBody>) -> Result<Self, ResponseError> {
        let content_type = HeaderValue::from_str(content_type)
            .map_err(|_| ResponseError::HeaderValue("content-type".to_owned()))?;
        Ok(Self(Some(Arc::new(Custom { content_type, bodies }))))
    }

    /// Returns all errors that the engine sends by itself.
    pub fn errors() -> impl Iterator<Item = Rejection> {
        REJECTIONS.iter().copied().chain([OVERLOADED, INTERNAL_ERROR])
    }

    /// Returns the content type and the body of an error.
    pub(crate) fn of(&self, error: Rejection, trace_id: u128) -> (HeaderValue, String) {
        let found = self.0.as_deref().and_then(|custom| {
            let own = |body: &&ErrorBody| body.status == error.status && body.message == error.message;
            Some((&custom.content_type, custom.bodies.iter().find(own)?))
        });
        match found {
            Some((content_type, body)) => (content_type.clone(), body.text(trace_id)),
            None => (
                HeaderValue::from_static("application/json"),
                envelope(error, trace_id),
            ),
        }
    }
}

impl ErrorBody {
    fn text(&self, trace_id: u128) -> String {
        let hex = format!("{trace_id:032x}");
        let parts = self.parts.iter().map(|part| match part {
            BodyPart::Text(text) => text.clone(),
            BodyPart::TraceId => hex.clone(),
            BodyPart::Uuid => [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"),
        });
        parts.collect()
    }
}

/// Formats kit's envelope. Code and message are constants that need no JSON escapes.
fn envelope(Rejection { code, message, .. }: Rejection, trace_id: u128) -> String {
    format!(r#"{{"error":{{"code":"{code}","message":"{message}","traceId":"{trace_id:032x}"}}}}"#)
}

/// Returns a random trace id of W3C Trace Context: 16 bytes, not all zero.
pub(crate) fn trace_id() -> u128 {
    fastrand::u128(1..)
}

#[cfg(test)]
mod tests {
    use super::{BodyPart, ErrorBodies, ErrorBody};
    use crate::Rejection;

    #[test]
    fn writes_the_trace_id_as_digits_and_as_a_uuid() {
        let bodies = vec![ErrorBody {
            status: 408,
            message: Rejection::TIMEOUT.message.to_owned(),
            parts: vec![
                BodyPart::Text("a ".to_owned()),
                BodyPart::TraceId,
                BodyPart::Text(" b ".to_owned()),
                BodyPart::Uuid,
            ],
        }];
        let format = ErrorBodies::new("application/problem+json", bodies).unwrap();
        let (content_type, body) = format.of(Rejection::TIMEOUT, 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c);
        assert_eq!(content_type, "application/problem+json");
        assert_eq!(
            body,
            "a 0af7651916cd43dd8448eb211c80319c b 0af76519-16cd-43dd-8448-eb211c80319c"
        );
    }

    #[test]
    fn uses_the_envelope_if_an_error_has_no_body() {
        let format = ErrorBodies::new("application/problem+json", Vec::new()).unwrap();
        let (content_type, body) = format.of(Rejection::VERSION, 1);
        assert_eq!(content_type, "application/json");
        assert!(
            body.starts_with(r#"{"error":{"code":"HTTP_VERSION_NOT_SUPPORTED""#),
            "{body}"
        );
    }
}
