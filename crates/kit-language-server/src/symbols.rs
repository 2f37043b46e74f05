//! Routes as symbols of documents and of the workspace.

use kit_ir::{Route, Span};
use lsp_types::{DocumentSymbol, SymbolInformation, SymbolKind};

use crate::lines::Lines;
use crate::view::View;

/// Maximum number of symbols in an answer about the workspace.
const MAX_SYMBOLS: usize = 500;

/// Returns the contracts and handlers in a document, in the order of the source.
pub(crate) fn of_document(view: &View<'_>) -> Vec<DocumentSymbol> {
    let program = view.program();
    let is_here = |span: &Span| program.path(*span) == view.display;
    let lines = Lines::new(&view.text);
    let mut symbols = Vec::new();
    for route in &program.routes {
        if is_here(&route.span) {
            symbols.push(symbol(
                &lines,
                route,
                route.span,
                format!("contract of {}", route.group),
            ));
        }
        if let Some(handler) = route.handler.as_ref().filter(|handler| is_here(&handler.span)) {
            symbols.push(symbol(
                &lines,
                route,
                handler.span,
                format!("handler in {}", handler.export),
            ));
        }
    }
    symbols.sort_by_key(|symbol| (symbol.range.start, symbol.range.end));
    symbols
}

#[allow(deprecated)] // Reason: the type of the protocol has a deprecated field, which the constructor needs.
fn symbol(lines: &Lines<'_>, route: &Route, span: Span, detail: String) -> DocumentSymbol {
    let range = lines.range(&(span.start as usize..span.end as usize));
    DocumentSymbol {
        name: route.reference(),
        detail: Some(detail),
        kind: SymbolKind::METHOD,
        tags: None,
        deprecated: None,
        range,
        selection_range: range,
        children: None,
    }
}

/// Returns the routes of a project whose method and path contain all words of a query, in any case.
#[allow(deprecated)] // Reason: the type of the protocol has a deprecated field, which the constructor needs.
pub(crate) fn of_workspace(view: &View<'_>, query: &str) -> Vec<SymbolInformation> {
    let query = query.to_lowercase();
    let routes = view.program().routes.iter();
    routes
        .filter(|route| {
            let name = route.reference().to_lowercase();
            query.split_whitespace().all(|word| name.contains(word))
        })
        .filter_map(|route| {
            Some(SymbolInformation {
                name: route.reference(),
                kind: SymbolKind::METHOD,
                tags: None,
                deprecated: None,
                location: view.location(route.span)?,
                container_name: Some(route.group.clone()),
            })
        })
        .take(MAX_SYMBOLS)
        .collect()
}
