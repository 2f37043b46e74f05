//! Generates handlers of routes that access one row: create, read, update and delete.

use kit_ir::Method;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::owner::ReferenceChecks;
use super::resource::Key;
use super::values::{Part, RequestValue, converted};
use super::{HandlerContext, Uses};
use crate::database::Stored;
use crate::route_names::RouteNames;
use crate::router::Group;
use crate::source::ident;
use crate::types::{Field, Form};

impl HandlerContext<'_, '_> {
    /// Returns the body of a handler. Returns `None` if kit cannot tell from the types how to handle the route.
    pub(super) fn handler_code(
        self,
        group: &Group<'_>,
        handled: &RouteNames<'_>,
        uses: &mut Uses,
    ) -> Option<TokenStream> {
        if handled.has_parts_without_meaning() {
            return None;
        }
        let slots = &handled.route.slots;
        match handled.route.method {
            Method::Post => self.create(group, handled, uses),
            Method::Get if slots.params.is_none() => self.list(handled, uses),
            Method::Get => self.read(handled, uses).or_else(|| self.list(handled, uses)),
            Method::Put | Method::Patch => self.change(group, handled, uses),
            Method::Delete if slots.response.is_none() => self.delete(handled, uses),
            _ => None,
        }
    }

    fn create(self, group: &Group<'_>, handled: &RouteNames<'_>, uses: &mut Uses) -> Option<TokenStream> {
        let slots = &handled.route.slots;
        slots.response?;
        let stored = self.resource(handled)?;
        let fields = |id| self.types.structs.get(self.types.name_in(id, Form::Request));
        let body = fields(slots.body?)?;
        let params: &[Field] = match slots.params {
            Some(id) => fields(id)?,
            None => &[],
        };
        let row_owner = self.row_owner(handled, stored, uses);
        // Every property of the request must have a column. Otherwise a value of the request would silently be lost.
        let is_stored = |field: &Field| {
            let mut columns = stored.inserted();
            columns.any(|column| column.field.property == field.property)
        };
        if !body.iter().chain(params).all(is_stored) {
            return None;
        }
        if let Some((owner, _)) = stored.owner()
            && !stored.inserted().any(|column| stored.is_owner(column))
        {
            let (entity, property) = (stored.entity(), &owner.field.property);
            uses.deny(format!(
                "`{property}` identifies the owner of `{entity}`, but the database generates this value"
            ));
        }
        let mut values = Vec::new();
        for column in stored.inserted() {
            let name = ident(&column.field.name);
            if stored.is_owner(column) {
                let value = row_owner.owned(column.insert_options());
                values.push(quote!(#name: #value));
                continue;
            }
            let given = |from: Part, fields: &[Field]| {
                let field = fields
                    .iter()
                    .find(|field| field.property == column.field.property)?;
                Some(converted(
                    from,
                    field,
                    column.plain_type(),
                    column.insert_options(),
                ))
            };
            let value = match given(Part::Params, params).or_else(|| given(Part::Body, body)) {
                Some(value) => value?,
                None if column.insert_options() > 0 => quote!(None),
                None => return None,
            };
            values.push(quote!(#name: #value));
        }
        let new = &stored.structs.new;
        uses.module(stored);
        uses.row(stored, new);
        let given: Vec<_> = RequestValue::all(Part::Params, params)
            .chain(RequestValue::all(Part::Body, body))
            .collect();
        let other_owner = self.refuses_other_owner(group, stored, &row_owner, &given, uses)?;
        let references = self.checks_references(group, handled, stored, &row_owner, &given, uses);
        let (new, module, lets) = (ident(new), ident(&stored.module), &row_owner.lets);
        let refused = self.refused(group, stored, uses);
        let ReferenceChecks { before, after } = &references;
        let result = if after.is_empty() {
            let insert = quote!(#module::insert(&self.pool, &new).await);
            match refused {
                None => quote!(Ok(#insert?)),
                Some(refused) => quote!(#insert.map_err(#refused)),
            }
        } else {
            let call = quote!(#module::insert(&mut *transaction, &new));
            let inserted = awaited_query("row", &call, refused.as_ref());
            quote! {
                let mut transaction = self.pool.begin().await?;
                #inserted
                #after
                transaction.commit().await?;
                Ok(row)
            }
        };
        Some(quote! {
            #lets
            let body = input.body;
            #other_owner
            #before
            let new = #new { #(#values),* };
            #result
        })
    }

    fn read(self, handled: &RouteNames<'_>, uses: &mut Uses) -> Option<TokenStream> {
        if handled.route.slots.query.is_some() {
            return None;
        }
        handled.route.slots.response?;
        let stored = self.resource(handled)?;
        let key = self.key(handled, stored)?;
        let missing = self.missing(handled, stored, uses);
        let row_owner = self.row_owner(handled, stored, uses);
        uses.module(stored);
        let (module, arguments) = (ident(&stored.module), &key.arguments);
        let owner = row_owner.argument.iter();
        let call = quote!(#module::get(&self.pool, #(#arguments),* #(, #owner)*));
        let found = awaited_query("found", &call, None);
        let (key_lets, owner_lets) = (&key.lets, &row_owner.lets);
        let of_path = key.is_below().map(|is_below| quote!(.filter(|row| #is_below)));
        Some(quote! {
            #key_lets
            #owner_lets
            #found
            found #of_path.ok_or_else(|| #missing(#(#arguments),*))
        })
    }

    /// Returns the statement that refuses to change a row that is not below the rest of the path. If another request moves the row
    /// at the same time, the row is changed as if this request had come first.
    fn refuses_row_elsewhere(
        key: &Key,
        stored: &Stored<'_>,
        owner: Option<&TokenStream>,
        missing: &Ident,
    ) -> Option<TokenStream> {
        let is_elsewhere = key.is_elsewhere()?;
        let (module, arguments) = (ident(&stored.module), &key.arguments);
        let owner = owner.into_iter();
        let call = quote!(#module::get(&self.pool, #(#arguments),* #(, #owner)*));
        let found = awaited_query("found", &call, None);
        Some(quote! {
            #found
            let is_missing = found.is_none_or(|row| #is_elsewhere);
            if is_missing {
                return Err(#missing(#(#arguments),*));
            }
        })
    }

    fn change(self, group: &Group<'_>, handled: &RouteNames<'_>, uses: &mut Uses) -> Option<TokenStream> {
        let slots = &handled.route.slots;
        slots.response?;
        let stored = self.resource(handled).filter(|stored| stored.is_updated())?;
        let key = self.key(handled, stored)?;
        let fields = self
            .types
            .structs
            .get(self.types.name_in(slots.body?, Form::Request))?;
        let is_stored = |field: &Field| {
            let owner = stored.owner().map(|(column, _)| column);
            let mut columns = stored.changed().chain(owner);
            columns.any(|column| column.field.property == field.property)
        };
        if !fields.iter().all(is_stored) {
            return None;
        }
        let mut values = Vec::new();
        for column in stored.changed() {
            let field = fields
                .iter()
                .find(|field| field.property == column.field.property);
            let value = if let Some(field) = field {
                converted(Part::Body, field, column.plain_type(), column.update_options())?
            } else {
                quote!(None)
            };
            let name = ident(&column.field.name);
            values.push(quote!(#name: #value));
        }
        let changes = &stored.structs.changes;
        uses.module(stored);
        uses.row(stored, changes);
        let missing = self.missing(handled, stored, uses);
        let is_ruled = stored.constraints().iter().any(|constraint| {
            let columns = constraint.columns();
            stored
                .changed()
                .any(|changed| columns.contains(&&changed.column.name))
        });
        let is_refused = is_ruled || self.may_exceed_column(handled, stored);
        let refused = is_refused.then(|| self.refused(group, stored, uses)).flatten();
        let row_owner = self.row_owner(handled, stored, uses);
        let given: Vec<_> = RequestValue::all(Part::Body, fields).collect();
        let other_owner = self.refuses_other_owner(group, stored, &row_owner, &given, uses)?;
        let references = self.checks_references(group, handled, stored, &row_owner, &given, uses);
        let (module, arguments, changes) = (ident(&stored.module), &key.arguments, ident(changes));
        let elsewhere = Self::refuses_row_elsewhere(&key, stored, row_owner.argument.as_ref(), &missing);
        let owner = row_owner.argument.iter();
        let ReferenceChecks { before, after } = &references;
        let is_checked = !after.is_empty();
        let pool = if is_checked {
            quote!(&mut *transaction)
        } else {
            quote!(&self.pool)
        };
        let call = quote!(#module::update(#pool, #(#arguments),* #(, #owner)*, &changes));
        let mut changed = awaited_query("changed", &call, refused.as_ref());
        if is_checked {
            changed = quote! {
                let mut transaction = self.pool.begin().await?;
                #changed
                if let Some(row) = &changed {
                    #after
                }
                transaction.commit().await?;
            };
        }
        let (key_lets, owner_lets) = (&key.lets, &row_owner.lets);
        Some(quote! {
            #key_lets
            #owner_lets
            #elsewhere
            let body = input.body;
            #other_owner
            #before
            let changes = #changes { #(#values),* };
            #changed
            changed.ok_or_else(|| #missing(#(#arguments),*))
        })
    }

    fn delete(self, handled: &RouteNames<'_>, uses: &mut Uses) -> Option<TokenStream> {
        let stored: &Stored<'_> = self.resource(handled)?;
        let key = self.key(handled, stored)?;
        let missing = self.missing(handled, stored, uses);
        let in_use = self.in_use(handled, stored, uses);
        uses.module(stored);
        let row_owner = self.row_owner(handled, stored, uses);
        let (module, arguments) = (ident(&stored.module), &key.arguments);
        let elsewhere = Self::refuses_row_elsewhere(&key, stored, row_owner.argument.as_ref(), &missing);
        let owner = row_owner.argument.iter();
        let call = quote!(#module::delete(&self.pool, #(#arguments),* #(, #owner)*));
        let deleted = awaited_query("deleted", &call, in_use.as_ref());
        let (key_lets, owner_lets) = (&key.lets, &row_owner.lets);
        Some(quote! {
            #key_lets
            #owner_lets
            #elsewhere
            #deleted
            if deleted {
                Ok(())
            } else {
                Err(#missing(#(#arguments),*))
            }
        })
    }
}

/// Returns a statement that runs a query and stores its result in a variable. `refused` is the generated
/// function that converts a database error into a response.
pub(super) fn awaited_query(variable: &str, query: &TokenStream, refused: Option<&Ident>) -> TokenStream {
    let variable = ident(variable);
    let converted = refused.map(|refused| quote!(.map_err(#refused)));
    quote!(let #variable = #query.await #converted?;)
}
