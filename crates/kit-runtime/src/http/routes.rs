//! Finds the route for a method and a path.
//!
//! In each segment, static text has precedence over a parameter, and a parameter over a wildcard. The search goes
//! back if a choice leads to no route, or only to routes with other methods. If no matching route has the method of
//! the request, the response is 405 with the methods of all matching routes. GET routes also handle HEAD. One
//! trailing slash is ignored. Parameters and wildcards match at least one character. Routes and paths are compared in
//! the normal form of paths; only the values of parameters are decoded.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kit_guard::normal_path;

use crate::coerce::decode_percent;

/// Methods in the order in which `Allow` lists them.
pub(super) const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// A segment of a route's path. The build parses and checks the paths of routes, so this crate never reads them as
/// text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment {
    /// Static text in the normal form of paths (see [`kit_guard::normal_path`]).
    Static(&'static str),
    /// Parameter, with its name: `:name`
    Parameter(&'static str),
    /// Wildcard, with its name: `*name`. The wildcard is the last segment.
    Wildcard(&'static str),
}

impl Segment {
    /// Returns the name of a parameter or wildcard; `None` for static text.
    pub(super) fn name(&self) -> Option<&'static str> {
        match self {
            Self::Static(_) => None,
            Self::Parameter(name) | Self::Wildcard(name) => Some(name),
        }
    }
}

/// Tree of routes by their paths.
///
/// ```
/// use kit_runtime::{Match, RouteTree, Segment};
///
/// let tree = RouteTree::new(&[
///     ("GET", &[Segment::Static("files"), Segment::Parameter("name")]),
///     ("POST", &[Segment::Static("files"), Segment::Static("upload")]),
/// ]);
/// assert_eq!(tree.find("GET", "/files/upload"), Match::Route(0, vec!["upload".to_owned()]));
/// assert_eq!(tree.find("PUT", "/files/upload"), Match::MethodNotAllowed("GET, HEAD, POST".to_owned()));
/// ```
#[derive(Debug, Default)]
pub struct RouteTree {
    root: Node,
}

/// Result of the search for a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// Index of the route, and the values of its path parameters.
    Route(usize, Vec<String>),
    /// No route has this path.
    NotFound,
    /// Routes have this path, but only with these methods. The string is the value of `Allow`.
    MethodNotAllowed(String),
    /// The path has no normal form, for example because a percent-escape is invalid.
    BadPath,
}

#[derive(Debug, Default)]
struct Node {
    children: BTreeMap<&'static str, Self>,
    parameter: Option<Box<Self>>,
    /// Routes with a wildcard in place of the next segment.
    wildcard: Vec<(&'static str, usize)>,
    routes: Vec<(&'static str, usize)>,
}

impl RouteTree {
    /// Builds the tree from routes. Each route is a method and the segments of its path. The path `/` has no
    /// segments.
    pub fn new(routes: &[(&'static str, &'static [Segment])]) -> Self {
        let mut tree = Self::default();
        for (number, (method, segments)) in routes.iter().enumerate() {
            let mut node = &mut tree.root;
            let mut is_wildcard = false;
            for segment in *segments {
                match segment {
                    Segment::Static(text) => node = node.children.entry(text).or_default(),
                    Segment::Parameter(_) => node = node.parameter.get_or_insert_default(),
                    Segment::Wildcard(_) => is_wildcard = true,
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

    /// Finds the route for a request. `path` must have no query, and need not be in the normal form.
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

/// Returns the part of a path that the wildcard of a route matches, undecoded: `/files/a%2Fb/` gives `a%2Fb/` if the
/// route is `/files/*path`. Returns `None` if the route has no wildcard.
pub(super) fn wildcard_of<'p>(segments: &[Segment], path: &'p str) -> Option<&'p str> {
    let before = segments
        .iter()
        .position(|segment| matches!(segment, Segment::Wildcard(_)))?;
    let slashes = before + 1;
    path.splitn(slashes + 1, '/').nth(slashes)
}

/// Returns the path of a request that matched a route, with `replacement` in place of the parameters whose names are
/// hidden. A hidden wildcard hides everything that it matches.
pub(crate) fn hide_parameters<'p>(
    segments: &[Segment],
    path: &'p str,
    is_hidden: impl Fn(&str) -> bool,
    replacement: &str,
) -> Cow<'p, str> {
    let is_hidden = |segment: &Segment| segment.name().is_some_and(&is_hidden);
    if !segments.iter().any(is_hidden) {
        return Cow::Borrowed(path);
    }
    let mut shown = String::with_capacity(path.len());
    let mut rest = path.strip_prefix('/').unwrap_or(path);
    for segment in segments {
        let (value, next) = match segment {
            Segment::Wildcard(_) => (rest, ""),
            Segment::Static(_) | Segment::Parameter(_) => rest.split_once('/').unwrap_or((rest, "")),
        };
        shown.push('/');
        shown.push_str(if is_hidden(segment) { replacement } else { value });
        rest = next;
    }
    Cow::Owned(shown)
}

struct Search<'a> {
    method: &'a str,
    allowed: [bool; METHODS.len()],
    values: Vec<String>,
}

impl Search<'_> {
    /// Searches for a route below a node. `rest` is the part of the path after the node. Each node is visited at most
    /// once, so the size of the tree limits the search.
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
    use super::{Segment, hide_parameters, wildcard_of};

    #[test]
    fn returns_the_undecoded_wildcard_part_of_a_path() {
        let (team, files, rest) = (
            Segment::Parameter("team"),
            Segment::Static("files"),
            Segment::Wildcard("rest"),
        );
        assert_eq!(wildcard_of(&[files, rest], "/files/a%2Fb/c/"), Some("a%2Fb/c/"));
        assert_eq!(wildcard_of(&[team, files, rest], "/a%2Fb/files/c"), Some("c"));
        assert_eq!(wildcard_of(&[rest], "//a"), Some("/a"));
        assert_eq!(wildcard_of(&[files, team], "/files/7"), None);
    }

    #[test]
    fn replaces_the_values_of_hidden_parameters() {
        use Segment::{Parameter, Static, Wildcard};
        let hide = |path, segments: &[Segment], name| {
            hide_parameters(segments, path, |parameter| parameter == name, "[hidden]").into_owned()
        };
        let reset = [Static("reset"), Parameter("token"), Parameter("id")];
        assert_eq!(hide("/reset/abc/x", &reset, "token"), "/reset/[hidden]/x");
        assert_eq!(hide("/reset/abc/x/", &reset, "id"), "/reset/abc/[hidden]");
        let files = [Static("files"), Wildcard("path")];
        assert_eq!(hide("/files/a/b", &files, "path"), "/files/[hidden]");
        let files = [Static("u"), Parameter("id"), Static("files"), Wildcard("path")];
        assert_eq!(hide("/u/7/files/a/b/", &files, "id"), "/u/[hidden]/files/a/b/");
        let token = [Static("token"), Parameter("id")];
        assert_eq!(hide("/token/abc/", &token, "token"), "/token/abc/");
    }
}
