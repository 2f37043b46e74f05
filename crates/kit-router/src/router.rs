//! Finds the route for a request.

use std::borrow::Cow;

use kit_guard::normal_path;

use crate::packed::{NONE, Node, PackedTree, ROOT, Routes};
use crate::params::{ParamBuffer, Pending};
use crate::path_words::PathWords;
use crate::{Allow, Method, RouteTree};

/// Result of a search for a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// The route with this number. The [`ParamBuffer`] contains its parameters.
    Route(u32),
    /// No route has this path.
    NotFound,
    /// Routes have this path, but not the method. The value is the set of their methods.
    MethodNotAllowed(Allow),
    /// The path contains an invalid escape, or does not decode to UTF-8.
    BadPath,
}

/// A [`RouteTree`] in the form that is fast to search. The router is immutable, so threads can share it.
#[derive(Debug, Clone)]
pub struct Router(PackedTree);

impl RouteTree {
    /// Converts the tree to the form that is fast to search.
    ///
    /// ```
    /// use kit_router::{Match, ParamBuffer, RouteSpec, RouteTree};
    ///
    /// let tree = RouteTree::compile([RouteSpec::new("GET", "/notes")]).unwrap();
    /// let router = tree.router();
    /// assert_eq!(router.find("HEAD", "/notes", &mut ParamBuffer::new()), Match::Route(0));
    /// ```
    pub fn router(&self) -> Router {
        Router(PackedTree::new(self))
    }
}

impl Router {
    /// Finds the route for a request and stores its parameters in `params`. `path` is the request target
    /// without the query. It need not be in the normal form: `/a/%62` is found as `/a/b`.
    ///
    /// ```
    /// use kit_router::{Match, ParamBuffer, RouteSpec, RouteTree};
    ///
    /// let router = RouteTree::compile([RouteSpec::new("GET", "/notes/:id")]).unwrap().router();
    /// let mut params = ParamBuffer::new();
    /// assert_eq!(router.find("GET", "/notes/a%20b", &mut params), Match::Route(0));
    /// assert_eq!(params.values("/notes/a%20b").next().unwrap(), "a b");
    /// assert_eq!(router.find("GET", "/notes", &mut params), Match::NotFound);
    /// assert_eq!(router.find("GET", "/notes/%", &mut params), Match::BadPath);
    /// ```
    #[inline]
    pub fn find(&self, method: &str, path: &str, params: &mut ParamBuffer) -> Match {
        params.clear();
        if !path.starts_with('/') {
            return Match::NotFound;
        }
        let method = Method::from_name(method).map_or(0, Method::bit);
        if path.len() == 1 {
            let found = self.route_at(self.0.root, method);
            return found.unwrap_or_else(|| refuse(Allow(self.0.root.methods)));
        }
        if PathWords::new(path.as_bytes()).may_be_changed_by_normal_form() {
            return self.find_normal(method, path, params);
        }
        self.search(method, path.as_bytes(), params)
    }

    /// Returns the number of bytes that the router uses on the heap.
    ///
    /// ```
    /// use kit_router::{RouteSpec, RouteTree};
    ///
    /// let small = RouteTree::compile([RouteSpec::new("GET", "/a")]).unwrap();
    /// let large = RouteTree::compile(["/a", "/b/:id", "/c/*rest"].map(|path| RouteSpec::new("GET", path))).unwrap();
    /// assert!(small.router().size() < large.router().size());
    /// ```
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// Searches for the normal form of a path, then converts the ranges of the parameters to ranges of the
    /// path as the client sent it.
    #[cold]
    fn find_normal(&self, method: u8, path: &str, params: &mut ParamBuffer) -> Match {
        let Some(normal) = normal_path(path) else {
            return Match::BadPath;
        };
        params.escaped = true;
        let found = self.search(method, normal.as_bytes(), params);
        if let Cow::Owned(normal) = normal {
            params.locate_in(path, &normal);
        }
        found
    }

    /// Searches the tree from the root. If a node has a matching static child and a parameter or wildcard,
    /// the search continues at the static child and remembers the other one. If the search finds no route, it
    /// continues at the child that it remembered last. The tree and the path are in the normal form, so their
    /// bytes are compared directly.
    #[inline]
    fn search(&self, method: u8, path: &[u8], params: &mut ParamBuffer) -> Match {
        let words = PathWords::new(path);
        let end = path.len() - usize::from(path.ends_with(b"/"));
        let mut allow = 0;
        let mut node = self.node(ROOT);
        let mut at = usize::from(node.length);
        let word = words.at(0);
        if !starts_with(word, node) {
            node = self.node(NONE);
            at = 0;
        }
        loop {
            #[cfg(test)]
            params.count_step();
            let mut rest = NONE;
            if at < end {
                rest = node.rest;
                if let Some(child) = self.child(node, path[at]) {
                    let word = words.at(at);
                    if starts_with(word, child) {
                        if rest != NONE {
                            params.pending.push(Pending {
                                node: rest,
                                start: at,
                                params: params.ranges.len(),
                            });
                        }
                        node = child;
                        at += usize::from(child.length);
                        continue;
                    }
                }
            } else if at == end {
                if let Some(found) = self.route_at(node.routes, method) {
                    return found;
                }
                allow |= node.routes.methods;
            }
            // The position may be after the end of the path here: a text with zero bytes matches the zeros that
            // `PathWords` returns after the end.
            if rest == NONE {
                let Some(pending) = params.pending.pop() else {
                    break;
                };
                params.ranges.truncate(pending.params);
                (rest, at) = (pending.node, pending.start);
            }
            node = self.node(rest);
            let stop = if node.is_wildcard {
                end
            } else {
                words.find(b'/', at)
            };
            let stop = stop.min(end);
            if at < stop {
                params.ranges.push(at..stop);
                at = stop;
            } else {
                // Neither a parameter nor a wildcard matches an empty segment.
                node = self.node(NONE);
            }
        }
        params.ranges.clear();
        refuse(Allow(allow))
    }

