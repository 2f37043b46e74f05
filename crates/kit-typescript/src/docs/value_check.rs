//! Check of the values of `@default` and `@example` against their types.

use kit_analysis::{Fit, element_types, fit, numbers};
use kit_ir::{
    Constraints, Decimal, DefaultValue, Format, IndexKey, LiteralValue, Program, Type, TypeId, TypeKind,
};
use serde_json::Value;

use crate::pattern_verdicts::Verdicts;

/// Maximum depth of nested values. Without a limit, a recursive type could be followed without end.
const MAX_DEPTH: usize = 64;

/// Returns the value in `@default` if it fits the type. The value is JSON, or a string without quotes. No validator checks a
/// default, because validators run before defaults are filled in.
pub(super) fn default_value(
    verdicts: &Verdicts,
    program: &Program,
    r#type: TypeId,
    argument: &str,
) -> Option<DefaultValue> {
    let form = Form::Default(verdicts);
    if argument == "now" && holds_date(program, r#type) {
        return Some(DefaultValue::Now);
    }
    let json = serde_json::from_str::<Value>(argument).ok();
    let is_quoted = matches!(json, Some(Value::String(_)));
    if let Some(value) = json.filter(|value| fits(program, r#type, value, form, 0)) {
        return Some(match value {
            Value::Null => DefaultValue::Null,
            Value::Bool(value) => DefaultValue::Literal(LiteralValue::Boolean(value)),
            Value::Number(value) => DefaultValue::Literal(LiteralValue::Number(value.as_f64()?)),
            Value::String(value) => DefaultValue::Literal(LiteralValue::String(value)),
            value => DefaultValue::Json(value.to_string()),
        });
    }
    if bigint_rules(program, r#type).is_some_and(|rules| bigint_fits(rules, argument)) {
        return Some(DefaultValue::Literal(LiteralValue::BigInt(plain_digits(
            argument,
        ))));
    }
    // A text in quotes that breaks a rule could satisfy it with the quotes. A literal has the quotes itself.
    let is_text = if is_quoted {
        is_literal(program, r#type, argument)
    } else {
        fits(program, r#type, &Value::String(argument.to_owned()), form, 0)
    };
    is_text.then(|| DefaultValue::Literal(LiteralValue::String(argument.to_owned())))
}

/// Returns true if a type is this literal, or a union of which this literal is a member.
fn is_literal(program: &Program, r#type: TypeId, text: &str) -> bool {
    member(
        program,
        r#type,
        &TypeKind::Literal {
            value: LiteralValue::String(text.to_owned()),
        },
    )
    .is_some()
}

/// Returns the digits of an integer without leading zeros: JavaScript has no literal `007n`.
fn plain_digits(digits: &str) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    match digits.trim_start_matches('0') {
        "" => "0".to_owned(),
        digits => format!("{sign}{digits}"),
    }
}

/// Returns the value in `@example` if it fits the wire form of the type. The value is JSON, or a string
/// without quotes.
pub(super) fn example_value(program: &Program, r#type: TypeId, text: &str) -> Option<Value> {
    let fits = |value: &Value| fits(program, r#type, value, Form::Wire, 0);
    serde_json::from_str::<Value>(text)
        .ok()
        .filter(fits)
        .or_else(|| Some(Value::String(text.to_owned())).filter(fits))
}

/// Form in which a doc tag contains a value.
#[derive(Clone, Copy)]
enum Form<'v> {
    /// Value as a handler receives it, for `@default`. Texts must match their patterns.
    Default(&'v Verdicts),
    /// Value as it is on the wire, for `@example`: dates, bytes and bigints are strings.
    Wire,
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns a type of the given kind: the type itself, or the member of a union that has this kind.
fn member<'p>(program: &'p Program, r#type: TypeId, kind: &TypeKind) -> Option<&'p Type> {
    let r#type = program.resolve(r#type);
    match &r#type.kind {
        TypeKind::Union { members } => members
            .iter()
            .map(|member| program.resolve(*member))
            .find(|member| member.kind == *kind),
        own => (own == kind).then_some(r#type),
    }
}

fn holds_date(program: &Program, r#type: TypeId) -> bool {
    member(program, r#type, &TypeKind::Date).is_some()
}

/// Returns the rules of a `bigint` or of a `bigint` in a union; `None` for any other type.
fn bigint_rules(program: &Program, r#type: TypeId) -> Option<&Constraints> {
    member(program, r#type, &TypeKind::BigInt).map(|member| &member.constraints)
}

/// Returns true if a text is a bigint that satisfies the rules. All rules of bigints are integers.
#[allow(clippy::cast_possible_truncation)] // a rule of a bigint has no fraction, and greater ones exclude no `i128`
fn bigint_fits(rules: &Constraints, digits: &str) -> bool {
    if !is_integer(digits) {
        return false;
    }
    if rules.is_empty() {
        return true;
    }
    let Ok(number) = digits.parse::<i128>() else {
        return false;
    };
    let get = |limit: Option<Decimal>| limit.map(|limit| limit.get() as i128);
    get(rules.minimum).is_none_or(|limit| number >= limit)
        && get(rules.maximum).is_none_or(|limit| number <= limit)
        && get(rules.exclusive_minimum).is_none_or(|limit| number > limit)
        && get(rules.exclusive_maximum).is_none_or(|limit| number < limit)
        && get(rules.multiple_of).is_none_or(|step| step == 0 || number % step == 0)
}

fn fits(program: &Program, id: TypeId, value: &Value, form: Form<'_>, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    let r#type = program.resolve(id);
    let is_on_wire = matches!(form, Form::Wire);
    match (&r#type.kind, value) {
        (TypeKind::Unknown, _) | (TypeKind::Null, Value::Null) | (TypeKind::Boolean, Value::Bool(_)) => true,
        (TypeKind::Number, Value::Number(number)) => number
            .as_f64()
            .is_some_and(|number| numbers::broken_rules(&r#type.constraints, number).is_empty()),
        (TypeKind::String, Value::String(text)) => string_fits(&r#type.constraints, text, form),
        (TypeKind::Template { .. }, Value::String(text)) => {
            string_fits(&r#type.constraints, text, form) && fit(program, id, value) != Fit::No
        }
        (
            TypeKind::Literal {
                value: LiteralValue::String(literal),
            },
            Value::String(text),
        ) => literal == text,
        // Both numbers come from decimal texts, and equal texts give equal bits.
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
        (TypeKind::Date, Value::String(text)) => is_on_wire && format_fits(Format::DateTime, text),
        (TypeKind::Bytes, Value::String(text)) => is_on_wire && is_base64(text),
        (TypeKind::BigInt, Value::String(text)) => is_on_wire && bigint_fits(&r#type.constraints, text),
        (TypeKind::BigInt, Value::Number(number)) => is_on_wire && (number.is_i64() || number.is_u64()),
        (
            TypeKind::Literal {
                value: LiteralValue::BigInt(literal),
            },
            Value::String(text),
        ) => is_on_wire && literal == text,
        (TypeKind::Array { element }, Value::Array(items)) => {
            list_fits(&r#type.constraints, items)
                && items
                    .iter()
                    .all(|item| fits(program, *element, item, form, depth + 1))
        }
        (TypeKind::Tuple { elements }, Value::Array(items)) => element_types(elements, items.len())
            .is_some_and(|types| {
                items
                    .iter()
                    .zip(types)
                    .all(|(item, id)| fits(program, id, item, form, depth + 1))
            }),
        (TypeKind::Object(object), Value::Object(entries)) => {
            object
                .properties
                .iter()
                .all(|property| match entries.get(&property.name) {
                    Some(value) => fits(program, property.r#type, value, form, depth + 1),
                    None => property.optional,
                })
                && entries.iter().all(|(key, value)| {
                    object.property(key).is_some()
                        || object.index.iter().any(|signature| {
                            signature.key == IndexKey::String
                                && string_fits(&signature.rules, key, form)
                                && fits(program, signature.value, value, form, depth + 1)
                        })
                })
        }
        (TypeKind::Union { members }, value) => members
            .iter()
            .any(|member| fits(program, *member, value, form, depth + 1)),
        _ => false,
    }
}

fn string_fits(rules: &Constraints, text: &str, form: Form<'_>) -> bool {
    let length = text.chars().count() as u64;
    let may_match = |pattern: &String| match form {
        // A pattern that takes too long is an error of its own.
        Form::Default(verdicts) if verdicts.of(pattern).is_harmless(rules.effective_max_length()) => {
            kit_pattern::matches(pattern, text) != Some(false)
        }
        Form::Default(_) | Form::Wire => true,
    };
    rules.min_length.is_none_or(|least| length >= least)
        && rules.effective_max_length().is_none_or(|most| length <= most)
        && rules.format.is_none_or(|format| format_fits(format, text))
        && rules.allows_decimal(text).unwrap_or(true)
        && rules.pattern.as_ref().is_none_or(may_match)
}

/// Returns true if a string has the format, as the validators of the Rust server check it.
fn format_fits(format: Format, text: &str) -> bool {
    kit_runtime::check::has_format(
        match format {
            Format::Email => kit_runtime::shape::Format::Email,
            Format::Uri => kit_runtime::shape::Format::Uri,
            Format::Uuid => kit_runtime::shape::Format::Uuid,
            Format::Date => kit_runtime::shape::Format::Date,
            Format::DateTime => kit_runtime::shape::Format::DateTime,
            Format::Ipv4 => kit_runtime::shape::Format::Ipv4,
            Format::Ipv6 => kit_runtime::shape::Format::Ipv6,
        },
        text,
    )
}

fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - body.len() <= 2
        && body
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

fn list_fits(rules: &Constraints, items: &[Value]) -> bool {
    let length = items.len() as u64;
    rules.min_items.is_none_or(|least| length >= least)
        && rules.max_items.is_none_or(|most| length <= most)
        && (!rules.unique_items
            || items
                .iter()
                .enumerate()
                .all(|(index, item)| !items[..index].contains(item)))
}
