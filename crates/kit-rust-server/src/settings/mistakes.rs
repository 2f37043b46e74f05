//! Mistakes in the options of `createApp` that are not the default of an environment variable, and options that the Rust server
//! does not have.

use kit_ir::Span;
use serde_json::{Map, Value};

use super::proxies;
use crate::literal_option::{unknown_property, unknown_value};
use crate::{Options, Problem};

/// Options that are objects, with the names of their properties.
const OBJECTS: [(&str, &[&str]); 7] = [
    ("cookies", &["keys"]),
    ("docs", &["path"]),
    ("health", &["live", "ready", "checks"]),
    ("limits", &["bodyBytes"]),
    ("logging", &["level", "redact", "redactDefaults", "clientErrors"]),
    ("sockets", &["pingMs", "compression"]),
    ("trustProxy", &["proxies", "header", "scheme", "host"]),
];

/// Options of server adapters that limit what clients may do and that the Rust server cannot change.
const FIXED_LIMITS: [&str; 8] = [
    "bodyIdleTimeoutMs",
    "discardTimeoutMs",
    "discardTotalTimeoutMs",
    "maxDiscardedBytes",
    "maxDiscarding",
    "maxHeaderBytes",
    "maxHeaders",
    "maxTargetBytes",
];

/// Message and advice of a problem.
pub(super) struct Mistake {
    message: String,
    help: String,
}

impl Mistake {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        let (message, help) = (message.into(), help.into());
        Self { message, help }
    }

    pub(super) fn at(self, span: Span) -> Problem {
        let Self { message, help } = self;
        Problem { message, span, help }
    }
}

/// Returns the mistake of an option whose value is known only when the application runs.
pub(super) fn unknown(option: &str, help: &str) -> Mistake {
    Mistake::new(unknown_value(option), help)
}

pub(super) fn wrong(option: &str, value: &Value, expected: &str) -> Mistake {
    Mistake::new(
        format!("`{option}` is {value}, which is not {expected}"),
        format!("write {expected}"),
    )
}

fn only_in_typescript(option: &str, help: &str) -> Mistake {
    Mistake::new(
        format!("the Rust server does not have the option `{option}`"),
        help,
    )
}

/// Returns the mistakes in one option of `createApp`. `value` is `None` if the value is known only when the application runs.
/// Properties of [`SETTINGS`] are checked elsewhere.
pub(super) fn mistakes(name: &str, value: Option<&Value>, options: &Options) -> Vec<Mistake> {
    match name {
        "env" => vec![only_in_typescript(
            name,
            "remove `env`, and set the variable NODE_ENV, which both servers read",
        )],
        "errorMiddleware" => vec![only_in_typescript(
            name,
            "use the option `errors`, which both servers have, to choose the format of errors",
        )],
        "requestTimeoutMs" | "shutdownDelayMs" | "shutdownGraceMs" => Vec::new(),
        "server" => server(value),
        "telemetry" => telemetry(value, options),
        "openapi" | "signals" => match value {
            None | Some(Value::Null) => vec![unknown(name, "write `true` or `false`")],
            Some(Value::Bool(false)) if name == "signals" => vec![only_in_typescript(
                "signals: false",
                "remove `signals`: the Rust server always stops on SIGTERM and SIGINT",
            )],
            Some(Value::Bool(_)) => Vec::new(),
            Some(other) => vec![wrong(name, other, "`true` or `false`")],
        },
        "docs" if !options.api_docs && value != Some(&Value::Bool(false)) => vec![Mistake::new(
            "`docs` is on, but the package `@kit/api-docs` is not installed",
            "install it, `npm install --save-dev @kit/api-docs`, or write `docs: false`",
        )],
        _ => object(name, value),
    }
}

/// Returns the mistakes in an option that is an object. A few of these options may also have other values.
fn object(name: &str, value: Option<&Value>) -> Vec<Mistake> {
    let Some((_, known)) = OBJECTS.iter().find(|(known, _)| *known == name) else {
        return vec![Mistake::new(
            format!("there is no option `{name}` of `createApp`"),
            "remove the option, or correct its name",
        )];
    };
    let members = match value {
        None => {
            return vec![unknown(
                name,
                "write an object literal with the names of its properties",
            )];
        }
        Some(Value::Object(members)) => members,
        Some(Value::Bool(_)) if matches!(name, "docs" | "health") => return Vec::new(),
        Some(value) if name == "trustProxy" && proxies(value).is_some() => return Vec::new(),
        Some(other) => return vec![wrong(name, other, "a value of this option")],
    };
    let mut found: Vec<Mistake> = members
        .keys()
        .filter(|member| !known.contains(&member.as_str()))
        .map(|member| {
            let (message, help) = unknown_property(name, member, known);
            Mistake::new(message, help)
        })
        .collect();
    for (member, value) in members {
        let option = format!("{name}.{member}");
        match (option.as_str(), value) {
            ("docs.path" | "health.live" | "health.ready", Value::String(path)) if path.starts_with('/') => {}
            ("docs.path" | "health.live" | "health.ready", Value::Null) => {
                found.push(unknown(&option, "write a path such as `\"/ready\"`"));
            }
            ("docs.path" | "health.live" | "health.ready", other) => {
                found.push(wrong(&option, other, "a path that starts with `/`"));
            }
            ("logging.redact", Value::Array(list)) if list.iter().all(is_pattern) => {}
            ("logging.redact", Value::Null) => {
                found.push(unknown(&option, "write a list of texts such as `[\"*.pin\"]`"));
            }
            ("logging.redact", other) => {
                let expected = "a list of names joined by dots, such as `iban` and `user.*.pin`";
                found.push(wrong(&option, other, expected));
            }
            ("logging.redactDefaults", Value::Bool(true)) => {}
            ("logging.redactDefaults", _) => found.push(only_in_typescript(
                "logging.redactDefaults",
                "remove it, and set the variable LOG_REDACT_DEFAULTS to `false` to show credentials in the log of the Rust server",
            )),
            _ => {}
        }
    }
    found
}

