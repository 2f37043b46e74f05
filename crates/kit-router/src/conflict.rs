//! Errors for routes that cannot be in the same tree.

use crate::{InvalidPath, Method};

/// Reason why the tree cannot contain a route: the route is invalid, or conflicts with another route. Routes
/// are identified by their index in the list of compiled routes, so that a diagnostic can show the location
/// of each route.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouteConflict {
    /// The method is not in [`Method::ALL`].
    #[error("`{method}` is not a method that a route can have")]
    UnknownMethod {
        /// Index of the route.
        route: usize,
        /// Method as the route declares it.
        method: String,
    },
    /// The path breaks a rule.
    #[error("the path `{path}` is not valid: {reason}")]
    InvalidPath {
        /// Index of the route.
        route: usize,
        /// Path as the route declares it.
        path: String,
        /// Rule that the path breaks.
        reason: InvalidPath,
    },
    /// Two routes have the same method and match the same paths. Names of parameters and a trailing slash make no
    /// difference.
    #[error("`{reference}` matches the same requests as `{first_reference}`")]
    Duplicate {
        /// Index of the later route.
        route: usize,
        /// Reference of the later route.
        reference: String,
        /// Index of the earlier route.
        first: usize,
        /// Reference of the earlier route.
        first_reference: String,
    },
    /// One route has a wildcard, and another route has a parameter at the same position. The two would match
    /// the same segments.
    #[error("`{segment}` in `{reference}` conflicts with `{first_segment}` in `{first_reference}`")]
    WildcardBesideParameter {
        /// Index of the later route.
        route: usize,
        /// Reference of the later route.
        reference: String,
        /// Wildcard or parameter of the later route.
        segment: String,
        /// Index of the earlier route.
        first: usize,
        /// Reference of the earlier route.
        first_reference: String,
        /// Parameter or wildcard of the earlier route.
        first_segment: String,
    },
    /// Two different routes have the same reference. Other artifacts could not distinguish them.
    #[error("two routes are named `{reference}`")]
    DuplicateReference {
        /// Index of the later route.
        route: usize,
        /// Reference that both routes have.
        reference: String,
        /// Index of the earlier route.
        first: usize,
    },
}

impl RouteConflict {
    /// Returns the index of the route that causes the conflict. If two routes conflict, this is the later
    /// route.
    ///
    /// ```
    /// use kit_router::{RouteSpec, RouteTree};
    ///
    /// let routes = ["/notes/:id", "/notes/:note"].map(|path| RouteSpec::new("GET", path));
    /// let conflicts = RouteTree::compile(routes).unwrap_err();
    /// assert_eq!(conflicts[0].route(), 1);
    /// ```
    pub fn route(&self) -> usize {
        match self {
            Self::UnknownMethod { route, .. }
            | Self::InvalidPath { route, .. }
            | Self::Duplicate { route, .. }
            | Self::WildcardBesideParameter { route, .. }
            | Self::DuplicateReference { route, .. } => *route,
        }
    }

    /// Returns the index of the earlier route; `None` if the conflict concerns only one route.
    ///
    /// ```
    /// use kit_router::{RouteSpec, RouteTree};
    ///
    /// let routes = ["/notes/:id", "/notes/:note"].map(|path| RouteSpec::new("GET", path));
    /// let conflicts = RouteTree::compile(routes).unwrap_err();
    /// assert_eq!(conflicts[0].other(), Some(0));
    /// ```
    pub fn other(&self) -> Option<usize> {
        match self {
            Self::UnknownMethod { .. } | Self::InvalidPath { .. } => None,
            Self::Duplicate { first, .. }
            | Self::WildcardBesideParameter { first, .. }
            | Self::DuplicateReference { first, .. } => Some(*first),
        }
    }

    /// Returns advice on how to solve the conflict.
    ///
    /// ```
    /// use kit_router::{RouteSpec, RouteTree};
    ///
    /// let conflicts = RouteTree::compile([RouteSpec::new("get", "/notes")]).unwrap_err();
    /// assert_eq!(conflicts[0].help(), "write it in upper case: `GET`");
    /// ```
    pub fn help(&self) -> String {
        match self {
            Self::UnknownMethod { method, .. } => {
                let upper = method.to_ascii_uppercase();
                if Method::from_name(&upper).is_some() {
                    format!("write it in upper case: `{upper}`")
                } else {
                    format!("use one of {}", Method::ALL.map(Method::name).join(", "))
                }
            }
            Self::InvalidPath { .. } => {
                "a path looks like `/notes`, `/notes/:id` or `/files/*path`".to_owned()
            }
            Self::Duplicate { .. } => "remove one of the two routes, or give one of the routes another path or method".to_owned(),
            Self::WildcardBesideParameter { .. } => {
                "a wildcard and a parameter cannot have the same position: put a static segment before one of the two"
                    .to_owned()
            }
            Self::DuplicateReference { .. } => "give each route its own reference".to_owned(),
        }
    }

    /// Returns the name of the kind of conflict in `conformance/router.json`.
    ///
    /// ```
    /// use kit_router::{RouteSpec, RouteTree};
    ///
    /// let conflicts = RouteTree::compile([RouteSpec::new("GET", "notes")]).unwrap_err();
    /// assert_eq!(conflicts[0].kind(), "invalid-path");
    /// ```
    pub fn kind(&self) -> &'static str {
        match self {
            Self::UnknownMethod { .. } => "unknown-method",
            Self::InvalidPath { .. } => "invalid-path",
            Self::Duplicate { .. } => "duplicate",
            Self::WildcardBesideParameter { .. } => "wildcard-beside-parameter",
            Self::DuplicateReference { .. } => "duplicate-reference",
        }
    }
}
