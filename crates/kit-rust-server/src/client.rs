//! Generates a Rust client of the API: a crate with a method for each route, and with the same models as the server.

mod calls;
mod choices;
mod content;
mod failures;
mod formats;
mod replies;
mod requests;

use kit_ir::{BodyFormat, ErrorFormat, ErrorPaths, Route};
use proc_macro2::TokenStream;
use quote::quote;

use calls::module;

use crate::manifest::plain_package;
use crate::router::{Group, Routes};
use crate::source::{declare_module, doc, file_doc, ident, order, string_literal};
use crate::types::Types;
use crate::{File, Options, Owner, Warning};

/// Directory of the crate in the output directory.
const DIRECTORY: &str = "rust-client";

/// Sources of `kit-client`, which every client contains.
const LIBRARY: [(&str, &str); 15] = [
    ("Cargo.toml", include_str!("client.toml")),
    ("src/answer.rs", include_str!("../../kit-client/src/answer.rs")),
    ("src/call.rs", include_str!("../../kit-client/src/call.rs")),
    (
        "src/download.rs",
        include_str!("../../kit-client/src/download.rs"),
    ),
    ("src/error.rs", include_str!("../../kit-client/src/error.rs")),
    (
        "src/event_stream.rs",
        include_str!("../../kit-client/src/event_stream.rs"),
    ),
    ("src/json.rs", include_str!("../../kit-client/src/json.rs")),
    ("src/lib.rs", include_str!("../../kit-client/src/lib.rs")),
    ("src/lines.rs", include_str!("../../kit-client/src/lines.rs")),
    (
        "src/outgoing.rs",
        include_str!("../../kit-client/src/outgoing.rs"),
    ),
    ("src/parts.rs", include_str!("../../kit-client/src/parts.rs")),
    ("src/path.rs", include_str!("../../kit-client/src/path.rs")),
    ("src/retry.rs", include_str!("../../kit-client/src/retry.rs")),
    ("src/socket.rs", include_str!("../../kit-client/src/socket.rs")),
    ("src/text.rs", include_str!("../../kit-client/src/text.rs")),
];

/// Returns warnings about routes that the client lacks.
pub(crate) fn warnings(routes: &Routes<'_>) -> Vec<Warning> {
    let all = routes.groups.iter().flat_map(|group| &group.routes);
    let lacking = all.filter(|handled| !has(handled.route));
    let warnings = lacking.map(|handled| Warning {
        message: format!(
            "the Rust client has no method for `{}`: its WebSockets have messages in JSON only",
            handled.route.reference()
        ),
        span: handled.route.span,
        help: "call the route with another client, such as the TypeScript client".to_owned(),
        handler: None,
    });
    warnings.collect()
}

/// Returns true if the client has a method for a route.
pub(super) fn has(route: &Route) -> bool {
    let is_json = |format: &BodyFormat| {
        matches!(
            format,
            BodyFormat::Socket {
                text: false,
                bytes: false
            }
        )
    };
    !route.is_socket() || (is_json(&route.body_format) && is_json(&route.response_format))
}

/// Returns the files of the client. `models` are the files of the server's models.
pub(crate) fn files(options: &Options, types: &Types<'_>, routes: &Routes<'_>, models: &[File]) -> Vec<File> {
    let groups: Vec<&Group<'_>> = routes
        .groups
        .iter()
        .filter(|group| group.routes.iter().any(|handled| has(handled.route)))
        .collect();
    let mut files = vec![
        text("Cargo.toml", manifest(&options.name, types)),
        File::output(
            format!("{DIRECTORY}/src/lib.rs"),
            &library(types, groups.iter().copied()),
        ),
        File::output(
            format!("{DIRECTORY}/src/routes/mod.rs"),
            &modules(groups.iter().copied()),
        ),
    ];
    for group in &groups {
        let path = format!(
            "{DIRECTORY}/src/routes/{}.rs",
            group.module.trim_start_matches("r#")
        );
        files.push(File::output(path, &module(types, group)));
    }
    files.extend(models.iter().map(|file| File {
        path: format!("{DIRECTORY}/src/{}", file.path),
        ..file.clone()
    }));
    files.extend(
        LIBRARY
            .iter()
            .map(|(path, source)| text(&format!("kit-client/{path}"), (*source).to_owned())),
    );
    files
}

