//! TypeScript types of rows, as a driver that was configured with [`CONFIGURE`] returns and accepts them.

use crate::typescript::{self as name, Names};
use crate::{Column, ColumnType, ElementType, Schema, Table, TextFile, ValueType};

/// Function of the generated code that configures how `pg` reads and writes values.
const CONFIGURE: &str = include_str!("rows/configure.ts");

/// Representation of PostgreSQL's `bigint` in TypeScript. `pg` selects a parser by the type of a value, not by its
/// column, so all `bigint` columns of a database are read alike: if one column needs all 64 bits, columns of whole
/// numbers are read as `bigint` too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BigInts {
    /// No property is a `bigint`: the values are safe integers and are read as numbers.
    Numbers,
    /// At least one property is a `bigint`.
    Exact,
}

impl BigInts {
    pub(crate) fn of(schema: &Schema) -> Self {
        let mut columns = schema.tables.iter().flat_map(|table| &table.columns);
        let is_exact = |r#type: ColumnType| {
            let element = match r#type {
                ColumnType::Array { element } => element.column(),
                other => other,
            };
            element == ColumnType::BigIntExact
        };
        if columns.any(|column| is_exact(column.r#type)) {
            Self::Exact
        } else {
            Self::Numbers
        }
    }

    /// Returns the type that a query accepts for a column of whole numbers.
    pub(crate) fn written(self) -> &'static str {
        match self {
            Self::Numbers => "number",
            Self::Exact => "bigint | number",
        }
    }

    /// Returns the source of the function that configures `pg` for all types.
    fn configure(self) -> String {
        match self {
            Self::Numbers => {
                let numbers = CONFIGURE
                    .replace("`bigint` columns as `bigint`", "`bigint` columns as numbers")
                    .replace("(20, BigInt)", "(20, safeNumber)")
                    .replace("(BigInt)", "(safeNumber)");
                format!("{numbers}{SAFE_NUMBER}")
            }
            Self::Exact => CONFIGURE.to_owned(),
        }
    }
}

/// Returns the source of the function that configures `pg` for a schema.
pub(crate) fn configure(schema: &Schema) -> String {
    let has = |wanted: &dyn Fn(ColumnType) -> bool| {
        let mut columns = schema.tables.iter().flat_map(|table| &table.columns);
        columns.any(|column| wanted(column.r#type))
    };
    let mut text = BigInts::of(schema).configure();
    if !has(&|r#type| r#type == ColumnType::Date) {
        text = text
            .replace(DAYS, "")
            .replace("times in UTC, days as text, and", "times in UTC, and");
    }
    let is_big = |r#type: ColumnType| {
        matches!(
            r#type,
            ColumnType::Array {
                element: ElementType::BigInt | ElementType::BigIntExact
            }
        )
    };
    let is_decimal = |r#type: ColumnType| {
        matches!(
            r#type,
            ColumnType::Array {
                element: ElementType::Numeric { .. }
            }
        )
    };
    if !has(&is_big) {
        for function in ["BigInt", "safeNumber"] {
            text = text.replace(&BIG_INT_ARRAYS.replace("BigInt", function), "");
        }
    }
    if !has(&is_decimal) {
        text = text.replace(DECIMAL_ARRAYS, "");
    }
    if !has(&|r#type| is_big(r#type) || is_decimal(r#type)) {
        text = text.replace(ELEMENTS, "");
    }
    text
}

/// Line of [`CONFIGURE`] that reads `date` columns as text. `pg` would make a `Date` in the time zone of the process.
const DAYS: &str = "  pg.types.setTypeParser(1082, String);\n";

/// Lines of [`CONFIGURE`] that read arrays of `bigint` and of `numeric`. `pg` would make strings and rounded numbers.
const BIG_INT_ARRAYS: &str = "  pg.types.setTypeParser(1016, (text) => elements(text).map(BigInt));\n";
const DECIMAL_ARRAYS: &str = "  pg.types.setTypeParser(1231, elements);\n";

/// Function of [`CONFIGURE`] that reads arrays of numbers.
const ELEMENTS: &str = r#"
/** The elements of an array of numbers in PostgreSQL's text form, such as `{1,2}`. */
function elements(text: string): string[] {
  return text === "{}" ? [] : text.slice(1, -1).split(",");
}
"#;

