//! Generates the code for rows of other tables that a request inserts or replaces together with a row: the items of an order.

use kit_ir::Method;
use proc_macro2::TokenStream;
use quote::quote;

use super::new_row::{Parent, new_values};
use super::owner::RowOwner;
use super::values::{RequestValue, ValuePlace};
use super::view::{Item, Link, Reference, View};
use super::{HandlerContext, Reason, Uses};
use crate::database::{Stored, StoredColumn};
use crate::names;
use crate::route_groups::Group;
use crate::route_names::RouteNames;
use crate::source::ident;
use crate::types::{Field, RuntimeItem, RustType};

/// Rows that a request inserts together with a row: the items of an order.
pub(super) struct Nested<'k> {
    /// Field of the body.
    pub(super) field: &'k Field,
    pub(super) reference: Reference<'k>,
    content: Content<'k>,
}

/// Values of the elements of an array in the body.
enum Content<'k> {
    /// Objects with these fields.
    Fields(&'k [Field]),
    /// Values of one column: the ids of tags.
    Value(&'k StoredColumn<'k>),
}

/// Generated code that inserts nested rows.
#[derive(Default)]
pub(super) struct NestedCode {
    /// Statements before the transaction.
    pub(super) before: TokenStream,
    /// Statements in the transaction, after the insert or change of the row in the variable `row`.
    pub(super) inserts: TokenStream,
}

