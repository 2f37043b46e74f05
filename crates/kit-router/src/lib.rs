//! The route tree: which route answers a method and a path.
//!
//! Where it stands: `kit-build` compiles the routes of an application ([`RouteTree::compile`]) and reports every
//! [`RouteConflict`]; `kit-emit` prints the tree ([`RouteTree::to_compiled`]) as `.kit/routes/compiled-router.ts`; the
//! native server loads that document ([`RouteTree::from_compiled`]) and matches requests with a [`Router`]. Other adapters
//! match with the TypeScript twin in `packages/core/src/router`. `conformance/router.json` holds the cases both must
//! pass.
//!
//! # Rules
//!
//! - A path is a list of segments. `name` is static text, `:name` takes one segment, `*name` takes the rest and stands last.
//!   Static text is kept in the normal form of paths ([`kit_guard::normal_path`]), so `/caf%C3%A9` and `/café` are one path, and
//!   `/@me` and `/%40me` are two.
//! - Static text wins over a parameter and a parameter over a wildcard, segment by segment, *with backtracking*: `/users/me/posts` is
//!   answered by `/users/:id/posts` although `/users/me` is a route.
//! - A place in the tree answers only methods that are registered there; one that lacks the request's method does not stop the search.
//!   If nothing has it, the answer is 405 with the methods of *every* place that fits the path.
//! - HEAD is answered by GET where HEAD is not registered itself. OPTIONS is like any other method.
//! - One trailing slash of a request is ignored. Parameters and wildcards take at least one character; an empty segment
//!   (`//`) fits only inside of a wildcard. `.` and `..` are ordinary text here; servers refuse them before they match.
//! - The normal form of a path is searched, and text is compared as it is: nothing is decoded any more, so `%2F` never splits. Only
//!   values of parameters are decoded. A path with an invalid escape, or one that does not
//!   decode to UTF-8, is [`Match::BadPath`] whether or not a route would fit.
//!
//! # Invariants
//!
//! - A place has a parameter or a wildcard below it, never both. So a search has at most one alternative to try at each level.
//! - A search visits a node at most once: its cost is bounded by the tree and the path's length however the path is chosen.
//! - A path of ASCII text without escapes is searched as it is; others are brought into the normal form first.
//! - Matching allocates nothing once a [`ParamBuffer`] is warm.
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
mod pattern;
mod radix;
mod router;
mod tree;
mod words;

pub use compiled::{CompiledMetadata, CompiledMethod, CompiledRouteNode, CompiledRouteTree};
pub use conflict::RouteConflict;
pub use document::DocumentError;
pub use method::{Allow, Method};
pub use params::ParamBuffer;
pub use pattern::{InvalidPath, MAX_SEGMENTS};
pub use router::{Match, Router};
pub use tree::{RouteSpec, RouteTree};
