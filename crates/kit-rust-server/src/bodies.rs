//! Bodies that are not JSON in generated code: their Rust types, and the code that reads and writes them.
//!
//! All items of the runtime have their complete paths, because types of the application may have the same names.

use std::collections::BTreeSet;

use kit_ir::{BodyFormat, DeclaredReply, FilePart, Slot};
use proc_macro2::TokenStream;
use quote::quote;

use crate::event_names::EventNames;
use crate::names;
use crate::route_names::RouteNames;
use crate::shapes::integer;
use crate::source::{doc, ident, string_literal};
use crate::types::{Form, Types};

/// Returns the Rust type of the request body, and the expression that reads the body. Returns `None` if the body is
/// JSON.
pub(crate) fn request(types: &Types<'_>, handled: &RouteNames<'_>) -> Option<(TokenStream, TokenStream)> {
    let route = handled.route;
    let model = || {
        route
            .slots
            .get(Slot::Body)
            .map(|id| ident(types.name_in(id, Form::Request)))
    };
    Some(match &route.body_format {
        // `formats.rs` refuses unions of formats.
        BodyFormat::Json | BodyFormat::Events { .. } | BodyFormat::Socket | BodyFormat::OneOf { .. } => {
            return None;
        }
        BodyFormat::Form => {
            let model = model();
            (quote!(#model), quote!(request.form()?))
        }
        BodyFormat::Multipart { files } => {
            let name = ident(handled.bodies.parts.as_deref()?);
            (
                quote!(#name),
                read_parts(&name, files, route.slots.body.is_some()),
            )
        }
        BodyFormat::Text { media_types } => {
            let media_types = strings(media_types);
            (quote!(String), quote!(request.text(&[#media_types])?))
        }
        BodyFormat::Raw { media_types } | BodyFormat::Bytes { media_types } => {
            let media_types = strings(media_types);
            (
                quote!(kit_runtime::BodyBytes),
                quote!(request.bytes(&[#media_types])?),
            )
        }
        BodyFormat::Lines => {
            let model = model();
            (
                quote!(kit_runtime::RequestLines<#model>),
                quote!(request.lines()?),
            )
        }
    })
}

/// Returns true if the handler of a route reads the body while the body arrives.
pub(crate) fn is_streamed(format: &BodyFormat) -> bool {
    matches!(format, BodyFormat::Lines) || format.upload().is_some()
}

/// Returns the expression that reads a multipart body.
fn read_parts(name: &proc_macro2::Ident, files: &[FilePart], has_fields: bool) -> TokenStream {
    let declared = files.iter().map(declaration);
    let fields = field_names(files);
    let taken = files.iter().zip(&fields).map(|(file, field)| {
        let (part, field) = (string_literal(&file.name), ident(field));
        if file.streamed && file.many {
            quote!(#field: files.uploads())
        } else if file.streamed && file.optional {
            quote!(#field: files.optional_upload())
        } else if file.streamed {
            quote!(#field: files.upload()?)
        } else if file.many {
            quote!(#field: files.many(#part))
        } else if file.optional {
            quote!(#field: files.optional(#part))
        } else {
            quote!(#field: files.one(#part)?)
        }
    });
    if files.is_empty() {
        return quote!({
            let (fields, _) = request.multipart(&[])?;
            #name { fields }
        });
    }
    // rustfmt breaks the lines of a list with one element in another way than those of other lists.
    let (file, declared) = match files {
        [file] => {
            let declared = declaration(file);
            (Some(quote!(let file = #declared;)), quote!(file))
        }
        _ => (None, quote!(#(#declared),*)),
    };
    let is_streamed = files.iter().any(|file| file.streamed);
    let wait = is_streamed.then(|| quote!(.await));
    let read = |whole: &str, streamed: &str| ident(if is_streamed { streamed } else { whole });
    if has_fields {
        let read = read("multipart", "multipart_upload");
        quote!({
            #file
            let (fields, mut files) = request.#read(&[#declared])#wait?;
            #name { fields, #(#taken),* }
        })
    } else {
        let read = read("multipart_files", "multipart_upload_files");
        quote!({
            #file
            let mut files = request.#read(&[#declared])#wait?;
            #name { #(#taken),* }
        })
    }
}

/// Returns the expression that declares a file of a multipart body.
fn declaration(file: &FilePart) -> TokenStream {
    let part = string_literal(&file.name);
    let new = if file.many { quote!(many) } else { quote!(one) };
    let optional = file.optional.then(|| quote!(.optional()));
    let limit = |name: &str, number: Option<u64>| {
        let (name, number) = (ident(name), integer(number?));
        Some(quote!(.#name(#number)))
    };
    let min_items = limit("min_items", file.min_items);
    let max_items = limit("max_items", file.max_items);
    let max_bytes = limit("max_bytes", file.max_bytes);
    let media_types = (!file.media_types.is_empty()).then(|| {
        let media_types = strings(&file.media_types);
        quote!(.media_types(&[#media_types]))
    });
    let streamed = file.streamed.then(|| quote!(.streamed()));
    quote!(kit_runtime::FilePart::#new(#part) #optional #min_items #max_items #max_bytes #media_types #streamed)
}

/// Returns the names of the fields for the files of a multipart body. No field for a file has the name `fields`,
/// because the field `fields` has the parts that are not files.
fn field_names(files: &[FilePart]) -> Vec<String> {
    let mut taken = BTreeSet::from(["fields".to_owned()]);
    let names = files.iter().map(|file| {
        let plain = names::plain_field(&file.name);
        names::unique_field(&plain, &mut taken)
    });
    names.collect()
}

/// Returns the struct with the parts of a multipart body. Returns `None` for other bodies.
pub(crate) fn parts(types: &Types<'_>, handled: &RouteNames<'_>) -> Option<TokenStream> {
    let BodyFormat::Multipart { files } = &handled.route.body_format else {
        return None;
    };
    let name = ident(handled.bodies.parts.as_deref()?);
    let comment = doc(&format!(
        "Parts of the multipart body of `{}`.",
        handled.route.reference()
    ));
    let fields = handled.route.slots.body.map(|id| {
        let model = ident(types.name_in(id, Form::Request));
        quote! {
            /// Parts that are no files.
            pub fields: #model,
        }
    });
    let members = files.iter().zip(field_names(files)).map(|(file, field)| {
        let field = ident(&field);
        let text = file.documentation.description.as_deref();
        let comment = doc(text.unwrap_or(if file.many { "Files." } else { "File." }));
        let kind = if file.streamed && file.many {
            quote!(kit_runtime::Uploads)
        } else if file.streamed && file.optional {
            quote!(Option<kit_runtime::Upload>)
        } else if file.streamed {
            quote!(kit_runtime::Upload)
        } else if file.many {
            quote!(Vec<kit_runtime::File>)
        } else if file.optional {
            quote!(Option<kit_runtime::File>)
        } else {
            quote!(kit_runtime::File)
        };
        quote!(#comment pub #field: #kind,)
    });
    Some(quote! {
        #comment
        #[derive(Debug)]
        pub struct #name { #fields #(#members)* }
    })
}

/// Returns the Rust type that a handler returns for a response that is not JSON. Returns `None` if the response is JSON.
pub(crate) fn answer(types: &Types<'_>, handled: &RouteNames<'_>) -> Option<TokenStream> {
    let model = handled.route.slots.response.map(|id| ident(types.name(id)));
    let event = handled.bodies.event.as_deref().map(ident);
    written(&handled.route.response_format, model, event)
}

/// Returns the expression that creates the response from the variable `answer`. Returns `None` if the response is JSON.
pub(crate) fn respond(
    response: &TokenStream,
    status: &TokenStream,
    format: &BodyFormat,
) -> Option<TokenStream> {
    let media_type = string_literal(format.media_types().first().copied().unwrap_or_default());
    match format {
        BodyFormat::Text { .. } => Some(quote!(#response::text(&context, #status, #media_type, answer))),
        BodyFormat::Bytes { .. } => Some(quote!(#response::bytes(&context, #status, #media_type, answer))),
        BodyFormat::Lines => Some(quote!(#response::lines(&context, #status, answer))),
        BodyFormat::Events { .. } => Some(quote!(#response::events(&context, #status, answer))),
        BodyFormat::Json
        | BodyFormat::Form
        | BodyFormat::Multipart { .. }
        | BodyFormat::Raw { .. }
        | BodyFormat::Socket
        | BodyFormat::OneOf { .. } => None,
    }
}

/// Returns the enums of the events of a route's response and of its replies.
pub(crate) fn events(types: &Types<'_>, handled: &RouteNames<'_>) -> TokenStream {
    let text = format!("Events of `{}`.", handled.route.reference());
    let response = handled.bodies.event.as_deref();
    let response = response.and_then(|name| event_enum(types, name, &text, &handled.route.response_format));
    let replies = reply_events(types, &text, &handled.route.replies, &handled.bodies.reply_events);
    quote!(#response #replies)
}

/// Returns the enums of the events of replies. `names` has the names of the enums by the status of the reply.
pub(crate) fn reply_events(
    types: &Types<'_>,
    text: &str,
    replies: &[DeclaredReply],
    names: &EventNames,
) -> TokenStream {
    let enums = replies.iter().filter_map(|reply| {
        let name = names.get(&reply.status)?;
        event_enum(types, name, text, &reply.format)
    });
    quote!(#(#enums)*)
}

/// Returns an enum of events. Returns `None` for other formats.
fn event_enum(types: &Types<'_>, name: &str, text: &str, format: &BodyFormat) -> Option<TokenStream> {
    let BodyFormat::Events { events } = format else {
        return None;
    };
    let (name, comment) = (ident(name), doc(text));
    let mut taken = BTreeSet::new();
    let variants: Vec<_> = events
        .iter()
        .map(|event| {
            let variant = names::unique(names::variant(&event.name), |name| taken.contains(name));
            taken.insert(variant.clone());
            ident(&variant)
        })
        .collect();
    let declared = events.iter().zip(&variants).map(|(event, variant)| {
        let comment = doc(&format!("Event `{}`.", event.name));
        let data = event.data.map(|id| ident(types.name(id)));
        let data = data.map(|model| quote!((#model)));
        quote!(#comment #variant #data)
    });
    let named = events.iter().zip(&variants).map(|(event, variant)| {
        let text = string_literal(&event.name);
        let rest = event.data.map(|_| quote!((_)));
        quote!(Self::#variant #rest => #text,)
    });
    let written = events.iter().zip(&variants).map(|(event, variant)| {
        if event.data.is_some() {
            quote!(Self::#variant(data) => context.event_data(data),)
        } else {
            quote!(Self::#variant => Ok("null".to_owned()),)
        }
    });
    let context_name = if events.iter().any(|event| event.data.is_some()) {
        ident("context")
    } else {
        ident("_context")
    };
    let [context, error] = ["Context", "Error"].map(|name| types.of_runtime(name));
    Some(quote! {
        #comment
        #[derive(Debug, Clone, PartialEq)]
        #[allow(clippy::large_enum_variant)]
        pub enum #name { #(#declared),* }

        impl kit_runtime::EventData for #name {
            fn name(&self) -> &'static str {
                match self { #(#named)* }
            }

            fn data(&self, #context_name: &#context) -> Result<String, #error> {
                match self { #(#written)* }
            }
        }
    })
}

/// Returns true if a reply may have a stream as its body. Such a reply cannot be cloned or compared.
pub(crate) fn has_stream(replies: &[DeclaredReply]) -> bool {
    replies.iter().any(|reply| !reply.format.is_json())
}

/// Returns the Rust type of the body of a reply that is not JSON. Returns `None` if the body is JSON.
pub(crate) fn of_reply(types: &Types<'_>, reply: &DeclaredReply, events: &EventNames) -> Option<TokenStream> {
    let model = reply.body.map(|id| ident(types.name(id)));
    let event = events.get(&reply.status).map(|name| ident(name));
    written(&reply.format, model, event)
}

/// Returns the Rust type of a body that a handler writes. Returns `None` if the body is JSON. `model` is the type of a line,
/// and `event` the enum of the events.
fn written(
    format: &BodyFormat,
    model: Option<proc_macro2::Ident>,
    event: Option<proc_macro2::Ident>,
) -> Option<TokenStream> {
    match format {
        BodyFormat::Text { .. } => Some(quote!(kit_runtime::Content<String>)),
        BodyFormat::Bytes { .. } => Some(quote!(kit_runtime::Content<kit_runtime::BodyBytes>)),
        BodyFormat::Lines => model.map(|model| quote!(kit_runtime::Lines<#model>)),
        BodyFormat::Events { .. } => event.map(|event| quote!(kit_runtime::Events<#event>)),
        BodyFormat::Json
        | BodyFormat::Form
        | BodyFormat::Multipart { .. }
        | BodyFormat::Raw { .. }
        | BodyFormat::OneOf { .. } => None,
        BodyFormat::Socket => Some(quote!(())),
    }
}

/// Returns the call that completes a reply with its body, which is in the variable `body`.
pub(crate) fn complete(reply: &DeclaredReply) -> TokenStream {
    let media_type = string_literal(reply.format.media_types().first().copied().unwrap_or_default());
    match &reply.format {
        BodyFormat::Text { .. } => quote!(.text(#media_type, body)),
        BodyFormat::Bytes { .. } => quote!(.bytes(#media_type, body)),
        BodyFormat::Lines => quote!(.lines(body)),
        BodyFormat::Events { .. } => quote!(.events(body)),
        _ => quote!(.json(&body)),
    }
}

fn strings(texts: &[String]) -> TokenStream {
    let texts = texts.iter().map(|text| string_literal(text));
    quote!(#(#texts),*)
}
