//! Rules of schemas of zod 3 and 4.

use oxc_ast::ast::{CallExpression, Expression};
use oxc_span::Span;

use super::reader::{Reader, location as at, schemas_in};
use super::rules::{Kind, SchemaRules};
use crate::docs::TagName;
use crate::modules::{Location, ModuleId};

/// Reads `z.string().min(1)`, `user.partial()` or `user.shape.name`.
pub(super) fn read<'a>(
    reader: &mut Reader<'_, 'a>,
    expression: &'a Expression<'a>,
    module: ModuleId,
) -> SchemaRules {
    match expression {
        Expression::CallExpression(call) => match call.callee.get_inner_expression() {
            Expression::StaticMemberExpression(member) => {
                let name = member.property.name.as_str();
                let span = Span::new(member.property.span.start, call.span.end);
                let location = at(module, span);
                match namespace(&member.object) {
                    Some(inner) if is_library_name(reader, &member.object, module) => {
                        constructor(reader, inner, name, call, location)
                    }
                    _ => {
                        let rules = reader.read(&member.object, module);
                        method(reader, rules, name, call, location)
                    }
                }
            }
            // `import { string } from "zod/mini"`
            Expression::Identifier(name) => {
                let location = at(module, call.span);
                constructor(reader, "", name.name.as_str(), call, location)
            }
            _ => SchemaRules::default(),
        },
        Expression::StaticMemberExpression(member) => {
            part(reader, &member.object, member.property.name.as_str(), module)
        }
        _ => SchemaRules::default(),
    }
}

/// Returns the name below the namespace of zod: an empty text for `z`, `coerce` for `z.coerce`. Returns `None` for any other
/// expression.
fn namespace<'a>(expression: &'a Expression<'a>) -> Option<&'a str> {
    match expression.get_inner_expression() {
        Expression::Identifier(_) => Some(""),
        Expression::StaticMemberExpression(member)
            if matches!(member.object, Expression::Identifier(_))
                && matches!(member.property.name.as_str(), "coerce" | "iso") =>
        {
            Some(member.property.name.as_str())
        }
        _ => None,
    }
}

fn is_library_name<'a>(
    reader: &mut Reader<'_, 'a>,
    expression: &'a Expression<'a>,
    module: ModuleId,
) -> bool {
    reader.eval.library_of(expression, module).is_some()
}

/// Reads `user.shape.name`, the schema of a property, and `list.element`.
fn part<'a>(
    reader: &mut Reader<'_, 'a>,
    object: &'a Expression<'a>,
    name: &str,
    module: ModuleId,
) -> SchemaRules {
    match object.get_inner_expression() {
        Expression::StaticMemberExpression(shape) if shape.property.name == "shape" => {
            let rules = reader.read(&shape.object, module);
            let found = rules.properties.into_iter().find(|(known, _, _)| known == name);
            found.map(|(_, _, rules)| rules).unwrap_or_default()
        }
        _ if name == "element" => {
            let rules = reader.read(object, module);
            rules.element.map(|element| *element).unwrap_or_default()
        }
        _ => SchemaRules::default(),
    }
}

fn constructor<'a>(
    reader: &mut Reader<'_, 'a>,
    namespace: &str,
    name: &str,
    call: &'a CallExpression<'a>,
    location: Location,
) -> SchemaRules {
    let module = location.module;
    let first = Reader::argument(call, 0);
    let text = SchemaRules::of(Kind::Text);
    let number = SchemaRules::of(Kind::Number);
    if namespace == "coerce" {
        reader.unread.push((location, format!("`coerce.{name}()`")));
    }
    match (namespace, name) {
        ("iso", "date") => text.with(TagName::Format, "date", location),
        ("iso", "datetime") => text.with(TagName::Format, "date-time", location),
        (_, "string") => text,
        (_, "number" | "float32" | "float64") => number,
        (_, "int") => number.with(TagName::Integer, "", location),
        (_, "int32") => number
            .with(TagName::Integer, "", location)
            .with(TagName::Minimum, "-2147483648", location)
            .with(TagName::Maximum, "2147483647", location),
        (_, "uint32") => number
            .with(TagName::Integer, "", location)
            .with(TagName::Minimum, "0", location)
            .with(TagName::Maximum, "4294967295", location),
        (_, "email" | "uuid" | "ipv4" | "ipv6") => text.with(TagName::Format, name, location),
        (_, "uuidv4" | "uuidv6" | "uuidv7" | "guid") => text.with(TagName::Format, "uuid", location),
        (_, "url") => text.with(TagName::Format, "uri", location),
        (_, "object" | "strictObject" | "looseObject") => {
            if name == "strictObject" {
                reader.unread.push((
                    location,
                    "`strictObject`, which refuses other properties".to_owned(),
                ));
            }
            SchemaRules {
                properties: reader.properties(first, module),
                ..SchemaRules::default()
            }
        }
        (_, "array") => SchemaRules {
            kind: Kind::List,
            element: first.map(|element| Box::new(reader.read(element, module))),
            ..SchemaRules::default()
        },
        (_, "optional" | "nullable" | "nullish" | "readonly") => {
            first.map(|inner| reader.read(inner, module)).unwrap_or_default()
        }
        (
            _,
            "boolean" | "bigint" | "date" | "literal" | "enum" | "nativeEnum" | "null" | "undefined" | "any"
            | "unknown" | "never" | "void" | "symbol" | "nan" | "keyof",
        ) => SchemaRules::default(),
        (
            _,
            "union" | "discriminatedUnion" | "xor" | "intersection" | "tuple" | "record" | "partialRecord"
            | "map" | "set",
        ) => {
            let schemas = schemas_in(call);
            reader.refuse_rules_of(&schemas, module);
            SchemaRules::default()
        }
        _ => {
            reader.unread.push((location, format!("`{name}(…)`")));
            SchemaRules::default()
        }
    }
}

