//! Data that all emitters share.

use kit_ir::{DeclarationId, Program};
use kit_router::RouteTree;

use crate::analysis::Analysis;
use crate::direction::Direction;
use crate::fingerprint::{Fingerprint, Fingerprints, fingerprint};
use crate::json_schema::{DeclaredSchemas, Schemas};
use crate::options::EmitOptions;

/// Shared data of the emitters.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) program: &'a Program,
    pub(crate) tree: &'a RouteTree,
    pub(crate) options: &'a EmitOptions,
    pub(crate) analysis: &'a Analysis,
    pub(crate) declared: &'a DeclaredSchemas<'a>,
    pub(crate) fingerprints: &'a Fingerprints,
}

impl<'a> Context<'a> {
    /// Returns the generator of the JSON Schemas for requests or for responses.
    pub(crate) fn schemas(self, direction: Direction) -> Schemas<'a> {
        Schemas {
            program: self.program,
            direction,
            names: self.analysis.components(),
            implied: true,
        }
    }
}

impl Context<'_> {
    /// Returns the fingerprint of everything that the modules of a declaration depend on. In a large program, they also
    /// depend on the use of the declaration: only the types that routes write have a serializer. If the fingerprint is
    /// unchanged, the modules of the last build are reused.
    pub(crate) fn module_key(self, declaration: DeclarationId) -> Fingerprint {
        let is_large = self.analysis.is_large();
        fingerprint((
            self.fingerprints.of(declaration),
            self.fingerprints.names,
            (is_large, is_large && self.analysis.is_written(declaration)),
        ))
    }
}
