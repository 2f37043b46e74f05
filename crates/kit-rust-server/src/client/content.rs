//! Bodies of responses in generated clients: their types, and the code that reads them.

use kit_ir::BodyFormat;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Names of the generated types in the body of a response.
#[derive(Clone, Copy, Default)]
pub(super) struct Names<'n> {
    /// Type of the value or of a line.
    pub(super) model: Option<&'n Ident>,
    /// Enum of the events.
    pub(super) event: Option<&'n Ident>,
    /// Enum with a variant for each format of a union.
    pub(super) contents: Option<&'n Ident>,
}

/// Returns the type of a body, and the expression that reads it from the variable `answer`. The expression is empty if there is no
/// body.
pub(super) fn body(format: &BodyFormat, names: Names<'_>) -> (TokenStream, TokenStream) {
    let Names {
        model,
        event,
        contents,
    } = names;
    match (format, model, event, contents) {
        (BodyFormat::Text { .. }, ..) => (quote!(String), quote!(answer.text().await)),
        (BodyFormat::Bytes { ranges: true, .. }, ..) => {
            (quote!(kit_client::Download), quote!(answer.download()))
        }
        (BodyFormat::Bytes { .. }, ..) => (quote!(kit_client::Bytes), quote!(answer.bytes().await)),
        (BodyFormat::Lines, Some(model), ..) => (
            quote!(kit_client::LineStream<models::#model>),
            quote!(Ok(answer.lines())),
        ),
        (BodyFormat::Events { .. }, _, Some(event), _) => (
            quote!(kit_client::EventStream<#event>),
            quote!(Ok(answer.events())),
        ),
        (BodyFormat::OneOf { .. }, _, _, Some(contents)) => {
            (quote!(#contents), quote!(#contents::read(answer).await))
        }
        (BodyFormat::Json, Some(model), ..) => (quote!(models::#model), quote!(answer.json().await)),
        _ => (quote!(()), TokenStream::new()),
    }
}
