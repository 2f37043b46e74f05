//! Options of `createApp` that are settings of the Rust server, such as `limits` and `requestTimeoutMs`: each is the default of
//! an environment variable. Options that the Rust server does not have are problems, so that no option is silently ignored.

mod mistakes;

use kit_ir::{LiteralOption, Program, Span};
use proc_macro2::TokenStream;
use quote::quote;
use serde_json::Value;

use self::mistakes::{mistakes, unknown, wrong};
use crate::source::string_literal;
use crate::types::Types;
use crate::{Options, Problem, Warning};

/// Valid values of an option.
enum Kind {
    /// Whole number in a range.
    Number {
        least: u64,
        most: u64,
        unit: &'static str,
    },
    /// `true` or `false`.
    Flag,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// Number of proxies, or a list of their addresses.
    Proxies,
    /// Any text.
    Text,
}

/// An option whose value is the default of an environment variable.
struct Setting {
    /// Path of the option, such as `limits.bodyBytes`.
    option: &'static str,
    variable: &'static str,
    kind: Kind,
}

const fn setting(option: &'static str, variable: &'static str, kind: Kind) -> Setting {
    Setting {
        option,
        variable,
        kind,
    }
}

const fn number(least: u64, most: u64, unit: &'static str) -> Kind {
    Kind::Number { least, most, unit }
}

/// Timeout in milliseconds. The server refuses a timeout of more than a day.
const fn millis(least: u64) -> Kind {
    number(least, 86_400_000, "milliseconds")
}

const LEVELS: &[&str] = &["trace", "debug", "info", "warn", "error", "fatal"];
/// Levels of single log entries. The level `fatal` is a level of the log, but of no entry.
const ENTRY_LEVELS: &[&str] = &["trace", "debug", "info", "warn", "error"];

const SETTINGS: [Setting; 20] = [
    setting(
        "limits.bodyBytes",
        "BODY_LIMIT_BYTES",
        number(0, 1 << 30, "bytes"),
    ),
    setting(
        "logging.clientErrors",
        "LOG_CLIENT_ERRORS",
        Kind::OneOf(ENTRY_LEVELS),
    ),
    setting("logging.level", "LOG_LEVEL", Kind::OneOf(LEVELS)),
    setting("requestTimeoutMs", "REQUEST_TIMEOUT_MS", millis(0)),
    setting(
        "server.bodyMinBytesPerSecond",
        "BODY_MIN_BYTES_PER_SECOND",
        number(0, 2_147_483_647, "bytes"),
    ),
    setting("server.bodyTimeoutMs", "BODY_TIMEOUT_MS", millis(1)),
    setting("server.headersTimeoutMs", "HEADERS_TIMEOUT_MS", millis(1)),
    setting("server.keepAliveTimeoutMs", "KEEP_ALIVE_TIMEOUT_MS", millis(1)),
    setting(
        "server.maxConnections",
        "MAX_CONNECTIONS",
        number(1, 1 << 20, "connections"),
    ),
    setting("server.writeTimeoutMs", "WRITE_TIMEOUT_MS", millis(1)),
    setting("shutdownDelayMs", "SHUTDOWN_DELAY_MS", millis(0)),
    setting("shutdownGraceMs", "SHUTDOWN_GRACE_MS", millis(0)),
    setting("sockets.compression", "SOCKET_COMPRESSION", Kind::Flag),
    setting("sockets.pingMs", "SOCKET_PING_MS", millis(1)),
    setting(
        "telemetry.prometheus.hostname",
        "OTEL_EXPORTER_PROMETHEUS_HOST",
        Kind::Text,
    ),
    setting(
        "telemetry.prometheus.port",
        "OTEL_EXPORTER_PROMETHEUS_PORT",
        number(1, 65_535, "a port"),
    ),
    setting(
        "trustProxy.header",
        "TRUST_PROXY_HEADER",
        Kind::OneOf(&["x-forwarded-for", "forwarded"]),
    ),
    setting("trustProxy.host", "TRUST_PROXY_HOST", Kind::Flag),
    setting("trustProxy.proxies", "TRUST_PROXY", Kind::Proxies),
    setting("trustProxy.scheme", "TRUST_PROXY_SCHEME", Kind::Flag),
];

/// Value of an option in the source.
enum Found<'a> {
    Known(&'a Value),
    /// The value is known only when the application runs.
    Unknown,
}

