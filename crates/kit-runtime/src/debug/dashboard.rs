//! Files of the dashboard.

use std::collections::HashMap;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, Method, Response, StatusCode, header};
use kit_static::accepts_gzip;
use sha2_v10::{Digest as _, Sha256};

use crate::bytes;
use crate::http::header_text;

/// Allows only scripts, styles and requests of the page's own origin. Forbids frames and HTML from texts (Trusted Types).
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// File of the dashboard, compressed with gzip.
#[derive(Debug)]
struct File {
    bytes: Bytes,
    tag: String,
}

/// Files of the dashboard by their path.
#[derive(Debug)]
pub(super) struct Dashboard(HashMap<String, File>);

/// Returns true if a request is for the dashboard's page or one of its files. These requests need no key, because the files
/// contain no data of the application and are the same everywhere. The page itself asks the user for the key.
pub(super) fn is_for_file(method: &Method, path: &str, query: &str, accept: &str) -> bool {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return false;
    }
    let is_page = || {
        let mut ranges = accept
            .split(',')
            .map(|range| range.split(';').next().unwrap_or_default());
        ranges.any(|range| range.trim().eq_ignore_ascii_case("text/html"))
            && !query.split('&').any(|pair| pair == "format=json")
    };
    path.starts_with("/assets/") || (path == "/" && is_page())
}

impl Dashboard {
    /// Reads the files from a JSON object that has each file by its path, as base64.
    pub(super) fn new(files: &str) -> Self {
        let files: HashMap<String, String> = serde_json::from_str(files).unwrap_or_default();
        let files = files.into_iter().filter_map(|(path, text)| {
            let bytes = bytes::decode(&text)?;
            let digest = Sha256::digest(&bytes);
            let tag = format!("W/\"{}\"", bytes::hex(digest.get(..8).unwrap_or_default()));
            let bytes = Bytes::from(bytes);
            Some((path, File { bytes, tag }))
        });
        Self(files.collect())
    }

    /// Returns the response to a request for which [`is_for_file`] is true.
    pub(super) fn respond(&self, path: &str, request: &HeaderMap) -> Response<Bytes> {
        let name = if path == "/" {
            "index.html"
        } else {
            path.trim_start_matches('/')
        };
        if self.0.is_empty() {
            return plain(
                StatusCode::SERVICE_UNAVAILABLE,
                "This server was built without the dashboard. Install @kit/plugin-debug again, and run `kit build`.\nThe paths with JSON are listed at /?format=json\n",
            );
        }
        let Some(file) = self.0.get(name) else {
            return plain(
                StatusCode::NOT_FOUND,
                "The dashboard does not have this file; reload the page.\n",
            );
        };
        if !accepts_gzip(header_text(request, "accept-encoding").as_deref()) {
            return plain(
                StatusCode::NOT_ACCEPTABLE,
                "The dashboard is sent only to clients that accept gzip.\n",
            );
        }
        let known = header_text(request, "if-none-match").unwrap_or_default();
        let is_known = known.split(',').any(|tag| tag.trim() == file.tag);
        // The names of all files except the page contain a hash of their content, so their content never changes.
        let caching = if path == "/" {
            "no-cache"
        } else {
            "public, max-age=31536000, immutable"
        };
        let mut headers = vec![
            (header::ETAG, file.tag.as_str()),
            (header::VARY, "accept, accept-encoding"),
            (header::CACHE_CONTROL, caching),
        ];
        if is_known {
            return answer(StatusCode::NOT_MODIFIED, &headers, Bytes::new());
        }
        headers.push((header::CONTENT_TYPE, content_type(name)));
        headers.push((header::CONTENT_ENCODING, "gzip"));
        answer(StatusCode::OK, &headers, file.bytes.clone())
    }
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("md") => "text/markdown; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn plain(status: StatusCode, text: &'static str) -> Response<Bytes> {
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    answer(status, &headers, Bytes::from_static(text.as_bytes()))
}

fn answer(status: StatusCode, headers: &[(HeaderName, &str)], body: Bytes) -> Response<Bytes> {
    let common = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in common.iter().chain(headers) {
        if let Ok(value) = value.parse() {
            response.headers_mut().insert(name.clone(), value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};

    use super::{Dashboard, is_for_file};
    use crate::bytes;

    #[test]
    fn is_sent_to_browsers_but_not_to_programs_that_read_json() {
        let html = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";
        assert!(is_for_file(&Method::GET, "/", "", html));
        assert!(is_for_file(&Method::HEAD, "/assets/index.js", "", "*/*"));
        for (method, path, query, accept) in [
            (Method::GET, "/", "", "*/*"),
            (Method::GET, "/", "format=json", html),
            (Method::POST, "/", "", html),
            (Method::GET, "/_debug/health", "", html),
        ] {
            assert!(
                !is_for_file(&method, path, query, accept),
                "{method} {path}?{query}"
            );
        }
    }

    #[test]
    fn files_have_an_entity_tag_and_a_content_type() {
        let files = format!("{{\"index.html\":\"{}\"}}", bytes::encode(b"page"));
        let dashboard = Dashboard::new(&files);
        let mut headers = HeaderMap::new();
        assert_eq!(
            dashboard.respond("/", &headers).status(),
            StatusCode::NOT_ACCEPTABLE
        );
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, br"));
        let page = dashboard.respond("/", &headers);
        assert_eq!(
            (page.status(), page.body().as_ref()),
            (StatusCode::OK, &b"page"[..])
        );
        assert_eq!(page.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
        headers.insert(header::IF_NONE_MATCH, page.headers()[header::ETAG].clone());
        assert_eq!(
            dashboard.respond("/", &headers).status(),
            StatusCode::NOT_MODIFIED
        );
        assert_eq!(
            dashboard.respond("/assets/no.js", &headers).status(),
            StatusCode::NOT_FOUND
        );
        assert_eq!(
            Dashboard::new("{}").respond("/", &headers).status(),
            StatusCode::SERVICE_UNAVAILABLE
        );
    }
}
