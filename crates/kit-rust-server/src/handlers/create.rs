//! Generates handlers of routes that insert a row, together with rows of other tables that refer to the row.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{Code, Outcome};
use super::operations::{awaited_query, other_type, owner_type};
use super::owner::{ReferenceChecks, RowOwner};
use super::values::{Part, RequestValue, converted};
use super::view::{Item, Link, Reference, View};
use super::{HandlerContext, Reason, Uses};
use crate::database::{Parameter, Stored, StoredColumn};
use crate::names;
use crate::route_names::RouteNames;
use crate::router::Group;
use crate::source::ident;
use crate::types::{Field, Form, RustType};

/// Rows that a request inserts together with a row: the items of an order.
pub(super) struct Nested<'k> {
    /// Field of the body.
    field: &'k Field,
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
struct NestedCode {
    /// Statements before the transaction.
    before: TokenStream,
    /// Statements in the transaction, after the insert of the row in the variable `row`.
    inserts: TokenStream,
}

impl<'k> HandlerContext<'k, '_> {
    pub(super) fn create(
        self,
        group: &Group<'_>,
        handled: &RouteNames<'_>,
        uses: &mut Uses,
    ) -> Result<Code, Reason> {
        let slots = &handled.route.slots;
        let (stored, view) = self.answer(handled)?;
        let entity = stored.entity();
        let body = self.fields_of_body(handled)?;
        let params: &[Field] = slots
            .params
            .and_then(|id| self.types.structs.get(self.types.name_in(id, Form::Request)))
            .map_or(&[], Vec::as_slice);
        let row_owner = self.row_owner(handled, stored, uses);
        let nested = self.nested(stored, view.as_ref(), body)?;
        // Every property of the request must have a column. Otherwise a value of the request would silently be lost.
        let is_stored = |field: &&Field| {
            let mut columns = stored.inserted();
            columns.any(|column| column.field.property == field.property)
                || nested
                    .iter()
                    .any(|nested| nested.field.property == field.property)
        };
        if let Some(field) = body.iter().chain(params).find(|field| !is_stored(field)) {
            return Err(format!(
                "the property `{}` of the request is neither a property of `{entity}` that can be inserted nor rows of a table with one foreign key to it",
                field.property
            ));
        }
        if let Some((owner, _)) = stored.owner()
            && !stored.inserted().any(|column| stored.is_owner(column))
        {
            let property = &owner.field.property;
            uses.deny(format!(
                "`{property}` identifies the owner of `{entity}`, but the database generates this value"
            ));
        }
        let values = new_values(
            stored,
            &row_owner,
            None,
            &[(Part::Params, params), (Part::Body, body)],
        )?;
        let new = &stored.structs.new;
        uses.module(stored);
        uses.row(stored, new);
        let given: Vec<_> = RequestValue::all(Part::Params, params)
            .chain(RequestValue::all(Part::Body, body))
            .collect();
        let other_owner = self.refuses_other_owner(group, stored, &row_owner, &given, uses);
        let other_owner = other_owner.ok_or_else(|| owner_type(stored))?;
        let references = self.checks_references(group, handled, stored, &row_owner, &given, uses);
        let (new, module) = (ident(new), ident(&stored.module));
        let refused = self.refused(group, stored, uses);
        let rows = self.nested_code(group, handled, &nested, &row_owner, uses)?;
        let added = view.as_ref().filter(|view| !view.parts.is_empty());
        let added = added.map(|view| self.view_function(handled, view, &row_owner, uses));
        let lets = added
            .as_ref()
            .map_or(&row_owner.lets, |added| row_owner.lets_or(&added.owner));
        let ReferenceChecks { before, after } = &references;
        let NestedCode {
            before: checks,
            inserts,
        } = &rows;
        let needs_transaction = !after.is_empty() || !inserts.is_empty() || added.is_some();
        let statements = quote! {
            #lets
            let body = input.body;
            #other_owner
            #before
            #checks
            let new = #new { #(#values),* };
        };
        if !needs_transaction {
            let insert = quote!(#module::insert(&self.pool, &new));
            if let Some(view) = &view {
                let inserted = awaited_query("row", &insert, refused.as_ref());
                let value = Self::part_of_row(view, uses);
                return Ok(Code::new(quote!(#statements #inserted), Outcome::Value(value)));
            }
            let result = match refused {
                None => Outcome::Value(quote!(#insert.await?)),
                Some(refused) => Outcome::Fallible(quote!(#insert.await.map_err(#refused))),
            };
            return Ok(Code::new(statements, result));
        }
        let insert = quote!(#module::insert(&mut *transaction, &new));
        let inserted = awaited_query("row", &insert, refused.as_ref());
        let (responses, result) = match (&view, &added) {
            (None, _) => (None, Outcome::Value(quote!(row))),
            (Some(view), None) => (None, Outcome::Value(Self::part_of_row(view, uses))),
            (Some(_), Some(added)) => {
                let responses = added.call(&quote!(&mut transaction), &quote!(vec![row]));
                let result = quote!(
                    responses
                        .pop()
                        .ok_or_else(|| Error::internal("The inserted row is missing"))
                );
                (
                    Some(quote!(let mut responses = #responses;)),
                    Outcome::Fallible(result),
                )
            }
        };
        let statements = quote! {
            #statements
            let mut transaction = self.pool.begin().await?;
            #inserted
            #after
            #inserts
            #responses
            transaction.commit().await?;
        };
        Ok(Code::new(statements, result))
    }

    /// Returns the tables of rows that a route inserts together with a row.
    pub(super) fn nested_tables(self, handled: &RouteNames<'_>) -> Vec<&'k Stored<'k>> {
        let nested = || {
            let (stored, view) = self.answer(handled).ok()?;
            let body = self.fields_of_body(handled).ok()?;
            self.nested(stored, view.as_ref(), body).ok()
        };
        let is_insert = handled.route.method == kit_ir::Method::Post;
        let nested = is_insert.then(nested).flatten().unwrap_or_default();
        nested.into_iter().map(|nested| nested.reference.from).collect()
    }

    /// Returns the properties of the body that are rows of other tables. Ignores properties that are neither columns nor such
    /// rows.
    fn nested(
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

    fn nested_code(
        self,
        group: &Group<'_>,
        handled: &RouteNames<'_>,
        nested: &[Nested<'k>],
        own: &RowOwner,
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
            let values = new_values(stored, &row_owner, Some(&parent), &[(Part::Item, fields)])?;
            uses.module(stored);
            uses.row(stored, &stored.structs.new);
            let given: Vec<_> = match content {
                Content::Fields(fields) => RequestValue::all(Part::Item, fields).collect(),
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
            let items = if field.optional {
                quote!(body.#name.into_iter().flatten())
            } else {
                quote!(body.#name)
            };
            code.inserts.extend(quote! {
                for item in #items {
                    let new = #new { #(#values),* };
                    #module::insert(&mut *transaction, &new).await #refused?;
                }
            });
        }
        Ok(code)
    }
}

/// Row above a nested row, in the variable `row`.
struct Parent<'n, 'k> {
    /// Foreign key of the nested row.
    reference: &'n Reference<'k>,
    /// Column whose value is the variable `item` itself.
    value: Option<&'k StoredColumn<'k>>,
}

/// Returns the fields of the struct of a new row.
fn new_values(
    stored: &Stored<'_>,
    row_owner: &RowOwner,
    parent: Option<&Parent<'_, '_>>,
    given: &[(Part, &[Field])],
) -> Result<Vec<TokenStream>, Reason> {
    let mut values = Vec::new();
    for column in stored.inserted() {
        let name = ident(&column.field.name);
        let options = column.insert_options();
        let wrapped = |value: TokenStream| (0..options).fold(value, |inner, _| quote!(Some(#inner)));
        let is = |other: &StoredColumn<'_>| other.column.name == column.column.name;
        if stored.is_owner(column) {
            let value = row_owner.owned(options);
            values.push(quote!(#name: #value));
            continue;
        }
        if let Some(parent) = parent.filter(|parent| is(parent.reference.column)) {
            let target = parent.reference.target;
            let of = ident(&target.field.name);
            let is_number = target.parameter_type() == Some(Parameter::Whole);
            let cloned = (!is_number).then(|| quote!(.clone()));
            let value = wrapped(quote!(row.#of #cloned));
            values.push(quote!(#name: #value));
            continue;
        }
        if parent.and_then(|parent| parent.value).is_some_and(is) {
            let value = wrapped(quote!(item));
            values.push(quote!(#name: #value));
            continue;
        }
        let field = given.iter().find_map(|(from, fields)| {
            let mut fields = fields.iter();
            let field = fields.find(|field| field.property == column.field.property)?;
            Some((*from, field))
        });
        let value = match field {
            Some((from, field)) => converted(from, field, column.plain_type(), options)
                .ok_or_else(|| other_type(field, stored))?,
            None if options > 0 => quote!(None),
            None => {
                return Err(format!(
                    "the request has no value for the property `{}` of `{}`",
                    column.field.property,
                    stored.entity()
                ));
            }
        };
        values.push(quote!(#name: #value));
    }
    Ok(values)
}
