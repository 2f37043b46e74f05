//! Emits `schemas.json`, which describes the types.

use std::collections::BTreeSet;
use std::sync::Arc;

use kit_analysis::collect_references;
use kit_ir::{DeclarationId, DeclarationOrigin, Program, TypeId};
use serde::Serialize;
use serde_json::Value;

use super::tags::written_tags;
use crate::component_names::Use;
use crate::context::Context;
use crate::direction::Direction;
use crate::fingerprint::{Fingerprint, fingerprint};
use crate::job::PartCache;
use crate::json_schema::{Schema, Schemas, default_value};
use crate::types::type_text;

/// Returns the entries of `schemas.json`, each on one line, in the order of the declarations. `parts` contains unchanged
/// entries of earlier builds.
///
/// `described` has the declarations whose schemas `schemas.json` does not repeat, as [`DocumentFacts`](crate::analysis::DocumentFacts)
/// lists them. Their entries refer to `schemas/openapi.json`, if its schemas are JSON Schemas.
pub(crate) fn entries(
    context: Context<'_>,
    described: &BTreeSet<Use>,
    parts: &mut PartCache,
) -> Vec<Arc<String>> {
    let names = context.analysis.components().fingerprint(context.program);
    let none = BTreeSet::new();
    let described = if context.options.openapi.has_json_schema() {
        described
    } else {
        &none
    };
    let ids = context.program.declarations.iter_ids();
    let ids: Vec<DeclarationId> = ids.map(|(id, _)| id).collect();
    parts.get_or_create(
        &ids,
        |id| context.is_unchanged(*id),
        |id| entry_key(context, names, described, *id),
        |id| {
            serde_json::to_string(&schema_entry(context, described, *id))
                .expect("entries are structs and maps with text keys, which serialize without fail")
        },
    )
}

/// Returns the fingerprint of all inputs of an entry. `names` is the fingerprint of all component names, because
/// schemas refer to components by name.
fn entry_key(
    context: Context<'_>,
    names: Fingerprint,
    described: &BTreeSet<Use>,
    id: DeclarationId,
) -> Fingerprint {
    let is_described =
        [Direction::Output, Direction::Input].map(|direction| described.contains(&(id, direction)));
    let program = context.program;
    let entity = context
        .analysis
        .entity(id)
        .map(|entity| &program.entities[entity]);
    let table = entity.map(|entity| (&entity.table, &entity.owner));
    let uses: Vec<_> = usages(context, id).collect();
    let line = program.declarations[id].span.line;
    fingerprint((context.module_key(id), line, table, uses, names, is_described))
}

pub(super) fn schemas(context: Context<'_>, entries: &[Arc<String>]) -> String {
    if entries.is_empty() {
        return "{}\n".to_owned();
    }
    let length: usize = entries.iter().map(|entry| entry.len() + 64).sum();
    let mut text = String::with_capacity(length);
    for (declaration, entry) in context.program.declarations.iter().zip(entries) {
        text.push_str(if text.is_empty() { "{\n" } else { ",\n" });
        text.push_str(&Value::from(declaration.name.as_str()).to_string());
        text.push_str(": ");
        text.push_str(entry);
    }
    text.push_str("\n}\n");
    text
}

/// Type in `schemas.json`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SchemaEntry<'a> {
    name: &'a str,
    /// Reason why the type has a name: `named` (an export), `instance` (of a generic type) or `slot` (of a
    /// contract).
    origin: &'static str,
    /// Name of the export in the source file, if it differs from the name of the type.
    #[serde(skip_serializing_if = "Option::is_none")]
    export: Option<&'a str>,
    /// Source text of an instance of a generic type, such as `Page<Note>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    expression: Option<&'a str>,
    file: &'a str,
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<&'a str>,
    /// Argument of the `@owner` tag: `none` or `userId = ctx.userId`.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    /// JSON Schema of the type in a response. A reference to a component of `schemas/openapi.json` if the component is
    /// the same schema, in a large program.
    schema: Schema,
    /// JSON Schema of the type in a request, if it differs from `schema`.
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<Schema>,
    properties: Vec<PropertyEntry<'a>>,
    /// Routes that use the type directly, each with the slot that uses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    used_by: Option<Vec<Usage>>,
    /// Types that the type names in its properties. Tools follow them to find routes that use the type indirectly.
    #[serde(skip_serializing_if = "Option::is_none")]
    refers_to: Option<Vec<&'a str>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PropertyEntry<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    r#type: String,
    /// In a large program, `None` if the property is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    required: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<Value>,
    /// Doc tags as they are written in TypeScript: `@minLength 1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
}

