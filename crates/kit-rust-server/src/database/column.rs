//! Columns in generated queries.

use kit_database::{ColumnDefault, ColumnType, sql};

use crate::names;

use super::{Kind, StoredColumn, inner, is_copied};

impl StoredColumn<'_> {
    /// Returns the column as written in a `SELECT` list.
    pub(super) fn selected(&self) -> String {
        let name = sql::identifier(&self.column.name);
        match self.column.r#type {
            // In Rust, a whole number is an `i64` and any other number an `f64`, even if the column is narrower.
            ColumnType::Integer | ColumnType::BigInt | ColumnType::DoublePrecision => {
                match (self.scalar(), self.column.r#type) {
                    ("i64", ColumnType::BigInt) | ("f64", ColumnType::DoublePrecision) => name,
                    ("i64", _) => format!("{name}::int8 AS {name}"),
                    _ => format!("{name}::float8 AS {name}"),
                }
            }
            _ => name,
        }
    }

    /// Returns the parameter with a cast to the column's type if necessary.
    pub(super) fn parameter(&self, number: usize) -> String {
        match self.column.r#type {
            ColumnType::Uuid => format!("${number}::uuid"),
            ColumnType::Integer => format!("${number}::int4"),
            _ => format!("${number}"),
        }
    }

    /// Returns the parameter that the column is compared with. An `integer` column is compared without a cast, so that
    /// a number beyond 32 bits matches no row instead of failing.
    pub(super) fn compared(&self, number: usize) -> String {
        match self.column.r#type {
            ColumnType::Integer => format!("${number}"),
            _ => self.parameter(number),
        }
    }

    /// Returns the value that an insert stores if no value is given.
    pub(super) fn default(&self, default: &ColumnDefault) -> String {
        match default {
            ColumnDefault::Now => sql::now(self.column.r#type).to_owned(),
            default => sql::default(default),
        }
    }

    /// Returns true if a function of the runtime reads the column, because the PostgreSQL type alone is not sufficient.
    pub(super) fn is_read_by_runtime(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::Json) || self.column.r#type == ColumnType::Uuid
    }

    /// Returns the expression that reads the field from a row.
    pub(super) fn read(&self) -> String {
        let name = names::text(&self.column.name);
        let is_option = self.field.optional || self.field.r#type.starts_with("Option<");
        let is_uuid = self.column.r#type == ColumnType::Uuid;
        let uuid = format!(
            "sql::{}uuid(row, {name})?",
            if is_option { "optional_" } else { "" }
        );
        let value = match self.kind {
            Kind::Plain if is_uuid => uuid,
            Kind::Plain => format!("row.try_get({name})?"),
            Kind::Text => format!("sql::text(row, {name})?"),
            Kind::Json => format!("sql::json(row, {name})?"),
            Kind::Newtype if is_uuid && is_option => format!("{uuid}.map({})", self.plain_type()),
            Kind::Newtype if is_uuid => format!("{}({uuid})", self.plain_type()),
            Kind::Newtype if is_option => {
                let (outer, within) = (self.plain_type(), self.scalar());
                format!("row.try_get::<Option<{within}>, _>({name})?.map({outer})")
            }
            Kind::Newtype => format!("{}(row.try_get({name})?)", self.plain_type()),
        };
        // For this property, null is a value and differs from a missing value.
        if self.field.optional && self.field.r#type.starts_with("Option<") {
            format!("Some({value})")
        } else {
            value
        }
    }

    /// Returns the type of a parameter that identifies a row by this column.
    pub(crate) fn key_type(&self) -> Option<&'static str> {
        let is_option = self.field.r#type.starts_with("Option<");
        self.parameter_type().filter(|_| !is_option)
    }

    /// Returns the type of a parameter that a statement compares the column with. The column itself may be nullable.
    pub(crate) fn parameter_type(&self) -> Option<&'static str> {
        match self.plain_type() {
            "String" if self.kind == Kind::Plain => Some("&str"),
            "i64" => Some("i64"),
            "f64" => Some("f64"),
            "BigInt" if self.kind == Kind::Plain => Some("&BigInt"),
            "kit_runtime::BigInt" => Some("&kit_runtime::BigInt"),
            _ => None,
        }
    }

    /// Returns the Rust type as which the column is read.
    pub(super) fn scalar(&self) -> &str {
        self.within.as_deref().unwrap_or(self.plain_type())
    }

    /// Returns the type of a value that a statement accepts and that cannot be null.
    pub(crate) fn plain_type(&self) -> &str {
        inner(&self.field.r#type)
    }

    /// Returns the condition under which PostgreSQL cannot compare a filter's value with the column, or `None` if it
    /// can compare every value.
    pub(super) fn misfit(&self, optional: &str) -> Option<String> {
        match (self.kind, self.column.r#type) {
            (Kind::Plain, ColumnType::Uuid) => Some(format!("sql::is_not_uuid({optional}.as_deref())")),
            (Kind::Plain, ColumnType::BigIntExact) => {
                Some(format!("sql::exceeds_bigint({optional}.as_ref())"))
            }
            (Kind::Newtype, ColumnType::BigIntExact) => Some(format!(
                "sql::exceeds_bigint({optional}.as_ref().map(|value| &value.0))"
            )),
            _ => None,
        }
    }

    /// Binds a value, which may be in an `Option`.
    pub(super) fn bind(&self, value: &str, optional: bool) -> String {
        match (self.kind, optional) {
            (Kind::Plain, _) if self.is_copied() => format!(".bind({value})"),
            (Kind::Plain, _) => format!(".bind(&{value})"),
            (Kind::Text, false) => format!(".bind({value}.as_str())"),
            (Kind::Text, true) => format!(".bind({value}.map({}::as_str))", self.plain_type()),
            (Kind::Json, false) => format!(".bind(sqlx::types::Json(&{value}))"),
            (Kind::Json, true) => format!(".bind({value}.as_ref().map(sqlx::types::Json))"),
            (Kind::Newtype, false) => format!(".bind({}{value}.0)", self.borrowed()),
            (Kind::Newtype, true) => {
                format!(".bind({value}.as_ref().map(|value| {}value.0))", self.borrowed())
            }
        }
    }

    /// Returns the prefix for a bound value within a newtype: `&` or nothing.
    pub(super) fn borrowed(&self) -> &'static str {
        if is_copied(self.scalar()) { "" } else { "&" }
    }

    /// Returns true if the values are copied, and false if they are borrowed.
    pub(super) fn is_copied(&self) -> bool {
        match self.kind {
            Kind::Plain => is_copied(self.plain_type()),
            Kind::Text => true,
            Kind::Json | Kind::Newtype => false,
        }
    }

    /// Returns the number of `Option`s around the value of an insert: one if the column is nullable or has a default,
    /// two if both.
    pub(crate) fn insert_options(&self) -> usize {
        usize::from(self.column.nullable) + usize::from(self.column.default.is_some())
    }

    /// Returns the number of `Option`s around the value of an update, in which every column is optional.
    pub(crate) fn update_options(&self) -> usize {
        1 + usize::from(self.column.nullable)
    }

    /// Returns true if a list can filter by this column. A UUID within a newtype is excluded, because no check refuses
    /// other text.
    pub(crate) fn is_comparable(&self) -> bool {
        match self.kind {
            Kind::Json => false,
            Kind::Newtype => self.column.r#type != ColumnType::Uuid,
            Kind::Plain | Kind::Text => true,
        }
    }

    /// Binds a value in the given number of `Option`s. If null is a value, first binds a flag that is true if the value
    /// is present.
    pub(super) fn bind_optional(&self, value: &str, options: usize) -> Vec<String> {
        if options < 2 {
            return vec![self.bind(value, options == 1)];
        }
        let flat = if self.is_copied() {
            format!("{value}.flatten()")
        } else {
            format!("{value}.clone().flatten()")
        };
        let bound = match self.kind {
            Kind::Plain => format!(".bind({flat})"),
            Kind::Text => format!(".bind({flat}.map({}::as_str))", self.plain_type()),
            Kind::Json => format!(".bind({flat}.map(sqlx::types::Json))"),
            Kind::Newtype => format!(".bind({flat}.map(|value| value.0))"),
        };
        vec![format!(".bind({value}.is_some())"), bound]
    }

    /// Returns true if the database or kit generates the values, and clients do not set them.
    pub(crate) fn is_made(&self) -> bool {
        self.column.source.on_update_now
            || matches!(
                self.column.default,
                Some(ColumnDefault::Now | ColumnDefault::RandomUuid | ColumnDefault::Identity)
            )
    }
}
