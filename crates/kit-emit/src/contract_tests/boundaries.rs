//! Values that satisfy or break a rule of strings, numbers and bigints. Most values are at a bound. The tests compare
//! them with `conformance/boundaries.json`, which the validators of every runtime pass too.

use kit_analysis::{Sample, numbers, samples};
use kit_ir::{Constraints, Decimal, Digits};
use serde_json::Value;

use super::rule::{RequestValue, Rule};
use crate::samples::strings;

/// Maximum number of broken strings for a format.
const BROKEN_STRINGS: usize = 2;

/// Returns a rule that expects a refusal of the first invalid value in a sample.
pub(super) fn breaks(description: &str, sample: &Sample) -> Option<Rule> {
    let first = sample.broken.first()?;
    Some(Rule::refuses(description, first.clone()))
}

/// Returns strings for tests: strings that satisfy the rules, and strings that break a rule.
pub(super) fn texts(constraints: &Constraints) -> Vec<Rule> {
    let mut rules = Vec::new();
    let at = |length: u64| strings::with_length(constraints, length).map(Value::from);
    if let Some(least) = constraints.min_length {
        if let Some(value) = at(least) {
            rules.push(Rule::accepts(format!("{} (minimum)", characters(least)), value));
        }
        if let Some((short, value)) = least.checked_sub(1).and_then(|short| Some((short, at(short)?))) {
            let description = format!("{} (minimum {least})", characters(short));
            rules.push(Rule::refuses(description, value));
        }
    }
    if let Some(most) = constraints.effective_max_length() {
        if let Some(value) = at(most) {
            rules.push(Rule::accepts(format!("{} (maximum)", characters(most)), value));
        }
        if let Some(value) = strings::astral_characters(constraints, most) {
            let description = format!("{most} characters of two UTF-16 units");
            rules.push(Rule::accepts(description, Value::from(value)));
        }
        if let Some(value) = at(most + 1) {
            let description = format!("{} (maximum {most})", characters(most + 1));
            rules.push(Rule::refuses(description, value));
        }
    }
    if let Some(format) = constraints.format {
        let broken = &samples().of_format(format).broken;
        let broken = broken.iter().filter(|value| {
            let text = value.as_str();
            text.is_some_and(|text| constraints.allows_length(text))
        });
        rules.extend(broken.take(BROKEN_STRINGS).map(|value| {
            let description = format!("not a valid {}", format.name());
            Rule::refuses(description, value.clone()).runtime_only()
        }));
    }
    if let Some(digits) = constraints.digits {
        rules.extend(decimals(constraints, digits));
    }
    if let Some(pattern) = &constraints.pattern {
        rules.extend(breaks_pattern(constraints, pattern));
    }
    rules
}

/// Returns decimal numbers for tests: the greatest number, numbers with one digit too many before and after the point, and
/// numbers at the bounds.
fn decimals(constraints: &Constraints, digits: Digits) -> Vec<Rule> {
    let (before, after) = (digits.precision - digits.scale, digits.scale);
    let nines = |count: u32| "9".repeat(count as usize);
    let whole = if before == 0 {
        "0".to_owned()
    } else {
        nines(before)
    };
    let fraction = if after == 0 {
        String::new()
    } else {
        format!(".{}", nines(after))
    };
    let greatest = format!("{whole}{fraction}");
    let mut rules = Vec::new();
    if let Some(range) = &constraints.decimal_range
        && let Some((least, most)) = digits.limits(range)
    {
        let lower = range.minimum.is_some() || range.exclusive_minimum.is_some();
        let upper = range.maximum.is_some() || range.exclusive_maximum.is_some();
        for (bound, beyond, name, is_set) in [
            (least, least - 1, "minimum", lower),
            (most, most + 1, "maximum", upper),
        ] {
            let (bound, beyond) = (digits.text(bound), digits.text(beyond));
            if is_set && digits.allow(&beyond) {
                rules.push(Rule::accepts(
                    format!("{bound} ({name})"),
                    Value::from(bound.clone()),
                ));
                let description = format!("{beyond} ({name} {bound})");
                rules.push(Rule::refuses(description, Value::from(beyond)).runtime_only());
            }
        }
    }
    let count_of = |count: u32| {
        if count == 1 {
            "1 digit".to_owned()
        } else {
            format!("{count} digits")
        }
    };
    if constraints.allows_decimal(&greatest) == Some(true) {
        rules.push(Rule::accepts(
            format!(
                "{} before and {after} after the point (maximum)",
                count_of(before)
            ),
            Value::from(greatest),
        ));
    }
    rules.extend([
        Rule::refuses(
            format!("{} before the point (maximum {before})", count_of(before + 1)),
            Value::from(format!("1{}", "0".repeat(before as usize))),
        )
        .runtime_only(),
        Rule::refuses(
            format!("{} after the point (maximum {after})", count_of(after + 1)),
            Value::from(format!("0.{}1", "0".repeat(after as usize))),
        )
        .runtime_only(),
    ]);
    rules
}

