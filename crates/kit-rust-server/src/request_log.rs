//! Generates the call that turns the request log on, from the option `requestLog` of `createApp`.

use kit_ir::Program;
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Value;

use crate::Problem;
use crate::literal_option::Named;
use crate::source::string_literal;
use crate::types::Types;

fn option(program: &Program) -> Option<Named<'_>> {
    let option = program.application.request_log.as_ref()?;
    Some(Named {
        name: "requestLog",
        option,
    })
}

/// Returns true if the application has the option `requestLog`, with a value that the compiler could read.
pub(crate) fn is_on(program: &Program) -> bool {
    option(program).is_some_and(|option| option.members().is_some())
}

/// Returns the call `.request_log(…)` for the generated routes. Returns `None` if the application does not
/// have the option `requestLog`.
pub(crate) fn call(types: &Types<'_>) -> Option<TokenStream> {
    let members = option(types.program)?.members()?;
    let log = types.of_runtime("RequestLog");
    let paths = members.get("skipPaths").and_then(Value::as_array).map(|paths| {
        let paths = paths.iter().filter_map(Value::as_str).map(string_literal);
        quote!(.skip_paths(&[#(#paths),*]))
    });
    let rate = members.get("sampleRate").and_then(Value::as_f64).map(|rate| {
        let rate = Literal::f64_unsuffixed(rate);
        quote!(.sample_rate(#rate))
    });
    let agent = members.get("userAgent").is_some_and(|agent| agent == true);
    let agent = agent.then(|| quote!(.user_agent()));
    Some(quote!(.request_log(#log::new() #paths #rate #agent)))
}

/// Returns the mistakes in the option `requestLog`. A server on Node reports the same mistakes when it
/// starts.
pub(crate) fn problems(program: &Program) -> Vec<Problem> {
    let Some(option) = option(program) else {
        return Vec::new();
    };
    let known = ["sampleRate", "skipPaths", "userAgent"];
    let mut found = option.problems(&known, "{ skipPaths: [\"/ping\"] }");
    let members = option.members().unwrap_or_default();
    if let Some(paths) = members.get("skipPaths") {
        let is_path = |path: &Value| {
            path.as_str()
                .is_some_and(|path| path.starts_with('/') && !path.contains(['?', '#']))
        };
        if !paths.as_array().is_some_and(|paths| paths.iter().all(is_path)) {
            found.push(option.problem(
                format!("`requestLog.skipPaths` is {paths}, which is not a list of paths"),
                "write paths that start with a slash and have no query",
            ));
        }
    }
    let is_rate = |rate: &Value| rate.as_f64().is_some_and(|rate| (0.0..=1.0).contains(&rate));
    if let Some(rate) = members.get("sampleRate").filter(|rate| !is_rate(rate)) {
        found.push(option.problem(
            format!("`requestLog.sampleRate` is {rate}, which is not a number from 0 to 1"),
            "write a number such as 0.1",
        ));
    }
    if let Some(agent) = members.get("userAgent").filter(|agent| !agent.is_boolean()) {
        found.push(option.problem(
            format!("`requestLog.userAgent` is {agent}, which is not a boolean"),
            "write `true` or `false`",
        ));
    }
    found
}