/// Returns true for a text that consists of names joined by dots. The runtime ignores any other pattern.
fn is_pattern(pattern: &Value) -> bool {
    let pattern = pattern.as_str();
    pattern.is_some_and(|pattern| pattern.split('.').all(|name| !name.is_empty()))
}

/// Returns the mistakes in the options of the server adapter. Options that tune only the process of Node, such as `workers`, are
/// ignored, because they change no response.
fn server(value: Option<&Value>) -> Vec<Mistake> {
    let Some(Value::Object(members)) = value else {
        return Vec::new();
    };
    let fixed = members
        .keys()
        .filter(|name| FIXED_LIMITS.contains(&name.as_str()));
    fixed
        .map(|name| {
            only_in_typescript(
                name,
                "remove the option: the Rust server has a fixed value for it",
            )
        })
        .collect()
}

/// Environment variables that the Rust server reads in place of properties of `telemetry`.
const TELEMETRY_VARIABLES: [(&str, &str); 6] = [
    ("endpoint", "OTEL_EXPORTER_OTLP_ENDPOINT"),
    ("exportIntervalMs", "OTEL_BSP_SCHEDULE_DELAY"),
    ("headers", "OTEL_EXPORTER_OTLP_HEADERS"),
    ("metricsIntervalMs", "OTEL_METRIC_EXPORT_INTERVAL"),
    ("queueSize", "OTEL_BSP_MAX_QUEUE_SIZE"),
    ("serviceName", "OTEL_SERVICE_NAME"),
];

fn telemetry(value: Option<&Value>, options: &Options) -> Vec<Mistake> {
    let members = match value {
        None => {
            return vec![unknown(
                "telemetry",
                "write an object literal with the names of its properties",
            )];
        }
        Some(Value::Object(members)) => members,
        Some(other) => return vec![wrong("telemetry", other, "a value of this option")],
    };
    let mut found = Vec::new();
    for (member, value) in members {
        let option = format!("telemetry.{member}");
        match (member.as_str(), value) {
            ("exporter", Value::String(name)) if name == "otlp" || name == "none" && !options.otlp => {}
            ("exporter", Value::String(_)) => found.push(only_in_typescript(
                &option,
                "remove it; OTEL_TRACES_EXPORTER=none, OTEL_METRICS_EXPORTER=none and OTEL_LOGS_EXPORTER=none turn the exporter off",
            )),
            ("prometheus", Value::Object(members)) => found.extend(prometheus(members)),
            ("prometheus", Value::Bool(_)) => {}
            ("tracing" | "metrics" | "logs", Value::Bool(is_on)) if *is_on == options.otlp => {}
            ("tracing" | "metrics" | "logs", Value::Bool(false)) => found.push(only_in_typescript(
                &format!("{option}: false"),
                &format!("remove it, and set {}", none_of(member)),
            )),
            ("tracing" | "metrics" | "logs", Value::Bool(true)) => found.push(Mistake::new(
                format!("`{option}` is true, but the Rust server is built without an exporter"),
                "add `otlp: true` to the options of `rustServer` in kit.config.ts",
            )),
            ("tracing" | "metrics" | "logs" | "exporter", _) => {
                found.push(unknown(&option, "write a literal"));
            }
            ("sampleRatio", _) => found.push(only_in_typescript(
                &option,
                "remove it: the Rust server exports each trace, except for those that their clients do not sample",
            )),
            ("prometheus", other) => found.push(wrong(&option, other, "`true`, `false` or an object")),
            (name, _) => found.push(
                match TELEMETRY_VARIABLES.iter().find(|(known, _)| *known == name) {
                    Some((_, variable)) => {
                        only_in_typescript(&option, &format!("remove it, and set the variable {variable}"))
                    }
                    None => Mistake::new(
                        format!("there is no option `{option}` of `createApp`"),
                        "remove the option, or correct its name",
                    ),
                },
            ),
        }
    }
    found
}

/// Returns the environment variable that turns a signal off.
fn none_of(signal: &str) -> &'static str {
    match signal {
        "tracing" => "OTEL_TRACES_EXPORTER=none",
        "metrics" => "OTEL_METRICS_EXPORTER=none",
        _ => "OTEL_LOGS_EXPORTER=none",
    }
}

/// Returns the mistakes in the names of `telemetry.prometheus`.
fn prometheus(members: &Map<String, Value>) -> Vec<Mistake> {
    const KNOWN: [&str; 2] = ["port", "hostname"];
    let unknown = members.keys().filter(|member| !KNOWN.contains(&member.as_str()));
    unknown
        .map(|member| {
            let (message, help) = unknown_property("telemetry.prometheus", member, &KNOWN);
            Mistake::new(message, help)
        })
        .collect()
}