#[derive(Serialize, Hash)]
#[serde(rename_all = "camelCase")]
struct Usage {
    route: String,
    #[serde(rename = "as")]
    slot: &'static str,
}

/// Returns a list. Returns `None` for an empty list in a large program, because thousands of entries have empty lists.
fn listed<T>(items: Vec<T>, is_large: bool) -> Option<Vec<T>> {
    (!is_large || !items.is_empty()).then_some(items)
}

fn schema_entry<'a>(context: Context<'a>, described: &BTreeSet<Use>, id: DeclarationId) -> SchemaEntry<'a> {
    let program = context.program;
    let is_large = context.analysis.is_large();
    let declaration = &program.declarations[id];
    let (origin, export, expression) = match &declaration.origin {
        DeclarationOrigin::Named { export } => {
            let other = (*export != declaration.name).then_some(export.as_str());
            ("named", other, None)
        }
        DeclarationOrigin::Instance { expression } => ("instance", None, Some(expression.as_str())),
        DeclarationOrigin::Slot => ("slot", None, None),
    };
    let written = |direction| {
        let schemas = Schemas {
            implied: false,
            ..context.schemas(direction)
        };
        schemas.declaration(id)
    };
    let (schema, input) = (written(Direction::Output), written(Direction::Input));
    let once = |schema: Schema, direction| {
        let used = (id, direction);
        if !described.contains(&used) || *context.declared.get(id, direction) != schema {
            return schema;
        }
        let name = context.analysis.components().name(program, used);
        Schema {
            reference: Some(format!("schemas/openapi.json#/components/schemas/{name}")),
            ..Schema::default()
        }
    };
    let entity = context
        .analysis
        .entity(id)
        .map(|entity| &program.entities[entity]);
    SchemaEntry {
        name: &declaration.name,
        origin,
        export,
        expression,
        file: program.path(declaration.span),
        line: declaration.span.line,
        table: entity.map(|entity| entity.table.as_str()),
        owner: entity
            .and_then(|entity| entity.owner.as_ref())
            .map(ToString::to_string),
        input_schema: (input != schema).then(|| once(input, Direction::Input)),
        schema: once(schema, Direction::Output),
        properties: program
            .properties(declaration.r#type)
            .iter()
            .map(|property| PropertyEntry {
                name: &property.name,
                r#type: type_text(context, property.r#type),
                required: (!is_large || property.optional).then_some(!property.optional),
                default: property.tags.default.as_ref().and_then(default_value),
                tags: listed(written_tags(program, property), is_large),
            })
            .collect(),
        used_by: listed(usages(context, id).collect(), is_large),
        refers_to: listed(references(program, declaration.r#type), is_large),
    }
}

/// Returns the names of the types to which a type refers directly.
fn references(program: &Program, id: TypeId) -> Vec<&str> {
    let mut found = Vec::new();
    collect_references(program, id, &mut found);
    found
        .into_iter()
        .map(|id| program.declarations[id].name.as_str())
        .collect()
}

fn usages(context: Context<'_>, id: DeclarationId) -> impl Iterator<Item = Usage> {
    let uses = context.analysis.uses(id).iter();
    let slots = uses.map(|(route, slot)| (route, slot.name()));
    let answers = context.analysis.uses_in_answers(id).iter();
    let uses = slots.chain(answers.map(|(route, part)| (route, *part)));
    uses.map(move |(route, slot)| Usage {
        route: context.program.routes[*route].reference(),
        slot,
    })
}
