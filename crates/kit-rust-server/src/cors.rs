//! Generates the call that sets the rules of CORS, from the option `cors` of `createApp`.

use kit_guard::is_origin;
use kit_ir::{CorsRules, Program, Property, TypeKind};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::Problem;
use crate::literal_option::unknown_value;
use crate::names::field;
use crate::source::{ident, string_literal};
use crate::types::Types;

/// Returns true if the application has the option `cors`, with a value that the compiler could read.
pub(crate) fn is_on(types: &Types<'_>) -> bool {
    rules(types.program).is_some()
}

pub(crate) fn rules(program: &Program) -> Option<&CorsRules> {
    program.application.cors.as_ref()?.rules.as_ref()
}

/// Returns the expression for the origins that an environment variable has: `&env.web_origins`. Returns `None` if no variable
/// has the origins.
pub(crate) fn variable(types: &Types<'_>) -> Option<TokenStream> {
    let name = rules(types.program)?.origins_variable.as_ref()?;
    let field = ident(&field(name));
    Some(quote!(&env.#field))
}

/// Returns the statement that defines `env` for the expression of [`variable`].
pub(crate) fn environment(types: &Types<'_>) -> Option<TokenStream> {
    variable(types)?;
    Some(quote!(let env = std::sync::Arc::clone(&app.env);))
}

/// Returns the statement that refuses wrong origins in the environment variable when the server starts.
pub(crate) fn check(types: &Types<'_>) -> Option<TokenStream> {
    let name = rules(types.program)?.origins_variable.as_ref()?;
    let (text, origins) = (string_literal(name), variable(types)?);
    Some(quote!(kit_runtime::check_origins(#text, #origins)?;))
}

/// Returns the call `.cors(…)` for the generated routes. Returns `None` if the application does not have the
/// option `cors`.
pub(crate) fn call(types: &Types<'_>) -> Option<TokenStream> {
    let rules = rules(types.program)?;
    let cors = types.of_runtime("Cors");
    let new = match &rules.origins {
        None => quote!(#cors::any_origin()),
        Some(_) if rules.origins_variable.is_some() => {
            let variable = variable(types)?;
            quote!(#cors::origins(kit_runtime::origins_of(&[], #variable)))
        }
        Some(origins) => {
            let origins = origins.iter().map(|origin| string_literal(origin));
            quote!(#cors::origins(&[#(#origins),*]))
        }
    };
    let credentials = rules.credentials.then(|| quote!(.credentials()));
    let allowed = rules.allowed_headers.as_ref().map(|names| {
        let names = string_literal(&names.join(", ").to_lowercase());
        quote!(.allowed_headers(#names))
    });
    let exposed = (!rules.exposed_headers.is_empty()).then(|| {
        let names = string_literal(&rules.exposed_headers.join(", ").to_lowercase());
        quote!(.exposed_headers(#names))
    });
    let seconds = rules.max_age_seconds.map(|seconds| {
        let seconds = Literal::u32_unsuffixed(seconds);
        quote!(.max_age_seconds(#seconds))
    });
    Some(quote!(.cors(#new #credentials #allowed #exposed #seconds)))
}

/// Returns the mistakes in the option `cors`. A server on Node reports the same mistakes when it starts.
pub(crate) fn problems(program: &Program) -> Vec<Problem> {
    let Some(cors) = &program.application.cors else {
        return Vec::new();
    };
    let problem = |message: String, help: &str| Problem {
        message,
        span: cors.span,
        help: help.to_owned(),
    };
    let Some(rules) = &cors.rules else {
        return vec![problem(
            unknown_value("cors"),
            "write the value as an object of literals, such as `{ origins: [\"https://app.example.com\"] }`; only `origins` may \
             be a variable of `await env<AppEnv>()`",
        )];
    };
    let mut found = Vec::new();
    if let Some(name) = rules
        .origins_variable
        .as_deref()
        .filter(|name| !is_list(program, name))
    {
        found.push(problem(
            format!("`cors.origins` is the environment variable `{name}`, which is not a list of texts"),
            &format!("declare the variable as a list: `{name}: string[];`"),
        ));
    }
    let origins = rules
        .origins
        .as_deref()
        .filter(|_| rules.origins_variable.is_none());
    if rules.origins.is_none() && rules.credentials {
        found.push(problem(
            "`cors.credentials` cannot be combined with `cors.origins: \"*\"`, because every web page could then act \
             as the user"
                .to_owned(),
            "list the origins",
        ));
    }
    if origins.is_some_and(<[String]>::is_empty) {
        found.push(problem(
            "`cors.origins` is empty".to_owned(),
            "list the origins, or remove `cors`",
        ));
    }
    for origin in origins.unwrap_or_default() {
        if !is_origin(origin) {
            found.push(problem(
                format!("`cors.origins` has \"{origin}\", which is not an origin"),
                "write a scheme, a host in lower case and a port if it is not the default, such as \
                 \"https://app.example.com\", \"https://*.example.com\" or \"http://localhost:5173\"",
            ));
        }
    }
    for name in rules
        .allowed_headers
        .iter()
        .flatten()
        .chain(&rules.exposed_headers)
    {
        if !is_header_name(name) {
            found.push(problem(
                format!("`cors` has \"{name}\" in a list of headers, which is not a header name"),
                "write names such as \"x-tenant\"",
            ));
        }
    }
    found
}

/// Returns true if a variable of `env` is a list of strings that is never absent.
fn is_list(program: &Program, name: &str) -> bool {
    let variables = program.application.environment.as_ref();
    let variable = variables.and_then(|variables| {
        let r#type = program.declarations[variables.declaration].r#type;
        program
            .properties(r#type)
            .iter()
            .find(|variable| variable.name == name)
    });
    let is_present = |variable: &&Property| !variable.optional || variable.tags.default.is_some();
    variable
        .filter(is_present)
        .is_some_and(|variable| match program.types[variable.r#type].kind {
            TypeKind::Array { element } => matches!(program.types[element].kind, TypeKind::String),
            _ => false,
        })
}

pub(crate) fn is_header_name(name: &str) -> bool {
    let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_name_byte)
}
