//! Data that all emitters share.

use std::collections::BTreeSet;

use kit_ir::{Declaration, DeclarationId, Program};
use kit_router::RouteTree;

use crate::analysis::Analysis;
use crate::direction::Direction;
use crate::fingerprint::{Fingerprint, Fingerprints, fingerprint};
use crate::json_schema::{DeclaredSchemas, Schemas};
use crate::options::EmitOptions;
use crate::origin::origin;
use crate::text::Module;

/// Shared data of the emitters.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) program: &'a Program,
    pub(crate) tree: &'a RouteTree,
    pub(crate) options: &'a EmitOptions,
    pub(crate) analysis: &'a Analysis<'a>,
    pub(crate) declared: &'a DeclaredSchemas<'a>,
    pub(crate) fingerprints: &'a Fingerprints,
    /// For each declaration, true if all texts about the declaration are those of the last build. Empty if this is not known.
    pub(crate) unchanged: &'a [bool],
    /// Files of single validators that the project of a large program uses. `None` if all of them are generated.
    pub(crate) used: Option<&'a BTreeSet<String>>,
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

impl<'a> Context<'a> {
    /// Returns true if routes, entities, options, names and references are those of the last build.
    pub(crate) fn has_last_build(self) -> bool {
        !self.unchanged.is_empty()
    }

    /// Returns true if the modules of a declaration, its schemas and all other texts about the declaration are those of the last
    /// build.
    pub(crate) fn is_unchanged(self, declaration: DeclarationId) -> bool {
        self.unchanged.get(usize::from(declaration)) == Some(&true)
    }

    /// Returns the declarations whose texts may differ from those of the last build.
    pub(crate) fn changed(self) -> impl Iterator<Item = (DeclarationId, &'a Declaration)> {
        let declarations = self.program.declarations.iter_ids();
        declarations.filter(move |(id, _)| !self.is_unchanged(*id))
    }

    /// Returns true if a file of a single validator is generated. A large program has only those that are used, because
    /// thousands of files would make the directory large and TypeScript slow.
    pub(crate) fn has_file(self, path: &str) -> bool {
        !self.analysis.is_large() || self.used.is_none_or(|used| used.contains(path))
    }

    /// Creates the module of a declaration with a role, such as `write`. See [`Module::for_declaration`]. In a large program,
    /// its code is not indented.
    pub(crate) fn module(self, role: &'static str, declaration: &Declaration) -> Module {
        Module::new(origin(self.program, declaration), self.analysis.declared_names())
            .for_declaration(role, &declaration.name)
            .unindented(self.analysis.is_large())
    }

    /// Returns the fingerprint of everything that the modules of a declaration depend on. In a large program, they also
    /// depend on the use of the declaration, because only the types that routes write have a serializer, and on the number of
    /// properties that other types have too. If the fingerprint is
    /// unchanged, the modules of the last build are reused.
    pub(crate) fn module_key(self, declaration: DeclarationId) -> Fingerprint {
        let is_large = self.analysis.is_large();
        fingerprint((
            self.fingerprints.of(declaration),
            self.fingerprints.names,
            (is_large, is_large && self.analysis.is_written(declaration)),
            self.analysis.common_count(declaration),
        ))
    }
}