fn text(path: &str, text: String) -> File {
    File {
        path: format!("{DIRECTORY}/{path}"),
        text,
        owner: Owner::Output,
    }
}

/// Returns the manifest of the crate.
fn manifest(name: &str, types: &Types<'_>) -> String {
    let mut name = plain_package(name);
    // `kit-client` is the library of the client.
    if name == "kit" {
        name.push_str("-app");
    }
    let features = types.features();
    let features = match features.as_slice() {
        [] => String::new(),
        features => format!(", features = [\"{}\"]", features.join("\", \"")),
    };
    let has_sockets = types
        .program
        .routes
        .iter()
        .any(|route| route.is_socket() && has(route));
    let sockets = if has_sockets {
        ", features = [\"sockets\"]"
    } else {
        ""
    };
    format!(
        "# Generated by @kit/plugin-rust-server. Do not edit.\n\n[package]\nname = \"{name}-client\"\nversion = \"0.1.0\"\n\
         edition = \"2024\"\nrust-version = \"1.85\"\npublish = false\n\n[dependencies]\nkit-client = {{ path = \"kit-client\"{sockets} }}\n\
         kit-runtime = {{ path = \"../runtime\", default-features = false{features} }}\nserde = {{ version = \"1\", features = [\"derive\"] }}\n"
    )
}

fn modules<'g>(groups: impl Iterator<Item = &'g Group<'g>>) -> TokenStream {
    let comment = file_doc("Calls of the routes, a module for each contract group.");
    let mut names: Vec<&str> = groups.map(|group| group.module.as_str()).collect();
    names.sort_by_key(|name| order(name));
    let names = names
        .into_iter()
        .map(|name| declare_module(&quote!(pub), "routes", name));
    quote!(#comment #(#names)*)
}

/// Returns the root of the crate: the client, with a method for each contract group.
fn library<'g>(types: &Types<'_>, groups: impl Iterator<Item = &'g Group<'g>>) -> TokenStream {
    let comment = file_doc(
        "Client of the API. `Client` has a method for each contract group, and each group has a method for each route.",
    );
    let places = places(types);
    let methods = groups.map(|group| {
        let (module, name) = (ident(&group.module), ident(&group.name));
        let comment = doc(&format!("Returns the calls of `{}`.", group.name));
        quote! {
            #comment
            pub fn #module(&self) -> routes::#module::#name<'_> {
                routes::#module::#name::new(&self.client)
            }
        }
    });
    quote! {
        #comment

        pub mod models;
        pub mod routes;

        pub use kit_client::{self, Error, Refusal, Undeclared};
        pub use kit_runtime;

        /// Client of the API. Clones share the connections.
        #[derive(Debug, Clone)]
        pub struct Client {
            client: kit_client::Client,
        }

        impl Client {
            /// Creates a client for the server at a URL, such as `https://api.example.com`.
            ///
            /// # Errors
            ///
            /// If the URL is invalid, or if TLS cannot be set up.
            pub fn new(base: &str) -> Result<Self, Error> {
                let client = kit_client::Client::new(base, #places)?;
                Ok(Self { client })
            }

            /// Changes the settings of all calls, such as headers and the timeout.
            ///
            /// # Errors
            ///
            /// The error of the function.
            pub fn configure(
                self,
                change: impl FnOnce(kit_client::Client) -> Result<kit_client::Client, Error>
            ) -> Result<Self, Error> {
                let client = change(self.client)?;
                Ok(Self { client })
            }

            #(#methods)*
        }
    }
}

/// Returns the places of values in error bodies.
fn places(types: &Types<'_>) -> TokenStream {
    let rules = types.program.application.error_rules();
    let declared = match &rules.format {
        ErrorFormat::Envelope => return quote!(kit_client::ErrorPlaces::ENVELOPE),
        ErrorFormat::ProblemDetails => return quote!(kit_client::ErrorPlaces::PROBLEM_DETAILS),
        ErrorFormat::Declared(declared) => declared,
    };
    let place = |names: &[String]| {
        let names = names.iter().map(|name| string_literal(name));
        quote!(&[#(#names),*])
    };
    let ErrorPaths {
        code,
        message,
        details,
        trace_id,
        ..
    } = &declared.paths;
    let (code, message, details, trace_id) = (place(code), place(message), place(details), place(trace_id));
    quote!(kit_client::ErrorPlaces {
        code: #code,
        message: #message,
        details: #details,
        trace_id: #trace_id,
    })
}
