//! Generates the statement and the function that read one page of a list together with the number of all rows.

use kit_database::sql;
use proc_macro2::TokenStream;
use quote::quote;

use super::module::function;
use super::statements::{constant, listed};
use super::{Database, Stored};
use crate::source::ident;

impl Database<'_> {
    /// Adds the function that reads a page together with the number of all rows.
    pub(crate) fn page_with_total(&mut self, table: &str) {
        if let Some(stored) = self.table_mut(table) {
            stored.has_totals = true;
        }
    }
}

impl Stored<'_> {
    /// Returns the constant with the statement. PostgreSQL executes the two queries of one statement on the same state of the
    /// table, so that the number of rows fits the rows.
    pub(super) fn total_statement(&self) -> TokenStream {
        if !self.has_totals {
            return TokenStream::new();
        }
        let table = sql::relation(&self.table.name);
        let mut lines = listed("SELECT ", &self.selected(), ",");
        lines.push("    (".to_owned());
        lines.push("        SELECT count(*)".to_owned());
        lines.push(format!("        FROM {table}"));
        lines.extend(self.chosen(3).iter().map(|line| format!("        {line}")));
        lines.push("    ) AS kit_total".to_owned());
        lines.push(format!("FROM {table}"));
        lines.extend(self.chosen(3));
        if !self.has_chosen_order() {
            lines.push(format!("ORDER BY {}", self.order()));
            lines.push("LIMIT $1 OFFSET $2".to_owned());
        }
        constant("LIST_WITH_TOTAL", &lines)
    }

    /// Returns the function. `given` are the parameters of `list` before the limit, and `owner` and `filters` are the calls that bind them.
    pub(super) fn list_with_total(
        &self,
        given: &[TokenStream],
        owner: Option<&TokenStream>,
        filters: &TokenStream,
    ) -> Option<TokenStream> {
        if !self.has_totals {
            return None;
        }
        let (statement, text) = self.ordered(&ident("LIST_WITH_TOTAL"));
        // The first parameter of `list` is a pool, a connection or a transaction. This function has two statements.
        let others = given.iter().skip(1).cloned();
        let mut parameters = vec![quote!(connection: &mut sqlx::PgConnection)];
        parameters.extend(others);
        parameters.extend([quote!(limit: i64), quote!(offset: i64)]);
        let entity = ident(self.entity());
        let guard = self.list_guard(&quote!((Vec::new(), 0)));
        Some(function(
            &format!(
                "Returns the rows of a page{}, in order, and the number of all rows. `limit` is at least 1.",
                self.of_owner(true)
            ),
            "list_with_total",
            &parameters,
            &quote!((Vec<#entity>, i64)),
            &quote! {
                #guard
                #statement
                let rows = sqlx::query_as(#text).bind(limit).bind(offset) #owner #filters;
                let count = sqlx::query_scalar(COUNT) #owner #filters;
                sql::rows_with_total(rows, count, offset, connection).await
            },
        ))
    }

    /// Returns the statement that adds the order of the request to a constant with SQL, and the expression of the complete
    /// SQL.
    pub(super) fn ordered(&self, constant: &proc_macro2::Ident) -> (Option<TokenStream>, TokenStream) {
        if !self.has_chosen_order() {
            return (None, quote!(#constant));
        }
        let text = format!("{{{constant}}}\n    {{clause}}\n    LIMIT $1 OFFSET $2");
        (
            Some(quote!(let clause = order.clause(); let statement = format!(#text);)),
            quote!(&statement),
        )
    }
}
