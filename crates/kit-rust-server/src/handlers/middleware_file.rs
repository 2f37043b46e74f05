//! Generates the files of middleware, which respond with 501 until the user writes the middleware.

use kit_ir::Program;
use proc_macro2::TokenStream;
use quote::quote;

use super::unwritten;
use crate::database::Database;
use crate::middleware::{ContextValue, Middleware};
use crate::source::{doc, file_doc, ident, string_literal};
use crate::types::{RuntimeItem, RuntimeType, RustType};
use crate::{File, scopes};

/// Returns the file of a middleware. `has_transaction` is true if the queries of handlers belong to the transaction of the
/// middleware, which is a wrapper.
pub(super) fn middleware(
    middleware: &Middleware,
    program: &Program,
    database: &Database<'_>,
    has_transaction: bool,
) -> File {
    let Middleware {
        name,
        module,
        r#type,
        adds,
        wrapper,
    } = middleware;
    let path = format!("src/middleware/{}.rs", module.trim_start_matches("r#"));
    let code = unwritten::body(name, &path);
    let fields = adds.iter().map(|added| {
        let ContextValue { context, field } = added;
        let comment = doc(&format!(
            "`ctx.{context}`: the owner of the rows that the request may read and change."
        ));
        // Without an entity that uses this value as its owner, no generated code reads the field.
        let kind = match database.type_of_context(context) {
            // Only the handlers import this type.
            Some(r#type) if r#type.is_runtime(RuntimeItem::BigInt) => RustType::Runtime(RuntimeType {
                item: RuntimeItem::BigInt,
                is_qualified: true,
            }),
            Some(r#type) => r#type.clone(),
            None => RustType::String,
        };
        let field = ident(field);
        quote!(#comment pub #field: #kind)
    });
    let fields: Vec<TokenStream> = fields
        .chain(has_transaction.then(|| {
            quote! {
                /// Transaction to which the queries of handlers belong.
                pub transaction: kit_runtime::postgres::RequestTransaction
            }
        }))
        .collect();
    let body = if fields.is_empty() {
        quote!(;)
    } else {
        quote!({ #(#fields),* })
    };
    let comment = file_doc(&format!(
        "`{name}`. This file is yours: kit wrote it once and does not change it."
    ));
    let values = doc(&format!("Values that `{name}` adds to a request."));
    let kind = ident(r#type);
    let caller = scopes::is_authenticator(program, name).then(|| {
        quote! {
            impl kit_runtime::Caller for #kind {
                /// Refuses every caller until you write which scopes a caller has.
                fn has(&self, _scope: &str) -> bool { false }
            }
        }
    });
    let name = string_literal(name);
    let values = quote! {
        #values
        #[derive(Debug, Clone)]
        pub struct #kind #body

        #caller
    };
    if let Some(wrapper) = wrapper {
        let reply = wrapper.name.as_deref().map(ident);
        let (never, import) = match &reply {
            Some(reply) => (None, Some(quote!(use crate::router::#reply;))),
            None => (Some(quote!(Never,)), None),
        };
        let wrapped = reply.as_ref().map(|reply| quote!(<#reply>));
        let reply = reply.map_or_else(|| quote!(Never), |reply| quote!(#reply));
        let file = quote! {
            #comment

            use kit_runtime::{Error, #never Next, Request, Wrapped, Wrapper};

            use crate::app::App;
            #import

            #values

            impl Wrapper<App> for #kind {
                const NAME: &'static str = #name;

                type Reply = #reply;

                /// Refuses every request until you write the wrapper.
                async fn run(
                    _app: &App,
                    _request: &Request,
                    _next: Next<'_, Self>
                ) -> Result<Wrapped #wrapped, Error> { #code }
            }
        };
        return File::user(path, &file);
    }
    let file = quote! {
        #comment

        use kit_runtime::{Error, Middleware, Request};

        use crate::app::App;

        #values

        impl Middleware<App> for #kind {
            const NAME: &'static str = #name;

            /// Refuses every request until you write which requests may pass.
            async fn run(_app: &App, _request: &Request) -> Result<Self, Error> { #code }
        }
    };
    File::user(path, &file)
}
