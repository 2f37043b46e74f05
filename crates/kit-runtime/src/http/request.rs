//! A request from the choice of its route to the call of its handler.

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::{HeaderMap, Method};

use super::bodies::chunks::RequestBody;
use super::direct_input::{read_params, read_query};
use super::source::Slot;
use super::unstorable::find_unstorable;
use super::{Context, Error, Phase, Segment, body, ignored_input};
use crate::check::{Failure, Rule, Secrets, explain_without};
use crate::coerce::{coerce_cookies, coerce_headers, coerce_params, coerce_query};
use crate::json::{Json, from_json, read_valid};
use crate::shape::Shape;
use crate::{Contract, is_development};

/// A request that matched a route. Middleware receives it before the slots of its contract are decoded.
///
/// ```
/// use kit_runtime::{Contract, Error, Middleware, Request, Response, StatusCode};
///
/// /// Has the form of the functions that kit generates for routes.
/// async fn put_note<A, User, Params, Query, Head, Cookies, Note>(app: A, request: Request) -> Result<Response, Error>
/// where
///     User: Middleware<A>,
///     Params: Contract,
///     Query: Contract,
///     Head: Contract,
///     Cookies: Contract,
///     Note: Contract,
/// {
///     let _user: User = request.middleware(&app).await?;
///     let _params: Params = request.params()?;
///     let _query: Query = request.query()?;
///     let _head: Head = request.declared_headers()?;
///     let _cookies: Cookies = request.declared_cookies()?;
///     let note: Note = request.body()?;
///     let context = request.into_context()?;
///     Response::json(&context, StatusCode::OK, &note)
/// }
/// ```
pub struct Request {
    pub(super) context: Context,
    /// Segments of the route's path.
    pub(super) segments: &'static [Segment],
    /// Values of the path parameters in the order of the path, percent-decoded.
    pub(super) values: Vec<String>,
    pub(super) body: RequestBody,
    /// True if the path or query contains `%00`, the only percent-escape for a character that databases cannot store.
    pub(super) has_nul: bool,
    /// True if the query keys were already searched for keys that the contract does not declare.
    pub(super) has_query_keys: AtomicBool,
    /// True if the body was decoded. A body that was not decoded is not declared by the contract.
    pub(super) has_body: AtomicBool,
}

/// Code that runs before a handler. It returns a value for the handler, or rejects the request with an error.
///
/// ```
/// use kit_runtime::{Context, Error, Middleware, Request};
///
/// struct Locale(String);
///
/// impl<A: Sync> Middleware<A> for Locale {
///     const NAME: &'static str = "locale";
///
///     async fn run(_app: &A, request: &Request) -> Result<Self, Error> {
///         let header = request.header("accept-language");
///         Ok(Self(header.map_or_else(|| "en".to_owned(), |value| value.into_owned())))
///     }
/// }
/// ```
pub trait Middleware<A>: Sized + Send {
    /// Name of the middleware in errors and logs.
    const NAME: &'static str;

    /// Processes a request.
    ///
    /// # Errors
    ///
    /// An error rejects the request and becomes its response.
    fn run(app: &A, request: &Request) -> impl Future<Output = Result<Self, Error>> + Send;
}

