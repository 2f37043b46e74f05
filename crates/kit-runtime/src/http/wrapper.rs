//! Wrappers: middleware that runs around the rest of a request, and may respond in place of the handler.
//!
//! Headers of the context belong to the code that set them. While a wrapper has the answer of [`Next::run`], that answer
//! has the headers of the wrapped code, and the context has only the headers that the wrapper sets. The rest of the
//! request drops them if the wrapper responds itself, and joins them in all other cases.

use std::fmt;
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use http_body_util::BodyExt as _;

use super::handler_headers::is_free;
use super::joined_headers::join;
use super::reply::Streamed;
use super::{Context, Error, Phase, Request, Response};
use crate::Never;

/// Code that runs around the rest of a request: later middleware, the decoding of the request, and the handler.
///
/// Values of the type are what the wrapper adds to the request. Handlers receive the value, as they receive
/// the value of a [`Middleware`].
///
/// ```
/// use std::time::Instant;
///
/// use kit_runtime::{Error, HeaderName, HeaderValue, Never, Next, Request, Wrapped, Wrapper};
///
/// struct Timed {
///     begun: Instant,
/// }
///
/// impl<A: Sync> Wrapper<A> for Timed {
///     const NAME: &'static str = "timed";
///
///     type Reply = Never;
///
///     async fn run(_app: &A, _request: &Request, next: Next<'_, Self>) -> Result<Wrapped, Error> {
///         let begun = Instant::now();
///         let mut answer = next.run(Self { begun }).await?;
///         let took = format!("app;dur={}", begun.elapsed().as_millis());
///         answer.set_header(HeaderName::from_static("server-timing"), HeaderValue::try_from(took)?);
///         Ok(answer.into())
///     }
/// }
/// ```
///
/// [`Middleware`]: super::Middleware
pub trait Wrapper<A>: Sized + Send {
    /// Name of the wrapper in errors and logs.
    const NAME: &'static str;

    /// Replies that the wrapper declares. kit generates an enum for them. [`Never`] if there are none.
    type Reply: Replies;

    /// Runs around the rest of a request. Returns the answer of `next`, or a reply of its own.
    ///
    /// # Errors
    ///
    /// Returns an error to respond with this error, unless an outer wrapper handles it. May return the error
    /// of `next`.
    fn run(
        app: &A,
        request: &Request,
        next: Next<'_, Self>,
    ) -> impl Future<Output = Result<Wrapped<Self::Reply>, Error>> + Send;
}

/// Replies that a wrapper declares. kit implements this trait for the enums that it generates.
pub trait Replies: Send {
    /// Creates the response.
    ///
    /// # Errors
    ///
    /// 500 if the reply cannot be sent.
    fn respond(self, context: &Context) -> Result<Response, Error>;
}

impl Replies for Never {
    fn respond(self, _context: &Context) -> Result<Response, Error> {
        match self {}
    }
}

/// Result of a wrapper.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // Reason: each request moves the value only twice.
pub enum Wrapped<R = Never> {
    /// Answer of [`Next::run`], which the wrapper may have changed.
    Passed(Passed),
    /// Reply that replaces the answer of [`Next::run`]. Headers and status that the wrapped code has set are
    /// dropped.
    Reply(R),
}

impl<R> From<Passed> for Wrapped<R> {
    fn from(answer: Passed) -> Self {
        Self::Passed(answer)
    }
}

/// Rest of a request. A wrapper may run it once, or not at all.
pub struct Next<'r, W> {
    context: &'r Context,
    headers: Arc<Mutex<Headers>>,
    rest: Box<dyn FnOnce(W) -> Rest<'r> + Send + 'r>,
    name: &'static str,
}

type Rest<'r> = Pin<Box<dyn Future<Output = Result<Response, Error>> + Send + 'r>>;

impl<W> Next<'_, W> {
    /// Runs the rest of the request, with the values that the wrapper adds. Returns the answer, which is not sent yet.
    ///
    /// # Errors
    ///
    /// Returns the error of the wrapped code: of later middleware, of the validation of the request, or of
    /// the handler.
    pub async fn run(self, added: W) -> Result<Passed, Error> {
        let Self {
            context,
            headers,
            rest,
            name,
        } = self;
        let before = context.answer_headers().clone();
        headers_of(&headers).before = Some(before);
        let result = rest(added).await;
        let inner_phase = context.replace_phase(Phase::Middleware(name));
        let own = mem::take(&mut *context.answer_headers());
        headers_of(&headers).is_settled = true;
        match result {
            Ok(Response(mut response)) => {
                let inner = join(mem::take(response.headers_mut()), &own);
                Ok(Passed {
                    response: Some(response),
                    inner,
                    headers,
                    is_stored: false,
                })
            }
            Err(error) => {
                headers_of(&headers).inner = Some(own);
                Err(error.in_phase(inner_phase))
            }
        }
    }
}

#[cfg(feature = "sqlx")]
impl<W> Next<'_, W> {
    /// Replaces the rest of the request by an answer that was stored earlier.
    pub(super) fn replace(self, response: axum::response::Response, inner: HeaderMap) -> Passed {
        Passed {
            response: Some(response),
            inner,
            headers: self.headers,
            is_stored: true,
        }
    }
}

