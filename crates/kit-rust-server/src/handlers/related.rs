//! Generates the functions that add rows of other tables to the rows of a response, with one query for each table.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::owner::RowOwner;
use super::refusals::plain;
use super::view::{Item, Link, Part, Reference, View};
use super::{HandlerContext, Uses};
use crate::database::{Parameter, Stored, StoredColumn};
use crate::names;
use crate::route_names::RouteNames;
use crate::source::{doc, ident};
use crate::types::Field;

/// Generated function that turns rows into a response.
pub(super) struct ViewFunction {
    pub(super) name: Ident,
    /// Owner that the function compares with rows of the other tables.
    pub(super) owner: RowOwner,
    /// Name of the parameter for the owner.
    owner_name: Option<Ident>,
    /// Parameter for the owner, with a comma before the name.
    owner_parameter: Option<TokenStream>,
}

impl ViewFunction {
    /// Returns the call of the function. `rows` is the expression of the rows.
    pub(super) fn call(&self, connection: &TokenStream, rows: &TokenStream) -> TokenStream {
        let (name, owner) = (&self.name, self.owner.argument.iter());
        quote!(#name(#connection, #rows #(, #owner)*).await?)
    }

    /// Adds a generated function that turns one row into a response. Returns the call of the function for the variables
    /// `transaction` and `row`.
    pub(super) fn call_for_one(&self, view: &View<'_>, uses: &mut Uses) -> TokenStream {
        let stored = view.stored;
        let (entity, model) = (ident(stored.entity()), ident(&view.model));
        let owner_parameter = &self.owner_parameter;
        let owner = self.owner_name.as_ref().map(|name| quote!(, #name));
        let for_all = &self.name;
        let comment = doc(&format!(
            "Adds rows of other tables to a row of `{}`.",
            kit_database::local_name(&stored.table.name)
        ));
        let message = format!("`{for_all}` returned no response for the row");
        let name = uses.function(format!("{}_{for_all}", plain(stored)), |name| {
            quote! {
                #comment
                async fn #name(
                    connection: &mut sqlx::PgConnection, row: #entity #owner_parameter
                ) -> Result<#model, Error> {
                    let mut responses = #for_all(connection, vec![row] #owner).await?;
                    responses.pop().ok_or_else(|| Error::internal(#message))
                }
            }
        });
        let owner = self.owner.argument.iter();
        quote!(#name(&mut transaction, row #(, #owner)*).await?)
    }
}

impl HandlerContext<'_, '_> {
    /// Returns the expression of a response that has only columns of the variable `row`.
    pub(super) fn part_of_row(view: &View<'_>, uses: &mut Uses) -> TokenStream {
        uses.model(&view.model);
        fields_of_row(&view.model, &view.columns)
    }

    /// Returns the function that adds the rows of other tables. `own` is the owner of the rows of the response.
    pub(super) fn view_function(
        self,
        handled: &RouteNames<'_>,
        view: &View<'_>,
        own: &RowOwner,
        uses: &mut Uses,
    ) -> ViewFunction {
        let stored = view.stored;
        let mut owner = RowOwner::default();
        let mut given = None;
        for table in view.parts.iter().flat_map(|part| part.link.tables()) {
            let of_table = self.row_owner(handled, table, uses);
            if of_table.argument.is_none() {
                continue;
            }
            let others = [own, &owner].into_iter().filter(|other| other.argument.is_some());
            if others.map(RowOwner::text).any(|text| text != of_table.text()) {
                uses.deny(format!(
                    "rows of `{}` and rows of `{}` belong to different values of the context",
                    table.entity(),
                    stored.entity()
                ));
            }
            given = table.owner_parameter();
            owner = of_table;
        }
        if let Some((_, r#type)) = &given {
            uses.parameter(r#type);
        }
        let names: Vec<String> = view
            .parts
            .iter()
            .map(|part| names::plain_field(&part.field.property))
            .collect();
        let wanted = format!("with_{}", names.join("_and_"));
        uses.module(stored);
        uses.model(&view.model);
        uses.model(stored.entity());
        let reads: Vec<TokenStream> = view.parts.iter().map(|part| self.read_part(part, uses)).collect();
        let values: Vec<TokenStream> = view
            .parts
            .iter()
            .map(|part| value_of_part(part, stored.entity()))
            .collect();
        let parts = view.parts.iter().map(|part| ident(&part.field.name));
        let columns = view.columns.iter().map(|field| ident(&field.name));
        let (entity, model) = (ident(stored.entity()), ident(&view.model));
        let owner_name = given.as_ref().map(|(name, _)| name.clone());
        let owner_parameter = given.map(|(name, r#type)| quote!(, #name: #r#type));
        let plural = kit_database::local_name(&stored.table.name);
        let comment = doc(&format!(
            "Adds rows of other tables to rows of `{plural}`, with one query for each table."
        ));
        let name = uses.function(wanted, |name| {
            let (parts, columns) = (parts.clone(), columns.clone());
            quote! {
                #comment
                async fn #name(
                    connection: &mut sqlx::PgConnection, rows: Vec<#entity> #owner_parameter
                ) -> Result<Vec<#model>, Error> {
                    #(#reads)*
                    let mut responses = Vec::with_capacity(rows.len());
                    for row in rows {
                        responses.push(#model { #(#parts: #values,)* #(#columns: row.#columns),* });
                    }
                    Ok(responses)
                }
            }
        });
        ViewFunction {
            name,
            owner,
            owner_name,
            owner_parameter,
        }
    }

    /// Returns the statements that read the rows of a part. They store the rows in a map by the value that `row` has.
    fn read_part(self, part: &Part<'_>, uses: &mut Uses) -> TokenStream {
        let map = map_of(part);
        let is_declared = self.types.declares("HashMap");
        let hash_map = if is_declared {
            quote!(std::collections::HashMap)
        } else {
            uses.runtime.add_path("std::collections::HashMap");
            quote!(HashMap)
        };
        if let Item::Properties(model, _) = &part.item {
            uses.model(model);
        }
        match part.link {
            Link::Children(reference) => {
                let keys = keys_of(&reference, reference.target, &quote!(rows), false);
                let rows = list(reference.from, reference.column, uses);
                let (key, skipped) = key_of_row(reference.column, !part.item.leaves(reference.column));
                let item = item_of_row(&part.item);
                quote! {
                    #keys
                    let found = #rows;
                    let mut #map: #hash_map<_, Vec<_>> = #hash_map::new();
                    for row in found {
                        #skipped
                        #map.entry(#key).or_default().push(#item);
                    }
                }
            }
            Link::Joined { to_row, to_other } => {
                let keys = keys_of(&to_row, to_row.target, &quote!(rows), false);
                let joined = list(to_row.from, to_row.column, uses);
                let keys_of_others = keys_of(&to_other, to_other.column, &quote!(joined), false);
                let others = list(to_other.to, to_other.target, uses);
                let (other_key, _) = key_of_row(to_other.target, true);
                let key = ident(&to_row.column.field.name);
                let other = ident(&to_other.column.field.name);
                let item = item_of_row(&part.item);
                quote! {
                    #keys
                    let joined = #joined;
                    #keys_of_others
                    let found = #others;
                    let found: #hash_map<_, _> = found.into_iter().map(|row| (#other_key, row)).collect();
                    let mut #map: #hash_map<_, Vec<_>> = #hash_map::new();
                    for join in joined {
                        if let Some(row) = found.get(&join.#other).cloned() {
                            #map.entry(join.#key).or_default().push(#item);
                        }
                    }
                }
            }
            Link::Parent(reference) => {
                let keys = keys_of(&reference, reference.column, &quote!(rows), true);
                let found = list(reference.to, reference.target, uses);
                let (key, _) = key_of_row(reference.target, true);
                quote! {
                    #keys
                    let found = #found;
                    let #map: #hash_map<_, _> = found.into_iter().map(|row| (#key, row)).collect();
                }
            }
        }
    }
}

impl Item<'_> {
    /// Returns true if the item does not contain the value of a column, so that the value can be moved out of the row.
    fn leaves(&self, column: &StoredColumn<'_>) -> bool {
        match self {
            Self::Row => false,
            Self::Properties(_, fields) => {
                !fields.iter().any(|field| field.property == column.field.property)
            }
            Self::Value(value) => value.column.name != column.column.name,
        }
    }
}

fn map_of(part: &Part<'_>) -> Ident {
    ident(&format!("{}_by_key", names::plain_field(&part.field.property)))
}

/// Returns the expression that reads the rows with one of the values in the variable `keys`.
fn list(stored: &Stored<'_>, column: &StoredColumn<'_>, uses: &mut Uses) -> TokenStream {
    uses.module(stored);
    let (module, function) = (ident(&stored.module), column.list_by_any());
    let owner = stored.owner_parameter().map(|(name, _)| quote!(, #name));
    quote!(#module::#function(&mut *connection, &keys #owner).await?)
}

/// Returns the statement that stores the values of a column of rows in the variable `keys`.
fn keys_of(
    reference: &Reference<'_>,
    column: &StoredColumn<'_>,
    rows: &TokenStream,
    may_be_null: bool,
) -> TokenStream {
    let name = ident(&column.field.name);
    let r#type = reference.target.parameter_type();
    let options = usize::from(column.field.optional) + usize::from(column.field.r#type.is_option());
    if options == 0 || !may_be_null {
        let value = match r#type {
            Some(Parameter::Text) => quote!(row.#name.as_str()),
            Some(Parameter::BigInt(_)) => quote!(&row.#name),
            _ => quote!(row.#name),
        };
        return quote!(let keys: Vec<_> = #rows.iter().map(|row| #value).collect(););
    }
    let is_number = r#type == Some(Parameter::Whole);
    let flat = match (options > 1, is_number) {
        (false, _) => None,
        (true, true) => Some(quote!(.flatten())),
        (true, false) => Some(quote!(.as_ref().and_then(Option::as_ref))),
    };
    let value = match (r#type, options) {
        (Some(Parameter::Text), 1) => quote!(row.#name.as_deref()),
        (Some(Parameter::Text), _) => quote!(row.#name.as_ref().and_then(Option::as_deref)),
        (Some(Parameter::BigInt(_)), 1) => quote!(row.#name.as_ref()),
        _ => quote!(row.#name #flat),
    };
    quote!(let keys: Vec<_> = #rows.iter().filter_map(|row| #value).collect();)
}

/// Returns the expression of the key of the variable `row` in a map, and the statement that skips the row if the value is
/// null. `is_copied` is true if the row is used afterwards.
fn key_of_row(column: &StoredColumn<'_>, is_copied: bool) -> (TokenStream, Option<TokenStream>) {
    let name = ident(&column.field.name);
    let is_number = column.parameter_type() == Some(Parameter::Whole);
    let cloned = (is_copied && !is_number).then(|| quote!(.clone()));
    let value = quote!(row.#name #cloned);
    match (column.field.optional, column.field.r#type.is_option()) {
        (false, false) => (value, None),
        (true, true) => (
            quote!(key),
            Some(quote!(let Some(key) = #value.flatten() else { continue; };)),
        ),
        _ => (
            quote!(key),
            Some(quote!(let Some(key) = #value else { continue; };)),
        ),
    }
}

/// Returns the expression of the item for the variable `row`.
fn item_of_row(item: &Item<'_>) -> TokenStream {
    match item {
        Item::Row => quote!(row),
        Item::Properties(model, fields) => fields_of_row(model, fields),
        Item::Value(column) => {
            let name = ident(&column.field.name);
            quote!(row.#name)
        }
    }
}

fn fields_of_row(model: &str, fields: &[&Field]) -> TokenStream {
    let (model, names) = (ident(model), fields.iter().map(|field| ident(&field.name)));
    quote!(#model { #(#names: row.#names),* })
}

/// Returns the value of a part in the response for the variable `row`.
fn value_of_part(part: &Part<'_>, entity: &str) -> TokenStream {
    let map = map_of(part);
    let of = |column: &StoredColumn<'_>| ident(&column.field.name);
    match part.link {
        Link::Children(reference)
        | Link::Joined {
            to_row: reference, ..
        } => {
            let key = of(reference.target);
            quote!(#map.remove(&row.#key).unwrap_or_default())
        }
        Link::Parent(reference) => {
            let key = of(reference.column);
            let column = reference.column;
            let item = match &part.item {
                Item::Row => None,
                other => {
                    let item = item_of_row(other);
                    Some(quote!(.map(|row| #item)))
                }
            };
            let found = match (column.field.optional, column.field.r#type.is_option()) {
                (false, false) => quote!(#map.get(&row.#key)),
                (true, true) => {
                    quote!(row.#key.as_ref().and_then(Option::as_ref).and_then(|key| #map.get(key)))
                }
                _ => quote!(row.#key.as_ref().and_then(|key| #map.get(key))),
            };
            let found = quote!(#found.cloned() #item);
            if part.field.r#type.is_option() {
                return found;
            }
            let message = format!(
                "No row of `{}` has the `{}` of a row of `{entity}`",
                reference.to.entity(),
                column.field.property
            );
            quote!(#found.ok_or_else(|| Error::internal(#message))?)
        }
    }
}
