//! API reference: a page with a viewer of the OpenAPI document, which loads nothing from other hosts. The viewer is that of the
//! package `@kit/api-docs`; the page is a copy of `page` in `packages/api-docs/src/index.ts`.

use std::sync::OnceLock;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use kit_static::{CurrentVersion, Outcome, accepts_gzip, evaluate};
use sha2_v10::{Digest as _, Sha256};

use super::header_text::text_of;
use super::{Context, Error};
use crate::{bytes, is_development, is_test};

/// API reference of an application.
///
/// ```
/// use kit_runtime::{Application, Docs, Routes};
///
/// fn with_reference<A: Application>(routes: Routes<A>, viewer: &'static str, start: &'static str) -> Routes<A> {
///     routes.docs(Docs::new(viewer, start).path("/reference").in_production())
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Docs {
    path: &'static str,
    /// Script of the viewer, compressed with gzip, as base64.
    viewer: &'static str,
    /// Script that starts the viewer.
    start: &'static str,
    is_in_production: bool,
}

/// Allows scripts and requests of this origin only. Inline styles are allowed, because the viewer creates them.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

const SCRIPT: &str = "text/javascript; charset=utf-8";

impl Docs {
    /// Creates an API reference at `/docs` from the files of `@kit/api-docs`: the viewer, compressed with gzip and written as
    /// base64, and the script that starts the viewer. The reference is served if `NODE_ENV` is `development` or `test`.
    pub const fn new(viewer: &'static str, start: &'static str) -> Self {
        Self {
            path: "/docs",
            viewer,
            start,
            is_in_production: false,
        }
    }

    /// Sets the path of the page.
    #[must_use]
    pub const fn path(mut self, path: &'static str) -> Self {
        self.path = path;
        self
    }

    /// Serves the reference in every environment.
    #[must_use]
    pub const fn in_production(mut self) -> Self {
        self.is_in_production = true;
        self
    }

    /// Returns true if the reference is served in the environment of this process.
    fn is_served(&self) -> bool {
        self.is_in_production || is_development() || is_test()
    }
}

/// A resource of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Page,
    OpenApi,
    AsyncApi,
    Viewer,
    Start,
}

impl Part {
    /// Returns the resource with a path below the page, such as `openapi.json`.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "" => Self::Page,
            "openapi.json" => Self::OpenApi,
            "asyncapi.json" => Self::AsyncApi,
            "viewer.js" => Self::Viewer,
            "start.js" => Self::Start,
            _ => return None,
        })
    }
}

/// Served API reference, with the documents that it shows.
#[derive(Debug)]
pub(super) struct Reference {
    docs: Docs,
    openapi: &'static str,
    asyncapi: Option<&'static str>,
    viewer: OnceLock<Viewer>,
}

/// Script of the viewer, compressed with gzip, and its entity tag.
#[derive(Debug)]
struct Viewer {
    script: Bytes,
    tag: String,
}

