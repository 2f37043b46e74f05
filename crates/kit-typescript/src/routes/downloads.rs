//! Contracts whose response is `Download<…>`.

use kit_ir::{BodyFormat, DeclaredError, Method};

use super::{Contract, bodies, failures};
use crate::lower::Lowering;

/// Code of the error for a file that does not exist.
const NOT_FOUND: &str = "NOT_FOUND";

/// Returns the format of a response. Reports a download of a route with another method than GET.
pub(super) fn check(
    lowering: &mut Lowering<'_>,
    contract: &Contract,
    method: Method,
    format: BodyFormat,
) -> BodyFormat {
    if !format.is_download() || method == Method::Get {
        return format;
    }
    let message = format!("the response of `{}` cannot be `Download`", contract.key);
    let help = if method == Method::Head {
        "declare a GET route, which also answers HEAD"
    } else {
        "write `Bytes`, or declare a GET route: only GET has ranges (RFC 9110, section 14.2)"
    };
    bodies::invalid(lowering, contract.location, message, help);
    BodyFormat::Json
}

/// Adds the error for a file that does not exist.
pub(super) fn add_error(lowering: &mut Lowering<'_>, contract: &Contract, throws: &mut Vec<DeclaredError>) {
    match throws.iter().find(|error| error.code == NOT_FOUND) {
        None => throws.push(DeclaredError {
            code: NOT_FOUND.to_owned(),
            status: 404,
            description: Some("The file does not exist.".to_owned()),
            details: None,
        }),
        Some(known) if known.status == 404 && known.details.is_none() => {}
        Some(known) => {
            let declared = if known.status == 404 {
                "own details".to_owned()
            } else {
                format!("the status {}", known.status)
            };
            let message = format!(
                "`{}` has the error `{NOT_FOUND}` with {declared}, but kit sends it with the status 404 and without details for a file that does not exist",
                contract.key
            );
            let help = "declare the status 404 without details, or give the error another code";
            failures::invalid(lowering, contract.location, message, help);
        }
    }
}
