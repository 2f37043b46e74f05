//! Check of values against scalar types, and examples of scalars.

use kit_ir::{Constraints, Decimal, LiteralValue, Program, Type, TypeKind};
use serde_json::Value;

use super::fit::Fit;
use super::template;
use crate::numbers::{self, MAX_SAFE};
use crate::samples::samples;

/// Maximum length of a bigint on the wire, including its minus sign.
const MAX_DIGITS: usize = 1000;

/// Returns the JSON value of a literal: `"a"` for the type `"a"`, and a string for a bigint.
pub fn literal_value(value: &LiteralValue) -> Value {
    match value {
        LiteralValue::String(text) | LiteralValue::BigInt(text) => Value::from(text.as_str()),
        LiteralValue::Number(number) => numbers::json(*number),
        LiteralValue::Boolean(value) => Value::from(*value),
    }
}

pub(super) fn fit(program: &Program, r#type: &Type, value: &Value) -> Fit {
    let rules = &r#type.constraints;
    match (&r#type.kind, value) {
        (TypeKind::Unknown, _) => Fit::Yes,
        (TypeKind::Null, value) => Fit::from_bool(value.is_null()),
        (TypeKind::Boolean, value) => Fit::from_bool(value.is_boolean()),
        (TypeKind::Number, Value::Number(number)) => number
            .as_f64()
            .map_or(Fit::No, |number| number_fit(rules, number)),
        (TypeKind::String, Value::String(text)) => text_fit(rules, text),
        (TypeKind::Template { parts }, Value::String(text)) => {
            if template::matches(program, parts, text) {
                text_fit(rules, text)
            } else {
                Fit::No
            }
        }
        (TypeKind::Date, Value::String(text)) => date_fit(text),
        (TypeKind::Bytes, Value::String(text)) => bytes_fit(text),
        (TypeKind::BigInt, value) => {
            bigint_digits(value).map_or(Fit::No, |digits| bigint_fit(rules, &digits))
        }
        (TypeKind::Literal { value: literal }, value) => match literal {
            LiteralValue::BigInt(digits) => {
                let same = |found: String| found.trim_start_matches('0') == digits.trim_start_matches('0');
                Fit::from_bool(bigint_digits(value).is_some_and(same))
            }
            LiteralValue::Number(number) => {
                // Both numbers were parsed from decimal text. -0 equals 0.
                Fit::from_bool(value.as_f64().is_some_and(|found| found - number == 0.0))
            }
            literal => Fit::from_bool(literal_value(literal) == *value),
        },
        _ => Fit::No,
    }
}

/// Returns the digits of a JSON string or number that can be a bigint; `None` for any other value.
pub(super) fn bigint_digits(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let are_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            (are_digits && text.len() <= MAX_DIGITS).then(|| text.clone())
        }
        Value::Number(number) => {
            let number = number.as_f64()?;
            (number.fract() == 0.0 && number.abs() <= MAX_SAFE).then(|| format!("{number}"))
        }
        _ => None,
    }
}

/// Compares the number with the bounds as an `i128`, because an `f64` is not exact for the bounds of a 64-bit
/// column. A number of more than 38 digits is outside of all bounds that an `f64` represents exactly.
#[allow(clippy::cast_possible_truncation)] // the bound is an integer, and rounding toward it keeps the order
fn bigint_fit(rules: &Constraints, digits: &str) -> Fit {
    let plain = Constraints {
        integer: false,
        ..rules.clone()
    };
    let Ok(number) = digits.parse::<i128>() else {
        return digits
            .parse::<f64>()
            .map_or(Fit::Unsure, |number| number_fit(&plain, number));
    };
    let get = |bound: Option<Decimal>| bound.map(Decimal::get);
    let within = get(rules.minimum).is_none_or(|bound| number >= bound.ceil() as i128)
        && get(rules.maximum).is_none_or(|bound| number <= bound.floor() as i128)
        && get(rules.exclusive_minimum).is_none_or(|bound| number > bound.floor() as i128)
        && get(rules.exclusive_maximum).is_none_or(|bound| number < bound.ceil() as i128);
    match get(rules.multiple_of) {
        Some(divisor) if within && divisor.fract() == 0.0 => Fit::from_bool(number % divisor as i128 == 0),
        Some(_) if within => Fit::Unsure,
        _ => Fit::from_bool(within),
    }
}

