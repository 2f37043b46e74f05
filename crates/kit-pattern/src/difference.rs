//! Searches for a text that is in some languages and not in others.

use std::collections::{HashMap, HashSet};

use crate::automaton::{CharClasses, kinds};
use crate::language::Language;
use crate::set::Set;

/// Maximum number of nodes of one search.
const MAX_NODES: usize = 60_000;

/// Maximum length of a text that a search returns.
const MAX_LENGTH: u64 = 2_000_000;

/// A language and bounds for the number of characters of its texts.
#[derive(Debug, Clone)]
pub struct Bounded {
    /// Language of the texts.
    pub language: Language,
    /// Minimum number of characters.
    pub min: u64,
    /// Maximum number of characters; `None` if there is no maximum.
    pub max: Option<u64>,
}

impl Bounded {
    fn allows(&self, length: u64) -> bool {
        length >= self.min && self.max.is_none_or(|max| length <= max)
    }
}

/// Result of [`find`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A shortest text.
    Text(String),
    /// There is no such text.
    Nothing,
    /// The search reached its limit.
    Unknown,
}

/// Searches for a text that is in all languages of `within`, which is not empty, and in no language of `without`.
///
/// ```
/// use kit_pattern::{Bounded, Found, Language, find};
///
/// let of = |pattern| Bounded { language: Language::of_pattern(pattern).unwrap(), min: 0, max: None };
/// assert_eq!(find(&[of("^[a-c]$")], &[of("^[ab]$")]), Found::Text("c".to_owned()));
/// assert_eq!(find(&[of("^[ab]$")], &[of("^[a-c]$")]), Found::Nothing);
/// ```
pub fn find(within: &[Bounded], without: &[Bounded]) -> Found {
    let mut search = Search::new(within, without);
    search.run()
}

struct Search<'a> {
    machines: Vec<Machine<'a>>,
    /// Number of machines of `within`, which are first.
    within: usize,
    /// Sample character of each class, in the order of preference.
    samples: Vec<(usize, char)>,
    nodes: Vec<Node>,
}

/// States of all machines after a text.
type Product = Vec<usize>;

/// A node of the search: the states after a text, and the last characters of the text.
struct Node {
    states: Product,
    before: Option<usize>,
    /// Last character, and the number of its repetitions.
    last: (char, u64),
}

impl<'a> Search<'a> {
    fn new(within: &'a [Bounded], without: &'a [Bounded]) -> Self {
        let all: Vec<&Bounded> = within.iter().chain(without).collect();
        let sets: Vec<&Set> = all
            .iter()
            .flat_map(|bounded| &bounded.language.states)
            .flat_map(|state| state.edges.iter().map(|(set, _)| set))
            .collect();
        let (classes, samples) = kinds(&sets);
        let mut samples: Vec<(usize, char)> = samples.into_iter().enumerate().collect();
        // A class of surrogates only has no sample and gets U+FFFD. Texts of JSON contain no surrogates.
        samples.retain(|(class, sample)| {
            *sample != '\u{fffd}'
                || sets
                    .iter()
                    .zip(&classes)
                    .all(|(set, classes)| set.contains(0xfffd) == classes.has(*class))
        });
        let mut classes = classes.into_iter();
        let machines = all
            .iter()
            .map(|bounded| Machine::new(bounded, &mut classes))
            .collect();
        samples.sort_by_key(|(_, sample)| {
            (
                !sample.is_ascii_lowercase(),
                !sample.is_ascii_alphanumeric(),
                *sample,
            )
        });
        Self {
            machines,
            within: within.len(),
            samples,
            nodes: Vec::new(),
        }
    }

