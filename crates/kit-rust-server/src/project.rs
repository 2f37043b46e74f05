//! Generates the other files of the project: the manifest, the entry points, the shared state, and the sources of
//! `kit-runtime`.

use kit_ir::Program;
use proc_macro2::TokenStream;
use quote::quote;

use crate::database::Database;
use crate::manifest::{FIRST_LOCK, Manifest};
use crate::route_groups::Routes;
use crate::source::{self, doc, file_doc, ident, order, string_literal};
use crate::types::{Form, Types};
use crate::{File, HEADER, Options, Owner, cors, print};

/// Sources of `kit-runtime`, which every project contains.
const RUNTIME: &[(&str, &str)] = &include!("runtime_files.rs");

/// `Cargo.toml` of `kit-runtime` in a generated project.
const RUNTIME_MANIFEST: &str = include_str!("runtime.toml");

/// Sources of `kit-guard`, which are in a subdirectory of `kit-runtime`.
const GUARD: [(&str, &str); 15] = [
    ("Cargo.toml", include_str!("guard.toml")),
    (
        "src/authority.rs",
        include_str!("../../kit-guard/src/authority.rs"),
    ),
    (
        "src/characters.rs",
        include_str!("../../kit-guard/src/characters.rs"),
    ),
    (
        "src/chunk_extension.rs",
        include_str!("../../kit-guard/src/chunk_extension.rs"),
    ),
    ("src/chunked.rs", include_str!("../../kit-guard/src/chunked.rs")),
    ("src/guard.rs", include_str!("../../kit-guard/src/guard.rs")),
    ("src/head.rs", include_str!("../../kit-guard/src/head.rs")),
    ("src/lib.rs", include_str!("../../kit-guard/src/lib.rs")),
    ("src/lines.rs", include_str!("../../kit-guard/src/lines.rs")),
    ("src/origin.rs", include_str!("../../kit-guard/src/origin.rs")),
    ("src/pace.rs", include_str!("../../kit-guard/src/pace.rs")),
    ("src/path.rs", include_str!("../../kit-guard/src/path.rs")),
    (
        "src/rejection.rs",
        include_str!("../../kit-guard/src/rejection.rs"),
    ),
    (
        "src/rejections.rs",
        include_str!("../../kit-guard/src/rejections.rs"),
    ),
    (
        "src/transfer_coding.rs",
        include_str!("../../kit-guard/src/transfer_coding.rs"),
    ),
];

/// Sources of `kit-websocket`, which are in a subdirectory of `kit-runtime`.
const WEBSOCKET: [(&str, &str); 12] = [
    ("Cargo.toml", include_str!("websocket.toml")),
    ("src/close.rs", include_str!("../../kit-websocket/src/close.rs")),
    (
        "src/connection/mod.rs",
        include_str!("../../kit-websocket/src/connection/mod.rs"),
    ),
    (
        "src/connection/shared.rs",
        include_str!("../../kit-websocket/src/connection/shared.rs"),
    ),
    (
        "src/decoder.rs",
        include_str!("../../kit-websocket/src/decoder.rs"),
    ),
    (
        "src/deflate.rs",
        include_str!("../../kit-websocket/src/deflate.rs"),
    ),
    (
        "src/encoder.rs",
        include_str!("../../kit-websocket/src/encoder.rs"),
    ),
    ("src/frame.rs", include_str!("../../kit-websocket/src/frame.rs")),
    (
        "src/handshake.rs",
        include_str!("../../kit-websocket/src/handshake.rs"),
    ),
    ("src/lib.rs", include_str!("../../kit-websocket/src/lib.rs")),
    (
        "src/session.rs",
        include_str!("../../kit-websocket/src/session.rs"),
    ),
    (
        "src/subprotocol.rs",
        include_str!("../../kit-websocket/src/subprotocol.rs"),
    ),
];

