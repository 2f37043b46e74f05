//! Rules of strings, numbers and other values without properties or items.

use kit_analysis::Fit;
use kit_ir::{Constraints, TypeId, TypeKind};
use serde_json::Value;

use super::rules::{Rule, Rules, ValueOrigin};
use crate::samples::{numbers, strings};

impl Rules<'_> {
    pub(super) fn scalar(&self, id: TypeId) -> Vec<Rule> {
        let r#type = &self.program.types[id];
        let constraints = &r#type.constraints;
        let rules = match &r#type.kind {
            TypeKind::String => self.text(id, constraints),
            TypeKind::Number => number(constraints),
            TypeKind::Boolean => vec![Rule::takes("false", Value::from(false))],
            TypeKind::Date => vec![Rule::refuses(
                "a date that does not exist",
                Value::from("2026-02-30T12:00:00Z"),
            )],
            TypeKind::Bytes => vec![Rule::refuses("not base64", Value::from("a?")).runtime_only()],
            TypeKind::BigInt => bigint(constraints),
            _ => Vec::new(),
        };
        rules.into_iter().filter(|rule| self.can_be_sent(rule)).collect()
    }

    /// Returns true if a request can contain the value. A path cannot contain empty segments, and clients resolve
    /// `.` and `..`.
    fn can_be_sent(&self, rule: &Rule) -> bool {
        let super::rules::RequestValue::Value(Value::String(text)) = &rule.given else {
            return true;
        };
        self.source != ValueOrigin::Params || !matches!(text.as_str(), "" | "." | "..")
    }

    fn text(&self, id: TypeId, constraints: &Constraints) -> Vec<Rule> {
        let mut rules = texts(constraints);
        // Keep a refused string only if it breaks exactly one rule. With two, it would test neither of them.
        rules.retain(|rule| match &rule.given {
            super::rules::RequestValue::Value(value) => rule.is_refusal() || self.fit(id, value) != Fit::No,
            _ => true,
        });
        rules
    }
}

/// Returns strings that satisfy or break the rules of strings.
pub(super) fn texts(constraints: &Constraints) -> Vec<Rule> {
    let mut rules = Vec::new();
    let at = |length: u64| strings::with_length(constraints, length).map(Value::from);
    if let Some(least) = constraints.min_length {
        if let Some(value) = at(least) {
            rules.push(Rule::takes(format!("{} (minimum)", characters(least)), value));
        }
        if let Some((short, value)) = least.checked_sub(1).and_then(|short| Some((short, at(short)?))) {
            let what = format!("{} (minimum {least})", characters(short));
            rules.push(Rule::refuses(what, value));
        }
    }
    if let Some(most) = constraints.effective_max_length() {
        if let Some(value) = at(most) {
            rules.push(Rule::takes(format!("{} (maximum)", characters(most)), value));
        }
        if let Some(value) = strings::astral_characters(constraints, most) {
            let what = format!("{most} characters of two UTF-16 units");
            rules.push(Rule::takes(what, Value::from(value)));
        }
        if let Some(value) = at(most + 1) {
            let what = format!("{} (maximum {most})", characters(most + 1));
            rules.push(Rule::refuses(what, value));
        }
    }
    if let Some(format) = constraints.format {
        for text in strings::invalid_strings(format) {
            let length = text.chars().count() as u64;
            let fits_bounds = constraints.min_length.is_none_or(|least| length >= least)
                && constraints
                    .effective_max_length()
                    .is_none_or(|most| length <= most);
            if fits_bounds {
                let what = format!("not a valid {}", format.name());
                rules.push(Rule::refuses(what, Value::from(text)).runtime_only());
            }
        }
    }
    if let Some(pattern) = &constraints.pattern {
        rules.extend(breaks_pattern(constraints, pattern));
    }
    rules
}

/// Returns a string with a valid length that does not match the pattern.
fn breaks_pattern(constraints: &Constraints, pattern: &str) -> Option<Rule> {
    let length = constraints.min_length.unwrap_or(1).max(1);
    let length = usize::try_from(length).ok().filter(|length| *length < 1000)?;
    let characters = ["!", " ", "~", "A", "a", "0", "é", "-"];
    let mut texts = characters.iter().map(|character| character.repeat(length));
    let text = texts.find(|text| kit_pattern::matches(pattern, text) == Some(false))?;
    let what = format!("a string that does not match {pattern}");
    Some(Rule::refuses(what, Value::from(text)).runtime_only())
}

/// Returns the rules of a bigint. A bigint in a database column has 64 bits.
fn bigint(constraints: &Constraints) -> Vec<Rule> {
    let mut rules = vec![Rule::refuses("not an integer", Value::from("1.5")).runtime_only()];
    if constraints.is_bigint_column() {
        let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
        rules.extend([
            Rule::takes(
                format!("{least} (minimum of 64 bits)"),
                Value::from(least.to_string()),
            ),
            Rule::takes(
                format!("{most} (maximum of 64 bits)"),
                Value::from(most.to_string()),
            ),
            Rule::refuses(
                format!("{} (minimum {least})", least - 1),
                Value::from((least - 1).to_string()),
            ),
            Rule::refuses(
                format!("{} (maximum {most})", most + 1),
                Value::from((most + 1).to_string()),
            ),
        ]);
    }
    rules
}

fn number(constraints: &Constraints) -> Vec<Rule> {
    numbers::boundary_numbers(constraints)
        .into_iter()
        .filter_map(|(what, number)| {
            let value = numbers::json(number);
            if numbers::satisfies(constraints, number) {
                return Some(Rule::takes(what, value));
            }
            // Keep a refused number only if it breaks exactly one rule. With two, it would test neither of them.
            (broken(constraints, number) == 1).then(|| Rule::refuses(what, value))
        })
        .collect()
}

/// Returns the number of rules that a number breaks.
fn broken(constraints: &Constraints, number: f64) -> usize {
    let none = Constraints::default;
    [
        Constraints {
            minimum: constraints.minimum,
            ..none()
        },
        Constraints {
            maximum: constraints.maximum,
            ..none()
        },
        Constraints {
            exclusive_minimum: constraints.exclusive_minimum,
            ..none()
        },
        Constraints {
            exclusive_maximum: constraints.exclusive_maximum,
            ..none()
        },
        Constraints {
            multiple_of: constraints.multiple_of,
            ..none()
        },
        Constraints {
            integer: constraints.integer,
            ..none()
        },
    ]
    .iter()
    .filter(|rule| !numbers::satisfies(rule, number))
    .count()
}

fn characters(count: u64) -> String {
    if count == 1 {
        "1 character".to_owned()
    } else {
        format!("{count} characters")
    }
}
