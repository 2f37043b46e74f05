//! Checks of all rows, which only read.

use std::fmt::Write as _;

use crate::sql::{Statement, identifier, relation};

/// Returns the check that a column contains no null. `stored` is the present name of the table and the column.
pub(crate) fn without_null(table: &str, column: &str, stored: &str, stored_column: &str) -> Statement {
    let name = identifier(stored_column);
    Statement::Guard {
        table: stored.to_owned(),
        condition: format!("{name} IS NULL"),
        message: format!("{table}.{column} contains null values"),
        hint: format!(
            "Look for them with: SELECT * FROM {} WHERE {name} IS NULL",
            relation(stored)
        ),
    }
}

/// Returns the check that no two rows have equal values. `stored` is the present name of the table, `values` are the
/// expressions of the values, and `condition` selects the rows that are compared.
pub(crate) fn without_duplicates(
    table: &str,
    columns: &[String],
    stored: &str,
    values: &[String],
    condition: Option<&str>,
) -> Statement {
    let given = values.iter().map(|value| format!("{value} IS NOT NULL"));
    let selected = condition.map(|condition| format!("({condition})"));
    let conditions: Vec<String> = given.chain(selected).collect();
    let list = values.join(", ");
    let condition = format!("{} GROUP BY {list} HAVING count(*) > 1", conditions.join(" AND "));
    Statement::Guard {
        table: stored.to_owned(),
        message: format!(
            "two rows of {table} have the same values of ({})",
            columns.join(", ")
        ),
        hint: format!(
            "Look for them with: SELECT {list}, count(*) FROM {} WHERE {condition}",
            relation(stored)
        ),
        condition,
    }
}

/// Returns the check that all rows satisfy a condition.
pub(crate) fn all_satisfy(place: &str, rule: &str, stored: &str) -> Statement {
    Statement::Guard {
        table: stored.to_owned(),
        condition: format!("NOT ({rule})"),
        message: format!("{place} holds values that the new rule forbids"),
        hint: format!(
            "Look for them with: SELECT * FROM {} WHERE NOT ({rule})",
            relation(stored)
        ),
    }
}

/// Returns the check that each reference refers to an existing row. `stored` is the present name of the table and its
/// columns. `target` is the present name of the other table and its columns; `None` if they are new.
pub(crate) fn all_refer(place: &str, stored: (&str, &[&str]), target: Option<(&str, &[&str])>) -> Statement {
    let table = relation(stored.0);
    let columns: Vec<String> = stored
        .1
        .iter()
        .map(|column| format!("{table}.{}", identifier(column)))
        .collect();
    // A row with a null in one of the columns refers to no row.
    let given: Vec<String> = columns
        .iter()
        .map(|column| format!("{column} IS NOT NULL"))
        .collect();
    let mut condition = given.join(" AND ");
    if let Some((other, keys)) = target {
        let equal: Vec<String> = keys
            .iter()
            .zip(&columns)
            .map(|(key, column)| format!("kit_target.{} = {column}", identifier(key)))
            .collect();
        let _ = write!(
            condition,
            " AND NOT EXISTS (SELECT FROM {} AS kit_target WHERE {})",
            relation(other),
            equal.join(" AND ")
        );
    }
    Statement::Guard {
        table: stored.0.to_owned(),
        message: format!("{place} refers to rows that do not exist"),
        hint: format!("Look for them with: SELECT * FROM {table} WHERE {condition}"),
        condition,
    }
}
