//! Answers that a wrapper stores and sends again, and fingerprints of requests. Both have the form that `@kit/core` gives
//! them, so that a Node server and a Rust server can share a store.

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use sha2_v10::{Digest as _, Sha256};

use super::wrapper::{Next, Passed};
use super::{Error, Request};
use crate::bytes::hex;
use crate::check::{Failure, Rule};
use crate::http::source::Slot;

/// Answer in the form in which it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredAnswer {
    pub(crate) status: StatusCode,
    /// Content type. `None` if there is no body.
    pub(crate) content_type: Option<HeaderValue>,
    /// Other headers, which the wrapped code has set.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// Body. `None` if there is none.
    pub(crate) body: Option<Bytes>,
}

impl Passed {
    /// Returns the answer in the form in which it is sent, with the headers of the wrapped code.
    ///
    /// # Errors
    ///
    /// 500 if the body is a stream or a WebSocket.
    pub(crate) async fn store(&mut self) -> Result<StoredAnswer, Error> {
        let status = self.status();
        let has_body = !matches!(
            status,
            StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::NOT_MODIFIED
        );
        let body = match self.body().await {
            Some(body) if status != StatusCode::SWITCHING_PROTOCOLS => body,
            _ => {
                return Err(Error::internal(
                    "A stream or a WebSocket cannot be stored and sent again",
                ));
            }
        };
        let before = self.headers_before();
        let is_new =
            |name: &HeaderName, value: &HeaderValue| before.get_all(name).iter().all(|known| known != value);
        let content_type = self.headers().get(header::CONTENT_TYPE).cloned();
        let is_sent = has_body && (content_type.is_some() || !body.is_empty());
        Ok(StoredAnswer {
            status,
            content_type: content_type.filter(|_| is_sent),
            headers: self
                .headers()
                .iter()
                .filter(|(name, value)| **name != header::CONTENT_TYPE && is_new(name, value))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            body: is_sent.then_some(body),
        })
    }
}

impl<W> Next<'_, W> {
    /// Creates an answer from a stored one, in place of the rest of the request.
    pub(crate) fn send_stored(self, stored: StoredAnswer) -> Passed {
        let StoredAnswer {
            status,
            content_type,
            headers,
            body,
        } = stored;
        let mut response = axum::response::Response::new(body.map_or_else(Body::empty, Body::from));
        *response.status_mut() = status;
        let typed = content_type.map(|content_type| (header::CONTENT_TYPE, content_type));
        self.replace(response, typed.into_iter().chain(headers).collect())
    }
}

impl Request {
    /// Returns a SHA-256 hash of the request in hexadecimal digits: of its method, path, query, content type and body.
    ///
    /// # Errors
    ///
    /// 500 if the handler reads the body while the body arrives.
    pub(crate) fn fingerprint(&self) -> Result<String, Error> {
        let context = self.context();
        let path = context.path();
        let target = match context.query_of_target() {
            Some(query) => format!("{path}?{query}"),
            None => path.to_owned(),
        };
        let content_type = self.header("content-type").unwrap_or_default();
        let mut hash = Sha256::new();
        for text in [context.method().as_str(), &target, &content_type] {
            hash.update(serde_json::to_string(text)?);
            hash.update("\n");
        }
        hash.update(self.body.whole()?);
        Ok(hex(&hash.finalize()))
    }
}

impl Error {
    /// Creates the error for a header that a wrapper refuses: 400 `VALIDATION_ERROR`, as if the contract declared the
    /// header. `expected` says in words which values are accepted.
    pub(crate) fn invalid_header(name: &str, expected: &str, is_present: bool) -> Self {
        let (received, rule) = if is_present {
            ("another text", Rule::Pattern)
        } else {
            ("nothing", Rule::Required)
        };
        let failure = Failure {
            path: format!("$[{name:?}]"),
            expected: expected.to_owned().into(),
            received: received.to_owned(),
            value: None,
            rule,
            limit: None,
            suggestion: Some(format!("Send the header `{name}` with {expected}")),
        };
        Self::invalid(Slot::Headers, "headers", vec![failure])
    }
}