    #[inline]
    fn node(&self, index: u32) -> &Node {
        &self.0.nodes[index as usize]
    }

    /// Returns the child whose text begins with a byte. If the node has no such child, may return a child of
    /// another node, so the caller must compare the text.
    #[inline]
    fn child(&self, node: &Node, byte: u8) -> Option<&Node> {
        self.0
            .nodes
            .get(node.children.wrapping_add(u32::from(byte)) as usize)
    }

    /// Returns the route of a node for a method. `method` is the bit of the method.
    #[inline]
    fn route_at(&self, routes: Routes, method: u8) -> Option<Match> {
        if routes.methods & method == 0 {
            return None;
        }
        let before = (routes.methods & (method - 1)).count_ones();
        Some(Match::Route(self.0.routes[(routes.first + before) as usize]))
    }
}

/// Returns true if the word begins with the text of the node, which must not be empty.
#[inline]
fn starts_with(word: u64, node: &Node) -> bool {
    (word ^ node.text) << node.unused_bits == 0
}

fn refuse(allow: Allow) -> Match {
    if allow.is_empty() {
        Match::NotFound
    } else {
        Match::MethodNotAllowed(allow)
    }
}

#[cfg(test)]
mod tests {
    use super::Match;
    use crate::{ParamBuffer, RouteSpec, RouteTree};

    /// Builds a tree with all paths that consist of the segments `a` and `:p` up to a depth. No other tree gives a
    /// search more alternatives.
    fn ambiguous(depth: u32) -> RouteTree {
        RouteTree::compile((0..1_u32 << depth).map(|choices| {
            let segment = |level| match choices >> level & 1 {
                0 => "/a".to_owned(),
                _ => format!("/:p{level}"),
            };
            RouteSpec::new("GET", (0..depth).map(segment).collect::<Vec<_>>().concat())
        }))
        .unwrap()
    }

    #[test]
    fn search_visits_each_node_at_most_once() {
        let tree = ambiguous(10);
        let router = tree.router();
        let mut params = ParamBuffer::new();
        for path in [
            "/a".repeat(10),
            "/a".repeat(11),
            "/a".repeat(9) + "//",
            "/a".repeat(5000),
        ] {
            let answer = router.find("DELETE", &path, &mut params);
            assert!(
                matches!(answer, Match::NotFound | Match::MethodNotAllowed(_)),
                "{answer:?}"
            );
            // If a node has two matching children, the search visits it once for the static child and once for the
            // other one.
            assert!(
                params.steps <= 2 * router.0.nodes.len(),
                "{} steps in {} nodes",
                params.steps,
                router.0.nodes.len()
            );
        }
    }

    #[test]
    fn search_of_deep_ambiguous_routes_takes_linear_time() {
        // Each level has a static child and a parameter, but only one route ends there. The search must not take more
        // steps than there are nodes.
        let depth = 40;
        let tree = RouteTree::compile((0..depth).map(|level| {
            RouteSpec::new(
                "GET",
                "/a".repeat(level) + "/:p" + &"/a".repeat(depth - level) + "/end",
            )
        }))
        .unwrap();
        let router = tree.router();
        let mut params = ParamBuffer::new();
        assert_eq!(
            router.find("GET", &("/a".repeat(depth + 1) + "/no"), &mut params),
            Match::NotFound
        );
        assert!(
            params.steps > depth && params.steps <= 2 * router.0.nodes.len(),
            "{}",
            params.steps
        );
    }

    #[test]
    fn search_with_a_used_buffer_allocates_no_memory() {
        let router = RouteTree::compile([RouteSpec::new("GET", "/:a/:b"), RouteSpec::new("GET", "/x/:b/c")])
            .unwrap()
            .router();
        let mut params = ParamBuffer::new();
        let path = "/x/%20";
        router.find("GET", path, &mut params);
        let before = (params.ranges.as_ptr(), params.pending.as_ptr());
        for _ in 0..100 {
            assert_eq!(router.find("GET", path, &mut params), Match::Route(0));
        }
        assert_eq!((params.ranges.as_ptr(), params.pending.as_ptr()), before);
        assert_eq!(params.values(path).collect::<Vec<_>>(), ["x", " "]);
    }

    #[test]
    fn parameters_of_a_path_without_escapes_are_not_copied() {
        let router = RouteTree::compile([RouteSpec::new("GET", "/:a")])
            .unwrap()
            .router();
        let mut params = ParamBuffer::new();
        router.find("GET", "/abc", &mut params);
        assert!(!params.needs_decoding());
        assert!(matches!(
            params.values("/abc").next(),
            Some(std::borrow::Cow::Borrowed("abc"))
        ));
        assert_eq!(
            (params.ranges(), params.len(), params.is_empty()),
            (std::slice::from_ref(&(1..4)), 1, false)
        );
    }
}
