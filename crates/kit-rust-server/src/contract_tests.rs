//! Generates the contract tests of the server: the tables of requests, the types that they name, and the first version of
//! `tests/contract.rs`, which belongs to the user.

use kit_emit::{TestValues, contract_document};
use kit_ir::Program;
use proc_macro2::TokenStream;
use quote::quote;

use crate::database::Database;
use crate::source::{file_doc, ident};
use crate::types::{Form, Types};
use crate::{File, Owner, project};

/// Path of the user's test program, relative to the project's root.
const PROGRAM: &str = "tests/contract.rs";

/// Returns the files of the contract tests. `values` are the values of the configuration for requests, and `library` is the name of the
/// project's library crate.
pub(crate) fn files(
    output: &str,
    values: &TestValues,
    types: &Types<'_>,
    database: &Database<'_>,
    library: &str,
) -> Vec<File> {
    let program = types.program;
    let document = contract_document(program, values);
    let library = ident(library);
    let shapes = document.types.iter().map(|id| {
        let model = ident(types.name_in(*id, Form::Complete));
        quote!(NamedShape::of::<#library::models::#model>())
    });
    let requests = document.request_types.iter().map(|id| {
        let model = ident(types.name_in(*id, Form::Request));
        quote!(NamedShape::of::<#library::models::#model>())
    });
    let needs_database = (!database.is_empty()).then(|| quote!(.needs_database()));
    let comment = file_doc(
        "Contract tests: the requests of `contract-tests.json`, and the types of responses and requests that they name.",
    );
    let code = quote! {
        #comment

        use kit_runtime::testing::{ContractTests, NamedShape};

        const SHAPES: &[NamedShape] = &[#(#shapes),*];

        const REQUESTS: &[NamedShape] = &[#(#requests),*];

        /// Returns the tests of all contracts.
        pub fn contract_tests() -> ContractTests {
            let tables = include_str!("contract-tests.json");
            ContractTests::new(tables, SHAPES, env!("CARGO_MANIFEST_DIR")).requests(REQUESTS) #needs_database
        }
    };
    vec![
        File {
            path: "contract-tests.json".to_owned(),
            text: document.json,
            owner: Owner::Output,
        },
        File::output("contract_tests.rs", &code),
        File::user(PROGRAM, &test_program(output, program, database, &library)),
    ]
}

/// Returns the first version of the user's test program.
fn test_program(
    output: &str,
    program: &Program,
    database: &Database<'_>,
    library: &proc_macro2::Ident,
) -> TokenStream {
    let comment = file_doc(
        "Contract tests: requests that the contracts accept, and requests that they refuse. `cargo test` runs them.\n\n\
         This file is yours: kit wrote it once and does not change it. Requests that need existing rows or a caller get\n\
         them with `fixture` and `header` of the setup.",
    );
    let path = format!("../{output}/contract_tests.rs");
    let app = project::new_app(program, database);
    let mut imports = [
        (
            "kit_runtime".to_owned(),
            quote!(
                use kit_runtime::testing::TestSetup;
            ),
        ),
        (
            library.to_string(),
            quote! {
                use #library::app::App;
                use #library::router::router;
            },
        ),
    ];
    // rustfmt sorts imports by name.
    imports.sort_by(|(first, _), (second, _)| first.cmp(second));
    let imports = imports.map(|(_, import)| import);
    quote! {
        #comment

        #[path = #path]
        mod generated;

        use std::process::ExitCode;

        #(#imports)*

        fn main() -> ExitCode {
            generated::contract_tests().run(async || {
                let app = #app;
                Ok(TestSetup::new(router(app)))
            })
        }
    }
}
