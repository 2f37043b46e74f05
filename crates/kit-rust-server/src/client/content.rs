//! Bodies of responses in generated clients: their types, and the code that reads them.

use kit_ir::BodyFormat;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Returns the type of a body, and the expression that reads it from the variable `answer`.
pub(super) fn body(
    format: &BodyFormat,
    model: Option<&Ident>,
    event: Option<&Ident>,
) -> (TokenStream, TokenStream) {
    match (format, model, event) {
        (BodyFormat::Text { .. }, ..) => (quote!(String), quote!(answer.text().await)),
        (BodyFormat::Bytes { .. }, ..) => (quote!(kit_runtime::BodyBytes), quote!(answer.bytes().await)),
        (BodyFormat::Lines, Some(model), _) => (
            quote!(kit_client::LineStream<models::#model>),
            quote!(Ok(answer.lines())),
        ),
        (BodyFormat::Events { .. }, _, Some(event)) => (
            quote!(kit_client::EventStream<#event>),
            quote!(Ok(answer.events())),
        ),
        (BodyFormat::Json, Some(model), _) => (quote!(models::#model), quote!(answer.json().await)),
        _ => (quote!(()), TokenStream::new()),
    }
}
