//! Generates functions that delete the rows that belong to a row of another table. With such a function, a handler replaces the
//! items of an order.

use kit_database::sql;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::module::{function, parameter_names};
use super::statements::constant;
use super::{Database, Stored, StoredColumn};
use crate::source::ident;

impl StoredColumn<'_> {
    /// Returns the name of the function that deletes the rows with a value of the column.
    pub(crate) fn delete_by(&self) -> Ident {
        let name = self.field.name.trim_start_matches("r#");
        ident(&format!("delete_by_{name}"))
    }
}

impl Database<'_> {
    /// Adds the function that deletes rows by the value of a column.
    pub(crate) fn delete_by(&mut self, table: &str, column: &str) {
        let Some(stored) = self.table_mut(table) else {
            return;
        };
        let mut columns = stored.columns.iter();
        if let Some(place) = columns.position(|stored| stored.column.name == column)
            && !stored.deleted_by.contains(&place)
        {
            stored.deleted_by.push(place);
            stored.deleted_by.sort_unstable();
        }
    }

    /// Returns true if a table has a foreign key to this table.
    pub(crate) fn is_referred_to(&self, table: &str) -> bool {
        let mut keys = self.tables.iter().flat_map(|stored| &stored.table.foreign_keys);
        keys.any(|key| key.table == table)
    }
}

impl Stored<'_> {
    /// Returns the columns for which a function deletes the rows with a value.
    pub(super) fn deleted_by(&self) -> impl Iterator<Item = &StoredColumn<'_>> {
        self.deleted_by.iter().map(|place| &self.columns[*place])
    }

    /// Returns the constants with the SQL statements of these functions.
    pub(super) fn deletion_statements(&self) -> TokenStream {
        let statements = self.deleted_by().map(|column| {
            let name = sql::identifier(&column.column.name);
            let lines = [
                format!("DELETE FROM {}", sql::relation(&self.table.name)),
                format!("WHERE {name} = {}", column.compared(1)),
            ];
            constant(&column.delete_by().to_string().to_uppercase(), &lines)
        });
        statements.collect()
    }

    /// Returns these functions.
    pub(super) fn deletion_functions(&self) -> TokenStream {
        let functions = self.deleted_by().filter_map(|column| {
            let given = parameter_names(std::iter::once((column, column.parameter_type()?)), None);
            let (parameter, r#type) = given.first()?.clone();
            let name = column.delete_by();
            let statement = ident(&name.to_string().to_uppercase());
            let guard = Self::column_guard(column, &parameter, &r#type);
            Some(function(
                &format!("Deletes the rows with this `{}`.", column.column.name),
                &name.to_string(),
                &[quote!(database: impl PgExecutor<'_>), quote!(#parameter: #r#type)],
                &quote!(()),
                &quote! {
                    #guard
                    sqlx::query(#statement).bind(#parameter).execute(database).await?;
                    Ok(())
                },
            ))
        });
        functions.collect()
    }
}
