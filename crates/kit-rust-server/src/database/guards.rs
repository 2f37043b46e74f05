//! Generates the statements with which functions of a table return early, because no row can have the value of a parameter and
//! PostgreSQL would refuse the value with an error.

use kit_database::ColumnType;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::finder::ColumnParameter;
use super::parameter::Parameter;
use super::{Stored, StoredColumn, is_uuid};
use crate::source::{comment, ident};

impl StoredColumn<'_> {
    /// Returns true if a function with a text for the column checks that the text is a day or a decimal number.
    pub(super) fn is_checked_text(&self) -> bool {
        let is_text = self.key_type() == Some(Parameter::Text);
        is_text && matches!(self.column.r#type, ColumnType::Date | ColumnType::Numeric { .. })
    }
}

impl Stored<'_> {
    /// Returns the statements at the start of a function that return `nothing` early if PostgreSQL would refuse a parameter or
    /// the owner with an error, such as a text that is no UUID. No row can have such a value. `compared` are the columns with
    /// their parameters.
    pub(super) fn guard(&self, compared: &[ColumnParameter<'_>], nothing: &TokenStream) -> TokenStream {
        let (mut uuids, mut numbers, texts) = errors_of(compared);
        let (uuid, number) = self.owner_errors();
        uuids.extend(uuid);
        numbers.extend(number);
        early_returns(nothing, &uuids, &numbers, &texts)
    }

    /// Returns the statements at the start of a function that return early if PostgreSQL would refuse the only parameter with an
    /// error. The function has no owner.
    pub(super) fn column_guard(
        column: &StoredColumn<'_>,
        parameter: &Ident,
        r#type: &Parameter,
    ) -> TokenStream {
        let (uuids, numbers, texts) = errors_of(&[(column, (parameter.clone(), r#type.clone()))]);
        early_returns(&quote!(()), &uuids, &numbers, &texts)
    }

    /// Returns the statements at the start of a list function that return `nothing` early if PostgreSQL would refuse
    /// the owner or a filter with an error.
    pub(super) fn list_guard(&self, nothing: &TokenStream) -> TokenStream {
        let (uuid, number) = self.owner_errors();
        let mut uuids: Vec<_> = uuid.into_iter().collect();
        let mut numbers: Vec<_> = number.into_iter().collect();
        let mut others = Vec::new();
        for stored in self.filters() {
            let conditions = match stored.column.r#type {
                ColumnType::Uuid => &mut uuids,
                ColumnType::BigIntExact => &mut numbers,
                _ => &mut others,
            };
            let name = ident(&stored.field.name);
            conditions.extend(stored.comparison_error(&quote!(filter.#name)));
        }
        early_returns(nothing, &uuids, &numbers, &others)
    }
}

/// Returns the conditions under which PostgreSQL would refuse parameters: texts that are no UUIDs, numbers beyond 64 bits, and
/// texts that are no days or decimal numbers.
fn errors_of(compared: &[ColumnParameter<'_>]) -> (Vec<TokenStream>, Vec<TokenStream>, Vec<TokenStream>) {
    let uuids = compared.iter().filter(|(stored, _)| is_uuid(stored));
    let uuids: Vec<_> = uuids.map(|(_, (name, _))| quote!(!is_uuid(#name))).collect();
    let numbers = compared.iter().filter(|(_, (_, r#type))| r#type.is_bigint());
    let numbers: Vec<_> = numbers
        .map(|(_, (name, _))| quote!(i64::try_from(#name).is_err()))
        .collect();
    let texts = compared.iter().filter(|(stored, _)| stored.is_checked_text());
    let texts: Vec<_> = texts
        .map(|(stored, (name, _))| {
            if stored.column.r#type == ColumnType::Date {
                quote!(sql::is_not_day(Some(#name)))
            } else {
                quote!(sql::is_not_decimal(Some(#name)))
            }
        })
        .collect();
    (uuids, numbers, texts)
}

/// Returns `if` statements that return `nothing` early. `uuids` are conditions for strings that are not UUIDs, `numbers` are
/// conditions for numbers beyond 64 bits, and `others` are conditions for other values.
fn early_returns(
    nothing: &TokenStream,
    uuids: &[TokenStream],
    numbers: &[TokenStream],
    others: &[TokenStream],
) -> TokenStream {
    let checks = [
        (
            "No row has a text that is not a UUID; PostgreSQL would return an error.",
            uuids,
        ),
        (
            "No row has a number beyond `bigint`; PostgreSQL would return an error.",
            numbers,
        ),
        (
            "No row has a value that its column cannot have; PostgreSQL would return an error.",
            others,
        ),
    ];
    let checks = checks
        .into_iter()
        .filter(|(_, conditions)| !conditions.is_empty());
    checks
        .map(|(reason, conditions)| {
            let reason = comment(reason);
            quote! {
                #reason
                if #(#conditions)||* {
                    return Ok(#nothing);
                }
            }
        })
        .collect()
}
