//! Rules of schemas of zod 3 and 4.

use oxc_ast::ast::{CallExpression, Expression, ObjectPropertyKind, StaticMemberExpression};
use oxc_span::Span;

use super::reader::{Reader, default_argument, location as at, schemas_in};
use super::rules::{Bound, Kind, SchemaRules};
use super::source::static_name;
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
            _ => refused(reader, expression, module),
        },
        Expression::StaticMemberExpression(member) => part(reader, expression, member, module),
        _ => refused(reader, expression, module),
    }
}

fn refused<'a>(reader: &mut Reader<'_, 'a>, expression: &'a Expression<'a>, module: ModuleId) -> SchemaRules {
    reader.refuse(expression, module);
    SchemaRules::default()
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
    expression: &'a Expression<'a>,
    member: &'a StaticMemberExpression<'a>,
    module: ModuleId,
) -> SchemaRules {
    let name = member.property.name.as_str();
    let found = match member.object.get_inner_expression() {
        Expression::StaticMemberExpression(shape) if shape.property.name == "shape" => {
            let rules = reader.read(&shape.object, module);
            let found = rules.properties.into_iter().find(|(known, _, _)| known == name);
            found.map(|(_, _, rules)| rules)
        }
        _ if name == "element" => {
            let rules = reader.read(&member.object, module);
            rules.element.map(|element| *element)
        }
        _ => None,
    };
    found.unwrap_or_else(|| refused(reader, expression, module))
}

/// Returns true if the argument of a format has no options that change the format, apart from those in `known`. Messages of
/// errors change nothing.
fn is_plain(argument: Option<&Expression<'_>>, known: &[&str]) -> bool {
    match argument.map(Expression::get_inner_expression) {
        None | Some(Expression::StringLiteral(_) | Expression::TemplateLiteral(_)) => true,
        Some(Expression::ObjectExpression(object)) => {
            object.properties.iter().all(|property| match property {
                ObjectPropertyKind::ObjectProperty(property) => {
                    static_name(&property.key).is_some_and(|name| {
                        matches!(
                            name,
                            "error" | "message" | "abort" | "invalid_type_error" | "required_error"
                        ) || known.contains(&name)
                    })
                }
                ObjectPropertyKind::SpreadProperty(_) => false,
            })
        }
        Some(_) => false,
    }
}

/// Returns true if the options of a format contain `name: true`.
fn is_set(argument: Option<&Expression<'_>>, name: &str) -> bool {
    let Some(Expression::ObjectExpression(object)) = argument.map(Expression::get_inner_expression) else {
        return false;
    };
    object.properties.iter().any(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => {
            static_name(&property.key) == Some(name)
                && matches!(&property.value, Expression::BooleanLiteral(value) if value.value)
        }
        ObjectPropertyKind::SpreadProperty(_) => false,
    })
}