/// Returns a string with a valid length that does not match the pattern.
fn breaks_pattern(constraints: &Constraints, pattern: &str) -> Option<Rule> {
    let length = constraints.min_length.unwrap_or(1).max(1);
    let length = usize::try_from(length).ok().filter(|length| *length < 1000)?;
    let characters = samples().excluded_characters.iter();
    let mut texts = characters.map(|character| character.repeat(length));
    let text = texts.find(|text| kit_pattern::matches(pattern, text) == Some(false))?;
    let description = match constraints.decimal_words() {
        Some(words) => format!("a string that is not {}", words.trim_start_matches("with ")),
        None => format!("a string that does not match {pattern}"),
    };
    Some(Rule::refuses(description, Value::from(text)).runtime_only())
}

/// Returns bigints for tests: bigints that satisfy the rules, and bigints that break a rule. A bigint in a
/// database column has at most 64 bits.
pub(super) fn bigints(constraints: &Constraints) -> Vec<Rule> {
    let mut rules: Vec<_> = breaks("not an integer", &samples().types.bigint)
        .map(Rule::runtime_only)
        .into_iter()
        .collect();
    if constraints.is_bigint_column() {
        let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
        for (bound, beyond, name) in [(least, least - 1, "minimum"), (most, most + 1, "maximum")] {
            let value = |number: i128| Value::from(number.to_string());
            rules.push(Rule::accepts(
                format!("{bound} ({name} of 64 bits)"),
                value(bound),
            ));
            rules.push(Rule::refuses(format!("{beyond} ({name} {bound})"), value(beyond)));
        }
        return rules;
    }
    let whole = Constraints {
        integer: true,
        ..constraints.clone()
    };
    rules.extend(plain_numbers(&whole).into_iter().filter_map(|rule| {
        let RequestValue::Value(Value::Number(number)) = &rule.given else {
            return None;
        };
        // Fractions and numbers beyond the exact range break rules of numbers, not of bigints.
        let number = number.as_i64()?;
        #[allow(clippy::cast_precision_loss)] // the bound is compared with a rounded number, which is greater
        let is_exact = (number as f64).abs() <= numbers::MAX_SAFE;
        is_exact.then(|| Rule {
            given: RequestValue::Value(Value::from(number.to_string())),
            ..rule
        })
    }));
    rules
}

/// Returns numbers for tests: numbers that satisfy the rules, and numbers that break a rule.
pub(super) fn plain_numbers(constraints: &Constraints) -> Vec<Rule> {
    let rule = |(description, number): (String, f64)| {
        let value = numbers::json(number);
        match numbers::broken_rules(constraints, number).as_slice() {
            [] => Some(Rule::accepts(description, value)),
            [_] => Some(Rule::refuses(description, value)),
            // With two broken rules, the number would test neither of them.
            _ => None,
        }
    };
    at_bounds(constraints).into_iter().filter_map(rule).collect()
}

