//! Format of error responses, as the generated client and the contract tests read it.

use kit_ir::{ErrorFormat, ErrorRules};

use crate::text::literal;

/// Returns the property `errors` for the client and the contract tests: the status of validation errors, and
/// the location of each value in an error body. Returns `None` for kit's envelope with the status 400, which
/// the client and the tests expect by default.
pub(crate) fn properties(rules: &ErrorRules) -> Option<Vec<(String, String)>> {
    let places = places(rules)?;
    let mut properties = vec![("validationStatus".to_owned(), rules.validation_status.to_string())];
    for (name, place) in places {
        properties.push((name.to_owned(), literal::strings(place)));
    }
    Some(properties)
}

/// Returns the location of each value in an error body, as the names of nested properties. Returns `None` for kit's envelope with
/// the status 400.
pub(crate) fn places(rules: &ErrorRules) -> Option<Vec<(&'static str, Vec<String>)>> {
    if *rules == ErrorRules::DEFAULT {
        return None;
    }
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let places: [(&str, Vec<String>); 5] = match &rules.format {
        ErrorFormat::Envelope => [
            ("code", own(&["error", "code"])),
            ("message", own(&["error", "message"])),
            ("details", own(&["error", "details"])),
            ("fields", own(&["error", "details", "fields"])),
            ("traceId", own(&["error", "traceId"])),
        ],
        ErrorFormat::ProblemDetails => [
            ("code", own(&["code"])),
            ("message", own(&["detail"])),
            ("details", own(&["details"])),
            ("fields", own(&["errors"])),
            ("traceId", own(&["traceId"])),
        ],
        ErrorFormat::Declared(declared) => {
            let paths = declared.paths.clone();
            [
                ("code", paths.code),
                ("message", paths.message),
                ("details", paths.details),
                ("fields", Vec::new()),
                ("traceId", paths.trace_id),
            ]
        }
    };
    Some(
        places
            .into_iter()
            .filter(|(_, place)| !place.is_empty())
            .collect(),
    )
}
