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
        "Boolean" | "Null" | "Unknown" | "Any" | "Never" => {
            let mut rules = SchemaRules::default();
            reader.json_schema_options(first, module, &mut rules);
            rules
        }
        "Literal" | "Enum" => {
            let mut rules = SchemaRules::default();
            reader.json_schema_options(second, module, &mut rules);
            rules
        }
        "Object" => {
            let mut rules = SchemaRules {
                properties: reader.properties(first, module),
                ..SchemaRules::default()
            };
            reader.json_schema_options(second, module, &mut rules);
            rules
        }
        "Array" => {
            let mut rules = SchemaRules {
                kind: Kind::List,
                element: first.map(|element| Box::new(reader.read(element, module))),
                ..SchemaRules::default()
            };
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
            let mut rules = SchemaRules::default();
            for schema in schemas_in(call) {
                let other = reader.read(schema, module);
                rules.extend(other.properties);
            }
            reader.json_schema_options(second, module, &mut rules);
            rules
        }
        "Union" | "Intersect" | "Tuple" | "Record" => {
            let schemas = schemas_in(call);
            reader.refuse_rules_of(&schemas, module);
            let mut rules = SchemaRules::default();
            let options = if name == "Record" { 2 } else { 1 };
            reader.json_schema_options(Reader::argument(call, options), module, &mut rules);
            rules
        }
        _ => {
            reader.refuse(expression, module);
            SchemaRules::default()
        }
    }
}
