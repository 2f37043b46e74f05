//! Generates the code for one column of a table: its parts of SQL statements, and the Rust code that reads and binds
//! its values.

use kit_database::{ColumnDefault, ColumnType, ElementType, sql};
use proc_macro2::TokenStream;
use quote::quote;

use super::{Kind, Parameter, StoredColumn};
use crate::source::string_literal;
use crate::types::{RuntimeItem, RustType};

impl StoredColumn<'_> {
    /// Returns the column for a `SELECT` list, with a cast if the Rust type needs one: `"count"::int8 AS "count"`.
    pub(super) fn selected(&self) -> String {
        let name = sql::identifier(&self.column.name);
        let is_foreign = self.foreign_type.is_some();
        match self.column.r#type {
            ColumnType::Text | ColumnType::Varchar { .. } if is_foreign => {
                match self.foreign_name().as_deref() {
                    // sqlx reads these types as strings.
                    Some("text" | "character varying" | "character" | "name") => name,
                    // A cast to text shows a network of one address: `10.0.0.1/32`.
                    Some("inet") => format!("abbrev({name}) AS {name}"),
                    _ => format!("{name}::text AS {name}"),
                }
            }
            // A `real` becomes the number that its text has, as in Node.
            ColumnType::DoublePrecision if is_foreign => format!("{name}::text::float8 AS {name}"),
            // sqlx reads the texts of these types as strings.
            ColumnType::Numeric { .. } | ColumnType::Date | ColumnType::Citext | ColumnType::Enum { .. } => {
                format!("{name}::text AS {name}")
            }
            // The Rust type of a number is `i64` or `f64`, even if the column has fewer bits.
            ColumnType::SmallInt | ColumnType::Integer | ColumnType::BigInt | ColumnType::DoublePrecision => {
                match (self.scalar(), self.column.r#type) {
                    (RustType::I64, ColumnType::BigInt) | (RustType::F64, ColumnType::DoublePrecision)
                        if !is_foreign =>
                    {
                        name
                    }
                    (RustType::I64, _) => format!("{name}::int8 AS {name}"),
                    _ => format!("{name}::float8 AS {name}"),
                }
            }
            // An array is read and bound as JSON, in which these elements are texts.
            ColumnType::Array {
                element: ElementType::Numeric { .. } | ElementType::BigIntExact,
            } => format!("to_jsonb({name}::text[]) AS {name}"),
            ColumnType::Array { .. } => format!("to_jsonb({name}) AS {name}"),
            _ => name,
        }
    }

    /// Returns the parameter `$n` of a statement, with a cast to the column's type if necessary: `$1::uuid`.
    pub(super) fn parameter(&self, number: usize) -> String {
        if let Some(cast) = self.foreign_cast() {
            return format!("${number}::{cast}");
        }
        match self.column.r#type {
            ColumnType::Uuid => format!("${number}::uuid"),
            ColumnType::Integer => format!("${number}::int4"),
            ColumnType::SmallInt => format!("${number}::int2"),
            ColumnType::Numeric { .. } => format!("${number}::numeric"),
            ColumnType::Date => format!("${number}::date"),
            ColumnType::Citext => format!("${number}::citext"),
            ColumnType::Enum { .. } => format!("${number}::{}", self.column.r#type),
            ColumnType::Array { element } => format!(
                "(SELECT ARRAY(SELECT jsonb_array_elements_text(${number})) WHERE ${number} IS NOT NULL)::{}[]",
                cast_of_elements(element)
            ),
            _ => format!("${number}"),
        }
    }

    /// Returns the type to which statements cast a value for a column with a type of the database. Returns `None` if kit
    /// chose the type, or PostgreSQL itself converts the value when it stores the value.
    fn foreign_cast(&self) -> Option<&str> {
        let foreign = self.foreign_type.as_deref()?;
        match self.column.r#type {
            // An explicit cast to `bit(3)` would cut a value that is too long. The column itself refuses such a value.
            ColumnType::Text | ColumnType::Varchar { .. } => match type_without_length(foreign).as_str() {
                "text" | "character varying" | "character" | "name" => None,
                "citext" => Some("citext"),
                "bit" | "bit varying" => Some("bit varying"),
                "numeric" => Some("numeric"),
                "time without time zone" => Some("time"),
                "time with time zone" => Some("timetz"),
                _ => Some(foreign),
            },
            // sqlx sends JSON as `jsonb`, and PostgreSQL does not convert `json` to `jsonb` in `COALESCE` and `CASE`.
            ColumnType::SmallInt
            | ColumnType::Integer
            | ColumnType::BigInt
            | ColumnType::DoublePrecision
            | ColumnType::Jsonb => Some(foreign),
            _ => None,
        }
    }

    /// Returns false if the column has a type of the database with which a text of the request cannot be compared safely:
    /// the comparison of an `inet` and a text that is no address would fail.
    pub(super) fn is_comparable(&self) -> bool {
        let Some(foreign) = self.foreign_type.as_deref() else {
            return true;
        };
        match self.column.r#type {
            // The type of a union contains only values of the enum in the database.
            ColumnType::Text | ColumnType::Varchar { .. } if self.kind == Kind::Text => true,
            ColumnType::Text | ColumnType::Varchar { .. } => matches!(
                type_without_length(foreign).as_str(),
                "text" | "character varying" | "character" | "name" | "citext"
            ),
            // PostgreSQL compares only arrays of the same type.
            ColumnType::Array { .. } => type_without_length(foreign) == "character varying[]",
            // A `real` rarely equals the number of the request.
            ColumnType::DoublePrecision => false,
            _ => true,
        }
    }

    /// Returns true if the database may refuse to store a value, because the column has a type that kit does not model.
    pub(crate) fn has_foreign_type(&self) -> bool {
        self.foreign_type.is_some()
    }

    /// Returns true if lists can be sorted by the column: PostgreSQL compares the values as those of the type that kit would
    /// choose. A text may have another length.
    pub(super) fn can_sort(&self) -> bool {
        self.foreign_name()
            .is_none_or(|foreign| matches!(foreign.as_str(), "text" | "character varying"))
    }

    /// Returns the name of the type that the database chose, without its length.
    pub(super) fn foreign_name(&self) -> Option<String> {
        self.foreign_type.as_deref().map(type_without_length)
    }

    /// Returns the parameter `$n` for a comparison with the column, with a cast if necessary: `$1::uuid`. For
    /// an `integer` or `smallint` column, the parameter has no cast: a number beyond its bits then matches no row, but a
    /// cast would fail.
    pub(super) fn compared(&self, number: usize) -> String {
        match self.column.r#type {
            ColumnType::Integer | ColumnType::SmallInt | ColumnType::BigInt => format!("${number}"),
            // Without a cast, PostgreSQL would compare texts, for which the column has no index.
            ColumnType::Text | ColumnType::Varchar { .. }
                if self.foreign_name().as_deref() == Some("character") =>
            {
                format!("${number}::bpchar")
            }
            _ => self.parameter(number),
        }
    }

    /// Returns the SQL expression that an insert stores if the request has no value for the column.
    pub(super) fn default(&self, default: &ColumnDefault) -> String {
        match (default, self.foreign_cast()) {
            (ColumnDefault::Now, _) => sql::now(self.column.r#type).to_owned(),
            (ColumnDefault::Json(_), Some(cast)) => format!("{}::{cast}", sql::default(default)),
            (default, _) => sql::default(default),
        }
    }

    /// Returns true if generated code reads the column with a function of `kit_runtime::sql`, because sqlx
    /// cannot convert the column to its Rust type.
    pub(super) fn is_read_by_runtime(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::Json) || self.column.r#type == ColumnType::Uuid
    }

    /// Returns the Rust expression that reads the column from a row.
    pub(super) fn read(&self) -> TokenStream {
        let name = string_literal(&self.column.name);
        let is_option = self.field.optional || self.field.r#type.is_option();
        let is_uuid = self.column.r#type == ColumnType::Uuid;
        let uuid = if is_option {
            quote!(sql::optional_uuid(row, #name)?)
        } else {
            quote!(sql::uuid(row, #name)?)
        };
        let outer = self.plain_type();
        let value = match self.kind {
            Kind::Plain if is_uuid => uuid,
            Kind::Plain => quote!(row.try_get(#name)?),
            Kind::Text => quote!(sql::text(row, #name)?),
            Kind::Json => quote!(sql::json(row, #name)?),
            Kind::Newtype if is_uuid && is_option => quote!(#uuid.map(#outer)),
            Kind::Newtype if is_uuid => quote!(#outer(#uuid)),
            Kind::Newtype if is_option => {
                let within = self.scalar();
                quote!(row.try_get::<Option<#within>, _>(#name)?.map(#outer))
            }
            Kind::Newtype => quote!(#outer(row.try_get(#name)?)),
        };
        // Null is a value of this property and differs from an absent value.
        if self.field.optional && self.field.r#type.is_option() {
            quote!(Some(#value))
        } else {
            value
        }
    }

    /// Returns the parameter type for this column as a part of the key. Returns `None` if the column cannot be part
    /// of a key.
    pub(crate) fn key_type(&self) -> Option<Parameter> {
        self.parameter_type().filter(|_| !self.field.r#type.is_option())
    }

    /// Returns the parameter type for comparisons with the column, which may be nullable. Returns `None` if no
    /// parameter can be compared with it.
    pub(crate) fn parameter_type(&self) -> Option<Parameter> {
        if !self.is_comparable() {
            return None;
        }
        match self.plain_type() {
            RustType::String if self.kind == Kind::Plain => Some(Parameter::Text),
            RustType::I64 => Some(Parameter::Whole),
            RustType::F64 => Some(Parameter::Float),
            RustType::Runtime(own) if self.kind == Kind::Plain => match own.item {
                RuntimeItem::BigInt => Some(Parameter::BigInt(own.clone())),
                RuntimeItem::Decimal => Some(Parameter::Decimal(own.clone())),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the parameter type for a function that reads rows by this column. Returns `None` if the function could not
    /// check that PostgreSQL accepts every value of the parameter.
    pub(super) fn finder_type(&self) -> Option<Parameter> {
        self.parameter_type()
            .filter(|_| !matches!(self.column.r#type, ColumnType::Numeric { .. } | ColumnType::Date))
    }

    /// Returns the Rust type that sqlx reads from the column: `String` for an `Option<String>`, and the inner
    /// type for a newtype.
    pub(super) fn scalar(&self) -> &RustType {
        self.within.as_ref().unwrap_or(self.plain_type())
    }

    /// Returns the Rust type that [`Self::read`] names. Returns `None` if the type of the field decides what sqlx reads.
    pub(super) fn named_in_read(&self) -> Option<&RustType> {
        let is_option = self.field.optional || self.field.r#type.is_option();
        let is_named = self.kind == Kind::Newtype && is_option && self.column.r#type != ColumnType::Uuid;
        is_named.then(|| self.scalar())
    }

    /// Returns the Rust type of the values, without the `Option` for null.
    pub(crate) fn plain_type(&self) -> &RustType {
        self.field.r#type.without_option()
    }

    /// Returns the Rust condition under which PostgreSQL would answer a comparison of a filter's value and
    /// the column with an error, such as a text that is no UUID. Returns `None` if every value can be
    /// compared.
    pub(super) fn comparison_error(&self, optional: &TokenStream) -> Option<TokenStream> {
        match (self.kind, self.column.r#type) {
            (Kind::Plain, ColumnType::Uuid) => Some(quote!(sql::is_not_uuid(#optional.as_deref()))),
            (Kind::Plain, ColumnType::Numeric { .. }) if *self.plain_type() == RustType::String => {
                Some(quote!(sql::is_not_decimal(#optional.as_deref())))
            }
            (Kind::Plain, ColumnType::Date) => Some(quote!(sql::is_not_day(#optional.as_deref()))),
            (Kind::Plain, ColumnType::BigIntExact) => Some(quote!(sql::exceeds_bigint(#optional.as_ref()))),
            (Kind::Newtype, ColumnType::BigIntExact) => {
                Some(quote!(sql::exceeds_bigint(#optional.as_ref().map(|value| &value.0))))
            }
            (Kind::Json, ColumnType::Array { element }) => {
                let error = match element {
                    ElementType::Uuid => quote!(sql::is_not_uuid(Some(value.as_str()))),
                    ElementType::Numeric { .. } if self.has_decimals() => return None,
                    ElementType::Numeric { .. } => quote!(sql::is_not_decimal(Some(value.as_str()))),
                    ElementType::Integer => quote!(i32::try_from(*value).is_err()),
                    ElementType::BigIntExact => quote!(sql::exceeds_bigint(Some(value))),
                    ElementType::Timestamptz => quote!(sql::exceeds_elements(*value)),
                    _ => return None,
                };
                Some(quote!(#optional.iter().flatten().any(|value| #error)))
            }
            _ => None,
        }
    }

    /// Returns the call that binds a value to a statement: `.bind(&value)`. `optional` is true if the value is in an
    /// `Option`.
    pub(super) fn bind(&self, value: &TokenStream, optional: bool) -> TokenStream {
        let (borrow, plain) = (self.borrow(), self.plain_type());
        match (self.kind, optional) {
            (Kind::Plain, _) if self.is_copied() => quote!(.bind(#value)),
            (Kind::Plain, _) => quote!(.bind(&#value)),
            (Kind::Text, false) => quote!(.bind(#value.as_str())),
            (Kind::Text, true) => quote!(.bind(#value.map(#plain::as_str))),
            (Kind::Json, false) => quote!(.bind(sqlx::types::Json(&#value))),
            (Kind::Json, true) => quote!(.bind(#value.as_ref().map(sqlx::types::Json))),
            (Kind::Newtype, false) => quote!(.bind(#borrow #value.0)),
            (Kind::Newtype, true) => quote!(.bind(#value.as_ref().map(|value| #borrow value.0))),
        }
    }

    /// Returns the `&` that generated code writes before the inner value of a newtype. Returns no tokens if
    /// the inner value is copied.
    fn borrow(&self) -> TokenStream {
        if self.scalar().is_copied() {
            TokenStream::new()
        } else {
            quote!(&)
        }
    }

    /// Returns true if generated code copies the values, and false if it borrows them.
    pub(crate) fn is_copied(&self) -> bool {
        match self.kind {
            Kind::Plain => self.plain_type().is_copied(),
            Kind::Text => true,
            Kind::Json | Kind::Newtype => false,
        }
    }

    /// Returns the number of `Option`s around the value in the struct of a new row. A nullable column needs one,
    /// because the value may be null. A column with a default needs one, because the value may be absent.
    pub(crate) fn insert_options(&self) -> usize {
        usize::from(self.column.nullable) + usize::from(self.column.default.is_some())
    }

    /// Returns the number of `Option`s around the value in the struct of an update: one `Option` because the
    /// value may be absent, and another `Option` if the value may be null.
    pub(crate) fn update_options(&self) -> usize {
        1 + usize::from(self.column.nullable)
    }

    /// Returns the column as the filter of a list has it. The filter for a decimal number is a text, because a query may have any text.
    pub(super) fn as_filter(&self) -> Self {
        let mut filter = self.clone();
        if self.is_decimal() {
            filter.field.r#type = RustType::String;
        }
        filter
    }

    /// Returns true if the values are `Decimal`s.
    pub(crate) fn is_decimal(&self) -> bool {
        self.plain_type().is_runtime(RuntimeItem::Decimal)
    }

    /// Returns true if a list can filter by this column. A UUID in a newtype is excluded, because generated code does
    /// not check if a value is a UUID there.
    pub(crate) fn can_filter(&self) -> bool {
        if !self.is_comparable() {
            return false;
        }
        match self.kind {
            Kind::Json => self.can_filter_by_elements(),
            Kind::Newtype => !matches!(
                self.column.r#type,
                ColumnType::Uuid | ColumnType::Numeric { .. } | ColumnType::Date
            ),
            Kind::Plain | Kind::Text => true,
        }
    }

    /// Returns true if a list can filter by the elements of an array: by texts of all kinds, and by numbers for which
    /// generated code checks that PostgreSQL can convert them.
    fn can_filter_by_elements(&self) -> bool {
        let ColumnType::Array { element } = self.column.r#type else {
            return false;
        };
        let of_runtime = |item| matches!(self.plain_type(), RustType::Vec(of) if of.is_runtime(item));
        let checked = |wanted: &RustType| *self.plain_type() == RustType::Vec(Box::new(wanted.clone()));
        match element {
            ElementType::Text
            | ElementType::Varchar { .. }
            | ElementType::Boolean
            | ElementType::DoublePrecision => true,
            ElementType::Numeric { .. } if self.has_decimals() => true,
            ElementType::Uuid | ElementType::Numeric { .. } => checked(&RustType::String),
            ElementType::Integer | ElementType::BigInt => checked(&RustType::I64),
            ElementType::BigIntExact => of_runtime(RuntimeItem::BigInt),
            ElementType::Timestamptz => of_runtime(RuntimeItem::Timestamp),
        }
    }

    /// Returns true for an array of `Decimal`s.
    fn has_decimals(&self) -> bool {
        matches!(self.plain_type(), RustType::Vec(of) if of.is_runtime(RuntimeItem::Decimal))
    }

    /// Returns the condition of a list that filters by the column. `number` is the number of the parameter; null selects all
    /// rows. An array is selected if it contains all elements of the parameter.
    pub(super) fn filter_condition(&self, number: usize) -> String {
        let name = sql::identifier(&self.column.name);
        let parameter = self.compared(number);
        if let ColumnType::Array { element } = self.column.r#type {
            // See [`Self::is_comparable`].
            let cast = if self.foreign_type.is_some() {
                "varchar".to_owned()
            } else {
                cast_of_elements(element)
            };
            let elements = format!("ARRAY(SELECT jsonb_array_elements_text(${number}))::{cast}[]");
            return format!("(${number}::jsonb IS NULL OR {name} @> {elements})");
        }
        format!("({} OR {name} = {parameter})", self.is_absent(number))
    }

    /// Returns the condition that a list does not filter by the column, which is no array.
    pub(super) fn is_absent(&self, number: usize) -> String {
        let parameter = self.compared(number);
        // With `$1 IS NULL`, PostgreSQL does not know the type of the parameter, so the parameter is cast.
        let typed = match self.column.r#type {
            ColumnType::Varchar { .. } | ColumnType::Text => format!("{parameter}::text"),
            ColumnType::Boolean => format!("{parameter}::boolean"),
            ColumnType::SmallInt | ColumnType::Integer | ColumnType::BigInt | ColumnType::BigIntExact => {
                format!("{parameter}::int8")
            }
            ColumnType::DoublePrecision => format!("{parameter}::float8"),
            ColumnType::Timestamp => format!("{parameter}::timestamp"),
            ColumnType::Timestamptz => format!("{parameter}::timestamptz"),
            ColumnType::Bytes => format!("{parameter}::bytea"),
            ColumnType::Jsonb => format!("{parameter}::jsonb"),
            ColumnType::Uuid
            | ColumnType::Numeric { .. }
            | ColumnType::Date
            | ColumnType::Citext
            | ColumnType::Enum { .. }
            | ColumnType::Array { .. } => parameter.clone(),
        };
        format!("{typed} IS NULL")
    }

    /// Returns the calls that bind a value whose field has `options` `Option`s. For two `Option`s, there are
    /// two calls: the first binds true if the value is present, and the second binds the value or null.
    pub(super) fn bind_optional(&self, value: &TokenStream, options: usize) -> TokenStream {
        if options < 2 {
            return self.bind(value, options == 1);
        }
        let flat = if self.is_copied() {
            quote!(#value.flatten())
        } else {
            quote!(#value.clone().flatten())
        };
        let plain = self.plain_type();
        let bound = match self.kind {
            Kind::Plain => quote!(#flat),
            Kind::Text => quote!(#flat.map(#plain::as_str)),
            Kind::Json => quote!(#flat.map(sqlx::types::Json)),
            Kind::Newtype => quote!(#flat.map(|value| value.0)),
        };
        quote!(.bind(#value.is_some()).bind(#bound))
    }

    /// Returns true if kit or the database creates the values, so that clients cannot set them.
    pub(crate) fn is_generated(&self) -> bool {
        self.column.source.on_update_now
            || matches!(
                self.column.default,
                Some(
                    ColumnDefault::Now
                        | ColumnDefault::RandomUuid
                        | ColumnDefault::UuidV7
                        | ColumnDefault::Identity
                )
            )
    }
}

/// Returns the type to which statements cast the elements of an array. The type has no length: an explicit cast would cut
/// longer texts.
fn cast_of_elements(element: ElementType) -> String {
    match element {
        ElementType::Varchar { .. } => "varchar".to_owned(),
        ElementType::Numeric { .. } => "numeric".to_owned(),
        other => other.column().to_string(),
    }
}

/// Returns the name of a type without its length: `character` of `character(3)`, `time with time zone` of
/// `time(3) with time zone`.
fn type_without_length(name: &str) -> String {
    match name.split_once('(').zip(name.split_once(')')) {
        Some(((before, _), (_, after))) => format!("{before}{after}"),
        None => name.to_owned(),
    }
}
