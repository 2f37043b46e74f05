//! Cost of a pattern as a function of the length of the text.

use std::cmp::Ordering;

/// Number of steps of a match: `factor * length ^ degree`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) degree: u32,
    pub(crate) factor: u64,
}

impl Cost {
    pub(crate) const ONE: Self = Self { degree: 0, factor: 1 };

    /// Multiplies the cost by the bound, or by the length of the text if there is no bound.
    pub(crate) fn up_to(self, bound: Option<u64>) -> Self {
        match bound {
            Some(bound) => self.times(bound),
            None => Self {
                degree: self.degree + 1,
                ..self
            },
        }
    }

    pub(crate) fn times(self, factor: u64) -> Self {
        Self {
            factor: self.factor.saturating_mul(factor.max(1)),
            ..self
        }
    }

    /// Returns the cost for a text of the given length.
    pub(crate) fn at(self, length: u64) -> u64 {
        self.factor
            .saturating_mul(length.max(1).saturating_pow(self.degree))
    }
}

impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some((self.degree, self.factor).cmp(&(other.degree, other.factor)))
    }
}
