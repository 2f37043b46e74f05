//! Finds the declaration to which a name in a module refers, for editors.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast_visit::Visit;
use oxc_span::Span;

use crate::files::FileSystem;
use crate::modules::{Graph, ParsedFiles, Symbol};

/// A name in a module, and the type declaration to which it refers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeName {
    /// Range of the name in bytes.
    pub range: Range<usize>,
    /// Path of the declaration's file relative to the project's root, as in [`kit_ir::SourceFile::path`].
    pub path: String,
    /// Offset of the declared name in its file.
    pub start: u32,
}

/// Returns the type to which the name at an offset refers. Returns `None` if there is no name, or the name is not the name of
/// a type in a file.
pub(crate) fn type_name(
    parsed: &ParsedFiles,
    root: &Path,
    files: Arc<dyn FileSystem>,
    path: &Path,
    offset: usize,
) -> Option<TypeName> {
    let allocator = Allocator::default();
    let mut graph = Graph::new(&allocator, parsed, root, files);
    let module = graph.entry(path)?;
    let source = graph.module(module);
    let mut search = NameAt {
        offset: u32::try_from(offset).ok()?,
        found: None,
    };
    let (program, stack_size) = (source.program, source.stack_size);
    stack_size.run(|| search.visit_program(program));
    let (name, span) = search.found?;
    let Symbol::Type(declaration) = graph.type_symbol(module, name) else {
        return None;
    };
    let declaration = graph.decl(declaration);
    Some(TypeName {
        range: span.start as usize..span.end as usize,
        path: graph.module(declaration.module).display.clone(),
        start: declaration.span.start,
    })
}

/// Search for the name that contains an offset.
struct NameAt<'a> {
    offset: u32,
    found: Option<(&'a str, Span)>,
}

impl<'a> NameAt<'a> {
    fn offer(&mut self, name: &'a str, span: Span) {
        if span.start <= self.offset && self.offset <= span.end {
            self.found = Some((name, span));
        }
    }
}

impl<'a> Visit<'a> for NameAt<'a> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        match kind {
            AstKind::IdentifierReference(name) => self.offer(name.name.as_str(), name.span),
            AstKind::BindingIdentifier(name) => self.offer(name.name.as_str(), name.span),
            _ => {}
        }
    }
}
