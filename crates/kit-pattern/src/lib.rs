//! Whether a regular expression can hang an engine that backtracks, decided before it runs.
//!
//! Where it stands: at the bottom; it knows nothing of kit. `kit-typescript` asks it about each `@pattern` when it reads the
//! tag, so that no validator holds a pattern that a request could hold the server up with.
//!
//! How: a pattern of ECMA-262 (flag `u`, searched for as `RegExp.prototype.test` does, so not anchored unless it says so) becomes
//! an automaton over kinds of characters whose ways are the ways that the engine tries. How many ways there are at most is
//! decided exactly for what loops without a bound, and from above for what is counted.
//!
//! Invariants:
//! - [`Verdict::Linear`] is never wrong: every approximation has more ways than the engine. A pattern may be refused that
//!   would do no harm.
//! - It ends soon: the automaton and the work on it are bounded, and beyond the bounds the verdict is [`Verdict::Unsupported`].
//! - Same pattern, same verdict, same attack.
//!
//! ```
//! use kit_pattern::{check, Verdict};
//!
//! assert_eq!(check("^[a-z0-9]+(?:-[a-z0-9]+)*$"), Verdict::Linear);
//! assert!(matches!(check("^(?:a+)+$"), Verdict::Exponential { .. }));
//! assert!(matches!(check("[a-z]+$"), Verdict::Polynomial { degree: 2, .. }));
//! ```

mod ambiguity;
mod ast;
mod attack;
mod automaton;
mod components;
mod cost;
mod example;
mod parse;
mod paths;
mod set;
mod steps;
mod width;

pub use attack::Attack;
pub use example::{example, matches};

use crate::ambiguity::Finding;
use crate::automaton::Automaton;
use crate::cost::Cost;
use crate::parse::{Refusal, parse};
use crate::steps::Steps;

/// A linear pattern may look at each character so many times.
const MOST_VISITS: u64 = 256;
/// So many steps are harmless: a few hundredths of a second.
const MOST_STEPS: u64 = 10_000_000;
/// Longer patterns are not looked at.
const LONGEST: usize = 5000;

/// How long a pattern can keep an engine busy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// As long as it takes to look at each character of the text a bounded number of times.
    Linear,
    /// At worst `factor * length ^ degree` steps.
    Polynomial {
        /// The power of the text's length.
        degree: u32,
        /// What it is multiplied with.
        factor: u64,
        /// Texts that take so long; nothing where the counts of the pattern alone are at fault.
        attack: Option<Attack>,
    },
    /// At worst twice as long with each repetition of the pump.
    Exponential {
        /// Texts that take so long.
        attack: Attack,
    },
    /// It cannot be told.
    Unsupported {
        /// Why, as a clause: "it has a back reference".
        reason: String,
    },
}

impl Verdict {
    /// Whether texts of at most so many characters do no harm; nothing for texts of any length.
    pub fn is_harmless(&self, longest: Option<u64>) -> bool {
        match self {
            Self::Linear => true,
            Self::Polynomial { .. } => longest.zip(self.longest_harmless()).is_some_and(|(a, b)| a <= b),
            Self::Exponential { .. } | Self::Unsupported { .. } => false,
        }
    }

    /// The greatest length up to which texts do no harm, where only a length makes them harmless.
    pub fn longest_harmless(&self) -> Option<u64> {
        let Self::Polynomial { degree, factor, .. } = *self else {
            return None;
        };
        let cost = Cost { degree, factor };
        let (mut low, mut high) = (0, MOST_STEPS);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if cost.at(middle) <= MOST_STEPS {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        (low > 0).then_some(low)
    }
}

/// Decides how long a pattern can keep an engine busy. It must be one that `new RegExp(pattern, "u")` takes.
pub fn check(pattern: &str) -> Verdict {
    if pattern.len() > LONGEST {
        return unsupported(format!("it is longer than {LONGEST} bytes"));
    }
    let node = match parse(pattern) {
        Ok(node) => node,
        Err(Refusal::Unsupported(reason)) => return unsupported(reason),
        Err(Refusal::Syntax(at)) => {
            return unsupported(format!("kit cannot read it at character {}", at + 1));
        }
    };
    let found = Steps::of(&node)
        .and_then(|steps| Automaton::of(&steps))
        .and_then(|automaton| Ok((ambiguity::analyse(&automaton)?, automaton)));
    match found {
        Err(_) => unsupported("it is too large to be checked"),
        Ok((Finding::Exponential(pump), automaton)) => Verdict::Exponential {
            attack: Attack::of(&automaton, &pump),
        },
        Ok((Finding::Bounded(cost, pump), automaton)) => {
            if cost.degree <= 1 && cost.factor <= MOST_VISITS {
                return Verdict::Linear;
            }
            Verdict::Polynomial {
                degree: cost.degree,
                factor: cost.factor,
                attack: pump
                    .filter(|_| cost.degree > 1)
                    .map(|pump| Attack::of(&automaton, &pump)),
            }
        }
    }
}

fn unsupported(reason: impl Into<String>) -> Verdict {
    Verdict::Unsupported {
        reason: reason.into(),
    }
}
