//! Rules for web pages of other origins (CORS, WHATWG Fetch 3.3). The counterpart for Node is
//! `packages/core/src/edge/cors.ts`; both pass `conformance/cors.json`.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use kit_guard::is_origin;

use super::routes::METHODS;
use crate::{Error, start_error};

/// Maximum length of the header names that a preflight request lists. Browsers list few names.
const MAX_HEADER_LIST: usize = 4096;

/// Origins of web pages that may read responses, and what these pages may send and read. `kit build` generates the
/// value from the option `cors` of `createApp`, and validates it.
///
/// ```
/// use kit_runtime::Cors;
///
/// let cors = Cors::origins(&["https://app.example.com", "https://*.example.org"]).credentials();
/// # let _ = cors;
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Cors {
    /// Allowed origins. `None` allows every origin.
    origins: Option<&'static [&'static str]>,
    credentials: bool,
    /// Allowed request headers, joined by commas. `None` allows every header.
    allowed_headers: Option<&'static str>,
    exposed_headers: Option<&'static str>,
    max_age_seconds: u32,
}

impl Cors {
    /// Allows pages of every origin.
    ///
    /// ```
    /// use kit_runtime::Cors;
    ///
    /// let cors = Cors::any_origin().exposed_headers("etag, x-total-count");
    /// # let _ = cors;
    /// ```
    pub const fn any_origin() -> Self {
        Self {
            origins: None,
            credentials: false,
            allowed_headers: None,
            exposed_headers: None,
            max_age_seconds: 600,
        }
    }

