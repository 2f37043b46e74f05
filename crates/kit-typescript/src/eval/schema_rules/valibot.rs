//! Rules of schemas of valibot.

use oxc_ast::ast::Expression;

use super::reader::{Reader, called, default_argument, location as at, schemas_in};
use super::rules::{Bound, Kind, SchemaRules};
use crate::docs::TagName;
use crate::modules::{Location, ModuleId};

/// Reads `v.object({ … })`, `v.pipe(v.string(), v.minLength(1))` or `v.partial(user)`.
pub(super) fn read<'a>(
    reader: &mut Reader<'_, 'a>,
    expression: &'a Expression<'a>,
    module: ModuleId,
) -> SchemaRules {
    let Expression::CallExpression(call) = expression else {
        reader.refuse(expression, module);
        return SchemaRules::default();
    };
    let location = at(module, call.span);
    let first = Reader::argument(call, 0);
    match called(call).unwrap_or_default() {
        name @ ("object" | "looseObject" | "strictObject") => {
            if name == "strictObject" {
                reader.unread.push((
                    location,
                    "`strictObject`, which refuses other properties".to_owned(),
                ));
            }
            SchemaRules::object(reader.properties(first, module))
        }
        "string" => SchemaRules::of(Kind::Text),
        "number" => SchemaRules::of(Kind::Number),
        "array" => SchemaRules::list(first.map(|element| reader.read(element, module))),
        "optional" | "nullable" | "nullish" | "undefinedable" | "exactOptional" => {
            let mut rules = first.map(|inner| reader.read(inner, module)).unwrap_or_default();
            if let Some(value) = Reader::argument(call, 1) {
                let literal = reader.literal(value, module);
                if !literal
                    .is_some_and(|value| rules.add(TagName::Default, default_argument(&value), location))
                {
                    reader.refuse(value, module);
                }
            }
            rules
        }
        "partial" | "required" | "pick" | "omit" | "unwrap" | "nonOptional" | "nonNullable"
        | "nonNullish" => first.map(|inner| reader.read(inner, module)).unwrap_or_default(),
        "pipe" => {
            let mut rules = first.map(|inner| reader.read(inner, module)).unwrap_or_default();
            for argument in call
                .arguments
                .iter()
                .skip(1)
                .filter_map(|argument| argument.as_expression())
            {
                if action(reader, &mut rules, argument, module) {
                    continue;
                }
                reader.refuse(argument, module);
                // The rules describe the value before the function, and the type describes the result.
                if !keeps_value(argument) {
                    reader.refuse_rules(&rules);
                    rules = SchemaRules::of(Kind::Changed);
                }
            }
            rules
        }
        "boolean" => SchemaRules::of(Kind::Boolean),
        "bigint" => SchemaRules::of(Kind::BigInt),
        "date" => SchemaRules::of(Kind::Date),
        "null" | "null_" | "undefined" | "undefined_" | "void" | "void_" => SchemaRules::of(Kind::Nothing),
        "literal" | "picklist" => SchemaRules::literals(reader.literals(first, module)),
        "enum" | "enum_" | "any" | "unknown" | "never" | "symbol" | "nan" => SchemaRules::default(),
        "union" | "variant" => {
            let schemas = schemas_in(call);
            reader.members(&schemas, module)
        }
        "intersect" => {
            let mut schemas = schemas_in(call).into_iter();
            let mut rules = schemas
                .next()
                .map(|schema| reader.read(schema, module))
                .unwrap_or_default();
            for schema in schemas {
                let other = reader.read(schema, module);
                reader.intersect(&mut rules, other);
            }
            rules
        }
        "tuple" => reader.tuple(call, module),
        "record" => reader.record(call, module),
        "map" | "set" => {
            let schemas = schemas_in(call);
            reader.refuse_rules_of(&schemas, module);
            SchemaRules::default()
        }
        _ => {
            reader.refuse(expression, module);
            SchemaRules::default()
        }
    }
}

/// Returns true if an action that kit does not read gives a value of the same type.
fn keeps_value(expression: &Expression<'_>) -> bool {
    let Expression::CallExpression(call) = expression.get_inner_expression() else {
        return false;
    };
    called(call).is_some_and(|name| KEEPING.contains(&name))
}

/// Actions of valibot that kit does not read and that give a value of the same type. kit checks a text before `trim`.
const KEEPING: [&str; 38] = [
    "base64",
    "bic",
    "bytes",
    "check",
    "checkAsync",
    "checkItems",
    "creditCard",
    "cuid2",
    "decimal",
    "digits",
    "email",
    "emoji",
    "empty",
    "endsWith",
    "everyItem",
    "excludes",
    "forward",
    "hexadecimal",
    "includes",
    "ip",
    "isoDateTime",
    "isoTime",
    "mac",
    "maxBytes",
    "minBytes",
    "nanoid",
    "normalize",
    "partialCheck",
    "rawCheck",
    "regex",
    "slug",
    "someItem",
    "startsWith",
    "toLowerCase",
    "toUpperCase",
    "trim",
    "ulid",
    "values",
];

/// Returns the bound that an action of valibot sets.
fn bound_of(action: &str) -> Option<Bound> {
    Some(match action {
        "minLength" | "minValue" => Bound::AtLeast,
        "maxLength" | "maxValue" => Bound::AtMost,
        "length" => Bound::Exactly,
        "gtValue" => Bound::Above,
        "ltValue" => Bound::Below,
        "multipleOf" => Bound::MultipleOf,
        _ => return None,
    })
}

/// Adds the rule of an action in a pipe. Returns false if kit does not read the action.
fn action<'a>(
    reader: &mut Reader<'_, 'a>,
    rules: &mut SchemaRules,
    expression: &'a Expression<'a>,
    module: ModuleId,
) -> bool {
    let Expression::CallExpression(call) = expression.get_inner_expression() else {
        return false;
    };
    let Some(name) = called(call) else {
        return false;
    };
    let location: Location = at(module, call.span);
    let first = Reader::argument(call, 0);
    if let Some(bound) = bound_of(name) {
        let limit = reader.number(first, module);
        return limit.is_some_and(|limit| rules.bound(bound, limit, location));
    }
    match name {
        "brand" | "title" | "metadata" | "readonly" | "finite" | "examples" => true,
        "description" => {
            rules.description = reader.text(first, module);
            true
        }
        "nonEmpty" => rules.at_least("1".to_owned(), location),
        "integer" | "safeInteger" if rules.kind == Kind::Number => {
            rules.add(TagName::Integer, String::new(), location)
        }
        "email" | "uuid" | "ipv4" | "ipv6" => rules.add(TagName::Format, name.to_owned(), location),
        "url" => rules.add(TagName::Format, "uri".to_owned(), location),
        "isoDate" => rules.add(TagName::Format, "date".to_owned(), location),
        "isoTimestamp" => rules.add(TagName::Format, "date-time".to_owned(), location),
        "regex" => match Reader::pattern(first) {
            Some(pattern) => rules.add(TagName::Pattern, pattern.to_owned(), location),
            None => false,
        },
        _ => false,
    }
}
