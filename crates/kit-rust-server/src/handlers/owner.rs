//! Handles `@owner` in handlers: finds the owner in the request's context, refuses requests that name another owner,
//! and refuses references to rows of other owners.

use heck::ToShoutySnakeCase as _;
use kit_database::ForeignKey;
use kit_ir::{DeclaredError, Program};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::refusals::{description_or, first_match, in_words};
use super::values::RequestValue;
use super::{Denial, DeniedRoute, HandlerContext, Uses};
use crate::database::{Rows, Stored, StoredColumn};
use crate::route_groups::Group;
use crate::route_names::RouteNames;
use crate::source::{doc, ident, string_literal};
use crate::{HandlerText, Warning, names};

/// Generated code for the owner of the rows that a handler accesses.
#[derive(Default)]
pub(super) struct RowOwner {
    /// Statement `let owner = …;`. Empty if the rows have no owner.
    pub(super) lets: TokenStream,
    /// Argument `owner` for the database functions. `None` if the rows have no owner.
    pub(super) argument: Option<TokenStream>,
    /// Expression that the statement assigns: `&input.require_auth.user_id`.
    value: TokenStream,
    is_copied: bool,
}

impl RowOwner {
    /// Returns the statement that assigns the owner. If the rows have no owner, returns the statement of the other owner.
    pub(super) fn lets_or<'o>(&'o self, other: &'o Self) -> &'o TokenStream {
        if self.argument.is_some() {
            &self.lets
        } else {
            &other.lets
        }
    }

    /// Returns the expression of the owner as text, for comparisons.
    pub(super) fn text(&self) -> String {
        self.value.to_string()
    }

