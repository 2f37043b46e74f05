//! Generates the call that turns entity tags on, from the option `etag` of `createApp`.

use kit_ir::Program;
use proc_macro2::TokenStream;
use quote::quote;

use crate::Problem;
use crate::literal_option::Named;
use crate::types::Types;

fn option(program: &Program) -> Option<Named<'_>> {
    let option = program.application.etag.as_ref()?;
    Some(Named { name: "etag", option })
}

/// Returns true if the application has the option `etag`, with a value that the compiler could read.
pub(crate) fn is_on(program: &Program) -> bool {
    option(program).is_some_and(|option| option.members().is_some())
}

/// Returns the call `.etag(…)` for the generated routes. Returns `None` if the application does not have the
/// option `etag`.
pub(crate) fn call(types: &Types<'_>) -> Option<TokenStream> {
    let members = option(types.program)?.members()?;
    let etag = types.of_runtime("Etag");
    let own = members.get("generate").is_some_and(|generate| generate == false);
    let own = own.then(|| quote!(.own_tags_only()));
    Some(quote!(.etag(#etag::new() #own)))
}

/// Returns the mistakes in the option `etag`. A server on Node reports the same mistakes when it starts.
pub(crate) fn problems(program: &Program) -> Vec<Problem> {
    let Some(option) = option(program) else {
        return Vec::new();
    };
    let mut found = option.problems(&["generate"], "{ generate: false }");
    let members = option.members().unwrap_or_default();
    if let Some(generate) = members.get("generate").filter(|generate| !generate.is_boolean()) {
        found.push(option.problem(
            format!("`etag.generate` is {generate}, which is not a boolean"),
            "write `true` or `false`",
        ));
    }
    found
}
