//! Source locations of a route in the project, which errors show in development.

/// Source locations of a route. Paths are relative to the root of the project.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RouteSource {
    /// Location of the contract: `src/notes.routes.ts:12`.
    pub(super) contract: &'static str,
    /// File of each type of a slot that is not in the file of the contract, by the name of the slot.
    pub(super) types: &'static [(&'static str, &'static str)],
    /// File and function name of the handler; empty if unknown.
    pub(super) handler: (&'static str, &'static str),
    /// Tests that call the route.
    pub(super) tests: &'static [&'static str],
}

impl RouteSource {
    /// Returns the file that declares the type of a slot.
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

/// A part of a request or response that a contract declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Params,
    Query,
    Headers,
    Cookies,
    Body,
    Response,
}

impl Slot {
    /// Returns the name of the slot in a contract: `params`, `body`.
    fn name(self) -> &'static str {
        match self {
            Self::Params => "params",
            Self::Query => "query",
            Self::Headers => "headers",
            Self::Cookies => "cookies",
            Self::Body => "body",
            Self::Response => "response",
        }
    }

    /// Returns the beginning of the message about an invalid slot.
    pub(super) fn invalid(self) -> &'static str {
        match self {
            Self::Params => "Invalid path parameters",
            Self::Query => "Invalid query",
            Self::Headers => "Invalid headers",
            Self::Cookies => "Invalid cookies",
            Self::Body => "Invalid body",
            Self::Response => "Invalid response",
        }
    }
}
