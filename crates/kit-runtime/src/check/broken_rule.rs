//! Finds the first rule that a value breaks, so that a client's program can react to it.
//! `packages/core/src/codec/broken-rule.ts` implements the same in TypeScript.

use std::cmp::Ordering;

use serde_json::Value;

use super::rule::Rule;
use super::rules::{self, has_format};
use crate::bigint::{BigInt, MAX_CHARACTERS};
use crate::decimal_text::compare_decimals;
use crate::json::Json;
use crate::shape::{Array, DecimalBounds, Literal, MAX_DEPTH, Number, Shape, Text, Tuple};

/// A rule that a value breaks, such as `minLength` with the argument 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BrokenRule {
    /// Name of the rule.
    pub rule: Rule,
    /// Argument of the rule in the contract: 1 for `@minLength 1`. `None` if the rule has no argument.
    pub limit: Option<Value>,
}

impl BrokenRule {
    /// Creates a broken rule without an argument.
    pub(crate) fn new(rule: Rule) -> Self {
        Self { rule, limit: None }
    }

    /// Creates a broken rule with its argument.
    pub(crate) fn with_limit(rule: Rule, limit: impl Into<Value>) -> Self {
        let limit = Some(limit.into());
        Self { rule, limit }
    }
}

/// Maximum number of values in the argument of `enum`. A longer list is omitted, because every failure would repeat
/// it in the response.
const MAX_VALUES: usize = 50;

/// Regular expression of a bigint in JSON. The OpenAPI document contains the same expression.
const DIGITS: &str = "^-?[0-9]+$";

/// Returns the first rule of a shape that a value breaks: first the type, then the rules in the order in which
/// `expected` of the failure lists them. The value must not fit the shape.
pub(super) fn broken_rule(shape: &'static Shape, value: &Json) -> BrokenRule {
    broken_rule_of_value(shape.resolve(), value).unwrap_or_else(|| type_rule(&[shape.resolve()]))
}

/// Returns the rule that a value breaks if the value fits none of these shapes.
pub(super) fn broken_rule_of_union(shapes: &[&'static Shape], value: &Json) -> BrokenRule {
    let mut members = Vec::new();
    for shape in shapes {
        add_members(shape, &mut members);
    }
    union_rule(&members, value)
}

/// Returns the rule that a value breaks. Returns `None` if the failure is inside of the value: in an item or a
/// property.
fn broken_rule_of_value(shape: &'static Shape, value: &Json) -> Option<BrokenRule> {
    match (shape, value) {
        (Shape::Unknown, _) => Some(BrokenRule::with_limit(Rule::MaxDepth, MAX_DEPTH)),
        (Shape::Never, _) => Some(BrokenRule::new(Rule::Unknown)),
        (Shape::Literal(literal), _) => Some(BrokenRule::with_limit(Rule::Const, literal_limit(*literal))),
        (Shape::Union(_), value) => Some(broken_rule_of_union(&[shape], value)),
        (shape, value) if !is_of_type(shape, value) => Some(type_rule(&[shape])),
        (Shape::Date, _) => Some(BrokenRule::with_limit(Rule::Format, "date-time")),
        (Shape::Bytes, _) => Some(BrokenRule::with_limit(Rule::ContentEncoding, "base64")),
        (Shape::Text(rules), Json::String(text)) => text_rule(rules, text),
        (Shape::Number(rules), Json::Number(number)) => number_rule(rules, *number),
        (Shape::BigInt(rules), value) => bigint_rule(rules, value),
        (Shape::Array(rules), Json::Array(items)) => items_rule(rules, items),
        (Shape::Tuple(tuple), Json::Array(items)) => length_rule(tuple, items.len()),
        _ => None,
    }
}

fn text_rule(rules: &Text, text: &str) -> Option<BrokenRule> {
    if let Some(template) = rules.template.filter(|template| !template.is_match(text)) {
        return Some(BrokenRule::with_limit(Rule::Template, template.source()));
    }
    let length = if rules.min_length.is_none() && rules.max_length.is_none() {
        0
    } else {
        text.chars().count()
    };
    if let Some(least) = rules.min_length.filter(|least| length < *least) {
        return Some(BrokenRule::with_limit(Rule::MinLength, least));
    }
    if let Some(most) = rules.max_length.filter(|most| length > *most) {
        return Some(BrokenRule::with_limit(Rule::MaxLength, most));
    }
    if let Some(format) = rules.format.filter(|format| !has_format(*format, text)) {
        return Some(BrokenRule::with_limit(Rule::Format, format.name()));
    }
    let pattern = rules.pattern.filter(|pattern| !pattern.is_match(text))?;
    Some(match rules.words {
        None => BrokenRule::with_limit(Rule::Pattern, pattern.source()),
        Some(_) => decimal_rule(&rules.bounds, text),
    })
}

/// Returns the broken rule of a decimal number as text: a bound, or else the digits.
fn decimal_rule(bounds: &DecimalBounds, text: &str) -> BrokenRule {
    let broken = |bound: Option<&'static str>, is_broken: fn(Ordering) -> bool| {
        bound.filter(|bound| compare_decimals(text, bound).is_some_and(is_broken))
    };
    if let Some(least) = broken(bounds.minimum, Ordering::is_lt) {
        BrokenRule::with_limit(Rule::Minimum, least)
    } else if let Some(most) = broken(bounds.maximum, Ordering::is_gt) {
        BrokenRule::with_limit(Rule::Maximum, most)
    } else if let Some(least) = broken(bounds.exclusive_minimum, Ordering::is_le) {
        BrokenRule::with_limit(Rule::ExclusiveMinimum, least)
    } else if let Some(most) = broken(bounds.exclusive_maximum, Ordering::is_ge) {
        BrokenRule::with_limit(Rule::ExclusiveMaximum, most)
    } else {
        BrokenRule::with_limit(Rule::Format, "decimal")
    }
}

