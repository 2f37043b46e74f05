//! Static check for regular expressions that can block a backtracking engine ("regular expression denial of service"), and
//! comparisons of the texts that patterns match.
//!
//! This crate does not depend on other crates of kit. `kit-typescript` checks each `@pattern` when it reads the tag, so no
//! generated validator contains a pattern with which a request could block the server.
//!
//! A pattern of ECMA-262 with the flag `u` becomes an automaton over classes of characters. As in
//! `RegExp.prototype.test`, a match may begin and end anywhere in the text. The paths of the automaton are the paths
//! that the engine tries. The maximum number of paths is exact for loops without a bound, and an upper estimate for
//! counted repetitions.
//!
//! Invariants:
//! - [`Verdict::Linear`] is never wrong: every approximation has at least as many paths as the engine. A harmless pattern
//!   may be refused.
//! - The check terminates soon: the size of the automaton and the work on it are limited. Beyond the limits the verdict is
//!   [`Verdict::Unsupported`].
//! - The same pattern always has the same verdict and the same attack.
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
mod difference;
mod example;
mod language;
mod parse;
mod paths;
mod set;
mod steps;
mod width;

pub use attack::Attack;
pub use difference::{Bounded, Found, find};
pub use example::{example, matches};
pub use language::Language;
pub use parse::greedy;

use crate::ambiguity::Finding;
use crate::automaton::Automaton;
use crate::cost::Cost;
use crate::parse::{Refusal, parse};
use crate::steps::Steps;

/// Greatest number of visits to each character of a text for which a pattern still counts as linear.
const MAX_VISITS: u64 = 256;
/// Greatest number of steps that counts as harmless. This number of steps takes a few hundredths of a second.
const MAX_STEPS: u64 = 10_000_000;
/// Maximum length of a pattern that is checked, in bytes.
const MAX_LENGTH: usize = 5000;

/// Worst-case time of matching a pattern, as a function of the length of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Linear time: the engine visits each character of the text a bounded number of times.
    Linear,
    /// Polynomial time: at most `factor * length ^ degree` steps.
    Polynomial {
        /// Exponent of the text's length in the formula.
        degree: u32,
        /// Constant factor of the formula.
        factor: u64,
        /// Texts that take this time. `None` if the factor is large only because of counts in the pattern,
        /// such as `{40}`.
        attack: Option<Attack>,
    },
    /// Exponential time: each repetition of the pump can double the number of steps.
    Exponential {
        /// Texts that take this time.
        attack: Attack,
    },
    /// kit cannot analyse the pattern.
    Unsupported {
        /// Reason as a clause: "it has a back reference".
        reason: String,
    },
}

impl Verdict {
    /// Returns true if no text of at most `max_length` characters can block the engine. `None` means texts of any
    /// length.
    pub fn is_harmless(&self, max_length: Option<u64>) -> bool {
        match self {
            Self::Linear => true,
            Self::Polynomial { .. } => max_length
                .zip(self.max_harmless_length())
                .is_some_and(|(a, b)| a <= b),
            Self::Exponential { .. } | Self::Unsupported { .. } => false,
        }
    }

    /// Returns the length in characters up to which texts are harmless. Returns `None` if texts of all
    /// lengths are harmless, or texts of no length.
    pub fn max_harmless_length(&self) -> Option<u64> {
        let Self::Polynomial { degree, factor, .. } = *self else {
            return None;
        };
        let cost = Cost { degree, factor };
        let (mut low, mut high) = (0, MAX_STEPS);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if cost.at(middle) <= MAX_STEPS {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        (low > 0).then_some(low)
    }
}

/// Computes the worst-case matching time of a pattern. The pattern must be valid for `new RegExp(pattern, "u")`.
pub fn check(pattern: &str) -> Verdict {
    if pattern.len() > MAX_LENGTH {
        return unsupported(format!("the pattern is longer than {MAX_LENGTH} bytes"));
    }
    let node = match parse(pattern) {
        Ok(node) => node,
        Err(Refusal::Unsupported(reason)) => return unsupported(reason),
        Err(Refusal::Syntax(at)) => {
            return unsupported(format!("the pattern has a syntax error at character {}", at + 1));
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
            if cost.degree <= 1 && cost.factor <= MAX_VISITS {
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
