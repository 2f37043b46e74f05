//! Route tree: finds the route for a method and a path.
//!
//! `kit-build` compiles the routes of an application ([`RouteTree::compile`]) and reports every [`RouteConflict`].
//! `kit-emit` prints the tree ([`RouteTree::to_compiled`]) as `.kit/routes/tree.js`. The native server loads
//! that document ([`RouteTree::from_compiled`]) and matches requests with a [`Router`]. Other adapters use the
//! TypeScript implementation in `packages/core/src/router`. Both implementations must pass the cases of
//! `conformance/router.json`.
//!
//! # Rules
//!
//! - A path is a list of segments. `name` is static text, `:name` matches one segment, `*name` matches the rest and
//!   must be the last segment. Static text is stored in the normal form of paths ([`kit_guard::normal_path`]), so
//!   `/caf%C3%A9` and `/café` are the same path, and `/@me` and `/%40me` are two different paths.
//! - In each segment, static text has precedence over a parameter, and a parameter over a wildcard. The search uses
//!   *backtracking*: `/users/me/posts` matches `/users/:id/posts` although `/users/me` is a route.
//! - A node matches only the methods of its routes. A node without the request's method does not stop the search. If no
//!   matching node has the method, the response is 405 with the methods of *every* node that matches the path.
//! - A GET route also handles HEAD, unless there is a HEAD route. OPTIONS is like any other method.
//! - One trailing slash of a request is ignored. Parameters and wildcards match at least one character. An empty
//!   segment (`//`) matches only inside of a wildcard. `.` and `..` are ordinary text here; servers reject them before
//!   they match.
//! - The search uses the normal form of a path and compares text without decoding, so `%2F` never splits a segment.
//!   Only the values of parameters are decoded. The result is [`Match::BadPath`] if a path has an invalid escape or
//!   does not decode to UTF-8, even if no route would match.
//!
//! # Invariants
//!
//! - A node has a parameter or a wildcard as a child, never both. So a search has at most one alternative at each
//!   level.
//! - A search visits a node at most once. The size of the tree and the length of the path limit its cost for any path.
//! - A path of ASCII text without escapes is searched directly. Other paths are normalized first.
//! - Matching allocates no memory once a [`ParamBuffer`] has grown to its final size.
//!
//! ```
//! use kit_router::{Match, ParamBuffer, RouteSpec, RouteTree};
//!
//! let tree = RouteTree::compile([
//!     RouteSpec::new("GET", "/files/:name"),
//!     RouteSpec::new("POST", "/files/upload"),
//! ])
//! .unwrap();
//! let router = tree.router();
//! let mut params = ParamBuffer::new();
//!
//! assert_eq!(router.find("GET", "/files/upload", &mut params), Match::Route(0));
//! assert_eq!(params.values("/files/upload").next().as_deref(), Some("upload"));
//! assert_eq!(router.find("POST", "/files/upload", &mut params), Match::Route(1));
//! match router.find("DELETE", "/files/upload", &mut params) {
//!     Match::MethodNotAllowed(allow) => assert_eq!(allow.to_string(), "GET, HEAD, POST"),
//!     other => panic!("{other:?}"),
//! }
//! ```

mod compiled;
mod conflict;
mod document;
mod method;
mod packed;
mod params;
mod path_words;
mod radix;
mod route_path;
mod router;
mod tree;

pub use compiled::{CompiledMetadata, CompiledMethod, CompiledRouteNode, CompiledRouteTree};
pub use conflict::RouteConflict;
pub use document::DocumentError;
pub use method::{Allow, Method};
pub use params::ParamBuffer;
pub use route_path::{InvalidPath, MAX_SEGMENTS, RoutePath, Segment};
pub use router::{Match, Router};
pub use tree::{ParsedRoute, RouteSpec, RouteTree};
