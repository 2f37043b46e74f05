//! Generates functions that read the rows with one of several values of a column. With such a function, a handler reads
//! the rows of another table for all rows of a list with one query.

use kit_database::{ColumnType, sql};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::module::function;
use super::parameter::Parameter;
use super::statements::constant;
use super::{Database, Stored, StoredColumn, is_uuid};
use crate::source::{comment, ident};

impl StoredColumn<'_> {
    /// Returns true if a function can read the rows with one of several values of the column.
    pub(crate) fn can_list_by_any(&self) -> bool {
        let r#type = self.finder_type();
        matches!(
            r#type,
            Some(Parameter::Text | Parameter::Whole | Parameter::BigInt(_))
        )
    }

    /// Returns true if two values are equal in Rust exactly if they are equal in PostgreSQL, which compares `citext` without case,
    /// and `character` without blanks at the end.
    pub(crate) fn is_equal_in_rust(&self) -> bool {
        self.column.r#type != ColumnType::Citext
            && !matches!(self.foreign_name().as_deref(), Some("citext" | "character"))
    }

    /// Returns true if the text of each value can be a segment of a path without an escape.
    pub(crate) fn is_plain_in_path(&self) -> bool {
        matches!(
            self.column.r#type,
            ColumnType::Uuid
                | ColumnType::SmallInt
                | ColumnType::Integer
                | ColumnType::BigInt
                | ColumnType::BigIntExact
        )
    }

    /// Returns the name of the function that reads the rows with one of several values of the column.
    pub(crate) fn list_by_any(&self) -> Ident {
        ident(&format!(
            "list_by_any_{}",
            self.field.name.trim_start_matches("r#")
        ))
    }
}

impl Database<'_> {
    /// Adds the function that reads rows by several values of a column.
    pub(crate) fn list_by_any(&mut self, table: &str, column: &str) {
        let Some(stored) = self.table_mut(table) else {
            return;
        };
        let mut columns = stored.columns.iter();
        if let Some(place) = columns.position(|stored| stored.column.name == column)
            && !stored.listed_by.contains(&place)
        {
            stored.listed_by.push(place);
            stored.listed_by.sort_unstable();
        }
    }
}

impl Stored<'_> {
    /// Returns the columns for which a function reads the rows with one of several values.
    pub(super) fn listed_by(&self) -> impl Iterator<Item = &StoredColumn<'_>> {
        self.listed_by.iter().map(|place| &self.columns[*place])
    }

    /// Returns the constants with the SQL statements of these functions.
    pub(super) fn related_statements(&self) -> TokenStream {
        let statements = self.listed_by().map(|column| {
            let name = sql::identifier(&column.column.name);
            let mut values = column.compared(1);
            if values.contains("::") {
                values.push_str("[]");
            }
            let mut conditions = vec![format!("{name} = ANY({values})")];
            conditions.extend(self.owner_condition(2));
            let mut lines = self.select();
            lines.push(format!("WHERE {}", conditions.join(" AND ")));
            lines.push(format!("ORDER BY {}", self.order()));
            constant(&column.list_by_any().to_string().to_uppercase(), &lines)
        });
        statements.collect()
    }

    /// Returns these functions.
    pub(super) fn related_functions(&self) -> TokenStream {
        let entity = ident(self.entity());
        let functions = self.listed_by().filter_map(|column| {
            let r#type = column.finder_type()?;
            let given = match &r#type {
                Parameter::Whole => quote!(&[i64]),
                other => quote!(&[#other]),
            };
            let mut parameters = vec![quote!(database: impl PgExecutor<'_>), quote!(values: #given)];
            parameters.extend(self.owner_given());
            let comparable = if is_uuid(column) {
                let reason = comment("PostgreSQL would refuse a text that is not a UUID. No row has such a text.");
                Some(quote! {
                    #reason
                    let values: Vec<&str> = values.iter().copied().filter(|value| is_uuid(value)).collect();
                })
            } else if r#type.is_bigint() {
                let reason = comment("No row has a number beyond `bigint`.");
                Some(quote! {
                    #reason
                    let values: Vec<i64> = values.iter().filter_map(|value| i64::try_from(*value).ok()).collect();
                })
            } else {
                None
            };
            let name = column.list_by_any();
            let (statement, owner) = (ident(&name.to_string().to_uppercase()), self.owner_bind());
            let guard = self.guard(&[], &quote!(Vec::new()));
            Some(function(
                &format!(
                    "Returns the rows{} whose `{}` is one of the values, in order.",
                    self.of_owner(true),
                    column.column.name
                ),
                &name.to_string(),
                &parameters,
                &quote!(Vec<#entity>),
                &quote! {
                    #guard
                    #comparable
                    if values.is_empty() {
                        return Ok(Vec::new());
                    }
                    sqlx::query_as(#statement).bind(values) #owner.fetch_all(database).await
                },
            ))
        });
        functions.collect()
    }
}
