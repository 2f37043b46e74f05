//! Reader of options of `createApp` whose values consist of literals, such as `compression` and `etag`.
//!
//! As for `cors`, the reader reports nothing: only a generated Rust server needs a value that the compiler can read.

use oxc_ast::ast::{ArrayExpressionElement, Expression, ObjectPropertyKind};
use serde_json::{Map, Number, Value};

use super::Located;
use super::expression::{MAX_CHAIN, Resolved, boolean, follow, number, string};
use crate::lower::Lowering;

/// Greatest whole number that every `f64` up to it has exactly.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// Result of reading an option that consists of literals.
pub(super) enum Read {
    /// The option is `false`.
    Off,
    /// The option is on, with its value. The value is `None` if a part of it is known only when the
    /// application runs.
    On(Option<Value>),
}

pub(super) fn read<'a>(lowering: &mut Lowering<'a>, option: Located<'a>) -> Read {
    match value(lowering, option, 0) {
        Some(Value::Bool(false)) => Read::Off,
        value => Read::On(value),
    }
}

/// Returns the value of an option. In an object, a property whose value is known only when the application runs is `null`.
/// Returns `None` if the whole value, or the name of a property, is known only when the application runs.
pub(super) fn read_members<'a>(lowering: &mut Lowering<'a>, option: Located<'a>) -> Option<Value> {
    if let Some(value) = value(lowering, option, 0) {
        return Some(value);
    }
    let Resolved::Expression(found, _) = follow(lowering, option) else {
        return None;
    };
    let Expression::ObjectExpression(object) = found.expression else {
        return None;
    };
    let mut members = Map::new();
    for property in &object.properties {
        match property {
            ObjectPropertyKind::ObjectProperty(property) => {
                let name = property.key.static_name()?.into_owned();
                let read = value(lowering, found.with(&property.value), 1);
                members.insert(name, read.unwrap_or_default());
            }
            ObjectPropertyKind::SpreadProperty(spread) => {
                let Value::Object(inner) = value(lowering, found.with(&spread.argument), 1)? else {
                    return None;
                };
                members.extend(inner);
            }
        }
    }
    Some(Value::Object(members))
}

/// Returns the value of an expression. `depth` is the number of arrays and objects that enclose the
/// expression. It has a maximum, because a constant may contain itself.
fn value<'a>(lowering: &mut Lowering<'a>, located: Located<'a>, depth: usize) -> Option<Value> {
    if depth >= MAX_CHAIN {
        return None;
    }
    if let Some(flag) = boolean(lowering, located) {
        return Some(Value::Bool(flag));
    }
    if let Some(text) = string(lowering, located) {
        return Some(Value::String(text.into_owned()));
    }
    if let Some(number) = number(lowering, located) {
        return number_value(number);
    }
    let Resolved::Expression(found, _) = follow(lowering, located) else {
        return None;
    };
    match found.expression {
        Expression::ArrayExpression(array) => {
            let mut list = Vec::new();
            for element in &array.elements {
                if let ArrayExpressionElement::SpreadElement(spread) = element {
                    let Value::Array(inner) = value(lowering, found.with(&spread.argument), depth + 1)?
                    else {
                        return None;
                    };
                    list.extend(inner);
                } else {
                    list.push(value(lowering, found.with(element.as_expression()?), depth + 1)?);
                }
            }
            Some(Value::Array(list))
        }
        Expression::ObjectExpression(object) => {
            let mut members = Map::new();
            for property in &object.properties {
                match property {
                    ObjectPropertyKind::ObjectProperty(property) => {
                        let name = property.key.static_name()?.into_owned();
                        members.insert(name, value(lowering, found.with(&property.value), depth + 1)?);
                    }
                    ObjectPropertyKind::SpreadProperty(spread) => {
                        let Value::Object(inner) = value(lowering, found.with(&spread.argument), depth + 1)?
                        else {
                            return None;
                        };
                        members.extend(inner);
                    }
                }
            }
            Some(Value::Object(members))
        }
        _ => None,
    }
}

/// Returns a number as JSON. A whole number becomes an integer (`10`, not `10.0`).
fn number_value(number: f64) -> Option<Value> {
    if number.fract() == 0.0 && number.abs() <= MAX_SAFE {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the number is whole and in the range"
        )]
        return Some(Value::from(number as i64));
    }
    Number::from_f64(number).map(Value::Number)
}
