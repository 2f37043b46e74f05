//! Why routes do not make a tree.

use crate::{InvalidPath, Method};

/// A route that cannot be in the tree, by itself or beside another. Routes are given by their index in the list that was compiled,
/// so that a caller can point at both places in the source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouteConflict {
    /// A method that is not in [`Method::ALL`].
    #[error("`{method}` is not a method that a route can have")]
    UnknownMethod {
        /// The route.
        route: usize,
        /// As written.
        method: String,
    },
    /// A path that breaks a rule.
    #[error("the path `{path}` is not valid: {reason}")]
    InvalidPath {
        /// The route.
        route: usize,
        /// As written.
        path: String,
        /// The rule.
        reason: InvalidPath,
    },
    /// Two routes that answer the same method and the same paths. Names of parameters make no difference, nor does a
    /// trailing slash.
    #[error("`{reference}` answers the same requests as `{first_reference}`")]
    Duplicate {
        /// The later route.
        route: usize,
        /// Its reference.
        reference: String,
        /// The earlier route.
        first: usize,
        /// Its reference.
        first_reference: String,
    },
    /// A wildcard and a parameter in the same place: both would take any segment.
    #[error("`{segment}` in `{reference}` stands beside `{first_segment}` in `{first_reference}`")]
    WildcardBesideParameter {
        /// The later route.
        route: usize,
        /// Its reference.
        reference: String,
        /// Its wildcard or parameter.
        segment: String,
        /// The earlier route.
        first: usize,
        /// Its reference.
        first_reference: String,
        /// Its parameter or wildcard.
        first_segment: String,
    },
    /// Two different routes under one reference: a document could not tell them apart.
    #[error("two routes are named `{reference}`")]
    DuplicateReference {
        /// The later route.
        route: usize,
        /// The name.
        reference: String,
        /// The earlier route.
        first: usize,
    },
}

impl RouteConflict {
    /// Index of the route to blame: the later one of two.
    pub fn route(&self) -> usize {
        match self {
            Self::UnknownMethod { route, .. }
            | Self::InvalidPath { route, .. }
            | Self::Duplicate { route, .. }
            | Self::WildcardBesideParameter { route, .. }
            | Self::DuplicateReference { route, .. } => *route,
        }
    }

    /// Index of the earlier route that it conflicts with.
    pub fn other(&self) -> Option<usize> {
        match self {
            Self::UnknownMethod { .. } | Self::InvalidPath { .. } => None,
            Self::Duplicate { first, .. }
            | Self::WildcardBesideParameter { first, .. }
            | Self::DuplicateReference { first, .. } => Some(*first),
        }
    }

    /// What to do about it.
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
            Self::Duplicate { .. } => "remove one of them, or give it another path or method".to_owned(),
            Self::WildcardBesideParameter { .. } => {
                "a wildcard and a parameter cannot share a place: put a static segment before one of them"
                    .to_owned()
            }
            Self::DuplicateReference { .. } => "give each route its own reference".to_owned(),
        }
    }

    /// A stable name of the kind, as the conformance corpus spells it.
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
