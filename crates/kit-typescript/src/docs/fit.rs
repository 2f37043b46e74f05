//! Whether the value of a `@default` fits its type.

use kit_ir::{Constraints, Decimal, DefaultValue, LiteralValue, Program, TypeId, TypeKind};
use serde_json::Value;

/// Values nested deeper than this do not fit: a recursive type would otherwise be followed without end.
const DEEPEST: usize = 64;

/// Reads the argument of `@default` as a value of the type: as JSON, or a string's text without quotes.
pub(super) fn default_value(program: &Program, r#type: TypeId, argument: &str) -> Option<DefaultValue> {
    if argument == "now" && holds_date(program, r#type) {
        return Some(DefaultValue::Now);
    }
    if let Ok(value) = serde_json::from_str::<Value>(argument)
        && fits(program, r#type, &value, 0)
    {
        return Some(match value {
            Value::Null => DefaultValue::Null,
            Value::Bool(value) => DefaultValue::Literal(LiteralValue::Boolean(value)),
            Value::Number(value) => DefaultValue::Literal(LiteralValue::Number(value.as_f64()?)),
            Value::String(value) => DefaultValue::Literal(LiteralValue::String(value)),
            value => DefaultValue::Json(value.to_string()),
        });
    }
    if holds(program, r#type, |kind| matches!(kind, TypeKind::BigInt)) && is_integer(argument) {
        return Some(DefaultValue::Literal(LiteralValue::BigInt(argument.to_owned())));
    }
    fits(program, r#type, &Value::String(argument.to_owned()), 0)
        .then(|| DefaultValue::Literal(LiteralValue::String(argument.to_owned())))
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn holds(program: &Program, r#type: TypeId, wanted: impl Fn(&TypeKind) -> bool) -> bool {
    match &program.resolve(r#type).kind {
        TypeKind::Union { members } => members
            .iter()
            .any(|member| wanted(&program.resolve(*member).kind)),
        kind => wanted(kind),
    }
}

fn holds_date(program: &Program, r#type: TypeId) -> bool {
    holds(program, r#type, |kind| matches!(kind, TypeKind::Date))
}

fn fits(program: &Program, id: TypeId, value: &Value, depth: usize) -> bool {
    if depth > DEEPEST {
        return false;
    }
    let r#type = program.resolve(id);
    match (&r#type.kind, value) {
        (TypeKind::Unknown, _) | (TypeKind::Null, Value::Null) | (TypeKind::Boolean, Value::Bool(_)) => true,
        (TypeKind::Number, Value::Number(number)) => number
            .as_f64()
            .is_some_and(|number| number_fits(&r#type.constraints, number)),
        (TypeKind::String, Value::String(text)) => string_fits(&r#type.constraints, text),
        (
            TypeKind::Literal {
                value: LiteralValue::String(literal),
            },
            Value::String(text),
        ) => literal == text,
        // Both were written by people as decimal numbers: equal text gives equal bits.
        (
            TypeKind::Literal {
                value: LiteralValue::Number(literal),
            },
            Value::Number(number),
        ) => number.as_f64().map(f64::to_bits) == Some(literal.to_bits()),
        (
            TypeKind::Literal {
                value: LiteralValue::Boolean(literal),
            },
            Value::Bool(value),
        ) => literal == value,
        (TypeKind::Array { element }, Value::Array(items)) => {
            items.iter().all(|item| fits(program, *element, item, depth + 1))
        }
        (TypeKind::Tuple { elements }, Value::Array(items)) => {
            let rest = elements.iter().find(|element| element.rest);
            items.iter().enumerate().all(|(index, item)| {
                elements
                    .get(index)
                    .filter(|element| !element.rest)
                    .or(rest)
                    .is_some_and(|element| fits(program, element.r#type, item, depth + 1))
            }) && elements
                .iter()
                .skip(items.len())
                .all(|element| element.optional || element.rest)
        }
        (TypeKind::Object(object), Value::Object(entries)) => {
            object
                .properties
                .iter()
                .all(|property| match entries.get(&property.name) {
                    Some(value) => fits(program, property.r#type, value, depth + 1),
                    None => property.optional,
                })
                && entries.iter().all(|(key, value)| {
                    object.property(key).is_some()
                        || object
                            .string_index()
                            .is_some_and(|index| fits(program, index, value, depth + 1))
                })
        }
        (TypeKind::Union { members }, value) => members
            .iter()
            .any(|member| fits(program, *member, value, depth + 1)),
        _ => false,
    }
}

fn string_fits(rules: &Constraints, text: &str) -> bool {
    let length = text.chars().count() as u64;
    rules.min_length.is_none_or(|least| length >= least) && rules.max_length.is_none_or(|most| length <= most)
}

fn number_fits(rules: &Constraints, number: f64) -> bool {
    let get = |limit: Option<Decimal>| limit.map(Decimal::get);
    get(rules.minimum).is_none_or(|limit| number >= limit)
        && get(rules.maximum).is_none_or(|limit| number <= limit)
        && get(rules.exclusive_minimum).is_none_or(|limit| number > limit)
        && get(rules.exclusive_maximum).is_none_or(|limit| number < limit)
        && (!rules.integer || number.fract() == 0.0)
}
