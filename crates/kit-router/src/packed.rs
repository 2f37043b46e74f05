//! The tree packed into flat arrays, the form that a search reads.

use crate::hash::SegmentTable;
use crate::pattern::Segment;
use crate::tree::TreeNode;
use crate::{Method, RouteTree};

pub(crate) const ROOT: u32 = 0;
/// In place of a child: the root is nobody's.
pub(crate) const NONE: u32 = 0;

/// See [`crate::Router`].
#[derive(Debug, Clone)]
pub(crate) struct Packed {
    /// In the order of the tree's.
    pub(crate) nodes: Box<[Node]>,
    /// Route numbers; those of a node stand together, in the order of [`Method::ALL`].
    pub(crate) routes: Box<[u32]>,
    /// Static children.
    pub(crate) table: SegmentTable,
    /// What [`Text`]s refer to.
    texts: Box<[u8]>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) parent: u32,
    /// The segment, where it is static.
    pub(crate) text: Text,
    pub(crate) first_route: u32,
    /// The parameter or wildcard below, or [`NONE`].
    pub(crate) rest: u32,
    /// A bit for each method, HEAD's too where GET stands in for it.
    pub(crate) methods: u8,
    pub(crate) has_statics: bool,
    pub(crate) rest_is_wildcard: bool,
}

/// A stretch of the common text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Text {
    start: u32,
    length: u32,
}

impl Packed {
    pub(crate) fn new(tree: &RouteTree) -> Self {
        let mut routes = Vec::with_capacity(tree.routes.len());
        let mut texts = Vec::new();
        let mut nodes: Vec<Node> = Vec::with_capacity(tree.nodes.len());
        for node in &tree.nodes {
            let first_route = packed(routes.len());
            let is_wildcard = |rest: usize| matches!(tree.nodes[rest].segment, Some(Segment::Wildcard(_)));
            nodes.push(Node {
                parent: NONE,
                text: match &node.segment {
                    Some(Segment::Static(text)) => Text::append(&mut texts, text),
                    _ => Text::default(),
                },
                first_route,
                rest: node.rest.map_or(NONE, packed),
                methods: pack_methods(node, &mut routes),
                has_statics: !node.statics.is_empty(),
                rest_is_wildcard: node.rest.is_some_and(is_wildcard),
            });
        }
        let count = tree.nodes.iter().map(|node| node.statics.len()).sum();
        let mut table = SegmentTable::with_capacity(count);
        for (parent, node) in tree.nodes.iter().enumerate() {
            for (segment, &child) in &node.statics {
                nodes[child].parent = packed(parent);
                table.insert(packed(parent), segment.as_bytes(), packed(child));
            }
        }
        Self {
            nodes: nodes.into_boxed_slice(),
            routes: routes.into_boxed_slice(),
            table,
            texts: texts.into_boxed_slice(),
        }
    }

    #[inline]
    pub(crate) fn text(&self, text: Text) -> &[u8] {
        let start = text.start as usize;
        &self.texts[start..start + text.length as usize]
    }

    pub(crate) fn size(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.routes) + self.table.size() + self.texts.len()
    }
}

impl Text {
    fn append(texts: &mut Vec<u8>, text: &str) -> Self {
        let start = packed(texts.len());
        texts.extend_from_slice(text.as_bytes());
        Self {
            start,
            length: packed(text.len()),
        }
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
