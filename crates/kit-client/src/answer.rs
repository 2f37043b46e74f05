//! Response of a call.

use std::borrow::Cow;
use std::time::Instant;

use kit_runtime::Contract;
use kit_runtime::coerce::coerce_headers;
use kit_runtime::json::from_json;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap};

use crate::json::read;
use crate::{Bytes, Error, EventStream, LineStream, ReadEvent};

/// Response of a call that is no error.
#[derive(Debug)]
pub struct Answer {
    pub(crate) response: Response,
    /// Time at which the body must have arrived, unless the caller reads it in parts. `None` if `reqwest` knows the time
    /// itself, or if there is no limit.
    deadline: Option<Instant>,
}

impl Answer {
    pub(crate) fn new(response: Response, deadline: Option<Instant>) -> Self {
        Self { response, deadline }
    }

    /// Returns the status.
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Returns the media type of the body without its parameters, in lower case. Returns an empty text if the response has none.
    pub fn media_type(&self) -> String {
        let text = self.response.headers().get(CONTENT_TYPE);
        let text = text.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let essence = text.split(';').next().unwrap_or_default();
        essence.trim().to_ascii_lowercase()
    }

    /// Returns the response of `reqwest`, for a route whose contract does not declare the content.
    pub fn into_inner(self) -> Response {
        self.response
    }

    /// Returns the headers that the contract declares.
    ///
    /// # Errors
    ///
    /// If a header is missing or does not fit its type.
    pub fn headers<T: Contract, E>(&self) -> Result<T, Error<E>> {
        let found = coerce_headers(T::shape(), |name| joined(self.response.headers(), name));
        from_json(&found).map_err(|error| Error::Response(format!("the headers are no {}: {error}", T::NAME)))
    }

    /// Returns the body in JSON.
    ///
    /// # Errors
    ///
    /// If the body does not arrive, or does not fit the type.
    pub async fn json<T: Contract, E>(self) -> Result<T, Error<E>> {
        read(&self.text::<E>().await?)
    }

    /// Returns the body as text.
    ///
    /// # Errors
    ///
    /// If the body does not arrive.
    pub async fn text<E>(self) -> Result<String, Error<E>> {
        in_time(self.deadline, self.response.text()).await
    }

    /// Returns the bytes of the body.
    ///
    /// # Errors
    ///
    /// If the body does not arrive.
    pub async fn bytes<E>(self) -> Result<Bytes, Error<E>> {
        in_time(self.deadline, self.response.bytes()).await
    }

    /// Returns the lines of the body, which arrive one after the other.
    pub fn lines<T: Contract>(self) -> LineStream<T> {
        LineStream::new(self.response)
    }

    /// Returns the events of the body, which arrive one after the other.
    pub fn events<T: ReadEvent>(self) -> EventStream<T> {
        EventStream::new(self.response)
    }

    /// Returns the error for a media type that the contract does not declare.
    pub fn undeclared_type<E>(&self) -> Error<E> {
        let media_type = self.media_type();
        Error::Response(format!(
            "the contract does not declare the media type `{media_type}`"
        ))
    }

    /// Returns the error for a status that the contract does not declare.
    pub fn undeclared<E>(&self) -> Error<E> {
        Error::Response(format!(
            "the contract does not declare the status {}",
            self.status()
        ))
    }
}

/// Waits for a body. The error is [`Error::Timeout`] if the body has not arrived at its deadline.
pub(crate) async fn in_time<T, E>(
    deadline: Option<Instant>,
    body: impl Future<Output = Result<T, reqwest::Error>>,
) -> Result<T, Error<E>> {
    let Some(deadline) = deadline else {
        return Ok(body.await?);
    };
    match tokio::time::timeout_at(deadline.into(), body).await {
        Ok(body) => Ok(body?),
        Err(_) => Err(Error::Timeout),
    }
}

/// Returns the value of a header. The values of repeated headers are joined by commas. Bytes are read as Latin-1.
fn joined<'h>(headers: &HeaderMap, name: &str) -> Option<Cow<'h, str>> {
    let values: Vec<String> = headers
        .get_all(name)
        .iter()
        .map(|value| value.as_bytes().iter().map(|byte| char::from(*byte)).collect())
        .collect();
    (!values.is_empty()).then(|| Cow::Owned(values.join(", ")))
}
