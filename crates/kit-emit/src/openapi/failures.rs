//! Errors of an operation by status, with the schemas of their responses.

use indexmap::IndexMap;
use kit_ir::{BodyFormat, DeclarationId, ErrorRules, Route, Slot};
use serde_json::Value;

use super::document::Example;
use super::error_body::{example, with_details};
use crate::json_schema::{Schema, Schemas};

/// Statuses of errors with which kit itself can answer any request, in addition to the errors of the
/// contract.
const OF_KIT: [u16; 11] = [400, 401, 403, 404, 408, 413, 415, 426, 431, 500, 503];

/// An error that a response with a given status may contain.
pub(super) struct Failure<'a> {
    pub(super) code: &'a str,
    pub(super) description: Option<&'a str>,
    /// True if the project declares the error, false if it is an error of kit itself.
    pub(super) declared: bool,
    /// Type of the details, if the contract declares it.
    pub(super) details: Option<DeclarationId>,
}

/// Errors of an operation, by status.
pub(super) struct Failures<'a>(IndexMap<u16, Vec<Failure<'a>>>);

impl<'a> Failures<'a> {
    /// Collects the errors of kit itself and the errors that the route declares. `has_preconditions` is true
    /// if kit evaluates `If-Match` and similar headers for the route.
    pub(super) fn of(route: &'a Route, rules: &ErrorRules, has_preconditions: bool) -> Self {
        let mut failures = Self(IndexMap::new());
        let of_kit = |code, description| Failure {
            code,
            description: Some(description),
            declared: false,
            details: None,
        };
        let is_decoded = matches!(
            route.body_format,
            BodyFormat::Multipart { .. } | BodyFormat::Text { .. } | BodyFormat::OneOf { .. }
        );
        // A message that does not fit the contract closes its WebSocket, and has no response.
        let has_values = Slot::INPUTS
            .into_iter()
            .filter(|slot| *slot != Slot::Body || !route.is_socket())
            .any(|slot| route.slots.get(slot).is_some());
        if is_decoded || has_values {
            failures.add(
                rules.validation_status,
                of_kit("VALIDATION_ERROR", "the input does not fit the contract"),
            );
        }
        if route.negotiates() {
            let description = "the request accepts none of the media types of the response";
            failures.add(406, of_kit("NOT_ACCEPTABLE", description));
        }
        if route.has_body() {
            failures.add(413, of_kit("PAYLOAD_TOO_LARGE", "the body is too large"));
            failures.add(
                415,
                of_kit("UNSUPPORTED_MEDIA_TYPE", other_type(&route.body_format)),
            );
        }
        if route.subprotocols.is_some() {
            let description = "the client offers none of the subprotocols of the route";
            failures.add(400, of_kit("UNSUPPORTED_SUBPROTOCOL", description));
        }
        if route.is_socket() {
            failures.add(
                403,
                of_kit(
                    "CROSS_SITE_REQUEST",
                    "the page of the client may not open the WebSocket",
                ),
            );
            failures.add(
                426,
                of_kit(
                    "UPGRADE_REQUIRED",
                    "the request is not the handshake of a WebSocket",
                ),
            );
        }
        for error in &route.throws {
            let declared = Failure {
                code: &error.code,
                description: error.description.as_deref(),
                declared: true,
                details: error.details,
            };
            failures.add(error.status, declared);
        }
        if has_preconditions {
            let description = "a precondition of the request does not hold";
            failures.add(412, of_kit("PRECONDITION_FAILED", description));
        }
        if route.response_format.is_download() {
            let description = "the file has none of the requested ranges";
            failures.add(416, of_kit("RANGE_NOT_SATISFIABLE", description));
        }
        failures.0.sort_keys();
        failures
    }

    fn add(&mut self, status: u16, failure: Failure<'a>) {
        let known = self.0.entry(status).or_default();
        if !known.iter().any(|other| other.code == failure.code) {
            known.push(failure);
        }
    }

    /// Returns the errors of each status, by ascending status.
    pub(super) fn by_status(self) -> impl Iterator<Item = (u16, Vec<Failure<'a>>)> {
        self.0.into_iter()
    }
}

impl Failure<'_> {
    pub(super) fn described(&self) -> String {
        // Descriptions are joined with semicolons, so the final period is removed.
        let description = self.description.map(|text| text.trim_end_matches('.'));
        description.map_or_else(
            || format!("`{}`", self.code),
            |text| format!("`{}`: {text}", self.code),
        )
    }

    /// Returns an example of the response body for this error; `None` if the application has its own format.
    pub(super) fn example(&self, rules: &ErrorRules, status: u16, details: Option<Value>) -> Option<Example> {
        let message = self.description.unwrap_or(self.code);
        let value = example(rules, status, self.code, message, details)?;
        Some(Example { value })
    }
}

/// Returns the description of the error for a body with another media type than the format has.
pub(super) fn other_type(format: &BodyFormat) -> &'static str {
    match format {
        BodyFormat::Json => "the body is not JSON",
        BodyFormat::Form => "the body is not a form (`application/x-www-form-urlencoded`)",
        BodyFormat::Multipart { .. } => "the body is not a multipart body (`multipart/form-data`)",
        BodyFormat::Lines => "the body is not JSON Lines (`application/jsonl`)",
        _ => "the body does not have the declared media type",
    }
}

/// Returns true if kit itself can answer any request with this status.
pub(super) fn is_of_kit(status: u16, rules: &ErrorRules) -> bool {
    OF_KIT.contains(&status) || status == rules.validation_status
}

/// Returns the schema of the responses with a status: one schema for each code with declared details, and
/// `other` for all other errors. `other` is left out if all errors of the status have declared details and
/// kit itself never answers with the status (`is_of_kit`), so that a tool can check the details.
pub(super) fn schema(
    rules: &ErrorRules,
    failures: &[Failure<'_>],
    is_of_kit: bool,
    schemas: Schemas<'_>,
    other: Schema,
) -> Schema {
    let mut members: Vec<Schema> = failures
        .iter()
        .filter_map(|failure| {
            let details = schemas.reference(failure.details?);
            Some(with_details(rules, failure.code, details, &other))
        })
        .collect();
    if members.is_empty() {
        return other;
    }
    if members.len() < failures.len() || is_of_kit {
        members.push(other);
    }
    if members.len() == 1 {
        return members.remove(0);
    }
    Schema {
        any_of: members,
        ..Schema::default()
    }
}
