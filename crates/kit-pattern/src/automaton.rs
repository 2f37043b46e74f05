//! Automaton of a pattern: the positions that may follow each position, and the number of paths between them.

use std::collections::HashMap;

use crate::set::{LAST, Set};
use crate::steps::{Extent, Step, Steps, TooLarge};

/// Maximum number of steps that are followed to build the automaton, in total for all positions.
const MAX_WALKED: usize = 400_000;

/// State in which the engine has not begun to match: `test` tries the start positions one after the other.
pub(crate) const SEARCH: usize = 0;

/// A set of character classes, one bit each.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CharClasses(Vec<u64>);

impl CharClasses {
    fn empty(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn add(&mut self, kind: usize) {
        self.0[kind / 64] |= 1 << (kind % 64);
    }

    pub(crate) fn has(&self, kind: usize) -> bool {
        self.0[kind / 64] >> (kind % 64) & 1 == 1
    }

    pub(crate) fn common(&self, other: &Self) -> impl Iterator<Item = u64> {
        self.0.iter().zip(&other.0).map(|(a, b)| a & b)
    }

    pub(crate) fn meet(&self, other: &Self) -> bool {
        self.common(other).any(|bits| bits != 0)
    }
}

/// Automaton of a pattern. The states are [`SEARCH`] and, from 1, the positions of the pattern. A state is entered by
/// consuming a character.
#[derive(Debug)]
pub(crate) struct Automaton {
    /// Character classes that each state accepts on entering it.
    pub(crate) accepts: Vec<CharClasses>,
    /// Next states of each state, with the number of paths to them.
    pub(crate) edges: Vec<Vec<(usize, u32)>>,
    /// First states at the start of the text, with the number of paths to them.
    pub(crate) first: Vec<(usize, u32)>,
    /// True for a state from which the pattern matches with every continuation, so that the engine never returns to try
    /// another path.
    pub(crate) sure: Vec<bool>,
    /// True for a state in which the pattern may match at the end of the text.
    pub(crate) may_end: Vec<bool>,
    /// True if every text matches.
    pub(crate) matches_all: bool,
    /// Outermost repetition that each state belongs to.
    pub(crate) repetitions: Vec<Option<Extent>>,
    /// A sample character of each class.
    pub(crate) samples: Vec<char>,
}

impl Automaton {
    pub(crate) fn of(steps: &Steps) -> Result<Self, TooLarge> {
        let sets: Vec<&Set> = steps.positions.iter().map(|position| &position.set).collect();
        let (mut accepts, samples) = kinds(&sets);
        let mut everything = CharClasses::empty(samples.len());
        (0..samples.len()).for_each(|kind| everything.add(kind));
        accepts.insert(SEARCH, everything);
        let mut walk = Walk::new(steps);
        let first = walk.from(steps.start, true)?;
        let mut automaton = Self {
            accepts,
            edges: Vec::new(),
            matches_all: first.sure,
            first: first.edges,
            sure: vec![first.sure],
            may_end: Vec::new(),
            repetitions: vec![Some(Extent::UNBOUNDED)],
            samples,
        };
        let later = walk.from(steps.start, false)?;
        automaton.edges.push(later.edges);
        automaton.may_end.push(later.may_end || later.sure);
        if !automaton.matches_all {
            automaton.first.push((SEARCH, 1));
            automaton.edges[SEARCH].push((SEARCH, 1));
        }
        for position in &steps.positions {
            let after = walk.from(position.next, false)?;
            automaton.edges.push(after.edges);
            automaton.sure.push(after.sure);
            automaton.may_end.push(after.may_end || after.sure);
            automaton.repetitions.push(position.repetition);
        }
        Ok(automaton)
    }

    pub(crate) fn len(&self) -> usize {
        self.edges.len()
    }
}

/// Result of the steps from one position to the next: the states that the next character can lead to.
#[derive(Default)]
struct NextStates {
    edges: Vec<(usize, u32)>,
    sure: bool,
    may_end: bool,
}

struct Walk<'a> {
    steps: &'a Steps,
    entered: Vec<bool>,
    walked: usize,
}

/// Conditions that the current path has passed.
#[derive(Clone, Copy)]
struct PathState {
    at_start: bool,
    /// True if the path passed `$`, so that no character can follow.
    ended: bool,
    /// True if a condition on the path may fail.
    conditional: bool,
}

impl<'a> Walk<'a> {
    fn new(steps: &'a Steps) -> Self {
        Self {
            steps,
            entered: vec![false; steps.all.len()],
            walked: 0,
        }
    }

