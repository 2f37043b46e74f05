//! Conditions of check constraints.

use kit_ir::{DecimalRange, LiteralValue};

use super::quote::string_literal;
use crate::{Counts, Range, Rule};

/// Returns the condition as SQL. `column` is inserted as is, so the caller quotes it if necessary.
///
/// ```
/// use kit_database::{Counts, Rule, sql::condition};
///
/// let rule = Rule::Length(Counts { min: Some(1), max: None });
/// assert_eq!(condition(&rule, "title"), "char_length(title) >= 1");
/// ```
pub fn condition(rule: &Rule, column: &str) -> String {
    match rule {
        Rule::Values(values) => {
            let values: Vec<String> = values.iter().map(literal).collect();
            format!("{column} IN ({})", values.join(", "))
        }
        Rule::Length(counts) => bounds(&format!("char_length({column})"), *counts),
        Rule::Items(counts) => bounds(&format!("jsonb_array_length({column})"), *counts),
        Rule::Cardinality(counts) => bounds(&format!("cardinality({column})"), *counts),
        // An error for an array of arrays, which no type of kit represents.
        Rule::Elements(elements) if elements.values.is_empty() => {
            format!("array_position({column}, NULL) IS NULL")
        }
        // Null is never contained.
        Rule::Elements(elements) => {
            let values: Vec<String> = elements.values.iter().map(literal).collect();
            format!(
                "{column} <@ ARRAY[{}]::{}[]",
                values.join(", "),
                elements.of.column()
            )
        }
        Rule::Range(range) => self::range(column, range),
        Rule::Decimals(range) => decimals(column, range),
        Rule::MultipleOf(step) => format!("{column} % {step} = 0"),
        Rule::Sql(condition) => condition.clone(),
        Rule::Pattern(pattern) => format!("{column} ~ {}", string_literal(pattern)),
    }
}

fn bounds(value: &str, counts: Counts) -> String {
    match (counts.min, counts.max) {
        (Some(min), Some(max)) => format!("{value} BETWEEN {min} AND {max}"),
        (Some(min), None) => format!("{value} >= {min}"),
        (None, Some(max)) => format!("{value} <= {max}"),
        (None, None) => "true".to_owned(),
    }
}

fn range(column: &str, range: &Range) -> String {
    if let (Some(minimum), Some(maximum), None, None) = (
        range.minimum,
        range.maximum,
        range.exclusive_minimum,
        range.exclusive_maximum,
    ) {
        return format!("{column} BETWEEN {minimum} AND {maximum}");
    }
    let conditions: Vec<String> = [
        (">=", range.minimum),
        (">", range.exclusive_minimum),
        ("<=", range.maximum),
        ("<", range.exclusive_maximum),
    ]
    .into_iter()
    .filter_map(|(sign, bound)| bound.map(|bound| format!("{column} {sign} {bound}")))
    .collect();
    conditions.join(" AND ")
}

fn decimals(column: &str, range: &DecimalRange) -> String {
    let bounds: Vec<String> = range
        .bounds()
        .map(|(tag, bound)| {
            let sign = match tag {
                "minimum" => ">=",
                "exclusiveMinimum" => ">",
                "maximum" => "<=",
                _ => "<",
            };
            format!("{column} {sign} {bound}")
        })
        .collect();
    bounds.join(" AND ")
}

/// Formats a string, number, boolean or `bigint` as an SQL literal.
pub fn literal(value: &LiteralValue) -> String {
    match value {
        LiteralValue::String(value) => string_literal(value),
        LiteralValue::Number(value) => value.to_string(),
        LiteralValue::Boolean(value) => value.to_string(),
        LiteralValue::BigInt(digits) => digits.clone(),
    }
}
