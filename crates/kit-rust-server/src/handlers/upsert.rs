//! Generates handlers of routes that change a row, or insert the row if it does not exist.

use proc_macro2::TokenStream;
use quote::quote;

use super::code::{Code, Outcome, awaited_query, other_type, owner_type};
use super::new_row::new_values;
use super::values::{RequestValue, ValuePlace, converted};
use super::{HandlerContext, Reason, Uses};
use crate::database::{Stored, StoredColumn};
use crate::route_groups::Group;
use crate::route_names::RouteNames;
use crate::source::ident;
use crate::status::variant_name;
use crate::types::{Field, Form};

impl HandlerContext<'_, '_> {
    pub(super) fn upsert(
        self,
        group: &Group<'_>,
        handled: &RouteNames<'_>,
        uses: &mut Uses,
    ) -> Result<Code, Reason> {
        let (stored, view) = self.answer(handled)?;
        let entity = stored.entity();
        if view.is_some() {
            return Err(format!("the response is not `{entity}` itself"));
        }
        if !stored.is_updated() {
            return Err(format!("no property of `{entity}` can be changed"));
        }
        if stored.key().any(StoredColumn::is_generated) {
            return Err(format!(
                "the database creates the key of a new row of `{entity}`, so that the path cannot choose it"
            ));
        }
        let key = self.key(handled, stored)?;
        if key.is_below().is_some() {
            return Err(format!(
                "the path has other parameters than the key of `{entity}`"
            ));
        }
        let body = self.fields_of_body(handled)?;
        let params = handled.route.slots.params;
        let params = params.and_then(|id| self.types.structs.get(self.types.name_in(id, Form::Request)));
        let params: &[Field] = params.map_or(&[], Vec::as_slice);
        let owner = stored.owner().map(|(column, _)| column);
        let is_stored = |field: &&Field| {
            let mut columns = stored.changed().chain(owner);
            columns.any(|column| column.field.property == field.property)
        };
        if let Some(field) = body.iter().find(|field| !is_stored(field)) {
            return Err(format!(
                "the property `{}` of the body is not a property of `{entity}` that can be changed",
                field.property
            ));
        }
        let row_owner = self.row_owner(handled, stored, uses);
        let changed_values = changed_values(stored, body)?;
        let new_values = new_values(
            stored,
            &row_owner,
            None,
            &[(ValuePlace::Params, params), (ValuePlace::Body, body)],
        )?;
        uses.module(stored);
        uses.row(stored, &stored.structs.new);
        uses.row(stored, &stored.structs.changes);
        let refused = self.refused(group, stored, uses);
        let given: Vec<_> = RequestValue::all(ValuePlace::Body, body).collect();
        let other_owner = self.refuses_other_owner(group, stored, &row_owner, &given, uses);
        let other_owner = other_owner.ok_or_else(|| owner_type(stored))?;
        let references = self.checks_references(group, handled, stored, &row_owner, &given, uses);
        if !references.after.is_empty() {
            return Err(format!(
                "kit cannot check who owns the rows to which rows of `{entity}` refer"
            ));
        }
        let (begin, database) = if uses.is_in_transaction() {
            (Some(uses.begin()), quote!(&mut *transaction))
        } else {
            (None, quote!(&self.pool))
        };
        let (module, arguments) = (ident(&stored.module), &key.arguments);
        let (new, changes) = (ident(&stored.structs.new), ident(&stored.structs.changes));
        let owner = row_owner.argument.iter();
        let update = quote!(#module::update(#database, #(#arguments),* #(, #owner)*, &changes));
        let updated = awaited_query("updated", &update, refused.as_ref());
        let inserted = awaited_query("row", &quote!(#module::insert(#database, &new)), refused.as_ref());
        let replies = handled.reply.as_deref().zip(handled.replies_of_upsert());
        let replied = replies.map(|(name, (reply, _))| {
            let (name, variant) = (ident(name), ident(&variant_name(reply.status)));
            quote!(if let Some(body) = updated { return Ok(#name::#variant { body }); })
        });
        let (key_lets, owner_lets, before) = (&key.lets, &row_owner.lets, &references.before);
        let statements = quote! {
            #key_lets
            #owner_lets
            #begin
            let body = input.body;
            #other_owner
            #before
            let changes = #changes { #(#changed_values),* };
            #updated
            #replied
            let new = #new { #(#new_values),* };
            #inserted
        };
        Ok(Code::new(statements, Outcome::Value(quote!(row))))
    }
}

/// Returns the fields of the struct with the changes of a row. The values are copies, because a new row may need them.
fn changed_values(stored: &Stored<'_>, body: &[Field]) -> Result<Vec<TokenStream>, Reason> {
    let values = stored.changed().map(|column| {
        let name = ident(&column.field.name);
        let mut fields = body.iter();
        let Some(field) = fields.find(|field| field.property == column.field.property) else {
            return Ok(quote!(#name: None));
        };
        let part = if column.is_copied() {
            ValuePlace::Body
        } else {
            ValuePlace::CopyOfBody
        };
        let value = converted(part, field, column.plain_type(), column.update_options())
            .ok_or_else(|| other_type(field, stored))?;
        Ok(quote!(#name: #value))
    });
    values.collect()
}
