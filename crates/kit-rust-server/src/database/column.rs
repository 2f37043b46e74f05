//! A column in the text of queries.

use kit_database::{ColumnDefault, ColumnType, sql};

use crate::names;

use super::{Kind, StoredColumn, inner, is_copied};

impl StoredColumn<'_> {
    /// The column in a list of what a query gives.
    pub(super) fn selected(&self) -> String {
        let name = sql::identifier(&self.column.name);
        match self.column.r#type {
            // A whole number is 64 bits wide in Rust, and any other one a double, however narrow its column is.
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

    /// What stands for a parameter, of the column's type.
    pub(super) fn parameter(&self, number: usize) -> String {
        match self.column.r#type {
            ColumnType::Uuid => format!("${number}::uuid"),
            ColumnType::Integer => format!("${number}::int4"),
            _ => format!("${number}"),
        }
    }

    /// What stands for a parameter that a column is compared with. A whole number of any size is no match at worst.
    pub(super) fn compared(&self, number: usize) -> String {
        match self.column.r#type {
            ColumnType::Integer => format!("${number}"),
            _ => self.parameter(number),
        }
    }

    /// Value that an insert stores if none is given.
    pub(super) fn default(&self, default: &ColumnDefault) -> String {
        match default {
            ColumnDefault::Now => sql::now(self.column.r#type).to_owned(),
            default => sql::default(default),
        }
    }

    /// Whether a function of the runtime reads it, which knows more than PostgreSQL's type says.
    pub(super) fn is_read_by_runtime(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::Json) || self.column.r#type == ColumnType::Uuid
    }

    /// The field's value in a row.
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
        // Null is a value of such a property, and not its absence.
        if self.field.optional && self.field.r#type.starts_with("Option<") {
            format!("Some({value})")
        } else {
            value
        }
    }

    /// The type of a parameter by which a row is named.
    pub(crate) fn key_type(&self) -> Option<&'static str> {
        let is_option = self.field.r#type.starts_with("Option<");
        self.parameter_type().filter(|_| !is_option)
    }

    /// The type of a parameter that a statement compares the column with; the column may hold null beside such values.
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

    /// The type that PostgreSQL's is read as.
    pub(super) fn scalar(&self) -> &str {
        self.within.as_deref().unwrap_or(self.plain_type())
    }

    /// The type of a value that a statement takes, where null cannot be meant.
    pub(crate) fn plain_type(&self) -> &str {
        inner(&self.field.r#type)
    }

    /// The condition under which a filter's value is none that PostgreSQL compares with the column; nothing where it compares them all.
    pub(super) fn misfit(&self, optional: &str) -> Option<String> {
        match (self.kind, self.column.r#type) {
            (Kind::Plain, ColumnType::Uuid) => Some(format!("sql::is_no_uuid({optional}.as_deref())")),
            (Kind::Plain, ColumnType::BigIntExact) => Some(format!("sql::is_no_bigint({optional}.as_ref())")),
            (Kind::Newtype, ColumnType::BigIntExact) => Some(format!(
                "sql::is_no_bigint({optional}.as_ref().map(|value| &value.0))"
            )),
            _ => None,
        }
    }

    /// Binds a value, which is behind an `Option` or not.
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

    /// What stands before a value within a named type that is bound.
    pub(super) fn borrowed(&self) -> &'static str {
        if is_copied(self.scalar()) { "" } else { "&" }
    }

    /// Whether its values are copied where others are borrowed.
    pub(super) fn is_copied(&self) -> bool {
        match self.kind {
            Kind::Plain => is_copied(self.plain_type()),
            Kind::Text => true,
            Kind::Json | Kind::Newtype => false,
        }
    }

    /// How many `Option`s an insert has around its value: one where it may be left out, two where null is more than that.
    pub(crate) fn insert_options(&self) -> usize {
        usize::from(self.column.nullable) + usize::from(self.column.default.is_some())
    }

    /// The same for an update, which may leave out everything.
    pub(crate) fn update_options(&self) -> usize {
        1 + usize::from(self.column.nullable)
    }

    /// Returns true if a list can choose rows by it. A UUID within a named type has no guard against other text.
    pub(crate) fn is_comparable(&self) -> bool {
        match self.kind {
            Kind::Json => false,
            Kind::Newtype => self.column.r#type != ColumnType::Uuid,
            Kind::Plain | Kind::Text => true,
        }
    }

    /// Binds a value that is behind so many `Option`s, and before it whether it is there at all where null is a value.
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

    /// Whether the database makes its values, and nobody changes them.
    pub(crate) fn is_made(&self) -> bool {
        self.column.source.on_update_now
            || matches!(
                self.column.default,
                Some(ColumnDefault::Now | ColumnDefault::RandomUuid | ColumnDefault::Identity)
            )
    }
}
