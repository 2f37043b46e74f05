//! A request on its way through its route.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Bytes;
use axum::http::{HeaderMap, Method};

use super::source::Slot;
use super::texts::{read_params, read_query};
use super::unstorable::find_unstorable;
use super::{Context, Error, Phase, body, ignored};
use crate::check::{Failure, Rule, explain, explain_briefly};
use crate::coerce::{coerce_params, coerce_query};
use crate::json::{Json, from_json};
use crate::shape::Shape;
use crate::{Contract, is_development};

/// A request that a route answers. Middleware sees it before its parts are looked at.
#[derive(Debug)]
pub struct Request {
    pub(super) context: Context,
    pub(super) names: &'static [&'static str],
    /// Path parameters in the order of the path, percent-decoded.
    pub(super) values: Vec<String>,
    pub(super) body: Bytes,
    /// Whether path or query have the one percent-escape that stands for what no database keeps.
    pub(super) has_nul: bool,
    /// Whether the keys of the query were looked at, to warn of those that the contract does not declare.
    pub(super) has_query_keys: AtomicBool,
    /// Whether the contract has a body.
    pub(super) has_body: AtomicBool,
}

/// What runs before a handler: it lets a request pass and says what the handler gets of it, or refuses it.
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
    /// Its name, which stands in errors and logs.
    const NAME: &'static str;

    /// Looks at a request.
    fn run(app: &A, request: &Request) -> impl Future<Output = Result<Self, Error>> + Send;
}

impl Request {
    /// What is known of it; for the handler and for what it calls.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// A header as text; values of one that is repeated are joined by `, `.
    pub fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        self.context.header(name)
    }

    /// All its headers.
    pub fn headers(&self) -> &HeaderMap {
        self.context.headers()
    }

    /// Runs a middleware.
    pub async fn middleware<A, M: Middleware<A>>(&self, app: &A) -> Result<M, Error> {
        self.context.enter(Phase::Middleware(M::NAME));
        M::run(app, self).await
    }

    /// The path parameters.
    pub fn params<T: Contract>(&self) -> Result<T, Error> {
        self.context.enter_validation(Phase::Params);
        if let Some(params) = read_params(self.names, &self.values).filter(|_| !self.has_nul) {
            return Ok(params);
        }
        let value = coerce_params(T::shape(), self.names, &self.values);
        decode(Slot::Params, &value, self.has_nul)
    }

    /// The query.
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

    /// The body.
    pub fn body<T: Contract>(&self) -> Result<T, Error> {
        self.warn_of_query(None);
        self.context.enter_validation(Phase::Body);
        self.has_body.store(true, Ordering::Relaxed);
        if let Some(body) = body::read_valid(self.headers(), &self.body) {
            return Ok(body);
        }
        let (value, has_escapes) = body::read_json(self.headers(), &self.body, T::NAME)?;
        decode(Slot::Body, &value, has_escapes)
    }

    /// What the handler gets of it beside its parts: from here on the handler works.
    ///
    /// # Errors
    ///
    /// 400 if GET or HEAD comes with a body that the contract does not have. Such a request has no meaning (RFC 9110, 9.3.1), and
    /// intermediaries disagree about it.
    pub fn into_context(self) -> Result<Context, Error> {
        self.warn_of_query(None);
        if !self.body.is_empty() && !self.has_body.load(Ordering::Relaxed) {
            self.context.enter_validation(Phase::Body);
            self.refuse_body()?;
        }
        if self.context.trace().is_kept() {
            self.context.enter_validation(Phase::Body);
        }
        self.context.enter(Phase::Handler);
        Ok(self.context)
    }

    /// Warns, in development, of keys of the query that the contract does not declare.
    fn warn_of_query(&self, shape: Option<&'static Shape>) {
        let query = self.context.query();
        if query.is_empty() || !is_development() || self.has_query_keys.swap(true, Ordering::Relaxed) {
            return;
        }
        self.context.enter_validation(Phase::Query);
        ignored::warn_of_query(self.context.route().unwrap_or_default(), shape, query);
    }

    /// Refuses a body that the contract does not have, or warns of it in development.
    fn refuse_body(&self) -> Result<(), Error> {
        let method = self.context.method();
        if !matches!(*method, Method::GET | Method::HEAD) {
            if is_development() {
                ignored::warn_of_body(self.context.route().unwrap_or_default());
            }
            return Ok(());
        }
        let length = self.body.len();
        let noun = if length == 1 { "byte" } else { "bytes" };
        let failure = Failure {
            path: "$".to_owned(),
            expected: "no body".to_owned(),
            received: format!("a body of {length} {noun}"),
            value: None,
            rule: Rule::Unknown,
            limit: None,
            suggestion: Some(format!("Send {method} without a body")),
        };
        Err(Error::invalid(Slot::Body, "void", vec![failure]))
    }
}

/// The value of a part of a request that fits its type.
fn decode<T: Contract>(slot: Slot, value: &Json, is_suspicious: bool) -> Result<T, Error> {
    // What only developers are told takes time to find.
    let failures = if is_development() {
        explain(T::shape(), value)
    } else {
        explain_briefly(T::shape(), value)
    };
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
