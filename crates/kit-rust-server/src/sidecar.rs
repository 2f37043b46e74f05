//! Call that turns on the debug sidecar of the generated server.

use proc_macro2::TokenStream;
use quote::quote;

use crate::Options;
use crate::source::string_literal;
use crate::types::Types;

/// Name of the file with the routes in the output directory.
pub(crate) const ROUTES: &str = "sidecar/routes.json";

/// Returns the method call on the generated routes. Returns `None` if the server has no sidecar.
pub(crate) fn call(types: &Types<'_>, options: &Options) -> Option<TokenStream> {
    let (sidecar, name) = (types.of_runtime("Sidecar"), string_literal(&options.name));
    options.sidecar.then(|| {
        quote! {
            .sidecar(
                #sidecar::new(#name, include_str!("sidecar/dashboard.json"))
                    .routes(include_str!(#ROUTES))
                    .middleware(include_str!("middleware.json"))
                    .schemas(include_str!("schemas.json"))
            )
        }
    })
}
