//! Source locations of declarations, for the first line of generated modules.

use kit_ir::{Declaration, DeclarationOrigin, Program};

/// Returns the file and the name of a declaration, which the first line of its generated modules states.
pub(crate) fn origin(program: &Program, declaration: &Declaration) -> String {
    let path = program.path(declaration.span);
    match &declaration.origin {
        DeclarationOrigin::Named { export } => format!("`{export}` in {path}"),
        DeclarationOrigin::Instance { expression } => {
            // The result must fit on one line.
            format!(
                "`{}` in {path}",
                expression.split_whitespace().collect::<Vec<_>>().join(" ")
            )
        }
        DeclarationOrigin::Slot => format!("a contract in {path}"),
    }
}