    /// Returns the owner as the value of a new row, wrapped in `options` `Option`s, because the field of the
    /// insert may have a type such as `Option<String>`.
    pub(super) fn owned(&self, options: usize) -> TokenStream {
        let value = if self.is_copied {
            quote!(owner)
        } else {
            quote!(owner.clone())
        };
        (0..options).fold(value, |inner, _| quote!(Some(#inner)))
    }
}

/// Statements that refuse a reference to a row of another owner.
#[derive(Default)]
pub(super) struct ReferenceChecks {
    /// Statements before the row is written.
    pub(super) before: TokenStream,
    /// Statements in the transaction that has written the row, which is in the variable `row`. A key with several columns
    /// may have values of the request and values that the row already had.
    pub(super) after: TokenStream,
}

impl<'k> HandlerContext<'k, '_> {
    /// Returns the code for the owner in the handler of a route. If the handler must not access the rows, the reason
    /// is stored in `uses.denied`, and the caller must discard the handler.
    pub(super) fn row_owner(
        self,
        handled: &RouteNames<'_>,
        stored: &Stored<'_>,
        uses: &mut Uses,
    ) -> RowOwner {
        let entity = stored.entity();
        let mut row_owner = RowOwner::default();
        if stored.table.tenant.is_some() && !uses.is_in_transaction() {
            uses.deny(format!(
                "the rows of `{entity}` belong to tenants, so its queries must run in a transaction of `kit_runtime::postgres::Tenant`, which the only wrapper of the route begins"
            ));
        }
        let value = match stored.rows {
            Rows::All => return row_owner,
            Rows::Undeclared if handled.middleware.is_empty() => return row_owner,
            Rows::Undeclared => {
                uses.denied.get_or_insert(Denial {
                    reason: format!("put `@owner property = ctx.name` or `@owner none` on `{entity}`"),
                    undeclared: Some(stored.table.entity.clone()),
                });
                return row_owner;
            }
            Rows::Unsupported => Err(format!("kit cannot compare the `@owner` of `{entity}` in SQL")),
            Rows::Owned { context, .. } => self.value(handled, stored, context),
        };
        let value = match value {
            Ok(value) => value,
            Err(reason) => {
                uses.deny(reason);
                return row_owner;
            }
        };
        if let Some((name, r#type)) = stored.owner_parameter() {
            row_owner.is_copied = r#type.is_copied();
            let borrow = r#type.borrow();
            let value = quote!(#borrow #value);
            row_owner.lets = quote!(let #name = #value;);
            row_owner.value = value;
            row_owner.argument = Some(quote!(#name));
        }
        row_owner
    }

    /// Returns the Rust expression for the value at the path `context` below `ctx`. If no middleware of the
    /// route provides the value, returns the reason as an error.
    fn value(
        self,
        handled: &RouteNames<'_>,
        stored: &Stored<'_>,
        context: &str,
    ) -> Result<TokenStream, String> {
        let entity = stored.entity();
        let Some(value) = handled.added(context) else {
            return Err(format!(
                "rows of `{entity}` belong to `ctx.{context}`, which no middleware of the route adds"
            ));
        };
        let own = stored.owner().map(|(column, _)| column.plain_type());
        if own != self.database.type_of_context(context) {
            return Err(format!(
                "the `@owner` tags of two entities use `ctx.{context}`, but the two owner properties have different types"
            ));
        }
        Ok(value)
    }

    /// Returns statements that refuse a request that names another owner in one of its properties. Returns
    /// `None` if the type of a property differs from the owner's type.
    pub(super) fn refuses_other_owner(
        self,
        group: &Group<'_>,
        stored: &Stored<'_>,
        row_owner: &RowOwner,
        given: &[RequestValue<'_>],
        uses: &mut Uses,
    ) -> Option<TokenStream> {
        let mut code = TokenStream::new();
        let Some((column, _)) = stored.owner() else {
            return Some(code);
        };
        for given in given.iter().filter(|given| given.is_of(column)) {
            let differs = given.differs(column, row_owner.is_copied)?;
            let error = self.other_owner(group, stored, uses);
            code.extend(quote! {
                if #differs {
                    return Err(#error());
                }
            });
        }
        Some(code)
    }

    /// Returns the name of the generated function that creates the error for a request that names another
    /// owner.
    fn other_owner(self, group: &Group<'_>, stored: &Stored<'_>, uses: &mut Uses) -> Ident {
        let throws: Vec<&DeclaredError> = group.routes.iter().flat_map(RouteNames::handler_errors).collect();
        let throws = first_match(&throws, &[403], &[stored.entity().to_shouty_snake_case()]);
        let thing = in_words(stored.entity(), false);
        let message = description_or(throws, format!("The {thing} would belong to another user"));
        let error = self.error(throws, "forbidden", "FORBIDDEN", &message, uses);
        let comment = doc(&format!(
            "Error for a request whose {thing} would belong to another user."
        ));
        uses.function(
            format!("other_owner_of_{}", names::plain_field(stored.entity())),
            |name| quote!(#comment fn #name() -> Error { #error }),
        )
    }

    /// Returns statements that refuse a request if the new row would refer to a row of another owner. The
    /// response is the same as for a missing row, so that it does not reveal that the row exists.
    pub(super) fn checks_references(
        self,
        group: &Group<'_>,
        handled: &RouteNames<'_>,
        stored: &Stored<'_>,
        own: &RowOwner,
        given: &[RequestValue<'_>],
        uses: &mut Uses,
    ) -> ReferenceChecks {
        let mut checks = ReferenceChecks::default();
        for key in &stored.table.foreign_keys {
            let columns = stored.columns.iter();
            let columns: Vec<_> = columns
                .filter(|column| key.columns.contains(&column.column.name))
                .collect();
            let (Some(column), Some(target)) = (columns.first(), self.database.table(&key.table)) else {
                continue;
            };
            if columns.len() > 1 {
                let mut chosen = columns.iter().filter(|column| !stored.is_owner(column));
                let is_given = chosen.any(|column| given.iter().any(|given| given.is_of(column)));
                if is_given && matches!(target.rows, Rows::Owned { .. } | Rows::Unsupported) {
                    let check = self.check_composite(group, handled, stored, own, key, uses);
                    checks.after.extend(check);
                }
                continue;
            }
            // The owner comes from the context and not from the client, so it is not checked here.
            let given = given.iter().filter(|given| given.is_of(column));
            let given: Vec<_> = given.filter(|_| !stored.is_owner(column)).collect();
            if given.is_empty() || !matches!(target.rows, Rows::Owned { .. } | Rows::Unsupported) {
                continue;
            }
            let row_owner = self.row_owner(handled, target, uses);
            let by_key = target.key().map(|column| column.column.name.as_str());
            let is_key = by_key.eq([key.targets[0].as_str()])
                && target.key().all(|of| of.key_type() == column.parameter_type());
            let values: Option<Vec<_>> = given.iter().map(|given| given.referred(column)).collect();
            let (Some(values), true) = (values, is_key) else {
                uses.deny(format!(
                    "kit cannot check who owns the row of `{}` to which the property `{}` of the request refers",
                    target.entity(),
                    column.field.property
                ));
                continue;
            };
            let Some(check) = self.reference_check(group, stored, target, column, uses) else {
                continue;
            };
            let is_own = own.value.to_string() == row_owner.value.to_string();
            let owner = match &own.argument {
                Some(argument) if is_own => argument,
                _ => &row_owner.value,
            };
            let database = if uses.is_in_transaction() {
                quote!(&mut transaction)
            } else {
                quote!(self)
            };
            for referred in values {
                checks
                    .before
                    .extend(quote!(#check(#database, #referred, #owner).await?;));
            }
        }
        checks
    }

    /// Returns statements that check a foreign key with several columns, after the row is written. Returns nothing if the
    /// foreign key itself ensures that both rows have the same owner. Denies the handler if kit cannot check the owner.
    fn check_composite(
        self,
        group: &Group<'_>,
        handled: &RouteNames<'_>,
        stored: &'k Stored<'k>,
        own: &RowOwner,
        key: &ForeignKey,
        uses: &mut Uses,
    ) -> Option<TokenStream> {
        let target = self.database.table(&key.table)?;
        let row_owner = self.row_owner(handled, target, uses);
        let is_owner = |stored: &Stored<'_>, name: &str| {
            let mut columns = stored.columns.iter();
            columns.any(|column| column.column.name == name && stored.is_owner(column))
        };
        let has_owner = key
            .pairs()
            .any(|(here, there)| is_owner(stored, here) && is_owner(target, there));
        let is_own = own.value.to_string() == row_owner.value.to_string();
        if has_owner && is_own {
            return None;
        }
        let check = self.composite_check(group, stored, key, target, uses);
        let Some((check, values)) = check else {
            uses.deny(format!(
                "kit cannot check who owns the row of `{}` to which the columns `{}` refer",
                target.entity(),
                key.columns.join("` and `")
            ));
            return None;
        };
        let owner = match &own.argument {
            Some(argument) if is_own => argument,
            _ => &row_owner.value,
        };
        Some(quote!(#check(&mut transaction, #(#values,)* #owner).await?;))
    }

    /// Returns the name of the generated function that checks a foreign key with several columns, and the arguments with the
    /// values of the written row. Returns `None` if the columns are not the key of the other table.
    fn composite_check(
        self,
        group: &Group<'_>,
        stored: &'k Stored<'k>,
        key: &ForeignKey,
        target: &Stored<'_>,
        uses: &mut Uses,
    ) -> Option<(Ident, Vec<TokenStream>)> {
        let (owner, owner_type) = target.owner_parameter()?;
        let parameters = target.key_parameters();
        if parameters.is_empty() || parameters.len() != key.columns.len() {
            return None;
        }
        let mut values = Vec::new();
        for (of, (_, r#type)) in target.key().zip(&parameters) {
            let (here, _) = key.pairs().find(|(_, there)| *there == of.column.name)?;
            let column = stored.columns.iter().find(|column| column.column.name == *here)?;
            if column.parameter_type().as_ref() != Some(r#type) {
                return None;
            }
            values.push(RequestValue::written(column).referred(column)?);
        }
        let error = self.unknown_reference(group, stored, &key.columns, uses)?;
        uses.module(target);
        uses.parameter(&owner_type);
        for (_, r#type) in &parameters {
            uses.parameter(r#type);
        }
        let thing = in_words(target.entity(), false);
        let module = ident(&target.module);
        let wanted = format!("check_{}", names::plain_field(&key.columns.join("_and_")));
        let comment = doc(&format!(
            "Refuses a {thing} that does not exist or belongs to another user, both with the same error."
        ));
        let names: Vec<&Ident> = parameters.iter().map(|(name, _)| name).collect();
        let given = parameters
            .iter()
            .map(|(name, r#type)| quote!(#name: Option<#r#type>));
        let given: Vec<TokenStream> = given.collect();
        let function = uses.function(wanted, |name| {
            quote! {
                #comment
                async fn #name(
                    connection: &mut sqlx::PgConnection, #(#given,)* #owner: #owner_type
                ) -> Result<(), Error> {
                    let (#(Some(#names)),*) = (#(#names),*) else {
                        return Ok(());
                    };
                    let found = #module::get(connection, #(#names,)* #owner).await?;
                    if found.is_none() {
                        return Err(#error);
                    }
                    Ok(())
                }
            }
        });
        Some((function, values))
    }

    /// Returns the name of the generated function that checks a reference: the function looks for the row
    /// among the rows of the owner.
    fn reference_check(
        self,
        group: &Group<'_>,
        stored: &'k Stored<'k>,
        target: &Stored<'_>,
        column: &StoredColumn<'_>,
        uses: &mut Uses,
    ) -> Option<Ident> {
        let (owner, owner_type) = target.owner_parameter()?;
        let id_type = column.parameter_type()?;
        let columns = std::slice::from_ref(&column.column.name);
        let error = self.unknown_reference(group, stored, columns, uses)?;
        uses.module(target);
        uses.parameter(&id_type);
        uses.parameter(&owner_type);
        let thing = in_words(target.entity(), false);
        let module = ident(&target.module);
        let property = names::plain_field(&column.field.property);
        let wanted = format!("check_{}", property.trim_start_matches('_'));
        let comment = doc(&format!(
            "Refuses a {thing} that does not exist or belongs to another user, both with the same error."
        ));
        let (given, database) = if uses.is_in_transaction() {
            (quote!(connection: &mut sqlx::PgConnection), quote!(connection))
        } else {
            (quote!(app: &App), quote!(&app.pool))
        };
        Some(uses.function(wanted, |name| {
            quote! {
                #comment
                async fn #name(#given, id: Option<#id_type>, #owner: #owner_type) -> Result<(), Error> {
                    let Some(id) = id else {
                        return Ok(());
                    };
                    let found = #module::get(#database, id, #owner).await?;
                    if found.is_none() {
                        return Err(#error);
                    }
                    Ok(())
                }
            }
        }))
    }
}

/// Returns the body of a handler that must not be generated. It responds with 501 and the reason.
pub(super) fn denied(what: &str, reason: &str) -> TokenStream {
    let (what, reason) = (string_literal(what), string_literal(reason));
    quote!(Err(Error::not_specified(#what, #reason)))
}

/// Returns warnings about routes whose handlers were not generated. Routes that fail because an entity has no
/// `@owner` share one warning; every other route gets its own.
pub(super) fn warnings(program: &Program, denials: &[DeniedRoute<'_>]) -> Vec<Warning> {
    let mut found = Vec::new();
    let mut entities: Vec<&str> = Vec::new();
    for denied in denials {
        let Some(entity) = denied.denial.undeclared.as_deref() else {
            let reference = denied.route.reference();
            found.push(Warning {
                message: format!(
                    "the generated handler of `{reference}` answers 501: {}",
                    denied.denial.reason
                ),
                span: denied.route.span,
                help: format!("write the handler in {}", denied.path),
                handler: Some(HandlerText {
                    path: denied.path.clone(),
                    code: format!("Error::not_specified({},", string_literal(&reference)),
                }),
            });
            continue;
        };
        if entities.contains(&entity) {
            continue;
        }
        entities.push(entity);
        let Some((_, declaration)) = program.declaration(entity) else {
            continue;
        };
        let routes = denials
            .iter()
            .filter(|other| other.denial.undeclared.as_deref() == Some(entity));
        let routes: Vec<_> = routes
            .map(|other| format!("`{}`", other.route.reference()))
            .collect();
        found.push(Warning {
            message: format!(
                "`{entity}` has no `@owner`, so generated handlers of routes with middleware answer 501: {}",
                routes.join(", ")
            ),
            span: declaration.span,
            help: "write `@owner userId = ctx.userId` if rows belong to a user, `@owner none` if every user may read and change all of them".to_owned(),
            handler: None,
        });
    }
    found
}
