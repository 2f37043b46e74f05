//! Prints values as YAML with comments. YAML libraries keep no comments, and the files explain their numbers in comments.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Words that YAML 1.1 or 1.2 reads as a boolean or as null.
const RESERVED: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];

/// Returns the YAML document of an object. A key that begins with `#` is a comment: its value is the text of the comment,
/// which is printed in place of an entry. A list item that has only comments is printed as comments, too.
pub(crate) fn document(object: &Value) -> String {
    let mut text = String::new();
    write_value(&mut text, object, 0);
    text
}

fn write_value(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(entries) => write_entries(text, entries, indent),
        Value::Array(items) => {
            for item in items {
                write_item(text, item, indent);
            }
        }
        scalar => {
            text.push_str(&" ".repeat(indent));
            text.push_str(&scalar_text(scalar));
            text.push('\n');
        }
    }
}

fn write_entries(text: &mut String, entries: &Map<String, Value>, indent: usize) {
    for (key, value) in entries {
        if is_comment(key) {
            write_comment(text, value, indent);
            continue;
        }
        text.push_str(&" ".repeat(indent));
        text.push_str(&string(key));
        text.push(':');
        match value {
            Value::Object(inner) if inner.keys().any(|key| !is_comment(key)) => {
                text.push('\n');
                write_entries(text, inner, indent + 2);
            }
            Value::Object(_) => text.push_str(" {}\n"),
            Value::Array(items) if items.is_empty() => text.push_str(" []\n"),
            Value::Array(_) => {
                text.push('\n');
                write_value(text, value, indent + 2);
            }
            scalar => {
                text.push(' ');
                text.push_str(&scalar_text(scalar));
                text.push('\n');
            }
        }
    }
}

fn write_item(text: &mut String, item: &Value, indent: usize) {
    let mut written = String::new();
    match item {
        Value::Object(entries) => {
            let (comments, entries) = leading_comments(entries);
            for comment in comments {
                write_comment(text, comment, indent);
            }
            write_entries(&mut written, &entries, indent + 2);
        }
        other => write_value(&mut written, other, indent + 2),
    }
    if written.is_empty() {
        return;
    }
    text.push_str(&" ".repeat(indent));
    text.push_str("- ");
    text.push_str(&written[indent + 2..]);
}

/// Splits the comments before the first entry from the entries.
fn leading_comments(entries: &Map<String, Value>) -> (Vec<&Value>, Map<String, Value>) {
    let comments = entries
        .iter()
        .take_while(|(key, _)| is_comment(key))
        .map(|(_, text)| text);
    let rest = entries.iter().skip_while(|(key, _)| is_comment(key));
    (
        comments.collect(),
        rest.map(|(key, value)| (key.clone(), value.clone())).collect(),
    )
}

fn is_comment(key: &str) -> bool {
    key.starts_with('#')
}

fn write_comment(text: &mut String, comment: &Value, indent: usize) {
    for line in comment.as_str().unwrap_or_default().lines() {
        text.push_str(&" ".repeat(indent));
        text.push_str("# ");
        text.extend(line.chars().filter(|letter| !letter.is_control()));
        text.push('\n');
    }
}

fn scalar_text(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        other => other.to_string(),
    }
}

/// Returns a string in the plain style if every YAML parser reads it as the same string, otherwise in double quotes.
fn string(text: &str) -> String {
    let is_first = |letter: char| letter.is_ascii_alphabetic() || letter == '/' || letter == '_';
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_./:-".contains(letter);
    let is_reserved = RESERVED.iter().any(|word| text.eq_ignore_ascii_case(word));
    if text.starts_with(is_first) && text.chars().all(is_plain) && !text.ends_with(':') && !is_reserved {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            // YAML allows neither control characters nor a byte order mark between quotes.
            letter if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                // Writing to a `String` cannot fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::document;

    #[test]
    fn prints_maps_lists_and_comments() {
        let text = document(&json!({
            "# top": "first\nsecond",
            "kind": "Service",
            "spec": {
                "ports": [{ "# why": "for clients", "name": "http", "port": 80 }, { "#": "only a comment" }],
                "args": ["kit", "migrate:apply", 3],
                "empty": {},
                "none": [],
            },
        }));
        assert_eq!(
            text,
            "# first\n# second\nkind: Service\nspec:\n  ports:\n    # for clients\n    - name: http\n      port: 80\n    # only a comment\n  args:\n    - kit\n    - migrate:apply\n    - 3\n  empty: {}\n  none: []\n"
        );
    }

    #[test]
    fn quotes_strings_that_yaml_would_read_as_another_value() {
        for (text, printed) in [
            ("shop", "shop"),
            ("shop:1.2.0", "shop:1.2.0"),
            ("/tmp", "/tmp"),
            ("No", "\"No\""),
            ("3000", "\"3000\""),
            ("250m", "\"250m\""),
            ("", "\"\""),
            ("a: b", "\"a: b\""),
            ("a #b", "\"a #b\""),
            ("end:", "\"end:\""),
            ("\"q\"\\\n\u{7}", "\"\\\"q\\\"\\\\\\n\\u0007\""),
        ] {
            assert_eq!(document(&json!(text)), format!("{printed}\n"));
        }
    }
}
