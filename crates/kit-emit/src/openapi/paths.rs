//! Paths of routes in documents.

use kit_ir::{Program, Route, RoutePath};
use rustc_hash::FxHashMap;

/// Names of parameters in the paths of documents. Paths that differ only in the names of parameters, such as `/notes/{id}` and
/// `/notes/{noteId}`, are identical in OpenAPI and must not both exist (OpenAPI 3.1, section 4.8.8). All operations of such paths
/// have the names of the first route's parameters.
pub(crate) struct ParameterNames {
    /// Names of the parameters of the first route with each path, by the path without names.
    first: FxHashMap<String, Vec<String>>,
}

impl ParameterNames {
    pub(super) fn new(program: &Program) -> Self {
        let mut first = FxHashMap::default();
        for route in &program.routes {
            let names = || route.path.parameters().map(str::to_owned).collect();
            first.entry(without_names(&route.path)).or_insert_with(names);
        }
        Self { first }
    }

    /// Returns the names of a route's parameters in order.
    pub(super) fn of(&self, route: &Route) -> &[String] {
        let names = self.first.get(&without_names(&route.path));
        names.map_or(&[], Vec::as_slice)
    }

    /// Returns the path of a route in OpenAPI's syntax.
    pub(super) fn template(&self, route: &Route) -> String {
        let mut names = self.of(route).iter();
        route
            .path
            .with_parameters(|own| in_braces(names.next().map_or(own, String::as_str)))
    }
}

/// Returns a path pattern in OpenAPI's syntax. OpenAPI has no wildcards, so a wildcard becomes a parameter.
pub(crate) fn path_template(path: &RoutePath) -> String {
    path.with_parameters(in_braces)
}

fn in_braces(name: &str) -> String {
    format!("{{{name}}}")
}

/// Returns a path without the names of its parameters.
fn without_names(path: &RoutePath) -> String {
    path.with_parameters(|_| ":".to_owned())
}