fn number_rule(rules: &Number, number: f64) -> Option<BrokenRule> {
    if rules.integer && number.is_finite() && number.fract() != 0.0 {
        return Some(BrokenRule::with_limit(Rule::Type, "integer"));
    }
    let compare = |bound: f64| number.partial_cmp(&bound).unwrap_or(Ordering::Equal);
    let is_multiple = |step| !number.is_finite() || rules::is_multiple_of(number, step);
    if let Some(broken) = bounds_rule(rules, compare, is_multiple) {
        return Some(broken);
    }
    let greatest = if rules.integer { rules::MAX_SAFE } else { f64::MAX };
    if number > greatest {
        return Some(BrokenRule::with_limit(Rule::Maximum, greatest));
    }
    (number < -greatest).then(|| BrokenRule::with_limit(Rule::Minimum, -greatest))
}

fn bigint_rule(rules: &Number, value: &Json) -> Option<BrokenRule> {
    let Some(number) = rules::bigint(value) else {
        let is_long = matches!(value, Json::String(text) if text.chars().count() > MAX_CHARACTERS);
        return Some(if is_long {
            BrokenRule::with_limit(Rule::MaxLength, MAX_CHARACTERS)
        } else {
            BrokenRule::with_limit(Rule::Pattern, DIGITS)
        });
    };
    // As doubles, the bounds of a 64-bit column would be reported with rounded digits: 9223372036854776000.
    if rules.is_bigint_column() && i64::try_from(&number).is_err() {
        let is_less = BigInt::compare(&number, 0.0) == Ordering::Less;
        return Some(if is_less {
            BrokenRule::with_limit(Rule::Minimum, "-9223372036854775808")
        } else {
            BrokenRule::with_limit(Rule::Maximum, "9223372036854775807")
        });
    }
    let is_multiple = |step| rules::is_bigint_multiple_of(&number, step);
    bounds_rule(rules, |bound| BigInt::compare(&number, bound), is_multiple)
}

fn bounds_rule(
    rules: &Number,
    compare: impl Fn(f64) -> Ordering,
    is_multiple: impl Fn(f64) -> bool,
) -> Option<BrokenRule> {
    let bounds: [(Rule, Option<f64>, &[Ordering]); 4] = [
        (Rule::Minimum, rules.minimum, &[Ordering::Less]),
        (Rule::Maximum, rules.maximum, &[Ordering::Greater]),
        (
            Rule::ExclusiveMinimum,
            rules.exclusive_minimum,
            &[Ordering::Less, Ordering::Equal],
        ),
        (
            Rule::ExclusiveMaximum,
            rules.exclusive_maximum,
            &[Ordering::Greater, Ordering::Equal],
        ),
    ];
    for (rule, bound, wrong) in bounds {
        if let Some(bound) = bound.filter(|bound| wrong.contains(&compare(*bound))) {
            return Some(BrokenRule::with_limit(rule, bound));
        }
    }
    let step = rules.multiple_of.filter(|step| !is_multiple(*step))?;
    Some(BrokenRule::with_limit(Rule::MultipleOf, step))
}