fn number_fit(rules: &Constraints, number: f64) -> Fit {
    let broken = numbers::broken_rules(rules, number);
    // Only the validators decide whether a fraction is a multiple of another, such as 0.3 of 0.1.
    let is_exact =
        |divisor: Decimal| number.fract() == 0.0 && divisor.get().fract() == 0.0 && number.abs() <= MAX_SAFE;
    if broken.iter().all(|rule| *rule == "multipleOf")
        && rules.multiple_of.is_some_and(|divisor| !is_exact(divisor))
    {
        return Fit::Unsure;
    }
    Fit::from_bool(broken.is_empty())
}

/// Checks a string against length, format and pattern.
pub(super) fn text_fit(rules: &Constraints, text: &str) -> Fit {
    if let Some(fits) = rules.allows_decimal(text) {
        return Fit::from_bool(fits);
    }
    if !rules.allows_length(text) {
        return Fit::No;
    }
    let is_sample = |format| samples().of_format(format).valid == text;
    if rules.pattern.is_some() || rules.format.is_some_and(|format| !is_sample(format)) {
        return Fit::Unsure;
    }
    Fit::Yes
}

fn date_fit(text: &str) -> Fit {
    let sample = samples().types.date.valid.as_str();
    if text == sample {
        return Fit::Yes;
    }
    // Ten characters such as `2026-01-31` distinguish dates from most other strings.
    let looks = text.len() >= sample.len()
        && text.bytes().zip(sample.bytes().take(10)).all(|(byte, model)| {
            if model.is_ascii_digit() {
                byte.is_ascii_digit()
            } else {
                byte == model
            }
        });
    if looks { Fit::Unsure } else { Fit::No }
}

fn bytes_fit(text: &str) -> Fit {
    let body = text.trim_end_matches('=');
    let alphabet = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    if !text.len().is_multiple_of(4) || text.len() - body.len() > 2 || !body.bytes().all(alphabet) {
        return Fit::No;
    }
    // Only the validators check that the unused bits before the padding are zero.
    if body.len() == text.len() || text == samples().types.bytes.valid {
        Fit::Yes
    } else {
        Fit::Unsure
    }
}

/// Returns values that probably fit a scalar type, the simplest value first.
pub(super) fn examples(program: &Program, r#type: &Type) -> Vec<Value> {
    let rules = &r#type.constraints;
    match &r#type.kind {
        TypeKind::Null => vec![Value::Null],
        TypeKind::Boolean => vec![Value::from(true), Value::from(false)],
        TypeKind::Number => number_examples(rules),
        TypeKind::BigInt => number_examples(rules)
            .into_iter()
            .flat_map(|number| {
                let digits = bigint_digits(&number).map(Value::from);
                digits.into_iter().chain([number])
            })
            .collect(),
        TypeKind::String => text_examples(rules),
        TypeKind::Template { parts } => template::example(program, parts)
            .into_iter()
            .map(Value::from)
            .collect(),
        TypeKind::Date => vec![Value::from(samples().types.date.valid.as_str())],
        TypeKind::Bytes => vec![Value::from(samples().types.bytes.valid.as_str()), Value::from("")],
        TypeKind::Literal { value } => vec![literal_value(value)],
        TypeKind::Unknown
        | TypeKind::Never
        | TypeKind::Array { .. }
        | TypeKind::Tuple { .. }
        | TypeKind::Object(_)
        | TypeKind::Union { .. }
        | TypeKind::Reference { .. } => Vec::new(),
    }
}

fn number_examples(rules: &Constraints) -> Vec<Value> {
    let found = [1.0].into_iter().chain(numbers::candidates(rules));
    found.map(numbers::json).collect()
}

fn text_examples(rules: &Constraints) -> Vec<Value> {
    let texts = text_choices(rules).into_iter();
    texts.map(Value::from).collect()
}

/// Returns strings that probably satisfy the length, format and pattern, the simplest string first.
pub(super) fn text_choices(rules: &Constraints) -> Vec<String> {
    if let Some(example) = rules.decimal_example(0) {
        return vec![example];
    }
    if let Some(format) = rules.format {
        return vec![samples().of_format(format).valid.clone()];
    }
    // Longer strings do not make a message clearer.
    let least = usize::try_from(rules.min_length.unwrap_or(0)).map_or(64, |least| least.min(64));
    vec!["a".repeat(least.max(1)), String::new()]
}
