//! Descriptions of types with their rules, for messages.

use kit_analysis::{describe, resolve};
use kit_ir::{Constraints, Program, TypeId, TypeKind};

/// Returns a type in the syntax of TypeScript, with its rules as doc tags: `string @maxLength 200`.
pub(crate) fn described(program: &Program, id: TypeId) -> String {
    let r#type = &program.types[resolve(program, id)];
    let mut text = describe(program, id);
    if let TypeKind::Array { element } = &r#type.kind {
        let rules = rules(&program.types[resolve(program, *element)].constraints);
        if !rules.is_empty() {
            text = format!("{text} with items {}", rules.join(" "));
        }
    }
    let rules = rules(&r#type.constraints);
    if rules.is_empty() {
        format!("`{text}`")
    } else {
        format!("`{text} {}`", rules.join(" "))
    }
}

fn rules(rules: &Constraints) -> Vec<String> {
    let tag = |name: &str, value: Option<String>| value.map(|value| format!("@{name} {value}"));
    let number = |bound: Option<kit_ir::Decimal>| bound.map(|bound| bound.to_string());
    let count = |count: Option<u64>| count.map(|count| count.to_string());
    let flag = |name: &str, is_set: bool| is_set.then(|| format!("@{name}"));
    [
        tag("minLength", count(rules.min_length)),
        tag("maxLength", count(rules.max_length)),
        tag("format", rules.format.map(|format| format.name().to_owned())),
        tag("pattern", rules.pattern.clone()),
        tag("minimum", number(rules.minimum)),
        tag("maximum", number(rules.maximum)),
        tag("exclusiveMinimum", number(rules.exclusive_minimum)),
        tag("exclusiveMaximum", number(rules.exclusive_maximum)),
        tag("multipleOf", number(rules.multiple_of)),
        flag("integer", rules.integer),
        tag("minItems", count(rules.min_items)),
        tag("maxItems", count(rules.max_items)),
        flag("uniqueItems", rules.unique_items),
    ]
    .into_iter()
    .flatten()
    .collect()
}
