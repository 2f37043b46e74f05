//! Writes the text of an entity.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use heck::ToUpperCamelCase;
use kit_ir::{ReferentialAction, ReferentialActions};

use super::names::{identifiers, is_name, property_key};
use super::tags::{Tags, tags};
use super::{LeftOut, PulledTable};
use crate::definitions::foreign_key_definition;
use crate::qualified::{qualified, split};
use crate::{ForeignKey, names};

/// Line with which a file imports the type of decimals.
pub(super) const DECIMAL_IMPORT: &str = "import type { Decimal } from \"@kit/types\";\n";

pub(super) fn text(table: &PulledTable<'_>, tables: &[PulledTable<'_>]) -> String {
    let Tags {
        own: keys,
        mut on_columns,
    } = tags(table);
    let mut own = vec![format!("@table {}", table.name)];
    own.extend(keys);
    let references = references(table, tables);
    own.extend(references.own);
    let has_decimal = table
        .columns
        .iter()
        .any(|column| column.r#type.text.starts_with("Decimal<"));
    let mut text = if has_decimal {
        format!("{DECIMAL_IMPORT}\n")
    } else {
        String::new()
    };
    let mut aliases = String::new();
    text.push_str(&comment("", table.comment, &own));
    let _ = writeln!(text, "export interface {} {{", table.interface);
    for column in &table.columns {
        let mut tags = Vec::new();
        if table.key.iter().any(|key| key == column.name) {
            tags.push("@id".to_owned());
        }
        tags.extend(column.default.clone());
        let reference = references.on_columns.get(column.name);
        let has_rules = reference.is_some() || column.default.as_deref() == Some("@generated uuid");
        // A reference has the rules of its target. kit compares these types before the column gets the type of its target.
        let is_own = |tag: &&String| {
            let is_compared = |name: &&str| tag.starts_with(&format!("@storedAs {name}"));
            !has_rules || ["citext", "enum", "date", "array"].iter().any(is_compared)
        };
        tags.extend(column.r#type.tags.iter().filter(is_own).cloned());
        tags.extend(reference.cloned());
        tags.extend(on_columns.remove(column.name).unwrap_or_default());
        if names::column(&column.property) != column.name {
            tags.push(format!("@column {}", column.name));
        }
        text.push_str(&comment("  ", column.comment, &tags));
        let (mark, null) = match (column.nullable, column.r#type.includes_null) {
            (true, true) => ("?", ""),
            (true, false) => ("", " | null"),
            (false, _) => ("", ""),
        };
        let r#type = match column.r#type.text.strip_suffix("[]") {
            Some(element) if !column.r#type.element_tags.is_empty() => {
                // Only an alias can have the rules of elements.
                let alias = format!("{}{}Element", table.interface, column.name.to_upper_camel_case());
                let _ = write!(
                    aliases,
                    "\n{}export type {alias} = {element};\n",
                    comment("", None, &column.r#type.element_tags)
                );
                format!("{alias}[]")
            }
            _ => column.r#type.text.clone(),
        };
        let _ = writeln!(text, "  {}{mark}: {type}{null};", property_key(&column.property));
    }
    for (column, LeftOut { reason, .. }) in &table.left_out {
        let _ = writeln!(
            text,
            "  // {}: no property, because {}.",
            on_one_line(column),
            on_one_line(reason)
        );
    }
    text.push_str("}\n");
    text.push_str(&aliases);
    text
}

/// The `@references` tags of a table.
#[derive(Default)]
pub(super) struct References<'a> {
    /// Tags of properties, by the names of their columns.
    on_columns: BTreeMap<&'a str, String>,
    /// Tags of the interface, for foreign keys with several columns.
    own: Vec<String>,
}