/// Returns the numbers at, just below and just above each bound, with a description of each.
fn at_bounds(rules: &Constraints) -> Vec<(String, f64)> {
    let step = numbers::step(rules);
    let is_stepped = rules.integer || rules.multiple_of.is_some();
    let mut found: Vec<(String, f64)> = Vec::new();
    let mut add = |description: String, number: f64| {
        let is_new = !found.iter().any(|(_, other)| (other - number).abs() == 0.0);
        // The multiples of a step are exact up to this number.
        let is_exact = rules.multiple_of.is_none() || (number / step).abs() <= numbers::MAX_SAFE;
        if is_new && is_exact && number.is_finite() {
            found.push((description, number));
        }
    };
    if let Some(bound) = rules.minimum {
        let at = bound.get();
        // If the bound is not a multiple of the step, the next multiple keeps the rule, and the previous one breaks it.
        let (least, below) = if is_stepped {
            (
                numbers::first_multiple(at, step),
                numbers::multiple_below(at, step),
            )
        } else {
            (at, at - step)
        };
        add(format!("{bound} (minimum)"), at);
        add(format!("{least} (smallest value, minimum {bound})"), least);
        add(format!("{below} (minimum {bound})"), below);
    }
    if let Some(bound) = rules.maximum {
        let at = bound.get();
        let (greatest, above) = if is_stepped {
            (
                numbers::last_multiple(at, step),
                numbers::multiple_above(at, step),
            )
        } else {
            (at, at + step)
        };
        add(format!("{bound} (maximum)"), at);
        add(format!("{greatest} (greatest value, maximum {bound})"), greatest);
        add(format!("{above} (maximum {bound})"), above);
    }
    if let Some(bound) = rules.exclusive_minimum {
        add(format!("{bound} (exclusive minimum)"), bound.get());
        let above = numbers::multiple_above(bound.get(), step);
        add(format!("{above} (exclusive minimum {bound})"), above);
    }
    if let Some(bound) = rules.exclusive_maximum {
        add(format!("{bound} (exclusive maximum)"), bound.get());
        let below = numbers::multiple_below(bound.get(), step);
        add(format!("{below} (exclusive maximum {bound})"), below);
    }
    let middle = numbers::candidates(rules)
        .into_iter()
        .find(|number| numbers::broken_rules(rules, *number).is_empty())
        .unwrap_or(0.0);
    if rules.integer {
        add(format!("{} (not an integer)", middle + 0.5), middle + 0.5);
        // Add an integer beyond the exact range, if the bounds allow it.
        let beyond = numbers::MAX_SAFE + 1.0;
        add("2^53 (not a safe integer)".to_owned(), beyond);
        add("-2^53 (not a safe integer)".to_owned(), -beyond);
    }
    if let Some(divisor) = rules.multiple_of.map(Decimal::get) {
        let between = middle + if rules.integer { 1.0 } else { divisor / 2.0 };
        add(format!("{between} (not a multiple of {divisor})"), between);
    }
    found
}

fn characters(count: u64) -> String {
    if count == 1 {
        "1 character".to_owned()
    } else {
        format!("{count} characters")
    }
}

#[cfg(test)]
mod tests {
    use kit_analysis::{Fit, fit};
    use kit_ir::{DecimalRange, Program, TypeKind};

    use super::*;
    use crate::contract_tests::rules::{Rules, ValueOrigin};
    use crate::samples::{SampleOptions, Samples};

