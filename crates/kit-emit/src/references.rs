//! References between the declarations of a program.

use kit_analysis::collect_references;
use kit_ir::{Declaration, DeclarationId, Program};
use rustc_hash::FxHashSet;

/// For each declaration, the declarations that its type names, without indirect references.
pub(crate) struct References(Vec<Vec<DeclarationId>>);

impl References {
    pub(crate) fn new(program: &Program) -> Self {
        let declarations: Vec<_> = program.declarations.iter().collect();
        Self(kit_parallel::map(&declarations, |declaration| {
            Self::of_declaration(program, declaration)
        }))
    }

    /// Returns the declarations that the type of one declaration names.
    pub(crate) fn of_declaration(program: &Program, declaration: &Declaration) -> Vec<DeclarationId> {
        let mut found = Vec::new();
        collect_references(program, declaration.r#type, &mut found);
        found
    }

    /// Creates references from one list per declaration.
    #[cfg(test)]
    pub(crate) fn from_lists(lists: impl Into<Vec<Vec<DeclarationId>>>) -> Self {
        Self(lists.into())
    }

    /// Returns the number of declarations.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns declarations and all declarations to which they refer, directly or through others.
    pub(crate) fn reached(&self, from: impl IntoIterator<Item = DeclarationId>) -> FxHashSet<DeclarationId> {
        let mut pending: Vec<DeclarationId> = from.into_iter().collect();
        let mut reached = FxHashSet::default();
        while let Some(id) = pending.pop() {
            if reached.insert(id) {
                pending.extend(self.of(id));
            }
        }
        reached
    }

    /// Returns the declarations that the type of a declaration names, each once, in order.
    pub(crate) fn of(&self, declaration: DeclarationId) -> &[DeclarationId] {
        &self.0[usize::from(declaration)]
    }
}
