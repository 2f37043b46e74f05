//! Environment variables, and their values if they are not set.

use std::sync::OnceLock;

/// Names and values of variables that are not set.
pub(crate) type Defaults = &'static [(&'static str, &'static str)];

static DEFAULTS: OnceLock<Defaults> = OnceLock::new();

/// Sets the values of variables that are not set. Only the first call has an effect. Returns true for the first call.
pub(crate) fn set_default_values(values: Defaults) -> bool {
    DEFAULTS.set(values).is_ok()
}

/// Returns the value of a variable, or its default. Returns `None` if the variable is not set, or empty, and has no default.
pub(crate) fn variable(name: &str) -> Option<String> {
    let given = std::env::var(name).ok().filter(|value| !value.is_empty());
    given.or_else(|| default_of(name))
}

/// Returns the name of the service in the variables of OpenTelemetry: `OTEL_SERVICE_NAME`, otherwise `service.name` in
/// `OTEL_RESOURCE_ATTRIBUTES`. Returns `None` if neither names the service.
pub(crate) fn given_service_name(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    variable("OTEL_SERVICE_NAME")
        .or_else(|| {
            let attributes = variable("OTEL_RESOURCE_ATTRIBUTES")?;
            let mut pairs = attributes.split(',').filter_map(|pair| pair.split_once('='));
            let (_, name) = pairs.find(|(key, _)| key.trim() == "service.name")?;
            Some(name.trim().to_owned())
        })
        .filter(|name| !name.is_empty())
}

/// Returns the file name of the program without its ending. Returns `None` if the name is unknown.
pub(crate) fn program_name() -> Option<String> {
    let program = std::env::current_exe().ok()?;
    Some(program.file_stem()?.to_str()?.to_owned())
}

/// Returns the default of a variable.
pub(crate) fn default_of(name: &str) -> Option<String> {
    let (_, value) = DEFAULTS.get()?.iter().find(|(known, _)| *known == name)?;
    Some((*value).to_owned())
}
