//! Finds the strings of a request that must differ in each request.

use kit_ir::{DeclarationId, Format, Program, TypeKind};
use serde_json::Value;

/// Text in a string that the test runner replaces in each request, so that a value such as an email address
/// is unique.
const UNIQUE_PLACEHOLDER: &str = "{}";

/// Maximum length of the text that the test runner puts in place of the placeholder.
const MAX_UNIQUE_LENGTH: u64 = 16;

/// Returns the strings of properties that must be unique, by property. Each string contains a placeholder
/// that the test runner replaces in each request.
pub(super) fn unique_strings(program: &Program, id: DeclarationId, sample: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for property in program.properties(program.declarations[id].r#type) {
        let r#type = program.resolve(property.r#type);
        let Some(text) = sample.get(&property.name).and_then(Value::as_str) else {
            continue;
        };
        let rules = &r#type.constraints;
        if !property.tags.unique || r#type.kind != TypeKind::String || rules.pattern.is_some() {
            continue;
        }
        let unique = match rules.format {
            None => format!("{text} {UNIQUE_PLACEHOLDER}"),
            Some(Format::Email) => text.replacen('@', &format!(".{UNIQUE_PLACEHOLDER}@"), 1),
            Some(Format::Uri) => format!("{text}{UNIQUE_PLACEHOLDER}"),
            Some(Format::Uuid) => "{uuid}".to_owned(),
            Some(Format::Date | Format::DateTime | Format::Ipv4 | Format::Ipv6) => continue,
        };
        let length = text.chars().count() as u64 + MAX_UNIQUE_LENGTH;
        let fits = rules.format == Some(Format::Uuid)
            || rules.effective_max_length().is_none_or(|most| length <= most);
        if fits {
            found.push((property.name.clone(), unique));
        }
    }
    found
}
