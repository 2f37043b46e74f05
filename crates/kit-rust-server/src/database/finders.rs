//! Generates functions that read rows by other columns than the key: one row by the columns of a unique constraint, and rows
//! by the columns of a foreign key.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::module::{early_returns, function, parameter_names};
use super::parameter::Parameter;
use super::statements::constant;
use super::{Stored, StoredColumn, is_uuid};
use crate::names;
use crate::source::ident;

/// Function that reads rows by the values of some columns.
pub(super) struct Finder<'s> {
    /// Name of the function: `get_by_email`.
    name: String,
    /// True if at most one row has the values.
    is_unique: bool,
    pub(super) columns: Vec<&'s StoredColumn<'s>>,
    /// Name and type of the parameter for each column.
    parameters: Vec<(Ident, Parameter)>,
}

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
                columns: stored,
                parameters,
            });
        }
        found
    }

    /// Returns the constants with the SQL statements of these functions.
    pub(super) fn finder_statements(&self) -> TokenStream {
        let statements = self.finders().into_iter().map(|finder| {
            let first = if finder.is_unique { 1 } else { 3 };
            let mut conditions: Vec<String> = finder
                .columns
                .iter()
                .enumerate()
                .map(|(number, stored)| {
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
    pub(super) fn finder_functions(&self) -> TokenStream {
        let entity = ident(self.entity());
        let functions = self.finders().into_iter().map(|finder| {
            let given: Vec<&Ident> = finder.parameters.iter().map(|(name, _)| name).collect();
            let mut parameters = vec![quote!(database: impl PgExecutor<'_>)];
            parameters.extend(finder.parameters.iter().map(|(name, r#type)| quote!(#name: #r#type)));
            parameters.extend(self.owner_given());
            let (statement, owner) = (ident(&finder.name.to_uppercase()), self.owner_bind());
            let columns: Vec<&str> = finder
                .columns
                .iter()
                .map(|stored| stored.column.name.as_str())
                .collect();
            let (columns, of_owner) = (columns.join("` and `"), self.of_owner(!finder.is_unique));
            if finder.is_unique {
                let guard = self.finder_guard(&finder, &quote!(None));
                return function(
                    &format!("Returns the row with this `{columns}`{of_owner}."),
                    &finder.name,
                    &parameters,
                    &quote!(Option<#entity>),
                    &quote!(#guard sqlx::query_as(#statement) #(.bind(#given))* #owner.fetch_optional(database).await),
                );
            }
            parameters.extend([quote!(limit: i64), quote!(offset: i64)]);
            let guard = self.finder_guard(&finder, &quote!(Vec::new()));
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

    fn finder_guard(&self, finder: &Finder<'_>, nothing: &TokenStream) -> TokenStream {
        let given = || finder.columns.iter().zip(&finder.parameters);
        let (uuid, number) = self.owner_errors();
        let uuids = given().filter(|(stored, _)| is_uuid(stored));
        let uuids = uuids.map(|(_, (name, _))| quote!(!is_uuid(#name)));
        let numbers = given().filter(|(_, (_, r#type))| r#type.is_bigint());
        let numbers = numbers.map(|(_, (name, _))| quote!(i64::try_from(#name).is_err()));
        let uuids: Vec<_> = uuids.chain(uuid).collect();
        let numbers: Vec<_> = numbers.chain(number).collect();
        early_returns(nothing, &uuids, &numbers)
    }
}
