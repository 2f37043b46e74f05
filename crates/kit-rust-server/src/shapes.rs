//! Types as data, from which the runtime explains what does not fit.

use kit_analysis::UnionPlan;
use kit_ir::{Constraints, DeclarationId, Format, IndexKey, LiteralValue, ObjectType, TypeId, TypeKind};

use crate::models::Module;
use crate::names;
use crate::print::Expression;
use crate::types::Types;

/// The shape of a type. What has no Rust form was reported already.
pub(crate) fn shape(types: &Types<'_>, id: TypeId, name: Option<&str>, module: &mut Module) -> Expression {
    let r#type = &types.program.types[id];
    let rules = &r#type.constraints;
    let plain = |variant: &str| Expression::plain(format!("Shape::{variant}"));
    match &r#type.kind {
        TypeKind::Unknown => plain("Unknown"),
        TypeKind::Null => plain("Null"),
        TypeKind::Boolean => plain("Boolean"),
        TypeKind::Date => plain("Date"),
        TypeKind::Number => number(rules),
        TypeKind::String => text(rules, module),
        TypeKind::Literal { value } => literal(value, module),
        TypeKind::Array { element } => {
            let element = Expression::Borrowed(Box::new(shape(types, *element, None, module)));
            let mut array = Expression::call("Shape::array", vec![element]);
            for (rule, count) in [("min_items", rules.min_items), ("max_items", rules.max_items)] {
                if let Some(count) = count {
                    array = array.method(rule, Some(integer(count)));
                }
            }
            if rules.unique_items {
                array = array.method("unique_items", None);
            }
            array
        }
        TypeKind::Object(object) => self::object(types, object, name, module),
        TypeKind::Union { members } => union(types, members, module),
        TypeKind::Reference { declaration } => {
            let target = module.model(types, *declaration);
            Expression::plain(format!("Shape::of::<{target}>()"))
        }
        TypeKind::Never
        | TypeKind::BigInt
        | TypeKind::Bytes
        | TypeKind::Template { .. }
        | TypeKind::Tuple { .. } => plain("Never"),
    }
}

