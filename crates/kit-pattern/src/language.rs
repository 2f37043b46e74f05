//! Regular languages: exact sets of texts, and texts that are in some of the sets and not in others.
//!
//! A [`Language`] is a nondeterministic automaton over code points. [`find`] searches the product of deterministic
//! automata, which it creates while it searches, so no automaton is complemented as a whole (Hopcroft, Motwani and Ullman,
//! "Introduction to Automata Theory, Languages, and Computation", sections 2.3 and 4.2).

use crate::ast::Node;
use crate::parse::parse;
use crate::set::{LAST, Set};

/// Copies of a state in [`Language::plain`]: at the start of the text, in the middle, at the end, and at the end of an empty
/// text.
const START: usize = 0;
const MIDDLE: usize = 1;
const END: usize = 2;
const EMPTY: usize = 3;

/// Maximum number of states of one language.
const MAX_STATES: usize = 20_000;

/// A regular set of texts.
#[derive(Debug, Clone)]
pub struct Language {
    pub(crate) states: Vec<State>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A state of the automaton.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    /// Next states after a character of the set.
    pub(crate) edges: Vec<(Set, usize)>,
    /// Next states without a character.
    pub(crate) free: Vec<usize>,
    /// Next states without a character at the start of the text.
    pub(crate) at_start: Vec<usize>,
    /// Next states without a character at the end of the text.
    pub(crate) at_end: Vec<usize>,
}

/// Error for a language with too many states, or a pattern with a condition such as a lookahead.
struct Unsupported;

impl Language {
    /// Returns the texts in which a pattern of ECMA-262 with the flag `u` matches. Returns `None` for a pattern with a
    /// lookaround, a word boundary or a back reference, and for a pattern that is too large.
    ///
    /// ```
    /// use kit_pattern::Language;
    ///
    /// assert!(Language::of_pattern("^[a-z]+$").unwrap().contains("abc"));
    /// assert!(!Language::of_pattern("^[a-z]+$").unwrap().contains("a1"));
    /// assert!(Language::of_pattern("(?!a)b").is_none());
    /// ```
    pub fn of_pattern(pattern: &str) -> Option<Self> {
        let node = parse(pattern).ok()?;
        let mut built = Self::empty();
        let end = built.end;
        // A match may begin and end anywhere in the text.
        built.states[end].edges.push((everything(), end));
        let entry = built.build(&node, end).ok()?;
        built.start = entry;
        let search = built.add().ok()?;
        built.states[search].edges.push((everything(), search));
        built.states[search].free.push(entry);
        built.start = search;
        Some(built)
    }

    /// Returns the set of all texts.
    ///
    /// ```
    /// assert!(kit_pattern::Language::any().contains("é"));
    /// ```
    pub fn any() -> Self {
        let mut built = Self::empty();
        built.start = built.end;
        built.states[0].edges.push((everything(), 0));
        built
    }

    /// Returns the set with one text.
    ///
    /// ```
    /// let red = kit_pattern::Language::literal("red");
    /// assert!(red.contains("red") && !red.contains("reds"));
    /// ```
    pub fn literal(text: &str) -> Self {
        let mut built = Self::empty();
        let mut at = built.end;
        for character in text.chars().rev() {
            built.states.push(State {
                edges: vec![(Set::one(u32::from(character)), at)],
                ..State::default()
            });
            at = built.states.len() - 1;
        }
        built.start = at;
        built
    }

    /// Returns the texts that consist of one character.
    ///
    /// ```
    /// let one = kit_pattern::Language::one_character();
    /// assert!(one.contains("é") && !one.contains(""));
    /// ```
    pub fn one_character() -> Self {
        let mut built = Self::empty();
        built.states.push(State {
            edges: vec![(everything(), built.end)],
            ..State::default()
        });
        built.start = 1;
        built
    }

