//! Matching: the tree packed into flat arrays, and the search.

use crate::hash::SegmentTable;
use crate::params::{ParamBuffer, Pending, decode_into, is_decodable};
use crate::pattern::Segment;
use crate::tree::TreeNode;
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
pub struct Router {
    nodes: Box<[Node]>,
    /// Route numbers; those of a node stand together, in the order of [`Method::ALL`].
    routes: Box<[u32]>,
    table: SegmentTable,
    /// The text of all static segments.
    text: Box<[u8]>,
}

const ROOT: u32 = 0;
/// In place of a child: the root is nobody's.
const NONE: u32 = 0;

#[derive(Debug, Clone, Copy)]
struct Node {
    parent: u32,
    text_start: u32,
    text_len: u32,
    first_route: u32,
    /// The parameter or wildcard below, or [`NONE`].
    rest: u32,
    /// A bit for each method, HEAD's too where GET stands in for it.
    methods: u8,
    has_statics: bool,
    rest_is_wildcard: bool,
}

impl RouteTree {
    /// Packs the tree for matching.
    pub fn router(&self) -> Router {
        let mut routes = Vec::with_capacity(self.routes.len());
        let mut text = Vec::new();
        let mut nodes: Vec<Node> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let first_route = packed(routes.len());
            let text_start = packed(text.len());
            if let Some(Segment::Static(segment)) = &node.segment {
                text.extend_from_slice(segment.as_bytes());
            }
            let rest_is_wildcard = node
                .rest
                .is_some_and(|rest| matches!(self.nodes[rest].segment, Some(Segment::Wildcard(_))));
            nodes.push(Node {
                parent: NONE,
                text_start,
                text_len: packed(text.len()) - text_start,
                first_route,
                rest: node.rest.map_or(NONE, packed),
                methods: pack_methods(node, &mut routes),
                has_statics: !node.statics.is_empty(),
                rest_is_wildcard,
            });
        }
        let mut table = SegmentTable::with_capacity(self.nodes.iter().map(|node| node.statics.len()).sum());
        for (parent, node) in self.nodes.iter().enumerate() {
            for (segment, &child) in &node.statics {
                nodes[child].parent = packed(parent);
                table.insert(packed(parent), segment.as_bytes(), packed(child));
            }
        }
        Router {
            nodes: nodes.into_boxed_slice(),
            routes: routes.into_boxed_slice(),
            table,
            text: text.into_boxed_slice(),
        }
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
        if path.contains('%') {
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
        self.search(method, path.as_bytes(), path, params)
    }

    /// Bytes that the router takes on the heap.
    pub fn size(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.routes) + self.table.size() + self.text.len()
    }

    /// Walks down one segment at a time. Where a node has both a static child that fits and a parameter or wildcard, the
    /// static one is taken and the other noted; the last one noted is tried when the walk ends without a route.
    fn search(&self, method: Option<Method>, bytes: &[u8], path: &str, params: &mut ParamBuffer) -> Match {
        let end = if bytes.last() == Some(&b'/') {
            bytes.len() - 1
        } else {
            bytes.len()
        };
        let mut allow = Allow::default();
        let (mut at, mut start, mut try_static) = (ROOT, 1, true);
        loop {
            #[cfg(test)]
            params.count_step();
            let stop = bytes[start..end]
                .iter()
                .position(|&byte| byte == b'/')
                .map_or(end, |length| start + length);
            let node = &self.nodes[at as usize];
            let child = if try_static && node.has_statics {
                self.static_child(at, &path[start..stop], params)
            } else {
                None
            };
            let step = match child {
                Some(child) => {
                    if node.rest != NONE {
                        params.pending.push(Pending {
                            node: at,
                            start,
                            params: params.ranges.len(),
                        });
                    }
                    Some((child, stop))
                }
                None if node.rest == NONE => None,
                None => {
                    let stop = if node.rest_is_wildcard { end } else { stop };
                    (start < stop).then(|| {
                        params.ranges.push(start..stop);
                        (node.rest, stop)
                    })
                }
            };
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

    #[inline]
    fn static_child(&self, parent: u32, segment: &str, params: &mut ParamBuffer) -> Option<u32> {
        let segment = if params.escaped && segment.contains('%') {
            decode_into(segment, &mut params.scratch).then_some(params.scratch.as_bytes())?
        } else {
            segment.as_bytes()
        };
        self.table.get(parent, segment, |child| {
            let node = &self.nodes[child as usize];
            let start = node.text_start as usize;
            node.parent == parent && &self.text[start..start + node.text_len as usize] == segment
        })
    }

    /// The node's route for the method; else its methods are added to `allow`.
    #[inline]
    fn route_at(&self, node: u32, method: Option<Method>, allow: &mut Allow) -> Option<Match> {
        let node = &self.nodes[node as usize];
        let bit = method.map_or(0, Method::bit);
        if node.methods & bit == 0 {
            allow.0 |= node.methods;
            return None;
        }
        let before = (node.methods & (bit - 1)).count_ones();
        Some(Match::Route(self.routes[(node.first_route + before) as usize]))
    }
}

fn refuse(allow: Allow) -> Match {
    if allow.is_empty() {
        Match::NotFound
    } else {
        Match::MethodNotAllowed(allow)
    }
}

/// Appends a node's route numbers and returns its methods.
fn pack_methods(node: &TreeNode, routes: &mut Vec<u32>) -> u8 {
    let mut methods = 0;
    for method in Method::ALL {
        let own = node.methods[method as usize];
        let stand_in = if method == Method::Head {
            node.methods[Method::Get as usize]
        } else {
            None
        };
        if let Some(route) = own.or(stand_in) {
            methods |= method.bit();
            routes.push(packed(route));
        }
    }
    methods
}

fn packed(index: usize) -> u32 {
    u32::try_from(index).expect("routes that fit into memory are fewer than 2^32")
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
