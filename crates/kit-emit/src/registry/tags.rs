//! Formats the doc tags of a property.

use kit_analysis::rule_tags;
use kit_ir::{GeneratedKind, Program, Property, TypeId, TypeKind};

use crate::json_schema::default_value;

/// Returns all doc tags of a property as they are written in TypeScript. Tags such as `@default` come first, then rules,
/// then tags for readers. Includes the rules of a type alias, because they apply to the property.
pub fn written_tags(program: &Program, property: &Property) -> Vec<String> {
    let mut written = role_tags(property);
    add_rule_tags(program, property.r#type, &mut written);
    let documentation = &property.documentation;
    written.extend(documentation.deprecated.as_ref().map(|why| {
        let tag = format!("@deprecated {why}");
        tag.trim_end().to_owned()
    }));
    let examples = documentation.examples.iter();
    written.extend(examples.map(|example| format!("@example {example}")));
    written
}

fn role_tags(property: &Property) -> Vec<String> {
    let tags = &property.tags;
    let mut written = Vec::new();
    if tags.id {
        written.push("@id".to_owned());
    }
    match tags.generated {
        Some(GeneratedKind::Uuid) => written.push("@generated uuid".to_owned()),
        Some(GeneratedKind::UuidV7) => written.push("@generated uuidv7".to_owned()),
        Some(GeneratedKind::Now) => written.push("@generated now".to_owned()),
        Some(GeneratedKind::Unspecified) => written.push("@generated".to_owned()),
        None => {}
    }
    if tags.on_update_now {
        written.push("@onUpdate now".to_owned());
    }
    if let Some(default) = &tags.default {
        let value = default_value(default).map_or("now".to_owned(), |value| value.to_string());
        written.push(format!("@default {value}"));
    }
    for (name, set) in [
        ("@unique", tags.unique),
        ("@index", tags.index),
        ("@index none", tags.no_index),
        ("@sensitive", tags.sensitive),
    ] {
        if set {
            written.push(name.to_owned());
        }
    }
    written.extend(tags.indexes.iter().map(ToString::to_string));
    written.extend(tags.checks.iter().map(|check| format!("@check {check}")));
    if let Some(target) = &tags.references {
        written.push(format!(
            "@references {}.{}{}",
            target.entity, target.property, target.actions
        ));
    }
    written.extend(tags.column.as_ref().map(|name| format!("@column {name}")));
    let enum_type = tags
        .enum_type
        .as_ref()
        .map(|name| format!(" {name}"))
        .unwrap_or_default();
    written.extend(
        tags.stored_as
            .map(|stored| format!("@storedAs {}{enum_type}", stored.name())),
    );
    written.extend(
        tags.renamed_from
            .as_ref()
            .map(|name| format!("@renamedFrom {name}")),
    );
    written
}

/// Adds the rules of a type and of the members of a union, each rule once. Skips named types, which list
/// their rules in their own entry.
fn add_rule_tags(program: &Program, id: TypeId, written: &mut Vec<String>) {
    let r#type = &program.types[id];
    for tag in rule_tags(&r#type.constraints) {
        if !written.contains(&tag) {
            written.push(tag);
        }
    }
    if let TypeKind::Union { members } = &r#type.kind {
        for member in members {
            add_rule_tags(program, *member, written);
        }
    }
}
