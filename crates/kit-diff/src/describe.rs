//! Descriptions of types with their rules, for messages.

use kit_analysis::{describe, resolve, rule_tags};
use kit_ir::{Digits, Program, TypeId, TypeKind};

/// Returns a type in the syntax of TypeScript, with its rules as doc tags: `string @maxLength 200`.
pub(crate) fn described(program: &Program, id: TypeId) -> String {
    let r#type = &program.types[resolve(program, id)];
    let mut text = match r#type.constraints.digits {
        Some(Digits { precision, scale }) => format!("Decimal<{precision}, {scale}>"),
        None => describe(program, id),
    };
    if let TypeKind::Array { element } = &r#type.kind {
        let rules = rule_tags(&program.types[resolve(program, *element)].constraints);
        if !rules.is_empty() {
            text = format!("{text} with items {}", rules.join(" "));
        }
    }
    let rules = rule_tags(&r#type.constraints);
    if rules.is_empty() {
        format!("`{text}`")
    } else {
        format!("`{text} {}`", rules.join(" "))
    }
}
