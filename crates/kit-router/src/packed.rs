//! The radix tree in flat arrays. A search reads this form, because it needs few memory accesses.

use rustc_hash::FxHashSet;

use crate::radix::{Radix, TOP, is_wildcard};
use crate::tree::TreeNode;
use crate::{Method, RouteTree};

/// Index that means "no node". The array has a node at this index, which matches no path and has no children.
pub(crate) const NONE: u32 = 0;
/// Index of the node for the leading slash of a path, at which a search begins.
pub(crate) const ROOT: u32 = 1;

/// Byte that occurs in no path, because it never occurs in UTF-8.
const NEVER: u8 = 0xC0;
/// Value of [`Node::children`] for a node without children. Its sum with any byte is an index outside of the
/// array.
pub(crate) const CHILDLESS: u32 = u32::MAX - 0xFF;

/// Content of a [`crate::Router`].
#[derive(Debug, Clone)]
pub(crate) struct PackedTree {
    /// All nodes. The child of a node for a byte has the index [`Node::children`] plus the byte, so that each
    /// step needs one memory access. If the node has no child for the byte, a child of another node may have
    /// this index. The search then finds that its text begins with another byte, because no two nodes have
    /// the same `children`.
    pub(crate) nodes: Box<[Node]>,
    /// Numbers of the routes. The numbers of one node are adjacent, in the order of [`Method::ALL`].
    pub(crate) routes: Box<[u32]>,
    /// Routes with the path `/`.
    pub(crate) root: Routes,
}

/// A node: up to eight bytes of text, and its children. Two nodes fit into a cache line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// Bytes of the text. The lowest byte is the first byte of the text. Unused bytes are zero.
    pub(crate) text: u64,
    /// Number that gives the index of a child if the first byte of the child's text is added to it, with
    /// wrap-around.
    pub(crate) children: u32,
    /// Index of the child that is a parameter or wildcard, or [`NONE`].
    pub(crate) rest: u32,
    pub(crate) routes: Routes,
    /// Number of bytes in `text`.
    pub(crate) length: u8,
    /// Number of unused bits in `text`.
    pub(crate) unused_bits: u8,
    pub(crate) is_wildcard: bool,
}

/// Routes that end at a node.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Routes {
    /// Index of the node's first route in [`PackedTree::routes`].
    pub(crate) first: u32,
    /// Bit mask of the methods. If the node has a GET route, the bit of HEAD is also set.
    pub(crate) methods: u8,
}

impl PackedTree {
    pub(crate) fn new(tree: &RouteTree) -> Self {
        let mut packing = Packing::new();
        packing.pack(tree, &Radix::new(tree));
        let root = pack_routes(&tree.nodes[0], &mut packing.routes);
        let empty = Node::new(&[NEVER; 8]);
        let nodes = packing.nodes.into_iter().map(|node| node.unwrap_or(empty));
        Self {
            nodes: nodes.collect(),
            routes: packing.routes.into_boxed_slice(),
            root,
        }
    }

    pub(crate) fn size(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.routes)
    }
}

impl Node {
    fn new(text: &[u8]) -> Self {
        let word = text
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u64::from(byte));
        let length = u8::try_from(text.len()).expect("a chunk has at most eight bytes");
        Self {
            text: word,
            children: CHILDLESS,
            rest: NONE,
            routes: Routes::default(),
            length,
            unused_bits: 64 - 8 * length,
            is_wildcard: false,
        }
    }
}

struct Packing {
    nodes: Vec<Option<Node>>,
    /// Index from which the search for a free index starts: all lower indexes are in use.
    full_until: usize,
    routes: Vec<u32>,
    /// Values of [`Node::children`] that other nodes already use.
    used_bases: FxHashSet<u32>,
}

impl Packing {
    fn new() -> Self {
        Self {
            nodes: vec![Some(Node::new(&[NEVER; 8]))],
            full_until: 0,
            routes: Vec::new(),
            used_bases: FxHashSet::default(),
        }
    }

