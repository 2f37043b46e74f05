//! Compiles the route tree of a program. Conflicts between routes become diagnostics.

use kit_diagnostics::{Diagnostic, Diagnostics, Label, codes};
use kit_ir::{Program, Route, RouteId, Span};
use kit_router::{ParsedRoute, RouteConflict, RouteTree};

/// Compiles the route tree. If routes conflict, reports each conflict with the locations of the two routes
/// and returns `None`.
pub(crate) fn compile(program: &Program, diagnostics: &mut Diagnostics) -> Option<RouteTree> {
    let routes = program.routes.iter().map(|route| ParsedRoute {
        method: route.method,
        path: route.path.clone(),
        reference: route.reference(),
        validators: validators(program, route),
    });
    match RouteTree::compile_parsed(routes) {
        Ok(tree) => Some(tree),
        Err(conflicts) => {
            for conflict in &conflicts {
                diagnostics.push(diagnostic(program, conflict));
            }
            None
        }
    }
}

/// Returns the names of the types that validate a request, in the order of their validation.
fn validators(program: &Program, route: &Route) -> Vec<String> {
    route
        .read()
        .into_iter()
        .map(|declaration| program.declarations[declaration].name.clone())
        .collect()
}

fn diagnostic(program: &Program, conflict: &RouteConflict) -> Diagnostic {
    let code = match conflict {
        RouteConflict::UnknownMethod { .. } | RouteConflict::InvalidPath { .. } => codes::INVALID_ROUTE_KEY,
        RouteConflict::Duplicate { .. }
        | RouteConflict::WildcardBesideParameter { .. }
        | RouteConflict::DuplicateReference { .. } => codes::ROUTE_CONFLICT,
    };
    let route = |index: usize| &program.routes[RouteId::from(index)];
    let blamed = route(conflict.route());
    let mut diagnostic = Diagnostic::new(code, conflict.to_string())
        .label(route_label(program, blamed.span, true).message(label_text(blamed, "")))
        .help(conflict.help());
    if let Some(other) = conflict.other().map(route) {
        diagnostic = diagnostic
            .label(route_label(program, other.span, false).message(label_text(other, "the earlier one")));
    }
    diagnostic
}

/// Returns the text of a label at a route. If the group's prefix changes the path, the text contains the
/// complete path, because the key in the source does not show the conflict.
fn label_text(route: &Route, otherwise: &str) -> String {
    let reference = route.reference();
    if route.key == reference {
        otherwise.to_owned()
    } else {
        format!("`{reference}` with its group's prefix")
    }
}

fn route_label(program: &Program, span: Span, primary: bool) -> Label {
    let range = span.start as usize..span.end as usize;
    let path = program.path(span);
    let label = if primary {
        Label::primary(path, range)
    } else {
        Label::secondary(path, range)
    };
    label.at(span.line, span.column)
}
