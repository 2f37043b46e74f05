//! Converts the tree of segments to a radix tree of bytes. It stores a common start of several paths only once,
//! even if it ends inside of a segment.

use crate::RouteTree;
use crate::route_path::Segment;

/// A radix tree that is being built. The index of a node does not change while the tree grows.
pub(crate) struct Radix {
    pub(crate) nodes: Vec<RadixNode>,
}

#[derive(Default)]
pub(crate) struct RadixNode {
    /// Bytes of the path between the parent and this node. Empty for a parameter or wildcard.
    pub(crate) text: Vec<u8>,
    /// Children, sorted by their first byte.
    pub(crate) children: Vec<(u8, usize)>,
    /// Index of the child that is a parameter or wildcard. Only a node at the start of a segment has such a
    /// child.
    pub(crate) rest: Option<usize>,
    /// Index of the node in the [`RouteTree`] whose segment ends at this node. `None` if no segment ends at this
    /// node.
    pub(crate) place: Option<usize>,
}

/// Index of the node for the leading slash of a path.
pub(crate) const TOP: usize = 0;

impl Radix {
    /// Builds the radix tree. It does not contain the routes of the path `/`, which has no segment.
    pub(crate) fn new(tree: &RouteTree) -> Self {
        let mut radix = Self {
            nodes: vec![RadixNode {
                text: b"/".to_vec(),
                ..RadixNode::default()
            }],
        };
        let mut ends = vec![TOP; tree.nodes.len()];
        for (place, node) in tree.nodes.iter().enumerate() {
            if node.statics.is_empty() && node.rest.is_none() {
                continue;
            }
            let start = if place == 0 {
                TOP
            } else {
                radix.insert(ends[place], b"/")
            };
            for (segment, &child) in &node.statics {
                ends[child] = radix.insert(start, segment.as_bytes());
                radix.nodes[ends[child]].place = Some(child);
            }
            if let Some(child) = node.rest {
                ends[child] = radix.add(RadixNode {
                    place: Some(child),
                    ..RadixNode::default()
                });
                radix.nodes[start].rest = Some(ends[child]);
            }
        }
        radix
    }

    /// Returns the node that is reached from `from` by these bytes, and creates it if needed.
    fn insert(&mut self, mut from: usize, mut bytes: &[u8]) -> usize {
        while let Some(first) = bytes.first() {
            let children = &self.nodes[from].children;
            let child = match children.binary_search_by_key(first, |&(byte, _)| byte) {
                Ok(index) => children[index].1,
                Err(index) => {
                    let leaf = self.add(RadixNode {
                        text: bytes.to_vec(),
                        ..RadixNode::default()
                    });
                    self.nodes[from].children.insert(index, (*first, leaf));
                    return leaf;
                }
            };
            let text = &self.nodes[child].text;
            let common = text.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            from = if common == text.len() {
                child
            } else {
                self.split(from, child, common)
            };
            bytes = &bytes[common..];
        }
        from
    }

    /// Inserts a node between `above` and `below`. The node gets the first `length` bytes of the lower node's
    /// text.
    fn split(&mut self, above: usize, below: usize, length: usize) -> usize {
        let lower = self.nodes[below].text.split_off(length);
        let (first, next) = (self.nodes[below].text[0], lower[0]);
        let upper = std::mem::replace(&mut self.nodes[below].text, lower);
        let between = self.add(RadixNode {
            text: upper,
            children: vec![(next, below)],
            ..RadixNode::default()
        });
        for child in &mut self.nodes[above].children {
            if child.0 == first {
                child.1 = between;
            }
        }
        between
    }

    fn add(&mut self, node: RadixNode) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Returns the only child of a node without routes. Returns `None` if the node has routes, or several
    /// children, or none.
    pub(crate) fn only_child(&self, node: usize) -> Option<usize> {
        let node = &self.nodes[node];
        match node.children[..] {
            [(_, child)] if node.place.is_none() && node.rest.is_none() => Some(child),
            _ => None,
        }
    }
}

/// Returns true if the node of the [`RouteTree`] is a wildcard.
pub(crate) fn is_wildcard(tree: &RouteTree, place: usize) -> bool {
    matches!(tree.nodes[place].segment, Some(Segment::Wildcard(_)))
}