/// Sources of `kit-static`, which are in a subdirectory of `kit-runtime`.
const STATIC: [(&str, &str); 18] = [
    ("Cargo.toml", include_str!("static.toml")),
    ("src/accept.rs", include_str!("../../kit-static/src/accept.rs")),
    ("src/answer.rs", include_str!("../../kit-static/src/answer.rs")),
    (
        "src/download.rs",
        include_str!("../../kit-static/src/download.rs"),
    ),
    ("src/find.rs", include_str!("../../kit-static/src/find.rs")),
    (
        "src/http_date.rs",
        include_str!("../../kit-static/src/http_date.rs"),
    ),
    ("src/lib.rs", include_str!("../../kit-static/src/lib.rs")),
    (
        "src/media-types.txt",
        include_str!("../../kit-static/src/media-types.txt"),
    ),
    (
        "src/media_types.rs",
        include_str!("../../kit-static/src/media_types.rs"),
    ),
    ("src/open.rs", include_str!("../../kit-static/src/open.rs")),
    ("src/path.rs", include_str!("../../kit-static/src/path.rs")),
    (
        "src/preconditions.rs",
        include_str!("../../kit-static/src/preconditions.rs"),
    ),
    ("src/range.rs", include_str!("../../kit-static/src/range.rs")),
    ("src/reader.rs", include_str!("../../kit-static/src/reader.rs")),
    ("src/request.rs", include_str!("../../kit-static/src/request.rs")),
    (
        "src/selection.rs",
        include_str!("../../kit-static/src/selection.rs"),
    ),
    ("src/site.rs", include_str!("../../kit-static/src/site.rs")),
    (
        "src/validators.rs",
        include_str!("../../kit-static/src/validators.rs"),
    ),
];

/// Sources of `kit-http2`, which are in a subdirectory of `kit-runtime`.
const HTTP2: [(&str, &str); 10] = [
    ("Cargo.toml", include_str!("http2.toml")),
    ("README.md", include_str!("../../kit-http2/README.md")),
    ("src/bucket.rs", include_str!("../../kit-http2/src/bucket.rs")),
    ("src/end.rs", include_str!("../../kit-http2/src/end.rs")),
    ("src/frames.rs", include_str!("../../kit-http2/src/frames.rs")),
    ("src/lib.rs", include_str!("../../kit-http2/src/lib.rs")),
    ("src/meter.rs", include_str!("../../kit-http2/src/meter.rs")),
    ("src/request.rs", include_str!("../../kit-http2/src/request.rs")),
    ("src/timeouts.rs", include_str!("../../kit-http2/src/timeouts.rs")),
    ("src/windows.rs", include_str!("../../kit-http2/src/windows.rs")),
];

/// Sources of `kit-tls`, which are in a subdirectory of `kit-runtime`.
const TLS: [(&str, &str); 11] = [
    ("Cargo.toml", include_str!("tls.toml")),
    ("README.md", include_str!("../../kit-tls/README.md")),
    (
        "src/authorities.rs",
        include_str!("../../kit-tls/src/authorities.rs"),
    ),
    (
        "src/certificate.rs",
        include_str!("../../kit-tls/src/certificate.rs"),
    ),
    (
        "src/certificates.rs",
        include_str!("../../kit-tls/src/certificates.rs"),
    ),
    ("src/der.rs", include_str!("../../kit-tls/src/der.rs")),
    ("src/error.rs", include_str!("../../kit-tls/src/error.rs")),
    ("src/files.rs", include_str!("../../kit-tls/src/files.rs")),
    ("src/lib.rs", include_str!("../../kit-tls/src/lib.rs")),
    ("src/name.rs", include_str!("../../kit-tls/src/name.rs")),
    ("src/options.rs", include_str!("../../kit-tls/src/options.rs")),
];

const RUSTFMT: &str = "edition = \"2024\"\nmax_width = 110\n";