fn object(types: &Types<'_>, object: &ObjectType, name: Option<&str>, module: &mut Module) -> Expression {
    let properties: Vec<_> = object
        .properties
        .iter()
        .map(|property| {
            module.runtime("shape::Property");
            let function = if property.optional_in_input() {
                "optional"
            } else {
                "required"
            };
            let arguments = vec![
                Expression::plain(names::text(&property.name)),
                shape(types, property.r#type, None, module),
            ];
            let call = Expression::call(format!("Property::{function}"), arguments);
            if property.tags.sensitive {
                call.method("sensitive", None)
            } else {
                call
            }
        })
        .collect();
    let properties = Expression::List(properties);
    let shape_of_object = match name {
        Some(name) => Expression::call(
            "Shape::object",
            vec![Expression::plain(names::text(name)), properties],
        ),
        None => Expression::call("Shape::anonymous", vec![properties]),
    };
    let index: Vec<_> = object
        .signatures()
        .into_iter()
        .map(|signature| {
            let keys = match signature.key {
                IndexKey::Number => "Keys::Numeric",
                IndexKey::String | IndexKey::Template { .. } => "Keys::Any",
            };
            module.runtime("shape::Index");
            module.runtime("shape::Keys");
            let value = shape(types, signature.value, None, module);
            Expression::call("Index::new", vec![Expression::plain(keys), value])
        })
        .collect();
    if index.is_empty() {
        shape_of_object
    } else {
        shape_of_object.with("index", Expression::List(index))
    }
}

/// A union, with unions inside of it taken apart; each recursive one on the way to a member counts as one level.
fn union(types: &Types<'_>, members: &[TypeId], module: &mut Module) -> Expression {
    let plan = UnionPlan::new(types.program, members);
    let shapes: Vec<_> = plan
        .members
        .iter()
        .map(|member| {
            let recursive = |id: &&DeclarationId| types.is_recursive(**id);
            let levels = member.through.iter().filter(recursive).count();
            let inner = shape(types, member.r#type, None, module);
            (0..levels).fold(inner, |inner, _| {
                Expression::call(
                    "Shape::Recursive",
                    vec![Expression::plain(format!("|| &{}", inner.print(0, 0, 0)))],
                )
            })
        })
        .collect();
    let union = Expression::call("Shape::union", vec![Expression::List(shapes)]);
    let discriminants: Vec<_> = plan
        .discriminants()
        .into_iter()
        .map(|name| Expression::plain(names::text(name)))
        .collect();
    if discriminants.is_empty() {
        union
    } else {
        union.with("discriminants", Expression::List(discriminants))
    }
}

fn literal(value: &LiteralValue, module: &mut Module) -> Expression {
    let (variant, value) = match value {
        LiteralValue::String(text) => {
            return Expression::call("Shape::literal", vec![Expression::plain(names::text(text))]);
        }
        LiteralValue::Number(number) => ("Number", decimal(*number)),
        LiteralValue::Boolean(value) => ("Boolean", value.to_string()),
        LiteralValue::BigInt(_) => return Expression::plain("Shape::Never"),
    };
    module.runtime("shape::Literal");
    let value = Expression::call(format!("Literal::{variant}"), vec![Expression::plain(value)]);
    Expression::call("Shape::Literal", vec![value])
}

fn number(rules: &Constraints) -> Expression {
    let base = if rules.integer { "INTEGER" } else { "NUMBER" };
    let mut shape = Expression::plain(format!("Shape::{base}"));
    for (rule, bound) in [
        ("minimum", rules.minimum),
        ("maximum", rules.maximum),
        ("exclusive_minimum", rules.exclusive_minimum),
        ("exclusive_maximum", rules.exclusive_maximum),
        ("multiple_of", rules.multiple_of),
    ] {
        if let Some(bound) = bound {
            shape = shape.method(rule, Some(decimal(bound.get())));
        }
    }
    shape
}

fn text(rules: &Constraints, module: &mut Module) -> Expression {
    let mut shape = Expression::plain("Shape::TEXT");
    for (rule, length) in [("min_length", rules.min_length), ("max_length", rules.max_length)] {
        if let Some(length) = length {
            shape = shape.method(rule, Some(integer(length)));
        }
    }
    if let Some(format) = rules.format {
        let name = match format {
            Format::Email => "Email",
            Format::Uri => "Uri",
            Format::Uuid => "Uuid",
            Format::Date => "Date",
            Format::DateTime => "DateTime",
            Format::Ipv4 => "Ipv4",
            Format::Ipv6 => "Ipv6",
        };
        module.runtime("shape::Format");
        shape = shape.method("format", Some(format!("Format::{name}")));
    }
    match &rules.pattern {
        Some(pattern) => {
            let constant = module.pattern(pattern);
            shape.method("pattern", Some(format!("&{constant}")))
        }
        None => shape,
    }
}

/// A literal of a double.
pub(crate) fn decimal(number: f64) -> String {
    let text = format!("{number:?}");
    match text.split_once('.') {
        Some((whole, fraction)) if !text.contains('e') => format!("{}.{fraction}", grouped(whole)),
        _ => text,
    }
}

/// A literal of an integer.
pub(crate) fn integer(number: u64) -> String {
    grouped(&number.to_string())
}

/// Digits in groups of three where there are more than four, as Clippy wants them.
fn grouped(digits: &str) -> String {
    let (sign, digits) = digits
        .strip_prefix('-')
        .map_or(("", digits), |digits| ("-", digits));
    if digits.len() < 5 {
        return format!("{sign}{digits}");
    }
    let first = (digits.len() - 1) % 3 + 1;
    let rest = digits.as_bytes()[first..].chunks(3);
    let rest: String = rest
        .map(|group| format!("_{}", String::from_utf8_lossy(group)))
        .collect();
    format!("{sign}{}{rest}", &digits[..first])
}
