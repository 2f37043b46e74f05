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