impl Request {
    /// Returns the context of the request, for the handler and the code that it calls.
    ///
    /// ```
    /// use kit_runtime::Request;
    ///
    /// fn route(request: &Request) -> &'static str {
    ///     request.context().route().unwrap_or_default()
    /// }
    /// ```
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns a header as a string, or `None` if it is absent. The values of a repeated header are joined by `, `.
    pub fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        self.context.header(name)
    }

    /// Returns all headers.
    ///
    /// ```
    /// use kit_runtime::{Request, header};
    ///
    /// fn has_credentials(request: &Request) -> bool {
    ///     request.headers().contains_key(header::AUTHORIZATION)
    /// }
    /// ```
    pub fn headers(&self) -> &HeaderMap {
        self.context.headers()
    }

    /// Runs a middleware.
    ///
    /// # Errors
    ///
    /// Returns the error of the middleware.
    pub async fn middleware<A, M: Middleware<A>>(&self, app: &A) -> Result<M, Error> {
        self.context.enter(Phase::Middleware(M::NAME));
        M::run(app, self).await
    }

    /// Decodes the path parameters.
    ///
    /// # Errors
    ///
    /// 400 `VALIDATION_ERROR` if they do not fit the type.
    pub fn params<T: Contract>(&self) -> Result<T, Error> {
        self.context.enter_validation(Phase::Params);
        let names = || self.segments.iter().filter_map(Segment::name);
        if let Some(params) = read_params(names(), &self.values).filter(|_| !self.has_nul) {
            return Ok(params);
        }
        let names: Vec<_> = names().collect();
        let value = coerce_params(T::shape(), &names, &self.values);
        decode(Slot::Params, &value, self.has_nul)
    }

    /// Decodes the query.
    ///
    /// # Errors
    ///
    /// 400 `VALIDATION_ERROR` if it does not fit the type.
    pub fn query<T: Contract>(&self) -> Result<T, Error> {
        self.context.enter_validation(Phase::Query);
        self.warn_of_query(Some(T::shape()));
        let text = self.context.query();
        if let Some(query) = read_query(text).filter(|_| !self.has_nul) {
            return Ok(query);
        }
        let value = coerce_query(T::shape(), text);
        decode(Slot::Query, &value, self.has_nul)
    }

    /// Decodes the headers that the contract declares. Errors do not show the value of `authorization`.
    ///
    /// # Errors
    ///
    /// 400 `VALIDATION_ERROR` if they do not fit the type.
    pub fn declared_headers<T: Contract>(&self) -> Result<T, Error> {
        self.warn_of_query(None);
        self.context.enter_validation(Phase::Headers);
        let value = coerce_headers(T::shape(), |name| self.header(name));
        decode(Slot::Headers, &value, false)
    }

    /// Decodes the cookies that the contract declares. Errors do not show their values.
    ///
    /// # Errors
    ///
    /// 400 `VALIDATION_ERROR` if they do not fit the type.
    pub fn declared_cookies<T: Contract>(&self) -> Result<T, Error> {
        self.warn_of_query(None);
        self.context.enter_validation(Phase::Cookies);
        let header = self.header("cookie");
        let value = coerce_cookies(T::shape(), header.as_deref());
        let has_nul = header.is_some_and(|header| header.contains("%00"));
        decode(Slot::Cookies, &value, has_nul)
    }

    /// Decodes the JSON body.
    ///
    /// # Errors
    ///
    /// 400 `VALIDATION_ERROR` if the body does not fit the type, 415 if its content type or encoding is not supported.
    pub fn body<T: Contract>(&self) -> Result<T, Error> {
        self.warn_of_query(None);
        self.context.enter_validation(Phase::Body);
        self.has_body.store(true, Ordering::Relaxed);
        let bytes = self.body.whole()?;
        let text = body::json_text(self.headers(), bytes);
        // A body that is not valid in every respect is read again, to find its failures.
        if let Some(body) = text.and_then(read_valid) {
            return Ok(body);
        }
        // Suggestions are only for developers, and need the whole value.
        let failures = if is_development() {
            None
        } else {
            text.and_then(body::failures::<T>)
        };
        if let Some(failures) = failures {
            return Err(Error::invalid(Slot::Body, T::NAME, failures));
        }
        let (value, has_escapes) = body::read_json(self.headers(), bytes, T::NAME)?;
        decode(Slot::Body, &value, has_escapes)
    }

    /// Returns the context for the handler. Call this function after all slots are decoded, because the
    /// handler phase begins here.
    ///
    /// # Errors
    ///
    /// 400 if a GET or HEAD request has a body that the contract does not declare. Such a body has no defined meaning
    /// (RFC 9110, 9.3.1), and proxies treat it in different ways.
    pub fn into_context(self) -> Result<Context, Error> {
        self.begin_handler()?;
        Ok(self.context)
    }

    /// Returns the context for the handler of a route with wrappers, which still need the request. Call this
    /// function after all slots are decoded, because the handler phase begins here.
    ///
    /// # Errors
    ///
    /// The same as of [`Self::into_context`].
    #[doc(hidden)] // Called only by generated code.
    pub fn handler_context(&self) -> Result<Context, Error> {
        self.begin_handler()?;
        Ok(self.context.clone())
    }

    fn begin_handler(&self) -> Result<(), Error> {
        self.warn_of_query(None);
        if !self.body.is_empty() && !self.has_body.load(Ordering::Relaxed) {
            self.context.enter_validation(Phase::Body);
            self.refuse_body()?;
        }
        if self.context.trace().is_kept() {
            self.context.enter_validation(Phase::Body);
        }
        self.context.enter(Phase::Handler);
        Ok(())
    }

    /// In development, logs warnings for query keys that the contract does not declare.
    pub(super) fn warn_of_query(&self, shape: Option<&'static Shape>) {
        let query = self.context.query();
        if query.is_empty() || !is_development() || self.has_query_keys.swap(true, Ordering::Relaxed) {
            return;
        }
        self.context.enter_validation(Phase::Query);
        ignored_input::warn_of_query(self.context.route().unwrap_or_default(), shape, query);
    }

    /// Rejects a body of GET or HEAD that the contract does not declare. For other methods, logs a warning in
    /// development.
    fn refuse_body(&self) -> Result<(), Error> {
        let method = self.context.method();
        if !matches!(*method, Method::GET | Method::HEAD) {
            if is_development() {
                ignored_input::warn_of_body(self.context.route().unwrap_or_default());
            }
            return Ok(());
        }
        let length = self.body.whole()?.len();
        let noun = if length == 1 { "byte" } else { "bytes" };
        let failure = Failure {
            path: "$".to_owned(),
            expected: "no body".into(),
            received: format!("a body of {length} {noun}"),
            value: None,
            rule: Rule::Unknown,
            limit: None,
            suggestion: Some(format!("Send {method} without a body")),
        };
        Err(Error::invalid(Slot::Body, "void", vec![failure]))
    }
}

/// Contains no values of parameters and no body, because these may be hidden in the log.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}

/// Decodes a slot of the request into its type. Reports all failures if the value does not fit. If
/// `is_suspicious` is true, strings are also checked for characters that databases cannot store.
pub(super) fn decode<T: Contract>(slot: Slot, value: &Json, is_suspicious: bool) -> Result<T, Error> {
    let secrets = match slot {
        Slot::Cookies => Secrets::All,
        Slot::Headers => Secrets::Property("authorization"),
        _ => Secrets::None,
    };
    // Suggestions are only for developers and take time to find.
    let failures = explain_without(secrets, T::shape(), value, !is_development());
    if !failures.is_empty() {
        return Err(Error::invalid(slot, T::NAME, failures));
    }
    let decoded: T = from_json(value)?;
    let unstorable = if is_suspicious {
        find_unstorable(&decoded)
    } else {
        None
    };
    match unstorable {
        Some(failure) => Err(Error::invalid(slot, T::NAME, vec![failure])),
        None => Ok(decoded),
    }
}
