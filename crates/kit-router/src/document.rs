//! Reads a route tree from its document. Users may have edited the file, so everything is checked.

use std::sync::Arc;

use kit_guard::normal_path;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::route_path::{Segment, check_segments, is_name};
use crate::tree::TreeRoute;
use crate::{CompiledRouteNode, CompiledRouteTree, Method, RouteConflict, RouteTree};

/// Error: a document is not a valid route tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// A node is invalid.
    #[error("the compiled route tree is not valid at `{at}`: {reason}")]
    Malformed {
        /// Path of the invalid node.
        at: String,
        /// Description of the mistake.
        reason: String,
    },
    /// The document contains a route that is not in the list of routes.
    #[error("the compiled route tree names `{reference}`, which is not in the list of routes")]
    UnknownReference {
        /// Reference of the route.
        reference: String,
    },
    /// The list of routes contains a route that is not in the document.
    #[error("the route `{reference}` is not in the compiled route tree")]
    MissingReference {
        /// Reference of the route.
        reference: String,
    },
    /// The list of routes or the document contains a route twice.
    #[error("the route `{reference}` occurs twice")]
    RepeatedReference {
        /// Reference of the route.
        reference: String,
    },
    /// Two routes in the document conflict, or a route is invalid.
    #[error("the compiled route tree has conflicting routes: {0}")]
    Conflict(RouteConflict),
}

impl RouteTree {
    /// Reads a route tree from a document. `references` is the list of routes; the index of a route in it is the
    /// number of the route.
    ///
    /// # Errors
    ///
    /// Returns an error if the document is invalid or does not contain exactly the routes in `references`.
    ///
    /// ```
    /// use kit_router::{RouteSpec, RouteTree};
    ///
    /// let tree = RouteTree::compile([RouteSpec::new("GET", "/notes")]).unwrap();
    /// let document = tree.to_compiled("2026-01-01T00:00:00.000Z");
    /// let read = RouteTree::from_compiled(&document, &["GET /notes"]).unwrap();
    /// assert_eq!(read.len(), 1);
    /// assert!(RouteTree::from_compiled(&document, &["GET /other"]).is_err());
    /// ```
    pub fn from_compiled(
        document: &CompiledRouteTree,
        references: &[impl AsRef<str>],
    ) -> Result<Self, DocumentError> {
        let mut reader = Reader {
            numbers: FxHashMap::with_capacity_and_hasher(references.len(), FxBuildHasher),
            routes: references.iter().map(|_| None).collect(),
        };
        for (number, reference) in references.iter().enumerate() {
            if reader.numbers.insert(reference.as_ref(), number).is_some() {
                return Err(DocumentError::RepeatedReference {
                    reference: reference.as_ref().to_owned(),
                });
            }
        }
        let root = &document.root;
        if !root.segment.is_empty() || root.param_name.is_some() || root.wildcard {
            return Err(malformed(&[], "the root has no segment"));
        }
        reader.node(root, &mut Vec::new())?;

        let mut routes = Vec::with_capacity(references.len());
        for (route, reference) in reader.routes.into_iter().zip(references) {
            let missing = || DocumentError::MissingReference {
                reference: reference.as_ref().to_owned(),
            };
            routes.push(Ok(route.ok_or_else(missing)?));
        }
        Self::from_routes(routes).map_err(|mut conflicts| DocumentError::Conflict(conflicts.swap_remove(0)))
    }
}

struct Reader<'a> {
    numbers: FxHashMap<&'a str, usize>,
    routes: Vec<Option<TreeRoute>>,
}

impl Reader<'_> {
    fn node(&mut self, node: &CompiledRouteNode, segments: &mut Vec<Segment>) -> Result<(), DocumentError> {
        check_segments(segments, false).map_err(|reason| malformed(segments, &reason.to_string()))?;
        for (name, method) in node.methods.iter().flatten() {
            let Some(known) = Method::from_name(name) else {
                return Err(malformed(segments, &format!("`{name}` is not a method")));
            };
            let reference = method.reference.clone();
            let Some(&number) = self.numbers.get(reference.as_str()) else {
                return Err(DocumentError::UnknownReference { reference });
            };
            if self.routes[number].is_some() {
                return Err(DocumentError::RepeatedReference { reference });
            }
            self.routes[number] = Some(TreeRoute {
                method: known,
                segments: segments.clone(),
                reference,
                validators: method.validators.clone(),
            });
        }
        let mut keys = FxHashSet::default();
        for child in &node.children {
            let segment = segment(child).map_err(|reason| malformed(segments, &reason))?;
            if node.children.len() > 1 && !keys.insert(key_of(&segment)) {
                return Err(malformed(segments, &format!("two children `{}`", child.segment)));
            }
            segments.push(segment);
            self.node(child, segments)?;
            segments.pop();
        }
        Ok(())
    }
}

fn segment(node: &CompiledRouteNode) -> Result<Segment, String> {
    match (&node.param_name, node.wildcard) {
        (Some(name), _) if !is_name(name) => Err(format!("`{name}` is not a parameter's name")),
        (Some(name), false) if node.segment == ":" => Ok(Segment::Parameter(name.as_str().into())),
        (Some(name), true) if node.segment == "*" => Ok(Segment::Wildcard(name.as_str().into())),
        (Some(name), _) => Err(format!(
            "`{}` is not the segment of the parameter `{name}`",
            node.segment
        )),
        (None, true) => Err("a wildcard without a name".to_owned()),
        (None, false) if node.segment.is_empty() => Err("an empty segment".to_owned()),
        (None, false) => match normal_path(&node.segment) {
            Some(normal) if !normal.contains('/') => Ok(Segment::Static(normal.into())),
            _ => Err(format!("`{}` is not the text of one segment", node.segment)),
        },
    }
}

/// Returns the key by which the children of a node must differ: the text of a static segment, one key for all
/// parameters, and one for all wildcards.
fn key_of(segment: &Segment) -> (bool, Arc<str>) {
    match segment {
        Segment::Static(text) => (true, Arc::clone(text)),
        Segment::Parameter(_) => (false, ":".into()),
        Segment::Wildcard(_) => (false, "*".into()),
    }
}

fn malformed(segments: &[Segment], reason: &str) -> DocumentError {
    let at = segments
        .iter()
        .map(Segment::to_string)
        .collect::<Vec<_>>()
        .join("/");
    DocumentError::Malformed {
        at: format!("/{at}"),
        reason: reason.to_owned(),
    }
}