    fn from(&mut self, step: usize, at_start: bool) -> Result<NextStates, TooLarge> {
        let mut after = NextStates::default();
        let way = PathState {
            at_start,
            ended: false,
            conditional: false,
        };
        self.walk(step, way, &mut after)?;
        after.edges.sort_unstable();
        Ok(after)
    }

    fn walk(&mut self, step: usize, way: PathState, after: &mut NextStates) -> Result<(), TooLarge> {
        self.walked += 1;
        if self.walked > MAX_WALKED {
            return Err(TooLarge);
        }
        match &self.steps.all[step] {
            Step::Any(ways) => {
                for next in ways {
                    self.walk(*next, way, after)?;
                }
            }
            Step::Loop { body, next } => {
                // ECMA-262 ends an iteration that consumed no character, so do not enter the loop again.
                if !self.entered[step] {
                    self.entered[step] = true;
                    self.walk(*body, way, after)?;
                    self.entered[step] = false;
                    self.walk(*next, way, after)?;
                }
            }
            Step::Take(position) if !way.ended => {
                let state = position + 1;
                match after.edges.iter_mut().find(|(other, _)| *other == state) {
                    Some((_, ways)) => *ways += 1,
                    None => after.edges.push((state, 1)),
                }
            }
            Step::Start(next) if way.at_start => self.walk(*next, way, after)?,
            Step::End(next) => {
                let way = PathState {
                    ended: true,
                    conditional: true,
                    ..way
                };
                self.walk(*next, way, after)?;
            }
            Step::MayFail(next) => {
                let way = PathState {
                    conditional: true,
                    ..way
                };
                self.walk(*next, way, after)?;
            }
            Step::Look { body, next } => {
                let way = PathState {
                    conditional: true,
                    ..way
                };
                self.walk(*body, way, after)?;
                self.walk(*next, way, after)?;
            }
            Step::Match if way.conditional => after.may_end = true,
            Step::Match => after.sure = true,
            Step::Take(_) | Step::Start(_) | Step::Looked => {}
        }
        Ok(())
    }
}

/// Divides all characters into classes, so that each set contains all characters of a class or none of the
/// class. Returns the classes of each set, and a sample character of each class.
pub(crate) fn kinds(sets: &[&Set]) -> (Vec<CharClasses>, Vec<char>) {
    let mut distinct: Vec<&Set> = Vec::new();
    for set in sets {
        if !distinct.contains(set) {
            distinct.push(set);
        }
    }
    let mut bounds: Vec<u32> = distinct
        .iter()
        .flat_map(|set| set.ranges().iter().flat_map(|(first, last)| [*first, last + 1]))
        .chain([0])
        .filter(|bound| *bound <= LAST)
        .collect();
    bounds.sort_unstable();
    bounds.dedup();
    let mut found: HashMap<Vec<bool>, usize> = HashMap::new();
    let mut firsts: Vec<Vec<u32>> = Vec::new();
    for bound in &bounds {
        let signature: Vec<bool> = distinct.iter().map(|set| set.contains(*bound)).collect();
        let kind = *found.entry(signature).or_insert(firsts.len());
        if kind == firsts.len() {
            firsts.push(Vec::new());
        }
        firsts[kind].push(*bound);
    }
    let count = firsts.len();
    let of: Vec<CharClasses> = distinct
        .iter()
        .map(|set| {
            let mut kinds = CharClasses::empty(count);
            for (kind, firsts) in firsts.iter().enumerate() {
                if set.contains(firsts[0]) {
                    kinds.add(kind);
                }
            }
            kinds
        })
        .collect();
    let accepts = sets
        .iter()
        .map(|set| {
            let index = distinct.iter().position(|other| other == set).unwrap_or(0);
            of[index].clone()
        })
        .collect();
    (accepts, samples(&bounds, &firsts))
}

/// Returns a character of each class, preferably a readable character.
fn samples(bounds: &[u32], firsts: &[Vec<u32>]) -> Vec<char> {
    let readable = ('a'..='z')
        .chain('0'..='9')
        .chain('A'..='Z')
        .chain('!'..='~')
        .chain([' ']);
    let mut samples = vec![None; firsts.len()];
    let mut offer = |character: char| {
        let after = bounds.partition_point(|bound| *bound <= character as u32);
        let first = bounds[after - 1];
        if let Some(kind) = firsts
            .iter()
            .position(|firsts| firsts.binary_search(&first).is_ok())
        {
            samples[kind].get_or_insert(character);
        }
    };
    readable.for_each(&mut offer);
    bounds
        .iter()
        .filter_map(|bound| char::from_u32(*bound))
        .for_each(&mut offer);
    // A class that consists only of surrogates has no sample character.
    samples
        .into_iter()
        .map(|sample| sample.unwrap_or('\u{fffd}'))
        .collect()
}