    /// Returns the texts that consist of a text of each language in order. Returns `None` if the result is too large.
    ///
    /// ```
    /// use kit_pattern::Language;
    ///
    /// let digits = Language::of_pattern("^[0-9]+$").unwrap();
    /// let version = Language::sequence(&[Language::literal("v"), digits]).unwrap();
    /// assert!(version.contains("v12") && !version.contains("12"));
    /// ```
    pub fn sequence(parts: &[Self]) -> Option<Self> {
        let mut built = Self::empty();
        built.start = built.end;
        for part in parts.iter().rev() {
            // Anchors of a part mean the start and the end of the part.
            let (start, end) = built.append(part)?;
            let next = built.start;
            built.states[end].free.push(next);
            built.start = start;
        }
        Some(built)
    }

    /// Returns the union of languages. Returns `None` if the result is too large.
    ///
    /// ```
    /// use kit_pattern::Language;
    ///
    /// let either = Language::one_of(&[Language::literal("a"), Language::literal("b")]).unwrap();
    /// assert!(either.contains("b") && !either.contains("ab"));
    /// ```
    pub fn one_of(parts: &[Self]) -> Option<Self> {
        let mut built = Self::empty();
        built.states.push(State::default());
        built.start = 1;
        for part in parts {
            let (start, end) = built.append(part)?;
            let last = built.end;
            built.states[end].free.push(last);
            built.states[1].free.push(start);
        }
        Some(built)
    }

    /// Returns the texts that are in both languages. Returns `None` if the result is too large.
    ///
    /// ```
    /// use kit_pattern::Language;
    ///
    /// let (short, digits) = (Language::of_pattern("^.{2}$").unwrap(), Language::of_pattern("^[0-9]+$").unwrap());
    /// let both = short.both(&digits).unwrap();
    /// assert!(both.contains("12") && !both.contains("123") && !both.contains("ab"));
    /// ```
    pub fn both(&self, other: &Self) -> Option<Self> {
        let (left, right) = (self.plain()?, other.plain()?);
        let count = right.states.len();
        if left.states.len().checked_mul(count)? > MAX_STATES {
            return None;
        }
        let pair = |left: usize, right: usize| left * count + right;
        let mut states = Vec::with_capacity(left.states.len() * count);
        for (at, state) in left.states.iter().enumerate() {
            for (beside, other) in right.states.iter().enumerate() {
                let free = state.free.iter().map(|next| pair(*next, beside));
                let edges = state.edges.iter().flat_map(|(set, next)| {
                    let others = other.edges.iter();
                    others.map(move |(other, beside)| (set.common(other), next * count + beside))
                });
                states.push(State {
                    edges: edges.filter(|(set, _)| !set.ranges().is_empty()).collect(),
                    free: free
                        .chain(other.free.iter().map(|next| pair(at, *next)))
                        .collect(),
                    ..State::default()
                });
            }
        }
        Some(Self {
            states,
            start: pair(left.start, right.start),
            end: pair(left.end, right.end),
        })
    }

    /// Returns the set without texts.
    ///
    /// ```
    /// assert!(!kit_pattern::Language::none().contains(""));
    /// ```
    pub fn none() -> Self {
        let mut built = Self::empty();
        built.states.push(State::default());
        built.start = 1;
        built
    }

