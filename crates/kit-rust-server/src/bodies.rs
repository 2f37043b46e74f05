//! Bodies that are not JSON in generated code: their Rust types, and the code that reads and writes them.
//!
//! All items of the runtime have their complete paths, because types of the application may have the same names.

use std::collections::BTreeSet;

use kit_ir::{BodyFormat, DeclarationId, DeclaredEvent, DeclaredReply, FilePart, FormatChoice};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::names;
use crate::names_by_status::{NamesByStatus, ReplyNames};
use crate::route_names::RouteNames;
use crate::shapes::integer;
use crate::source::{doc, ident, string_literal};
use crate::types::{Form, Types};

/// Returns the Rust type of a request body in one format, and the expression that reads the body. Returns `None` if the format
/// is JSON.
pub(crate) fn read(
    types: &Types<'_>,
    handled: &RouteNames<'_>,
    choice: &FormatChoice,
) -> Option<(TokenStream, TokenStream)> {
    let model = || choice.body.map(|id| ident(types.name_in(id, Form::Request)));
    Some(match &choice.format {
        BodyFormat::Json
        | BodyFormat::Events { .. }
        | BodyFormat::Socket { .. }
        | BodyFormat::OneOf { .. } => {
            return None;
        }
        BodyFormat::Form => {
            let model = model();
            (quote!(#model), quote!(request.form()?))
        }
        BodyFormat::Multipart { files } => {
            let name = ident(handled.bodies.parts.as_deref()?);
            (quote!(#name), read_parts(&name, files, choice.body.is_some()))
        }
        BodyFormat::Text { media_types } => {
            let media_types = strings(media_types);
            (quote!(String), quote!(request.text(&[#media_types])?))
        }
        BodyFormat::Raw { media_types } | BodyFormat::Bytes { media_types, .. } => {
            let media_types = strings(media_types);
            (
                quote!(kit_runtime::BodyBytes),
                quote!(request.bytes(&[#media_types])?),
            )
        }
        BodyFormat::Chunks { media_types } => {
            let media_types = strings(media_types);
            (
                quote!(kit_runtime::RequestChunks),
                quote!(request.chunks(&[#media_types])?),
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

/// Returns the expression that reads a multipart body.
fn read_parts(name: &Ident, files: &[FilePart], has_fields: bool) -> TokenStream {
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
pub(crate) fn field_names(files: &[FilePart]) -> Vec<String> {
    let mut taken = BTreeSet::from(["fields".to_owned()]);
    let names = files.iter().map(|file| {
        let plain = names::plain_field(&file.name);
        names::unique_field(&plain, &mut taken)
    });
    names.collect()
}

/// Returns the struct with the parts of a multipart body. Returns `None` for other bodies.
pub(crate) fn parts(types: &Types<'_>, handled: &RouteNames<'_>) -> Option<TokenStream> {
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
            pub fields: #model,
        }
    });
    let members = files.iter().zip(field_names(&files)).map(|(file, field)| {
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

/// Returns the files of a multipart body, and the type of its other parts. Returns `None` for other bodies.
pub(crate) fn multipart(handled: &RouteNames<'_>) -> Option<(Vec<FilePart>, Option<DeclarationId>)> {
    let choices = handled.route.body_format.choices(handled.route.slots.body);
    choices.into_iter().find_map(|choice| match choice.format {
        BodyFormat::Multipart { files } => Some((files, choice.body)),
        _ => None,
    })
}

/// Returns the Rust type that a handler returns for a response that is not JSON. Returns `None` if the response is JSON.
pub(crate) fn answer(types: &Types<'_>, handled: &RouteNames<'_>) -> Option<TokenStream> {
    let model = handled.route.slots.response.map(|id| ident(types.name(id)));
    let written_types = Written {
        model,
        event: handled.bodies.event.as_deref().map(ident),
        contents: handled.bodies.contents.as_deref().map(ident),
    };
    written(&handled.route.response_format, written_types)
}

/// Returns the expression that creates the response from the variable `answer`. `context` is a reference to the context.
/// Returns `None` if the response is JSON.
pub(crate) fn respond(
    response: &TokenStream,
    context: &TokenStream,
    status: &TokenStream,
    format: &BodyFormat,
) -> Option<TokenStream> {
    let media_type = string_literal(format.media_types().first().copied().unwrap_or_default());
    match format {
        BodyFormat::Text { .. } => Some(quote!(#response::text(#context, #status, #media_type, answer))),
        BodyFormat::Bytes { ranges: true, .. } => {
            Some(quote!(#response::download(#context, #status, #media_type, answer).await))
        }
        BodyFormat::Bytes { .. } => Some(quote!(#response::bytes(#context, #status, #media_type, answer))),
        BodyFormat::Lines => Some(quote!(#response::lines(#context, #status, answer))),
        BodyFormat::Events { .. } => Some(quote!(#response::events(#context, #status, answer))),
        BodyFormat::OneOf { .. } => Some(quote!(answer.respond(#context, #status).await)),
        BodyFormat::Json
        | BodyFormat::Form
        | BodyFormat::Multipart { .. }
        | BodyFormat::Raw { .. }
        | BodyFormat::Chunks { .. }
        | BodyFormat::Socket { .. } => None,
    }
}

/// Returns the enums of the events of a route's response and of its replies.
pub(crate) fn events(types: &Types<'_>, handled: &RouteNames<'_>) -> TokenStream {
    let text = format!("Events of `{}`.", handled.route.reference());
    let response = handled.bodies.event.as_deref();
    let response = response.and_then(|name| event_enum(types, name, &text, &handled.route.response_format));
    let replies = reply_events(
        types,
        &text,
        &handled.route.replies,
        &handled.bodies.replies.events,
    );
    quote!(#response #replies)
}

/// Returns the enums of the events of replies. `names` has the names of the enums by the status of the reply.
pub(crate) fn reply_events(
    types: &Types<'_>,
    text: &str,
    replies: &[DeclaredReply],
    names: &NamesByStatus,
) -> TokenStream {
    let enums = replies.iter().filter_map(|reply| {
        let name = names.get(&reply.status)?;
        event_enum(types, name, text, &reply.format)
    });
    quote!(#(#enums)*)
}

/// Returns the names of the variants for events. The server and the client use the same names.
pub(crate) fn event_variants(events: &[DeclaredEvent]) -> Vec<Ident> {
    let mut taken = BTreeSet::new();
    let variants = events.iter().map(|event| {
        let variant = names::unique(names::variant(&event.name), |name| taken.contains(name));
        taken.insert(variant.clone());
        ident(&variant)
    });
    variants.collect()
}

/// Returns an enum of events. Returns `None` for other formats.
fn event_enum(types: &Types<'_>, name: &str, text: &str, format: &BodyFormat) -> Option<TokenStream> {
    let events = format.events()?;
    let (name, comment) = (ident(name), doc(text));
    let variants = event_variants(events);
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
pub(crate) fn of_reply(types: &Types<'_>, reply: &DeclaredReply, names: &ReplyNames) -> Option<TokenStream> {
    let model = reply.body.map(|id| ident(types.name(id)));
    let of_status = |names: &NamesByStatus| names.get(&reply.status).map(|name| ident(name));
    let written_types = Written {
        model,
        event: of_status(&names.events),
        contents: of_status(&names.contents),
    };
    written(&reply.format, written_types)
}

/// Names of the Rust types in a body that a handler writes.
pub(crate) struct Written {
    /// Type of a line.
    pub(crate) model: Option<Ident>,
    /// Name of the enum of the events.
    pub(crate) event: Option<Ident>,
    /// Name of the generated type of a body with several formats.
    pub(crate) contents: Option<Ident>,
}

/// Returns the Rust type of a body that a handler writes. Returns `None` if the body is JSON.
pub(crate) fn written(format: &BodyFormat, types: Written) -> Option<TokenStream> {
    let Written {
        model,
        event,
        contents,
    } = types;
    match format {
        BodyFormat::Text { .. } => Some(quote!(kit_runtime::Content<String>)),
        BodyFormat::Bytes { ranges: true, .. } => Some(quote!(kit_runtime::Download)),
        BodyFormat::Bytes { .. } => Some(quote!(kit_runtime::Content<kit_runtime::BodyBytes>)),
        BodyFormat::Lines => model.map(|model| quote!(kit_runtime::Lines<#model>)),
        BodyFormat::Events { .. } => event.map(|event| quote!(kit_runtime::Events<#event>)),
        BodyFormat::Json
        | BodyFormat::Form
        | BodyFormat::Multipart { .. }
        | BodyFormat::Raw { .. }
        | BodyFormat::Chunks { .. } => None,
        BodyFormat::OneOf { .. } => contents.map(|contents| quote!(#contents)),
        BodyFormat::Socket { .. } => Some(quote!(())),
    }
}

/// Returns the call that completes a reply with its body, which is in the variable `body`.
pub(crate) fn complete(format: &BodyFormat, body: &TokenStream) -> TokenStream {
    let media_type = string_literal(format.media_types().first().copied().unwrap_or_default());
    match format {
        BodyFormat::Text { .. } => quote!(.text(#media_type, #body)),
        BodyFormat::Bytes { .. } => quote!(.bytes(#media_type, #body)),
        BodyFormat::Lines => quote!(.lines(#body)),
        BodyFormat::Events { .. } => quote!(.events(#body)),
        _ => quote!(.json(&#body)),
    }
}

fn strings(texts: &[String]) -> TokenStream {
    let texts = texts.iter().map(|text| string_literal(text));
    quote!(#(#texts),*)
}
