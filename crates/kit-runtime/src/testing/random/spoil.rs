//! Wrong values in the place of valid ones.

use serde_json::{Value, json};

use super::Random;
use crate::testing::values::{Step, placed};

/// Length of a text that is too long for most rules.
const LONG: usize = 300;

/// Returns a value in which another value takes the place of a random one. The new value often breaks a rule; the caller checks this.
pub(super) fn changed(value: &Value, random: &mut Random) -> Option<Value> {
    let places = places(value);
    let steps = random.pick(&places)?;
    let before = steps.iter().try_fold(value, |inner, step| match step {
        Step::Key(key) => inner.get(key),
        Step::Index(index) => inner.get(index),
    })?;
    let other = other(before, random);
    if other.is_none() && !matches!(steps.last(), Some(Step::Key(_))) {
        return None;
    }
    placed(Some(value.clone()), steps, other)
}

/// Returns the paths of all values inside of a value, and of the value itself.
fn places(value: &Value) -> Vec<Vec<Step>> {
    let mut found = vec![Vec::new()];
    let mut add = |step: Step, inner: &Value| {
        for mut path in places(inner) {
            path.insert(0, step.clone());
            found.push(path);
        }
    };
    match value {
        Value::Object(members) => {
            for (key, inner) in members {
                add(Step::Key(key.clone()), inner);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                add(Step::Index(index), inner);
            }
        }
        _ => {}
    }
    found
}

/// Returns another value in place of a value. `None` stands for a missing property.
fn other(value: &Value, random: &mut Random) -> Option<Value> {
    let all = [
        Value::Null,
        json!(true),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(""),
        json!("no value"),
        json!("x".repeat(LONG)),
        json!([]),
        json!({}),
    ];
    match random.below(4) {
        0 => None,
        1 => Some(larger(value)),
        _ => random.pick(&all).cloned(),
    }
}

/// Returns a value of the same kind that exceeds more bounds: a longer text, a larger number, a list with each item twice.
fn larger(value: &Value) -> Value {
    match value {
        Value::String(text) => format!("{text}{}", "x".repeat(LONG)).into(),
        Value::Number(number) => json!(number.as_f64().unwrap_or_default() * 2.0 + 1e9),
        Value::Array(items) => items.iter().chain(items).cloned().collect(),
        Value::Object(_) => Value::Null,
        Value::Null | Value::Bool(_) => json!("true"),
    }
}
