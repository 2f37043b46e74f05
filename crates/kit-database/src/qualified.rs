//! Names of tables with the schema of the database in front: `billing.invoices`.
//!
//! A table without a schema in its name is in the first schema of the `search_path`. A schema or name that itself contains
//! a dot is in double quotes: `billing."a.b"`.

use std::borrow::Cow;

/// Returns the schema of a table; `None` if the table has no schema in its name.
///
/// ```
/// assert_eq!(kit_database::schema_of("billing.invoices").as_deref(), Some("billing"));
/// assert_eq!(kit_database::schema_of("invoices"), None);
/// assert_eq!(kit_database::schema_of("\"a.b\""), None);
/// ```
pub fn schema_of(table: &str) -> Option<Cow<'_, str>> {
    parts(table).0
}

/// Returns the name of a table without its schema.
///
/// ```
/// assert_eq!(kit_database::local_name("billing.invoices"), "invoices");
/// assert_eq!(kit_database::local_name("invoices"), "invoices");
/// ```
pub fn local_name(table: &str) -> Cow<'_, str> {
    parts(table).1
}

/// Returns a table's name with a schema in front.
///
/// ```
/// assert_eq!(kit_database::qualified(Some("billing"), "invoices"), "billing.invoices");
/// assert_eq!(kit_database::qualified(None, "a.b"), "\"a.b\"");
/// ```
pub fn qualified(schema: Option<&str>, name: &str) -> String {
    let part = |part: &str| {
        if part.contains('.') {
            format!("\"{}\"", part.replace('"', "\"\""))
        } else {
            part.to_owned()
        }
    };
    match schema {
        Some(schema) => format!("{}.{}", part(schema), part(name)),
        None => part(name),
    }
}

/// Returns the schema and the name of a table.
pub(crate) fn parts(table: &str) -> (Option<Cow<'_, str>>, Cow<'_, str>) {
    // Most tables have neither a schema nor a dot in their names.
    if !table.contains('.') {
        return (None, Cow::Borrowed(table));
    }
    split(table)
}

/// Returns the schema and the name of a table as SQL has them: names with other characters are in double quotes.
pub(crate) fn split(text: &str) -> (Option<Cow<'_, str>>, Cow<'_, str>) {
    let (first, rest) = part(text);
    if rest.is_empty() {
        return (None, first);
    }
    let Some(rest) = rest.strip_prefix('.') else {
        return (None, Cow::Borrowed(text));
    };
    match part(rest) {
        (name, "") => (Some(first), name),
        // `qualified` would have put such a name in quotes.
        _ => (Some(first), Cow::Borrowed(rest)),
    }
}

/// Reads a part of a name up to the next dot. Returns the rest with the dot.
fn part(text: &str) -> (Cow<'_, str>, &str) {
    if let Some(quoted) = text.strip_prefix('"') {
        let mut end = 0;
        while let Some(at) = quoted[end..].find('"') {
            end += at;
            if !quoted[end + 1..].starts_with('"') {
                return (
                    Cow::Owned(quoted[..end].replace("\"\"", "\"")),
                    &quoted[end + 1..],
                );
            }
            end += 2;
        }
    }
    let end = text.find('.').unwrap_or(text.len());
    (Cow::Borrowed(&text[..end]), &text[end..])
}

#[cfg(test)]
mod tests {
    use super::{local_name, parts, qualified};

    #[test]
    fn reads_the_names_that_it_writes() {
        for (schema, name) in [
            (None, "invoices"),
            (None, "a.b"),
            (None, "a\"b"),
            (Some("billing"), "invoices"),
            (Some("billing"), "a.\"b"),
            (Some("a.b"), "c"),
            (Some("a.b"), "c.d"),
        ] {
            let text = qualified(schema, name);
            let (found, local) = parts(&text);
            assert_eq!((found.as_deref(), local.as_ref()), (schema, name), "{text}");
        }
    }

    #[test]
    fn reads_names_that_no_function_wrote_without_a_panic() {
        for text in ["", ".", "\"", "\".", "a.", ".a", "\"a\"b.c", "a.b.c", "\"\"\"."] {
            let _ = local_name(text);
        }
    }
}
