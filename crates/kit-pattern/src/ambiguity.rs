//! Computes the number of paths by which an automaton can read one text. A backtracking engine tries all of these paths
//! before it reports that the text does not match.
//!
//! The two criteria come from Weber and Seidl. A text can be read in *exponentially* many ways if a state returns to
//! itself over one word on two different paths. A text can be read in *polynomially* many ways if one word leads from a
//! loop to itself, from this loop to a second loop, and from the second loop to itself. The change from the first to
//! the second loop (a *handover*) can then happen at any offset. Each handover multiplies the number of paths by the
//! number of offsets at which the first loop can stop.
//!
//! Only states from which the match can fail count. From a *sure* state the match always succeeds, so the engine never
//! returns to try another path. All paths that the engine tried before it reached a sure state consist of states that
//! can fail.

use crate::automaton::{Automaton, CharClasses, SEARCH};
use crate::components::{UNREACHED, components};
use crate::cost::Cost;
use crate::paths::path;
use crate::steps::{Extent, TooLarge};
use crate::width::width;

/// Maximum number of pairs of steps that are compared.
const MAX_WORK: usize = 8_000_000;
/// Maximum number of triples of states that are stored for one pair of loops.
const MAX_TRIPLES: usize = 2_000_000;

/// A word: a text of which only the character classes are known. It leads from a state back to this state and
/// multiplies the number of paths.
#[derive(Debug, Clone)]
pub(crate) struct Pump {
    pub(crate) from: usize,
    /// Character classes of the word.
    pub(crate) word: Vec<usize>,
}

/// Result of the analysis of an automaton: the number of paths grows exponentially with the length of the
/// text, or it has the given cost as an upper bound.
#[derive(Debug)]
pub(crate) enum Finding {
    Exponential(Pump),
    Bounded(Cost, Option<Pump>),
}

/// Computes the cost of an automaton. Fails if the analysis needs too much work.
pub(crate) fn analyse(automaton: &Automaton) -> Result<Finding, TooLarge> {
    let failing: Vec<bool> = automaton.sure.iter().map(|sure| !sure).collect();
    let all = vec![true; automaton.len()];
    let failing = Subgraph::new(automaton, &failing);
    let whole = Subgraph::new(automaton, &all);
    let mut work = Work::default();
    for component in failing.loops() {
        if let Some(pump) = failing.exponential(component, &mut work)? {
            return Ok(Finding::Exponential(pump));
        }
    }
    let mut handovers = Vec::new();
    let loops: Vec<usize> = failing.loops().collect();
    for from in &loops {
        for to in loops.iter().filter(|to| *to < from) {
            if let Some(pump) = failing.handover(*from, &failing, *to, &mut work)? {
                handovers.push(Handover {
                    from: Some(*from),
                    ends: failing.extent(*from).ends,
                    to: *to,
                    pump,
                });
            }
        }
    }
    // The path that finally succeeds also leads through sure states, so a loop of sure states can begin a handover.
    for from in whole
        .loops()
        .filter(|from| whole.members[*from].iter().any(|state| automaton.sure[*state]))
    {
        for to in &loops {
            if let Some(pump) = whole.handover(from, &failing, *to, &mut work)? {
                handovers.push(Handover {
                    from: None,
                    ends: whole.extent(from).ends,
                    to: *to,
                    pump,
                });
            }
        }
    }
    if handovers.is_empty()
        && let Some(width) = width(automaton)
    {
        return Ok(Finding::Bounded(
            Cost {
                degree: 1,
                factor: width,
            },
            None,
        ));
    }
    let (cost, pump) = failing.cost(&handovers);
    Ok(Finding::Bounded(cost.times(failing.branching()), pump))
}

/// Counts the comparisons, and fails above [`MAX_WORK`].
#[derive(Default)]
struct Work(usize);

impl Work {
    fn add(&mut self) -> Result<(), TooLarge> {
        self.0 += 1;
        if self.0 > MAX_WORK { Err(TooLarge) } else { Ok(()) }
    }
}

/// A handover: a text can take the engine from one loop to another, so that the engine tries each division of
/// the text between the two loops. `to` is a loop of states that can fail. `from` is `None` for a loop of
/// states that cannot fail ([`Automaton::sure`]).
struct Handover {
    from: Option<usize>,
    ends: Option<u64>,
    to: usize,
    pump: Pump,
}

