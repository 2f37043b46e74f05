//! Locations of types in the source, and errors at them.

use kit_diagnostics::{Code, codes};
use oxc_span::GetSpan;

use super::{Evaluator, Ty, TyId};
use crate::modules::{Location, ModuleId};

impl Evaluator<'_> {
    /// Returns the location of a type expression that is not evaluated yet; `None` for any other type.
    pub(crate) fn written_at(&self, ty: TyId) -> Option<Location> {
        match *self.store.get(ty) {
            Ty::Lazy(lazy) => {
                let lazy = &self.store.lazies[lazy.index()];
                Some(self.location(lazy.scope, lazy.node.span()))
            }
            Ty::Defined(inner) => self.written_at(inner),
            _ => None,
        }
    }

    /// Returns the location of the type expression that is being evaluated.
    pub(crate) fn current_location(&self) -> Location {
        self.current
    }

    /// Sets the location for errors that have no location of their own.
    pub(crate) fn set_location(&mut self, location: Location) {
        self.current = location;
        if self.is_in_project(location.module) {
            self.in_project = Some(location);
        }
    }

    /// Returns true if a module belongs to a file that people of the project edit: neither to an installed package nor to a
    /// declaration file that TypeScript emits.
    pub(crate) fn is_in_project(&mut self, module: ModuleId) -> bool {
        match self.last_module {
            Some((known, is_source)) if known == module => is_source,
            _ => {
                let file = self.graph.file(module);
                let is_source = !self.graph.is_in_package(file) && !self.graph.is_declaration_of_source(file);
                self.last_module = Some((module, is_source));
                is_source
            }
        }
    }

    /// Returns the last location in a source file of the project. A type in a declaration file is used there.
    pub(crate) fn location_in_project(&self) -> Option<Location> {
        self.in_project
    }

    /// Sets the location that [`Evaluator::location_in_project`] returns.
    pub(crate) fn set_location_in_project(&mut self, location: Option<Location>) {
        self.in_project = location;
    }

    pub(super) fn reject(
        &mut self,
        code: Code,
        location: Location,
        message: impl Into<String>,
        help: &str,
    ) -> TyId {
        let diagnostic = self.diagnostic(code, location, message).help(help);
        self.store.reject(diagnostic)
    }

    /// Returns an invalid type with an error. `message` is the error, and `instead` says what to write in
    /// place of the type.
    pub(super) fn unsupported(&mut self, location: Location, message: &str, instead: &str) -> TyId {
        self.reject(codes::UNSUPPORTED_TYPE, location, message, instead)
    }
}
