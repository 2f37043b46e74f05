//! Matching: the search for what answers a request.

use crate::hash::{has_percent, hash_text, scan_segment};
use crate::packed::{NONE, Packed, ROOT};
use crate::params::{ParamBuffer, Pending, decode_into, is_decodable};
use crate::{Allow, Method, RouteTree};

/// What answers a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// The route of that number; the [`ParamBuffer`] holds its parameters.
    Route(u32),
    /// No route has that path.
    NotFound,
    /// Routes have that path, with other methods.
    MethodNotAllowed(Allow),
    /// The path does not decode.
    BadPath,
}

/// A packed [`RouteTree`] that answers requests. It is immutable: share it freely.
#[derive(Debug, Clone)]
pub struct Router(Packed);

/// A place that the search has come to: a node, and where in the path its segment ends.
type Place = (u32, usize);

impl RouteTree {
    /// Packs the tree for matching.
    pub fn router(&self) -> Router {
        Router(Packed::new(self))
    }
}

impl Router {
    /// Finds what answers a request. `path` is the target as received without its query; parameters are left in `params`.
    #[inline]
    pub fn find(&self, method: &str, path: &str, params: &mut ParamBuffer) -> Match {
        params.clear();
        if !path.starts_with('/') {
            return Match::NotFound;
        }
        if has_percent(path.as_bytes()) {
            params.escaped = true;
            if !is_decodable(path, &mut params.scratch) {
                return Match::BadPath;
            }
        }
        let method = Method::from_name(method);
        if path.len() == 1 {
            let mut allow = Allow::default();
            return self
                .route_at(ROOT, method, &mut allow)
                .unwrap_or_else(|| refuse(allow));
        }
        self.search(method, path, params)
    }

    /// Bytes that the router takes on the heap.
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// Walks down one segment at a time. Where a node has both a static child that fits and a parameter or wildcard, the
    /// static one is taken and the other noted; the last one noted is tried when the walk ends without a route.
    fn search(&self, method: Option<Method>, path: &str, params: &mut ParamBuffer) -> Match {
        let end = if path.ends_with('/') {
            path.len() - 1
        } else {
            path.len()
        };
        let mut allow = Allow::default();
        let (mut at, mut start, mut try_static) = (ROOT, 1, true);
        loop {
            #[cfg(test)]
            params.count_step();
            let step = self.step(at, path, start, end, try_static, params);
            match step {
                Some((next, stop)) if stop < end => {
                    (at, start, try_static) = (next, stop + 1, true);
                    continue;
                }
                Some((next, _)) => {
                    if let Some(found) = self.route_at(next, method, &mut allow) {
                        return found;
                    }
                }
                None => {}
            }
            let Some(pending) = params.pending.pop() else {
                params.ranges.clear();
                return refuse(allow);
            };
            params.ranges.truncate(pending.params);
            (at, start, try_static) = (pending.node, pending.start, false);
        }
    }

    /// Takes the static child that fits, else the parameter or wildcard.
    #[inline]
    fn step(
        &self,
        at: u32,
        path: &str,
        start: usize,
        end: usize,
        try_static: bool,
        params: &mut ParamBuffer,
    ) -> Option<Place> {
        let node = &self.0.nodes[at as usize];
        let (stop, hash) = scan_segment(path.as_bytes(), start);
        if try_static
            && node.has_statics
            && let Some(child) = self.static_child(at, &path[start..stop], hash, params)
        {
            if node.rest != NONE {
                params.pending.push(Pending {
                    node: at,
                    start,
                    params: params.ranges.len(),
                });
            }
            return Some((child, stop));
        }
        if node.rest == NONE {
            return None;
        }
        let stop = if node.rest_is_wildcard { end } else { stop };
        (start < stop).then(|| {
            params.ranges.push(start..stop);
            (node.rest, stop)
        })
    }

    #[inline]
    fn static_child(&self, parent: u32, segment: &str, hash: u64, params: &mut ParamBuffer) -> Option<u32> {
        let (segment, hash) = if params.escaped && segment.contains('%') {
            let decoded = decode_into(segment, &mut params.scratch).then_some(params.scratch.as_bytes())?;
            (decoded, hash_text(decoded))
        } else {
            (segment.as_bytes(), hash)
        };
        self.0.table.get(parent, hash, |child| {
            let node = &self.0.nodes[child as usize];
            node.parent == parent && self.0.text(node.text) == segment
        })
    }

    /// The node's route for the method; else its methods are added to `allow`.
    #[inline]
    fn route_at(&self, node: u32, method: Option<Method>, allow: &mut Allow) -> Option<Match> {
        let node = &self.0.nodes[node as usize];
        let bit = method.map_or(0, Method::bit);
        if node.methods & bit == 0 {
            allow.0 |= node.methods;
            return None;
        }
        let before = (node.methods & (bit - 1)).count_ones();
        Some(Match::Route(self.0.routes[(node.first_route + before) as usize]))
    }
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

    /// Every path of `a` and `:p` to a depth: the most ambiguous tree there is.
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
    fn a_search_visits_a_node_at_most_once() {
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
            // A node with an alternative is looked at once for the static child and once more for the other.
            assert!(
                params.steps <= 2 * tree.nodes.len(),
                "{} steps in {} nodes",
                params.steps,
                tree.nodes.len()
            );
        }
    }

    #[test]
    fn few_routes_cannot_be_made_slow() {
        // Static and parameter at every level, but one route for each: the search ends after as many steps as there are nodes.
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
            params.steps > depth && params.steps <= 2 * tree.nodes.len(),
            "{}",
            params.steps
        );
    }

    #[test]
    fn matching_again_allocates_nothing() {
        let router = RouteTree::compile([RouteSpec::new("GET", "/:a/:b"), RouteSpec::new("GET", "/x/:b/c")])
            .unwrap()
            .router();
        let mut params = ParamBuffer::new();
        let path = "/x/%62";
        router.find("GET", path, &mut params);
        let before = (
            params.ranges.as_ptr(),
            params.pending.as_ptr(),
            params.scratch.as_ptr(),
        );
        for _ in 0..100 {
            assert_eq!(router.find("GET", path, &mut params), Match::Route(0));
        }
        assert_eq!(
            (
                params.ranges.as_ptr(),
                params.pending.as_ptr(),
                params.scratch.as_ptr()
            ),
            before
        );
        assert_eq!(params.values(path).collect::<Vec<_>>(), ["x", "b"]);
    }

    #[test]
    fn parameters_are_borrowed_where_nothing_is_escaped() {
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

    #[test]
    fn routers_are_small() {
        for (routes, limit) in [(100, 50_000), (1000, 200_000)] {
            let specs =
                (0..routes).map(|n| RouteSpec::new("GET", format!("/api/v1/resource{}/:id/part{n}", n / 5)));
            let size = RouteTree::compile(specs).unwrap().router().size();
            assert!(size < limit, "{size} bytes for {routes} routes");
        }
    }
}
