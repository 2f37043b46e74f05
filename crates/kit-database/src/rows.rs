//! The TypeScript types of rows, as a driver that was told so by [`CONFIGURE`] gives and takes them.

use crate::typescript as name;
use crate::{Column, ColumnType, Schema, Table, ValueType};

/// A function of the generated code that tells `pg` how values are read and written.
const CONFIGURE: &str = include_str!("rows/configure.ts");

/// What `pg` makes of the type `bigint`. It knows the type of a value and not its column, so that all columns of a database
/// are read alike: where one needs all 64 bits, those of whole numbers come as a `bigint` too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BigInts {
    /// No property is a `bigint`: the values are numbers, and safe ones.
    Numbers,
    /// Some are.
    Exact,
}

impl BigInts {
    pub(crate) fn of(schema: &Schema) -> Self {
        let mut columns = schema.tables.iter().flat_map(|table| &table.columns);
        if columns.any(|column| column.r#type == ColumnType::BigIntExact) {
            Self::Exact
        } else {
            Self::Numbers
        }
    }

    /// What a query takes for a column of whole numbers.
    pub(crate) fn written(self) -> &'static str {
        match self {
            Self::Numbers => "number",
            Self::Exact => "bigint | number",
        }
    }

    /// The function that tells `pg`.
    pub(crate) fn configure(self) -> String {
        match self {
            Self::Numbers => {
                let numbers = CONFIGURE
                    .replace("`bigint` columns as `bigint`", "`bigint` columns as numbers")
                    .replace("(20, BigInt)", "(20, safeNumber)");
                format!("{numbers}{SAFE_NUMBER}")
            }
            Self::Exact => CONFIGURE.to_owned(),
        }
    }
}

const SAFE_NUMBER: &str = "
function safeNumber(digits: string): number {
  const value = Number(digits);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`${digits} is more than a number holds exactly; declare the property as bigint`);
}
";

/// The type of a column's values that are not null, as a query returns them.
pub(crate) fn value(table: &Table, column: &Column, big_ints: BigInts) -> String {
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
            ColumnType::BigInt if big_ints == BigInts::Numbers => "number",
            ColumnType::BigInt | ColumnType::BigIntExact => "bigint",
            ColumnType::Timestamp | ColumnType::Timestamptz => "Date",
            ColumnType::Jsonb => "unknown",
            ColumnType::Bytes => "Uint8Array",
        }
        .to_owned(),
    }
}

/// The property's own type.
pub(crate) fn declared(table: &Table, column: &Column) -> String {
    let property = name::text(&column.source.property);
    format!("NonNullable<Types.{}[{property}]>", table.entity)
}

/// Import of the project's types. An entity named `Date` or `Selectable` would hide a name that the module needs, and so all
/// types of the project stand behind `Types`.
pub(crate) const IMPORT_TYPES: &str = "import type * as Types from \"../types.ts\";\n";

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
