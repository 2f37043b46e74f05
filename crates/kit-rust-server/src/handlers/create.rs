//! Generates handlers of routes that insert a row, together with rows of other tables that refer to the row.

use quote::quote;

use super::code::{Code, Outcome, awaited_query, owner_type};
use super::nested::NestedCode;
use super::new_row::new_values;
use super::owner::ReferenceChecks;
use super::values::{RequestValue, ValuePlace};
use super::{HandlerContext, Reason, Uses};
use crate::route_groups::Group;
use crate::route_names::RouteNames;
use crate::source::ident;
use crate::types::{Field, Form};

impl HandlerContext<'_, '_> {
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
            &[(ValuePlace::Params, params), (ValuePlace::Body, body)],
        )?;
        let new = &stored.structs.new;
        uses.module(stored);
        uses.row(stored, new);
        let given: Vec<_> = RequestValue::all(ValuePlace::Params, params)
            .chain(RequestValue::all(ValuePlace::Body, body))
            .collect();
        let other_owner = self.refuses_other_owner(group, stored, &row_owner, &given, uses);
        let other_owner = other_owner.ok_or_else(|| owner_type(stored))?;
        let references = self.checks_references(group, handled, stored, &row_owner, &given, uses);
        let (new, module) = (ident(new), ident(&stored.module));
        let refused = self.refused(group, stored, uses);
        let rows = self.nested_code(group, handled, &nested, &row_owner, false, uses)?;
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
        let of_request = uses.is_in_transaction().then(|| uses.begin());
        let needs_transaction =
            !after.is_empty() || !inserts.is_empty() || added.is_some() || of_request.is_some();
        let statements = quote! {
            #lets
            #of_request
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
        let (response, result) = match (&view, &added) {
            (None, _) => (None, quote!(row)),
            (Some(view), None) => (None, Self::part_of_row(view, uses)),
            (Some(view), Some(added)) => {
                let response = added.call_for_one(view, uses);
                (Some(quote!(let response = #response;)), quote!(response))
            }
        };
        let begin = of_request.is_none().then(|| uses.begin());
        let commit = uses.commit();
        let statements = quote! {
            #statements
            #begin
            #inserted
            #after
            #inserts
            #response
            #commit
        };
        Ok(Code::new(statements, Outcome::Value(result)))
    }
}
