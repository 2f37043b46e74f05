//! Filters of lists: properties of the path and the query that select rows.

use proc_macro2::TokenStream;
use quote::quote;

use super::values::ValuePlace;
use super::view::Reference;
use super::{HandlerContext, Reason, Uses};
use crate::database::{RelatedColumn, Stored, StoredColumn};
use crate::route_names::RouteNames;
use crate::source::ident;
use crate::types::{Field, RustType};

/// A property of the path or query by which the handler of a list selects rows.
pub(super) struct Filter {
    /// Name of the property in the request. The property of the entity, or of the rows that refer to the entity, has the same name.
    pub(super) property: String,
    /// Column of another table, if the filter selects rows to which a row of this table refers.
    pub(super) related: Option<RelatedColumn>,
    /// Rust expression of the value, which is an `Option`.
    value: TokenStream,
    /// Rust expression of the value in the request.
    pub(super) given: TokenStream,
}

impl Filter {
    /// Returns the filter for a property of the request. Returns `None` if the entity has no property with this name
    /// and type that lists can filter by.
    pub(super) fn new(stored: &Stored<'_>, part: ValuePlace, field: &Field) -> Option<Self> {
        let column = stored
            .columns
            .iter()
            .find(|column| column.field.property == field.property && column.can_filter())?;
        Self::by(column, part, field)
    }

    /// Returns the filter by a column. Returns `None` if the property has another type than the column.
    fn by(column: &StoredColumn<'_>, part: ValuePlace, field: &Field) -> Option<Self> {
        let is_same = *column.plain_type() == field.r#type;
        let is_text_of_decimal = column.is_decimal() && field.r#type == RustType::String;
        if !is_same && !is_text_of_decimal {
            return None;
        }
        let given = part.field(field);
        // Filters have the texts of decimal numbers.
        let is_converted = is_same && column.is_decimal();
        let value = match (field.optional, is_converted) {
            (true, false) => given.clone(),
            (true, true) => quote!(#given.map(|number| number.to_string())),
            (false, false) => quote!(Some(#given)),
            (false, true) => quote!(Some(#given.to_string())),
        };
        Some(Self {
            property: field.property.clone(),
            related: None,
            given,
            value,
        })
    }
}

impl<'k> HandlerContext<'k, '_> {
    /// Returns the filter by a property of rows that refer to the rows of the list: the products with a tag, if the key of another
    /// table consists of the product and the tag. Returns `None` if no other table, or several, have such a key.
    pub(super) fn related_filter(
        self,
        stored: &'k Stored<'k>,
        part: ValuePlace,
        field: &Field,
    ) -> Option<Filter> {
        let is_taken = |column: &StoredColumn<'_>| {
            column.field.property == field.property || column.field.name == field.name
        };
        if stored.columns.iter().any(is_taken) {
            return None;
        }
        let mut found = self.database.tables.iter().filter_map(|other| {
            let reference = Reference::only(other, stored)?;
            let value = reference.rest_of_key()?;
            let is_value = value.field.property == field.property
                && value.field.name == field.name
                && value.can_filter_others();
            let filter = Filter::by(value, part, field).filter(|_| is_value)?;
            let related = RelatedColumn {
                table: other.table.name.clone(),
                value: value.column.name.clone(),
                reference: reference.column.column.name.clone(),
                target: reference.target.column.name.clone(),
            };
            Some(Filter {
                related: Some(related),
                ..filter
            })
        });
        let filter = found.next()?;
        found.next().is_none().then_some(filter)
    }

    /// Denies a list that would filter by rows of other owners or tenants.
    pub(super) fn check_related_filters(self, handled: &RouteNames<'_>, filters: &[Filter], uses: &mut Uses) {
        let related = filters.iter().filter_map(|filter| filter.related.as_ref());
        for other in related.filter_map(|related| self.database.table(&related.table)) {
            if self.row_owner(handled, other, uses).argument.is_some() {
                uses.deny(format!(
                    "a filter by rows of `{}` could reveal rows of other owners",
                    other.entity()
                ));
            }
        }
    }
}

/// Returns the reason for a property of the request that is no filter.
pub(super) fn unknown_filter(stored: &Stored<'_>, part: ValuePlace, field: &Field) -> Reason {
    let (property, entity) = (&field.property, stored.entity());
    let place = if part == ValuePlace::Params {
        "path"
    } else {
        "query"
    };
    let mut columns = stored.columns.iter();
    if columns.any(|column| column.field.property == *property) {
        format!(
            "lists cannot filter by `{property}` of the {place}, because `{entity}` has it with another type or with a type that lists cannot compare"
        )
    } else {
        format!(
            "types do not tell which rows `{property}` of the {place} selects, because neither `{entity}` nor one table that connects `{entity}` with other values has such a property"
        )
    }
}

/// Returns the statement that creates the filter of a list, and the argument that passes it. Returns nothing if no
/// list of the table has a filter.
pub(super) fn filter(
    stored: &Stored<'_>,
    filters: &[Filter],
    uses: &mut Uses,
) -> (TokenStream, Option<TokenStream>) {
    let mut columns = stored.filters().peekable();
    if columns.peek().is_none() {
        return (TokenStream::new(), None);
    }
    let name = &stored.structs.filter;
    uses.row(stored, name);
    let name = ident(name);
    let mut fields = Vec::new();
    let mut is_complete = true;
    for column in columns {
        let filter = filters
            .iter()
            .find(|filter| filter.property == column.field.property);
        match filter {
            Some(Filter { value, .. }) => {
                let field = ident(&column.field.name);
                fields.push(quote!(#field: #value));
            }
            // Another list of the table filters by this column, but this list does not.
            None => is_complete = false,
        }
    }
    if fields.is_empty() {
        return (TokenStream::new(), Some(quote!(&#name::default())));
    }
    let rest = (!is_complete).then(|| quote!(, ..#name::default()));
    let lets = quote!(let filter = #name { #(#fields),* #rest };);
    (lets, Some(quote!(&filter)))
}
