//! Entity tags and conditional requests (RFC 9110, 13). The counterpart for Node is
//! `packages/core/src/edge/conditional.ts`; both pass `conformance/conditional.json`.

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use kit_static::{CurrentVersion, Outcome, evaluate};

use super::header_text::text_of;
use super::refusals::precondition_failed;
use super::reply::Streamed;
use super::representation::{remove_description, tag_of};
use super::{Context, Error};

/// Rules for entity tags. `kit build` generates the value from the option `etag` of `createApp`.
///
/// ```
/// use kit_runtime::{Application, Etag, Routes};
///
/// fn with_tags<A: Application>(routes: Routes<A>, only_own: bool) -> Routes<A> {
///     let rules = Etag::new();
///     routes.etag(if only_own { rules.own_tags_only() } else { rules })
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Etag {
    generate: bool,
}

impl Default for Etag {
    fn default() -> Self {
        Self::new()
    }
}

impl Etag {
    /// Adds a weak entity tag, made from the bytes of the body, to responses to GET and HEAD with the status
    /// 200. Responses that have a tag already, and streams, stay unchanged.
    pub const fn new() -> Self {
        Self { generate: true }
    }

    /// Uses only the tags that handlers set.
    #[must_use]
    pub const fn own_tags_only(mut self) -> Self {
        self.generate = false;
        self
    }

    /// Adds the entity tag to a response. If the client has the same body already, responds with 304.
    ///
    /// # Errors
    ///
    /// 412 if a precondition of the request does not hold.
    pub(super) async fn apply(
        self,
        context: &Context,
        mut response: axum::response::Response,
    ) -> Result<axum::response::Response, Error> {
        let method = context.method();
        if response.status() != StatusCode::OK || !(method == Method::GET || method == Method::HEAD) {
            return Ok(response);
        }
        let is_stream = response.extensions().get::<Streamed>().is_some();
        let has_tag = response.headers().contains_key(header::ETAG);
        if self.generate && !has_tag && !is_stream && is_storable(response.headers()) {
            let (mut parts, body) = response.into_parts();
            // The body is in memory, so nothing is waited for.
            let bytes = to_bytes(body, usize::MAX).await.map_err(Error::from)?;
            if let Ok(tag) = HeaderValue::from_str(&format!("W/{}", tag_of(&bytes))) {
                parts.headers.insert(header::ETAG, tag);
            }
            response = axum::response::Response::from_parts(parts, Body::from(bytes));
        }
        let headers = response.headers();
        let tag = text_of(headers, header::ETAG);
        let last_modified = text_of(headers, header::LAST_MODIFIED);
        let current = CurrentVersion {
            tag: tag.as_deref(),
            last_modified: last_modified.as_deref(),
        };
        match evaluate(method.as_str(), |name| context.header(name), Some(&current)) {
            Outcome::Passed => Ok(response),
            Outcome::NotModified => Ok(not_modified(response)),
            Outcome::Failed => {
                // The error response keeps the headers of the handler that do not describe its body.
                context.answer_headers().extend(response.headers().clone());
                Err(precondition_failed())
            }
        }
    }
}

/// Returns false if no cache may store the response, so that no client could use an entity tag.
fn is_storable(headers: &HeaderMap) -> bool {
    let mut values = headers
        .get_all(header::CACHE_CONTROL)
        .iter()
        .filter_map(|value| value.to_str().ok());
    !values.any(|value| {
        let mut directives = value.split(',').map(str::trim);
        directives.any(|directive| directive.eq_ignore_ascii_case("no-store"))
    })
}

/// Converts a response to a 304 response. Keeps `last-modified` only if the response has no entity tag.
fn not_modified(response: axum::response::Response) -> axum::response::Response {
    let (mut parts, _) = response.into_parts();
    parts.status = StatusCode::NOT_MODIFIED;
    parts.extensions.remove::<Streamed>();
    remove_description(&mut parts.headers);
    if parts.headers.contains_key(header::ETAG) {
        parts.headers.remove(header::LAST_MODIFIED);
    }
    axum::response::Response::from_parts(parts, Body::empty())
}
