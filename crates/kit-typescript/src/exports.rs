//! Checks of one module without the modules that it imports: its exported names, and its syntax errors.

use oxc_allocator::Allocator;
use oxc_ast::ast::{Declaration, Statement};
use oxc_parser::Parser;
use oxc_span::SourceType;

use crate::source::LineIndex;
use crate::stack::StackSize;

/// Returns true if a module with this source text exports a value with the given name. Ignores `export *`,
/// and returns false for a module with a syntax error.
///
/// ```
/// use kit_typescript::exports;
///
/// assert!(exports("export const NoteValidator = {};", "NoteValidator"));
/// assert!(exports("const a = {};\nexport { a as NoteValidator };", "NoteValidator"));
/// assert!(!exports("export type NoteValidator = string;", "NoteValidator"));
/// assert!(!exports("export const = ;", "NoteValidator"));
/// ```
pub fn exports(text: &str, name: &str) -> bool {
    let allocator = Allocator::default();
    StackSize::for_text(text).run(|| {
        let parsed = Parser::new(&allocator, text, SourceType::ts()).parse();
        parsed.diagnostics.is_empty()
            && parsed.program.body.iter().any(|statement| match statement {
                Statement::ExportDeclaration(export) => declares(&export.declaration, name),
                Statement::ExportNamedDeclaration(export) => {
                    !export.export_kind.is_type()
                        && export.specifiers.iter().any(|specifier| {
                            !specifier.export_kind.is_type() && specifier.exported.name() == name
                        })
                }
                _ => false,
            })
    })
}

/// Returns the line and the column of the first syntax error in a module, both counted from 1. Returns `None`
/// if there is no syntax error.
///
/// ```
/// use kit_typescript::syntax_error;
///
/// assert_eq!(syntax_error("export default {\n  a: = 1,\n};\n"), Some((2, 6)));
/// assert_eq!(syntax_error("export default {};\n"), None);
/// ```
pub fn syntax_error(text: &str) -> Option<(u32, u32)> {
    let allocator = Allocator::default();
    StackSize::for_text(text).run(|| {
        let parsed = Parser::new(&allocator, text, SourceType::ts()).parse();
        let first = parsed.diagnostics.iter().next()?;
        let start = first.labels.first()?.offset();
        Some(LineIndex::new(text).position(text, start))
    })
}

fn declares(declaration: &Declaration<'_>, name: &str) -> bool {
    match declaration {
        Declaration::VariableDeclaration(variables) => variables.declarations.iter().any(|variable| {
            variable
                .id
                .get_identifier_name()
                .is_some_and(|own| own.as_str() == name)
        }),
        Declaration::FunctionDeclaration(function) => {
            function.id.as_ref().is_some_and(|own| own.name.as_str() == name)
        }
        Declaration::ClassDeclaration(class) => {
            class.id.as_ref().is_some_and(|own| own.name.as_str() == name)
        }
        _ => false,
    }
}
