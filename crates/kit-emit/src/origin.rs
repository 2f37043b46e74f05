//! Origins of declarations, for the headers of generated modules.

use kit_ir::{Declaration, DeclarationOrigin, Program};

/// Returns the origin of a declaration, for the headers of its modules.
pub(crate) fn origin(program: &Program, declaration: &Declaration) -> String {
    let path = program.path(declaration.span);
    match &declaration.origin {
        DeclarationOrigin::Named { export } => format!("`{export}` in {path}"),
        DeclarationOrigin::Instance { expression } => {
            // A header must be one line.
            format!(
                "`{}` in {path}",
                expression.split_whitespace().collect::<Vec<_>>().join(" ")
            )
        }
        DeclarationOrigin::Slot => format!("a contract in {path}"),
    }
}
