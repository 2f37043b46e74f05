//! Quotes names and strings for SQL.

use crate::qualified::parts;

/// Words that PostgreSQL 18 does not accept as the name of a column or table without quotes: all words that
/// `pg_get_keywords()` does not list as unreserved.
const RESERVED: &[&str] = &[
    "all",
    "analyse",
    "analyze",
    "and",
    "any",
    "array",
    "as",
    "asc",
    "asymmetric",
    "authorization",
    "between",
    "bigint",
    "binary",
    "bit",
    "boolean",
    "both",
    "case",
    "cast",
    "char",
    "character",
    "check",
    "coalesce",
    "collate",
    "collation",
    "column",
    "concurrently",
    "constraint",
    "create",
    "cross",
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "dec",
    "decimal",
    "default",
    "deferrable",
    "desc",
    "distinct",
    "do",
    "else",
    "end",
    "except",
    "exists",
    "extract",
    "false",
    "fetch",
    "float",
    "for",
    "foreign",
    "freeze",
    "from",
    "full",
    "grant",
    "greatest",
    "group",
    "grouping",
    "having",
    "ilike",
    "in",
    "initially",
    "inner",
    "inout",
    "int",
    "integer",
    "intersect",
    "interval",
    "into",
    "is",
    "isnull",
    "join",
    "json",
    "json_array",
    "json_arrayagg",
    "json_exists",
    "json_object",
    "json_objectagg",
    "json_query",
    "json_scalar",
    "json_serialize",
    "json_table",
    "json_value",
    "lateral",
    "leading",
    "least",
    "left",
    "like",
    "limit",
    "localtime",
    "localtimestamp",
    "merge_action",
    "national",
    "natural",
    "nchar",
    "none",
    "normalize",
    "not",
    "notnull",
    "null",
    "nullif",
    "numeric",
    "offset",
    "on",
    "only",
    "or",
    "order",
    "out",
    "outer",
    "overlaps",
    "overlay",
    "placing",
    "position",
    "precision",
    "primary",
    "real",
    "references",
    "returning",
    "right",
    "row",
    "select",
    "session_user",
    "setof",
    "similar",
    "smallint",
    "some",
    "substring",
    "symmetric",
    "system_user",
    "table",
    "tablesample",
    "then",
    "time",
    "timestamp",
    "to",
    "trailing",
    "treat",
    "trim",
    "true",
    "union",
    "unique",
    "user",
    "using",
    "values",
    "varchar",
    "variadic",
    "verbose",
    "when",
    "where",
    "window",
    "with",
    "xmlattributes",
    "xmlconcat",
    "xmlelement",
    "xmlexists",
    "xmlforest",
    "xmlnamespaces",
    "xmlparse",
    "xmlpi",
    "xmlroot",
    "xmlserialize",
    "xmltable",
];

/// Returns a name as SQL. The name is in quotes if it is a reserved word or does not match `[a-z_][a-z0-9_]*`.
///
/// ```
/// use kit_database::sql::identifier;
///
/// assert_eq!(identifier("author_id"), "author_id");
/// assert_eq!(identifier("order"), "\"order\"");
/// assert_eq!(identifier("a\"b"), "\"a\"\"b\"");
/// ```
pub fn identifier(name: &str) -> String {
    let mut chars = name.chars();
    let plain = chars
        .next()
        .is_some_and(|first| first.is_ascii_lowercase() || first == '_')
        && chars.all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_');
    if plain && RESERVED.binary_search(&name).is_err() {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

/// Returns the name of a table as SQL, with its schema if the name has one.
///
/// ```
/// use kit_database::sql::relation;
///
/// assert_eq!(relation("invoices"), "invoices");
/// assert_eq!(relation("billing.order"), "billing.\"order\"");
/// ```
pub fn relation(table: &str) -> String {
    match parts(table) {
        (None, name) => identifier(&name),
        (Some(schema), name) => format!("{}.{}", identifier(&schema), identifier(&name)),
    }
}

/// Returns the name of an index or another object in the schema of a table as SQL.
///
/// ```
/// assert_eq!(kit_database::sql::beside("billing.invoices", "invoices_idx"), "billing.invoices_idx");
/// ```
pub fn beside(table: &str, name: &str) -> String {
    match parts(table).0 {
        None => identifier(name),
        Some(schema) => format!("{}.{}", identifier(&schema), identifier(name)),
    }
}

/// Returns a string literal. Correct with `standard_conforming_strings`, which is on since PostgreSQL 9.1 and which the
/// migration runner sets.
///
/// ```
/// assert_eq!(kit_database::sql::string_literal("it's"), "'it''s'");
/// ```
pub fn string_literal(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::{RESERVED, identifier};

    #[test]
    fn quotes_reserved_words_and_names_that_are_not_lower_case() {
        assert!(RESERVED.is_sorted());
        assert_eq!(identifier("user"), "\"user\"");
        assert_eq!(identifier("users"), "users");
        assert_eq!(identifier("createdAt"), "\"createdAt\"");
        assert_eq!(identifier("2fa"), "\"2fa\"");
    }
}
