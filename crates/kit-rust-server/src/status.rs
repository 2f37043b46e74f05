//! Names of HTTP statuses in generated code.

use heck::ToPascalCase;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::source::ident;

/// Returns Rust code for a status: the constant with its name, such as `StatusCode::NOT_FOUND`, or an expression if
/// it has no name. `kind` is the type that has the constants.
pub(crate) fn status_name(kind: &TokenStream, status: u16) -> TokenStream {
    let Some(name) = constant(status).map(ident) else {
        let status = Literal::u16_unsuffixed(status);
        return quote!(#kind::from_u16(#status).unwrap_or(#kind::INTERNAL_SERVER_ERROR));
    };
    quote!(#kind::#name)
}

/// Returns the name of the variant for a status: 201 gives `Created`, and 299 gives `Status299`.
pub(crate) fn variant_name(status: u16) -> String {
    constant(status).map_or_else(|| format!("Status{status}"), ToPascalCase::to_pascal_case)
}

/// Returns the name of the constant for a status: 404 gives `NOT_FOUND`.
pub(crate) fn constant(status: u16) -> Option<&'static str> {
    Some(match status {
        200 => "OK",
        201 => "CREATED",
        202 => "ACCEPTED",
        203 => "NON_AUTHORITATIVE_INFORMATION",
        204 => "NO_CONTENT",
        205 => "RESET_CONTENT",
        206 => "PARTIAL_CONTENT",
        207 => "MULTI_STATUS",
        208 => "ALREADY_REPORTED",
        226 => "IM_USED",
        300 => "MULTIPLE_CHOICES",
        301 => "MOVED_PERMANENTLY",
        302 => "FOUND",
        303 => "SEE_OTHER",
        304 => "NOT_MODIFIED",
        305 => "USE_PROXY",
        307 => "TEMPORARY_REDIRECT",
        308 => "PERMANENT_REDIRECT",
        400 => "BAD_REQUEST",
        401 => "UNAUTHORIZED",
        402 => "PAYMENT_REQUIRED",
        403 => "FORBIDDEN",
        404 => "NOT_FOUND",
        405 => "METHOD_NOT_ALLOWED",
        406 => "NOT_ACCEPTABLE",
        407 => "PROXY_AUTHENTICATION_REQUIRED",
        408 => "REQUEST_TIMEOUT",
        409 => "CONFLICT",
        410 => "GONE",
        411 => "LENGTH_REQUIRED",
        412 => "PRECONDITION_FAILED",
        413 => "PAYLOAD_TOO_LARGE",
        414 => "URI_TOO_LONG",
        415 => "UNSUPPORTED_MEDIA_TYPE",
        416 => "RANGE_NOT_SATISFIABLE",
        417 => "EXPECTATION_FAILED",
        418 => "IM_A_TEAPOT",
        421 => "MISDIRECTED_REQUEST",
        422 => "UNPROCESSABLE_ENTITY",
        423 => "LOCKED",
        424 => "FAILED_DEPENDENCY",
        425 => "TOO_EARLY",
        426 => "UPGRADE_REQUIRED",
        428 => "PRECONDITION_REQUIRED",
        429 => "TOO_MANY_REQUESTS",
        431 => "REQUEST_HEADER_FIELDS_TOO_LARGE",
        451 => "UNAVAILABLE_FOR_LEGAL_REASONS",
        500 => "INTERNAL_SERVER_ERROR",
        501 => "NOT_IMPLEMENTED",
        502 => "BAD_GATEWAY",
        503 => "SERVICE_UNAVAILABLE",
        504 => "GATEWAY_TIMEOUT",
        505 => "HTTP_VERSION_NOT_SUPPORTED",
        506 => "VARIANT_ALSO_NEGOTIATES",
        507 => "INSUFFICIENT_STORAGE",
        508 => "LOOP_DETECTED",
        510 => "NOT_EXTENDED",
        511 => "NETWORK_AUTHENTICATION_REQUIRED",
        // Contracts have only valid statuses, but some of them have no name.
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::variant_name;

    #[test]
    fn names_the_variants_of_replies_after_their_statuses() {
        for (status, name) in [
            (200, "Ok"),
            (204, "NoContent"),
            (303, "SeeOther"),
            (299, "Status299"),
        ] {
            assert_eq!(variant_name(status), name);
        }
    }
}