/// Returns the `@references` tags of a table.
pub(super) fn references<'a>(table: &'a PulledTable<'a>, tables: &[PulledTable<'_>]) -> References<'a> {
    let mut found = References::default();
    for (name, definition) in &table.constraints {
        let Some(key) = foreign_key(name, definition) else {
            continue;
        };
        let Some(target) = tables.iter().find(|target| target.name == key.table) else {
            continue;
        };
        let pairs: Option<Vec<_>> = key
            .pairs()
            .map(|(here, there)| {
                let column = table.columns.iter().find(|column| column.name == here)?;
                let other = target.columns.iter().find(|column| column.name == there)?;
                let fits = column.base == other.base
                    && column.r#type == other.r#type
                    && column.default.as_deref() != Some("@generated")
                    && is_name(&column.property)
                    && is_name(&other.property);
                fits.then_some((column, other))
            })
            .collect();
        let Some(pairs) = pairs else {
            continue;
        };
        let sets_null = [key.actions.on_delete, key.actions.on_update].contains(&ReferentialAction::SetNull);
        let may_be_null = pairs.iter().all(|(column, _)| column.nullable);
        if !is_distinct(target, &key.targets) || (sets_null && !may_be_null) {
            continue;
        }
        let (interface, actions) = (&target.interface, key.actions);
        if let [(column, other)] = pairs.as_slice() {
            let tag = || format!("@references {interface}.{}{actions}", other.property);
            found.on_columns.entry(column.name).or_insert_with(tag);
        } else {
            let names = |names: Vec<&str>| names.join(", ");
            let here = names(pairs.iter().map(|(column, _)| column.property.as_str()).collect());
            let there = names(pairs.iter().map(|(_, other)| other.property.as_str()).collect());
            found
                .own
                .push(format!("@references ({here}) {interface} ({there}){actions}"));
        }
    }
    found
}

/// Returns true if no two rows of a table have the same values in these columns.
fn is_distinct(table: &PulledTable<'_>, columns: &[String]) -> bool {
    let is_same =
        |key: &[String]| key.len() == columns.len() && columns.iter().all(|column| key.contains(column));
    is_same(&table.key) || table.uniques().any(|(_, key)| is_same(&key))
}

/// Returns the text without line breaks, for a comment or an item of a list that ends at the end of its line.
///
/// ```
/// assert_eq!(kit_database::on_one_line("a\nb"), "a b");
/// ```
pub fn on_one_line(text: &str) -> String {
    text.replace(
        |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}'),
        " ",
    )
}

/// Parses the definition of a foreign key without options that kit does not have.
pub(super) fn foreign_key(name: &str, definition: &str) -> Option<ForeignKey> {
    let rest = definition.strip_prefix("FOREIGN KEY (")?;
    let (columns, rest) = rest.split_once(") REFERENCES ")?;
    let (place, rest) = rest.split_once(')')?;
    let (table, targets) = place.split_once('(')?;
    let action = |event: &str| {
        let named = |action: &ReferentialAction| {
            !action.is_default() && rest.contains(&crate::sql::on(event, *action))
        };
        ReferentialAction::ALL.into_iter().find(named).unwrap_or_default()
    };
    let key = ForeignKey {
        name: name.to_owned(),
        columns: identifiers(columns)?,
        table: {
            let (schema, name) = split(table);
            qualified(schema.as_deref(), &name)
        },
        targets: identifiers(targets)?,
        actions: ReferentialActions {
            on_delete: action("DELETE"),
            on_update: action("UPDATE"),
        },
    };
    (foreign_key_definition(&key) == definition).then_some(key)
}

/// Formats a doc comment. A description that a doc comment would change is left out.
pub(super) fn comment(indent: &str, description: Option<&str>, tags: &[String]) -> String {
    let described = description.filter(|text| {
        !text.contains("*/")
            && !text.contains('@')
            && text.trim() == *text
            && !text.is_empty()
            && text.lines().all(|line| line.trim() == line)
            && !text.contains(['\r', '\t'])
    });
    // A default extends to the end of its line.
    let (defaults, others): (Vec<&String>, Vec<&String>) =
        tags.iter().partition(|tag| tag.starts_with("@default \""));
    let (named, others): (Vec<&String>, Vec<&String>) = others
        .into_iter()
        .partition(|tag| tag.contains(" (") || tag.contains(" where ") || tag.starts_with("@check "));
    let mut lines: Vec<String> = Vec::new();
    if !others.is_empty() {
        let joined: Vec<&str> = others.iter().map(|tag| tag.as_str()).collect();
        lines.push(joined.join(" "));
    }
    lines.extend(defaults.into_iter().chain(named).cloned());
    match (described, lines.as_slice()) {
        (None, []) => String::new(),
        (None, [line]) => format!("{indent}/** {line} */\n"),
        (Some(text), []) if !text.contains('\n') => format!("{indent}/** {text} */\n"),
        (described, lines) => {
            let mut text = format!("{indent}/**\n");
            for line in described.into_iter().flat_map(str::lines) {
                let _ = writeln!(text, "{}", format!("{indent} * {line}").trim_end());
            }
            if described.is_some() && !lines.is_empty() {
                let _ = writeln!(text, "{indent} *");
            }
            for line in lines {
                let _ = writeln!(text, "{indent} * {line}");
            }
            let _ = writeln!(text, "{indent} */");
            text
        }
    }
}