    /// Allows pages of these origins. `https://*.example.com` matches all subdomains of `example.com`.
    pub const fn origins(origins: &'static [&'static str]) -> Self {
        Self {
            origins: Some(origins),
            ..Self::any_origin()
        }
    }

    /// Lets pages send cookies and HTTP authentication.
    #[must_use]
    pub const fn credentials(mut self) -> Self {
        self.credentials = true;
        self
    }

    /// Lets pages set only these request headers: names joined by commas. Without this call, pages may set all.
    ///
    /// ```
    /// use kit_runtime::Cors;
    ///
    /// let cors = Cors::any_origin().allowed_headers("authorization, content-type");
    /// # let _ = cors;
    /// ```
    #[must_use]
    pub const fn allowed_headers(mut self, names: &'static str) -> Self {
        self.allowed_headers = Some(names);
        self
    }

    /// Lets pages read these response headers: names joined by commas.
    #[must_use]
    pub const fn exposed_headers(mut self, names: &'static str) -> Self {
        self.exposed_headers = Some(names);
        self
    }

    /// Sets the time for which browsers may cache the response to a preflight request. Default 600 seconds.
    ///
    /// ```
    /// use kit_runtime::Cors;
    ///
    /// let cors = Cors::origins(&["https://app.example.com"]).max_age_seconds(7200);
    /// # let _ = cors;
    /// ```
    #[must_use]
    pub const fn max_age_seconds(mut self, seconds: u32) -> Self {
        self.max_age_seconds = seconds;
        self
    }

    /// Returns true for a preflight request.
    pub(super) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
        method == Method::OPTIONS
            && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
            && headers.contains_key(header::ORIGIN)
    }

    /// Adds the headers to a response. `origin` is the header of the request.
    ///
    /// If the option lists origins, every response contains `vary: origin`. Otherwise a cache could answer a
    /// page with a response that was made for another origin.
    pub(super) fn apply(&self, origin: Option<&HeaderValue>, response: &mut HeaderMap) {
        let allowed = if self.origins.is_some() {
            add_vary(response, "origin");
            origin.and_then(|origin| self.allowed_origin(origin))
        } else {
            // Also without an origin: a browser could cache the response to a request of `<img>`, and then refuse the
            // cached response to a script.
            Some(HeaderValue::from_static("*"))
        };
        let Some(allowed) = allowed else { return };
        response.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        if self.credentials {
            let value = HeaderValue::from_static("true");
            response.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, value);
        }
        if let Some(names) = self.exposed_headers {
            insert(response, header::ACCESS_CONTROL_EXPOSE_HEADERS, names);
        }
    }

    /// Responds to a preflight request. `allow` is the value of `Allow` for the path; `None` if the path has no
    /// routes. In this case the requested method is allowed, so that the page receives the error 404 instead of a
    /// failure without a reason.
    pub(super) fn answer_preflight(
        &self,
        request: &HeaderMap,
        allow: Option<&str>,
    ) -> axum::response::Response {
        let mut response = axum::response::Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        let headers = response.headers_mut();
        for name in [
            self.origins.map(|_| "origin"),
            Some("access-control-request-method"),
            self.allowed_headers
                .is_none()
                .then_some("access-control-request-headers"),
        ]
        .into_iter()
        .flatten()
        {
            add_vary(headers, name);
        }
        let origin = request.get(header::ORIGIN);
        let Some(allowed) = origin.and_then(|origin| self.allowed_origin(origin)) else {
            return response;
        };
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        if self.credentials {
            let value = HeaderValue::from_static("true");
            headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, value);
        }
        let requested = request.get(header::ACCESS_CONTROL_REQUEST_METHOD);
        let requested = requested.and_then(|method| METHODS.into_iter().find(|known| method == known));
        if let Some(methods) = allow.or(requested) {
            insert(headers, header::ACCESS_CONTROL_ALLOW_METHODS, methods);
        }
        match self.allowed_headers {
            Some("") => {}
            Some(names) => insert(headers, header::ACCESS_CONTROL_ALLOW_HEADERS, names),
            None => {
                let names = request.get(header::ACCESS_CONTROL_REQUEST_HEADERS);
                if let Some(names) = names.filter(|names| is_list_of_names(names.as_bytes())) {
                    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
                }
            }
        }
        headers.insert(
            header::ACCESS_CONTROL_MAX_AGE,
            HeaderValue::from(self.max_age_seconds),
        );
        response
    }

    /// Returns the value of `access-control-allow-origin`; `None` if pages of this origin may not read responses.
    /// Returns true if pages of an origin may open WebSockets. A browser always sends cookies with a handshake, so a handshake
    /// with cookies needs `credentials`.
    #[cfg(feature = "sockets")]
    pub(super) fn allows_socket(&self, origin: &str, has_cookies: bool) -> bool {
        let is_listed = |list: &[&str]| list.iter().any(|allowed| is_allowed(allowed, origin));
        (self.credentials || !has_cookies) && self.origins.is_none_or(is_listed)
    }

    fn allowed_origin(&self, origin: &HeaderValue) -> Option<HeaderValue> {
        let Some(list) = self.origins else {
            return Some(HeaderValue::from_static("*"));
        };
        let given = origin.to_str().ok()?;
        list.iter()
            .any(|allowed| is_allowed(allowed, given))
            .then(|| origin.clone())
    }
}

/// Checks the origins in an environment variable, as `kit build` checks origins in the source.
///
/// # Errors
///
/// If the list is empty, or if a text is not an origin.
#[doc(hidden)] // Called only by generated code.
pub fn check_origins(variable: &str, origins: &[String]) -> Result<(), Error> {
    let what = if origins.is_empty() {
        format!("the variable {variable} has no origins")
    } else if let Some(wrong) = origins.iter().find(|origin| !is_origin(origin)) {
        format!("the variable {variable} has {wrong:?}, which is not an origin")
    } else {
        return Ok(());
    };
    Err(start_error::failure(
        &what,
        "the option cors.origins of the application",
        "write origins with a scheme, a host in lower case and a port if it is not the default, separated by commas, such as \
         https://app.example.com or http://localhost:5173",
    ))
}

