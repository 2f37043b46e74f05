//! Converts the result of the router to numbers for JavaScript. `packages/server-native/src/exchange.ts` reads them.

use kit_http::{HeaderName, Request};
use kit_router::{Allow, Match, Method, ParamBuffer, Router};

/// No route has the path of the request.
const NOT_FOUND: i32 = -1;
/// The path of the request contains an invalid escape.
const BAD_PATH: i32 = -2;
/// Routes have the path of the request, but not its method. The allowed methods are passed as the only parameter.
const METHOD_NOT_ALLOWED: i32 = -3;

/// Result of the search for a route. A separate buffer contains the values of the path parameters.
pub(crate) struct Matched {
    /// Number of the route, or one of the negative constants above.
    pub(crate) route: i32,
    /// Methods of the routes with this path, if no route has the method of the request.
    pub(crate) allow: Option<Allow>,
}

impl Matched {
    /// Returns true if no route has the path.
    pub(crate) fn is_missing(&self) -> bool {
        self.route == NOT_FOUND
    }
}

pub(crate) fn find(router: &Router, method: &str, path: &str, params: &mut ParamBuffer) -> Matched {
    let (route, allow) = match router.find(method, path, params) {
        // The number always fits, because JavaScript cannot pass more than two billion routes.
        Match::Route(number) => (i32::try_from(number).unwrap_or(NOT_FOUND), None),
        Match::NotFound => (NOT_FOUND, None),
        Match::MethodNotAllowed(allow) => (METHOD_NOT_ALLOWED, Some(allow)),
        Match::BadPath => (BAD_PATH, None),
    };
    Matched { route, allow }
}

/// Index for a method that is not in [`Method::ALL`]. JavaScript then reads its name with `method`.
const OTHER_METHOD: usize = 15;
const BODY_TOO_LARGE: i32 = 1 << 4;
const HAS_TRACEPARENT: i32 = 1 << 5;
const BODY_IN_CHUNKS: i32 = 1 << 6;
const WANTS_SOCKET: i32 = 1 << 7;

static TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Returns facts about a request that JavaScript nearly always needs, in one number: the index of the method in
/// [`Method::ALL`], and four flags.
pub(crate) fn request_flags(request: &Request) -> i32 {
    let place = Method::from_name(request.method())
        .and_then(|method| Method::ALL.iter().position(|known| *known == method))
        .unwrap_or(OTHER_METHOD);
    // The index uses the lowest four bits.
    let mut request_flags = i32::try_from(place).unwrap_or(0);
    if request.body_too_large() {
        request_flags |= BODY_TOO_LARGE;
    } else if request.is_streamed() {
        request_flags |= BODY_IN_CHUNKS;
    }
    if request.has_header(&TRACEPARENT) {
        request_flags |= HAS_TRACEPARENT;
    }
    if request.wants_socket() {
        request_flags |= WANTS_SOCKET;
    }
    request_flags
}
