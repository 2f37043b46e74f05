//! Where in the project the parts of a route are, for developers.

use std::fmt;

/// Where a route comes from, as paths from the project's root.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Source {
    /// `src/notes.routes.ts:12`
    pub(super) contract: &'static str,
    /// The files of the types of its slots, where they are not that of the contract.
    pub(super) types: &'static [(&'static str, &'static str)],
    /// The file of its handler and the handler's function; empty if they are not known.
    pub(super) handler: (&'static str, &'static str),
    /// Tests that ask it.
    pub(super) tests: &'static [&'static str],
}

impl Source {
    /// The file of the type of a slot.
    pub(super) fn file_of(&self, slot: Slot) -> &'static str {
        let found = self.types.iter().find(|(name, _)| *name == slot.name());
        let file = || {
            self.contract
                .rsplit_once(':')
                .map_or(self.contract, |(file, _)| file)
        };
        found.map_or_else(file, |(_, file)| file)
    }
}

/// A part of a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Params,
    Query,
    Body,
    Response,
}

impl Slot {
    /// Its name in contracts.
    fn name(self) -> &'static str {
        match self {
            Self::Params => "params",
            Self::Query => "query",
            Self::Body => "body",
            Self::Response => "response",
        }
    }
}

/// In words.
impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Params => "path parameters",
            other => other.name(),
        })
    }
}
