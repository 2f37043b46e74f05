//! Generates the expressions that convert properties of a request to values of columns.

use proc_macro2::TokenStream;
use quote::quote;

use crate::database::{Parameter, StoredColumn};
use crate::source::ident;
use crate::types::{Field, RustType};

/// Place of a value in a handler.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ValuePlace {
    /// The parameters of the path.
    Params,
    /// The query.
    Query,
    /// The body, which a handler has in the variable `body`.
    Body,
    /// A copy of a value of the body, which the handler needs afterwards.
    CopyOfBody,
    /// The row that the handler has written, in the variable `row`.
    Row,
    /// An element of an array in the body, in the variable `item`.
    Item,
    /// The variable `item` itself, which is a reference to a value.
    Value,
}

impl ValuePlace {
    /// Returns the expression of a field in a handler: `input.params.id`.
    pub(super) fn field(self, field: &Field) -> TokenStream {
        let name = ident(&field.name);
        match self {
            Self::Params => quote!(input.params.#name),
            Self::Query => quote!(input.query.#name),
            Self::Body => quote!(body.#name),
            Self::CopyOfBody => quote!(body.#name.clone()),
            Self::Row => quote!(row.#name),
            Self::Item => quote!(item.#name),
            Self::Value => quote!(item),
        }
    }
}

/// A property of a request or of the written row, and its place in the handler.
#[derive(Clone, Copy)]
pub(super) struct RequestValue<'f> {
    from: ValuePlace,
    field: &'f Field,
}

impl<'f> RequestValue<'f> {
    pub(super) fn all(from: ValuePlace, fields: &'f [Field]) -> impl Iterator<Item = Self> {
        fields.iter().map(move |field| Self { from, field })
    }

    /// Returns the value of a column in the row that the handler has written.
    pub(super) fn written(column: &'f StoredColumn<'_>) -> Self {
        Self {
            from: ValuePlace::Row,
            field: &column.field,
        }
    }

    /// Returns the value of a column that the elements of an array in the body are.
    pub(super) fn item(column: &'f StoredColumn<'_>) -> Self {
        Self {
            from: ValuePlace::Value,
            field: &column.field,
        }
    }

    /// Returns true if the property has the name of the column's property.
    pub(super) fn is_of(&self, column: &StoredColumn<'_>) -> bool {
        self.field.property == column.field.property
    }

    /// Returns the expression of the property, and two flags: true if the value may be absent, and true if
    /// the value may be null. Returns `None` if the property and the column have different types.
    fn parts(&self, column: &StoredColumn<'_>) -> Option<(TokenStream, bool, bool)> {
        let own = &self.field.r#type;
        let value = self.from.field(self.field);
        (own.without_option() == column.plain_type()).then(|| (value, self.field.optional, own.is_option()))
    }

    /// Returns the condition that the property is present and differs from the variable `owner`. Null counts
    /// as different.
    pub(super) fn differs(&self, column: &StoredColumn<'_>, is_copied: bool) -> Option<TokenStream> {
        let (value, optional, nullable) = self.parts(column)?;
        let borrowed = (!is_copied).then(|| quote!(.as_ref()));
        Some(match (optional, nullable) {
            (false, false) if is_copied => quote!(#value != owner),
            (false, false) => quote!(#value != *owner),
            (true, false) => quote!(#value #borrowed.is_some_and(|given| given != owner)),
            (false, true) => quote!(#value #borrowed != Some(owner)),
            (true, true) => {
                quote!(#value #borrowed.is_some_and(|given| given #borrowed != Some(owner)))
            }
        })
    }

    /// Returns the property as an `Option` of the type that the function of a reference check accepts, such
    /// as `Option<&str>`.
    pub(super) fn referred(&self, column: &StoredColumn<'_>) -> Option<TokenStream> {
        let (value, optional, nullable) = self.parts(column)?;
        let options = usize::from(optional) + usize::from(nullable);
        let r#type = column.parameter_type()?;
        if self.from == ValuePlace::Value && r#type != Parameter::Text {
            let copied = r#type.is_copied().then(|| quote!(*));
            return Some(quote!(Some(#copied #value)));
        }
        Some(match (r#type, options) {
            (Parameter::Text, 0) => quote!(Some(#value.as_str())),
            (Parameter::Text, 1) => quote!(#value.as_deref()),
            (Parameter::Text, _) => quote!(#value.as_ref().and_then(Option::as_deref)),
            (Parameter::BigInt(_), 0) => quote!(Some(&#value)),
            (Parameter::BigInt(_), 1) => quote!(#value.as_ref()),
            (Parameter::BigInt(_), _) => quote!(#value.as_ref().and_then(Option::as_ref)),
            (Parameter::Whole | Parameter::Float | Parameter::Decimal(_), 0) => quote!(Some(#value)),
            (Parameter::Whole | Parameter::Float | Parameter::Decimal(_), 1) => value,
            (Parameter::Whole | Parameter::Float | Parameter::Decimal(_), _) => quote!(#value.flatten()),
        })
    }
}

/// Returns the expression of a property in the given number of `Option`s. An absent value is `None` in the outermost
/// `Option`, and null is `None` in the innermost `Option`. Returns `None` if the type of the property is not
/// `plain`.
pub(super) fn converted(
    from: ValuePlace,
    field: &Field,
    plain: &RustType,
    options: usize,
) -> Option<TokenStream> {
    if field.r#type.without_option() != plain {
        return None;
    }
    let value = from.field(field);
    Some(match (field.optional, field.r#type.is_option(), options) {
        (false, false, 0) | (true, false, 1) | (false, true, 1) | (true, true, 2) => value,
        (false, false, 1) | (false, true, 2) => quote!(Some(#value)),
        (false, false, 2) => quote!(Some(Some(#value))),
        (true, false, 2) => quote!(#value.map(Some)),
        (true, true, 1) => quote!(#value.flatten()),
        _ => return None,
    })
}
