//! Bodies of requests in generated clients: their types, and the code that writes them.

use kit_analysis::is_json_part;
use kit_ir::{BodyFormat, FilePart, FormatChoice};
use proc_macro2::TokenStream;
use quote::quote;

use crate::bodies::{field_names, multipart};
use crate::format_unions::variants;
use crate::route_names::RouteNames;
use crate::source::{doc, ident, string_literal};
use crate::types::{Form, Types};

/// Body of a request in one format.
pub(super) struct Body {
    pub(super) r#type: TokenStream,
    /// True if the caller chooses the media type.
    pub(super) has_media_type: bool,
    /// Name of the method of the call that writes the body.
    method: &'static str,
    /// Media type as an argument before the body, if the method needs the media type and the caller does not choose it.
    media_type: Option<TokenStream>,
    /// Conversion of the body to the argument of the method.
    kind: Argument,
}

#[derive(Clone, Copy)]
enum Argument {
    Reference,
    Value,
    Parts,
}

impl Body {
    /// Returns the body for a format. Returns `None` if the route has no body in this format.
    pub(super) fn new(types: &Types<'_>, handled: &RouteNames<'_>, choice: &FormatChoice) -> Option<Self> {
        let model = choice.body.map(|id| {
            let model = ident(types.name_in(id, Form::Request));
            quote!(models::#model)
        });
        let media_types = choice.format.media_types();
        let has_media_type = media_types.len() != 1 || media_types.iter().any(|name| name.contains('*'));
        let media_type = string_literal(media_types.first().copied().unwrap_or_default());
        let of = |r#type: TokenStream, method: &'static str, kind: Argument| Self {
            r#type,
            has_media_type: false,
            method,
            media_type: None,
            kind,
        };
        let text = |r#type: TokenStream| {
            Some(Self {
                has_media_type,
                media_type: (!has_media_type).then(|| quote!(#media_type,)),
                ..of(r#type, "body", Argument::Value)
            })
        };
        match (&choice.format, model) {
            (BodyFormat::Json, Some(model)) => Some(of(model, "json", Argument::Reference)),
            (BodyFormat::Form, Some(model)) => Some(of(model, "form", Argument::Reference)),
            (BodyFormat::Multipart { .. }, _) => {
                let name = ident(handled.bodies.parts.as_deref()?);
                Some(of(quote!(#name), "multipart", Argument::Parts))
            }
            (BodyFormat::Text { .. }, _) => text(quote!(String)),
            (BodyFormat::Raw { .. } | BodyFormat::Chunks { .. } | BodyFormat::Bytes { .. }, _) => {
                text(quote!(kit_client::Body))
            }
            (BodyFormat::Lines, Some(model)) => text(quote!(kit_client::RequestLines<#model>)),
            _ => None,
        }
    }

    /// Returns the call of the method that writes the body. `value` is the body, and `media_type` the media type that the caller
    /// has chosen.
    pub(super) fn write(&self, value: &TokenStream, media_type: &TokenStream) -> TokenStream {
        let method = ident(self.method);
        let fixed = &self.media_type;
        let media_type = self.has_media_type.then(|| quote!(#media_type,));
        let value = match self.kind {
            Argument::Reference => quote!(&#value),
            Argument::Value => quote!(#value),
            Argument::Parts => quote!(#value.into_parts()),
        };
        quote!(.#method(#fixed #media_type #value))
    }
}

/// Returns the types that the body of a request has besides models: the struct with the parts of a multipart body, and the enum with
/// a variant for each format.
pub(super) fn declarations(types: &Types<'_>, handled: &RouteNames<'_>) -> TokenStream {
    let (parts, union) = (parts(types, handled), union(types, handled));
    quote!(#parts #union)
}

fn parts(types: &Types<'_>, handled: &RouteNames<'_>) -> Option<TokenStream> {
    let (files, body) = multipart(handled)?;
    let name = ident(handled.bodies.parts.as_deref()?);
    let comment = doc(&format!(
        "Parts of the multipart body of `{}`.",
        handled.route.reference()
    ));
    let fields = body.map(|id| {
        let model = ident(types.name_in(id, Form::Request));
        quote! {
            /// Parts that are no files.
            pub fields: models::#model,
        }
    });
    let names = field_names(&files);
    let members = files.iter().zip(&names).map(|(file, field)| {
        let field = ident(field);
        let text = file.documentation.description.as_deref();
        let comment = doc(text.unwrap_or(if file.many { "Files." } else { "File." }));
        let kind = if file.many {
            quote!(Vec<kit_client::File>)
        } else if file.optional {
            quote!(Option<kit_client::File>)
        } else {
            quote!(kit_client::File)
        };
        quote!(#comment pub #field: #kind,)
    });
    let write_fields = body.map(|id| {
        let properties = types.program.properties(types.program.declarations[id].r#type);
        let json = properties
            .iter()
            .filter(|property| is_json_part(types.program, property.r#type))
            .map(|property| string_literal(&property.name));
        quote!(.fields(&self.fields, &[#(#json),*]))
    });
    // The server reads a streamed part after all others.
    let mut sent: Vec<(&FilePart, &String)> = files.iter().zip(&names).collect();
    sent.sort_by_key(|(file, _)| file.streamed);
    let write_files = sent.into_iter().map(|(file, field)| {
        let (part, field) = (string_literal(&file.name), ident(field));
        if file.many || file.optional {
            quote!(.files(#part, self.#field))
        } else {
            quote!(.files(#part, [self.#field]))
        }
    });
    Some(quote! {
        #comment
        #[derive(Debug)]
        pub struct #name { #fields #(#members)* }

        impl #name {
            fn into_parts(self) -> kit_client::Parts {
                kit_client::Parts::new() #write_fields #(#write_files)*
            }
        }
    })
}

fn union(types: &Types<'_>, handled: &RouteNames<'_>) -> Option<TokenStream> {
    let BodyFormat::OneOf { choices } = &handled.route.body_format else {
        return None;
    };
    let name = ident(handled.bodies.union.as_deref()?);
    let comment = doc(&format!(
        "Body of `{}`, in one of its formats.",
        handled.route.reference()
    ));
    let bodies: Vec<_> = choices
        .iter()
        .zip(variants(choices))
        .filter_map(|(choice, variant)| Some((choice, variant, Body::new(types, handled, choice)?)))
        .collect();
    let declared = bodies.iter().map(|(choice, variant, body)| {
        let comment = doc(&format!("`{}`", choice.format.media_types().join("`, `")));
        let kind = &body.r#type;
        if body.has_media_type {
            let (media_type, value) = (doc("Media type."), doc("Content."));
            quote!(#comment #variant { #media_type media_type: String, #value value: #kind })
        } else {
            quote!(#comment #variant(#kind))
        }
    });
    let arms = bodies.iter().map(|(_, variant, body)| {
        let write = body.write(&quote!(value), &quote!(&media_type));
        if body.has_media_type {
            quote!(Self::#variant { media_type, value } => call #write,)
        } else {
            quote!(Self::#variant(value) => call #write,)
        }
    });
    Some(quote! {
        #comment
        #[derive(Debug)]
        #[allow(clippy::large_enum_variant)]
        pub enum #name { #(#declared),* }

        impl #name {
            fn write<E: kit_client::Declared>(self, call: kit_client::Call<'_, E>) -> kit_client::Call<'_, E> {
                match self { #(#arms)* }
            }
        }
    })
}
