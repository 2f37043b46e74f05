//! Generates handlers of routes that access one row: read, update and delete.

use kit_ir::Method;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::code::{Code, Outcome, awaited_query, other_type, owner_type};
use super::nested::NestedCode;
use super::owner::{ReferenceChecks, RowOwner};
use super::refusals::KeyPart;
use super::resource::Key;
use super::values::{RequestValue, ValuePlace, converted};
use super::view::View;
use super::{HandlerContext, Reason, Uses};
use crate::database::Stored;
use crate::route_groups::Group;
use crate::route_names::RouteNames;
use crate::source::ident;
use crate::types::{Field, Form};

impl<'k> HandlerContext<'k, '_> {
    /// Returns the body of a handler. Returns the reason if kit cannot tell from the types how to handle the route.
    pub(super) fn handler_code(
        self,
        group: &Group<'_>,
        handled: &RouteNames<'_>,
        uses: &mut Uses,
    ) -> Result<TokenStream, Reason> {
        if let Some(reason) = handled.part_without_meaning(self.types.program) {
            return Err(reason);
        }
        let code = match handled.route.method {
            Method::Post => self.create(group, handled, uses),
            Method::Get if handled.route.slots.params.is_none() => self.list(handled, uses),
            Method::Get if self.is_read(handled) => self.read(handled, uses),
            Method::Get => self.list(handled, uses),
            Method::Put if handled.replies_of_upsert().is_some() => self.upsert(group, handled, uses),
            Method::Put | Method::Patch => self.change(group, handled, uses),
            Method::Delete if handled.response_body().is_none() => self.delete(handled, uses),
            Method::Delete => Err("types do not tell the response of a deletion".to_owned()),
            _ => Err("kit generates handlers of GET, POST, PUT, PATCH and DELETE only".to_owned()),
        };
        self.body(handled, code?, uses)
    }

    /// Returns the table and, if the response is not the entity, the parts of the response. Returns the reason if the response
    /// is empty or is built from other values than rows.
    pub(super) fn answer(
        self,
        handled: &RouteNames<'_>,
    ) -> Result<(&'k Stored<'k>, Option<View<'k>>), Reason> {
        let response = handled.response_body().ok_or_else(|| {
            "the response is empty, so types do not tell which rows the route is about".to_owned()
        })?;
        if let Some(stored) = self.database.of_entity(self.types.name(response)) {
            return Ok((stored, None));
        }
        let view = self.view(handled, response)?;
        Ok((view.stored, Some(view)))
    }

    /// Returns true if a route with parameters reads one row, and false if it lists rows.
    fn is_read(self, handled: &RouteNames<'_>) -> bool {
        let response = handled.response_body().map(|id| self.types.name(id));
        let is_object = response.is_some_and(|name| self.types.structs.contains_key(name));
        is_object && handled.route.slots.query.is_none()
    }

    fn read(self, handled: &RouteNames<'_>, uses: &mut Uses) -> Result<Code, Reason> {
        let (stored, view) = self.answer(handled)?;
        let row_owner = self.row_owner(handled, stored, uses);
        uses.module(stored);
        let module = ident(&stored.module);
        let key = self.key(handled, stored);
        let (lets, function, arguments, below, missing) = match key {
            Ok(key) => {
                let missing = self.missing(handled, stored, &KeyPart::of_key(stored), uses);
                let below = key.is_below().map(|is_below| quote!(.filter(|row| #is_below)));
                (key.lets, ident("get"), key.arguments, below, missing)
            }
            Err(reason) => {
                let key = self.unique_key(handled, stored).ok_or(reason)?;
                let missing = self.missing(handled, stored, &KeyPart::of_unique(&key), uses);
                let arguments = key.columns.into_iter().map(|(_, (name, _))| name).collect();
                (key.lets, key.function, arguments, None, missing)
            }
        };
        let call = |database: &TokenStream| {
            let owner = row_owner.argument.iter();
            quote!(#module::#function(#database, #(#arguments),* #(, #owner)*))
        };
        let owner_lets = &row_owner.lets;
        let not_found = quote!(ok_or_else(|| #missing(#(#arguments),*)));
        let (begin, database) = if uses.is_in_transaction() {
            (Some(uses.begin()), quote!(&mut *transaction))
        } else {
            (None, quote!(&self.pool))
        };
        let Some(view) = view else {
            let found = awaited_query("found", &call(&database), None);
            return Ok(Code::new(
                quote!(#lets #owner_lets #begin #found),
                Outcome::Fallible(quote!(found #below.#not_found)),
            ));
        };
        let row = quote!(let row = found #below.#not_found?;);
        if view.parts.is_empty() {
            let found = awaited_query("found", &call(&database), None);
            let value = Self::part_of_row(&view, uses);
            let statements = quote!(#lets #owner_lets #begin #found #row);
            return Ok(Code::new(statements, Outcome::Value(value)));
        }
        uses.deny_reads_of_several_tables();
        uses.runtime("sql::snapshot");
        let added = self.view_function(handled, &view, &row_owner, uses);
        let owner_lets = row_owner.lets_or(&added.owner);
        let found = awaited_query("found", &call(&quote!(&mut *transaction)), None);
        let response = added.call_for_one(&view, uses);
        let statements = quote! {
            #lets
            #owner_lets
            let mut transaction = snapshot(&self.pool).await?;
            #found
            #row
            let response = #response;
            transaction.commit().await?;
        };
        Ok(Code::new(statements, Outcome::Value(quote!(response))))
    }

    /// Returns the table of which a handler locks a row before a change, because the path names rows above the row.
    pub(super) fn locked(self, handled: &RouteNames<'_>) -> Option<&'k Stored<'k>> {
        let is_change = matches!(handled.route.method, Method::Put | Method::Patch | Method::Delete);
        let stored = self.resource(handled).filter(|_| is_change)?;
        let key = self.key(handled, stored).ok()?;
        key.is_elsewhere().map(|_| stored)
    }

    /// Returns the statement that locks a row and refuses to change the row if it is not below the rest of the path. Returns
    /// `None` if the path has no other parameters than the key.
    fn refuses_row_elsewhere(
        key: &Key,
        stored: &Stored<'_>,
        owner: Option<&TokenStream>,
        missing: &Ident,
    ) -> Option<TokenStream> {
        let is_elsewhere = key.is_elsewhere()?;
        let (module, arguments) = (ident(&stored.module), &key.arguments);
        let owner = owner.into_iter();
        let call = quote!(#module::get_for_update(&mut *transaction, #(#arguments),* #(, #owner)*));
        let found = awaited_query("found", &call, None);
        Some(quote! {
            #found
            let is_missing = found.is_none_or(|row| #is_elsewhere);
            if is_missing {
                return Err(#missing(#(#arguments),*));
            }
        })
    }

    fn change(self, group: &Group<'_>, handled: &RouteNames<'_>, uses: &mut Uses) -> Result<Code, Reason> {
        let (stored, view) = self.answer(handled)?;
        let entity = stored.entity();
        if !stored.is_updated() {
            return Err(format!("no property of `{entity}` can be changed"));
        }
        let key = self.key(handled, stored)?;
        let fields = self.fields_of_body(handled)?;
        let owner = stored.owner().map(|(column, _)| column);
        let nested = self.nested(stored, view.as_ref(), fields)?;
        let is_stored = |field: &&Field| {
            let mut columns = stored.changed().chain(owner);
            columns.any(|column| column.field.property == field.property)
                || nested
                    .iter()
                    .any(|nested| nested.field.property == field.property)
        };
        if let Some(field) = fields.iter().find(|field| !is_stored(field)) {
            return Err(format!(
                "the property `{}` of the body is neither a property of `{entity}` that can be changed nor rows of a table with one foreign key to it",
                field.property
            ));
        }
        self.check_replaced(&nested)?;
        let mut values = Vec::new();
        for column in stored.changed() {
            let mut given = fields.iter();
            let given = given.find(|field| field.property == column.field.property);
            let value = given.map(|field| {
                let value = converted(
                    ValuePlace::Body,
                    field,
                    column.plain_type(),
                    column.update_options(),
                );
                value.ok_or_else(|| other_type(field, stored))
            });
            let value = value.transpose()?.unwrap_or_else(|| quote!(None));
            let name = ident(&column.field.name);
            values.push(quote!(#name: #value));
        }
        let changes = &stored.structs.changes;
        uses.module(stored);
        uses.row(stored, changes);
        let missing = self.missing(handled, stored, &KeyPart::of_key(stored), uses);
        let is_ruled = stored.constraints().iter().any(|constraint| {
            let columns = constraint.columns();
            stored
                .changed()
                .any(|changed| columns.contains(&&changed.column.name))
        });
        let is_refused = is_ruled || self.may_exceed_column(handled, stored);
        let refused = is_refused.then(|| self.refused(group, stored, uses)).flatten();
        let row_owner = self.row_owner(handled, stored, uses);
        let given: Vec<_> = RequestValue::all(ValuePlace::Body, fields).collect();
        let other_owner = self.refuses_other_owner(group, stored, &row_owner, &given, uses);
        let other_owner = other_owner.ok_or_else(|| owner_type(stored))?;
        let references = self.checks_references(group, handled, stored, &row_owner, &given, uses);
        let rows = self.nested_code(group, handled, &nested, &row_owner, true, uses)?;
        let (module, arguments, changes) = (ident(&stored.module), &key.arguments, ident(changes));
        let elsewhere = Self::refuses_row_elsewhere(&key, stored, row_owner.argument.as_ref(), &missing);
        let ReferenceChecks { before, after } = &references;
        let added = view.as_ref().filter(|view| !view.parts.is_empty());
        let added = added.map(|view| self.view_function(handled, view, &row_owner, uses));
        let owner_lets = added
            .as_ref()
            .map_or(&row_owner.lets, |added| row_owner.lets_or(&added.owner));
        let NestedCode {
            before: checks,
            inserts,
        } = &rows;
        let of_request = uses.is_in_transaction().then(|| uses.begin());
        let needs_transaction = of_request.is_some()
            || !after.is_empty()
            || elsewhere.is_some()
            || added.is_some()
            || !inserts.is_empty();
        let database = if needs_transaction {
            quote!(&mut *transaction)
        } else {
            quote!(&self.pool)
        };
        let owner = row_owner.argument.iter();
        let call = quote!(#module::update(#database, #(#arguments),* #(, #owner)*, &changes));
        let updated = awaited_query("updated", &call, refused.as_ref());
        let after = (!after.is_empty()).then(|| quote!(if let Some(row) = &updated { #after }));
        let begin = (needs_transaction && of_request.is_none()).then(|| uses.begin());
        let commit = needs_transaction.then(|| uses.commit()).flatten();
        let not_found = quote!(ok_or_else(|| #missing(#(#arguments),*)));
        let row = quote!(let row = updated.#not_found?;);
        let (row, outcome) = match (&view, &added) {
            (None, _) if !inserts.is_empty() => (quote!(#row #inserts #commit), Outcome::Value(quote!(row))),
            (None, _) => (quote!(#commit), Outcome::Fallible(quote!(updated.#not_found))),
            (Some(view), None) => {
                let statements = if inserts.is_empty() {
                    quote!(#commit #row)
                } else {
                    quote!(#row #inserts #commit)
                };
                (statements, Outcome::Value(Self::part_of_row(view, uses)))
            }
            (Some(view), Some(added)) => {
                let response = added.call_for_one(view, uses);
                (
                    quote!(#row #inserts let response = #response; #commit),
                    Outcome::Value(quote!(response)),
                )
            }
        };
        let key_lets = &key.lets;
        let statements = quote! {
            #key_lets
            #owner_lets
            #of_request
            let body = input.body;
            #other_owner
            #before
            #checks
            let changes = #changes { #(#values),* };
            #begin
            #elsewhere
            #updated
            #after
            #row
        };
        Ok(Code::new(statements, outcome))
    }

    /// Returns the fields of the body. Returns the reason if the route has no body, or if it is not an object.
    pub(super) fn fields_of_body(self, handled: &RouteNames<'_>) -> Result<&'k [Field], Reason> {
        let body = handled
            .route
            .slots
            .body
            .ok_or_else(|| "the route has no body with the properties of a row".to_owned())?;
        let fields = self.types.structs.get(self.types.name_in(body, Form::Request));
        let fields = fields.ok_or_else(|| "the body is not an object with fixed properties".to_owned())?;
        Ok(fields)
    }

    fn delete(self, handled: &RouteNames<'_>, uses: &mut Uses) -> Result<Code, Reason> {
        let stored: &Stored<'_> = self.resource(handled).ok_or_else(|| {
            "no other route of this path responds with an entity, and the path names no table".to_owned()
        })?;
        let key = self.key(handled, stored)?;
        let missing = self.missing(handled, stored, &KeyPart::of_key(stored), uses);
        let in_use = self.in_use(handled, stored, uses);
        uses.module(stored);
        let row_owner: RowOwner = self.row_owner(handled, stored, uses);
        let (module, arguments) = (ident(&stored.module), &key.arguments);
        let elsewhere = Self::refuses_row_elsewhere(&key, stored, row_owner.argument.as_ref(), &missing);
        let owner = row_owner.argument.iter();
        let (begin, commit, database) = if elsewhere.is_some() || uses.is_in_transaction() {
            (Some(uses.begin()), uses.commit(), quote!(&mut *transaction))
        } else {
            (None, None, quote!(&self.pool))
        };
        let call = quote!(#module::delete(#database, #(#arguments),* #(, #owner)*));
        let deleted = awaited_query("deleted", &call, in_use.as_ref());
        let (key_lets, owner_lets) = (&key.lets, &row_owner.lets);
        let statements = quote! {
            #key_lets
            #owner_lets
            #begin
            #elsewhere
            #deleted
            #commit
        };
        let error = quote!(#missing(#(#arguments),*));
        Ok(Code::new(statements, Outcome::Empty(quote!(deleted), error)))
    }
}