fn items_rule(rules: &Array, items: &[Json]) -> Option<BrokenRule> {
    if let Some(least) = rules.min_items.filter(|least| items.len() < *least) {
        return Some(BrokenRule::with_limit(Rule::MinItems, least));
    }
    if let Some(most) = rules.max_items.filter(|most| items.len() > *most) {
        return Some(BrokenRule::with_limit(Rule::MaxItems, most));
    }
    let is_broken = rules.unique_items && !rules::has_unique_items(items);
    is_broken.then(|| BrokenRule::new(Rule::UniqueItems))
}

fn length_rule(tuple: &Tuple, length: usize) -> Option<BrokenRule> {
    if length < tuple.min_items() {
        return Some(BrokenRule::with_limit(Rule::MinItems, tuple.min_items()));
    }
    let most = tuple.max_items().filter(|most| length > *most)?;
    Some(BrokenRule::with_limit(Rule::MaxItems, most))
}

/// Returns the rule that a value breaks if it fits no member of a union. A union of literals breaks `enum`. If
/// exactly one member has the type of the value, the client probably meant that member, so its rule is returned. In
/// all other cases the rule is `anyOf`.
fn union_rule(members: &[&'static Shape], value: &Json) -> BrokenRule {
    if members.is_empty() {
        return BrokenRule::new(Rule::Unknown);
    }
    let is_listed = |member: &&Shape| matches!(member, Shape::Literal(_) | Shape::Null | Shape::Boolean);
    let is_literal = |member: &&Shape| matches!(member, Shape::Literal(_));
    if members.iter().all(is_listed) && members.iter().any(is_literal) {
        return enum_rule(members);
    }
    let mut meant = members.iter().filter(|member| is_of_type(member, value));
    match (meant.next(), meant.next()) {
        (None, _) => type_rule(members),
        // A literal among other types is only one of several valid values, so its rule would mislead.
        (Some(only), None) if !is_literal(only) => {
            broken_rule_of_value(only, value).unwrap_or_else(|| BrokenRule::new(Rule::AnyOf))
        }
        _ => BrokenRule::new(Rule::AnyOf),
    }
}

/// Adds the members of a union to `found`. If a member is a union itself, adds the members of the inner
/// union. A shape that is not a union is added itself.
fn add_members(shape: &'static Shape, found: &mut Vec<&'static Shape>) {
    match shape.resolve() {
        Shape::Never => {}
        Shape::Union(union) => {
            for member in union.members {
                add_members(member, found);
            }
        }
        shape => found.push(shape),
    }
}

fn enum_rule(members: &[&'static Shape]) -> BrokenRule {
    let mut values: Vec<Value> = Vec::new();
    for member in members {
        let listed = match member {
            Shape::Literal(literal) => vec![literal_limit(*literal)],
            Shape::Boolean => vec![true.into(), false.into()],
            _ => vec![Value::Null],
        };
        for value in listed {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        if values.len() > MAX_VALUES {
            return BrokenRule::new(Rule::Enum);
        }
    }
    match values.pop() {
        Some(only) if values.is_empty() => BrokenRule::with_limit(Rule::Const, only),
        Some(last) => {
            values.push(last);
            BrokenRule::with_limit(Rule::Enum, values)
        }
        None => BrokenRule::new(Rule::Enum),
    }
}

fn literal_limit(literal: Literal) -> Value {
    match literal {
        Literal::Text(text) | Literal::BigInt(text) => text.into(),
        Literal::Number(number) => number.into(),
        Literal::Boolean(value) => value.into(),
    }
}

/// Returns the rule `type` with the names of all types that the shapes accept.
fn type_rule(shapes: &[&'static Shape]) -> BrokenRule {
    if let [only] = shapes {
        return BrokenRule::with_limit(Rule::Type, type_name(only));
    }
    let mut names: Vec<&str> = Vec::new();
    for shape in shapes {
        let name = type_name(shape);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.as_slice() {
        [only] => BrokenRule::with_limit(Rule::Type, *only),
        _ => BrokenRule::with_limit(Rule::Type, names),
    }
}

/// Returns the name that JSON Schema has for the type of a shape: `string`, `integer`.
fn type_name(shape: &Shape) -> &'static str {
    match shape {
        Shape::Null => "null",
        Shape::Boolean | Shape::Literal(Literal::Boolean(_)) => "boolean",
        Shape::Number(rules) if rules.integer => "integer",
        Shape::Number(_) | Shape::Literal(Literal::Number(_)) => "number",
        Shape::Array(_) | Shape::Tuple(_) => "array",
        Shape::Object(_) => "object",
        Shape::Unknown => "unknown",
        Shape::Never => "never",
        Shape::Union(_) => "union",
        Shape::Date
        | Shape::Bytes
        | Shape::Text(_)
        | Shape::BigInt(_)
        | Shape::Literal(_)
        | Shape::Reference(_)
        | Shape::Recursive(_) => "string",
    }
}

/// Returns true if a value has the type of a shape. Does not check the rules of the shape.
fn is_of_type(shape: &Shape, value: &Json) -> bool {
    match (shape, value) {
        (_, Json::TooDeep) => false,
        (Shape::Unknown, _)
        | (Shape::Array(_) | Shape::Tuple(_), Json::Array(_))
        | (Shape::Object(_), Json::Object(_))
        | (Shape::Number(_) | Shape::Literal(Literal::Number(_)), Json::Number(_))
        | (Shape::Boolean | Shape::Literal(Literal::Boolean(_)), Json::Bool(_))
        | (Shape::Null, Json::Null)
        | (
            Shape::Date
            | Shape::Bytes
            | Shape::Text(_)
            | Shape::BigInt(_)
            | Shape::Literal(Literal::Text(_) | Literal::BigInt(_)),
            Json::String(_),
        ) => true,
        (Shape::BigInt(_), value) => rules::bigint(value).is_some(),
        _ => false,
    }
}

#[cfg(test)]
// Each shape is declared next to the cases that use it.
#[allow(clippy::items_after_statements)]
mod tests {
    use super::{BrokenRule, broken_rule};
    use crate::json::{parse, to_text};
    use crate::shape::{Format, Property, Shape};

    /// Returns the name of the broken rule and its argument as JSON: `minLength 1`.
    fn rule_text(shape: &'static Shape, text: &str) -> String {
        let BrokenRule { rule, limit } = broken_rule(shape, &parse(text).unwrap());
        let limit = limit.map(|limit| format!(" {}", to_text(&limit).unwrap()));
        format!("{}{}", rule.name(), limit.unwrap_or_default())
    }

    #[test]
    fn reports_the_rule_of_the_only_union_member_with_the_type_of_the_value() {
        static NAME: Shape = Shape::union(&[Shape::TEXT.min_length(1), Shape::Null]);
        assert_eq!(rule_text(&NAME, r#""""#), "minLength 1");
        assert_eq!(rule_text(&NAME, "5"), r#"type ["string","null"]"#);

        static WIDTH: Shape = Shape::union(&[Shape::literal("auto"), Shape::NUMBER.minimum(0.0)]);
        assert_eq!(rule_text(&WIDTH, r#""wide""#), "anyOf");
        assert_eq!(rule_text(&WIDTH, "-1"), "minimum 0");

        static STATE: Shape = Shape::union(&[Shape::literal("on"), Shape::literal("off"), Shape::Null]);
        assert_eq!(rule_text(&STATE, "5"), r#"enum ["on","off",null]"#);
    }

    #[test]
    fn reports_a_bound_for_numbers_beyond_the_range_of_javascript() {
        static ANY: Shape = Shape::NUMBER;
        static WHOLE: Shape = Shape::INTEGER;
        static FEW: Shape = Shape::INTEGER.maximum(5.0);
        assert_eq!(rule_text(&ANY, "1e999"), "maximum 1.7976931348623157e+308");
        assert_eq!(rule_text(&WHOLE, "-1e999"), "minimum -9007199254740991");
        assert_eq!(rule_text(&WHOLE, "1e300"), "maximum 9007199254740991");
        assert_eq!(rule_text(&WHOLE, "1.5"), r#"type "integer""#);
        assert_eq!(rule_text(&FEW, "1e999"), "maximum 5");
    }

    #[test]
    fn reports_the_type_before_rules_and_lengths_before_formats() {
        static MAIL: Shape = Shape::TEXT.max_length(5).format(Format::Email);
        assert_eq!(rule_text(&MAIL, "5"), r#"type "string""#);
        assert_eq!(rule_text(&MAIL, r#""no address""#), "maxLength 5");
        assert_eq!(rule_text(&MAIL, r#""no""#), r#"format "email""#);
        static OBJECT: Shape = Shape::object("A", &[Property::required("a", Shape::TEXT)]);
        assert_eq!(rule_text(&OBJECT, "[]"), r#"type "object""#);
    }
}