/// The options of the program that this module reads.
struct Given<'a>(&'a Program);

impl<'a> Given<'a> {
    fn option(&self, name: &str) -> Option<&'a LiteralOption> {
        match name {
            "limits" => self.0.application.limits.as_ref(),
            name => self.0.application.options.get(name),
        }
    }

    /// Returns the value at a path such as `limits.bodyBytes`. Returns `None` if the option, or the property, is absent.
    fn find(&self, path: &str) -> Option<(Found<'a>, Span)> {
        let mut names = path.split('.');
        let option = self.option(names.next()?)?;
        let Some(mut value) = option.value.as_ref() else {
            // If a whole object is unknown, the object has one problem, and not one for each property.
            return names.next().is_none().then_some((Found::Unknown, option.span));
        };
        for name in names {
            value = value.get(name)?;
        }
        let found = if value.is_null() {
            Found::Unknown
        } else {
            Found::Known(value)
        };
        Some((found, option.span))
    }

    /// Returns the value at a path if it is known.
    fn known(&self, path: &str) -> Option<&'a Value> {
        match self.find(path)? {
            (Found::Known(value), _) => Some(value),
            (Found::Unknown, _) => None,
        }
    }
}

/// Returns the option `trustProxy` as the text of a variable, if the value has the form without properties: `1`, `true` or a
/// list of addresses.
fn proxies(value: &Value) -> Option<String> {
    match value {
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(list) => {
            let names: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
            names.map(|names| names.join(","))
        }
        _ => None,
    }
}

impl Kind {
    /// Returns the text of an environment variable for a value. Returns `None` if the value is not valid.
    fn text(&self, value: &Value) -> Option<String> {
        match self {
            Self::Number { least, most, .. } => {
                let number = value.as_u64()?;
                (*least..=*most).contains(&number).then(|| number.to_string())
            }
            Self::Flag => value.as_bool().map(|flag| flag.to_string()),
            Self::OneOf(names) => {
                let text = value.as_str()?;
                names.contains(&text).then(|| text.to_owned())
            }
            Self::Text => value.as_str().map(str::to_owned),
            Self::Proxies => proxies(value).filter(|_| !value.is_boolean()),
        }
    }

    /// Returns the description of the valid values.
    fn expected(&self) -> String {
        match self {
            Self::Number { least, most, unit } => format!("a whole number from {least} to {most} ({unit})"),
            Self::Flag => "`true` or `false`".to_owned(),
            Self::OneOf(names) => format!("one of {}", names.join(", ")),
            Self::Text => "a text".to_owned(),
            Self::Proxies => "a number of proxies or a list of their addresses".to_owned(),
        }
    }
}

/// Returns the environment variables and their defaults, in the order of the variables' names.
fn defaults(program: &Program) -> Vec<(&'static str, String)> {
    let given = Given(program);
    let mut found: Vec<_> = SETTINGS
        .iter()
        .filter_map(|setting| {
            let value = given.known(setting.option)?;
            Some((setting.variable, setting.kind.text(value)?))
        })
        .collect();
    if let Some(text) = given.known("trustProxy").and_then(proxies) {
        found.push(("TRUST_PROXY", text));
    }
    let has_default_port = match given.known("telemetry.prometheus") {
        Some(Value::Object(members)) => !members.contains_key("port"),
        Some(value) => value == &Value::Bool(true),
        None => false,
    };
    if has_default_port {
        found.push(("OTEL_EXPORTER_PROMETHEUS_PORT", "9464".to_owned()));
    }
    found.sort_unstable();
    found
}

/// Returns true if options are defaults of environment variables.
pub(crate) fn has_defaults(program: &Program) -> bool {
    !defaults(program).is_empty()
}

