//! A tree as the steps a backtracking engine takes: choices, conditions, and positions that take one character.

use crate::ast::Node;
use crate::set::Set;

/// A pattern that would have more positions than this is not looked at.
const MOST_POSITIONS: usize = 2000;
/// A part that is counted exactly is spelled out up to so many positions.
const MOST_COPIED: usize = 200;
/// An optional repetition (`{2,5}` has three) is spelled out up to so many times.
const MOST_OPTIONAL: u32 = 4;

/// One step. Numbers are indices of other steps.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Goes on in one of several ways.
    Any(Vec<usize>),
    /// Begins another iteration, or goes on behind the loop.
    Loop { body: usize, next: usize },
    /// Takes a character at a position.
    Take(usize),
    /// `^`
    Start(usize),
    /// `$`
    End(usize),
    /// Goes on only if something holds.
    MayFail(usize),
    /// Tries a body from here, and goes on from here if it matched.
    Look { body: usize, next: usize },
    /// The pattern has matched.
    Match,
    /// The body of a lookahead has.
    Looked,
}

/// A place in the pattern that takes a character.
#[derive(Debug, Clone)]
pub(crate) struct Position {
    pub(crate) set: Set,
    /// The step after it.
    pub(crate) next: usize,
    /// The outermost repetition it stands in.
    pub(crate) repetition: Option<Extent>,
}

/// How far a repetition reaches; nothing where that is without a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    /// In how many places it can end, once it has begun.
    pub(crate) ends: Option<u64>,
    /// How many characters it can take.
    pub(crate) length: Option<u64>,
}

impl Extent {
    pub(crate) const UNBOUNDED: Self = Self {
        ends: None,
        length: None,
    };
}

/// The steps of a pattern.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    pub(crate) all: Vec<Step>,
    pub(crate) positions: Vec<Position>,
    pub(crate) start: usize,
    /// The repetition that is being built.
    outermost: Option<Extent>,
}

/// The pattern is too large to be looked at.
#[derive(Debug)]
pub(crate) struct TooLarge;

impl Steps {
    pub(crate) fn of(node: &Node) -> Result<Self, TooLarge> {
        let mut steps = Self::default();
        let end = steps.push(Step::Match)?;
        steps.start = steps.build(node, end)?;
        Ok(steps)
    }

    fn push(&mut self, step: Step) -> Result<usize, TooLarge> {
        if self.all.len() > 8 * MOST_POSITIONS {
            return Err(TooLarge);
        }
        self.all.push(step);
        Ok(self.all.len() - 1)
    }

    /// Adds the steps of a part, which go on at `next`, and returns the first of them.
    fn build(&mut self, node: &Node, next: usize) -> Result<usize, TooLarge> {
        match node {
            Node::Set(set) => {
                if self.positions.len() >= MOST_POSITIONS {
                    return Err(TooLarge);
                }
                self.positions.push(Position {
                    set: set.clone(),
                    next,
                    repetition: self.outermost,
                });
                self.push(Step::Take(self.positions.len() - 1))
            }
            Node::Start => self.push(Step::Start(next)),
            Node::End => self.push(Step::End(next)),
            Node::Condition => self.push(Step::MayFail(next)),
            Node::Look(body) => {
                // Its repetitions are its own: leaving it never goes back into them.
                let outermost = self.outermost.take();
                let done = self.push(Step::Looked)?;
                let body = self.build(body, done);
                self.outermost = outermost;
                let body = body?;
                self.push(Step::Look { body, next })
            }
            Node::Sequence(parts) => parts
                .iter()
                .rev()
                .try_fold(next, |next, part| self.build(part, next)),
            Node::Choice(parts) => {
                let entries = parts
                    .iter()
                    .map(|part| self.build(part, next))
                    .collect::<Result<_, _>>()?;
                self.push(Step::Any(entries))
            }
            Node::Repeat { body, min, max } => self.repeat(body, *min, *max, next),
        }
    }