#[cfg(feature = "sqlx")]
impl Passed {
    /// Returns the headers that were set before the wrapper called [`Next::run`].
    pub(super) fn headers_before(&self) -> HeaderMap {
        headers_of(&self.headers).before.clone().unwrap_or_default()
    }
}

impl<W> fmt::Debug for Next<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Answer of the code that a wrapper wraps, before it is sent. The wrapper may change its headers.
///
/// ```
/// use kit_runtime::{Passed, header};
///
/// /// Returns the body of a response that a cache may keep.
/// async fn body_to_keep(answer: &mut Passed) -> Option<Vec<u8>> {
///     answer.remove_header(&header::SERVER);
///     let may_keep = answer.status().is_success() && !answer.headers().contains_key(header::SET_COOKIE);
///     let body = answer.body().await?;
///     may_keep.then(|| body.to_vec())
/// }
/// ```
#[derive(Debug)]
pub struct Passed {
    /// Response without its headers. `None` after the wrapper returned it.
    response: Option<axum::response::Response>,
    inner: HeaderMap,
    headers: Arc<Mutex<Headers>>,
    /// True if the answer was stored earlier, and replaces the rest of the request.
    is_stored: bool,
}

impl Passed {
    /// Returns the status.
    pub fn status(&self) -> StatusCode {
        self.response
            .as_ref()
            .map_or(StatusCode::OK, axum::response::Response::status)
    }

    /// Returns the headers that middleware, the handler and its reply have set.
    pub fn headers(&self) -> &HeaderMap {
        &self.inner
    }

    /// Sets a header in place of all headers with the same name. A value of `set-cookie` is added to the existing
    /// values. Headers of the message framing and of the connection cannot be set: the attempt is logged as a
    /// warning.
    pub fn set_header(&mut self, name: HeaderName, value: HeaderValue) {
        if !is_free(&name) {
            return;
        }
        if name == header::SET_COOKIE {
            self.inner.append(name, value);
        } else {
            self.inner.insert(name, value);
        }
    }

    /// Removes all headers with a name.
    pub fn remove_header(&mut self, name: &HeaderName) {
        self.inner.remove(name);
    }

    /// Returns the bytes of the body, such as the text of its JSON. Returns `None` if the body is a stream.
    pub async fn body(&mut self) -> Option<Bytes> {
        let response = self.response.as_mut()?;
        if response.extensions().get::<Streamed>().is_some() {
            return None;
        }
        // The body is in memory, so it is read without waiting.
        let body = mem::take(response.body_mut()).collect().await.ok()?;
        let bytes = body.to_bytes();
        *response.body_mut() = Body::from(bytes.clone());
        Some(bytes)
    }
}

/// If the wrapper drops the answer, keeps its headers for an error response, which then has the same headers
/// as without a wrapper.
impl Drop for Passed {
    fn drop(&mut self) {
        let inner = mem::take(&mut self.inner);
        headers_of(&self.headers).inner = Some(inner);
    }
}

/// Headers of the response to a wrapped request.
#[derive(Debug, Default)]
struct Headers {
    /// Headers that were set before the wrapper called [`Next::run`]. `None` if the wrapper did not call it.
    before: Option<HeaderMap>,
    /// Headers of the wrapped code, after the wrapper dropped the answer or the wrapped code failed.
    inner: Option<HeaderMap>,
    /// True if the wrapped code has ended.
    is_settled: bool,
}

fn headers_of(headers: &Mutex<Headers>) -> MutexGuard<'_, Headers> {
    headers.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Request {
    /// Runs a wrapper around the rest of the request.
    ///
    /// # Errors
    ///
    /// Returns the error of the wrapper.
    #[doc(hidden)] // Called only by generated code.
    pub async fn wrapper<'r, A, W, F>(
        &'r self,
        app: &'r A,
        rest: impl FnOnce(W) -> F + Send + 'r,
    ) -> Result<Response, Error>
    where
        W: Wrapper<A>,
        F: Future<Output = Result<Response, Error>> + Send + 'r,
    {
        let context = self.context();
        context.enter(Phase::Middleware(W::NAME));
        let headers = Arc::new(Mutex::new(Headers::default()));
        let next = Next {
            context,
            headers: Arc::clone(&headers),
            rest: Box::new(move |added| Box::pin(rest(added))),
            name: W::NAME,
        };
        let result = W::run(app, self, next).await;
        let own = mem::take(&mut *context.answer_headers());
        match result {
            Ok(Wrapped::Passed(mut answer)) => {
                let inner = mem::take(&mut answer.inner);
                let mut response = answer.response.take().unwrap_or_default();
                *response.headers_mut() = if answer.is_stored {
                    context.clear_status();
                    join(own, &inner)
                } else {
                    join(inner, &own)
                };
                Ok(Response(response))
            }
            Ok(Wrapped::Reply(reply)) => {
                let Headers {
                    before, is_settled, ..
                } = mem::take(&mut *headers_of(&headers));
                *context.answer_headers() = match before {
                    None => own,
                    Some(before) if is_settled => join(before, &own),
                    // The wrapped code was stopped, and its headers cannot be told from those of the wrapper.
                    Some(before) => before,
                };
                context.clear_status();
                reply.respond(context)
            }
            Err(error) => {
                let inner = headers_of(&headers).inner.take();
                *context.answer_headers() = match inner {
                    Some(inner) => join(inner, &own),
                    None => own,
                };
                Err(error)
            }
        }
    }
}