impl Reference {
    /// Returns the reference. Returns `None` if it is not served in this environment, or if a route has one of its paths.
    pub(super) fn new<'r>(
        docs: Docs,
        openapi: Option<&'static str>,
        asyncapi: Option<&'static str>,
        mut routes: impl Iterator<Item = &'r str>,
    ) -> Option<Self> {
        let reference = Self {
            docs,
            openapi: openapi?,
            asyncapi,
            viewer: OnceLock::new(),
        };
        let is_taken = routes.any(|path| reference.has(path));
        (docs.is_served() && !is_taken).then_some(reference)
    }

    /// Returns true if the reference has a resource at a path.
    pub(super) fn has(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    fn find(&self, path: &str) -> Option<Part> {
        let rest = path.strip_prefix(self.docs.path)?;
        let part = match rest.strip_prefix('/') {
            Some(name) => Part::named(name)?,
            None if rest.is_empty() => Part::Page,
            None => return None,
        };
        (part != Part::AsyncApi || self.asyncapi.is_some()).then_some(part)
    }

    /// Returns the response to a GET or HEAD request. Returns `None` if the path is not one of the reference.
    pub(super) fn respond(&self, context: &Context) -> Option<Result<Response, Error>> {
        let path = context.path();
        let part = self.find(path)?;
        let headers = context.headers();
        let json = "application/json";
        Some(match part {
            Part::Viewer => self.send_viewer(headers),
            Part::Start => send(headers, SCRIPT, self.docs.start.as_bytes().into()),
            Part::OpenApi => send(headers, json, self.openapi.as_bytes().into()),
            Part::AsyncApi => send(headers, json, self.asyncapi.unwrap_or_default().as_bytes().into()),
            Part::Page => {
                let page = self.page(path);
                send(headers, "text/html; charset=utf-8", page.into_bytes().into()).map(|mut response| {
                    let headers = response.headers_mut();
                    let policy = HeaderValue::from_static(CONTENT_SECURITY_POLICY);
                    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
                    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
                    response
                })
            }
        })
    }

    /// Sends the viewer. Every browser accepts gzip.
    fn send_viewer(&self, request: &HeaderMap) -> Result<Response, Error> {
        if !accepts_gzip(text_of(request, header::ACCEPT_ENCODING).as_deref()) {
            let message = "The API reference is sent only to clients that accept gzip";
            return Err(Error::new(StatusCode::NOT_ACCEPTABLE, "NOT_ACCEPTABLE", message));
        }
        let Viewer { script, tag } = self.viewer.get_or_init(|| {
            let script = Bytes::from(bytes::decode(self.docs.viewer).unwrap_or_default());
            let tag = format!("{}-gzip", hash(&script));
            Viewer { script, tag }
        });
        let mut response = tagged(request, SCRIPT, tag, script.clone())?;
        let headers = response.headers_mut();
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if headers.contains_key(header::CONTENT_TYPE) {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        Ok(response)
    }

    /// Creates the page. Links are relative, because only the browser knows the path prefix that a proxy adds.
    fn page(&self, path: &str) -> String {
        let last = path.rsplit('/').next().unwrap_or_default();
        let files = if last.is_empty() {
            "./".to_owned()
        } else {
            format!("{last}/")
        };
        let above = path.split('/').count().saturating_sub(2);
        let root = if above == 0 {
            "./".to_owned()
        } else {
            "../".repeat(above)
        };
        let document = format!("{files}openapi.json");
        let note = self.asyncapi.map_or_else(String::new, |_| {
            format!(
                "\n    <p style=\"margin: 8px 16px; font: 14px system-ui, sans-serif; color: CanvasText\">WebSockets and events are described in the <a href=\"{files}asyncapi.json\" style=\"color: LinkText\">AsyncAPI document</a>.</p>"
            )
        });
        format!(
            "<!doctype html>
<html lang=\"en\">
  <head>
    <meta charset=\"utf-8\">
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
    <meta name=\"color-scheme\" content=\"light dark\">
    <title>API reference</title>
    <link rel=\"icon\" href=\"data:,\">
  </head>
  <body>{note}
    <noscript>The API reference needs JavaScript. The API is described in the <a href=\"{document}\">OpenAPI document</a> too.</noscript>
    <div id=\"reference\" data-document=\"{document}\" data-root=\"{root}\"></div>
    <script src=\"{files}viewer.js\"></script>
    <script src=\"{files}start.js\"></script>
  </body>
</html>
"
        )
    }
}

/// Sends a file. The browser caches it and revalidates it each time, so a new version is visible immediately, and unchanged
/// files are not sent again.
fn send(request: &HeaderMap, content_type: &'static str, body: Bytes) -> Result<Response, Error> {
    tagged(request, content_type, &hash(&body), body)
}

/// Returns a response with an entity tag: the body, or 304 if the client has the body already.
fn tagged(
    request: &HeaderMap,
    content_type: &'static str,
    tag: &str,
    body: Bytes,
) -> Result<Response, Error> {
    let tag = format!("\"{tag}\"");
    let is_known = has_tag(request, &tag);
    let mut response = Response::new(if is_known { Body::empty() } else { Body::from(body) });
    let headers = response.headers_mut();
    let set = |headers: &mut HeaderMap, name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    let value = HeaderValue::from_str(&tag).map_err(|error| Error::internal(error.to_string()))?;
    headers.insert(header::ETAG, value);
    set(headers, header::CACHE_CONTROL, "no-cache");
    set(headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        set(headers, header::CONTENT_TYPE, content_type);
    }
    Ok(response)
}

/// Returns the first half of the SHA-256 of a file, in hexadecimal digits.
fn hash(body: &[u8]) -> String {
    let digest = Sha256::digest(body);
    bytes::hex(digest.get(..8).unwrap_or_default())
}

/// Returns true if `if-none-match` contains the entity tag of the response.
fn has_tag(request: &HeaderMap, tag: &str) -> bool {
    let current = CurrentVersion {
        tag: Some(tag),
        last_modified: None,
    };
    let given = |name: &str| {
        (name == "if-none-match")
            .then(|| text_of(request, name))
            .flatten()
    };
    evaluate("GET", given, Some(&current)) == Outcome::NotModified
}

#[cfg(test)]
mod tests {
    use super::{Docs, Part, Reference, has_tag};
    use axum::http::{HeaderMap, HeaderValue, header};

    fn reference(routes: &[&str]) -> Option<Reference> {
        let docs = Docs::new("", "").in_production();
        Reference::new(docs, Some("{}"), None, routes.iter().copied())
    }

    #[test]
    fn finds_its_resources_below_its_path_only() {
        let reference = reference(&[]).expect("it is served");
        for (path, part) in [
            ("/docs", Some(Part::Page)),
            ("/docs/", Some(Part::Page)),
            ("/docs/viewer.js", Some(Part::Viewer)),
            ("/docs/openapi.json", Some(Part::OpenApi)),
            ("/docs/asyncapi.json", None),
            ("/docs/other.js", None),
            ("/documents", None),
        ] {
            assert_eq!(reference.find(path), part, "{path}");
        }
    }

    #[test]
    fn is_not_served_if_a_route_has_one_of_its_paths() {
        assert!(reference(&["/docs/start.js"]).is_none());
        assert!(reference(&["/docs/:page"]).is_some());
    }

    #[test]
    fn links_are_relative_to_the_path_of_the_page() {
        let reference = reference(&[]).expect("it is served");
        for (path, files, root) in [("/docs", "docs/", "./"), ("/docs/", "./", "../")] {
            let page = reference.page(path);
            let expected = format!("data-document=\"{files}openapi.json\" data-root=\"{root}\"");
            assert!(page.contains(&expected), "{path}: {page}");
        }
    }

    #[test]
    fn recognizes_its_entity_tag_in_a_list_of_tags() {
        for (text, expected) in [
            ("\"1\"", true),
            ("\"0\", W/\"1\"", true),
            ("*", true),
            ("\"0,\"", false),
            ("\"0, \"1\"", false),
            ("\"2\"", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static(text));
            assert_eq!(has_tag(&headers, "\"1\""), expected, "{text}");
        }
    }
}