    /// Packs the nodes depth-first, so that the nodes of one path are mostly adjacent in memory.
    fn pack(&mut self, tree: &RouteTree, radix: &Radix) {
        let root = self.reserve();
        // No child of a node may have the index of the root for a slash. Otherwise two slashes in a row would start
        // the search again.
        self.used_bases.insert(packed(root).wrapping_sub(u32::from(b'/')));
        let mut left = vec![(TOP, root)];
        while let Some((first, slot)) = left.pop() {
            // Join nodes without branches and without routes to one text.
            let (mut last, mut text) = (first, radix.nodes[first].text.clone());
            while let Some(next) = radix.only_child(last) {
                text.extend_from_slice(&radix.nodes[next].text);
                last = next;
            }
            let index = self.text(&text, slot);
            let source = &radix.nodes[last];
            let mut node = *self.node(index);
            if let Some(place) = source.place {
                node.routes = pack_routes(&tree.nodes[place], &mut self.routes);
                node.is_wildcard = is_wildcard(tree, place);
            }
            if let Some(rest) = source.rest {
                let slot = self.reserve();
                node.rest = packed(slot);
                left.push((rest, slot));
            }
            if !source.children.is_empty() {
                let bytes: Vec<u8> = source.children.iter().map(|&(byte, _)| byte).collect();
                node.children = self.reserve_children(&bytes);
                for &(byte, child) in source.children.iter().rev() {
                    left.push((child, child_slot(node.children, byte)));
                }
            }
            *self.node(index) = node;
        }
    }

    /// Stores a text as a chain of nodes with up to eight bytes each, and returns the last node.
    fn text(&mut self, text: &[u8], mut slot: usize) -> usize {
        let mut chunks = text.chunks(8);
        // A search reaches the node of a parameter without its text. Its index may also result from a byte of another
        // node, and then the text `NEVER` does not match.
        self.nodes[slot] = Some(Node::new(chunks.next().unwrap_or(&[NEVER; 8])));
        for chunk in chunks {
            let children = self.reserve_children(&chunk[..1]);
            self.node(slot).children = children;
            slot = child_slot(children, chunk[0]);
            self.nodes[slot] = Some(Node::new(chunk));
        }
        slot
    }

    fn node(&mut self, index: usize) -> &mut Node {
        self.nodes[index].get_or_insert_with(|| Node::new(&[NEVER; 8]))
    }

    /// Finds the lowest number for which the indexes `number + byte` are free for all of these bytes, and
    /// reserves these indexes. `bytes` is sorted.
    fn reserve_children(&mut self, bytes: &[u8]) -> u32 {
        let mut lowest = self.free_slot();
        let children = loop {
            let children = packed(lowest).wrapping_sub(u32::from(bytes[0]));
            let is_free = |&byte: &u8| {
                let slot = child_slot(children, byte);
                self.nodes.get(slot).is_none_or(Option::is_none)
            };
            if bytes.iter().all(is_free) && !self.used_bases.contains(&children) {
                break children;
            }
            lowest += 1;
        };
        self.used_bases.insert(children);
        for &byte in bytes {
            let slot = child_slot(children, byte);
            if slot >= self.nodes.len() {
                self.nodes.resize(slot + 1, None);
            }
            self.nodes[slot] = Some(Node::new(&[NEVER; 8]));
        }
        children
    }

    /// Reserves the first free index and returns it.
    fn reserve(&mut self) -> usize {
        let slot = self.free_slot();
        if slot == self.nodes.len() {
            self.nodes.push(None);
        }
        self.nodes[slot] = Some(Node::new(&[NEVER; 8]));
        slot
    }

    /// Returns the first free index.
    fn free_slot(&mut self) -> usize {
        while self.nodes.get(self.full_until).is_some_and(Option::is_some) {
            self.full_until += 1;
        }
        self.full_until
    }
}

fn child_slot(children: u32, byte: u8) -> usize {
    children.wrapping_add(u32::from(byte)) as usize
}

/// Appends the numbers of a node's routes to `routes`.
fn pack_routes(node: &TreeNode, routes: &mut Vec<u32>) -> Routes {
    let first = packed(routes.len());
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
    Routes { first, methods }
}

fn packed(index: usize) -> u32 {
    u32::try_from(index).expect("routes that fit into memory are fewer than 2^32")
}

#[cfg(test)]
mod tests {
    use super::Node;

    #[test]
    fn two_nodes_fit_into_a_cache_line() {
        assert_eq!(size_of::<Node>(), 32);
    }
}