    fn repeat(&mut self, body: &Node, min: u32, max: Option<u32>, next: usize) -> Result<usize, TooLarge> {
        let (least, most) = body.width();
        if most == Some(0) || max == Some(0) {
            // It takes nothing, so once is as good as often; a part that may be left out may also not be tried.
            if max == Some(0) {
                return Ok(next);
            }
            let once = self.build(body, next)?;
            return if min > 0 {
                Ok(once)
            } else {
                self.push(Step::Any(vec![once, next]))
            };
        }
        let size = body.size();
        let fits = |times: u32, limit: usize| {
            usize::try_from(times).is_ok_and(|times| times.saturating_mul(size) <= limit)
        };
        let Some(max) = max else {
            // `x+` is one loop, not `xx*`, so that nested ones do not double. An iteration that takes nothing counts towards
            // the minimum and only there, which is another way through, so such a body is spelled out.
            if min > 0 && least > 0 && fits(min - 1, MOST_COPIED) {
                let entry = self.at_least_once(body, next, Extent::UNBOUNDED)?;
                return self.copies(body, min - 1, entry);
            }
            let rest = self.any_number(body, next, Extent::UNBOUNDED)?;
            return self.exactly(body, min, rest, fits(min, MOST_COPIED));
        };
        let more = max - min;
        let rest = if more == 0 {
            next
        } else if more <= MOST_OPTIONAL && fits(more, MOST_COPIED / MOST_OPTIONAL as usize) {
            let mut rest = next;
            for _ in 0..more {
                let once = self.build(body, rest)?;
                rest = self.push(Step::Any(vec![once, next]))?;
            }
            rest
        } else {
            let length = most.map(|most| most.saturating_mul(u64::from(more)));
            let ends = if least == most.unwrap_or(u64::MAX) {
                Some(u64::from(more) + 1)
            } else {
                length.map(|length| length.saturating_add(1))
            };
            self.any_number(body, next, Extent { ends, length })?
        };
        self.exactly(body, min, rest, fits(min, MOST_COPIED))
    }

    /// A part so many times: spelled out, or, where that is too long, as a loop that allows more than the part does.
    fn exactly(&mut self, body: &Node, times: u32, next: usize, spelled: bool) -> Result<usize, TooLarge> {
        if spelled || times == 0 {
            return self.copies(body, times, next);
        }
        let (least, most) = body.width();
        if least == 0 {
            // Iterations that count may take nothing, in more ways than a loop has.
            return Err(TooLarge);
        }
        let times = u64::from(times);
        let length = most.map(|most| most.saturating_mul(times));
        let ends = length.map(|length| length - least.saturating_mul(times) + 1);
        let leave = self.push(Step::MayFail(next))?;
        self.at_least_once(body, leave, Extent { ends, length })
    }

    fn copies(&mut self, body: &Node, times: u32, next: usize) -> Result<usize, TooLarge> {
        (0..times).try_fold(next, |next, _| self.build(body, next))
    }

    fn any_number(&mut self, body: &Node, next: usize, extent: Extent) -> Result<usize, TooLarge> {
        Ok(self.looped(body, next, extent)?.0)
    }

    fn at_least_once(&mut self, body: &Node, next: usize, extent: Extent) -> Result<usize, TooLarge> {
        Ok(self.looped(body, next, extent)?.1)
    }

    /// A loop, and the first step of its body.
    fn looped(&mut self, body: &Node, next: usize, extent: Extent) -> Result<(usize, usize), TooLarge> {
        // Its body is not known yet.
        let again = self.push(Step::Match)?;
        let body = self.body(body, again, extent)?;
        self.all[again] = Step::Loop { body, next };
        Ok((again, body))
    }

    fn body(&mut self, body: &Node, next: usize, extent: Extent) -> Result<usize, TooLarge> {
        let outer = self.outermost;
        self.outermost = Some(outer.unwrap_or(extent));
        let entry = self.build(body, next);
        self.outermost = outer;
        entry
    }
}
