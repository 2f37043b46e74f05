//! Checks of routes that need the IR of their types: the parameters of the path, and the types of params and
//! query.

use kit_diagnostics::{Diagnostic, codes};
use kit_ir::{DeclarationId, Program, Property, Route, Slot, TypeId, TypeKind};

use crate::lower::Lowering;
use crate::modules::{Location, ModuleId};
use crate::print::{key_text, type_text};

/// Checks all routes of the program.
pub(crate) fn check(lowering: &mut Lowering<'_>) {
    let routes: Vec<Route> = lowering.program.routes.iter().cloned().collect();
    for route in &routes {
        check_params(lowering, route);
        for slot in [Slot::Params, Slot::Query] {
            if let Some(declaration) = route.slots.get(slot) {
                check_text(lowering, route, slot, declaration);
            }
        }
        if let Some(body) = route.slots.body {
            check_body(lowering, route, body);
        }
    }
}

fn properties(program: &Program, id: DeclarationId) -> Option<&[Property]> {
    match &program.types[program.declarations[id].r#type].kind {
        TypeKind::Object(object) => Some(&object.properties),
        _ => None,
    }
}

/// Returns the location of a span of the IR. This is possible only before [`Lowering::into_program`] sorts
/// the source files.
fn location(span: kit_ir::Span) -> Location {
    Location {
        module: ModuleId(span.source.0),
        span: oxc_span::Span::new(span.start, span.end),
    }
}

fn check_params(lowering: &mut Lowering<'_>, route: &Route) {
    let known: Vec<&str> = match route.slots.params {
        None => Vec::new(),
        Some(declaration) => match properties(&lowering.program, declaration) {
            Some(properties) => properties.iter().map(|property| property.name.as_str()).collect(),
            // `check_text` reports this.
            None => return,
        },
    };
    let list = |names: &[&str]| {
        names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let missing: Vec<&str> = route
        .parameters
        .iter()
        .map(String::as_str)
        .filter(|name| !known.contains(name))
        .collect();
    let extra: Vec<&str> = known
        .iter()
        .copied()
        .filter(|name| !route.parameters.iter().any(|parameter| parameter == name))
        .collect();
    if missing.is_empty() && extra.is_empty() {
        return;
    }
    let message = match (missing.is_empty(), extra.is_empty()) {
        (false, true) => format!(
            "`{}` has {}, but the params of the contract do not",
            route.path,
            list(&missing)
        ),
        (true, _) => format!(
            "the params of the contract have {}, but `{}` does not",
            list(&extra),
            route.path
        ),
        (false, false) => {
            format!(
                "`{}` has {}, but the params of the contract have {}",
                route.path,
                list(&missing),
                list(&extra)
            )
        }
    };
    let wanted: Vec<String> = route
        .parameters
        .iter()
        .map(|name| format!("{}: string", key_text(name)))
        .collect();
    let help = if wanted.is_empty() {
        "write `void` as the first type argument of the contract".to_owned()
    } else {
        format!(
            "write `{{ {} }}` as the first type argument of the contract",
            wanted.join("; ")
        )
    };
    let diagnostic = lowering
        .eval
        .diagnostic(codes::PARAMETER_MISMATCH, location(route.span), message)
        .help(help);
    lowering.report(diagnostic);
}

/// Reports params or a query that cannot be read from text. They must be objects whose properties are
/// scalars, and in a query also arrays of scalars.
fn check_text(lowering: &mut Lowering<'_>, route: &Route, slot: Slot, declaration: DeclarationId) {
    let program = &lowering.program;
    let found = program.declarations[declaration].r#type;
    let mut problems: Vec<Diagnostic> = Vec::new();
    let mut report = |at: kit_ir::Span, message: String, help: &str| {
        problems.push(
            Diagnostic::new(codes::UNSUPPORTED_PARAMETER_TYPE, message)
                .label(lowering.eval.graph.label(location(at)))
                .help(help),
        );
    };
    match &program.types[found].kind {
        TypeKind::Object(object) => {
            if !object.index.is_empty() {
                let message = format!("the {} of `{}` may have any key", slot.name(), route.key);
                report(route.span, message, "name the keys: `{ page?: number }`");
            }
            for property in &object.properties {
                if !coercible(program, property.r#type, slot == Slot::Query) {
                    let text = type_text(program, property.r#type);
                    let message = format!(
                        "text cannot be coerced to `{text}`, the type of `{}` in the {} of `{}`",
                        property.name,
                        slot.name(),
                        route.key
                    );
                    let help = if slot == Slot::Query {
                        "use a string, number, boolean, bigint, `Date`, a union of literals, or an array of one of these"
                    } else {
                        "use a string, number, boolean, bigint, `Date` or a union of literals"
                    };
                    report(property.span, message, help);
                }
            }
        }
        // This type stands for one with a mistake that was already reported.
        TypeKind::Unknown if lowering.diagnostics.has_errors() => {}
        _ => {
            let text = type_text(program, found);
            let message = format!(
                "the {} of `{}` must be an object, not `{text}`",
                slot.name(),
                route.key
            );
            report(route.span, message, "write an object type, or `void`");
        }
    }
    lowering.report_all(problems);
}

fn coercible(program: &Program, id: TypeId, arrays: bool) -> bool {
    match &program.resolve(id).kind {
        TypeKind::String
        | TypeKind::Number
        | TypeKind::Boolean
        | TypeKind::BigInt
        | TypeKind::Date
        | TypeKind::Literal { .. }
        | TypeKind::Template { .. } => true,
        // A text could fit several members of any other union.
        TypeKind::Union { members } => members
            .iter()
            .all(|member| matches!(program.resolve(*member).kind, TypeKind::Literal { .. })),
        TypeKind::Array { element } => arrays && coercible(program, *element, false),
        _ => false,
    }
}

fn check_body(lowering: &mut Lowering<'_>, route: &Route, body: DeclarationId) {
    let Some(properties) = properties(&lowering.program, body) else {
        return;
    };
    let generated: Vec<String> = properties
        .iter()
        .filter(|property| property.tags.generated.is_some())
        .map(|property| format!("\"{}\"", property.name))
        .collect();
    if generated.is_empty() {
        return;
    }
    let declaration = &lowering.program.declarations[body];
    let name = match declaration.origin {
        kit_ir::DeclarationOrigin::Slot => "…",
        _ => declaration.name.as_str(),
    };
    let message = format!(
        "the body of `{}` has {}, which kit or the database generates",
        route.key,
        generated.join(", ")
    );
    let diagnostic = Diagnostic::warning(codes::GENERATED_IN_BODY, message)
        .label(lowering.graph().label(location(route.span)))
        .note("clients may leave these properties out; if a client sends a value, kit accepts the value")
        .help(format!(
            "write `Omit<{name}, {}>` as the body",
            generated.join(" | ")
        ));
    lowering.report(diagnostic);
}
