//! Types that JSON cannot represent, and the type that replaces them after their error.

use kit_diagnostics::codes;
use kit_ir::{TypeId, TypeKind};

use super::Lowering;

impl Lowering<'_> {
    pub(super) fn no_json(&mut self, what: &str, help: &str) -> TypeId {
        self.refused(codes::NO_JSON_FORM, &format!("{what} has no JSON form"), help)
    }

    /// Returns the type that replaces a type with a mistake. The mistake was reported before.
    pub(super) fn failed(&mut self) -> TypeId {
        let id = self.program.add_type(TypeKind::Unknown);
        self.failed.insert(id);
        id
    }

    /// Returns true if a mistake in a type was reported. Mistakes that follow from it are not reported.
    pub(super) fn has_failed(&self, id: TypeId) -> bool {
        let target = match self.program.types[id].kind {
            TypeKind::Reference { declaration } => self.program.declarations[declaration].r#type,
            _ => id,
        };
        self.failed.contains(&target)
    }
}
