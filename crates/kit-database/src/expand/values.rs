//! SQL of values: types, defaults and comparisons.

use crate::sql;
use crate::{Column, ColumnDefault, ColumnType};

/// Returns the type to which values are converted before they are assigned to a column. A conversion to `varchar(n)` would
/// cut a text, but an assignment refuses a text that is too long. The type citext may not exist yet.
pub(super) fn unbounded(r#type: ColumnType) -> ColumnType {
    if r#type.is_any_text() {
        ColumnType::Text
    } else {
        r#type
    }
}

/// Returns the SQL expression of the default of a column.
pub(super) fn default_of(column: &Column) -> String {
    match &column.default {
        None => "NULL".to_owned(),
        Some(default) => format!("({})::{}", sql::default(default), column.r#type),
    }
}

/// Returns the default of a column as an SQL expression that needs no type of an extension; null for a value of the
/// database's own.
pub(super) fn plain_default(column: &Column) -> String {
    match &column.default {
        Some(ColumnDefault::Identity) | None => format!("NULL::{}", unbounded(column.r#type)),
        Some(default) => format!("({})::{}", sql::default(default), unbounded(column.r#type)),
    }
}

/// Returns the condition that two values of a column differ. Texts that differ only in case are equal values of citext, but
/// they are different texts.
pub(super) fn differ(column: &Column, one: &str, other: &str) -> String {
    if column.r#type == ColumnType::Citext {
        format!("({one})::text IS DISTINCT FROM ({other})::text")
    } else {
        format!("{one} IS DISTINCT FROM {other}")
    }
}

/// Returns the condition that two values of a column are the same.
pub(super) fn equal(column: &Column, one: &str, other: &str) -> String {
    if column.r#type == ColumnType::Citext {
        format!("({one})::text IS NOT DISTINCT FROM ({other})::text")
    } else {
        format!("{one} IS NOT DISTINCT FROM {other}")
    }
}
