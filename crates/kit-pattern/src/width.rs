//! Computes how many paths a text can have open at the same time: the exact number, for automata without
//! handovers between loops.

use std::collections::{BTreeMap, HashSet};

use crate::automaton::Automaton;

/// Maximum number of different [`Ways`] that are examined.
const MAX_SITUATIONS: usize = 4000;
/// Maximum number of open paths.
const MAX_WIDTH: u64 = 100_000;

/// Number of open paths in each state, at one position in a text.
type Ways = BTreeMap<usize, u64>;

/// Returns the greatest number of paths that one text can have open at one position. Counts only states that
/// can fail. Returns `None` above [`MAX_SITUATIONS`] or [`MAX_WIDTH`].
pub(crate) fn width(automaton: &Automaton) -> Option<u64> {
    // An automaton is not supported if a sure state leads to states that can fail.
    let branches = |state: &usize| {
        automaton.sure[*state]
            && automaton.edges[*state]
                .iter()
                .any(|(next, _)| !automaton.sure[*next])
    };
    if automaton.matches_all || (0..automaton.len()).any(|state| branches(&state)) {
        return None;
    }
    let mut widest = 1;
    let mut seen: HashSet<Ways> = HashSet::new();
    let mut open = Vec::new();
    for kind in 0..automaton.samples.len() {
        open.push(step(automaton, [(&automaton.first, 1)].into_iter(), kind));
    }
    while let Some(ways) = open.pop() {
        if seen.contains(&ways) {
            continue;
        }
        if seen.len() >= MAX_SITUATIONS {
            return None;
        }
        let total = ways.values().fold(0_u64, |sum, count| sum.saturating_add(*count));
        if total > MAX_WIDTH {
            return None;
        }
        widest = widest.max(total);
        for kind in 0..automaton.samples.len() {
            let edges = ways
                .iter()
                .map(|(state, count)| (&automaton.edges[*state], *count));
            open.push(step(automaton, edges, kind));
        }
        seen.insert(ways);
    }
    Some(widest)
}

fn step<'a>(
    automaton: &Automaton,
    from: impl Iterator<Item = (&'a Vec<(usize, u32)>, u64)>,
    kind: usize,
) -> Ways {
    let mut ways = Ways::new();
    for (edges, count) in from {
        for (next, several) in edges {
            if !automaton.sure[*next] && automaton.accepts[*next].has(kind) {
                let sum = ways.entry(*next).or_default();
                *sum = sum.saturating_add(count.saturating_mul(u64::from(*several)));
            }
        }
    }
    ways
}
