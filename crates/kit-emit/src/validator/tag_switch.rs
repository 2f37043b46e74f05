//! The `switch` of generated code over the property that distinguishes the members of a union.

use kit_analysis::{Decision, DiscriminantValue, Switch};

use crate::text::{Path, Writer, literal};

/// Returns the `case` labels of a `switch` for the values of the property that distinguishes the members of a
/// union.
pub(crate) fn labels(tags: &[DiscriminantValue]) -> String {
    let labels: Vec<_> = tags
        .iter()
        .map(|tag| match tag {
            DiscriminantValue::Absent => "case undefined:".to_owned(),
            DiscriminantValue::Null => "case null:".to_owned(),
            DiscriminantValue::Literal(value) => format!("case {}:", literal::value(value)),
        })
        .collect();
    labels.join("\n")
}

/// Emits a `switch` over the tag of a union. `decide` emits the statements of a case, which end with `return`.
pub(crate) fn tag_switch(
    tag: &str,
    switch: &Switch,
    path: &Path<'_>,
    body: &mut Writer,
    mut decide: impl FnMut(&Decision, &Path<'_>, &mut Writer),
) {
    body.block(format_args!("switch ({tag}) {{"), "}", |body| {
        for (position, case) in switch.cases.iter().enumerate() {
            let step = format!("Case{position}");
            body.line(labels(&case.values));
            body.deeper(|body| decide(&case.decision, &path.step(&step), body));
        }
        body.line("default:");
        body.deeper(|body| decide(&switch.otherwise, &path.step("Otherwise"), body));
    });
}
