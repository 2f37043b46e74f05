//! The radix tree packed into flat arrays, the form that a search reads.

use rustc_hash::FxHashSet;

use crate::radix::{Radix, TOP, is_wildcard};
use crate::tree::TreeNode;
use crate::{Method, RouteTree};

/// A node that no path leads to, and from which none leads on; in place of one that is not there.
pub(crate) const NONE: u32 = 0;
/// The node of the leading slash, where a search begins.
pub(crate) const ROOT: u32 = 1;

/// A byte that neither UTF-8 nor what stands for text has, so that no path does.
const NEVER: u8 = 0xC0;
/// In place of [`Node::children`] where there are none: no byte leads from here to a node.
pub(crate) const CHILDLESS: u32 = u32::MAX - 0xFF;

/// See [`crate::Router`].
#[derive(Debug, Clone)]
pub(crate) struct Packed {
    /// A node's child for a byte stands at the sum of [`Node::children`] and the byte, so that a step takes one access to memory.
    /// What stands there otherwise is another node's child. No two nodes have the same `children`, so its text begins with
    /// another byte than the one asked for, and comparing the text is check enough.
    pub(crate) nodes: Box<[Node]>,
    /// Route numbers; those of a node stand together, in the order of [`Method::ALL`].
    pub(crate) routes: Box<[u32]>,
    /// What answers `/`.
    pub(crate) root: Routes,
}

/// Up to eight bytes of text, and what can come behind them. Two fit into a cache line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// The text, its first byte the lowest, with zeros above.
    pub(crate) text: u64,
    /// What to add a byte to, wrapping, for the index of its child.
    pub(crate) children: u32,
    /// The parameter or wildcard below, or [`NONE`].
    pub(crate) rest: u32,
    pub(crate) routes: Routes,
    /// How many bytes the text has.
    pub(crate) length: u8,
    /// How many bits of `text` lie above it.
    pub(crate) unused_bits: u8,
    pub(crate) is_wildcard: bool,
}

/// What is registered in one place.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Routes {
    /// Index of the first method's in [`Packed::routes`].
    pub(crate) first: u32,
    /// A bit for each method, HEAD's too where GET stands in for it.
    pub(crate) methods: u8,
}

impl Packed {
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
    /// Below it, all of `nodes` are there.
    full: usize,
    routes: Vec<u32>,
    /// What is taken as [`Node::children`].
    taken: FxHashSet<u32>,
}

impl Packing {
    fn new() -> Self {
        Self {
            nodes: vec![Some(Node::new(&[NEVER; 8]))],
            full: 0,
            routes: Vec::new(),
            taken: FxHashSet::default(),
        }
    }

    /// Goes deep before it goes wide, so that what follows in a path mostly follows in memory.
    fn pack(&mut self, tree: &RouteTree, radix: &Radix) {
        let root = self.reserve();
        // Nothing leads to the root, or a second slash in a row would begin the path anew.
        self.taken.insert(packed(root).wrapping_sub(u32::from(b'/')));
        let mut left = vec![(TOP, root)];
        while let Some((first, slot)) = left.pop() {
            // Nodes at which nothing is decided are one text.
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
                node.children = self.place(&bytes);
                for &(byte, child) in source.children.iter().rev() {
                    left.push((child, child_slot(node.children, byte)));
                }
            }
            *self.node(index) = node;
        }
    }

    /// Puts the nodes of a text into place, each the only child of the one before, and returns the last.
    fn text(&mut self, text: &[u8], mut slot: usize) -> usize {
        let mut chunks = text.chunks(8);
        // A parameter is not come to by its text, but stands where another node's byte may lead.
        self.nodes[slot] = Some(Node::new(chunks.next().unwrap_or(&[NEVER; 8])));
        for chunk in chunks {
            let children = self.place(&chunk[..1]);
            self.node(slot).children = children;
            slot = child_slot(children, chunk[0]);
            self.nodes[slot] = Some(Node::new(chunk));
        }
        slot
    }

    fn node(&mut self, index: usize) -> &mut Node {
        self.nodes[index].get_or_insert_with(|| Node::new(&[NEVER; 8]))
    }

    /// Finds the first place where nodes beginning with these bytes, which ascend, all find room, and reserves it.
    fn place(&mut self, bytes: &[u8]) -> u32 {
        let mut lowest = self.free_slot();
        let children = loop {
            let children = packed(lowest).wrapping_sub(u32::from(bytes[0]));
            let is_free = |&byte: &u8| {
                let slot = child_slot(children, byte);
                self.nodes.get(slot).is_none_or(Option::is_none)
            };
            if bytes.iter().all(is_free) && !self.taken.contains(&children) {
                break children;
            }
            lowest += 1;
        };
        self.taken.insert(children);
        for &byte in bytes {
            let slot = child_slot(children, byte);
            if slot >= self.nodes.len() {
                self.nodes.resize(slot + 1, None);
            }
            self.nodes[slot] = Some(Node::new(&[NEVER; 8]));
        }
        children
    }

    /// Reserves the first index that no node has.
    fn reserve(&mut self) -> usize {
        let slot = self.free_slot();
        if slot == self.nodes.len() {
            self.nodes.push(None);
        }
        self.nodes[slot] = Some(Node::new(&[NEVER; 8]));
        slot
    }

    /// The first index that no node has.
    fn free_slot(&mut self) -> usize {
        while self.nodes.get(self.full).is_some_and(Option::is_some) {
            self.full += 1;
        }
        self.full
    }
}

fn child_slot(children: u32, byte: u8) -> usize {
    children.wrapping_add(u32::from(byte)) as usize
}

/// Appends a place's route numbers.
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