#[allow(clippy::too_many_lines)] // Reason: a table of the methods of zod.
fn method<'a>(
    reader: &mut Reader<'_, 'a>,
    mut rules: SchemaRules,
    name: &str,
    call: &'a CallExpression<'a>,
    location: Location,
) -> SchemaRules {
    let module = location.module;
    let first = Reader::argument(call, 0);
    let read = match name {
        "optional" | "nullable" | "nullish" | "nonoptional" | "unwrap" | "brand" | "readonly" | "partial"
        | "required" | "deepPartial" | "pick" | "omit" | "strip" | "finite" | "meta" | "register"
        | "clone" => true,
        "array" => {
            let element = std::mem::take(&mut rules);
            rules.kind = Kind::List;
            rules.element = Some(Box::new(element));
            true
        }
        "describe" => {
            rules.description = reader.text(first, module);
            true
        }
        "min" | "gte" | "minLength" => {
            let bound = reader.number(first, module);
            bound.is_some_and(|bound| rules.at_least(bound, location))
        }
        "max" | "lte" | "maxLength" => {
            let bound = reader.number(first, module);
            bound.is_some_and(|bound| rules.at_most(bound, location))
        }
        "length" => {
            let bound = reader.number(first, module);
            bound.is_some_and(|bound| {
                rules.at_least(bound.clone(), location) && rules.at_most(bound, location)
            })
        }
        "nonempty" => rules.at_least("1".to_owned(), location),
        "gt" if rules.kind == Kind::Number => {
            let bound = reader.number(first, module);
            bound.is_some_and(|bound| rules.add(TagName::ExclusiveMinimum, bound, location))
        }
        "lt" if rules.kind == Kind::Number => {
            let bound = reader.number(first, module);
            bound.is_some_and(|bound| rules.add(TagName::ExclusiveMaximum, bound, location))
        }
        "positive" if rules.kind == Kind::Number => {
            rules.add(TagName::ExclusiveMinimum, "0".to_owned(), location)
        }
        "negative" if rules.kind == Kind::Number => {
            rules.add(TagName::ExclusiveMaximum, "0".to_owned(), location)
        }
        "nonnegative" if rules.kind == Kind::Number => rules.add(TagName::Minimum, "0".to_owned(), location),
        "nonpositive" if rules.kind == Kind::Number => rules.add(TagName::Maximum, "0".to_owned(), location),
        "int" | "safe" if rules.kind == Kind::Number => rules.add(TagName::Integer, String::new(), location),
        "multipleOf" | "step" if rules.kind == Kind::Number => {
            let bound = reader.number(first, module);
            bound.is_some_and(|bound| rules.add(TagName::MultipleOf, bound, location))
        }
        "email" | "uuid" | "date" | "ipv4" | "ipv6" if rules.kind == Kind::Text => {
            rules.add(TagName::Format, name.to_owned(), location)
        }
        "guid" if rules.kind == Kind::Text => rules.add(TagName::Format, "uuid".to_owned(), location),
        "url" if rules.kind == Kind::Text => rules.add(TagName::Format, "uri".to_owned(), location),
        "datetime" if rules.kind == Kind::Text => {
            rules.add(TagName::Format, "date-time".to_owned(), location)
        }
        "regex" => match Reader::pattern(first) {
            Some(pattern) => rules.add(TagName::Pattern, pattern.to_owned(), location),
            None => false,
        },
        "default" | "prefault" => match first.and_then(|value| reader.literal(value, module)) {
            Some(literal) => rules.add(TagName::Default, literal.name().to_string(), location),
            None => false,
        },
        "extend" | "safeExtend" | "augment" => {
            let properties = reader.properties(first, module);
            rules.extend(properties);
            true
        }
        "merge" => {
            let other = first.map(|other| reader.read(other, module)).unwrap_or_default();
            rules.extend(other.properties);
            true
        }
        "keyof" => {
            rules = SchemaRules::default();
            true
        }
        "and" | "or" => {
            let schemas = schemas_in(call);
            reader.refuse_rules_of(&schemas, module);
            true
        }
        _ => false,
    };
    if !read {
        reader.refuse_method(name, location);
    }
    rules
}
