//! Tables as PostgreSQL knows them, and as little of where they come from as schema files need.

use std::fmt;

use kit_ir::{Decimal, LiteralValue, Relation};
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
    /// Its former name, where a migration is to rename it; not part of a snapshot.
    #[serde(skip)]
    pub renamed_from: Option<String>,
    /// What it is for, as its entity's doc comment says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
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
    /// The name of the primary key's constraint.
    pub fn primary_key_name(&self) -> String {
        crate::names::constraint(&[&self.name], "pkey")
    }

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
    /// What it is for, as its property's doc comment says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Where it comes from; not part of a snapshot.
    #[serde(skip)]
    pub source: ColumnSource,
}

impl Column {
    /// Returns true if an insert that leaves the column out has to write the current time itself: the column's own default is more exact than a `Date`, so
    /// that a value that was read would not be found again.
    pub fn is_written_now(&self) -> bool {
        self.r#type == ColumnType::Timestamp && self.default == Some(ColumnDefault::Now)
    }
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
    /// Its former name, as a property or as a column, where a migration is to rename it.
    pub renamed_from: Option<String>,
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
    /// `bigint`: 64 bits, of a whole `number` whose bounds leave room for more than 32.
    BigInt,
    /// `bigint`, of a `bigint`.
    BigIntExact,
    /// `double precision`: what a JavaScript number is.
    DoublePrecision,
    /// `timestamp`: UTC without saying so, in microseconds. Only columns that an earlier kit made are of it.
    Timestamp,
    /// `timestamptz(3)`: a moment in milliseconds, as a `Date` is.
    Timestamptz,
    /// `jsonb`.
    Jsonb,
    /// `bytea`.
    Bytes,
}

impl ColumnType {
    /// Whether PostgreSQL sees the same type, whatever the values are in TypeScript.
    pub fn is_stored_as(self, other: Self) -> bool {
        self.to_string() == other.to_string()
    }

    /// Whether its values are text.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Varchar { .. } | Self::Text)
    }

    /// Returns true if the values are moments: a `Date` in TypeScript.
    pub fn is_time(self) -> bool {
        matches!(self, Self::Timestamp | Self::Timestamptz)
    }

    /// Whether its values are whole numbers.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Self::Integer | Self::BigInt | Self::BigIntExact)
    }
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
            Self::Timestamptz => f.write_str("timestamptz(3)"),
            Self::Jsonb => f.write_str("jsonb"),
            Self::Bytes => f.write_str("bytea"),
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

/// A constraint on the values of a column. Null satisfies every one of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// Its name.
    pub name: String,
    /// The column.
    pub column: String,
    /// What its values satisfy.
    #[serde(flatten)]
    pub rule: Rule,
}

/// What the values of a column satisfy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Rule {
    /// Each is one of these, which stand in source order.
    Values(Vec<LiteralValue>),
    /// The number of characters (code points) of a text.
    Length(Counts),
    /// The number of elements of a JSON array.
    Items(Counts),
    /// Bounds of a number.
    Range(Range),
    /// A whole number is a multiple of this one.
    MultipleOf(Decimal),
    /// A text has a part that matches this regular expression of PostgreSQL.
    Pattern(String),
}

impl Rule {
    /// The end of the constraint's name.
    pub(crate) fn suffix(&self) -> &'static str {
        match self {
            Self::Values(_) => "check",
            Self::Length(_) => "length_check",
            Self::Items(_) => "items_check",
            Self::Range(_) => "range_check",
            Self::MultipleOf(_) => "step_check",
            Self::Pattern(_) => "pattern_check",
        }
    }
}

/// Bounds of a count, inclusive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// The least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<u64>,
    /// The greatest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

/// Bounds of a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Range {
    /// The least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Decimal>,
    /// The greatest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Decimal>,
    /// Less than all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclusive_minimum: Option<Decimal>,
    /// Greater than all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclusive_maximum: Option<Decimal>,
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
