//! Options of `createApp` that apply to every request and response, such as `cors` and `compression`: the calls for the
//! routes, and what these calls need.

use kit_ir::Program;
use proc_macro2::TokenStream;
use quote::quote;

use crate::types::Types;
use crate::{Problem, compression, cors, csrf, etag, request_log, security_headers, static_files};

/// Returns the items of `kit_runtime` that the calls of [`calls`] use.
pub(crate) fn names(types: &Types<'_>) -> Vec<&'static str> {
    let program = types.program;
    let used = [
        ("Coding", compression::names_codings(program)),
        ("Compression", compression::is_on(program)),
        ("Cors", cors::is_on(types)),
        ("Csrf", csrf::is_on(program)),
        ("Etag", etag::is_on(program)),
        ("RequestLog", request_log::is_on(program)),
        ("Site", static_files::is_on(program)),
    ];
    let used = used.into_iter().filter(|(_, is_used)| *is_used);
    used.map(|(name, _)| name).collect()
}

/// Returns the method calls on the generated routes for all options about headers and responses, such as
/// `.cors(…)`.
pub(crate) fn calls(types: &Types<'_>) -> TokenStream {
    let cors = cors::call(types);
    let security_headers = security_headers::call(types);
    let compression = compression::call(types);
    let etag = etag::call(types);
    let csrf = csrf::call(types);
    let request_log = request_log::call(types);
    let static_files = static_files::calls(types);
    quote!(#cors #security_headers #compression #etag #csrf #request_log #static_files)
}

/// Returns the mistakes in all options about headers and responses.
pub(crate) fn problems(program: &Program) -> Vec<Problem> {
    [
        compression::problems(program),
        cors::problems(program),
        csrf::problems(program),
        etag::problems(program),
        request_log::problems(program),
        security_headers::problems(program),
        static_files::problems(program),
    ]
    .concat()
}

/// Returns the cargo features of `kit-runtime` that these options need.
pub(crate) fn features(program: &Program) -> Vec<&'static str> {
    let features = [
        ("compression", compression::is_on(program)),
        ("etag", etag::is_on(program)),
    ];
    let features = features.into_iter().filter(|(_, is_on)| *is_on);
    features.map(|(name, _)| name).collect()
}
