//! Model of PostgreSQL tables, with the few facts about their entities that schema files need.

use std::collections::BTreeSet;

use kit_ir::{Decimal, DecimalRange, IndexColumnOptions, IndexMethod, LiteralValue, ReferentialActions};
use serde::{Deserialize, Serialize};

pub use crate::column_type::{ColumnType, ElementType, TypeName};
use crate::local_name;
use crate::sql::names_in;

/// All tables of an application, in the order of its entities.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Schema {
    /// The tables.
    pub tables: Vec<Table>,
}

impl Schema {
    /// Returns the table with the given name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Table {
    /// Name in the database, with its schema if the table is not in the first schema of the `search_path`.
    pub name: String,
    /// Name of the stored entity; empty in a table that was read from a snapshot, because snapshots contain no types.
    #[serde(skip)]
    pub entity: String,
    /// Former name of the table, from `@renamedFrom`; not part of a snapshot.
    #[serde(skip)]
    pub renamed_from: Option<String>,
    /// Comment in the database, from the doc comment of the entity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The columns, in order.
    pub columns: Vec<Column>,
    /// Names of the primary key's columns; never empty.
    pub primary_key: Vec<String>,
    /// Name of the primary key constraint, if hand-written SQL or an adopted database chose another name than kit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_name: Option<String>,
    /// Names of constraints and indexes that hand-written SQL or an adopted database chose. Migrations do not rename
    /// them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub kept_names: BTreeSet<String>,
    /// Unique constraints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uniques: Vec<Unique>,
    /// Check constraints on the values of columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// Foreign keys to other tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign_keys: Vec<ForeignKey>,
    /// Name of the column with the tenant of a row. A policy then selects the rows of one tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Indexes, except for indexes that PostgreSQL creates for constraints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<Index>,
}

impl Table {
    /// Removes a unique constraint on the columns of the primary key. PostgreSQL would create only one of these constraints.
    pub(crate) fn leave_out_key(&mut self) {
        let key = &self.primary_key;
        self.uniques.retain(|unique| unique.columns != *key);
    }

    /// Returns the name of the primary key constraint.
    pub fn primary_key_name(&self) -> String {
        self.key_name
            .clone()
            .unwrap_or_else(|| crate::names::constraint(&[&local_name(&self.name)], "pkey"))
    }

    /// Returns the column with the given name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Returns the column with the tenant of a row; `None` if every tenant sees all rows.
    pub(crate) fn tenant_column(&self) -> Option<&Column> {
        self.column(self.tenant.as_deref()?)
    }

    /// Returns the column that stores a property of the entity.
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
    /// Name in the database.
    pub name: String,
    /// Type of the stored values.
    pub r#type: ColumnType,
    /// True if the column may be null.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nullable: bool,
    /// Value that PostgreSQL stores if an insert omits the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<ColumnDefault>,
    /// Comment in the database, from the doc comment of the property.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Values of the column's enum type, in its order; empty for other types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Origin of the column; not part of a snapshot.
    #[serde(skip)]
    pub source: ColumnSource,
}

impl Column {
    /// Returns true if generated code must supply the current time when an insert omits the column. The
    /// default `now()` of a `timestamp` column has microseconds, but a `Date` has milliseconds: a query with
    /// a `Date` that was read from the column would not find the row.
    pub fn is_written_now(&self) -> bool {
        self.r#type == ColumnType::Timestamp && self.default == Some(ColumnDefault::Now)
    }
}

/// Origin of a column: facts about its property that schema files need and the database does not contain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnSource {
    /// Name of the property.
    pub property: String,
    /// True for `@onUpdate now`: each update sets the column to the current time.
    pub on_update_now: bool,
    /// TypeScript type of the values in the column.
    pub value: ValueType,
    /// Former name of the property or of the column, from `@renamedFrom`.
    pub renamed_from: Option<String>,
}

/// TypeScript type of a column's values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ValueType {
    /// The type that the query builder infers from the column type.
    #[default]
    Inferred,
    /// One of these strings.
    OneOf(Vec<String>),
    /// The type of the property, which schema files write as `Types.Note["title"]`.
    Declared,
}

/// Default of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "value")]
pub enum ColumnDefault {
    /// A new random UUID: `gen_random_uuid()`.
    RandomUuid,
    /// A new UUID of version 7, which begins with the time in milliseconds.
    UuidV7,
    /// The current time: `now()`.
    Now,
    /// Next number of the column's own sequence (`generated by default as identity`).
    Identity,
    /// A string, number, boolean or `bigint` literal.
    Literal(LiteralValue),
    /// JSON text, for `jsonb`.
    Json(String),
    /// Array in PostgreSQL's text form, such as `{a,"b c"}`.
    Array(String),
}

/// A unique constraint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Unique {
    /// Name of the constraint.
    pub name: String,
    /// Names of the columns.
    pub columns: Vec<String>,
}

impl Unique {
    /// Returns a unique index that keeps the same rule.
    ///
    /// ```
    /// use kit_database::Unique;
    ///
    /// let unique = Unique { name: "one_email".to_owned(), columns: vec!["email".to_owned()] };
    /// let index = unique.as_index("by_email");
    /// assert_eq!(index.definition("users"), "CREATE UNIQUE INDEX ON users USING btree (email)");
    /// ```
    pub fn as_index(&self, name: &str) -> Index {
        Index {
            name: name.to_owned(),
            columns: self.columns.clone(),
            unique: true,
            ..Index::default()
        }
    }
}