impl<'k> HandlerContext<'k, '_> {
    /// Returns the tables of rows that a route inserts together with a row.
    pub(super) fn nested_tables(self, handled: &RouteNames<'_>) -> Vec<&'k Stored<'k>> {
        let references = self.references_above(handled).into_iter();
        references.map(|reference| reference.from).collect()
    }

    /// Returns the references from rows that a route inserts to the row that the route writes before them.
    pub(super) fn references_above(self, handled: &RouteNames<'_>) -> Vec<Reference<'k>> {
        let nested = || {
            let (stored, view) = self.answer(handled).ok()?;
            let body = self.fields_of_body(handled).ok()?;
            self.nested(stored, view.as_ref(), body).ok()
        };
        let nested = handled.is_write().then(nested).flatten().unwrap_or_default();
        nested.into_iter().map(|nested| nested.reference).collect()
    }

    /// Returns the tables and columns for which a handler that changes a row needs a function that deletes rows.
    pub(super) fn deleted_by(self, handled: &RouteNames<'_>) -> Vec<(String, String)> {
        let is_change = matches!(handled.route.method, Method::Put | Method::Patch);
        let nested = || {
            let (stored, view) = self.answer(handled).ok()?;
            let body = self.fields_of_body(handled).ok()?;
            self.nested(stored, view.as_ref(), body).ok()
        };
        let nested = is_change.then(nested).flatten().unwrap_or_default();
        let names = nested.into_iter().map(|Nested { reference, .. }| {
            (
                reference.from.table.name.clone(),
                reference.column.column.name.clone(),
            )
        });
        names.collect()
    }

    /// Returns the reason if a handler cannot replace the rows of another table, because other rows would be lost, or because
    /// the database would give the new rows other keys than the old ones.
    pub(super) fn check_replaced(self, nested: &[Nested<'k>]) -> Result<(), Reason> {
        for Nested {
            field,
            reference,
            content,
        } in nested
        {
            let (stored, property) = (reference.from, &field.property);
            let entity = stored.entity();
            if self.database.is_referred_to(&stored.table.name) {
                return Err(format!(
                    "`{property}` would replace rows of `{entity}` to which other rows refer"
                ));
            }
            let is_given = |name: &String| {
                let is_field = |fields: &[Field]| {
                    let mut columns = stored.columns.iter();
                    let column = columns.find(|column| column.column.name == *name);
                    let mut fields = fields.iter().filter(|field| !field.optional);
                    column.is_some_and(|column| fields.any(|field| field.property == column.field.property))
                };
                *name == reference.column.column.name
                    || match content {
                        Content::Fields(fields) => is_field(fields),
                        Content::Value(value) => value.column.name == *name,
                    }
            };
            if !stored.table.primary_key.iter().all(is_given) {
                return Err(format!(
                    "`{property}` would replace rows of `{entity}`, whose keys the body does not have"
                ));
            }
            if stored.owner().is_some() {
                return Err(format!(
                    "`{property}` could replace rows of `{entity}` of other owners"
                ));
            }
        }
        Ok(())
    }

    /// Returns the properties of the body that are rows of other tables. Ignores properties that are neither columns nor such
    /// rows.
    pub(super) fn nested(
        self,
        stored: &'k Stored<'k>,
        view: Option<&View<'k>>,
        body: &'k [Field],
    ) -> Result<Vec<Nested<'k>>, Reason> {
        let mut found = Vec::new();
        for field in body {
            let RustType::Vec(of) = &field.r#type else {
                continue;
            };
            let has_column = stored
                .columns
                .iter()
                .any(|column| column.field.property == field.property);
            if has_column {
                continue;
            }
            let part = view.and_then(|view| {
                let mut parts = view.parts.iter();
                parts.find(|part| part.field.property == field.property)
            });
            if let Some(fields) = of.model().and_then(|model| self.types.structs.get(model)) {
                let reference = match part.map(|part| part.link) {
                    Some(Link::Children(reference)) => Some(reference),
                    Some(_) => None,
                    None => self.child_of(stored, field, fields),
                };
                let Some(reference) = reference else { continue };
                let content = Content::Fields(fields);
                found.push(Nested {
                    field,
                    reference,
                    content,
                });
                continue;
            }
            let linked = self.linked_values(stored, &field.property, of);
            if let Some((Link::Children(reference), Item::Value(column))) = linked {
                let content = Content::Value(column);
                found.push(Nested {
                    field,
                    reference,
                    content,
                });
            }
        }
        let table = |nested: &Nested<'k>| nested.reference.from.table.name.as_str();
        let mut tables: Vec<&str> = found.iter().map(table).collect();
        tables.sort_unstable();
        tables.dedup();
        if tables.len() < found.len() {
            return Err("two properties of the body are rows of the same table".to_owned());
        }
        Ok(found)
    }

    /// Returns the foreign key of the only table that refers to a row and has all fields of the elements.
    fn child_of(self, stored: &'k Stored<'k>, field: &Field, fields: &[Field]) -> Option<Reference<'k>> {
        let mut found: Vec<Reference<'k>> = Vec::new();
        for other in &self.database.tables {
            let Some(reference) = Reference::only(other, stored) else {
                continue;
            };
            let has_all = fields.iter().all(|field| {
                let mut columns = other.inserted();
                columns.any(|column| {
                    column.field.property == field.property
                        && column.plain_type() == field.r#type.without_option()
                })
            });
            if has_all {
                found.push(reference);
            }
        }
        if found.len() > 1 {
            let name = names::plain_field(&field.property);
            found.retain(|reference| {
                let table = kit_database::local_name(&reference.from.table.name);
                table == name || table.ends_with(&format!("_{name}"))
            });
        }
        let reference = found.pop()?;
        found.is_empty().then_some(reference)
    }

    /// Returns the code that inserts nested rows. If `replaces` is true, the code first deletes the nested rows that the row
    /// has.
    pub(super) fn nested_code(
        self,
        group: &Group<'_>,
        handled: &RouteNames<'_>,
        nested: &[Nested<'k>],
        own: &RowOwner,
        replaces: bool,
        uses: &mut Uses,
    ) -> Result<NestedCode, Reason> {
        let mut code = NestedCode::default();
        for Nested {
            field,
            reference,
            content,
        } in nested
        {
            let stored = reference.from;
            let row_owner = self.row_owner(handled, stored, uses);
            if row_owner.argument.is_some() && row_owner.text() != own.text() {
                uses.deny(format!(
                    "rows of `{}` and rows of `{}` belong to different values of the context",
                    stored.entity(),
                    reference.to.entity()
                ));
            }
            let fields: &[Field] = match content {
                Content::Fields(fields) => fields,
                Content::Value(_) => &[],
            };
            let is_given = |column: &StoredColumn<'_>| {
                fields.iter().any(|field| field.property == column.field.property)
            };
            let owner = stored.owner().map(|(column, _)| column);
            if let Some(column) = [Some(reference.column), owner]
                .into_iter()
                .flatten()
                .find(|column| is_given(column))
            {
                return Err(format!(
                    "`{}` of the elements of `{}` comes from the row above them, so the body must not have it",
                    column.field.property, field.property
                ));
            }
            let value = match content {
                Content::Fields(_) => None,
                Content::Value(column) => Some(*column),
            };
            let parent = Parent { reference, value };
            let values = new_values(stored, &row_owner, Some(&parent), &[(ValuePlace::Item, fields)])?;
            uses.module(stored);
            uses.row(stored, &stored.structs.new);
            let given: Vec<_> = match content {
                Content::Fields(fields) => RequestValue::all(ValuePlace::Item, fields).collect(),
                Content::Value(column) => vec![RequestValue::item(column)],
            };
            let checks = self.checks_references(group, handled, stored, &row_owner, &given, uses);
            if !checks.after.is_empty() {
                return Err(format!(
                    "kit cannot check who owns the rows to which rows of `{}` refer",
                    stored.entity()
                ));
            }
            let (module, new, name) = (
                ident(&stored.module),
                ident(&stored.structs.new),
                ident(&field.name),
            );
            let before = checks.before;
            if !before.is_empty() {
                let items = if field.optional {
                    quote!(body.#name.iter().flatten())
                } else {
                    quote!(&body.#name)
                };
                code.before.extend(quote!(for item in #items { #before }));
            }
            let refused = self.refused(group, stored, uses);
            let refused = refused.map(|refused| quote!(.map_err(#refused)));
            let deleted = replaces.then(|| {
                let (function, target) = (reference.column.delete_by(), ident(&reference.target.field.name));
                let borrow = reference.target.parameter_type().map(|r#type| r#type.borrow());
                quote!(#module::#function(&mut *transaction, #borrow row.#target).await?;)
            });
            let sorted = sorted(nested_key(stored, *reference, content));
            let inserted = |items: TokenStream| {
                quote! {
                    for item in #items {
                        let new = #new { #(#values),* };
                        #module::insert(&mut *transaction, &new).await #refused?;
                    }
                }
            };
            code.inserts.extend(match (field.optional, deleted) {
                (true, Some(deleted)) => {
                    let mutable = sorted.as_ref().map(|_| quote!(mut));
                    let inserted = inserted(quote!(items));
                    quote!(if let Some(#mutable items) = body.#name { #deleted #sorted #inserted })
                }
                (is_optional, deleted) => {
                    let default = is_optional.then(|| quote!(.unwrap_or_default()));
                    let given = quote!(body.#name #default);
                    let inserted = match sorted {
                        None => inserted(given),
                        Some(sorted) => {
                            let inserted = inserted(quote!(items));
                            quote!(let mut items = #given; #sorted #inserted)
                        }
                    };
                    quote!(#deleted #inserted)
                }
            });
        }
        Ok(code)
    }
}

/// Part of a key that the elements of an array contain.
enum KeyPart<'k> {
    /// The elements themselves.
    Element,
    /// A field of the elements.
    Field(&'k Field),
}

/// Returns the values with which nested rows refer to other rows than the one above them. Returns nothing if the database gives
/// the nested rows their keys, because the order of such keys is the order of the rows. Returns nothing either if nested rows can refer
/// to each other, because a request has the row to which another one refers before it.
fn nested_key<'k>(stored: &Stored<'_>, above: Reference<'_>, content: &Content<'k>) -> Vec<KeyPart<'k>> {
    let given = |name: &str| match content {
        Content::Value(column) => {
            (column.column.name == name).then(|| (KeyPart::Element, column.plain_type()))
        }
        Content::Fields(fields) => {
            let column = stored.columns.iter().find(|column| column.column.name == name)?;
            let mut fields = fields.iter();
            let field = fields.find(|field| field.property == column.field.property)?;
            Some((KeyPart::Field(field), &field.r#type))
        }
    };
    let is_above = |name: &str| name == above.column.column.name;
    let mut key = stored.table.primary_key.iter();
    if !key.all(|name| is_above(name) || given(name).is_some()) {
        return Vec::new();
    }
    let mut columns = Vec::new();
    for reference in &stored.table.foreign_keys {
        let others = reference.columns.iter().filter(|name| !is_above(name));
        let others: Vec<_> = others.filter_map(|name| given(name)).collect();
        if reference.table == stored.table.name && !others.is_empty() {
            return Vec::new();
        }
        columns.extend(others);
    }
    let ordered = columns.into_iter().filter(|(_, of)| has_order(of));
    ordered.map(|(part, _)| part).collect()
}

/// Returns true if values of a type have an order.
fn has_order(of: &RustType) -> bool {
    let ordered = [RuntimeItem::BigInt, RuntimeItem::Decimal, RuntimeItem::Timestamp];
    match of {
        RustType::I64 | RustType::String => true,
        RustType::Option(of) => has_order(of),
        other => ordered.iter().any(|item| other.is_runtime(*item)),
    }
}

/// Returns the statement that sorts the elements in the variable `items`. Each insert locks the row to which it refers, so requests
/// that lock rows in different orders would wait for each other.
fn sorted(key: Vec<KeyPart<'_>>) -> Option<TokenStream> {
    let mut fields = Vec::new();
    for part in key {
        match part {
            KeyPart::Element => return Some(with_reason(&quote!(items.sort_unstable();))),
            KeyPart::Field(field) => fields.push(field),
        }
    }
    let names: Vec<_> = fields.iter().map(|field| ident(&field.name)).collect();
    let statement = match (&*fields, &*names) {
        ([], _) => return None,
        ([field], [name]) if field.r#type.without_option().is_copied() => {
            quote!(items.sort_by_key(|item| item.#name);)
        }
        (_, [name]) => quote!(items.sort_by(|one, other| one.#name.cmp(&other.#name));),
        _ => quote!(items.sort_by(|one, other| (#(&one.#names),*).cmp(&(#(&other.#names),*)));),
    };
    Some(with_reason(&statement))
}

fn with_reason(statement: &TokenStream) -> TokenStream {
    quote! {
        #[comment = " Each insert locks the row to which the item refers."]
        #[comment = " One order, so that requests rarely wait for each other in a circle."]
        #statement
    }
}
