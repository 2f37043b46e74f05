//! Generates the statements and the function of a list that is read in pages with cursors.

use kit_database::{ColumnType, sql};
use proc_macro2::TokenStream;
use quote::quote;

use super::statements::{constant, listed};
use super::{Stored, StoredColumn};
use crate::source::{ident, string_literal};

/// Sort of a list that is read with cursors.
struct Sort<'s> {
    columns: Vec<(&'s StoredColumn<'s>, KeyType)>,
    is_ascending: bool,
}

/// Type of a column that sorts a list: the variant of `KeyType` of the runtime, and the type in PostgreSQL.
type KeyType = (&'static str, &'static str);

impl Stored<'_> {
    /// Returns true if lists of the table can be read with cursors: if the columns of the sort are not null, and their
    /// types have a text form without a loss.
    pub(crate) fn can_have_cursors(&self) -> bool {
        self.sort().is_some()
    }

    /// Returns true if a list of the table is read with cursors.
    pub(super) fn has_cursors(&self) -> bool {
        self.has_cursors && self.can_have_cursors()
    }

    /// Returns the columns of [`Self::order`].
    fn sort(&self) -> Option<Sort<'_>> {
        let made = self.creation_time();
        let key = self
            .table
            .primary_key
            .iter()
            .map(|name| self.columns.iter().find(|stored| stored.column.name == *name));
        let columns = made.map(Some).into_iter().chain(key).map(|stored| {
            let stored = stored.filter(|stored| !stored.column.nullable && stored.can_sort())?;
            Some((stored, key_type(stored.column.r#type)?))
        });
        let columns = columns.collect::<Option<Vec<_>>>()?;
        (!self.table.primary_key.is_empty()).then_some(Sort {
            columns,
            is_ascending: made.is_none(),
        })
    }

    /// Returns the constant of the sort, and those of the statements: one for the first page, one for the page after an
    /// item, and one for the page before an item.
    pub(super) fn page_statements(&self) -> TokenStream {
        let Some(sort) = self.sort().filter(|_| self.has_cursors()) else {
            return TokenStream::new();
        };
        let table = sql::relation(&self.table.name);
        let name = |stored: &StoredColumn<'_>| format!("{table}.{}", sql::identifier(&stored.column.name));
        let names: Vec<_> = sort.columns.iter().map(|(stored, _)| name(stored)).collect();
        let texts: Vec<_> = sort
            .columns
            .iter()
            .map(|(stored, (_, r#type))| key_text(&name(stored), r#type))
            .collect();
        let mut selected = self.selected();
        selected.push(format!(
            "json_build_array({})::text AS kit_cursor_key",
            texts.join(", ")
        ));
        let first = 2 + usize::from(self.owner().is_some()) + self.filters().count();
        let values: Vec<_> = sort
            .columns
            .iter()
            .enumerate()
            .map(|(number, (_, (_, r#type)))| format!("${}::{type}", first + number))
            .collect();
        let statement = |is_ascending: bool, has_cursor: bool| {
            let mut lines = listed("SELECT ", &selected, "");
            lines.push(format!("FROM {table}"));
            let conditions = self.chosen(2);
            let word = if conditions.is_empty() { "WHERE" } else { "  AND" };
            lines.extend(conditions);
            if has_cursor {
                let sign = if is_ascending { ">" } else { "<" };
                lines.push(format!(
                    "{word} ({}) {sign} ({})",
                    names.join(", "),
                    values.join(", ")
                ));
            }
            let direction = if is_ascending { "ASC" } else { "DESC" };
            let order: Vec<_> = names.iter().map(|name| format!("{name} {direction}")).collect();
            lines.push(format!("ORDER BY {}", order.join(", ")));
            lines.push("LIMIT $1".to_owned());
            lines
        };
        let list = string_literal(&self.table.name);
        let order = ident(if sort.is_ascending { "Asc" } else { "Desc" });
        let columns = sort.columns.iter().map(|(stored, (variant, _))| {
            let (name, variant) = (string_literal(&stored.column.name), ident(variant));
            quote!((#name, keyset::KeyType::#variant))
        });
        let mut constants = quote! {
            /// Sort of the list that is read with cursors.
            pub const KEYSET: keyset::Keyset = keyset::Keyset::new(#list, keyset::Order::#order, &[#(#columns),*]);
        };
        constants.extend(constant("FIRST_PAGE", &statement(sort.is_ascending, false)));
        constants.extend(constant("NEXT_PAGE", &statement(sort.is_ascending, true)));
        constants.extend(constant("PREVIOUS_PAGE", &statement(!sort.is_ascending, true)));
        constants
    }
}

/// Returns the type of a column in a cursor. Returns `None` for a type that cannot sort a list.
fn key_type(r#type: ColumnType) -> Option<KeyType> {
    Some(match r#type {
        ColumnType::Uuid => ("Uuid", "uuid"),
        ColumnType::Varchar { .. } | ColumnType::Text => ("Text", "text"),
        ColumnType::SmallInt | ColumnType::Integer => ("Integer", "integer"),
        ColumnType::Citext => ("Citext", "citext"),
        ColumnType::Numeric { .. } => ("Numeric", "numeric"),
        ColumnType::Date => ("Date", "date"),
        ColumnType::BigInt | ColumnType::BigIntExact => ("BigInt", "bigint"),
        ColumnType::DoublePrecision => ("Double", "double precision"),
        ColumnType::Timestamp => ("Timestamp", "timestamp"),
        ColumnType::Timestamptz => ("Timestamptz", "timestamptz"),
        ColumnType::Boolean
        | ColumnType::Jsonb
        | ColumnType::Bytes
        | ColumnType::Enum { .. }
        | ColumnType::Array { .. } => {
            return None;
        }
    })
}

/// Returns the SQL expression of a value as text, as `KEY_TYPES` of `@kit/core/keyset` has it. The texts of times have
/// all six digits that PostgreSQL stores.
fn key_text(column: &str, r#type: &str) -> String {
    match r#type {
        "date" => format!("to_char({column}, 'YYYY-MM-DD')"),
        "timestamp" => format!("to_char({column}, 'YYYY-MM-DD\"T\"HH24:MI:SS.US')"),
        "timestamptz" => {
            format!("to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')")
        }
        _ => format!("{column}::text"),
    }
}
