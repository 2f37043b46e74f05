//! Which route answers a method and a path.
//!
//! Static text wins over a parameter and a parameter over a wildcard, segment by segment, with backtracking. A place that lacks the
//! request's method does not stop the search; if nothing has it, the answer is 405 with the methods of every place that fits the path. HEAD
//! is answered by GET. One trailing slash is ignored; parameters and wildcards take at least one character. Routes and paths are
//! compared in the normal form of paths; only the values of parameters are decoded.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kit_guard::normal_path;

use crate::coerce::decode_percent;

/// In the order in which `Allow` lists them.
pub(super) const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Routes by their paths.
///
/// ```
/// use kit_runtime::{Match, RouteTree};
///
/// let tree = RouteTree::new(&[("GET", "/files/:name"), ("POST", "/files/upload")]);
/// assert_eq!(tree.find("GET", "/files/upload"), Match::Route(0, vec!["upload".to_owned()]));
/// assert_eq!(tree.find("PUT", "/files/upload"), Match::MethodNotAllowed("GET, HEAD, POST".to_owned()));
/// ```
#[derive(Debug, Default)]
pub struct RouteTree {
    root: Node,
}

/// What answers a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// The route of that number, with the path's parameters.
    Route(usize, Vec<String>),
    /// No route has that path.
    NotFound,
    /// Routes have that path, with these methods.
    MethodNotAllowed(String),
    /// The path does not decode.
    BadPath,
}

#[derive(Debug, Default)]
struct Node {
    children: BTreeMap<String, Self>,
    parameter: Option<Box<Self>>,
    /// Routes of a wildcard that begins here.
    wildcard: Vec<(&'static str, usize)>,
    routes: Vec<(&'static str, usize)>,
}

impl RouteTree {
    /// The tree of routes, each a method and a path such as `/notes/:id` or `/files/*path`.
    pub fn new(routes: &[(&'static str, &str)]) -> Self {
        let mut tree = Self::default();
        for (number, (method, path)) in routes.iter().enumerate() {
            let mut node = &mut tree.root;
            let mut is_wildcard = false;
            for segment in path.split('/').filter(|segment| !segment.is_empty()) {
                if segment.starts_with('*') {
                    is_wildcard = true;
                } else if segment.starts_with(':') {
                    node = node.parameter.get_or_insert_default();
                } else {
                    let text = normal_path(segment).map_or_else(|| segment.to_owned(), Cow::into_owned);
                    node = node.children.entry(text).or_default();
                }
            }
            let list = if is_wildcard {
                &mut node.wildcard
            } else {
                &mut node.routes
            };
            list.push((method, number));
        }
        tree
    }

    /// Finds what answers a request; `path` is without its query, in any spelling.
    pub fn find(&self, method: &str, path: &str) -> Match {
        if path.starts_with('/') && (path.contains('%') || !path.is_ascii()) {
            return normal_path(path).map_or(Match::BadPath, |normal| self.find_normal(method, &normal));
        }
        self.find_normal(method, path)
    }

    fn find_normal(&self, method: &str, path: &str) -> Match {
        let Some(inner) = path.strip_prefix('/') else {
            return Match::NotFound;
        };
        let mut search = Search {
            method,
            allowed: [false; METHODS.len()],
            values: Vec::new(),
        };
        let rest = (!inner.is_empty()).then(|| inner.strip_suffix('/').unwrap_or(inner));
        if let Some(route) = search.walk(&self.root, rest) {
            return Match::Route(route, search.values);
        }
        let allowed = METHODS.iter().zip(search.allowed).filter(|(_, allowed)| *allowed);
        let allowed: Vec<_> = allowed.map(|(method, _)| *method).collect();
        if allowed.is_empty() {
            Match::NotFound
        } else {
            Match::MethodNotAllowed(allowed.join(", "))
        }
    }
}

/// The part of a path that the wildcard of a route takes: all behind as many slashes as stand before the wildcard.
pub(super) fn wildcard_of<'p>(pattern: &str, path: &'p str) -> Option<&'p str> {
    let (before, _) = pattern.split_once("/*")?;
    let slashes = before.matches('/').count() + 1;
    path.splitn(slashes + 1, '/').nth(slashes)
}

struct Search<'a> {
    method: &'a str,
    allowed: [bool; METHODS.len()],
    values: Vec<String>,
}

impl Search<'_> {
    /// Looks for a route below a node; `rest` is what the path has behind it. A node is visited at most once, so the tree bounds the search.
    fn walk(&mut self, node: &Node, rest: Option<&str>) -> Option<usize> {
        let Some(rest) = rest else {
            return self.route(&node.routes);
        };
        let (segment, next) = match rest.split_once('/') {
            Some((segment, next)) => (segment, Some(next)),
            None => (rest, None),
        };
        if segment.is_empty() && node.wildcard.is_empty() {
            return None;
        }
        if let Some(child) = node.children.get(segment) {
            if let Some(found) = self.walk(child, next) {
                return Some(found);
            }
        }
        if let Some(child) = node.parameter.as_deref().filter(|_| !segment.is_empty()) {
            self.values.push(decode_percent(segment)?.into_owned());
            if let Some(found) = self.walk(child, next) {
                return Some(found);
            }
            self.values.pop();
        }
        if rest.is_empty() || node.wildcard.is_empty() {
            return None;
        }
        let found = self.route(&node.wildcard)?;
        self.values.push(decode_percent(rest)?.into_owned());
        Some(found)
    }

    fn route(&mut self, routes: &[(&'static str, usize)]) -> Option<usize> {
        let of = |method: &str| {
            let found = routes.iter().find(|(name, _)| *name == method);
            found.map(|(_, route)| *route)
        };
        let found = of(self.method).or_else(|| of("GET").filter(|_| self.method == "HEAD"));
        if found.is_none() {
            for (at, method) in METHODS.iter().enumerate() {
                self.allowed[at] |= of(method).is_some() || (*method == "HEAD" && of("GET").is_some());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::wildcard_of;

    #[test]
    fn gives_the_raw_rest_of_a_path() {
        assert_eq!(wildcard_of("/files/*path", "/files/a%2Fb/c/"), Some("a%2Fb/c/"));
        assert_eq!(wildcard_of("/:team/files/*path", "/a%2Fb/files/c"), Some("c"));
        assert_eq!(wildcard_of("/*rest", "//a"), Some("/a"));
        assert_eq!(wildcard_of("/files/:id", "/files/7"), None);
    }
}
