//! Generates `error.rs`: an enum of all errors that the contracts declare with `@throws`, with the status of each.

use heck::ToPascalCase;
use kit_ir::{DeclaredError, Program};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::source::{doc, file_doc, ident, string_literal};
use crate::{File, names};

/// An error that a contract declares with `@throws`.
pub(crate) struct ContractError<'a> {
    pub(crate) variant: String,
    pub(crate) throws: &'a DeclaredError,
}

/// Returns the errors of all routes in the order of their first occurrence. Each code occurs once.
pub(crate) fn all(program: &Program) -> Vec<ContractError<'_>> {
    let mut found: Vec<ContractError<'_>> = Vec::new();
    for throws in program.routes.iter().flat_map(|route| &route.throws) {
        if found.iter().all(|known| known.throws.code != throws.code) {
            let variant = names::unique(names::variant(&throws.code.to_pascal_case()), |taken| {
                found.iter().any(|known| known.variant == taken)
            });
            found.push(ContractError { variant, throws });
        }
    }
    found
}

/// Returns the name of the enum variant for an error.
pub(crate) fn variant(program: &Program, throws: &DeclaredError) -> Option<String> {
    let known = all(program)
        .into_iter()
        .find(|known| known.throws.code == throws.code);
    known.map(|known| known.variant)
}

pub(crate) fn file(program: &Program) -> File {
    let known = all(program);
    let mut file = file_doc("Errors of the application, and the HTTP status of each.");
    file.extend(quote!(
        pub use kit_runtime::Error;
    ));
    if known.is_empty() {
        return File::output("error.rs", &file);
    }
    let mut variants = Vec::new();
    let mut codes = Vec::new();
    // Errors with the same status share one match arm.
    let mut statuses: Vec<(u16, Vec<TokenStream>)> = Vec::new();
    for ContractError { variant, throws } in &known {
        let variant = ident(variant);
        let says = throws
            .description
            .as_deref()
            .unwrap_or("An error of the contracts.");
        let comment = doc(&format!("`{}`: {says}", throws.code));
        variants.push(quote!(#comment #variant));
        let code = string_literal(&throws.code);
        codes.push(quote!(Self::#variant => #code));
        let pattern = quote!(Self::#variant);
        match statuses.iter_mut().find(|(status, _)| *status == throws.status) {
            Some((_, patterns)) => patterns.push(pattern),
            None => statuses.push((throws.status, vec![pattern])),
        }
    }
    let statuses = statuses.iter().map(|(status, patterns)| {
        let status = status_name(&quote!(StatusCode), *status);
        quote!(#(#patterns)|* => #status)
    });
    file.extend(quote! {
        use kit_runtime::StatusCode;

        /// Errors that the contracts declare with `@throws`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum AppError {
            #(#variants),*
        }

        impl AppError {
            /// Returns the code, which clients can rely on.
            pub const fn code(self) -> &'static str {
                match self { #(#codes,)* }
            }

            /// Returns the status of the response.
            pub fn status(self) -> StatusCode {
                match self { #(#statuses,)* }
            }

            /// Returns the error with a message for people.
            #[track_caller]
            pub fn with(self, message: impl Into<String>) -> Error {
                Error::new(self.status(), self.code(), message)
            }
        }
    });
    File::output("error.rs", &file)
}

/// Returns Rust code for a status: the constant with its name, such as `StatusCode::NOT_FOUND`, or an expression if
/// it has no name. `kind` is the type that has the constants.
pub(crate) fn status_name(kind: &TokenStream, status: u16) -> TokenStream {
    let Some(name) = constant(status).map(ident) else {
        let status = Literal::u16_unsuffixed(status);
        return quote!(#kind::from_u16(#status).unwrap_or(#kind::INTERNAL_SERVER_ERROR));
    };
    quote!(#kind::#name)
}

/// Returns the name of the constant for a status: 404 gives `NOT_FOUND`.
fn constant(status: u16) -> Option<&'static str> {
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
