//! Names of interfaces and properties, and names in definitions of PostgreSQL.

use std::collections::BTreeSet;

use heck::{ToLowerCamelCase, ToUpperCamelCase};

use super::PulledTable;

/// Returns true if a doc tag can contain the name.
pub(super) fn is_tag_word(name: &str) -> bool {
    !name.is_empty()
        && !name.contains("*/")
        && !name.starts_with('@')
        && name
            .chars()
            .all(|letter| !letter.is_whitespace() && !letter.is_control())
}

/// Returns the property for a column: `author_id` becomes `authorId`.
pub(super) fn property_name(column: &str) -> String {
    let name = column.to_lower_camel_case();
    if name.is_empty() { column.to_owned() } else { name }
}

/// Returns the name as a key of an interface, with quotes if necessary.
pub(super) fn property_key(name: &str) -> String {
    let mut letters = name.chars();
    let is_plain = letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_' || first == '$')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$');
    if is_plain {
        name.to_owned()
    } else {
        serde_json::Value::from(name).to_string()
    }
}

/// Names of TypeScript that an interface must not hide, because properties use them.
pub(super) const TAKEN: [&str; 12] = [
    "Array",
    "BigInt",
    "Boolean",
    "Date",
    "Error",
    "Function",
    "Map",
    "Number",
    "Object",
    "Record",
    "String",
    "Uint8Array",
];

pub(super) fn name_interfaces(tables: &mut [PulledTable<'_>]) {
    let mut used: BTreeSet<String> = TAKEN.iter().map(|name| (*name).to_owned()).collect();
    for table in tables {
        let words = table.name.to_upper_camel_case();
        let mut name = singular(&words);
        if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
            name = format!("Table{name}");
        }
        name.retain(|letter| letter.is_ascii_alphanumeric());
        if used.contains(&name) {
            name = format!("{words}Row");
            name.retain(|letter| letter.is_ascii_alphanumeric());
        }
        let mut number = 2;
        let stem = name.clone();
        while !used.insert(name.clone()) {
            name = format!("{stem}{number}");
            number += 1;
        }
        table.interface = name;
    }
}

/// Returns the singular of an English plural in `PascalCase`, by the endings that are regular.
pub(super) fn singular(plural: &str) -> String {
    let lower = plural.to_ascii_lowercase();
    let keep = [
        "ss",
        "us",
        "is",
        "news",
        "series",
        "species",
        "settings",
        "data",
        "analytics",
        "status",
    ];
    if keep.iter().any(|ending| lower.ends_with(ending)) {
        return plural.to_owned();
    }
    for (ending, replacement) in [
        ("shelves", "shelf"),
        ("halves", "half"),
        ("people", "person"),
        ("children", "child"),
        ("statuses", "status"),
        ("aliases", "alias"),
        ("indices", "index"),
        ("ies", "y"),
        ("sses", "ss"),
        ("xes", "x"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("s", ""),
    ] {
        if lower.ends_with(ending) && lower.len() > ending.len() {
            return format!("{}{replacement}", &plural[..plural.len() - ending.len()]);
        }
        if lower == ending {
            return replacement.to_upper_camel_case();
        }
    }
    plural.to_owned()
}

/// Returns true if tags such as `@unique` can contain the name.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$')
}

/// Parses a list of names as PostgreSQL prints it: `id, "Order"`. Returns `None` if an item is no name.
pub(super) fn identifiers(list: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = list;
    loop {
        let (name, tail) = if let Some(quoted) = rest.strip_prefix('"') {
            let mut end = 0;
            loop {
                end += quoted[end..].find('"')?;
                if !quoted[end + 1..].starts_with('"') {
                    break;
                }
                end += 2;
            }
            (quoted[..end].replace("\"\"", "\""), &quoted[end + 1..])
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            (rest[..end].to_owned(), &rest[end..])
        };
        if name.is_empty() || (!rest.starts_with('"') && !is_name(&name)) {
            return None;
        }
        found.push(name);
        if tail.is_empty() {
            return Some(found);
        }
        rest = tail.strip_prefix(", ")?;
    }
}
