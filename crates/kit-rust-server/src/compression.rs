//! Generates the call that sets the rules of compression, from the option `compression` of `createApp`.

use kit_ir::Program;
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Value;

use crate::Problem;
use crate::literal_option::Named;
use crate::types::Types;

fn option(program: &Program) -> Option<Named<'_>> {
    let option = program.application.compression.as_ref()?;
    Some(Named {
        name: "compression",
        option,
    })
}

/// Returns true if the application has the option `compression`, with a value that the compiler could read.
pub(crate) fn is_on(program: &Program) -> bool {
    option(program).is_some_and(|option| option.members().is_some())
}

/// Returns true if the option `compression` lists codings such as `gzip`, so that the generated code must
/// import the type `Coding`.
pub(crate) fn names_codings(program: &Program) -> bool {
    let members = option(program).and_then(|option| option.members());
    members.is_some_and(|members| members.contains_key("encodings"))
}

/// Returns the call `.compression(…)` for the generated routes. Returns `None` if the application does not
/// have the option `compression`.
pub(crate) fn call(types: &Types<'_>) -> Option<TokenStream> {
    let members = option(types.program)?.members()?;
    let compression = types.of_runtime("Compression");
    let encodings = members.get("encodings").and_then(Value::as_array).map(|names| {
        let coding = types.of_runtime("Coding");
        let codings = names.iter().map(|name| {
            if name == "br" {
                quote!(#coding::Brotli)
            } else {
                quote!(#coding::Gzip)
            }
        });
        quote!(.encodings(&[#(#codings),*]))
    });
    let min_bytes = members.get("minBytes").and_then(Value::as_u64).map(|bytes| {
        let bytes = Literal::u64_unsuffixed(bytes);
        quote!(.min_bytes(#bytes))
    });
    Some(quote!(.compression(#compression::new() #encodings #min_bytes)))
}

/// Returns the mistakes in the option `compression`. A server on Node reports the same mistakes when it
/// starts.
pub(crate) fn problems(program: &Program) -> Vec<Problem> {
    let Some(option) = option(program) else {
        return Vec::new();
    };
    let mut found = option.problems(&["encodings", "minBytes"], "{ minBytes: 2048 }");
    let members = option.members().unwrap_or_default();
    if let Some(encodings) = members.get("encodings") {
        let help = "list \"br\" and \"gzip\", or one of them";
        let names = encodings.as_array().filter(|names| !names.is_empty());
        match names {
            None => found.push(option.problem(
                format!("`compression.encodings` is {encodings}, which is not a list of codings"),
                help,
            )),
            Some(names) => {
                for (index, name) in names.iter().enumerate() {
                    if !matches!(name.as_str(), Some("br" | "gzip")) {
                        let message = format!(
                            "`compression.encodings` has {name}, which is not a coding that kit can use"
                        );
                        found.push(option.problem(message, help));
                    } else if names.iter().position(|other| other == name) != Some(index) {
                        let message = format!("`compression.encodings` has {name} twice");
                        found.push(option.problem(message, help));
                    }
                }
            }
        }
    }
    if let Some(bytes) = members.get("minBytes").filter(|bytes| bytes.as_u64().is_none()) {
        found.push(option.problem(
            format!("`compression.minBytes` is {bytes}, which is not a number of bytes"),
            "write a whole number, such as 1024",
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use kit_ir::{Application, LiteralOption, Program, SourceId, Span};
    use serde_json::{Value, json};

    use super::{is_on, problems};

    fn program(value: Option<Value>) -> Program {
        let span = Span {
            source: SourceId(0),
            start: 0,
            end: 0,
            line: 1,
            column: 1,
        };
        Program {
            application: Application {
                compression: Some(LiteralOption { value, span }),
                ..Application::default()
            },
            ..Program::default()
        }
    }

    #[track_caller]
    fn assert_messages(value: Option<Value>, expected: &[&str]) {
        let found: Vec<String> = problems(&program(value))
            .into_iter()
            .map(|problem| problem.message)
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn reports_each_mistake_of_the_option() {
        assert_messages(Some(json!(true)), &[]);
        assert_messages(Some(json!({ "encodings": ["gzip", "br"], "minBytes": 0 })), &[]);
        assert_messages(
            None,
            &[
                "the Rust server needs the value of `compression` at build time, but the value is known only when the application runs",
            ],
        );
        assert_messages(
            Some(json!("on")),
            &["`compression` is \"on\", which is not a value of this option"],
        );
        assert_messages(
            Some(json!({ "minbytes": 1 })),
            &["there is no option `compression.minbytes`"],
        );
        assert_messages(
            Some(json!({ "encodings": ["zstd", "br", "br"], "minBytes": -1 })),
            &[
                "`compression.encodings` has \"zstd\", which is not a coding that kit can use",
                "`compression.encodings` has \"br\" twice",
                "`compression.minBytes` is -1, which is not a number of bytes",
            ],
        );
        assert_messages(
            Some(json!({ "encodings": [] })),
            &["`compression.encodings` is [], which is not a list of codings"],
        );
    }

    #[test]
    fn compression_is_off_if_the_value_is_known_only_at_run_time() {
        assert!(is_on(&program(Some(json!({})))));
        assert!(!is_on(&program(None)) && !is_on(&Program::default()));
    }
}
