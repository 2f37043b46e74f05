//! Warnings about interfaces with `@table` in other files than type files and route files: they get no table.

use std::path::Path;

use kit_diagnostics::{Diagnostic, codes};

use crate::docs::TagName;
use crate::lower::Lowering;
use crate::modules::{DeclId, Location, ModuleId};

/// Text that every file with a table contains. Files without this text need not be parsed.
pub(crate) const TAG: &str = "@table";

/// Warns about each declaration with `@table` in a file of the project that is neither a type file nor a
/// route file. Such a declaration gets no table.
pub(crate) fn check(lowering: &mut Lowering<'_>, root: &Path, read: &[&[ModuleId]]) {
    let graph = lowering.graph();
    let is_own = |path: &Path| {
        let below = path.strip_prefix(root);
        below.is_ok_and(|path| path.components().all(|part| part.as_os_str() != "node_modules"))
    };
    let files = graph.files().filter(|(id, module)| {
        !graph.is_declaration_of_source(*id)
            && !read.iter().any(|list| list.contains(id))
            && is_own(&module.path)
            && module.text.contains(TAG)
    });
    let decls: Vec<DeclId> = files.flat_map(|(id, _)| graph.declared_in(id)).collect();
    for decl in decls {
        let doc = lowering.eval.declaration_doc(decl);
        if !doc.is_some_and(|doc| doc.has(TagName::Table)) {
            continue;
        }
        let graph = lowering.graph();
        let decl = graph.decl(decl);
        let file = &graph.module(graph.file(decl.module)).display;
        let location = Location {
            module: decl.module,
            span: decl.span,
        };
        let message = format!(
            "`{}` has `@table` in a file that `typeFiles` does not name",
            decl.name
        );
        let diagnostic = Diagnostic::warning(codes::TABLE_ELSEWHERE, message)
            .label(graph.label(location))
            .note("kit creates no table for this entity")
            .help(format!(
                "add `{file}` to `typeFiles` of the configuration, or move `{}` to a file that `typeFiles` matches",
                decl.name
            ));
        lowering.report(diagnostic);
    }
}
