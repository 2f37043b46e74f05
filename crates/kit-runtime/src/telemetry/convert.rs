//! Converts JSON values to values of OpenTelemetry.

use opentelemetry::logs::AnyValue;
use serde_json::Value;

/// Converts the value of a span attribute: strings, numbers and booleans stay; null, arrays and objects become JSON
/// text.
pub(super) fn attribute(value: Value) -> opentelemetry::Value {
    match value {
        Value::Bool(value) => value.into(),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => number.as_f64().unwrap_or(f64::NAN).into(),
        },
        Value::String(text) => text.into(),
        value @ (Value::Null | Value::Array(_) | Value::Object(_)) => value.to_string().into(),
    }
}

/// Converts the value of a log field. Null becomes `None`, because OpenTelemetry has no null.
pub(super) fn field(value: &Value) -> Option<AnyValue> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(value) => AnyValue::Boolean(*value),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => AnyValue::Int(integer),
            None => AnyValue::Double(number.as_f64()?),
        },
        Value::String(text) => AnyValue::String(text.clone().into()),
        Value::Array(items) => AnyValue::ListAny(Box::new(items.iter().filter_map(field).collect())),
        Value::Object(members) => {
            let fields = members
                .iter()
                .filter_map(|(name, value)| Some((name.clone().into(), field(value)?)));
            AnyValue::Map(Box::new(fields.collect()))
        }
    })
}