/// Returns the constant with the environment variables and their defaults. Returns `None` if there are none.
pub(crate) fn constant(program: &Program) -> Option<TokenStream> {
    let defaults = defaults(program);
    let count = proc_macro2::Literal::usize_unsuffixed(defaults.len());
    let entries = defaults.iter().map(|(name, text)| {
        let (name, text) = (string_literal(name), string_literal(text));
        quote!((#name, #text))
    });
    (!defaults.is_empty()).then(|| {
        quote! {
            /// Environment variables with the values that options of `createApp` give them. A variable that is set replaces its
            /// option.
            pub(crate) const SETTINGS: [(&str, &str); #count] = [#(#entries),*];
        }
    })
}

/// Returns the call `.docs(…)` for the generated routes. Returns `None` if the application has no API reference.
fn docs(types: &Types<'_>, has_files: bool) -> Option<TokenStream> {
    let value = Given(types.program).known("docs");
    if !has_files || value == Some(&Value::Bool(false)) {
        return None;
    }
    let path = value.and_then(|value| value.get("path")).and_then(Value::as_str);
    let path = path.map(string_literal).map(|path| quote!(.path(#path)));
    let always = value.is_some().then(|| quote!(.in_production()));
    let docs = types.of_runtime("Docs");
    Some(quote! {
        .docs(#docs::new(include_str!("docs/viewer.js.gz.base64"), include_str!("docs/start.js")) #path #always)
    })
}

/// Returns the items of `kit_runtime` that the calls of [`calls`] use.
pub(crate) fn names(types: &Types<'_>, has_files: bool) -> Option<&'static str> {
    docs(types, has_files).map(|_| "Docs")
}

/// Returns the method calls on the generated routes for the options of this module. `has_files` is true if the output directory
/// has the files of the API reference.
pub(crate) fn calls(types: &Types<'_>, has_files: bool) -> TokenStream {
    let given = Given(types.program);
    let redact = given
        .known("logging.redact")
        .and_then(Value::as_array)
        .filter(|list| !list.is_empty());
    let redact = redact.map(|list| {
        let patterns = list.iter().filter_map(Value::as_str).map(string_literal);
        quote!(.redact(&[#(#patterns),*]))
    });
    let keys = given
        .find("cookies.keys")
        .map(|_| quote!(.requires_cookie_keys()));
    let health = match given.known("health") {
        Some(Value::Bool(false)) => Some(quote!(.health(None, None))),
        Some(Value::Object(paths)) if paths.contains_key("live") || paths.contains_key("ready") => {
            let path = |name: &str, default: &str| {
                string_literal(paths.get(name).and_then(Value::as_str).unwrap_or(default))
            };
            let (live, ready) = (path("live", "/healthz"), path("ready", "/readyz"));
            Some(quote!(.health(Some(#live), Some(#ready))))
        }
        _ => None,
    };
    let documents = given.known("openapi").and_then(Value::as_bool);
    let documents = documents.map(|is_served| quote!(.serves_documents(#is_served)));
    let docs = docs(types, has_files);
    quote!(#redact #keys #health #documents #docs)
}

/// Returns the warnings about options whose code runs only in the TypeScript application.
pub(crate) fn warnings(program: &Program) -> Vec<Warning> {
    let Some((_, span)) = Given(program).find("health.checks") else {
        return Vec::new();
    };
    vec![Warning {
        message:
            "the Rust server does not run `health.checks`, which are functions of the TypeScript application"
                .to_owned(),
        span,
        help: "check the same conditions in `ready` of `Application` in src/app.rs".to_owned(),
        handler: None,
    }]
}

/// Returns the mistakes in the options, and the options that the Rust server does not have.
pub(crate) fn problems(program: &Program, options: &Options) -> Vec<Problem> {
    let given = Given(program);
    let application = &program.application;
    let mut found = Vec::new();
    if let Some(span) = application.span.filter(|_| application.has_unread_options) {
        found.push(Problem {
            message: "the Rust server needs all options of `createApp` at build time, but some are known only when the \
                      application runs"
                .to_owned(),
            span,
            help: "write each option by its name in the object literal, without `...` of an unknown object".to_owned(),
        });
    }
    for setting in &SETTINGS {
        let Some((value, span)) = given.find(setting.option) else {
            continue;
        };
        let expected = setting.kind.expected();
        let mistake = match value {
            Found::Unknown => unknown(
                setting.option,
                &format!(
                    "write {expected}, or a constant with such a value; the variable {} of the Rust server replaces it",
                    setting.variable
                ),
            ),
            Found::Known(value) if setting.kind.text(value).is_some() => continue,
            Found::Known(value) => wrong(setting.option, value, &expected),
        };
        found.push(mistake.at(span));
    }
    let limits = application.limits.iter().map(|limits| ("limits", limits));
    let others = application
        .options
        .iter()
        .map(|(name, option)| (name.as_str(), option));
    for (name, option) in limits.chain(others) {
        let mistakes = mistakes(name, option.value.as_ref(), options);
        found.extend(mistakes.into_iter().map(|mistake| mistake.at(option.span)));
    }
    found
}
