//! Response bodies of text and of bytes.

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, StatusCode, header};

use super::lines::Lines;
use crate::Contract;
use crate::http::{Context, DeclaredReply, Error, Reply, Response};

impl Response {
    /// Creates a response of text with a media type, such as `text/csv`.
    ///
    /// # Errors
    ///
    /// 500 if the media type is invalid, which generated code never has.
    #[doc(hidden)] // Called only by generated code.
    pub fn text(
        context: &Context,
        status: StatusCode,
        media_type: &str,
        text: String,
    ) -> Result<Self, Error> {
        let reply = Reply::text(text).content_type(&in_utf8(media_type));
        Self::reply(context, status, reply)
    }

    /// Creates a response of bytes with a media type, such as `image/png`.
    ///
    /// # Errors
    ///
    /// 500 if the media type is invalid, which generated code never has.
    #[doc(hidden)] // Called only by generated code.
    pub fn bytes(
        context: &Context,
        status: StatusCode,
        media_type: &str,
        bytes: Bytes,
    ) -> Result<Self, Error> {
        Self::reply(context, status, Reply::bytes(bytes).content_type(media_type))
    }
}

impl DeclaredReply<'_> {
    /// Completes the reply with text in a media type, such as `text/csv`.
    ///
    /// # Errors
    ///
    /// 500 if the media type is invalid, which generated code never has.
    #[doc(hidden)] // Called only by generated code.
    pub fn text(self, media_type: &str, text: &str) -> Result<Response, Error> {
        self.content(&in_utf8(media_type), Body::from(text.to_owned()))
    }

    /// Completes the reply with bytes in a media type, such as `image/png`.
    ///
    /// # Errors
    ///
    /// 500 if the media type is invalid, which generated code never has.
    #[doc(hidden)] // Called only by generated code.
    pub fn bytes(self, media_type: &str, bytes: &Bytes) -> Result<Response, Error> {
        self.content(media_type, Body::from(bytes.clone()))
    }

    /// Completes the reply with JSON Lines.
    ///
    /// # Errors
    ///
    /// The same as of [`Response::reply`].
    #[doc(hidden)] // Called only by generated code.
    pub fn lines<T: Contract + 'static>(self, lines: Lines<T>) -> Result<Response, Error> {
        let Response(response) = Response::lines(self.context, self.status, lines)?;
        Ok(self.complete(response))
    }

    fn content(self, content_type: &str, body: Body) -> Result<Response, Error> {
        let mut response = axum::response::Response::new(body);
        let content_type = HeaderValue::from_str(content_type)?;
        response.headers_mut().insert(header::CONTENT_TYPE, content_type);
        Ok(self.complete(response))
    }
}

fn in_utf8(media_type: &str) -> String {
    format!("{media_type}; charset=utf-8")
}
