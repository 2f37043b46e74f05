//! Searches for a shortest word that leads from one node of a graph to another.

use std::collections::{HashMap, VecDeque};

/// Returns the character classes along a shortest path from a node to one of the wanted nodes. The path has
/// at least one character. `steps` appends the next nodes of a node, each with the character class that leads
/// to it.
pub(crate) fn path(
    from: usize,
    wanted: impl Fn(usize) -> bool,
    mut steps: impl FnMut(usize, &mut Vec<(usize, usize)>),
) -> Option<Vec<usize>> {
    let mut came: HashMap<usize, (usize, usize)> = HashMap::new();
    let mut open = VecDeque::from([from]);
    let mut list = Vec::new();
    while let Some(node) = open.pop_front() {
        list.clear();
        steps(node, &mut list);
        for (next, kind) in &list {
            if came.contains_key(next) {
                continue;
            }
            came.insert(*next, (node, *kind));
            if wanted(*next) {
                let mut word = Vec::new();
                let mut at = *next;
                loop {
                    let (before, kind) = came[&at];
                    word.push(kind);
                    at = before;
                    if at == from {
                        break;
                    }
                }
                word.reverse();
                return Some(word);
            }
            open.push_back(*next);
        }
    }
    None
}
