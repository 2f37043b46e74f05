//! Generates the call that sets the rules against requests of other sites, from the option `csrf` of `createApp`.

use kit_guard::is_origin;
use kit_ir::Program;
use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use crate::Problem;
use crate::cors::{self, is_header_name};
use crate::literal_option::Named;
use crate::source::string_literal;
use crate::types::Types;

fn option(program: &Program) -> Option<Named<'_>> {
    let option = program.application.csrf.as_ref()?;
    Some(Named { name: "csrf", option })
}

/// Returns true if the application has the option `csrf`, with a value that the compiler could read.
pub(crate) fn is_on(program: &Program) -> bool {
    option(program).is_some_and(|option| option.members().is_some())
}

/// Returns the call `.csrf(…)` for the generated routes. Returns `None` if the application does not have the
/// option `csrf`. The origins that the option `cors` lists are allowed too.
pub(crate) fn call(types: &Types<'_>) -> Option<TokenStream> {
    let members = option(types.program)?.members()?;
    let csrf = types.of_runtime("Csrf");
    let own = members.get("origins").and_then(Value::as_array);
    let own = own.into_iter().flatten().filter_map(Value::as_str);
    let listed = cors::rules(types.program).and_then(|rules| rules.origins.as_deref());
    let listed = listed.into_iter().flatten().map(String::as_str);
    let origins: Vec<_> = own.chain(listed).map(string_literal).collect();
    let origins = match cors::variable(types) {
        Some(variable) => Some(quote!(.origins(kit_runtime::origins_of(&[#(#origins),*], #variable)))),
        None => (!origins.is_empty()).then(|| quote!(.origins(&[#(#origins),*]))),
    };
    let token = members.get("token").map(|token| {
        let cookie = string_literal(token["cookie"].as_str().unwrap_or_default());
        let header = string_literal(&token["header"].as_str().unwrap_or_default().to_lowercase());
        quote!(.token(#cookie, #header))
    });
    Some(quote!(.csrf(#csrf::new() #origins #token)))
}

/// Returns the mistakes in the option `csrf`. A server on Node reports the same mistakes when it starts.
pub(crate) fn problems(program: &Program) -> Vec<Problem> {
    let Some(option) = option(program) else {
        return Vec::new();
    };
    let mut found = option.problems(
        &["origins", "token"],
        "{ origins: [\"https://app.example.com\"] }",
    );
    let members = option.members().unwrap_or_default();
    if let Some(origins) = members.get("origins") {
        let help = "list origins such as \"https://app.example.com\" or \"https://*.example.com\"";
        match origins.as_array() {
            None => {
                let message = format!("`csrf.origins` is {origins}, which is not a list");
                found.push(option.problem(message, help));
            }
            Some(origins) => {
                for origin in origins
                    .iter()
                    .filter(|origin| !origin.as_str().is_some_and(is_origin))
                {
                    let message = format!("`csrf.origins` has {origin}, which is not an origin");
                    found.push(option.problem(message, help));
                }
            }
        }
    }
    if let Some(token) = members.get("token") {
        let help = "write `{ cookie: \"__Host-csrf\", header: \"x-csrf-token\" }`";
        let names = token
            .as_object()
            .map(|names| names.keys().map(String::as_str).collect());
        if names != Some(vec!["cookie", "header"]) && names != Some(vec!["header", "cookie"]) {
            let message =
                format!("`csrf.token` is {token}, which is not an object with `cookie` and `header`");
            found.push(option.problem(message, help));
            return found;
        }
        for name in ["cookie", "header"] {
            if !token[name].as_str().is_some_and(is_header_name) {
                let message = format!(
                    "`csrf.token.{name}` is {}, which is not the name of a {name}",
                    token[name]
                );
                found.push(option.problem(message, help));
            }
        }
    }
    found
}
