//! Generates `error.rs`: the errors that the contracts declare, with the status of each.

use std::fmt::Write as _;

use heck::ToPascalCase;
use kit_ir::{DeclaredError, Program};

use crate::print::doc;
use crate::{File, names};

/// An error that a contract declares.
pub(crate) struct Known<'a> {
    pub(crate) variant: String,
    pub(crate) throws: &'a DeclaredError,
}

/// Returns the errors of all routes, each code once, in order of first appearance.
pub(crate) fn known(program: &Program) -> Vec<Known<'_>> {
    let mut found: Vec<Known<'_>> = Vec::new();
    for throws in program.routes.iter().flat_map(|route| &route.throws) {
        if found.iter().all(|known| known.throws.code != throws.code) {
            let variant = names::unique(names::variant(&throws.code.to_pascal_case()), |taken| {
                found.iter().any(|known| known.variant == taken)
            });
            found.push(Known { variant, throws });
        }
    }
    found
}

/// Returns the enum variant of an error.
pub(crate) fn variant(program: &Program, throws: &DeclaredError) -> Option<String> {
    let known = known(program)
        .into_iter()
        .find(|known| known.throws.code == throws.code);
    known.map(|known| known.variant)
}

pub(crate) fn file(program: &Program) -> File {
    let known = known(program);
    let mut text = String::from("//! Errors of the application, and the HTTP status of each.\n\n");
    if known.is_empty() {
        text.push_str("pub use kit_runtime::Error;\n");
        return File::output("error.rs", &text);
    }
    text.push_str("pub use kit_runtime::Error;\nuse kit_runtime::StatusCode;\n\n");
    text.push_str("/// The errors that the contracts name with `@throws`.\n#[derive(Debug, Clone, Copy, PartialEq, Eq)]\npub enum AppError {\n");
    for Known { variant, throws } in &known {
        let says = throws
            .description
            .as_deref()
            .unwrap_or("An error of the contracts.");
        let says = doc(4, Some(&format!("`{}`: {says}", throws.code)));
        let _ = writeln!(text, "{says}    {variant},");
    }
    text.push_str("}\n\nimpl AppError {\n    /// What clients can rely on.\n    pub const fn code(self) -> &'static str {\n        match self {\n");
    for Known { variant, throws } in &known {
        let _ = writeln!(
            text,
            "            Self::{variant} => {},",
            names::text(&throws.code)
        );
    }
    text.push_str("        }\n    }\n\n    /// The status of its answer.\n    pub fn status(self) -> StatusCode {\n        match self {\n");
    // Errors with the same status share one match arm.
    let mut statuses: Vec<(u16, Vec<&str>)> = Vec::new();
    for Known { variant, throws } in &known {
        match statuses.iter_mut().find(|(status, _)| *status == throws.status) {
            Some((_, variants)) => variants.push(variant),
            None => statuses.push((throws.status, vec![variant])),
        }
    }
    for (status, variants) in &statuses {
        let patterns: Vec<_> = variants
            .iter()
            .map(|variant| format!("Self::{variant}"))
            .collect();
        let status = status_name(*status);
        let flat = format!("            {} => {status},", patterns.join(" | "));
        // rustfmt keeps the patterns on one line if they fit, and puts the value into a separate block.
        let head = format!("            {} => {{", patterns.join(" | "));
        if flat.len() <= 100 {
            let _ = writeln!(text, "{flat}");
        } else if head.len() <= 100 {
            let _ = write!(text, "{head}\n                {status}\n            }}\n");
        } else {
            let patterns = patterns.join("\n            | ");
            let _ = writeln!(text, "            {patterns} => {status},");
        }
    }
    text.push_str(
        "        }\n    }\n\n    /// The error with a message for people.\n    #[track_caller]\n    pub fn with(self, message: impl Into<String>) -> Error {\n        Error::new(self.status(), self.code(), message)\n    }\n}\n",
    );
    File::output("error.rs", &text)
}

/// Returns the constant of a status, or an expression that creates a status without a name.
pub(crate) fn status_name(status: u16) -> String {
    let name = match status {
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
        // Contracts have only valid statuses, so the fallback is never used.
        other => {
            return format!("StatusCode::from_u16({other}).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)");
        }
    };
    format!("StatusCode::{name}")
}
