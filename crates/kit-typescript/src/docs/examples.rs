//! Checks of `@example` values against their types.

use kit_diagnostics::{Diagnostic, codes};
use kit_ir::{Program, TypeId};

use super::value_check::example_value;
use super::{Doc, TagName};
use crate::modules::Graph;

/// Returns the examples that fit the type, as JSON. Warns about other examples. Ignores fenced code blocks,
/// which are for readers.
pub(crate) fn examples(
    graph: &Graph<'_>,
    program: &Program,
    r#type: TypeId,
    doc: &Doc,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<String> {
    let mut values = Vec::new();
    for tag in doc.all(TagName::Example) {
        let text = tag.argument.as_str();
        if text.is_empty() || text.contains("```") {
            continue;
        }
        if let Some(value) = example_value(program, r#type, text) {
            values.push(value.to_string());
            continue;
        }
        let expected = crate::print::constrained_text(program, r#type);
        let shown = text.lines().next().unwrap_or_default();
        diagnostics.push(
            Diagnostic::warning(
                codes::EXAMPLE_DOES_NOT_FIT,
                format!("the example `{shown}` does not fit the type `{expected}`"),
            )
            .label(graph.label(tag.location))
            .note("kit does not include this example in the OpenAPI document")
            .help("write the example as JSON, in the form that the value has in a request or response"),
        );
    }
    values
}
