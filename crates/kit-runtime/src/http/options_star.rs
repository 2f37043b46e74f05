//! Response to `OPTIONS *`, a request about the server as a whole (RFC 9110, 9.3.7). It lists the methods and runs no
//! handler.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};

use super::routes::METHODS;

/// Request target of `OPTIONS *`. It is answered before routes are matched, because `/:name` would match the
/// text `*`.
pub(super) const TARGET: &str = "*";

/// Returns 204 with `Allow`: the methods of all routes, HEAD if there is a GET route, and OPTIONS itself.
pub(super) fn answer<'a>(methods: &(impl Iterator<Item = &'a str> + Clone)) -> axum::response::Response {
    let is_allowed = |method: &str| {
        method == "OPTIONS"
            || methods
                .clone()
                .any(|known| known == method || (method == "HEAD" && known == "GET"))
    };
    let allowed: Vec<_> = METHODS.into_iter().filter(|method| is_allowed(method)).collect();
    let mut response = axum::response::Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    if let Ok(allow) = HeaderValue::from_str(&allowed.join(", ")) {
        response.headers_mut().insert(header::ALLOW, allow);
    }
    response
}

#[cfg(test)]
mod tests {
    use axum::http::header;

    use super::answer;

    #[test]
    fn lists_each_method_of_the_routes_once_and_in_a_fixed_order() {
        let allow = |methods: &[&str]| {
            let response = answer(&methods.iter().copied());
            assert_eq!(response.status(), 204);
            response.headers()[header::ALLOW].to_str().unwrap().to_owned()
        };
        assert_eq!(allow(&[]), "OPTIONS");
        assert_eq!(allow(&["POST", "GET", "POST"]), "GET, HEAD, POST, OPTIONS");
        assert_eq!(allow(&["DELETE", "HEAD", "OPTIONS"]), "HEAD, DELETE, OPTIONS");
    }
}
