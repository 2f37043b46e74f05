//! Emits `tests/contracts.ts`, which lists the routes with their slots, statuses and errors. Contract tests import the
//! application from this file, and `@kit/testing` computes the coverage of the contracts from the list.

use std::collections::BTreeMap;

use kit_ir::{DeclarationId, Route, Slot};

use crate::context::Context;
use crate::options::ContractTests;
use crate::text::{Writer, literal, unchecked_header};
use crate::{combined, error_format};

pub(super) fn write(context: Context<'_>, tests: &ContractTests) -> String {
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
        if let (true, Some(received), Some(sent)) =
            (route.is_socket(), route.slots.body, route.slots.response)
        {
            let messages = [("in", shape_of(received)), ("out", shape_of(sent))];
            let messages = messages.map(|(name, shape)| (name.to_owned(), shape));
            fields.push(("socket".to_owned(), literal::object(messages)));
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
    let rules = program.application.error_rules();
    let errors = error_format::properties(rules).map(|mut fields| {
        if let Some(declared) = program.application.declared_format() {
            fields.push(("body".to_owned(), shape_of(declared.body)));
        }
        literal::object(fields)
    });
    let mut body = Writer::default();
    body.line("import type { Contracts } from \"@kit/testing\";");
    body.line("import application from \"../routes/index.ts\";");
    body.line(combined::print_imports(&shapes).trim_end());
    body.blank();
    let entries = entries.inner();
    body.block("const contracts: Contracts = {", "};", |body| {
        body.line("application,");
        if let Some(errors) = &errors {
            body.line(format_args!("errors: {errors},"));
        }
        body.block("routes: [", "],", |body| body.line(entries));
    });
    body.blank();
    body.line("export default contracts;");
    let mut text = unchecked_header("the contracts of all groups");
    text.push('\n');
    text.push_str(&body.finish());
    text
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

/// Returns the properties of a route's entry in `tests/contracts.ts`, except for its slots: name, status,
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
