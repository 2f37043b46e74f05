//! Tables as PostgreSQL knows them, and as little of where they come from as schema files need.

use std::fmt;

use kit_ir::{LiteralValue, Relation};
use serde::{Deserialize, Serialize};

/// All tables of an application, in the order of its entities.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Schema {
    /// The tables.
    pub tables: Vec<Table>,
}

impl Schema {
    /// The table of that name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Table {
    /// Its name in the database.
    pub name: String,
    /// The entity it stores; empty in a table that was read from a snapshot, which knows nothing of types.
    #[serde(skip)]
    pub entity: String,
    /// The columns in order.
    pub columns: Vec<Column>,
    /// Names of the primary key's columns; never empty.
    pub primary_key: Vec<String>,
    /// Unique constraints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uniques: Vec<Unique>,
    /// Constraints on what values a column may hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// References to other tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign_keys: Vec<ForeignKey>,
    /// Indexes beyond those that the constraints bring.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<Index>,
}

impl Table {
    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The column that stores a property of the entity.
    pub fn column_of(&self, property: &str) -> Option<&Column> {
        self.columns
            .iter()
            .find(|column| column.source.property == property)
    }
}

/// A column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Column {
    /// Its name in the database.
    pub name: String,
    /// What it stores.
    pub r#type: ColumnType,
    /// Whether it may be null.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nullable: bool,
    /// What an insert that leaves it out stores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<ColumnDefault>,
    /// Where it comes from; not part of a snapshot.
    #[serde(skip)]
    pub source: ColumnSource,
}

/// Where a column comes from: what schema files need and the database does not know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnSource {
    /// The property's name.
    pub property: String,
    /// `@onUpdate now`: the query builder sets it on each update.
    pub on_update_now: bool,
    /// How much narrower than the column the property's type is.
    pub value: ValueType,
}

/// The TypeScript type of a column's values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ValueType {
    /// What the query builder infers of the column type.
    #[default]
    Inferred,
    /// One of these texts.
    OneOf(Vec<String>),
    /// The property's own type, named through its entity.
    Declared,
}

/// What a column stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum ColumnType {
    /// `uuid`.
    Uuid,
    /// `varchar(n)`: at most that many characters (code points).
    Varchar {
        /// n
        length: u32,
    },
    /// `text`.
    Text,
    /// `boolean`.
    Boolean,
    /// `integer`: 32 bits.
    Integer,
    /// `bigint`: 64 bits, of a `number` whose range asks for it.
    BigInt,
    /// `bigint`, of a `bigint`.
    BigIntExact,
    /// `double precision`: what a JavaScript number is.
    DoublePrecision,
    /// `timestamp`, without time zone; kit keeps UTC in it.
    Timestamp,
    /// `jsonb`.
    Jsonb,
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uuid => f.write_str("uuid"),
            Self::Varchar { length } => write!(f, "varchar({length})"),
            Self::Text => f.write_str("text"),
            Self::Boolean => f.write_str("boolean"),
            Self::Integer => f.write_str("integer"),
            Self::BigInt | Self::BigIntExact => f.write_str("bigint"),
            Self::DoublePrecision => f.write_str("double precision"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Jsonb => f.write_str("jsonb"),
        }
    }
}

/// What an insert that leaves a column out stores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "value")]
pub enum ColumnDefault {
    /// `gen_random_uuid()`.
    RandomUuid,
    /// `now()`.
    Now,
    /// The next number of the column's own sequence (`generated by default as identity`).
    Identity,
    /// A scalar.
    Literal(LiteralValue),
    /// JSON text, for `jsonb`.
    Json(String),
}

/// A unique constraint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Unique {
    /// Its name.
    pub name: String,
    /// Names of its columns.
    pub columns: Vec<String>,
}

/// A constraint that lists the values a column may hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// Its name.
    pub name: String,
    /// The column.
    pub column: String,
    /// The values, in source order.
    pub values: Vec<LiteralValue>,
}

/// A reference to a row of another table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ForeignKey {
    /// Its name.
    pub name: String,
    /// The column here.
    pub column: String,
    /// The other table.
    pub table: String,
    /// The column there, a primary key or unique.
    pub target: String,
    /// What deleting the row there does here.
    pub on_delete: Relation,
}

/// An index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    /// Its name, unique in the database's schema.
    pub name: String,
    /// Names of its columns.
    pub columns: Vec<String>,
}
