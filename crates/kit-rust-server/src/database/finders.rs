//! Generates functions that read rows by other columns than the key: one row by the columns of a unique constraint, and rows
//! by the columns of a foreign key.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Stored;
use super::finder::{ColumnParameter, Finder};
use super::module::{function, parameter_names};
use super::parameter::Parameter;
use super::statements::constant;
use crate::names;
use crate::source::ident;

impl Stored<'_> {
    /// Returns the functions for unique constraints and foreign keys. Omits columns that no function parameter can be
    /// compared with, and columns that are the key.
    pub(super) fn finders(&self) -> Vec<Finder<'_>> {
        let table = self.table;
        let uniques = table.uniques.iter().map(|unique| (&unique.columns, true));
        // An adopted database may have a unique index in place of a constraint.
        let indexes = table
            .indexes
            .iter()
            .filter(|index| index.unique && index.condition.is_none());
        let uniques = uniques.chain(indexes.map(|index| (&index.columns, true)));
        let keys = table.foreign_keys.iter().map(|key| (&key.columns, false));
        let mut known: Vec<&Vec<String>> = vec![&table.primary_key];
        let mut found: Vec<Finder<'_>> = Vec::new();
        for (columns, is_unique) in uniques.chain(keys) {
            let is_same = |other: &&Vec<String>| {
                other.len() == columns.len() && columns.iter().all(|column| other.contains(column))
            };
            if known.iter().any(is_same) {
                continue;
            }
            let stored: Option<Vec<_>> = columns
                .iter()
                .map(|name| self.columns.iter().find(|stored| stored.column.name == *name))
                .collect();
            // The functions have a parameter for the owner anyway.
            let stored = stored.unwrap_or_default().into_iter();
            let stored: Vec<_> = stored.filter(|stored| !self.is_owner(stored)).collect();
            if stored.is_empty() {
                continue;
            }
            let types: Option<Vec<Parameter>> = stored.iter().map(|stored| stored.finder_type()).collect();
            let Some(types) = types else { continue };
            known.push(columns);
            let fields: Vec<&str> = stored
                .iter()
                .map(|stored| stored.field.name.trim_start_matches("r#"))
                .collect();
            let verb = if is_unique { "get_by" } else { "list_by" };
            let name = names::unique(format!("{verb}_{}", fields.join("_and_")), |taken| {
                found.iter().any(|finder| finder.name == taken)
            });
            let parameters = parameter_names(stored.iter().copied().zip(types), None);
            found.push(Finder {
                name,
                is_unique,
                columns: stored.into_iter().zip(parameters).collect(),
            });
        }
        found
    }

    /// Returns the name of the function for the first unique constraint whose columns are wanted, and its columns.
    pub(crate) fn unique_finder<'s>(
        &'s self,
        is_wanted: impl Fn(&[ColumnParameter<'s>]) -> bool,
    ) -> Option<(Ident, Vec<ColumnParameter<'s>>)> {
        let finders = self.finders().into_iter();
        let mut wanted = finders.filter(|finder| finder.is_unique && is_wanted(&finder.columns));
        let finder = wanted.next()?;
        Some((ident(&finder.name), finder.columns))
    }

    /// Returns the constants with the SQL statements of these functions.
    pub(super) fn finder_statements(&self, finders: &[Finder<'_>]) -> TokenStream {
        let statements = finders.iter().map(|finder| {
            let first = if finder.is_unique { 1 } else { 3 };
            let mut conditions: Vec<String> = finder
                .columns
                .iter()
                .enumerate()
                .map(|(number, (stored, _))| {
                    let name = kit_database::sql::identifier(&stored.column.name);
                    format!("{name} = {}", stored.compared(first + number))
                })
                .collect();
            conditions.extend(self.owner_condition(first + conditions.len()));
            let mut lines = self.select();
            lines.push(format!("WHERE {}", conditions.join(" AND ")));
            if !finder.is_unique {
                lines.push(format!("ORDER BY {}", self.order()));
                lines.push("LIMIT $1 OFFSET $2".to_owned());
            }
            constant(&finder.name.to_uppercase(), &lines)
        });
        statements.collect()
    }

    /// Returns these functions.
    pub(super) fn finder_functions(&self, finders: &[Finder<'_>]) -> TokenStream {
        let entity = ident(self.entity());
        let functions = finders.iter().map(|finder| {
            let columns = finder.columns.iter();
            let given: Vec<&Ident> = columns.map(|(_, (name, _))| name).collect();
            let mut parameters = vec![quote!(database: impl PgExecutor<'_>)];
            let columns = finder.columns.iter();
            parameters.extend(columns.map(|(_, (name, r#type))| quote!(#name: #r#type)));
            parameters.extend(self.owner_given());
            let (statement, owner) = (ident(&finder.name.to_uppercase()), self.owner_bind());
            let columns: Vec<&str> = finder
                .columns
                .iter()
                .map(|(stored, _)| stored.column.name.as_str())
                .collect();
            let (columns, of_owner) = (columns.join("` and `"), self.of_owner(!finder.is_unique));
            if finder.is_unique {
                let guard = self.guard(&finder.columns, &quote!(None));
                return function(
                    &format!("Returns the row with this `{columns}`{of_owner}."),
                    &finder.name,
                    &parameters,
                    &quote!(Option<#entity>),
                    &quote!(#guard sqlx::query_as(#statement) #(.bind(#given))* #owner.fetch_optional(database).await),
                );
            }
            parameters.extend([quote!(limit: i64), quote!(offset: i64)]);
            let guard = self.guard(&finder.columns, &quote!(Vec::new()));
            function(
                &format!("Returns the rows with this `{columns}`{of_owner}, in order."),
                &finder.name,
                &parameters,
                &quote!(Vec<#entity>),
                &quote! {
                    #guard
                    sqlx::query_as(#statement).bind(limit).bind(offset) #(.bind(#given))* #owner.fetch_all(database).await
                },
            )
        });
        functions.collect()
    }
}