    /// Searches in the order of the length. All bounds of the length are below the horizon. Below the horizon, each length
    /// has its own set of products; from the horizon on, a product is visited once.
    fn run(&mut self) -> Found {
        let mut bounds: Vec<u64> = self
            .machines
            .iter()
            .flat_map(|machine| [Some(machine.bounded.min), machine.bounded.max.map(|max| max + 1)])
            .flatten()
            .collect();
        bounds.sort_unstable();
        let horizon = bounds.last().copied().unwrap_or(0);
        let start = self.machines.iter_mut().map(Machine::start).collect();
        self.nodes.push(Node {
            states: start,
            before: None,
            last: ('\0', 0),
        });
        let mut frontier = vec![0];
        let mut visited: HashSet<Product> = HashSet::new();
        let mut length = 0;
        loop {
            if let Some(found) = frontier.iter().find(|node| self.is_found(**node, length)) {
                return Found::Text(self.text(*found));
            }
            if length >= horizon {
                frontier.retain(|node| visited.insert(self.nodes[*node].states.clone()));
            }
            let within = &self.machines[..self.within];
            let too_long = within
                .iter()
                .any(|machine| machine.bounded.max.is_some_and(|max| length >= max));
            if frontier.is_empty() || too_long {
                return Found::Nothing;
            }
            if self.nodes.len() > MAX_NODES || length > MAX_LENGTH {
                return Found::Unknown;
            }
            let next_bound = bounds.iter().copied().find(|bound| *bound > length);
            let (next, steps) = self.step(&frontier, length, next_bound);
            frontier = next;
            length += steps;
        }
    }

    fn is_found(&self, node: usize, length: u64) -> bool {
        let states = &self.nodes[node].states;
        self.machines.iter().enumerate().all(|(at, machine)| {
            let contains = machine.accepting[states[at]] && machine.bounded.allows(length);
            contains == (at < self.within)
        })
    }

    /// Returns the nodes after one character, and the number of characters. The number is greater than 1 if the same states
    /// follow each other up to the next bound of the length.
    fn step(&mut self, frontier: &[usize], length: u64, next_bound: Option<u64>) -> (Vec<usize>, u64) {
        let mut seen: HashSet<Product> = HashSet::new();
        let mut next = Vec::new();
        for node in frontier {
            for at in 0..self.samples.len() {
                let (class, sample) = self.samples[at];
                let states = self.nodes[*node].states.clone();
                let Some(after) = self.after(&states, class) else {
                    continue;
                };
                if !seen.insert(after.clone()) {
                    continue;
                }
                self.nodes.push(Node {
                    states: after,
                    before: Some(*node),
                    last: (sample, 1),
                });
                next.push(self.nodes.len() - 1);
            }
        }
        if let ([before], [only], Some(bound)) = (frontier, next.as_slice(), next_bound)
            && self.nodes[*before].states == self.nodes[*only].states
            && length > 0
        {
            let steps = bound - length;
            self.nodes[*only].last.1 = steps;
            return (next, steps);
        }
        (next, 1)
    }

    /// Returns the states after a character of the class. Returns `None` if no continuation is in all languages of `within`.
    fn after(&mut self, states: &[usize], class: usize) -> Option<Product> {
        let mut product = Vec::with_capacity(states.len());
        for (at, state) in states.iter().enumerate() {
            let next = self.machines[at].after(*state, class);
            if at < self.within && self.machines[at].sets[next].is_empty() {
                return None;
            }
            product.push(next);
        }
        Some(product)
    }

    fn text(&self, node: usize) -> String {
        let mut runs = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at {
            runs.push(self.nodes[node].last);
            at = self.nodes[node].before;
        }
        runs.into_iter()
            .rev()
            .flat_map(|(character, count)| {
                std::iter::repeat_n(character, usize::try_from(count).unwrap_or(0))
            })
            .collect()
    }
}

/// A deterministic automaton, whose states are created while the search needs them.
struct Machine<'a> {
    bounded: &'a Bounded,
    /// Classes of the characters of each edge, by state and position of the edge.
    classes: Vec<Vec<CharClasses>>,
    /// States of the language that each state of the machine stands for.
    sets: Vec<Vec<usize>>,
    accepting: Vec<bool>,
    known: HashMap<Vec<usize>, usize>,
    edges: HashMap<(usize, usize), usize>,
}

