//! Emits `tests/contracts.ts`, from which contract tests import the application, and `tests/routes.js`, which lists the
//! routes with their slots, statuses and errors. `@kit/testing` computes the coverage of the contracts from the list.

use std::collections::BTreeMap;

use kit_ir::{DeclarationId, Route, Slot};

use crate::context::Context;
use crate::messages::message_kinds;
use crate::options::ContractTests;
use crate::text::{Writer, header, literal, unchecked_header};
use crate::{combined, error_format};

/// Source that the first line of the generated files names.
const FROM: &str = "the contracts of all groups";

/// Emits `tests/contracts.ts`.
pub(super) fn write(context: Context<'_>) -> String {
    let program = context.program;
    let mut shapes: BTreeMap<String, String> = BTreeMap::new();
    let errors = error_format::properties(program.application.error_rules()).map(|mut fields| {
        if let Some(declared) = program.application.declared_format() {
            let name = &program.declarations[declared.body].name;
            let shape = format!("{name}Shape");
            shapes.insert(shape.clone(), combined::path_of_shape(context, name));
            fields.push(("body".to_owned(), shape));
        }
        literal::object(fields)
    });
    let mut body = Writer::default();
    body.line("import type { Contracts } from \"@kit/testing\";");
    body.line("import application from \"../routes/index.ts\";");
    body.line(combined::print_imports(&shapes).trim_end());
    body.line("import { routes } from \"./routes.js\";");
    body.blank();
    body.block("const contracts: Contracts = {", "};", |body| {
        body.line("application,");
        if let Some(errors) = &errors {
            body.line(format_args!("errors: {errors},"));
        }
        body.line("routes,");
    });
    body.blank();
    body.line("export default contracts;");
    format!("{}\n{}", unchecked_header(FROM), body.finish())
}

/// Emits the declarations of `tests/routes.js`.
pub(super) fn declarations() -> String {
    format!(
        "{}
import type {{ Contracts }} from \"@kit/testing\";

export declare const routes: Contracts[\"routes\"];
",
        header(FROM)
    )
}

/// Emits `tests/routes.js`.
pub(super) fn write_routes(context: Context<'_>, tests: &ContractTests) -> String {
    let program = context.program;
    let mut shapes: BTreeMap<String, String> = BTreeMap::new();
    let mut entries = Writer::default();
    let mut shape_of = |id: DeclarationId| {
        let name = &program.declarations[id].name;
        let shape = format!("{name}Shape");
        let module = combined::path_of_shape(context, name);
        shapes.insert(shape.clone(), module);
        shape
    };
    for route in &program.routes {
        let mut fields = parts(tests, route);
        for slot in Slot::INPUTS {
            if slot == Slot::Body && route.is_socket() {
                continue;
            }
            if slot == Slot::Body && !route.body_format.is_json() {
                fields.push(("formats".to_owned(), formats(route, &mut shape_of)));
                continue;
            }
            let Some(id) = route.slots.get(slot) else { continue };
            fields.push((slot.name().to_owned(), shape_of(id)));
        }
        if route.is_socket() {
            let sides = [("in", route.slots.body), ("out", route.slots.response)];
            let messages = sides.map(|(name, id)| {
                let shape = id.map_or_else(|| "null".to_owned(), &mut shape_of);
                (name.to_owned(), shape)
            });
            let kinds = message_kinds(route).map(|kinds| ("kinds".to_owned(), kinds));
            fields.push((
                "socket".to_owned(),
                literal::object(messages.into_iter().chain(kinds)),
            ));
        }
        if let Some(events) = route.events() {
            let shapes = events.iter().map(|event| {
                let shape = event.data.map_or("null".to_owned(), &mut shape_of);
                (literal::string(&event.name), shape)
            });
            fields.push(("events".to_owned(), literal::object(shapes)));
        }
        entries.line(format_args!("{},", literal::object(fields)));
    }
    let mut body = Writer::default();
    body.line(combined::print_imports(&shapes).trim_end());
    body.blank();
    let entries = entries.inner();
    body.block("export const routes = [", "];", |body| body.line(entries));
    format!("{}\n{}", unchecked_header(FROM), body.finish())
}

/// Returns the formats of a request body as a list: the name of each format, its media types, and the shape of its value.
fn formats(route: &Route, mut shape_of: impl FnMut(DeclarationId) -> String) -> String {
    let choices = route.body_format.choices(route.slots.body);
    let formats = choices.iter().map(|choice| {
        let name = literal::string(&choice.format.name().to_lowercase());
        let types = literal::strings(choice.format.accepted_media_types());
        let mut fields = vec![("format".to_owned(), name), ("types".to_owned(), types)];
        if let Some(id) = choice.body {
            fields.push(("value".to_owned(), shape_of(id)));
        }
        literal::object(fields)
    });
    literal::list("[", formats, "]")
}

/// Returns the properties of a route's entry in `tests/routes.js`, except for its slots: name, status,
/// errors.
fn parts(tests: &ContractTests, route: &Route) -> Vec<(String, String)> {
    let errors = route
        .throws
        .iter()
        .map(|throws| format!("{} {}", throws.status, throws.code));
    let mut fields = vec![
        ("route".to_owned(), literal::string(&route.reference())),
        (
            "successes".to_owned(),
            literal::list(
                "[",
                route.responses().iter().map(|reply| reply.status.to_string()),
                "]",
            ),
        ),
        ("errors".to_owned(), literal::strings(errors)),
    ];
    if tests.of(route).is_some_and(|own| own.skip.is_some()) {
        fields.push(("skipped".to_owned(), "true".to_owned()));
    }
    fields
}