    /// Returns the texts that consist of a text of this language and then `mark`, in which the first occurrence of `mark` is
    /// the last part. Returns `None` if the result is too large. `mark` is not empty.
    ///
    /// ```
    /// use kit_pattern::Language;
    ///
    /// let until = Language::any().until_first("-").unwrap();
    /// assert!(until.contains("ab-") && !until.contains("a-b-"));
    /// ```
    pub fn until_first(&self, mark: &str) -> Option<Self> {
        let part = self.plain()?;
        let mark: Vec<u32> = mark.chars().map(u32::from).collect();
        let count = mark.len();
        let total = part
            .states
            .len()
            .checked_mul(count)?
            .checked_add(count * count + 1)?;
        if total > MAX_STATES {
            return None;
        }
        // The state `within(state, known)` reads the first part, and knows how many characters of `mark` it has read
        // last. The state `after(read, known)` has read `read` characters of `mark` as the last part.
        let within = |state: usize, known: usize| 1 + state * count + known;
        let after = |read: usize, known: usize| 1 + part.states.len() * count + read * count + known;
        let mut built = Self::empty();
        built.states.resize(total, State::default());
        let mut marks: Vec<u32> = mark.clone();
        marks.sort_unstable();
        marks.dedup();
        for (id, state) in part.states.iter().enumerate() {
            for known in 0..count {
                let free = state.free.iter().map(|next| within(*next, known)).collect();
                built.states[within(id, known)].free = free;
                if id == part.end {
                    built.states[within(id, known)].free.push(after(0, known));
                }
                for (set, next) in &state.edges {
                    let others = Set::of(marks.iter().map(|mark| (*mark, *mark)))
                        .negated()
                        .common(set);
                    let edges = &mut built.states[within(id, known)].edges;
                    edges.push((others, within(*next, 0)));
                    for character in marks.iter().filter(|character| set.contains(**character)) {
                        let known = advance(&mark, known, *character);
                        if known < count {
                            edges.push((Set::one(*character), within(*next, known)));
                        }
                    }
                }
            }
        }
        for read in 0..count {
            for known in 0..count {
                let next = advance(&mark, known, mark[read]);
                let is_last = read + 1 == count;
                if is_last || next < count {
                    let target = if is_last { 0 } else { after(read + 1, next) };
                    built.states[after(read, known)]
                        .edges
                        .push((Set::one(mark[read]), target));
                }
            }
        }
        built.start = within(part.start, 0);
        Some(built)
    }

    /// Returns true if the text is in the language.
    ///
    /// ```
    /// assert!(kit_pattern::Language::literal("a").contains("a"));
    /// ```
    pub fn contains(&self, text: &str) -> bool {
        let mut states = self.closure(vec![self.start], true);
        for character in text.chars() {
            states = self.after(&states, u32::from(character));
        }
        self.accepts(&states, text.is_empty())
    }

    /// Returns the states after a character.
    pub(crate) fn after(&self, states: &[usize], character: u32) -> Vec<usize> {
        let next = states
            .iter()
            .flat_map(|state| &self.states[*state].edges)
            .filter(|(set, _)| set.contains(character))
            .map(|(_, next)| *next)
            .collect();
        self.closure(next, false)
    }

    /// Returns the states together with all states that they lead to without a character, sorted.
    pub(crate) fn closure(&self, states: Vec<usize>, at_start: bool) -> Vec<usize> {
        self.reach(states, at_start, false)
    }

    /// Returns true if a text that led to the states may end.
    pub(crate) fn accepts(&self, states: &[usize], at_start: bool) -> bool {
        states.contains(&self.end) || self.reach(states.to_vec(), at_start, true).contains(&self.end)
    }