pub(crate) fn files(
    options: &Options,
    types: &Types<'_>,
    routes: &Routes<'_>,
    database: &Database<'_>,
    manifest: &Manifest,
) -> Vec<File> {
    let program = types.program;
    let mut files = vec![
        File::project("Cargo.toml", manifest.text.clone()),
        File::user("src/app.rs", &app(types, database)),
        File::user("src/main.rs", &main(&manifest.library, program, database)),
        File::project(
            "src/lib.rs",
            format!(
                "{HEADER}{}",
                print::file(&lib(&options.output_dir, program, routes, database))
            ),
        ),
        File::user(
            "src/services/mod.rs",
            &file_doc("Code that handlers share: rules of the application, independent of HTTP."),
        ),
        // These files are not Rust code, so they do not get the header of generated files.
        File {
            path: "runtime/Cargo.toml".to_owned(),
            text: RUNTIME_MANIFEST.to_owned(),
            owner: Owner::Output,
        },
        File {
            path: "runtime/rustfmt.toml".to_owned(),
            text: RUSTFMT.to_owned(),
            owner: Owner::Output,
        },
    ];
    if manifest.is_new && !database.is_empty() {
        files.push(File {
            path: "Cargo.lock".to_owned(),
            text: FIRST_LOCK.to_owned(),
            owner: Owner::User,
        });
    }
    files.extend(environment(types).map(|code| File::output("environment.rs", &code)));
    let carried = |path: String, text: &str| File {
        path,
        text: text.to_owned(),
        owner: Owner::Output,
    };
    files.extend(
        RUNTIME
            .iter()
            .map(|(path, text)| carried(format!("runtime/src/{path}"), text)),
    );
    files.extend(
        GUARD
            .iter()
            .map(|(path, text)| carried(format!("runtime/guard/{path}"), text)),
    );
    files.extend(
        WEBSOCKET
            .iter()
            .map(|(path, text)| carried(format!("runtime/websocket/{path}"), text)),
    );
    files.extend(
        STATIC
            .iter()
            .map(|(path, text)| carried(format!("runtime/static/{path}"), text)),
    );
    files.extend(
        HTTP2
            .iter()
            .map(|(path, text)| carried(format!("runtime/http2/{path}"), text)),
    );
    files.extend(
        TLS.iter()
            .map(|(path, text)| carried(format!("runtime/tls/{path}"), text)),
    );
    files
}

/// Returns the expression that creates the first version of the user's state.
pub(crate) fn new_app(program: &Program, database: &Database<'_>) -> TokenStream {
    if !database.is_empty() {
        quote!(App::connect().await?)
    } else if program.application.environment.is_some() {
        quote!(App::new()?)
    } else {
        quote!(App::new())
    }
}

fn main(library: &str, program: &Program, database: &Database<'_>) -> TokenStream {
    let app = new_app(program, database);
    let comment = file_doc(
        "The program. The variables `PORT`, `HOST` and `DATABASE_URL` set its address and its database.\n\n\
         This file is yours: kit wrote it once and does not change it.",
    );
    let library = ident(library);
    quote! {
        #comment

        use std::process::ExitCode;

        use #library::app::App;
        use #library::router::router;

        fn main() -> ExitCode {
            kit_runtime::run(async {
                let app = #app;
                kit_runtime::serve(router(app)).await
            })
        }
    }
}

