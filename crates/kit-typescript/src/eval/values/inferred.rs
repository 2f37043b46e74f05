//! Types of values that the source files do not write out: only TypeScript can infer them. kit reads these types from
//! the declaration files that TypeScript emits. Without these files, the types are invalid, and the output of the
//! compiler lists the source files.

use std::path::PathBuf;

use kit_diagnostics::{Diagnostic, Diagnostics, codes};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::eval::{Evaluator, TyId};
use crate::modules::{Location, ModuleId, Symbol, declaration_path};

/// Types that only TypeScript can infer.
#[derive(Debug, Default)]
pub(in crate::eval) struct Uninferred {
    /// Invalid types of expressions whose types only TypeScript can infer, with the locations of the expressions.
    types: FxHashMap<TyId, Location>,
    /// Types in `types` that no declaration file of TypeScript replaced, in the order of the evaluation.
    pub(super) unreplaced: Vec<TyId>,
    /// Files whose types an exported type or an `@owner` needs.
    wanted: FxHashSet<ModuleId>,
    /// Files with middleware without a type that kit can read.
    untyped_middleware: FxHashSet<ModuleId>,
}

impl Uninferred {
    pub(super) fn contains(&self, ty: TyId) -> bool {
        self.types.contains_key(&ty)
    }
}

impl<'a> Evaluator<'a> {
    /// Returns an invalid type for an expression whose type only TypeScript can infer, with the error that is reported
    /// if no declaration file of TypeScript has the type.
    pub(super) fn needs_typescript(&mut self, diagnostic: Diagnostic, location: Location) -> TyId {
        let ty = self.store.reject(diagnostic);
        self.uninferred.types.insert(ty, location);
        self.uninferred.unreplaced.push(ty);
        ty
    }

    /// Returns the type of a value from the declaration file that TypeScript emits for the value's source file. Returns
    /// `None` if TypeScript was not run for the file, or if the declaration file does not contain the value.
    /// `unreplaced` is the number of types in `self.uninferred.unreplaced` before the value was evaluated.
    pub(super) fn inferred_value(
        &mut self,
        module: ModuleId,
        name: &'a str,
        location: Location,
        unreplaced: usize,
    ) -> Option<TyId> {
        let file = self.graph.file(module);
        let declarations = self.graph.declarations_of(file)?;
        if let Some(Symbol::Value(declared_in, name, value)) =
            self.graph.declared_value(module, declarations, name)
        {
            self.uninferred.unreplaced.truncate(unreplaced);
            return Some(self.value_once(declared_in, name, value, location));
        }
        let note = format!(
            "TypeScript emits no declaration of `{name}`, because the file neither exports it nor uses it in an exported type"
        );
        for ty in &self.uninferred.unreplaced[unreplaced..] {
            self.store.add_note(*ty, &note);
        }
        None
    }

    /// Records that an exported type has no JSON form because of an invalid type.
    pub(in crate::eval) fn want(&mut self, invalid: TyId) {
        if let Some(location) = self.uninferred.types.get(&invalid) {
            self.uninferred.wanted.insert(self.graph.file(location.module));
        }
    }

    /// Records a file with middleware without a type that kit can read.
    pub(crate) fn add_untyped_middleware(&mut self, module: ModuleId) {
        let file = self.graph.file(module);
        self.uninferred.untyped_middleware.insert(file);
    }

    /// Records that the program needs the types of the middleware that has no type which kit can read.
    pub(crate) fn want_types_of_middleware(&mut self) {
        let Uninferred {
            wanted,
            untyped_middleware,
            ..
        } = &mut self.uninferred;
        wanted.extend(untyped_middleware.iter());
    }

    /// Returns the sorted paths of the source files with types that the program needs and only TypeScript can
    /// infer: the files of the reported diagnostics about such types, and the files that exported types need.
    pub(crate) fn files_without_types(&self, reported: &Diagnostics) -> Vec<PathBuf> {
        let labels: FxHashSet<&str> = reported
            .iter()
            .filter(|diagnostic| diagnostic.code == codes::UNINFERRED_TYPE)
            .filter_map(|diagnostic| Some(diagnostic.primary()?.path.as_str()))
            .collect();
        let files = self.graph.files().filter(|(id, module)| {
            let needed = self.uninferred.wanted.contains(id) || labels.contains(module.display.as_str());
            needed && declaration_path(&module.path).is_some()
        });
        let mut paths: Vec<PathBuf> = files.map(|(_, module)| module.path.clone()).collect();
        paths.sort();
        paths
    }
}
