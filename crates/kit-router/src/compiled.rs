//! The route tree as a document for JSON. `CompiledRouteTree` in `packages/types/src/compiled.ts` has the same
//! structure.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::route_path::Segment;
use crate::tree::TreeNode;
use crate::{Method, RouteTree};

/// The radix tree in `.kit/routes/compiled-router.ts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompiledRouteTree {
    /// Node for the path `/`.
    pub root: CompiledRouteNode,
    /// Statistics of the tree.
    pub metadata: CompiledMetadata,
}

/// A node of the tree. It matches one segment of a path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompiledRouteNode {
    /// Text of a static segment in the normal form of paths. `:` for a parameter, `*` for a wildcard, and the empty
    /// string for the root.
    pub segment: String,
    /// Name of the parameter or wildcard; `None` for other nodes. If several routes share the node and use different
    /// names, this is the name in the first route.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub param_name: Option<String>,
    /// True if the node is a wildcard, which matches all further segments.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wildcard: bool,
    /// Routes of this node by method, in the order of [`Method::ALL`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub methods: Option<IndexMap<String, CompiledMethod>>,
    /// Children: static segments in the order of the routes, then the parameter or wildcard.
    pub children: Vec<CompiledRouteNode>,
}

/// A route that ends at a node, for one method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompiledMethod {
    /// Unique name of the route: `GET /notes/:id`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Names of the types that validate requests.
    pub validators: Vec<String>,
}

/// Statistics of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompiledMetadata {
    /// Number of routes.
    pub total_routes: usize,
    /// Number of segments in the longest path.
    pub max_depth: usize,
    /// Number of routes without parameters and wildcards.
    pub static_routes: usize,
    /// Number of routes with parameters or a wildcard.
    pub parameterized_routes: usize,
    /// Time of the build, such as `2026-01-01T00:00:00.000Z`.
    pub generated_at: String,
}

impl RouteTree {
    /// Returns the tree as a document. `generated_at` is the time of the build.
    ///
    /// ```
    /// use kit_router::{RouteSpec, RouteTree};
    ///
    /// let tree = RouteTree::compile([RouteSpec::new("GET", "/notes/:id")]).unwrap();
    /// let document = tree.to_compiled("2026-01-01T00:00:00.000Z");
    /// assert_eq!(document.metadata.total_routes, 1);
    /// assert_eq!(document.metadata.parameterized_routes, 1);
    /// ```
    pub fn to_compiled(&self, generated_at: impl Into<String>) -> CompiledRouteTree {
        let is_static = |segments: &[Segment]| {
            segments
                .iter()
                .all(|segment| matches!(segment, Segment::Static(_)))
        };
        let static_routes = self
            .routes
            .iter()
            .filter(|route| is_static(&route.segments))
            .count();
        CompiledRouteTree {
            root: self.compiled_node(&self.nodes[0]),
            metadata: CompiledMetadata {
                total_routes: self.routes.len(),
                max_depth: self
                    .routes
                    .iter()
                    .map(|route| route.segments.len())
                    .max()
                    .unwrap_or(0),
                static_routes,
                parameterized_routes: self.routes.len() - static_routes,
                generated_at: generated_at.into(),
            },
        }
    }

    fn compiled_node(&self, node: &TreeNode) -> CompiledRouteNode {
        let (segment, param_name, wildcard) = match &node.segment {
            None => ("", None, false),
            Some(Segment::Static(text)) => (&**text, None, false),
            Some(Segment::Parameter(name)) => (":", Some(name.to_string()), false),
            Some(Segment::Wildcard(name)) => ("*", Some(name.to_string()), true),
        };
        let methods: IndexMap<_, _> = Method::ALL
            .into_iter()
            .filter_map(|method| {
                let route = &self.routes[node.methods[method as usize]?];
                let compiled = CompiledMethod {
                    reference: route.reference.clone(),
                    validators: route.validators.clone(),
                };
                Some((method.name().to_owned(), compiled))
            })
            .collect();
        let children = node.statics.values().chain(&node.rest);
        CompiledRouteNode {
            segment: segment.to_owned(),
            param_name,
            wildcard,
            methods: (!methods.is_empty()).then_some(methods),
            children: children
                .map(|&child| self.compiled_node(&self.nodes[child]))
                .collect(),
        }
    }
}
