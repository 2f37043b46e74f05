//! Rules of a type as doc tags.

use kit_ir::{Constraints, Decimal};

/// Returns each rule of a type as the doc tag that declares the rule, such as `@maxLength 10`. Leaves out the digits of a
/// `Decimal<P, S>` and the range of a bigint column, which no tag declares.
///
/// ```
/// use kit_ir::Constraints;
///
/// let rules = Constraints { max_length: Some(10), unique_items: true, ..Constraints::default() };
/// assert_eq!(kit_analysis::rule_tags(&rules), ["@maxLength 10", "@uniqueItems"]);
/// ```
pub fn rule_tags(rules: &Constraints) -> Vec<String> {
    let mut tags = Vec::new();
    let mut add = |name: &str, value: Option<String>| {
        tags.extend(value.map(|value| format!("@{name} {value}").trim_end().to_owned()));
    };
    let count = |count: Option<u64>| count.map(|count| count.to_string());
    let flag = |is_set: bool| is_set.then(String::new);
    add("minLength", count(rules.min_length));
    add("maxLength", count(rules.max_length));
    add("format", rules.format.map(|format| format.name().to_owned()));
    if rules.digits.is_some() {
        // The digits and the bounds of a decimal number are its pattern.
        let bounds = rules.decimal_range.iter().flat_map(|range| range.bounds());
        for (name, bound) in bounds {
            add(name, Some(bound.to_owned()));
        }
    } else {
        add("pattern", rules.pattern.clone());
    }
    let is_column = rules.is_bigint_column();
    let bound = |bound: Option<Decimal>| bound.filter(|_| !is_column).map(|bound| bound.to_string());
    add("minimum", bound(rules.minimum));
    add("maximum", bound(rules.maximum));
    add("exclusiveMinimum", bound(rules.exclusive_minimum));
    add("exclusiveMaximum", bound(rules.exclusive_maximum));
    add("multipleOf", rules.multiple_of.map(|step| step.to_string()));
    add("integer", flag(rules.integer));
    add("minItems", count(rules.min_items));
    add("maxItems", count(rules.max_items));
    add("uniqueItems", flag(rules.unique_items));
    tags
}