    /// Returns the values of rules, sorted.
    fn values<'a>(rules: impl Iterator<Item = &'a Rule>) -> Vec<String> {
        let mut found: Vec<_> = rules
            .map(|rule| match &rule.given {
                RequestValue::Value(value) => value.to_string(),
                other => panic!("{other:?} is no value at a bound"),
            })
            .collect();
        found.sort();
        found
    }

    fn printed<'a>(values: impl Iterator<Item = &'a Value>) -> Vec<String> {
        let mut found: Vec<_> = values.map(Value::to_string).collect();
        found.sort();
        found
    }

    #[test]
    fn decimal_numbers_have_values_with_the_most_digits_and_one_more() {
        for (precision, scale, accepted, refused) in [
            (4, 2, "99.99", ["100", "0.001", "!"]),
            (2, 2, "0.99", ["1", "0.001", "!"]),
            (3, 0, "999", ["1000", "0.1", "!"]),
        ] {
            let rules = texts(&Constraints::of_digits(Digits::new(precision, scale).unwrap()));
            let (no, yes): (Vec<&Rule>, Vec<&Rule>) = rules.iter().partition(|rule| rule.is_refusal());
            assert_eq!(values(yes.into_iter()), [format!("\"{accepted}\"")]);
            let mut expected = refused.map(|text| format!("\"{text}\""));
            expected.sort();
            assert_eq!(values(no.into_iter()), expected);
        }
    }

    #[test]
    fn decimal_numbers_with_bounds_have_values_at_and_beyond_the_bounds() {
        let mut price = Constraints::of_digits(Digits::new(4, 2).unwrap());
        price.decimal_range = Some(Box::new(DecimalRange {
            exclusive_minimum: Some("0".to_owned()),
            maximum: Some("50".to_owned()),
            ..DecimalRange::default()
        }));
        let rules = texts(&price);
        let (no, yes): (Vec<&Rule>, Vec<&Rule>) = rules.iter().partition(|rule| rule.is_refusal());
        assert_eq!(values(yes.into_iter()), ["\"0.01\"", "\"50.00\""]);
        assert_eq!(
            values(no.into_iter()),
            ["\"!\"", "\"0.00\"", "\"0.001\"", "\"100\"", "\"50.01\""]
        );
    }

    /// Returns true for a string, except for the sample string of the rule about the JSON type.
    fn is_text(value: &Value) -> bool {
        value.is_string() && *value != samples().json_types["string"]
    }

    #[test]
    fn contract_tests_send_exactly_the_values_of_the_conformance_cases() {
        let vectors: Value =
            serde_json::from_str(include_str!("../../../../conformance/boundaries.json")).unwrap();
        let cases = vectors["cases"].as_array().unwrap();
        for case in cases {
            let mut program = Program::default();
            let item = program.add_type(TypeKind::Number);
            let (kind, is_own): (_, fn(&Value) -> bool) = match case["type"].as_str().unwrap() {
                "string" => (TypeKind::String, is_text),
                "number" => (TypeKind::Number, Value::is_number),
                "bigint" => (TypeKind::BigInt, is_text),
                "array" => (TypeKind::Array { element: item }, Value::is_array),
                other => panic!("{other}"),
            };
            let id = program.add_type(kind);
            program.types[id].constraints = serde_json::from_value(case["rules"].clone()).unwrap();
            let sample = Samples::new(&program).sample(id, &SampleOptions::named("value"));
            let rules = Rules::new(&program, ValueOrigin::Body).of_slot(id, &sample.unwrap());
            let has_format = case["rules"].get("format").is_some();
            let own = rules.iter().filter(|rule| {
                let given = match &rule.given {
                    RequestValue::Value(value) => is_own(value),
                    _ => false,
                };
                rule.path.is_empty() && given && !(has_format && rule.runtime_only)
            });
            let (refused, accepted): (Vec<_>, Vec<_>) = own.partition(|rule| rule.is_refusal());
            let kept = case["kept"].as_array().unwrap();
            let broken = case["broken"].as_object().unwrap().values();
            let broken: Vec<&Value> = broken.flat_map(|list| list.as_array().unwrap()).collect();
            assert_eq!(
                values(accepted.into_iter()),
                printed(kept.iter()),
                "accepted by {case}"
            );
            assert_eq!(
                values(refused.into_iter()),
                printed(broken.iter().copied()),
                "refused by {case}"
            );
            for value in kept {
                assert_ne!(fit(&program, id, value), Fit::No, "{value} keeps {case}");
            }
            for value in broken {
                assert_ne!(fit(&program, id, value), Fit::Yes, "{value} breaks {case}");
            }
        }
        assert!(cases.len() > 20, "{} cases", cases.len());
    }
}