fn lib(output: &str, program: &Program, routes: &Routes<'_>, database: &Database<'_>) -> TokenStream {
    let mut modules = Vec::new();
    if !database.is_empty() {
        modules.push(("db", "db/mod.rs"));
    }
    if program.application.environment.is_some() {
        modules.push(("environment", "environment.rs"));
    }
    modules.push(("error", "error.rs"));
    if !program.declarations.is_empty() {
        modules.push(("models", "models/mod.rs"));
    }
    modules.push(("router", "router.rs"));
    let modules = modules.into_iter().map(|(name, path)| {
        let (name, path) = (ident(name), format!("../{output}/{path}"));
        quote!(#[path = #path] pub mod #name;)
    });
    let inline = |name: &str, comment: &str, mut modules: Vec<&str>| {
        modules.sort_by_key(|module| order(module));
        modules.dedup();
        let (parent, comment) = (ident(name), doc(comment));
        let declared = modules
            .iter()
            .map(|module| source::declare_module(&quote!(pub), name, module));
        (!modules.is_empty()).then(|| quote!(#comment pub mod #parent { #(#declared)* }))
    };
    let handlers = inline(
        "handlers",
        "Handlers of the routes, a module for each contract group.",
        routes.groups.iter().map(|group| group.module.as_str()).collect(),
    );
    let middleware = inline(
        "middleware",
        "Middleware that runs before handlers.",
        routes
            .middleware
            .iter()
            .map(|middleware| middleware.module.as_str())
            .collect(),
    );
    let comment = file_doc(
        "The server: code that kit generates from the types, and handlers, middleware and services.",
    );
    quote! {
        #comment
        pub mod app;
        #(#modules)*
        pub mod services;
        #handlers
        #middleware
    }
}

/// Returns the first content of the file with the user's state.
fn app(types: &Types<'_>, database: &Database<'_>) -> TokenStream {
    let comment =
        file_doc("State that handlers share. This file is yours: kit wrote it once and does not change it.");
    let variables = types.program.application.environment.as_ref();
    let env = variables.map(|variables| ident(types.name_in(variables.declaration, Form::Request)));
    let has_database = !database.is_empty();
    let imports = match (&env, has_database) {
        (Some(env), true) => quote! {
            use std::sync::Arc;
            use kit_runtime::{Application, Error};
            use sqlx::PgPool;
            use crate::models::#env;
            use crate::{db, environment};
        },
        (Some(env), false) => quote! {
            use std::sync::Arc;
            use kit_runtime::{Application, Error};
            use crate::environment;
            use crate::models::#env;
        },
        (None, true) => quote! {
            use kit_runtime::{Application, Error};
            use sqlx::PgPool;
            use crate::db;
        },
        (None, false) => quote!(
            use kit_runtime::{Application, Error};
        ),
    };
    let mut fields = TokenStream::new();
    let mut values = TokenStream::new();
    if let Some(env) = &env {
        fields.extend(quote! {
            /// Environment variables.
            pub env: Arc<#env>,
        });
        values.extend(quote!(env: environment::read()?,));
    }
    if has_database {
        fields.extend(quote! {
            /// Connections to the database.
            pub pool: PgPool,
        });
        values.extend(quote!(pool: db::connect().await?,));
    }
    let (derives, new) = match (&env, has_database) {
        (None, false) => (
            quote!(#[derive(Debug, Clone, Default)]),
            quote! {
                /// Creates the state.
                #[must_use]
                pub fn new() -> Self {
                    Self {}
                }
            },
        ),
        (Some(_), false) => (
            quote!(#[derive(Debug, Clone)]),
            quote! {
                /// Reads the environment variables, and creates the state.
                ///
                /// # Errors
                ///
                /// If a variable is missing or wrong.
                pub fn new() -> Result<Self, Error> {
                    Ok(Self { #values })
                }
            },
        ),
        (env, true) => {
            let doc = doc(match env {
                Some(_) => {
                    "Reads the environment variables, and connects to the database that `DATABASE_URL` names.\n\n\
                     # Errors\n\nIf a variable is missing or wrong, or if the database does not respond."
                }
                None => {
                    "Connects to the database that the variable `DATABASE_URL` names.\n\n\
                     # Errors\n\nIf the variable is wrong, or if the database does not respond."
                }
            });
            (
                quote!(#[derive(Debug, Clone)]),
                quote! {
                    #doc
                    pub async fn connect() -> Result<Self, Error> {
                        Ok(Self { #values })
                    }
                },
            )
        }
    };
    let check = has_database.then(|| quote!(sqlx::query("SELECT 1").execute(&self.pool).await?;));
    quote! {
        #comment

        #imports

        /// State of the application: connections, clients and settings that handlers use. Clones share it.
        #derives
        pub struct App { #fields }

        impl App {
            #new
        }

        impl Application for App {
            /// Returns an error if the application cannot serve requests now. The response of `GET /readyz` is 503 then.
            async fn ready(&self) -> Result<(), Error> {
                #check
                Ok(())
            }
        }
    }
}

/// Returns the module that reads the environment variables. Returns `None` if the application does not call `env`.
fn environment(types: &Types<'_>) -> Option<TokenStream> {
    let program = types.program;
    let variables = program.application.environment.as_ref()?;
    let name = ident(types.name_in(variables.declaration, Form::Request));
    let span = program.declarations[variables.declaration].span;
    let source = string_literal(&format!("{}:{}", program.path(span), span.line));
    let comment = file_doc("Environment variables of the application.");
    let check = cors::check(types);
    Some(quote! {
        #comment

        use std::sync::Arc;

        use kit_runtime::Error;

        use crate::models::#name;

        /// Reads the environment variables.
        ///
        /// # Errors
        ///
        /// If a variable is missing or wrong. The error names each of them.
        pub fn read() -> Result<Arc<#name>, Error> {
            let env: #name = kit_runtime::environment(#source)?;
            #check
            Ok(Arc::new(env))
        }
    })
}
