//! Response of a call.

use std::borrow::Cow;

use kit_runtime::Contract;
use kit_runtime::coerce::coerce_headers;
use kit_runtime::json::from_json;
use reqwest::Response;
use reqwest::header::HeaderMap;

use crate::json::read;
use crate::{Error, EventStream, LineStream, ReadEvent};

/// Response of a call that is no error.
#[derive(Debug)]
pub struct Answer(Response);

impl Answer {
    pub(crate) fn new(response: Response) -> Self {
        Self(response)
    }

    /// Returns the status.
    pub fn status(&self) -> u16 {
        self.0.status().as_u16()
    }

    /// Returns the response of `reqwest`, for a route whose contract does not declare the content.
    pub fn into_inner(self) -> Response {
        self.0
    }

    /// Returns the headers that the contract declares.
    ///
    /// # Errors
    ///
    /// If a header is missing or does not fit its type.
    pub fn headers<T: Contract, E>(&self) -> Result<T, Error<E>> {
        let found = coerce_headers(T::shape(), |name| joined(self.0.headers(), name));
        from_json(&found).map_err(|error| Error::Response(format!("the headers are no {}: {error}", T::NAME)))
    }

    /// Returns the body in JSON.
    ///
    /// # Errors
    ///
    /// If the body does not arrive, or does not fit the type.
    pub async fn json<T: Contract, E>(self) -> Result<T, Error<E>> {
        read(&self.0.text().await?)
    }

    /// Returns the body as text.
    ///
    /// # Errors
    ///
    /// If the body does not arrive.
    pub async fn text<E>(self) -> Result<String, Error<E>> {
        Ok(self.0.text().await?)
    }

    /// Returns the bytes of the body.
    ///
    /// # Errors
    ///
    /// If the body does not arrive.
    pub async fn bytes<E>(self) -> Result<kit_runtime::BodyBytes, Error<E>> {
        Ok(self.0.bytes().await?)
    }

    /// Returns the lines of the body, which arrive one after the other.
    pub fn lines<T: Contract>(self) -> LineStream<T> {
        LineStream::new(self.0)
    }

    /// Returns the events of the body, which arrive one after the other.
    pub fn events<T: ReadEvent>(self) -> EventStream<T> {
        EventStream::new(self.0)
    }

    /// Returns the error for a status that the contract does not declare.
    pub fn undeclared<E>(&self) -> Error<E> {
        Error::Response(format!(
            "the contract does not declare the status {}",
            self.status()
        ))
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