impl<'a> Machine<'a> {
    fn new(bounded: &'a Bounded, classes: &mut impl Iterator<Item = CharClasses>) -> Self {
        let states = bounded.language.states.iter();
        Self {
            bounded,
            classes: states
                .map(|state| classes.by_ref().take(state.edges.len()).collect())
                .collect(),
            sets: Vec::new(),
            accepting: Vec::new(),
            known: HashMap::new(),
            edges: HashMap::new(),
        }
    }

    fn start(&mut self) -> usize {
        let language = &self.bounded.language;
        let states = language.closure(vec![language.start], true);
        let accepting = language.accepts(&states, true);
        // The first state is not shared, because conditions for the start of the text hold only there.
        self.sets.push(states);
        self.accepting.push(accepting);
        0
    }

    fn after(&mut self, state: usize, class: usize) -> usize {
        if let Some(known) = self.edges.get(&(state, class)) {
            return *known;
        }
        let language = &self.bounded.language;
        let next: Vec<usize> = self.sets[state]
            .iter()
            .flat_map(|id| language.states[*id].edges.iter().zip(&self.classes[*id]))
            .filter(|(_, classes)| classes.has(class))
            .map(|((_, next), _)| *next)
            .collect();
        let states = language.closure(next, false);
        let id = if let Some(id) = self.known.get(&states) {
            *id
        } else {
            self.accepting.push(language.accepts(&states, false));
            self.sets.push(states.clone());
            self.known.insert(states, self.sets.len() - 1);
            self.sets.len() - 1
        };
        self.edges.insert((state, class), id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounded, Found, find};
    use crate::language::Language;

    fn bounded(pattern: &str, min: u64, max: Option<u64>) -> Bounded {
        let language = Language::of_pattern(pattern).expect("a pattern without conditions");
        Bounded { language, min, max }
    }

    #[test]
    fn finds_a_shortest_text_that_only_the_first_language_contains() {
        for (within, without, expected) in [
            (bounded("", 0, None), bounded("", 1, None), Some(String::new())),
            (
                bounded("", 0, None),
                bounded("", 0, Some(200)),
                Some("a".repeat(201)),
            ),
            (
                bounded("", 0, Some(1_000_000)),
                bounded("", 0, Some(999_999)),
                Some("a".repeat(1_000_000)),
            ),
            (bounded("", 3, Some(5)), bounded("", 2, Some(9)), None),
            (
                bounded("^[a-z]+$", 0, None),
                bounded("^[a-z0-9]+$", 0, None),
                None,
            ),
            (
                bounded("^[a-z0-9]+$", 0, None),
                bounded("^[a-z]+$", 0, None),
                Some("0".to_owned()),
            ),
            (
                bounded("^(?:ab)+$", 0, None),
                bounded("^(?:ab)+$", 0, Some(5)),
                Some("ababab".to_owned()),
            ),
            (bounded("^(?:ab)+$", 3, Some(3)), bounded("^c$", 0, None), None),
            (bounded("a", 0, None), bounded("a|b", 0, None), None),
        ] {
            let expected = expected.map_or(Found::Nothing, Found::Text);
            let found = find(std::slice::from_ref(&within), std::slice::from_ref(&without));
            assert_eq!(
                found, expected,
                "{} {:?}, not {:?}",
                within.min, within.max, without.max
            );
        }
    }

    #[test]
    fn a_union_contains_a_language_that_none_of_its_members_contains() {
        let members = [bounded("^[ab]*$", 0, Some(4)), bounded("^[ab]*$", 5, None)];
        assert_eq!(find(&[bounded("^a*b*$", 0, None)], &members), Found::Nothing);
        let gap = [bounded("^[ab]*$", 0, Some(3)), bounded("^[ab]*$", 5, None)];
        assert_eq!(
            find(&[bounded("^a*b*$", 0, None)], &gap),
            Found::Text("aaaa".to_owned())
        );
    }
}