/// A check constraint on the values of a column. Null satisfies every check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// Name of the constraint.
    pub name: String,
    /// Name of the column; empty for a check of the whole row.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub column: String,
    /// Rule that the values satisfy.
    #[serde(flatten)]
    pub rule: Rule,
}

/// Rule that the values of a column satisfy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Rule {
    /// Each value of the column is one of these literals, which have the order of the source.
    Values(Vec<LiteralValue>),
    /// Bounds of the number of characters (code points) of a text.
    Length(Counts),
    /// Bounds of the number of elements of a JSON array.
    Items(Counts),
    /// Bounds of the number of elements of an array column.
    Cardinality(Counts),
    /// No element of an array column is null, and each is one of the listed values.
    Elements(Elements),
    /// Bounds of a number.
    Range(Range),
    /// Bounds of a decimal number.
    Decimals(DecimalRange),
    /// A whole number is a multiple of this number.
    MultipleOf(Decimal),
    /// The row satisfies this SQL condition, which the user wrote.
    Sql(String),
    /// A text contains a match of this PostgreSQL regular expression.
    Pattern(String),
}

impl Rule {
    /// Returns the suffix of the constraint's name: `length_check` in `notes_title_length_check`.
    pub(crate) fn suffix(&self) -> &'static str {
        match self {
            Self::Values(_) | Self::Sql(_) => "check",
            Self::Length(_) => "length_check",
            Self::Items(_) | Self::Cardinality(_) => "items_check",
            Self::Elements(_) => "elements_check",
            Self::Range(_) | Self::Decimals(_) => "range_check",
            Self::MultipleOf(_) => "step_check",
            Self::Pattern(_) => "pattern_check",
        }
    }
}

/// Rule for the elements of an array column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Elements {
    /// Type of the elements.
    pub of: ElementType,
    /// The only values of the elements; empty if the type does not list its values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<LiteralValue>,
}

/// Bounds of a count, inclusive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Smallest valid count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<u64>,
    /// Greatest valid count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

/// Bounds of a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Range {
    /// Smallest valid value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Decimal>,
    /// Greatest valid value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Decimal>,
    /// Values must be greater than this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclusive_minimum: Option<Decimal>,
    /// Values must be less than this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclusive_maximum: Option<Decimal>,
}

/// A foreign key to a row of another table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ForeignKey {
    /// Name of the constraint.
    pub name: String,
    /// Names of the referring columns in this table.
    #[serde(rename = "column", with = "one_or_several")]
    pub columns: Vec<String>,
    /// Name of the table that the foreign key refers to.
    pub table: String,
    /// Names of the columns in the other table, in the order of `columns`. They are its primary key or are unique.
    #[serde(rename = "target", with = "one_or_several")]
    pub targets: Vec<String>,
    /// Actions on this row if the other row changes.
    #[serde(flatten)]
    pub actions: ReferentialActions,
}

impl ForeignKey {
    /// Returns the referring columns, each with the column to which it refers.
    ///
    /// ```
    /// use kit_database::ForeignKey;
    ///
    /// let key = ForeignKey {
    ///     name: "orders_shop_id_id_fk".to_owned(),
    ///     columns: vec!["shop_id".to_owned()],
    ///     table: "shops".to_owned(),
    ///     targets: vec!["id".to_owned()],
    ///     actions: Default::default(),
    /// };
    /// assert_eq!(key.pairs().next(), Some(("shop_id", "id")));
    /// ```
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let targets = self.targets.iter().map(String::as_str);
        self.columns.iter().map(String::as_str).zip(targets)
    }

    /// Returns the column to which a referring column refers; `None` if the foreign key does not contain the column.
    pub(crate) fn target_of(&self, column: &str) -> Option<&str> {
        self.pairs()
            .find(|(here, _)| *here == column)
            .map(|(_, there)| there)
    }
}

/// JSON form of a list of names: a string for one name, as in snapshots of earlier versions of kit.
mod one_or_several {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Names {
        One(String),
        Several(Vec<String>),
    }

    pub(super) fn serialize<S: Serializer>(names: &[String], serializer: S) -> Result<S::Ok, S::Error> {
        match names {
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
        Ok(match Names::deserialize(deserializer)? {
            Names::One(name) => vec![name],
            Names::Several(names) => names,
        })
    }
}

/// An index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    /// Name of the index, unique in the schema of its table.
    pub name: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Operator class and order of each column; empty if all columns have the defaults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<IndexColumnOptions>,
    /// True if no two rows that the index contains have the same values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unique: bool,
    /// Access method; `None` for `btree`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<IndexMethod>,
    /// Names of further columns that the index stores.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// SQL condition of the rows that the index contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}

impl Index {
    /// Returns true if two indexes are equal except for their names.
    pub(crate) fn is_defined_as(&self, other: &Self) -> bool {
        let renamed = Self {
            name: other.name.clone(),
            ..self.clone()
        };
        renamed == *other
    }

    /// Returns true if the index uses a column in its condition, or contains the column beside its key.
    pub(crate) fn uses_outside_key(&self, column: &String) -> bool {
        let condition = self.condition.as_deref().map_or_else(Vec::new, names_in);
        self.include.contains(column) || condition.contains(column)
    }

    /// Returns true if the index keeps the same rule as the unique constraint.
    pub(crate) fn is_same_rule(&self, unique: &Unique) -> bool {
        self.is_defined_as(&unique.as_index(""))
    }

    /// Returns the end of the name that kit derives: `idx` in `notes_title_idx`.
    pub(crate) fn suffix(&self) -> &'static str {
        if self.unique { "unique" } else { "idx" }
    }
}
