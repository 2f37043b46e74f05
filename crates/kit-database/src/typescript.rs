//! Names and string literals in the TypeScript code of schema files.

use heck::ToLowerCamelCase;
use std::collections::{BTreeMap, BTreeSet};

use kit_analysis::{is_identifier, is_reserved_word};

use crate::{Schema, Table, schema_of};

/// Names that a schema module imports or uses, sorted. The variable of a table must not have one of these
/// names.
const TAKEN: &[&str] = &[
    "bigint",
    "boolean",
    "bytea",
    "check",
    "citext",
    "customType",
    "date",
    "decimal",
    "doublePrecision",
    "exactBigint",
    "foreignKey",
    "index",
    "integer",
    "jsonb",
    "many",
    "numeric",
    "one",
    "pgSchema",
    "pgTable",
    "primaryKey",
    "relations",
    "schema",
    "smallint",
    "sql",
    "table",
    "text",
    "timestamp",
    "undefined",
    "unique",
    "uniqueIndex",
    "uuid",
    "varchar",
];

/// Variable and file name of each table.
pub(crate) struct Names {
    /// Variable and file name, by the name of the table.
    by_table: BTreeMap<String, (String, String)>,
    /// Property name, by the names of table and column.
    properties: BTreeMap<(String, String), String>,
}

impl Names {
    /// Chooses the names, which do not depend on the order of the tables. If names are equal, a table without a schema comes
    /// first. `reserved` lists file names without extension that no table may use.
    pub(crate) fn of(schema: &Schema, reserved: &[&str]) -> Self {
        let mut variables = BTreeSet::new();
        let mut files: BTreeSet<String> = reserved.iter().map(|&name| name.to_owned()).collect();
        let mut by_table = BTreeMap::new();
        let mut properties = BTreeMap::new();
        let mut tables: Vec<&Table> = schema.tables.iter().collect();
        tables.sort_by_key(|table| (schema_of(&table.name).is_some(), &table.name));
        for table in tables {
            let camel = table.name.to_lower_camel_case();
            let usable = camel.starts_with(|char: char| char.is_ascii_alphabetic())
                && camel.chars().all(|char| char.is_ascii_alphanumeric());
            let mut variable = if usable {
                camel
            } else {
                format!("table{}", table.entity)
            };
            if is_reserved_word(&variable) || TAKEN.binary_search(&variable.as_str()).is_ok() {
                variable.push_str("Table");
            }
            let stem: String = table
                .name
                .chars()
                .map(|char| {
                    if char.is_ascii_alphanumeric() || "_-".contains(char) {
                        char
                    } else {
                        '_'
                    }
                })
                .collect();
            // Compare file names without case, because the default file systems of Windows and macOS ignore case.
            let file = unique(stem, |name| files.insert(name.to_lowercase()));
            let variable = unique(variable, |name| variables.insert(name.to_owned()));
            by_table.insert(table.name.clone(), (variable, format!("{file}.ts")));
            for column in &table.columns {
                properties.insert(
                    (table.name.clone(), column.name.clone()),
                    column.source.property.clone(),
                );
            }
        }
        Self { by_table, properties }
    }

    pub(crate) fn variable(&self, table: &Table) -> &str {
        self.variable_of(&table.name)
    }

    pub(crate) fn file(&self, table: &Table) -> String {
        self.file_of(&table.name).to_owned()
    }

    pub(crate) fn variable_of(&self, table: &str) -> &str {
        &self.by_table[table].0
    }

    pub(crate) fn file_of(&self, table: &str) -> &str {
        &self.by_table[table].1
    }

    /// Returns the name of the property that a column stores. The column must exist.
    pub(crate) fn property_of(&self, table: &str, column: &str) -> &str {
        &self.properties[&(table.to_owned(), column.to_owned())]
    }
}

/// Returns the name if it is not used yet, otherwise the name with the first number that makes it unique: `notes2`.
pub(crate) fn unique(name: String, mut is_new: impl FnMut(&str) -> bool) -> String {
    if is_new(&name) {
        return name;
    }
    let mut number = 2_usize;
    loop {
        let next = format!("{name}{number}");
        if is_new(&next) {
            return next;
        }
        number += 1;
    }
}

/// Formats a string literal. JSON escapes are valid in TypeScript; U+2028 and U+2029 are escaped for old tools.
pub(crate) fn string_literal(value: &str) -> String {
    serde_json::Value::from(value)
        .to_string()
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// Escapes text for a template literal.
pub(crate) fn template(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('`', "\\`")
        .replace("${", "\\${")
}

/// Formats a property key of an object literal. The key `__proto__` is written as `["__proto__"]`, because it would set
/// the prototype otherwise.
pub(crate) fn key(name: &str) -> String {
    if name == "__proto__" {
        "[\"__proto__\"]".to_owned()
    } else if is_identifier(name) {
        name.to_owned()
    } else {
        string_literal(name)
    }
}

/// Formats an access to a property: `table.title` or `table["a-b"]`.
pub(crate) fn member(object: &str, name: &str) -> String {
    if is_identifier(name) {
        format!("{object}.{name}")
    } else {
        format!("{object}[{}]", string_literal(name))
    }
}

#[cfg(test)]
mod tests {
    use super::{TAKEN, key, member, string_literal, template};

    #[test]
    fn escapes_names_and_strings_that_users_chose() {
        assert!(TAKEN.is_sorted());
        assert_eq!(string_literal("a\"b\u{2028}"), "\"a\\\"b\\u2028\"");
        assert_eq!(template("`${x}\\"), "\\`\\${x}\\\\");
        assert_eq!(key("__proto__"), "[\"__proto__\"]");
        assert_eq!(key("a-b"), "\"a-b\"");
        assert_eq!(member("table", "a-b"), "table[\"a-b\"]");
    }
}