/// A subset of the states, with its strongly connected components.
struct Subgraph<'a> {
    automaton: &'a Automaton,
    edges: Vec<Vec<(usize, u32)>>,
    component: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl<'a> Subgraph<'a> {
    fn new(automaton: &'a Automaton, within: &[bool]) -> Self {
        let count = automaton.len();
        let edges: Vec<Vec<(usize, u32)>> = (0..count)
            .map(|state| {
                let edges = automaton.edges[state].iter().copied();
                edges.filter(|(next, _)| within[state] && within[*next]).collect()
            })
            .collect();
        let roots = automaton.first.iter().map(|(state, _)| *state);
        // A path in this subset may begin after states that do not belong to the subset.
        let roots = roots.chain(0..count).filter(|state| within[*state]);
        let component = components(count, roots, |state, list| {
            list.extend(edges[state].iter().map(|(next, _)| *next));
            Ok::<(), std::convert::Infallible>(())
        })
        .unwrap_or_else(|never| match never {});
        let mut members = Vec::new();
        for (state, component) in component
            .iter()
            .enumerate()
            .filter(|(_, found)| **found != UNREACHED)
        {
            if members.len() <= *component {
                members.resize(component + 1, Vec::new());
            }
            members[*component].push(state);
        }
        Self {
            automaton,
            edges,
            component,
            members,
        }
    }

    fn accepts(&self, state: usize) -> &CharClasses {
        &self.automaton.accepts[state]
    }

    /// Returns the components with a cycle.
    fn loops(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.members.len()).filter(|component| match self.members[*component][..] {
            [state] => self.edges[state].iter().any(|(next, _)| *next == state),
            _ => true,
        })
    }

    /// Returns the extent of the repetition that a loop belongs to. A loop without a repetition is the search
    /// for a start position, which has no bound.
    fn extent(&self, component: usize) -> Extent {
        let found = self.members[component]
            .iter()
            .filter_map(|state| self.automaton.repetitions[*state]);
        found
            .reduce(|a, b| Extent {
                ends: a.ends.zip(b.ends).map(|(a, b)| a.max(b)),
                length: a.length.zip(b.length).map(|(a, b)| a.max(b)),
            })
            .unwrap_or(Extent::UNBOUNDED)
    }

    /// Returns the edges of a state that stay in its component.
    fn inner(&self, state: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        let component = self.component[state];
        let edges = self.edges[state].iter().copied();
        edges.filter(move |(next, _)| self.component[*next] == component)
    }

    /// Returns a character class that the two states accept.
    fn common(&self, a: usize, b: usize) -> Option<usize> {
        first_kind(self.accepts(a).common(self.accepts(b)))
    }

    /// Returns a word that leads from a state of the component back to this state on two different paths, or `None` if
    /// there is no such word.
    fn exponential(&self, component: usize, work: &mut Work) -> Result<Option<Pump>, TooLarge> {
        let members = &self.members[component];
        for state in members {
            if let Some((next, _)) = self.inner(*state).find(|(_, ways)| *ways > 1) {
                let first = self.common(next, next);
                let back = path(
                    next,
                    |at| at == *state,
                    |at, list| {
                        list.extend(
                            self.inner(at)
                                .filter_map(|(to, _)| Some((to, self.common(to, to)?))),
                        );
                    },
                );
                let word = first.into_iter().chain(back.unwrap_or_default()).collect();
                return Ok(Some(Pump { from: *state, word }));
            }
        }
        let count = members.len();
        let place = |state: usize| members.binary_search(&state).unwrap_or(0);
        let pair = |a: usize, b: usize| place(a) * count + place(b);
        let state = |pair: usize| (members[pair / count], members[pair % count]);
        let found = components(count * count, (0..count).map(|at| at * count + at), |at, list| {
            let (a, b) = state(at);
            for (next_a, _) in self.inner(a) {
                for (next_b, _) in self.inner(b) {
                    work.add()?;
                    if self.accepts(next_a).meet(self.accepts(next_b)) {
                        list.push(pair(next_a, next_b));
                    }
                }
            }
            Ok(())
        })?;
        let meeting = (0..count * count).find_map(|at| {
            let apart = at / count != at % count && found[at] != UNREACHED;
            let same = |one: &usize| found[one * count + one] == found[at];
            if apart {
                (0..count).find(same).map(|one| (members[one], at))
            } else {
                None
            }
        });
        let Some((from, apart)) = meeting else {
            return Ok(None);
        };
        let next = |at: usize, list: &mut Vec<(usize, usize)>| {
            let (a, b) = state(at);
            for (next_a, _) in self.inner(a) {
                list.extend(
                    self.inner(b)
                        .filter_map(|(next_b, _)| Some((pair(next_a, next_b), self.common(next_a, next_b)?))),
                );
            }
        };
        let there = path(pair(from, from), |at| at == apart, next).unwrap_or_default();
        let back = path(apart, |at| at == pair(from, from), next).unwrap_or_default();
        let word = there.into_iter().chain(back).collect();
        Ok(Some(Pump { from, word }))
    }

    /// Returns a word that leads from a state `p` of the loop `from` to `p`, from `p` to a state `q` of the loop `to`,
    /// and from `q` to `q`. `to` is a component of `other`.
    fn handover(
        &self,
        from: usize,
        other: &Self,
        to: usize,
        work: &mut Work,
    ) -> Result<Option<Pump>, TooLarge> {
        let (first, last) = (&self.members[from], &other.members[to]);
        if last.iter().any(|state| first.contains(state)) {
            return Ok(None);
        }
        let reached = self.reach(first);
        let between: Vec<usize> = (0..self.automaton.len())
            .filter(|state| reached[*state])
            .collect();
        if !last.iter().any(|state| reached[*state]) {
            return Ok(None);
        }
        let (rows, columns) = (between.len(), last.len());
        let count = first.len() * rows * columns;
        if count > MAX_TRIPLES {
            return Err(TooLarge);
        }
        let index = |list: &[usize], state: usize| list.binary_search(&state).unwrap_or(0);
        let triple = |a: usize, b: usize, c: usize| {
            (index(first, a) * rows + index(&between, b)) * columns + index(last, c)
        };
        let states = |at: usize| {
            (
                first[at / columns / rows],
                between[at / columns % rows],
                last[at % columns],
            )
        };
        let step = |at: usize, list: &mut Vec<(usize, usize)>, work: &mut Work| {
            let (a, b, c) = states(at);
            for (next_a, _) in self.inner(a) {
                for (next_c, _) in other.inner(c) {
                    work.add()?;
                    if !self.accepts(next_a).meet(self.accepts(next_c)) {
                        continue;
                    }
                    for (next_b, _) in &self.edges[b] {
                        work.add()?;
                        let both = self
                            .accepts(next_a)
                            .common(self.accepts(next_c))
                            .collect::<Vec<_>>();
                        let all = both
                            .iter()
                            .copied()
                            .zip(self.accepts(*next_b).common(self.accepts(*next_b)));
                        if let Some(kind) = first_kind(all.map(|(a, b)| a & b)) {
                            list.push((triple(next_a, *next_b, next_c), kind));
                        }
                    }
                }
            }
            Ok::<(), TooLarge>(())
        };
        let handovers: Vec<(usize, usize)> = first
            .iter()
            .flat_map(|p| last.iter().map(move |q| (*p, *q)))
            .filter(|(_, q)| reached[*q])
            .collect();
        let roots = handovers.iter().map(|(p, q)| triple(*p, *p, *q));
        let mut steps = Vec::new();
        let found = components(count, roots, |at, list| {
            steps.clear();
            step(at, &mut steps, work)?;
            list.extend(steps.iter().map(|(next, _)| *next));
            let (a, b, c) = states(at);
            if b == c {
                // The two paths have met in the second loop, so another handover could begin.
                list.push(triple(a, a, c));
            }
            Ok(())
        })?;
        let meets = |(p, q): &&(usize, usize)| {
            let (start, end) = (triple(*p, *p, *q), triple(*p, *q, *q));
            found[end] != UNREACHED && found[start] == found[end]
        };
        let mut any = None;
        for (p, q) in handovers.iter().filter(meets) {
            let end = triple(*p, *q, *q);
            let word = path(
                triple(*p, *p, *q),
                |at| at == end,
                |at, list| {
                    // The search above has taken all of these steps within its limit.
                    let _ = step(at, list, &mut Work::default());
                },
            );
            let certain = word.is_some();
            any = Some(Pump {
                from: *p,
                word: word.unwrap_or_default(),
            });
            if certain {
                break;
            }
        }
        Ok(any)
    }

    /// Returns, for each state, true if an edge sequence leads to it from one of the given states.
    fn reach(&self, from: &[usize]) -> Vec<bool> {
        let mut reached = vec![false; self.automaton.len()];
        let mut open = from.to_vec();
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut reached[state], true) {
                open.extend(self.edges[state].iter().map(|(next, _)| *next));
            }
        }
        reached
    }

    /// Returns the cost of the most expensive chain of handovers, and the pump of this chain.
    fn cost(&self, handovers: &[Handover]) -> (Cost, Option<Pump>) {
        let count = self.members.len();
        let mut before = vec![(Cost::ONE, None::<&Pump>); count];
        let better = |slot: &mut (Cost, Option<&'_ Pump>), cost: Cost| cost > slot.0;
        for handover in handovers.iter().filter(|handover| handover.from.is_none()) {
            let cost = Cost::ONE.up_to(handover.ends);
            if better(&mut before[handover.to], cost) {
                before[handover.to] = (cost, Some(&handover.pump));
            }
        }
        // Visits each component before those that it leads to, which have smaller numbers.
        for component in (0..count).rev() {
            let (cost, pump) = before[component];
            for handover in handovers
                .iter()
                .filter(|handover| handover.from == Some(component))
            {
                let cost = cost.up_to(handover.ends);
                if better(&mut before[handover.to], cost) {
                    before[handover.to] = (cost, Some(&handover.pump));
                }
            }
            for (next, _) in self.members[component]
                .iter()
                .flat_map(|state| &self.edges[*state])
            {
                let next = self.component[*next];
                if next != component && better(&mut before[next], cost) {
                    before[next] = (cost, pump);
                }
            }
        }
        let mut most = (Cost::ONE, None);
        for component in self.loops() {
            let (cost, pump) = before[component];
            let cost = cost.up_to(self.extent(component).length);
            if better(&mut most, cost) {
                most = (cost, pump);
            }
        }
        (most.0, most.1.cloned())
    }

    /// Returns an upper bound for the number of paths that exist without loops. In each state of a path, a
    /// character leads to a number of next states. The bound is the greatest product of these numbers along
    /// any path.
    fn branching(&self) -> u64 {
        // Greatest number of edges that one character can take, among the characters that can take the edge to `to`.
        let beside = |edges: &[(usize, u32)], to: usize| {
            (0..self.automaton.samples.len())
                .filter(|kind| self.accepts(to).has(*kind))
                .map(|kind| {
                    let taken = edges.iter().filter(|(next, _)| self.accepts(*next).has(kind));
                    taken.map(|(_, ways)| u64::from(*ways)).sum::<u64>()
                })
                .max()
                .unwrap_or(0)
        };
        let widest = |edges: &[(usize, u32)], after: &[u64]| {
            let ways = edges
                .iter()
                .map(|(next, _)| beside(edges, *next).saturating_mul(after[self.component[*next]]));
            ways.max().unwrap_or(1).max(1)
        };
        // The components that a component leads to have smaller numbers, so their results are already available.
        let mut after = vec![1_u64; self.members.len()];
        for component in 0..self.members.len() {
            for state in &self.members[component] {
                let leaving = self.edges[*state].iter().copied();
                let leaving: Vec<_> = leaving
                    .filter(|(next, _)| self.component[*next] != component)
                    .collect();
                after[component] = after[component].max(widest(&leaving, &after));
            }
        }
        // Such paths begin at the start of the text, and at every sure state that has other next states.
        let sure = (0..self.automaton.len()).filter(|state| self.automaton.sure[*state]);
        let begun = sure
            .map(|state| &self.automaton.edges[state])
            .chain([&self.automaton.first])
            .map(|edges| {
                let edges = edges.iter().copied();
                let edges: Vec<_> = edges
                    .filter(|(next, _)| *next != SEARCH && self.component[*next] != UNREACHED)
                    .collect();
                widest(&edges, &after)
            });
        let searched = after.get(self.component[SEARCH]).copied().unwrap_or(1);
        begun.fold(searched, u64::max)
    }
}

/// Returns the first character class in a bit set.
fn first_kind(bits: impl Iterator<Item = u64>) -> Option<usize> {
    bits.enumerate()
        .find(|(_, bits)| *bits != 0)
        .map(|(word, bits)| word * 64 + bits.trailing_zeros() as usize)
}