    fn reach(&self, states: Vec<usize>, at_start: bool, at_end: bool) -> Vec<usize> {
        let mut found = states.clone();
        let mut open = states;
        while let Some(state) = open.pop() {
            let State {
                free,
                at_start: starts,
                at_end: ends,
                ..
            } = &self.states[state];
            let starts = starts.iter().filter(|_| at_start);
            let ends = ends.iter().filter(|_| at_end);
            for next in free.iter().chain(starts).chain(ends) {
                if !found.contains(next) {
                    found.push(*next);
                    open.push(*next);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn empty() -> Self {
        Self {
            states: vec![State::default()],
            start: 0,
            end: 0,
        }
    }

    /// Returns an equal language without conditions at the start and the end, so that it can be a part of another.
    fn plain(&self) -> Option<Self> {
        let has_conditions = |state: &State| !state.at_start.is_empty() || !state.at_end.is_empty();
        if !self.states.iter().any(has_conditions) {
            return Some(self.clone());
        }
        // Each state has a copy for the start of the text, for the middle, for the end, and for the end of an empty text.
        let count = self.states.len();
        if 4 * count + 1 > MAX_STATES {
            return None;
        }
        let copy = |state: usize, copy: usize| copy * count + state;
        let mut states = vec![State::default(); 4 * count + 1];
        for (id, state) in self.states.iter().enumerate() {
            for at in [START, MIDDLE, END, EMPTY] {
                let mut free: Vec<usize> = state.free.iter().map(|next| copy(*next, at)).collect();
                if at == START || at == EMPTY {
                    free.extend(state.at_start.iter().map(|next| copy(*next, at)));
                }
                let ended = if at == START || at == EMPTY { EMPTY } else { END };
                free.extend(state.at_end.iter().map(|next| copy(*next, ended)));
                if at == START || at == MIDDLE {
                    let edges = state
                        .edges
                        .iter()
                        .map(|(set, next)| (set.clone(), copy(*next, MIDDLE)));
                    states[copy(id, at)].edges = edges.collect();
                }
                states[copy(id, at)].free = free;
            }
        }
        let end = 4 * count;
        for at in [START, MIDDLE, END, EMPTY] {
            states[copy(self.end, at)].free.push(end);
        }
        Some(Self {
            states,
            start: copy(self.start, 0),
            end,
        })
    }

    /// Adds the states of another language. Returns its first and its last state.
    fn append(&mut self, part: &Self) -> Option<(usize, usize)> {
        let part = part.plain()?;
        let offset = self.states.len();
        if offset + part.states.len() > MAX_STATES {
            return None;
        }
        self.states.extend(part.states.iter().map(|state| {
            State {
                edges: state
                    .edges
                    .iter()
                    .map(|(set, next)| (set.clone(), next + offset))
                    .collect(),
                free: state.free.iter().map(|next| next + offset).collect(),
                ..State::default()
            }
        }));
        Some((offset + part.start, offset + part.end))
    }

    fn add(&mut self) -> Result<usize, Unsupported> {
        if self.states.len() >= MAX_STATES {
            return Err(Unsupported);
        }
        self.states.push(State::default());
        Ok(self.states.len() - 1)
    }

    /// Adds the states of a node, which continue at `next`. Returns the first state.
    fn build(&mut self, node: &Node, next: usize) -> Result<usize, Unsupported> {
        match node {
            Node::Set(set) => {
                let state = self.add()?;
                self.states[state].edges.push((set.clone(), next));
                Ok(state)
            }
            Node::Start => {
                let state = self.add()?;
                self.states[state].at_start.push(next);
                Ok(state)
            }
            Node::End => {
                let state = self.add()?;
                self.states[state].at_end.push(next);
                Ok(state)
            }
            Node::Condition | Node::Look(_) => Err(Unsupported),
            Node::Sequence(parts) => parts
                .iter()
                .rev()
                .try_fold(next, |next, part| self.build(part, next)),
            Node::Choice(parts) => {
                let state = self.add()?;
                for part in parts {
                    let entry = self.build(part, next)?;
                    self.states[state].free.push(entry);
                }
                Ok(state)
            }
            Node::Repeat { body, min, max } => {
                let mut entry = match max {
                    None => {
                        let again = self.add()?;
                        let once = self.build(body, again)?;
                        self.states[again].free.extend([once, next]);
                        again
                    }
                    Some(max) => {
                        let mut entry = next;
                        for _ in *min..*max {
                            let once = self.build(body, entry)?;
                            let choice = self.add()?;
                            self.states[choice].free.extend([once, next]);
                            entry = choice;
                        }
                        entry
                    }
                };
                for _ in 0..*min {
                    entry = self.build(body, entry)?;
                }
                Ok(entry)
            }
        }
    }
}

/// Returns the number of characters of `mark` that a text ends with, after one more character (Knuth, Morris and Pratt).
fn advance(mark: &[u32], known: usize, character: u32) -> usize {
    (1..=known + 1)
        .rev()
        .find(|length| mark[length - 1] == character && mark[known + 1 - length..known] == mark[..length - 1])
        .unwrap_or(0)
}

fn everything() -> Set {
    Set::of([(0, LAST)])
}