/// Adds the format of a text: `email` of `z.email()` and `z.string().email()`. Returns false if the format is not one of kit, or
/// accepts texts that kit refuses.
fn format<'a>(
    reader: &mut Reader<'_, 'a>,
    rules: &mut SchemaRules,
    name: &str,
    options: Option<&'a Expression<'a>>,
    location: Location,
) -> bool {
    let tag = match name {
        "email" | "uuid" | "ipv4" | "ipv6" | "date" => name,
        "uuidv4" | "uuidv6" | "uuidv7" => "uuid",
        "url" => "uri",
        "datetime" => "date-time",
        _ => return false,
    };
    let unread = match name {
        "uuidv4" | "uuidv6" | "uuidv7" => Some(format!("the version of `{name}`")),
        "datetime" if !is_plain(options, &["offset", "precision"]) => return false,
        "datetime" if !is_plain(options, &["offset"]) => Some("the precision of `datetime`".to_owned()),
        "datetime" if !is_set(options, "offset") => {
            Some("`datetime`, which refuses offsets such as `+02:00`".to_owned())
        }
        "datetime" => None,
        // These options make the format stricter.
        "url" if !is_plain(options, &["normalize"]) => Some("the options of `url`".to_owned()),
        "uuid" if !is_plain(options, &[]) => Some("the options of `uuid`".to_owned()),
        _ if !is_plain(options, &[]) => return false,
        _ => None,
    };
    reader.unread.extend(unread.map(|what| (location, what)));
    rules.add(TagName::Format, tag.to_owned(), location)
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
        let what = format!("`coerce.{name}()`: kit refuses values of other types");
        reader.unread.push((location, what));
    }
    match (namespace, name) {
        (_, "string") => text,
        (_, "float32") => {
            reader
                .unread
                .push((location, "the limits of `float32`".to_owned()));
            number
        }
        (_, "number" | "float64") => number,
        (_, "int") => number.with(TagName::Integer, "", location),
        (_, "int32") => number
            .with(TagName::Integer, "", location)
            .with(TagName::Minimum, "-2147483648", location)
            .with(TagName::Maximum, "2147483647", location),
        (_, "uint32") => number
            .with(TagName::Integer, "", location)
            .with(TagName::Minimum, "0", location)
            .with(TagName::Maximum, "4294967295", location),
        ("iso", "date" | "datetime")
        | ("", "email" | "uuid" | "uuidv4" | "uuidv6" | "uuidv7" | "ipv4" | "ipv6" | "url") => {
            let mut text = text;
            if !format(reader, &mut text, name, first, location) {
                reader.unread.push((location, format!("`{name}(…)`")));
            }
            text
        }
        (_, "object" | "strictObject" | "looseObject") => {
            if name == "strictObject" {
                reader.unread.push((
                    location,
                    "`strictObject`, which refuses other properties".to_owned(),
                ));
            }
            SchemaRules::object(reader.properties(first, module))
        }
        (_, "array") => SchemaRules::list(first.map(|element| reader.read(element, module))),
        (_, "optional" | "nullable" | "nullish" | "readonly") => {
            first.map(|inner| reader.read(inner, module)).unwrap_or_default()
        }
        (_, "boolean") => SchemaRules::of(Kind::Boolean),
        (_, "bigint") => SchemaRules::of(Kind::BigInt),
        (_, "date") => SchemaRules::of(Kind::Date),
        (_, "null" | "undefined" | "void") => SchemaRules::of(Kind::Nothing),
        (_, "literal" | "enum") => SchemaRules::literals(reader.literals(first, module)),
        (_, "nativeEnum" | "any" | "unknown" | "never" | "symbol" | "nan" | "keyof") => {
            SchemaRules::default()
        }
        (_, "union" | "discriminatedUnion") => {
            let schemas = schemas_in(call);
            // The first argument of `discriminatedUnion` is the name of a property.
            reader.members(&schemas, module)
        }
        (_, "intersection") => {
            let mut rules = first.map(|left| reader.read(left, module)).unwrap_or_default();
            let right = Reader::argument(call, 1).map(|right| reader.read(right, module));
            reader.intersect(&mut rules, right.unwrap_or_default());
            rules
        }
        (_, "tuple") => reader.tuple(call, module),
        (_, "record" | "partialRecord") => reader.record(call, module),
        (_, "xor" | "map" | "set") => {
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

/// Returns the bound that a method of zod sets.
fn bound_of(method: &str) -> Option<Bound> {
    Some(match method {
        "min" | "gte" | "minLength" => Bound::AtLeast,
        "max" | "lte" | "maxLength" => Bound::AtMost,
        "length" => Bound::Exactly,
        "gt" => Bound::Above,
        "lt" => Bound::Below,
        "multipleOf" | "step" => Bound::MultipleOf,
        _ => return None,
    })
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
    if let Some(bound) = bound_of(name) {
        let limit = reader.number(first, module);
        if !limit.is_some_and(|limit| rules.bound(bound, limit, location)) {
            reader.refuse_method(name, location);
        }
        return rules;
    }
    let read = match name {
        "optional" | "nullable" | "nullish" | "nonoptional" | "unwrap" | "brand" | "readonly" | "partial"
        | "required" | "deepPartial" | "pick" | "omit" | "strip" | "finite" | "meta" | "register"
        | "clone" => true,
        "array" => {
            rules = SchemaRules::list(Some(rules));
            true
        }
        "describe" => {
            rules.description = reader.text(first, module);
            true
        }
        "nonempty" => rules.at_least("1".to_owned(), location),
        "positive" if rules.kind == Kind::Number => {
            rules.add(TagName::ExclusiveMinimum, "0".to_owned(), location)
        }
        "negative" if rules.kind == Kind::Number => {
            rules.add(TagName::ExclusiveMaximum, "0".to_owned(), location)
        }
        "nonnegative" if rules.kind == Kind::Number => rules.add(TagName::Minimum, "0".to_owned(), location),
        "nonpositive" if rules.kind == Kind::Number => rules.add(TagName::Maximum, "0".to_owned(), location),
        "int" | "safe" if rules.kind == Kind::Number => rules.add(TagName::Integer, String::new(), location),
        "email" | "uuid" | "date" | "ipv4" | "ipv6" | "url" | "datetime" if rules.kind == Kind::Text => {
            format(reader, &mut rules, name, first, location)
        }
        // The rules describe the value before the function, and the type describes the result.
        "transform" | "pipe" | "codec" | "overwrite" => {
            reader.refuse_rules(&rules);
            rules = SchemaRules::of(Kind::Changed);
            false
        }
        "regex" if rules.kind == Kind::Text => match Reader::pattern(first) {
            Some(pattern) => rules.add(TagName::Pattern, pattern.to_owned(), location),
            None => false,
        },
        "default" | "prefault" => match first.and_then(|value| reader.literal(value, module)) {
            Some(literal) if rules.add(TagName::Default, default_argument(&literal), location) => true,
            _ => {
                let what = format!("`.{name}(…)`: kit refuses requests without this value");
                reader.unread.push((location, what));
                true
            }
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
        "catch" => {
            let what = "`.catch(…)`: kit refuses the values that it replaces";
            reader.unread.push((location, what.to_owned()));
            true
        }
        "trim" | "toLowerCase" | "toUpperCase" | "normalize" | "slugify" => {
            let what = format!("`.{name}()`: kit checks the text before this change");
            reader.unread.push((location, what));
            true
        }
        "keyof" => {
            rules = SchemaRules::default();
            true
        }
        "and" => {
            let other = first.map(|other| reader.read(other, module)).unwrap_or_default();
            reader.intersect(&mut rules, other);
            true
        }
        "or" => {
            let mut members = vec![rules];
            members.extend(
                schemas_in(call)
                    .into_iter()
                    .map(|schema| reader.read(schema, module)),
            );
            rules = SchemaRules::union(members);
            true
        }
        _ => false,
    };
    if !read {
        reader.refuse_method(name, location);
    }
    rules
}
