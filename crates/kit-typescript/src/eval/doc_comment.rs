//! Doc comments of declarations, as text.

use oxc_span::Span;

use super::Evaluator;
use crate::modules::DeclId;

impl Evaluator<'_> {
    /// Returns true if the doc comment of a declaration contains a text, such as `@table`. Faster than reading its tags.
    pub(crate) fn doc_contains(&self, decl: DeclId, text: &str) -> bool {
        let module = self.graph.module(self.graph.decl(decl).module);
        self.doc_span(decl)
            .is_some_and(|span| module.slice(span).contains(text))
    }

    /// Returns the location of the doc comment of a declaration.
    pub(super) fn doc_span(&self, decl: DeclId) -> Option<Span> {
        let decl = self.graph.decl(decl);
        let module = self.graph.module(decl.module);
        decl.statements.iter().find_map(|start| module.doc(*start))
    }
}
