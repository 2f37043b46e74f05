//! Result of checking a value against a type.

/// Result of checking a value against a type. Only validators check patterns and formats completely, so the
/// result is [`Fit::Unsure`] if it depends on them. An exception is the example of a format that this crate
/// itself uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// The value certainly does not fit the type.
    No,
    /// The value may fit the type.
    Unsure,
    /// The value certainly fits the type.
    Yes,
}

impl Fit {
    pub(crate) fn from_bool(fits: bool) -> Self {
        if fits { Self::Yes } else { Self::No }
    }

    /// Combines the results of two checks that must pass.
    pub(crate) fn and(self, other: Self) -> Self {
        self.min(other)
    }

    /// Combines the results of any number of checks that must all pass.
    pub(super) fn all(fits: impl Iterator<Item = Self>) -> Self {
        let mut worst = Self::Yes;
        for fit in fits {
            worst = worst.and(fit);
            if worst == Self::No {
                break;
            }
        }
        worst
    }
}
