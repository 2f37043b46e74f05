//! Trigger that keeps the columns of the two builds equal in meaning.

use std::fmt::Write as _;

use crate::sql::{Statement, identifier, relation};
use crate::{Column, Table, local_name, names};

use super::links::{Group, Links};
use super::values::{default_of, differ};

/// Returns the name of the trigger of a table, and of its function.
pub(super) fn name(table: &str) -> String {
    names::with_hash(
        &names::constraint(&[names::TRIGGER_PREFIX, &local_name(table)], "expand"),
        &[table],
        "expand",
    )
}

/// Returns the statements that create the trigger.
pub(super) fn create(table: &Table, links: &Links<'_>) -> Vec<Statement> {
    let name = identifier(&name(&table.name));
    let row = format!("(SELECT NEW.*) AS {}", identifier(&local_name(&table.name)));
    let mut body = String::new();
    for fill in links.fills.iter().filter(|fill| fill.table.name == table.name) {
        let column = identifier(&fill.column.name);
        // Writing to a string cannot fail.
        let _ = write!(
            body,
            "  IF TG_OP = 'INSERT' AND NEW.{column} IS NULL THEN\n    SELECT {} INTO NEW.{column} FROM {row};\n  END IF;\n",
            links.value(table, fill.column)
        );
    }
    for group in links.groups.iter().filter(|group| group.table.name == table.name) {
        body += &synchronize(group, links, &row);
    }
    vec![
        Statement::Remark(vec![format!(
            "Keeps the columns of both builds of {} equal in meaning: the build that writes decides.",
            table.name
        )]),
        Statement::Text(format!(
            "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $kit$\n#variable_conflict use_column\nDECLARE\n  \
             kit_next record;\n  kit_new_writes boolean;\n  kit_old_writes boolean;\nBEGIN\n{body}  RETURN NEW;\nEND\n$kit$"
        )),
        Statement::Text(format!(
            "CREATE TRIGGER {name} BEFORE INSERT OR UPDATE ON {} FOR EACH ROW EXECUTE FUNCTION {name}()",
            relation(&table.name)
        )),
    ]
}

/// Returns the statements of the trigger for one group of columns.
fn synchronize(group: &Group<'_>, links: &Links<'_>, row: &str) -> String {
    let table = group.table;
    let any = |columns: &[&Column], other: &dyn Fn(&Column) -> String| {
        let parts: Vec<String> = columns
            .iter()
            .map(|column| {
                let new = format!("NEW.{}", identifier(&column.name));
                differ(column, &new, &other(column))
            })
            .collect();
        parts.join(" OR ")
    };
    let next = |column: &Column| format!("kit_next.{}", identifier(&column.name));
    let before = |column: &Column| format!("OLD.{}", identifier(&column.name));
    let values: Vec<String> = group
        .new
        .iter()
        .map(|column| format!("{} AS {}", links.value(table, column), identifier(&column.name)))
        .collect();
    let to_new: Vec<String> = group
        .new
        .iter()
        .map(|column| format!("      NEW.{} := {};", identifier(&column.name), next(column)))
        .collect();
    let old_values: Vec<String> = group
        .old
        .iter()
        .map(|column| links.value(table, column))
        .collect();
    let old_names: Vec<String> = group
        .old
        .iter()
        .map(|column| format!("NEW.{}", identifier(&column.name)))
        .collect();
    // An insert that gives neither the old nor the new columns: a default decides.
    let has_default = |columns: &[&Column]| columns.iter().any(|column| column.default.is_some());
    let (new_too, old_too) = if has_default(&group.new) && !has_default(&group.old) {
        (" OR TG_OP = 'INSERT' AND NOT kit_old_writes", "")
    } else {
        ("", " OR TG_OP = 'INSERT'")
    };
    format!(
        "  SELECT {} INTO kit_next FROM {row};\n  IF {} THEN\n    IF TG_OP = 'INSERT' THEN\n      \
         kit_new_writes := {};\n      kit_old_writes := {};\n    ELSE\n      \
         kit_new_writes := {};\n      kit_old_writes := {};\n    END IF;\n    \
         IF kit_new_writes{new_too} THEN\n      SELECT {} INTO {} FROM {row};\n    \
         ELSIF kit_old_writes{old_too} THEN\n{}\n    END IF;\n  END IF;\n",
        values.join(", "),
        any(&group.new, &next),
        any(&group.new, &default_of),
        any(&group.old, &default_of),
        any(&group.new, &before),
        any(&group.old, &before),
        old_values.join(", "),
        old_names.join(", "),
        to_new.join("\n")
    )
}

/// Returns the statements that remove the trigger.
pub(super) fn remove(table: &Table) -> Vec<Statement> {
    let name = identifier(&name(&table.name));
    vec![
        Statement::Text(format!("DROP TRIGGER {name} ON {}", relation(&table.name))),
        Statement::Text(format!("DROP FUNCTION {name}()")),
    ]
}
