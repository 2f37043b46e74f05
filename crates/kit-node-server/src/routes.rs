//! Route matches as the numbers that JavaScript gets. The counterpart is `packages/server-native/src/exchange.ts`.

use kit_http::{HeaderName, Request};
use kit_router::{Allow, Match, Method, ParamBuffer, Router};

/// No route has the path.
const NOT_FOUND: i32 = -1;
/// The path does not decode.
const BAD_PATH: i32 = -2;
/// Routes have the path, with other methods; the methods follow as the only parameter.
const METHOD_NOT_ALLOWED: i32 = -3;

/// A match, its parameters left in the buffer.
pub(crate) struct Matched {
    /// The route's number, or one of the negative codes.
    pub(crate) route: i32,
    /// The methods that the path has, where the request's is not one of them.
    pub(crate) allow: Option<Allow>,
}

pub(crate) fn find(router: &Router, method: &str, path: &str, params: &mut ParamBuffer) -> Matched {
    let (route, allow) = match router.find(method, path, params) {
        // More than two thousand million routes would not have fitted into the options.
        Match::Route(number) => (i32::try_from(number).unwrap_or(NOT_FOUND), None),
        Match::NotFound => (NOT_FOUND, None),
        Match::MethodNotAllowed(allow) => (METHOD_NOT_ALLOWED, Some(allow)),
        Match::BadPath => (BAD_PATH, None),
    };
    Matched { route, allow }
}

/// A method that is not in [`Method::ALL`]; JavaScript asks for its name.
const OTHER_METHOD: usize = 15;
const BODY_TOO_LARGE: i32 = 1 << 4;
const HAS_TRACEPARENT: i32 = 1 << 5;

static TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// What is small and nearly always asked for, in one number: the method's place in [`Method::ALL`], and two bits.
pub(crate) fn traits(request: &Request) -> i32 {
    let place = Method::from_name(request.method())
        .and_then(|method| Method::ALL.iter().position(|known| *known == method))
        .unwrap_or(OTHER_METHOD);
    // Four bits suffice for either.
    let mut traits = i32::try_from(place).unwrap_or(0);
    if request.body_too_large() {
        traits |= BODY_TOO_LARGE;
    }
    if request.has_header(&TRACEPARENT) {
        traits |= HAS_TRACEPARENT;
    }
    traits
}
