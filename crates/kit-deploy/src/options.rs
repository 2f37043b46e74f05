//! Options of `createApp` that decide about a deployment.

use kit_ir::Program;
use serde_json::Value;

/// Value of an option in the source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Found<'a> {
    Known(&'a Value),
    /// The value is known only when the application runs.
    Unknown,
    Absent,
}

/// Returns the value at a path such as `telemetry.prometheus`.
pub(crate) fn find<'a>(program: &'a Program, path: &str) -> Found<'a> {
    let mut names = path.split('.');
    let option = names
        .next()
        .and_then(|name| program.application.options.get(name));
    let Some(option) = option else {
        // An option may be among those that the compiler could not read.
        return if program.application.has_unread_options {
            Found::Unknown
        } else {
            Found::Absent
        };
    };
    let Some(mut value) = option.value.as_ref() else {
        return Found::Unknown;
    };
    for name in names {
        match value.get(name) {
            Some(inner) => value = inner,
            None => return Found::Absent,
        }
    }
    if value.is_null() {
        Found::Unknown
    } else {
        Found::Known(value)
    }
}
