//! Bodies that have one of several formats: the content type of a request and the header `accept` choose the format.

use std::fmt;
use std::pin::Pin;

use axum::http::{StatusCode, header};
use serde_json::{Value, json};

use crate::accept;
use crate::check::{Failure, Rule};
use crate::http::body::is_json_essence;
use crate::http::header_text::text_of;
use crate::http::source::Slot;
use crate::http::{Context, Error, Phase, Request};
use crate::media_type::{MediaType, is_in_ranges};

use super::request::unsupported;

type Produced<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

/// Body of a response in one of the formats of its contract. kit calls the function of the format that the client prefers,
/// and drops the other functions.
///
/// ```
/// use kit_runtime::{Choice, Content};
///
/// let rows = vec!["a", "b"];
/// let csv: Choice<Content<String>> = Choice::new(async move || Ok(rows.join("\n")));
/// # drop(csv);
/// ```
pub struct Choice<T> {
    produce: Box<dyn FnOnce() -> Produced<T> + Send>,
}

impl<T> Choice<T> {
    /// Creates a body from a function that returns it.
    pub fn new<W, F, I>(produce: W) -> Self
    where
        W: FnOnce() -> F + Send + 'static,
        F: Future<Output = Result<I, Error>> + Send + 'static,
        I: Into<T>,
    {
        Self {
            produce: Box::new(move || {
                let work = produce();
                Box::pin(async move { work.await.map(Into::into) })
            }),
        }
    }

    /// Calls the function.
    ///
    /// # Errors
    ///
    /// Returns the error of the function.
    #[doc(hidden)] // Called only by generated code.
    pub async fn produce(self) -> Result<T, Error> {
        (self.produce)().await
    }
}

impl<T> fmt::Debug for Choice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Choice").finish_non_exhaustive()
    }
}

impl Context {
    /// Returns the index of the media type that the client prefers. Returns 0 if the client accepts none of them: the route
    /// refuses such requests before its handler runs, unless another reply of the contract is acceptable.
    #[doc(hidden)] // Called only by generated code.
    pub fn preferred(&self, media_types: &[&str]) -> usize {
        accept::preferred(self.header("accept").as_deref(), media_types).unwrap_or(0)
    }
}

impl Request {
    /// Checks that the client accepts a media type of a response of the contract.
    ///
    /// # Errors
    ///
    /// 406 if the client accepts none.
    #[doc(hidden)] // Called only by generated code.
    pub fn negotiate(&self, media_types: &[&str]) -> Result<(), Error> {
        self.warn_of_query(None);
        self.context.enter_validation(Phase::Headers);
        if accept::preferred(self.header("accept").as_deref(), media_types).is_some() {
            return Ok(());
        }
        let mut names: Vec<&str> = Vec::new();
        for media_type in media_types {
            let name = media_type.split(';').next().unwrap_or_default();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let message = format!(
            "The request accepts none of the media types of the response: {}",
            names.join(", ")
        );
        let error = Error::new(StatusCode::NOT_ACCEPTABLE, "NOT_ACCEPTABLE", message);
        Err(error.with_details(json!({ "mediaTypes": names })))
    }

    /// Returns the index of the format that the content type of the request chooses, and the media type without parameters.
    /// `formats` has the media types or ranges of each format, and `json` is the index of JSON, which has many names. A format
    /// that names the media type comes before JSON.
    ///
    /// # Errors
    ///
    /// 415 if no format has the content type, 400 `VALIDATION_ERROR` if the request has neither a content type nor a body.
    #[doc(hidden)] // Called only by generated code.
    pub fn format(&self, formats: &[&[&str]], json: Option<usize>) -> Result<(usize, String), Error> {
        self.begin_body();
        let header = text_of(self.headers(), header::CONTENT_TYPE);
        let media_type = header.as_deref().and_then(MediaType::parse);
        if let Some(MediaType { essence, .. }) = &media_type {
            let named = formats.iter().position(|types| is_in_ranges(essence, types));
            if let Some(index) = named.or(json.filter(|_| is_json_essence(essence))) {
                return Ok((index, essence.clone()));
            }
        }
        let types = formats.concat().join(" or ");
        if header.is_none() && self.body.is_empty() {
            let failure = Failure {
                path: "$".to_owned(),
                suggestion: Some(format!("Send a body with the header `content-type`: {types}")),
                expected: types.into(),
                received: "nothing".to_owned(),
                value: Some(Value::Null),
                rule: Rule::Required,
                limit: None,
            };
            return Err(Error::invalid(Slot::Body, "oneof", vec![failure]));
        }
        let found = match (header, media_type) {
            (None, _) => "The request has no content type",
            (Some(_), None) => "The request's content type is not a media type",
            (Some(_), Some(_)) => "The request has another content type",
        };
        Err(unsupported(format!("{found}; send {types}")))
    }
}
