//! Errors about types that JSON cannot represent.

use kit_diagnostics::codes;
use kit_ir::TypeId;

use super::Lowering;

impl Lowering<'_> {
    pub(super) fn no_json(&mut self, what: &str, help: &str) -> TypeId {
        self.refused(codes::NO_JSON_FORM, &format!("{what} has no JSON form"), help)
    }
}
