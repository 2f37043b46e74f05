//! Prints names, keys and values as TypeScript.

use kit_analysis::literal_source;
pub(crate) use kit_analysis::{is_identifier, string_literal as string, template_text as template};
use kit_ir::LiteralValue;
use serde_json::Value;

/// Returns the access to a property after an expression: `.title` or `["content-type"]`.
pub(crate) fn member(name: &str) -> String {
    if is_identifier(name) {
        format!(".{name}")
    } else {
        format!("[{}]", string(name))
    }
}

/// Returns a property's key for an object literal or an object type, quoted if needed.
pub(crate) fn key(name: &str) -> String {
    match name {
        // Without brackets, `__proto__` in an object literal would set the prototype.
        "__proto__" => "[\"__proto__\"]".to_owned(),
        _ if is_identifier(name) => name.to_owned(),
        _ => string(name),
    }
}

/// Returns a number literal. Rust prints the shortest form without an exponent, which is valid in JavaScript.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    value.to_string()
}

/// Returns an expression for the value of a literal type.
pub(crate) fn value(value: &LiteralValue) -> String {
    match value {
        LiteralValue::Number(value) => number(*value),
        other => literal_source(other),
    }
}

/// Returns an expression for a JSON value.
pub(crate) fn json(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => string(text),
        Value::Array(items) => list("[", items.iter().map(json), "]"),
        Value::Object(fields) => object(fields.iter().map(|(name, value)| (key(name), json(value)))),
    }
}

/// Returns an object literal on one line. The keys and values are already printed.
pub(crate) fn object(fields: impl IntoIterator<Item = (String, String)>) -> String {
    let fields: Vec<_> = fields
        .into_iter()
        .map(|(key, value)| format!("{key}: {value}"))
        .collect();
    if fields.is_empty() {
        return "{}".to_owned();
    }
    format!("{{ {} }}", fields.join(", "))
}

/// Returns an array literal of strings.
pub(crate) fn strings<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    list("[", texts.into_iter().map(|text| string(text.as_ref())), "]")
}

/// Returns a union of string literals: `"a" | "b"`.
pub(crate) fn union(texts: &[String]) -> String {
    let parts: Vec<_> = texts.iter().map(|text| string(text)).collect();
    parts.join(" | ")
}

/// Joins printed parts with commas, between `open` and `close`.
pub(crate) fn list(open: &str, parts: impl IntoIterator<Item = String>, close: &str) -> String {
    let parts: Vec<_> = parts.into_iter().collect();
    format!("{open}{}{close}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_special_characters_in_strings_and_templates() {
        assert_eq!(string("a\"b\\c\n\u{2028}\0"), r#""a\"b\\c\n\u2028\u0000""#);
        assert_eq!(template("`${x}` $ {"), r"\`\${x}\` $ {");
    }

    #[test]
    fn quotes_keys_that_are_not_identifiers() {
        assert_eq!(key("title"), "title");
        assert_eq!(key("a-b"), "\"a-b\"");
        assert_eq!(key("1a"), "\"1a\"");
        assert_eq!(key(""), "\"\"");
        assert_eq!(key("__proto__"), "[\"__proto__\"]");
        assert_eq!(key("constructor"), "constructor");
    }

    #[test]
    fn prints_numbers_without_an_exponent() {
        assert_eq!(number(-0.0), "0");
        assert_eq!(number(0.1), "0.1");
        assert_eq!(number(1e21), "1000000000000000000000");
        assert_eq!(number(-5e-7), "-0.0000005");
    }

    #[test]
    fn prints_the_key_proto_in_brackets_so_that_it_becomes_an_own_property() {
        let value: Value = serde_json::from_str(r#"{"__proto__":{"a":[1,null]}}"#).unwrap();
        assert_eq!(json(&value), "{ [\"__proto__\"]: { a: [1, null] } }");
    }
}