const SAFE_NUMBER: &str = "
function safeNumber(digits: string): number {
  const value = Number(digits);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`${digits} is too large for an exact number; declare the property as bigint`);
}
";

/// Returns a file for each table, whose text `module` returns, and `database.ts` with the text of `database`.
pub(crate) fn files(
    schema: &Schema,
    module: impl Fn(&Names, &Table, BigInts) -> String,
    database: impl FnOnce(&Names) -> String,
) -> Vec<TextFile> {
    let names = Names::of(schema, &["database"]);
    let big_ints = BigInts::of(schema);
    let tables = schema.tables.iter().map(|table| TextFile {
        path: names.file(table),
        text: module(&names, table, big_ints),
    });
    let mut files: Vec<TextFile> = tables.collect();
    files.push(TextFile {
        path: "database.ts".to_owned(),
        text: database(&names),
    });
    files
}

/// Returns the type of a column's non-null values, as a query returns them.
pub(crate) fn value(table: &Table, column: &Column, big_ints: BigInts) -> String {
    match &column.source.value {
        ValueType::OneOf(values) => {
            let values: Vec<String> = values.iter().map(|value| name::string_literal(value)).collect();
            values.join(" | ")
        }
        ValueType::Declared => declared(table, column),
        ValueType::Inferred => inferred(column.r#type, big_ints),
    }
}

fn inferred(r#type: ColumnType, big_ints: BigInts) -> String {
    match r#type {
        ColumnType::Array { element } => return format!("{}[]", inferred(element.column(), big_ints)),
        ColumnType::Uuid
        | ColumnType::Varchar { .. }
        | ColumnType::Text
        | ColumnType::Numeric { .. }
        | ColumnType::Citext
        | ColumnType::Enum { .. }
        | ColumnType::Date => "string",
        ColumnType::Boolean => "boolean",
        ColumnType::SmallInt | ColumnType::Integer | ColumnType::DoublePrecision => "number",
        ColumnType::BigInt if big_ints == BigInts::Numbers => "number",
        ColumnType::BigInt | ColumnType::BigIntExact => "bigint",
        ColumnType::Timestamp | ColumnType::Timestamptz => "Date",
        ColumnType::Jsonb => "unknown",
        ColumnType::Bytes => "Uint8Array",
    }
    .to_owned()
}

/// Returns the type that a query accepts for the non-null values of a column, if it differs from the type of the values
/// that a query returns: whole numbers, and arrays of them.
pub(crate) fn written(column: &Column, big_ints: BigInts) -> Option<String> {
    match column.r#type {
        ColumnType::BigInt => Some(big_ints.written().to_owned()),
        ColumnType::Array {
            element: ElementType::BigInt,
        } => Some(match big_ints {
            BigInts::Numbers => "number[]".to_owned(),
            BigInts::Exact => format!("({})[]", big_ints.written()),
        }),
        _ => None,
    }
}

/// Returns the type of the property: `NonNullable<Types.Note["title"]>`.
pub(crate) fn declared(table: &Table, column: &Column) -> String {
    let property = name::string_literal(&column.source.property);
    format!("NonNullable<Types.{}[{property}]>", table.entity)
}

/// Import of the project's types. An entity named `Date` or `Selectable` would hide a name that the module needs, so
/// all types of the project are imported as members of `Types`.
pub(crate) const IMPORT_TYPES: &str = "import type * as Types from \"../types.ts\";\n";

/// Returns true if the type of any column refers to the entity, so that the module needs [`IMPORT_TYPES`].
pub(crate) fn names_entity(table: &Table) -> bool {
    table
        .columns
        .iter()
        .any(|column| column.source.value == ValueType::Declared)
}

/// Appends `| null` if the column may be null.
pub(crate) fn nullable(column: &Column, r#type: &str) -> String {
    if column.nullable {
        format!("{type} | null")
    } else {
        r#type.to_owned()
    }
}

/// Returns the text as a doc comment of one line, or an empty string if there is no text.
pub(crate) fn comment(indent: &str, text: Option<&str>) -> String {
    text.map_or_else(String::new, |text| {
        let words: Vec<&str> = text.split_whitespace().collect();
        format!("{indent}/** {} */\n", words.join(" ").replace("*/", "* /"))
    })
}
