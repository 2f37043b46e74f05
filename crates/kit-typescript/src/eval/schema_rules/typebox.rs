//! Rules of schemas of `TypeBox`, which have the names of JSON Schema.

use oxc_ast::ast::Expression;

use super::reader::{Reader, called, location as at, schemas_in};
use super::rules::{Kind, SchemaRules};
use crate::docs::TagName;
use crate::modules::ModuleId;

/// Reads `Type.Object({ name: Type.String({ minLength: 1 }) })`.
pub(super) fn read<'a>(
    reader: &mut Reader<'_, 'a>,
    expression: &'a Expression<'a>,
    module: ModuleId,
) -> SchemaRules {
    let Expression::CallExpression(call) = expression else {
        reader.refuse(expression, module);
        return SchemaRules::default();
    };
    let Some(name) = called(call) else {
        reader.refuse(expression, module);
        return SchemaRules::default();
    };
    let location = at(module, call.span);
    let (first, second) = (Reader::argument(call, 0), Reader::argument(call, 1));
    match name {
        "String" => {
            let mut rules = SchemaRules::of(Kind::Text);
            reader.json_schema_options(first, module, &mut rules);
            rules
        }
        "Number" | "Integer" => {
            let mut rules = SchemaRules::of(Kind::Number);
            if name == "Integer" {
                rules.add(TagName::Integer, String::new(), location);
            }
            reader.json_schema_options(first, module, &mut rules);
            rules
        }
        "Boolean" | "Null" | "BigInt" | "Unknown" | "Any" | "Never" => {
            let mut rules = SchemaRules::of(match name {
                "Boolean" => Kind::Boolean,
                "Null" => Kind::Nothing,
                "BigInt" => Kind::BigInt,
                _ => Kind::Other,
            });
            reader.json_schema_options(first, module, &mut rules);
            rules
        }
        "Literal" => {
            let mut rules = SchemaRules::literals(reader.literals(first, module));
            reader.json_schema_options(second, module, &mut rules);
            rules
        }
        "Enum" => {
            let mut rules = SchemaRules::default();
            reader.json_schema_options(second, module, &mut rules);
            rules
        }
        "Object" => {
            let mut rules = SchemaRules::object(reader.properties(first, module));
            reader.json_schema_options(second, module, &mut rules);
            rules
        }
        "Array" => {
            let mut rules = SchemaRules::list(first.map(|element| reader.read(element, module)));
            reader.json_schema_options(second, module, &mut rules);
            rules
        }
        "Optional" | "Readonly" | "ReadonlyOptional" => {
            first.map(|inner| reader.read(inner, module)).unwrap_or_default()
        }
        "Partial" | "Required" | "Pick" | "Omit" => {
            let mut rules = first.map(|inner| reader.read(inner, module)).unwrap_or_default();
            let options = if matches!(name, "Pick" | "Omit") { 2 } else { 1 };
            reader.json_schema_options(Reader::argument(call, options), module, &mut rules);
            rules
        }
        "Composite" => {
            let mut rules = SchemaRules::of(Kind::Object);
            for schema in schemas_in(call) {
                let other = reader.read(schema, module);
                rules.extend(other.properties);
            }
            reader.json_schema_options(second, module, &mut rules);
            rules
        }
        "Union" => {
            let schemas = schemas_in(call);
            let mut rules = reader.members(&schemas, module);
            reader.json_schema_options(second, module, &mut rules);
            rules
        }
        "Intersect" => {
            let mut rules = SchemaRules::of(Kind::Object);
            for schema in schemas_in(call) {
                let other = reader.read(schema, module);
                reader.intersect(&mut rules, other);
            }
            reader.json_schema_options(second, module, &mut rules);
            rules
        }
        "Tuple" => {
            let mut rules = reader.tuple(call, module);
            reader.json_schema_options(second, module, &mut rules);
            rules
        }
        "Record" => {
            let mut rules = reader.record(call, module);
            // TypeBox accepts any value at keys that break a rule.
            if let Some(keys) = rules.keys.take() {
                reader.refuse_rules(&keys);
            }
            reader.json_schema_options(Reader::argument(call, 2), module, &mut rules);
            rules
        }
        _ => {
            reader.refuse(expression, module);
            SchemaRules::default()
        }
    }
}