/// Returns the origins of an option, followed by those of an environment variable. The process keeps the list until it ends.
#[doc(hidden)] // Called only by generated code.
pub fn origins_of(own: &[&'static str], listed: &[String]) -> &'static [&'static str] {
    let listed = listed.iter().map(|origin| &*origin.clone().leak());
    let all: Vec<&'static str> = own.iter().copied().chain(listed).collect();
    all.leak()
}

/// Returns true if the origin equals `allowed`, or is one of the subdomains if `allowed` contains `*`.
pub(super) fn is_allowed(allowed: &str, origin: &str) -> bool {
    let Some((scheme, suffix)) = allowed.split_once('*') else {
        return allowed == origin;
    };
    let subdomains = origin
        .strip_prefix(scheme)
        .and_then(|rest| rest.strip_suffix(suffix));
    subdomains.is_some_and(|labels| {
        labels.split('.').all(|label| {
            let is_valid = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
            !label.is_empty() && label.bytes().all(is_valid)
        })
    })
}

/// Returns true for header names that are separated by commas, with at most one space after each comma.
fn is_list_of_names(list: &[u8]) -> bool {
    let is_name_byte = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    list.len() <= MAX_HEADER_LIST
        && list.split(|byte| *byte == b',').enumerate().all(|(index, name)| {
            let name = if index == 0 {
                name
            } else {
                name.strip_prefix(b" ").unwrap_or(name)
            };
            !name.is_empty() && name.iter().all(is_name_byte)
        })
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    // `kit build` refuses names that cannot be a part of a header.
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// Adds a member to `vary`, unless the header has the member already.
pub(super) fn add_vary(headers: &mut HeaderMap, member: &str) {
    let present: Vec<&str> = headers
        .get_all(header::VARY)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .collect();
    let present = present.join(", ");
    let mut members = present.split(',').map(str::trim);
    if members.any(|known| known.eq_ignore_ascii_case(member)) {
        return;
    }
    let joined = if present.is_empty() {
        member.to_owned()
    } else {
        format!("{present}, {member}")
    };
    insert(headers, header::VARY, &joined);
}

#[cfg(test)]
mod tests {
    use super::{check_origins, is_allowed, is_list_of_names, origins_of};

    #[test]
    fn allows_subdomains_but_not_the_domain_itself_or_other_hosts() {
        let allowed = "https://*.example.com";
        assert!(is_allowed(allowed, "https://a.example.com"));
        assert!(is_allowed(allowed, "https://a.b-1.example.com"));
        for origin in [
            "https://example.com",
            "https://.example.com",
            "http://a.example.com",
            "https://a.example.com:8443",
            "https://a.example.com.evil.org",
            "https://evil.org/.example.com",
            "https://evil.org#.example.com",
            "https://a..example.com",
            "https://A.example.com",
        ] {
            assert!(!is_allowed(allowed, origin), "{origin}");
        }
    }

    #[test]
    fn refuses_a_variable_without_origins_or_with_other_texts() {
        let check = |texts: &[&str]| {
            let origins: Vec<_> = texts.iter().map(|text| (*text).to_owned()).collect();
            check_origins("WEB_ORIGINS", &origins).map_or_else(|error| error.to_string(), |()| String::new())
        };
        assert_eq!(check(&["https://app.example.com", "http://localhost:5173"]), "");
        assert!(check(&[]).contains("WEB_ORIGINS has no origins"));
        for wrong in ["*", "https://app.example.com/", "app.example.com"] {
            assert!(check(&["https://a.example", wrong]).contains(wrong), "{wrong}");
        }
    }

    #[test]
    fn appends_the_origins_of_a_variable_to_those_of_the_option() {
        let listed = ["http://b.example".to_owned()];
        assert_eq!(
            origins_of(&["http://a.example"], &listed),
            ["http://a.example", "http://b.example"]
        );
    }

    #[test]
    fn accepts_only_lists_of_header_names() {
        assert!(is_list_of_names(b"content-type"));
        assert!(is_list_of_names(b"authorization,x-tenant, x-b"));
        for list in [b"".as_slice(), b",", b"a,,b", b"a b", b"a,  b", b"a\x01"] {
            assert!(!is_list_of_names(list), "{list:?}");
        }
    }
}
