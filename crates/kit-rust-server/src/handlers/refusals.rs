//! Generates functions that create error responses for missing rows and for writes that the database refuses. They
//! use the errors that the contracts declare, if one fits.

use heck::ToShoutySnakeCase;
use kit_database::{ForeignKey, local_name};
use kit_ir::{DeclaredError, Method};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::resource::UniqueKey;
use super::{HandlerContext, Uses};
use crate::database::{Constraint, Parameter, Rule, Stored};
use crate::route_groups::Group;
use crate::route_names::RouteNames;
use crate::source::{doc, ident, string_literal};
use crate::{errors, names};

/// Maximum length in bytes of a description in `@throws`. A longer description does not become the message of
/// the response.
const MESSAGE: usize = 48;

/// Property that selects a row.
pub(super) struct KeyPart {
    property: String,
    /// Name of the variable with the value.
    name: Ident,
    r#type: Parameter,
}

impl KeyPart {
    /// Returns the properties of the key of a table.
    pub(super) fn of_key(stored: &Stored<'_>) -> Vec<Self> {
        let parts = stored.key().zip(stored.key_parameters());
        let parts = parts.map(|(column, (name, r#type))| Self {
            property: column.field.property.clone(),
            name,
            r#type,
        });
        parts.collect()
    }

    /// Returns the properties of a unique constraint.
    pub(super) fn of_unique(key: &UniqueKey<'_>) -> Vec<Self> {
        let parts = key.columns.iter().map(|(column, (name, r#type))| Self {
            property: column.field.property.clone(),
            name: name.clone(),
            r#type: r#type.clone(),
        });
        parts.collect()
    }
}

impl<'k> HandlerContext<'k, '_> {
    /// Returns the name of the function that creates the error for a missing row. `key` selects the row.
    pub(super) fn missing(
        self,
        handled: &RouteNames<'_>,
        stored: &Stored<'_>,
        key: &[KeyPart],
        uses: &mut Uses,
    ) -> Ident {
        let throws = first_match(&all(handled), &[404], &[stored.entity().to_shouty_snake_case()])
            .or_else(|| single_error(handled.handler_errors().filter(|throws| throws.status == 404)));
        let message = format!("{} not found", in_words(stored.entity(), true));
        let error = self.error(throws, "not_found", "NOT_FOUND", &message, uses);
        uses.runtime("value");
        let details = key.iter().map(|KeyPart { property, name, .. }| {
            let property = string_literal(property);
            quote!(#property: #name)
        });
        let error = quote!(#error.with_details(value!({ #(#details),* })));
        let given: Vec<_> = key
            .iter()
            .map(|KeyPart { name, r#type, .. }| quote!(#name: #r#type))
            .collect();
        for KeyPart { r#type, .. } in key {
            uses.parameter(r#type);
        }
        let thing = in_words(stored.entity(), false);
        let comment = doc(&format!("Error for a request whose {thing} does not exist."));
        uses.function(
            format!("{}_not_found", plain(stored)),
            |name| quote!(#comment fn #name(#(#given),*) -> Error { #error }),
        )
    }

    /// Returns the name of the function that converts the database error of an insert or update into an error
    /// response. Returns `None` if a write can violate no constraint.
    pub(super) fn refused(self, group: &Group<'_>, stored: &'k Stored<'k>, uses: &mut Uses) -> Option<Ident> {
        let throws = self.thrown_by_writes(group, stored);
        let mut constraints = stored.constraints();
        constraints.retain(|constraint| !self.has_row_above(group, stored, constraint));
        let by_name: Vec<Option<&DeclaredError>> = constraints
            .iter()
            .map(|constraint| self.declared_error(stored, constraint, &throws))
            .collect();
        let mut arms = Vec::new();
        for (constraint, named) in constraints.iter().zip(&by_name) {
            let error = match constraint.rule {
                Rule::Unique(columns) => {
                    let is_free = |throws: &&DeclaredError| {
                        throws.status == 409
                            && !by_name.iter().flatten().any(|other| other.code == throws.code)
                    };
                    let free: Vec<&DeclaredError> = throws.iter().copied().filter(is_free).collect();
                    let entity = [stored.entity().to_shouty_snake_case()];
                    let throws = named
                        .or_else(|| single_error(free.iter().copied()))
                        .or_else(|| first_match(&free, &[409], &entity));
                    let columns: Vec<_> = columns.iter().map(|column| in_words(column, false)).collect();
                    let thing = in_words(stored.entity(), false);
                    let message = format!("Another {thing} has this {}", columns.join(" and "));
                    self.error(
                        throws,
                        "conflict",
                        "CONFLICT",
                        &description_or(throws, message),
                        uses,
                    )
                }
                Rule::Reference(key) => self.no_such_row(key, *named, uses)?,
            };
            arms.push((constant(stored, constraint), error));
        }
        let updates = group
            .routes
            .iter()
            .any(|handled| handled.route.method != Method::Post && self.writes(handled, stored));
        if updates {
            for (other, constraint) in self.database.referring_to_changeable(stored) {
                let message = format!(
                    "It is in use by {}",
                    in_words(&local_name(&other.table.name), false)
                );
                let error = self.error(None, "conflict", "CONFLICT", &message, uses);
                uses.module(other);
                arms.push((constant(other, &constraint), error));
            }
        }
        let comment = format!(
            "Error for a request whose {} the database refuses.",
            in_words(stored.entity(), false)
        );
        let mut writes = group.routes.iter().filter(|handled| self.writes(handled, stored));
        let has_limits = writes.any(|handled| self.may_exceed_column(handled, stored));
        Self::matching(
            format!("{}_refused", plain(stored)),
            &comment,
            &arms,
            has_limits,
            uses,
        )
    }

    /// Returns true if a constraint is the reference to the row that each request of the group writes before rows of this table,
    /// in the same transaction. No write can violate the constraint then.
    fn has_row_above(self, group: &Group<'_>, stored: &Stored<'_>, constraint: &Constraint<'_>) -> bool {
        let Rule::Reference(key) = constraint.rule else {
            return false;
        };
        let mut writes = group.routes.iter().filter(|handled| self.writes(handled, stored));
        writes.all(|handled| {
            let is_own = self
                .resource(handled)
                .is_some_and(|own| own.table.name == stored.table.name);
            let mut above = self.references_above(handled).into_iter();
            !is_own
                && above.any(|above| {
                    above.from.table.name == stored.table.name
                        && key.columns == [above.column.column.name.as_str()]
                })
        })
    }

    /// Returns true if a route inserts rows into a table or updates rows of the table.
    fn writes(self, handled: &RouteNames<'_>, stored: &Stored<'_>) -> bool {
        let resource = self.resource(handled).filter(|_| handled.is_write());
        let mut written = resource.into_iter().chain(self.nested_tables(handled));
        written.any(|other| other.table.name == stored.table.name)
    }

    /// Returns the errors that the routes of a group declare. Ignores routes that neither insert nor update
    /// rows of the table.
    fn thrown_by_writes<'g>(self, group: &'g Group<'g>, stored: &Stored<'_>) -> Vec<&'g DeclaredError> {
        let routes = group.routes.iter().filter(|handled| self.writes(handled, stored));
        routes.flat_map(RouteNames::handler_errors).collect()
    }

    /// Returns the error for a new row that refers to a missing row. `named` is the error that the contracts
    /// declare for this case, if any.
    fn no_such_row(
        self,
        key: &ForeignKey,
        named: Option<&DeclaredError>,
        uses: &mut Uses,
    ) -> Option<TokenStream> {
        let other = self.database.table(&key.table)?;
        let message = format!("{} not found", in_words(other.entity(), true));
        Some(self.error(named, "conflict", "CONFLICT", &message, uses))
    }

    /// Returns the error for columns whose values refer to a missing row. The database would cause the same
    /// error.
    pub(super) fn unknown_reference(
        self,
        group: &Group<'_>,
        stored: &Stored<'_>,
        columns: &[String],
        uses: &mut Uses,
    ) -> Option<TokenStream> {
        let throws = self.thrown_by_writes(group, stored);
        let constraints = stored.constraints();
        let mut references = constraints.iter().filter_map(|constraint| match constraint.rule {
            Rule::Reference(key) if key.columns == columns => Some((constraint, key)),
            _ => None,
        });
        let (constraint, key) = references.next()?;
        self.no_such_row(key, self.declared_error(stored, constraint, &throws), uses)
    }

    /// Returns the name of the function that creates the error for a row that cannot be deleted because other rows
    /// refer to it. Returns `None` if no foreign key can prevent the deletion.
    pub(super) fn in_use(
        self,
        handled: &RouteNames<'_>,
        stored: &Stored<'_>,
        uses: &mut Uses,
    ) -> Option<Ident> {
        let mut arms = Vec::new();
        for (other, constraint) in self.database.restricting(&stored.table.name) {
            let conflict = handled.handler_errors().filter(|throws| throws.status == 409);
            let throws = first_match(&all(handled), &[409], &[other.entity().to_shouty_snake_case()])
                .or_else(|| single_error(conflict));
            let message = format!(
                "It is in use by {}",
                in_words(&local_name(&other.table.name), false)
            );
            let error = self.error(
                throws,
                "conflict",
                "CONFLICT",
                &description_or(throws, message),
                uses,
            );
            uses.module(other);
            arms.push((constant(other, &constraint), error));
        }
        let comment = format!(
            "Error for a request that deletes a {} to which other rows refer.",
            in_words(stored.entity(), false)
        );
        Self::matching(format!("{}_in_use", plain(stored)), &comment, &arms, false, uses)
    }

    /// Adds a generated function that converts a database error into an error response, depending on the
    /// violated constraint. If `has_limits` is true, the function also handles values that a column cannot
    /// store.
    fn matching(
        wanted: String,
        comment: &str,
        arms: &[(TokenStream, TokenStream)],
        has_limits: bool,
        uses: &mut Uses,
    ) -> Option<Ident> {
        if arms.is_empty() && !has_limits {
            return None;
        }
        let limits = has_limits.then(|| {
            uses.runtime("sql::is_value_error");
            quote! {
                if is_value_error(&error) {
                    return Error::bad_request("VALIDATION_ERROR", "A value of the request does not fit its column");
                }
            }
        });
        let result = if arms.is_empty() {
            quote!(error.into())
        } else {
            uses.runtime("sql::violated_constraint");
            let arms = arms_by_error(arms);
            let arms = arms
                .iter()
                .map(|(constants, error)| quote!(Some(#(#constants)|*) => #error));
            quote!(match violated_constraint(&error) { #(#arms,)* _ => error.into(), })
        };
        let comment = doc(comment);
        Some(uses.function(
            wanted,
            |name| quote!(#comment fn #name(error: sqlx::Error) -> Error { #limits #result }),
        ))
    }

    /// Finds the error that the contracts declare for a violated constraint: the code of the error contains
    /// the name of a column or table of the constraint, such as `SLUG_TAKEN` for the column `slug`.
    fn declared_error<'t>(
        self,
        stored: &Stored<'_>,
        constraint: &Constraint<'_>,
        throws: &[&'t DeclaredError],
    ) -> Option<&'t DeclaredError> {
        let (statuses, words): (&[u16], Vec<String>) = match constraint.rule {
            Rule::Unique(columns) => (
                &[409],
                columns.iter().map(|column| column.to_uppercase()).collect(),
            ),
            Rule::Reference(key) => {
                let columns = key.columns.iter();
                let stems = columns.map(|column| column.strip_suffix("_id").unwrap_or(column));
                let entity = self.database.table(&key.table).map(Stored::entity);
                let words = stems.chain([entity.unwrap_or_default()]);
                (
                    &[404, 409, 400, 422],
                    words.map(str::to_shouty_snake_case).collect(),
                )
            }
        };
        // `ORDER_ITEM_EXISTS` is about an order item, not about the order to which the item refers.
        let own = stored.entity().to_shouty_snake_case();
        let is_own = |throws: &&DeclaredError| {
            words.iter().all(|word| *word != own) && throws.code.to_shouty_snake_case().contains(&own)
        };
        let is_part = words
            .iter()
            .any(|word| !word.is_empty() && own.contains(word.as_str()));
        let is_reference = matches!(constraint.rule, Rule::Reference(_));
        let others = throws.iter().copied();
        let others: Vec<&DeclaredError> = others
            .filter(|throws| !(is_reference && is_part && is_own(throws)))
            .collect();
        first_match(&others, statuses, &words)
    }

    /// Returns Rust code that creates an error. `throws` is the error that the contracts declare. If it is
    /// `None`, the code creates an error with the given code and message.
    pub(super) fn error(
        self,
        throws: Option<&DeclaredError>,
        function: &str,
        code: &str,
        message: &str,
        uses: &mut Uses,
    ) -> TokenStream {
        let message = string_literal(message);
        if let Some(variant) = throws.and_then(|throws| errors::variant(self.types.program, throws)) {
            uses.errors.add("crate::error", "AppError");
            let variant = ident(&variant);
            quote!(AppError::#variant.with(#message))
        } else {
            let (function, code) = (ident(function), string_literal(code));
            quote!(Error::#function(#code, #message))
        }
    }
}

/// Returns the constants of constraints by the error that they cause.
fn arms_by_error(arms: &[(TokenStream, TokenStream)]) -> Vec<(Vec<&TokenStream>, &TokenStream)> {
    let mut found: Vec<(Vec<&TokenStream>, &TokenStream)> = Vec::new();
    for (constant, error) in arms {
        let text = error.to_string();
        match found.iter_mut().find(|(_, other)| other.to_string() == text) {
            Some((constants, _)) => constants.push(constant),
            None => found.push((vec![constant], error)),
        }
    }
    found
}

/// Returns the path of the constant for a constraint: `notes::SLUG_UNIQUE`.
fn constant(stored: &Stored<'_>, constraint: &Constraint<'_>) -> TokenStream {
    let (module, constant) = (ident(&stored.module), ident(&constraint.constant));
    quote!(#module::#constant)
}

/// Returns the first declared error whose status is in `statuses` and whose code contains one of the words:
/// `SLUG_TAKEN` contains `SLUG`. An earlier word takes precedence over a later word. For one word, an earlier
/// status takes precedence.
pub(super) fn first_match<'t>(
    throws: &[&'t DeclaredError],
    statuses: &[u16],
    words: &[String],
) -> Option<&'t DeclaredError> {
    let has = |throws: &DeclaredError, word: &str| {
        let code = format!("_{}_", throws.code.to_shouty_snake_case());
        !word.is_empty() && code.contains(&format!("_{word}_"))
    };
    words.iter().find_map(|word| {
        statuses.iter().find_map(|status| {
            let mut throws = throws.iter().copied();
            throws.find(|throws| throws.status == *status && has(throws, word))
        })
    })
}

fn all<'h>(handled: &RouteNames<'h>) -> Vec<&'h DeclaredError> {
    handled.handler_errors().collect()
}

/// Returns the first error if all errors have the same code; `None` if they differ.
fn single_error<'t>(mut throws: impl Iterator<Item = &'t DeclaredError>) -> Option<&'t DeclaredError> {
    let first = throws.next()?;
    throws.all(|other| other.code == first.code).then_some(first)
}

/// Returns the description of a declared error as a message. If the error has no description, or if the
/// description is too long, returns `otherwise`.
pub(super) fn description_or(throws: Option<&DeclaredError>, otherwise: String) -> String {
    let description = throws.and_then(|throws| throws.description.as_deref());
    description
        .map(|text| text.trim().trim_end_matches('.'))
        .filter(|text| !text.is_empty() && text.len() <= MESSAGE && !text.contains('\n'))
        .map_or(otherwise, str::to_owned)
}

/// Splits a name into words: `TeamMember` becomes `team member`.
pub(super) fn in_words(name: &str, capital: bool) -> String {
    let plain = names::plain_field(name).replace('_', " ");
    match plain.chars().next().filter(|_| capital) {
        Some(first) => first.to_ascii_uppercase().to_string() + &plain[first.len_utf8()..],
        None => plain,
    }
}

/// Returns the name of a table in names of generated functions.
pub(super) fn plain<'s>(stored: &'s Stored<'_>) -> &'s str {
    stored.module.trim_start_matches("r#")
}
