//! Constructs texts for which a backtracking engine tries all paths without success.

use crate::ambiguity::Pump;
use crate::automaton::{Automaton, SEARCH};
use crate::paths::path;

/// Texts that take the worst-case time to match: the prefix, then the pump any number of times, then the suffix. More
/// repetitions of the pump take more time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attack {
    /// Text before the ambiguous part of the pattern.
    pub prefix: String,
    /// Text to repeat. Each repetition multiplies the number of paths that the engine tries.
    pub pump: String,
    /// Text at the end, after which every path fails.
    pub suffix: String,
}

impl Attack {
    /// Returns the text that repeats the pump the given number of times.
    ///
    /// ```
    /// let kit_pattern::Verdict::Exponential { attack } = kit_pattern::check("^(a+)+$") else { panic!() };
    /// assert!(attack.text(3).starts_with("aaa"));
    /// ```
    pub fn text(&self, times: usize) -> String {
        format!("{}{}{}", self.prefix, self.pump.repeat(times), self.suffix)
    }

    pub(crate) fn of(automaton: &Automaton, pump: &Pump) -> Self {
        let reach = |prefix: &[usize]| {
            let word = prefix
                .iter()
                .chain(pump.word.iter().cycle().take(pump.word.len() * 3));
            let mut all = vec![begin(automaton)];
            all.extend(word.scan(begin(automaton), |at, kind| {
                *at = advance(automaton, at, *kind);
                Some(at.clone())
            }));
            all
        };
        let prefix = if pump.from == SEARCH {
            // The text must not lead to a sure state. One character before the pump can prevent that.
            let fails = |prefix: &[usize]| {
                let all = reach(prefix);
                !all.iter()
                    .any(|at| (0..automaton.len()).any(|state| at[state] && automaton.sure[state]))
            };
            let one = (0..automaton.samples.len()).map(|kind| vec![kind]);
            std::iter::once(Vec::new())
                .chain(one)
                .find(|prefix| fails(prefix))
                .unwrap_or_default()
        } else {
            shortest_to(automaton, pump.from)
        };
        let reached = reach(&prefix).pop().unwrap_or_default();
        let text = |kinds: &[usize]| kinds.iter().map(|kind| automaton.samples[*kind]).collect();
        Self {
            prefix: text(&prefix),
            pump: text(&pump.word),
            suffix: text(&failing_suffix(automaton, &reached)),
        }
    }
}

/// Returns a shortest word from the start of the text to a state.
fn shortest_to(automaton: &Automaton, state: usize) -> Vec<usize> {
    // An additional node stands for the start of the text.
    let beginning = automaton.len();
    let found = path(
        beginning,
        |at| at == state,
        |at, list| {
            let edges = if at == beginning {
                &automaton.first
            } else {
                &automaton.edges[at]
            };
            for (next, _) in edges {
                let kind = (0..automaton.samples.len()).find(|kind| automaton.accepts[*next].has(*kind));
                list.extend(kind.map(|kind| (*next, kind)));
            }
        },
    );
    found.unwrap_or_default()
}

/// Returns the set of states before the first character, as an argument for [`advance`]. The additional last element
/// represents the start of the text.
fn begin(automaton: &Automaton) -> Vec<bool> {
    let mut reached = vec![false; automaton.len() + 1];
    reached[automaton.len()] = true;
    reached
}

fn advance(automaton: &Automaton, reached: &[bool], kind: usize) -> Vec<bool> {
    let mut next = vec![false; automaton.len() + 1];
    for state in (0..reached.len()).filter(|state| reached[*state]) {
        let edges = if state == automaton.len() {
            &automaton.first
        } else {
            &automaton.edges[state]
        };
        for (to, _) in edges.iter().filter(|(to, _)| automaton.accepts[*to].has(kind)) {
            next[*to] = true;
        }
    }
    next
}

/// Returns a suffix of at most two characters after which nothing matches. Prefers a character with which no path can
/// continue.
fn failing_suffix(automaton: &Automaton, reached: &[bool]) -> Vec<usize> {
    let kinds = || (0..automaton.samples.len()).rev();
    let fails = |reached: &[bool]| {
        let mut states = (0..automaton.len()).filter(|state| reached[*state]);
        !states.any(|state| automaton.may_end[state])
    };
    let stuck = kinds().find(|kind| {
        let next = advance(automaton, reached, *kind);
        fails(&next) && (0..automaton.len()).all(|state| state == SEARCH || !next[state])
    });
    if let Some(kind) = stuck {
        return vec![kind];
    }
    if fails(reached) {
        return Vec::new();
    }
    if let Some(kind) = kinds().find(|kind| fails(&advance(automaton, reached, *kind))) {
        return vec![kind];
    }
    kinds()
        .flat_map(|first| kinds().map(move |second| vec![first, second]))
        .find(|word| {
            fails(
                &word
                    .iter()
                    .fold(reached.to_vec(), |at, kind| advance(automaton, &at, *kind)),
            )
        })
        .unwrap_or_default()
}
