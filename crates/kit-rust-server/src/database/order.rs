//! Generates the order of lists that requests sort by a column.

use kit_database::{ColumnType, sql};
use proc_macro2::TokenStream;
use quote::quote;

use super::{Stored, StoredColumn};
use crate::names;
use crate::source::{doc, ident};

/// Columns by which the lists of a table can be sorted.
#[derive(Default)]
pub(crate) struct Sorted {
    /// True if a list has an order that the request chooses.
    is_chosen: bool,
    /// Indexes of the columns.
    columns: Vec<usize>,
}

impl Sorted {
    /// Adds the columns by which a list sorts. The list may have no such column: then only the direction is chosen.
    pub(super) fn add(&mut self, places: impl Iterator<Item = usize>) {
        self.is_chosen = true;
        for place in places {
            if !self.columns.contains(&place) {
                self.columns.push(place);
            }
        }
        self.columns.sort_unstable();
    }
}

impl StoredColumn<'_> {
    /// Returns true if requests can sort lists by the column: its values have one order, in PostgreSQL and for people.
    pub(crate) fn is_sortable(&self) -> bool {
        let has_no_order = matches!(
            self.column.r#type,
            ColumnType::Jsonb | ColumnType::Bytes | ColumnType::Array { .. }
        );
        !has_no_order && self.can_sort()
    }
}

impl Stored<'_> {
    /// Returns true if a list of the table has an order that the request chooses.
    pub(crate) fn has_chosen_order(&self) -> bool {
        self.sorted.is_chosen
    }

    /// Returns true if a list of the table is sorted by a column that the request chooses.
    pub(crate) fn sorts_by_column(&self) -> bool {
        !self.sorted.columns.is_empty()
    }

    /// Returns the name of the variant for a column in the enum of the columns by which lists are sorted.
    pub(crate) fn sort_variant(&self, property: &str) -> Option<String> {
        let mut variants = self.sort_variants();
        variants.find_map(|(column, variant)| (column.field.property == property).then_some(variant))
    }

    fn sort_variants(&self) -> impl Iterator<Item = (&StoredColumn<'_>, String)> {
        let mut taken: Vec<String> = Vec::new();
        self.sorted.columns.iter().map(move |place| {
            let column = &self.columns[*place];
            let variant = names::unique(names::variant(&column.field.property), |name| {
                taken.iter().any(|known| known == name)
            });
            taken.push(variant.clone());
            (column, variant)
        })
    }

    /// Returns the types with which a list gets its order.
    pub(super) fn order_types(&self) -> TokenStream {
        if !self.has_chosen_order() {
            return TokenStream::new();
        }
        let (order, sort) = (ident(&self.structs.order), ident(&self.structs.sort));
        let columns: Vec<_> = self.sort_variants().collect();
        let variants = columns.iter().map(|(column, variant)| {
            let (comment, variant) = (doc(&format!("`{}`", column.field.property)), ident(variant));
            quote!(#comment #variant)
        });
        let column_type = (!columns.is_empty()).then(|| {
            quote! {
                /// Column by which a list is sorted.
                #[derive(Debug, Clone, Copy, PartialEq, Eq)]
                pub enum #sort { #(#variants),* }
            }
        });
        let field = (!columns.is_empty()).then(|| {
            quote! {
                /// Column of the order. Without a column, the rows have the usual order of the table.
                pub by: Option<#sort>,
            }
        });
        let clause = |columns: String| format!("ORDER BY {columns}");
        // Rows with a creation time are usually sorted from newest to oldest.
        let usual_is_descending = self.creation_time().is_some();
        let code = if columns.is_empty() {
            let is_descending = quote!(self.descending.unwrap_or(#usual_is_descending));
            let (ascending, descending) = (clause(self.usual_order(false)), clause(self.usual_order(true)));
            quote!(if #is_descending { #descending } else { #ascending })
        } else {
            let usual = if usual_is_descending {
                quote!(self.by.is_none())
            } else {
                quote!(false)
            };
            let mut arms: Vec<((String, String), Vec<TokenStream>)> = vec![(
                (self.usual_order(false), self.usual_order(true)),
                vec![quote!(None)],
            )];
            for (column, variant) in &columns {
                let variant = ident(variant);
                let pattern = quote!(Some(#sort::#variant));
                let clauses = (self.order_by(column, false), self.order_by(column, true));
                match arms.iter_mut().find(|arm| arm.0 == clauses) {
                    Some((_, patterns)) => patterns.push(pattern),
                    None => arms.push((clauses, vec![pattern])),
                }
            }
            let arms = arms.into_iter().map(|((ascending, descending), patterns)| {
                let (ascending, descending) = (clause(ascending), clause(descending));
                quote! {
                    (#(#patterns)|*, false) => #ascending,
                    (#(#patterns)|*, true) => #descending,
                }
            });
            quote! {
                let is_descending = self.descending.unwrap_or(#usual);
                match (self.by, is_descending) { #(#arms)* }
            }
        };
        quote! {
            #column_type

            /// Order of a list. The default is the usual order of the table.
            #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
            pub struct #order {
                #field
                /// True for descending values. Without a direction, a column has ascending values.
                pub descending: Option<bool>,
            }

            impl #order {
                fn clause(self) -> &'static str { #code }
            }
        }
    }

    /// Returns the columns of `ORDER BY` for a column and a direction. Rows with equal values have the order of their key, so
    /// that no row is on two pages.
    fn order_by(&self, column: &StoredColumn<'_>, descending: bool) -> String {
        let rest = self.table.primary_key.iter().map(String::as_str);
        let own = column.column.name.as_str();
        let names = std::iter::once(own).chain(rest.filter(|name| *name != own));
        self.columns_in_direction(names, descending)
    }

    /// Returns the columns of the usual order, in one direction.
    pub(super) fn usual_order(&self, descending: bool) -> String {
        let time = self.creation_time().map(|stored| stored.column.name.as_str());
        let key = self.table.primary_key.iter().map(String::as_str);
        self.columns_in_direction(time.into_iter().chain(key), descending)
    }

    /// Returns columns of `ORDER BY`. Their names are qualified with the table (`notes.id`), because an unqualified name could
    /// mean an expression of the `SELECT` list, for which no index exists.
    fn columns_in_direction<'n>(&self, names: impl Iterator<Item = &'n str>, descending: bool) -> String {
        let table = sql::relation(&self.table.name);
        let direction = if descending { " DESC" } else { "" };
        let columns = names.map(|name| format!("{table}.{}{direction}", sql::identifier(name)));
        columns.collect::<Vec<_>>().join(", ")
    }
}
