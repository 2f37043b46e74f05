//! Builds the route tree, which has one node for each segment.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::route_path::Segment;
use crate::{Method, RouteConflict, RoutePath};

/// A route with a method and a path that were not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteSpec {
    /// Method, such as `GET`.
    pub method: String,
    /// Complete path pattern, such as `/notes/:id`.
    pub path: String,
    /// Unique name of the route in artifacts.
    pub reference: String,
    /// Names of the types that validate requests.
    pub validators: Vec<String>,
}

impl RouteSpec {
    /// Creates a route without validators. Its reference is the method and the path: `GET /notes/:id`.
    ///
    /// ```
    /// use kit_router::RouteSpec;
    ///
    /// assert_eq!(RouteSpec::new("GET", "/notes/:id").reference, "GET /notes/:id");
    /// ```
    pub fn new(method: impl Into<String>, path: impl Into<String>) -> Self {
        let (method, path) = (method.into(), path.into());
        let reference = format!("{method} {path}");
        Self {
            method,
            path,
            reference,
            validators: Vec::new(),
        }
    }
}

/// A route whose path was already parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedRoute {
    /// Method.
    pub method: Method,
    /// Complete path pattern.
    pub path: RoutePath,
    /// Unique name of the route in artifacts.
    pub reference: String,
    /// Names of the types that validate requests.
    pub validators: Vec<String>,
}

/// The routes of an application as a tree. Each route has a number, which is its index in the list that was
/// compiled.
#[derive(Debug, Clone, PartialEq)]
pub struct RouteTree {
    /// All nodes. The first node is the root, and each child comes after its parent.
    pub(crate) nodes: Vec<TreeNode>,
    pub(crate) routes: Vec<TreeRoute>,
}

/// A node of the tree.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct TreeNode {
    /// Segment of the node; `None` for the root.
    pub(crate) segment: Option<Segment>,
    /// Number of the first route that has this node.
    made_by: usize,
    /// Indices of the children with static text, by their text, in the order of the routes.
    pub(crate) statics: IndexMap<Arc<str>, usize, FxBuildHasher>,
    /// Index of the child that is a parameter or wildcard.
    pub(crate) rest: Option<usize>,
    /// Numbers of the routes that end at this node, by method, in the order of [`Method::ALL`].
    pub(crate) methods: [Option<usize>; Method::ALL.len()],
}

/// A valid route of the tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TreeRoute {
    pub(crate) method: Method,
    /// Segments of the path. Static text has the normal form of paths.
    pub(crate) segments: Vec<Segment>,
    pub(crate) reference: String,
    pub(crate) validators: Vec<String>,
}

impl RouteTree {
    /// Compiles routes into a tree.
    ///
    /// # Errors
    ///
    /// Returns all conflicts, in the order of the routes.
    ///
    /// ```
    /// use kit_router::{RouteSpec, RouteTree};
    ///
    /// assert!(RouteTree::compile([RouteSpec::new("GET", "/notes/:id")]).is_ok());
    /// let conflicts = RouteTree::compile([RouteSpec::new("GET", "/a"), RouteSpec::new("GET", "/a/")]).unwrap_err();
    /// assert_eq!(conflicts.len(), 1);
    /// ```
    pub fn compile(routes: impl IntoIterator<Item = RouteSpec>) -> Result<Self, Vec<RouteConflict>> {
        let parsed = routes.into_iter().enumerate();
        Self::from_routes(parsed.map(|(route, spec)| parse(route, spec)).collect())
    }

    /// Compiles routes with parsed paths into a tree.
    ///
    /// # Errors
    ///
    /// Returns all conflicts between routes, in the order of the routes.
    ///
    /// ```
    /// use kit_router::{Method, ParsedRoute, RoutePath, RouteTree};
    ///
    /// let route = ParsedRoute {
    ///     method: Method::Get,
    ///     path: RoutePath::parse("/notes").unwrap(),
    ///     reference: "notes".to_owned(),
    ///     validators: Vec::new(),
    /// };
    /// let tree = RouteTree::compile_parsed([route]).unwrap();
    /// assert_eq!(tree.references().collect::<Vec<_>>(), ["notes"]);
    /// ```
    pub fn compile_parsed(routes: impl IntoIterator<Item = ParsedRoute>) -> Result<Self, Vec<RouteConflict>> {
        Self::from_routes(routes.into_iter().map(|route| Ok(route.into())).collect())
    }

    /// Builds the tree. The number of a route is its index in `routes`. `routes` also contains routes that
    /// could not be parsed, which keep their number.
    pub(crate) fn from_routes(
        routes: Vec<Result<TreeRoute, RouteConflict>>,
    ) -> Result<Self, Vec<RouteConflict>> {
        let mut builder = Builder {
            nodes: vec![TreeNode::default()],
            routes: &routes,
            numbers: FxHashMap::with_capacity_and_hasher(routes.len(), FxBuildHasher),
        };
        let mut conflicts = Vec::new();
        for (number, route) in routes.iter().enumerate() {
            let inserted = match route {
                Ok(route) => builder.insert(number, route),
                Err(conflict) => Err(conflict.clone()),
            };
            conflicts.extend(inserted.err());
        }
        let nodes = builder.nodes;
        if conflicts.is_empty() {
            let routes = routes.into_iter().flatten().collect();
            Ok(Self { nodes, routes })
        } else {
            Err(conflicts)
        }
    }

