//! Generates the values of a new row.

use proc_macro2::TokenStream;
use quote::quote;

use super::Reason;
use super::code::other_type;
use super::owner::RowOwner;
use super::values::{ValuePlace, converted};
use super::view::Reference;
use crate::database::{Parameter, Stored, StoredColumn};
use crate::source::ident;
use crate::types::Field;

/// Row above a nested row, in the variable `row`.
pub(super) struct Parent<'n, 'k> {
    /// Foreign key of the nested row.
    pub(super) reference: &'n Reference<'k>,
    /// Column whose value is the variable `item` itself.
    pub(super) value: Option<&'k StoredColumn<'k>>,
}

/// Returns the fields of the struct of a new row.
pub(super) fn new_values(
    stored: &Stored<'_>,
    row_owner: &RowOwner,
    parent: Option<&Parent<'_, '_>>,
    given: &[(ValuePlace, &[Field])],
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
