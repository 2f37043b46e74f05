//! The TypeScript types of rows, as a driver that was told so by [`CONFIGURE`] gives and takes them.

use crate::typescript as name;
use crate::{Column, ColumnType, Table, ValueType};

/// A function of the generated code that tells `pg` how values are read and written.
pub(crate) const CONFIGURE: &str = include_str!("rows/configure.ts");

/// The type of a column's values that are not null, as a query returns them.
pub(crate) fn value(table: &Table, column: &Column) -> String {
    match &column.source.value {
        ValueType::OneOf(values) => {
            let values: Vec<String> = values.iter().map(|value| name::text(value)).collect();
            values.join(" | ")
        }
        ValueType::Declared => declared(table, column),
        ValueType::Inferred => match column.r#type {
            ColumnType::Uuid | ColumnType::Varchar { .. } | ColumnType::Text => "string",
            ColumnType::Boolean => "boolean",
            ColumnType::Integer | ColumnType::DoublePrecision => "number",
            ColumnType::BigInt | ColumnType::BigIntExact => "bigint",
            ColumnType::Timestamp => "Date",
            ColumnType::Jsonb => "unknown",
            ColumnType::Bytes => "Uint8Array",
        }
        .to_owned(),
    }
}

/// The property's own type.
pub(crate) fn declared(table: &Table, column: &Column) -> String {
    let property = name::text(&column.source.property);
    format!("NonNullable<{}[{property}]>", table.entity)
}

/// Whether any column's type is named through the entity.
pub(crate) fn names_entity(table: &Table) -> bool {
    table
        .columns
        .iter()
        .any(|column| column.source.value == ValueType::Declared)
}

/// With `| null` where the column may be null.
pub(crate) fn nullable(column: &Column, r#type: &str) -> String {
    if column.nullable {
        format!("{type} | null")
    } else {
        r#type.to_owned()
    }
}

/// A comment of one line, or nothing.
pub(crate) fn comment(indent: &str, text: Option<&str>) -> String {
    text.map_or_else(String::new, |text| {
        let words: Vec<&str> = text.split_whitespace().collect();
        format!("{indent}/** {} */\n", words.join(" ").replace("*/", "* /"))
    })
}