    /// Returns the number of routes.
    ///
    /// ```
    /// use kit_router::{RouteSpec, RouteTree};
    ///
    /// let tree = RouteTree::compile([RouteSpec::new("GET", "/a"), RouteSpec::new("POST", "/a")]).unwrap();
    /// assert_eq!(tree.len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.routes.len()
    }

    /// Returns true if there are no routes.
    ///
    /// ```
    /// use kit_router::RouteTree;
    ///
    /// assert!(RouteTree::compile([]).unwrap().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    /// Returns the reference of each route, in the order of the route numbers.
    ///
    /// ```
    /// use kit_router::{RouteSpec, RouteTree};
    ///
    /// let tree = RouteTree::compile([RouteSpec::new("GET", "/a"), RouteSpec::new("POST", "/a")]).unwrap();
    /// assert_eq!(tree.references().collect::<Vec<_>>(), ["GET /a", "POST /a"]);
    /// ```
    pub fn references(&self) -> impl ExactSizeIterator<Item = &str> {
        self.routes.iter().map(|route| route.reference.as_str())
    }
}

fn parse(route: usize, spec: RouteSpec) -> Result<TreeRoute, RouteConflict> {
    let Some(method) = Method::from_name(&spec.method) else {
        return Err(RouteConflict::UnknownMethod {
            route,
            method: spec.method,
        });
    };
    match RoutePath::parse(&spec.path) {
        Ok(path) => Ok(TreeRoute::from(ParsedRoute {
            method,
            path,
            reference: spec.reference,
            validators: spec.validators,
        })),
        Err(reason) => Err(RouteConflict::InvalidPath {
            route,
            path: spec.path,
            reason,
        }),
    }
}

impl From<ParsedRoute> for TreeRoute {
    fn from(route: ParsedRoute) -> Self {
        Self {
            method: route.method,
            segments: route.path.segments().iter().map(Segment::normalized).collect(),
            reference: route.reference,
            validators: route.validators,
        }
    }
}

struct Builder<'a> {
    nodes: Vec<TreeNode>,
    /// All routes, including refused routes: a later route may conflict with a node that a refused route has
    /// added.
    routes: &'a [Result<TreeRoute, RouteConflict>],
    /// Numbers of the routes that are in the tree, by reference.
    numbers: FxHashMap<&'a str, usize>,
}

impl<'a> Builder<'a> {
    fn insert(&mut self, number: usize, route: &'a TreeRoute) -> Result<(), RouteConflict> {
        let mut node = 0;
        for segment in &route.segments {
            node = self.child(node, segment, number, route)?;
        }
        if let Some(first) = self.nodes[node].methods[route.method as usize] {
            return Err(RouteConflict::Duplicate {
                route: number,
                reference: route.reference.clone(),
                first,
                first_reference: self.reference(first),
            });
        }
        if let Some(&first) = self.numbers.get(route.reference.as_str()) {
            return Err(RouteConflict::DuplicateReference {
                route: number,
                reference: route.reference.clone(),
                first,
            });
        }
        self.numbers.insert(&route.reference, number);
        self.nodes[node].methods[route.method as usize] = Some(number);
        Ok(())
    }

    /// Returns the child of a node for a segment, and creates it if needed.
    fn child(
        &mut self,
        node: usize,
        segment: &Segment,
        number: usize,
        route: &TreeRoute,
    ) -> Result<usize, RouteConflict> {
        let existing = match segment {
            Segment::Static(text) => self.nodes[node].statics.get(&**text).copied(),
            Segment::Parameter(_) | Segment::Wildcard(_) => self.nodes[node].rest,
        };
        if let Some(child) = existing {
            return match &self.nodes[child].segment {
                Some(there) if std::mem::discriminant(there) != std::mem::discriminant(segment) => {
                    let first = self.nodes[child].made_by;
                    Err(RouteConflict::WildcardBesideParameter {
                        route: number,
                        reference: route.reference.clone(),
                        segment: segment.to_string(),
                        first,
                        first_reference: self.reference(first),
                        first_segment: there.to_string(),
                    })
                }
                _ => Ok(child),
            };
        }
        let child = self.nodes.len();
        self.nodes.push(TreeNode {
            segment: Some(segment.clone()),
            made_by: number,
            ..TreeNode::default()
        });
        match segment {
            Segment::Static(text) => {
                self.nodes[node].statics.insert(text.clone(), child);
            }
            Segment::Parameter(_) | Segment::Wildcard(_) => self.nodes[node].rest = Some(child),
        }
        Ok(child)
    }

    fn reference(&self, number: usize) -> String {
        match &self.routes[number] {
            Ok(route) => route.reference.clone(),
            Err(_) => unreachable!("a route that did not parse makes no node"),
        }
    }
}
