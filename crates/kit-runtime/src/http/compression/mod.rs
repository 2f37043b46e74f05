//! Compressed responses. The counterpart for Node is `packages/core/src/edge/compression.ts`; both pass
//! `conformance/compression.json`.

mod accept_encoding;
mod body;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use hyper::body::Body as _;

use super::cors::add_vary;
use super::header_text::text_of;
use super::reply::Streamed;
use accept_encoding::choose;
use body::{CompressedBody, compress_now};

/// Maximum number of bytes of a body that is compressed in one step, and sent with its length. A larger body is
/// compressed in parts while it is sent.
const MAX_AT_ONCE: u64 = 32 * 1024;

/// Number of bytes from which a body is compressed by default.
const MIN_BYTES: u64 = 1024;

/// Content types whose bodies become smaller, in addition to `text/*`, `*+json`, `*+text` and `*+xml`. The counterpart
/// for Node is `packages/core/src/edge/compression.ts`. Both lists equal `types` of `conformance/compression.json`.
const TYPES: [&str; 19] = [
    "application/graphql",
    "application/javascript",
    "application/json",
    "application/jsonl",
    "application/rtf",
    "application/sql",
    "application/toml",
    "application/wasm",
    "application/x-javascript",
    "application/x-ndjson",
    "application/x-www-form-urlencoded",
    "application/x-yaml",
    "application/xml",
    "application/yaml",
    "font/otf",
    "font/ttf",
    "image/bmp",
    "image/vnd.microsoft.icon",
    "image/x-icon",
];

/// Headers that describe the exact bytes of a body. A response with such a header is never compressed.
const OF_THE_BYTES: [&str; 6] = [
    "content-digest",
    "content-encoding",
    "content-md5",
    "content-range",
    "digest",
    "repr-digest",
];

/// Content coding (RFC 9110, 8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// Brotli, `br`.
    Brotli,
    /// Gzip.
    Gzip,
}

impl Coding {
    /// Returns the name in the header `content-encoding`.
    const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }
}

/// Rules for compressed responses. `kit build` generates the value from the option `compression` of `createApp`, and
/// validates it.
///
/// ```
/// use kit_runtime::{Coding, Compression};
///
/// let compression = Compression::new().encodings(&[Coding::Gzip]).min_bytes(2048);
/// # let _ = compression;
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Compression {
    encodings: &'static [Coding],
    min_bytes: u64,
}

impl Default for Compression {
    fn default() -> Self {
        Self::new()
    }
}

impl Compression {
    /// Compresses bodies of 1 KiB and more with brotli, or with gzip if the client does not accept brotli.
    pub const fn new() -> Self {
        Self {
            encodings: &[Coding::Brotli, Coding::Gzip],
            min_bytes: MIN_BYTES,
        }
    }

    /// Sets the codings, with the preferred one first.
    #[must_use]
    pub const fn encodings(mut self, encodings: &'static [Coding]) -> Self {
        self.encodings = encodings;
        self
    }

    /// Sets the number of bytes from which a body is compressed.
    #[must_use]
    pub const fn min_bytes(mut self, bytes: u64) -> Self {
        self.min_bytes = bytes;
        self
    }

    /// Compresses the body of a response if its client accepts a coding, and if the body becomes smaller.
    pub(super) fn apply(
        &self,
        method: &Method,
        request: &HeaderMap,
        mut response: axum::response::Response,
    ) -> axum::response::Response {
        let status = response.status();
        if status == StatusCode::NOT_MODIFIED {
            add_vary(response.headers_mut(), "accept-encoding");
            return response;
        }
        let exact = response.body().size_hint().exact();
        // A stream is compressed even if its handler knows the length.
        let length = exact.filter(|_| response.extensions().get::<Streamed>().is_none());
        let has_body = !matches!(
            status,
            StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::PARTIAL_CONTENT
        );
        if length == Some(0) || !has_body || !may_transform(response.headers()) {
            return response;
        }
        let is_worthwhile =
            length.is_none_or(|length| length >= self.min_bytes) && is_compressible(response.headers());
        let accepted = text_of(request, header::ACCEPT_ENCODING);
        let choice = choose(accepted.as_deref(), self.encodings);
        if !is_worthwhile && !choice.is_required {
            return response;
        }
        add_vary(response.headers_mut(), "accept-encoding");
        let Some(coding) = choice.coding else {
            return response;
        };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
        weaken_tag(headers);
        if method == Method::HEAD {
            // The length of the compressed body is not known, and its bytes are not sent.
            return response.map(|body| Body::new(CompressedBody::new(body, coding)));
        }
        match length {
            Some(length) if length <= MAX_AT_ONCE => response.map(|body| compress_now(body, coding)),
            _ => response.map(|body| Body::new(CompressedBody::new(body, coding))),
        }
    }
}

/// Returns false if the headers forbid to change the form of the body (`no-transform`, RFC 9111, 5.2.2.6), or
/// describe its exact bytes.
fn may_transform(headers: &HeaderMap) -> bool {
    if OF_THE_BYTES.iter().any(|name| headers.contains_key(*name)) {
        return false;
    }
    let has = |name, found: &dyn Fn(&str) -> bool| {
        let mut values = headers
            .get_all(name)
            .iter()
            .filter_map(|value| value.to_str().ok());
        values.any(found)
    };
    let forbids = has(header::CACHE_CONTROL, &|value| {
        let mut directives = value.split(',').map(str::trim);
        directives.any(|directive| directive.eq_ignore_ascii_case("no-transform"))
    });
    // A client would ask for ranges of the compressed bytes, but the handler selects them from the others.
    let has_ranges = has(header::ACCEPT_RANGES, &|value| {
        !value.trim().eq_ignore_ascii_case("none")
    });
    !forbids && !has_ranges
}

fn is_compressible(headers: &HeaderMap) -> bool {
    let Some(value) = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
    else {
        return false;
    };
    let essence = value.split_once(';').map_or(value, |(essence, _)| essence);
    let essence = essence.trim().to_ascii_lowercase();
    essence.starts_with("text/")
        || ["+json", "+text", "+xml"]
            .iter()
            .any(|suffix| essence.ends_with(suffix))
        || TYPES.contains(&essence.as_str())
}

/// Makes a strong entity tag weak, because two codings of one body have different bytes (RFC 9110, 8.8.3.3).
fn weaken_tag(headers: &mut HeaderMap) {
    let weak = headers
        .get(header::ETAG)
        .and_then(|value| value.to_str().ok())
        .filter(|tag| tag.starts_with('"'))
        .and_then(|tag| HeaderValue::from_str(&format!("W/{tag}")).ok());
    if let Some(weak) = weak {
        headers.insert(header::ETAG, weak);
    }
}

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    reason = "the cases are in a file of the repository"
)]
mod tests {
    use serde_json::{Value, json};

    use super::TYPES;

    /// Returns the cases of all implementations. Returns `None` in a generated server, which contains these sources, but not the
    /// cases.
    pub(super) fn conformance() -> Option<Value> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/compression.json");
        let text = std::fs::read_to_string(path).ok()?;
        Some(serde_json::from_str(&text).unwrap())
    }

    #[test]
    fn compressible_types_equal_the_list_of_the_conformance_file() {
        if let Some(document) = conformance() {
            assert_eq!(json!(TYPES), document["types"]);
        }
    }
}
