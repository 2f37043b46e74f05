//! Steps of a backtracking engine, built from the syntax tree: choices, conditions, and positions that consume one
//! character.

use crate::ast::Node;
use crate::set::Set;

/// Maximum number of positions of a pattern that is checked.
const MAX_POSITIONS: usize = 2000;
/// Maximum number of positions of a counted repetition that becomes copies of its body, as `(?:ab){3}` becomes
/// `ababab`. A longer repetition becomes a loop.
const MAX_COPIED: usize = 200;
/// Maximum number of optional iterations that become copies of the body: `{2,5}` has three. More iterations become a
/// loop.
const MAX_OPTIONAL: u32 = 4;

/// A step of the engine. Each number is the index of another step, except in `Take`, whose number is the
/// index of a position.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Continues on one of several paths.
    Any(Vec<usize>),
    /// Begins another iteration, or continues after the loop.
    Loop { body: usize, next: usize },
    /// Consumes a character at a position.
    Take(usize),
    /// Continues only at the start of the text (`^`).
    Start(usize),
    /// Continues only at the end of the text (`$`).
    End(usize),
    /// Continues only if a condition holds, such as a word boundary.
    MayFail(usize),
    /// Tries the body of a lookahead, and continues at `next` if the body matched.
    Look { body: usize, next: usize },
    /// The whole pattern has matched.
    Match,
    /// The body of a lookahead has matched.
    Looked,
}

/// A location in the pattern that consumes a character.
#[derive(Debug, Clone)]
pub(crate) struct Position {
    pub(crate) set: Set,
    /// Index of the step after the position.
    pub(crate) next: usize,
    /// Outermost repetition that contains the position.
    pub(crate) repetition: Option<Extent>,
}

/// Extent of a repetition. A field is `None` if it has no upper bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Number of offsets at which the repetition can stop, once it has begun.
    pub(crate) ends: Option<u64>,
    /// Maximum number of characters that the repetition consumes.
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
    /// Outermost repetition that is being built.
    outermost: Option<Extent>,
}

/// Error for a pattern that is too large to be checked.
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
        if self.all.len() > 8 * MAX_POSITIONS {
            return Err(TooLarge);
        }
        self.all.push(step);
        Ok(self.all.len() - 1)
    }

    /// Adds the steps of a node, which continue at `next`, and returns the first step.
    fn build(&mut self, node: &Node, next: usize) -> Result<usize, TooLarge> {
        match node {
            Node::Set(set) => {
                if self.positions.len() >= MAX_POSITIONS {
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
                // Repetitions inside of a lookahead are independent: the engine never returns into a lookahead that it has
                // left.
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
            // The body consumes nothing, so one iteration equals many. An optional body may also be skipped.
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
            // `x+` becomes one loop and not `xx*`, so that nested repetitions do not double in size. A body that can be
            // empty is copied instead: an empty iteration is allowed only up to the minimum, which adds a path.
            if min > 0 && least > 0 && fits(min - 1, MAX_COPIED) {
                let entry = self.at_least_once(body, next, Extent::UNBOUNDED)?;
                return self.copies(body, min - 1, entry);
            }
            let rest = self.any_number(body, next, Extent::UNBOUNDED)?;
            return self.exactly(body, min, rest, fits(min, MAX_COPIED));
        };
        let more = max - min;
        let rest = if more == 0 {
            next
        } else if more <= MAX_OPTIONAL && fits(more, MAX_COPIED / MAX_OPTIONAL as usize) {
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
        self.exactly(body, min, rest, fits(min, MAX_COPIED))
    }

    /// Repeats a node exactly `times` times. If `spelled` is true, adds copies of the node. If `spelled` is
    /// false, adds a loop, which accepts more texts than the exact repetition.
    fn exactly(&mut self, body: &Node, times: u32, next: usize, spelled: bool) -> Result<usize, TooLarge> {
        if spelled || times == 0 {
            return self.copies(body, times, next);
        }
        let (least, most) = body.width();
        if least == 0 {
            // A counted iteration may consume nothing, so the repetition can have more paths than a loop.
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

    /// Adds a loop. Returns the loop's step and the first step of its body.
    fn looped(&mut self, body: &Node, next: usize, extent: Extent) -> Result<(usize, usize), TooLarge> {
        // Placeholder until the body's first step is available.
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
