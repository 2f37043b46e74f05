//! Tests that no option of `createApp` is silently ignored: the Rust server enforces it, or the build refuses it.

// Projects are directories of files, and a helper of a test may fail the test.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod project_directory;
mod projects;

use kit_test_programs as support;
use std::fs;
use std::path::Path;

use kit_rust_server::{Options, Output, generate};
use project_directory::write;

/// Effect of an option on the Rust server.
enum Effect {
    /// The generated code has this text.
    Generates(&'static str),
    /// The generated code does not have this text.
    Omits(&'static str),
    /// The build fails with a message that has this text.
    Refuses(&'static str),
    /// The build succeeds with a warning that has this text.
    Warns(&'static str),
    /// The option belongs to the process of Node, for this reason.
    OnlyOnNode(&'static str),
}

use Effect::{Generates, Omits, OnlyOnNode, Refuses, Warns};

/// Each option of `createApp`, a value in TypeScript, and the effect of the value. An option of `AppOptions` without a row fails
/// a test.
const ROWS: [(&str, &str, Effect); 60] = [
    (
        "server",
        "nativeServer({ maxConnections: 7 })",
        Generates(r#"("MAX_CONNECTIONS", "7")"#),
    ),
    (
        "server",
        "nativeServer({ headersTimeoutMs: 9 })",
        Generates(r#"("HEADERS_TIMEOUT_MS", "9")"#),
    ),
    (
        "server",
        "nativeServer({ bodyTimeoutMs: 8 })",
        Generates(r#"("BODY_TIMEOUT_MS", "8")"#),
    ),
    (
        "server",
        "nativeServer({ keepAliveTimeoutMs: 7 })",
        Generates(r#"("KEEP_ALIVE_TIMEOUT_MS", "7")"#),
    ),
    (
        "server",
        "nativeServer({ writeTimeoutMs: 6 })",
        Generates(r#"("WRITE_TIMEOUT_MS", "6")"#),
    ),
    (
        "server",
        "nativeServer({ bodyMinBytesPerSecond: 5 })",
        Generates(r#"("BODY_MIN_BYTES_PER_SECOND", "5")"#),
    ),
    (
        "server",
        "nativeServer({ maxHeaderBytes: 32_768 })",
        Refuses("does not have the option `maxHeaderBytes`"),
    ),
    (
        "server",
        "nativeServer({ maxConnections: Number(text) })",
        Refuses("the value of `server.maxConnections`"),
    ),
    (
        "server",
        "nativeServer({ workers: 2 })",
        OnlyOnNode("the Rust server is one process with threads"),
    ),
    ("routes", "[]", Generates("Routes::new(app)")),
    ("middleware", "[]", Generates("Routes::new(app)")),
    (
        "plugins",
        "[{ name: \"metrics\" }]",
        OnlyOnNode("plugins are code of the TypeScript application"),
    ),
    (
        "compiled",
        "undefined",
        OnlyOnNode("the option is for bundlers of JavaScript"),
    ),
    (
        "logging",
        "{ level: \"warn\" }",
        Generates(r#"("LOG_LEVEL", "warn")"#),
    ),
    (
        "logging",
        "{ clientErrors: \"info\" }",
        Generates(r#"("LOG_CLIENT_ERRORS", "info")"#),
    ),
    (
        "logging",
        "{ clientErrors: \"fatal\" }",
        Refuses("`logging.clientErrors` is \"fatal\""),
    ),
    (
        "logging",
        "{ redact: [\"*.pin\"] }",
        Generates(r#".redact(&["*.pin"])"#),
    ),
    (
        "logging",
        "{ redactDefaults: false }",
        Refuses("does not have the option `logging.redactDefaults`"),
    ),
    (
        "logging",
        "{ level: text }",
        Refuses("the value of `logging.level`"),
    ),
    (
        "logging",
        "{ lvl: \"warn\" }",
        Refuses("there is no option `logging.lvl`"),
    ),
    (
        "telemetry",
        "{ tracing: true }",
        Refuses("`telemetry.tracing` is true, but the Rust server is built without an exporter"),
    ),
    (
        "telemetry",
        "{ endpoint: \"http://localhost:4318\" }",
        Refuses("does not have the option `telemetry.endpoint`"),
    ),
    (
        "telemetry",
        "{ prometheus: true }",
        Generates(r#"("OTEL_EXPORTER_PROMETHEUS_PORT", "9464")"#),
    ),
    (
        "telemetry",
        "{ prometheus: { hostname: \"::1\" } }",
        Generates(r#"("OTEL_EXPORTER_PROMETHEUS_HOST", "::1"), ("OTEL_EXPORTER_PROMETHEUS_PORT", "9464")"#),
    ),
    (
        "telemetry",
        "{ prometheus: { prot: 9000 } }",
        Refuses("there is no option `telemetry.prometheus.prot`"),
    ),
    (
        "telemetry",
        "{ exporter: \"console\" }",
        Refuses("does not have the option `telemetry.exporter`"),
    ),
    (
        "telemetry",
        "{ sampleRatio: 0.5 }",
        Refuses("does not have the option `telemetry.sampleRatio`"),
    ),
    (
        "logging",
        "{ redact: [\"user..pin\"] }",
        Refuses("`logging.redact` is [\"user..pin\"], which is not a list of names"),
    ),
    (
        "telemetry",
        "{ prometheus: { port: 9000, hostname: \"::1\" } }",
        Generates(r#"("OTEL_EXPORTER_PROMETHEUS_HOST", "::1"), ("OTEL_EXPORTER_PROMETHEUS_PORT", "9000")"#),
    ),
    (
        "limits",
        "{ bodyBytes: 16 * 1024 }",
        Generates(r#"("BODY_LIMIT_BYTES", "16384")"#),
    ),
    (
        "limits",
        "{ bodyBytes: Number(text) }",
        Refuses("the value of `limits` at build time"),
    ),
    (
        "limits",
        "{ bodyBytes: 2 ** 31 }",
        Refuses("`limits.bodyBytes` is 2147483648"),
    ),
    ("env", "\"test\"", Refuses("does not have the option `env`")),
    (
        "errorMiddleware",
        "() => undefined as never",
        Refuses("does not have the option `errorMiddleware`"),
    ),
    (
        "errors",
        "{ format: \"problem-details\" }",
        Generates(".errors(ErrorFormat::problem_details(), 400)"),
    ),
    (
        "requestTimeoutMs",
        "5_000",
        Generates(r#"("REQUEST_TIMEOUT_MS", "5000")"#),
    ),
    (
        "requestTimeoutMs",
        "Number(text)",
        Refuses("the value of `requestTimeoutMs` at build time"),
    ),
    (
        "requestTimeoutMs",
        "1.5",
        Refuses("`requestTimeoutMs` is 1.5, which is not a whole number"),
    ),
    ("trustProxy", "2", Generates(r#"("TRUST_PROXY", "2")"#)),
    (
        "trustProxy",
        "[\"loopback\", \"10.0.0.0/8\"]",
        Generates(r#"("TRUST_PROXY", "loopback,10.0.0.0/8")"#),
    ),
    (
        "trustProxy",
        "{ proxies: 1, header: \"forwarded\", scheme: true, host: true }",
        Generates(
            r#"("TRUST_PROXY", "1"), ("TRUST_PROXY_HEADER", "forwarded"), ("TRUST_PROXY_HOST", "true"), ("TRUST_PROXY_SCHEME", "true")"#,
        ),
    ),
    (
        "cors",
        "{ origins: \"*\" }",
        Generates(".cors(Cors::any_origin())"),
    ),
    ("csrf", "true", Generates(".csrf(Csrf::new())")),
    ("securityHeaders", "true", Generates(".security_headers(")),
    (
        "cookies",
        "{ keys: [text] }",
        Generates(".requires_cookie_keys()"),
    ),
    (
        "compression",
        "true",
        Generates(".compression(Compression::new())"),
    ),
    (
        "sockets",
        "{ pingMs: 250, compression: true }",
        Generates(r#"("SOCKET_COMPRESSION", "true"), ("SOCKET_PING_MS", "250")"#),
    ),
    ("etag", "true", Generates(".etag(Etag::new())")),
    (
        "staticFiles",
        "{ dir: \"public\" }",
        Generates(".static_files(Site::new(\"public\")"),
    ),
    ("requestLog", "true", Generates(".request_log(RequestLog::new())")),
    (
        "health",
        "{ live: \"/live\" }",
        Generates(r#".health(Some("/live"), Some("/readyz"))"#),
    ),
    ("health", "false", Generates(".health(None, None)")),
    (
        "health",
        "{ checks: { always: () => true } }",
        Warns("does not run `health.checks`"),
    ),
    ("docs", "false", Omits(".docs(")),
    (
        "docs",
        "{ path: \"/reference\" }",
        Generates(".path(\"/reference\").in_production())"),
    ),
    ("openapi", "true", Generates(".serves_documents(true)")),
    (
        "shutdownDelayMs",
        "5_000",
        Generates(r#"("SHUTDOWN_DELAY_MS", "5000")"#),
    ),
    (
        "shutdownGraceMs",
        "60_000",
        Generates(r#"("SHUTDOWN_GRACE_MS", "60000")"#),
    ),
    (
        "signals",
        "false",
        Refuses("does not have the option `signals: false`"),
    ),
    (
        "...more",
        "",
        Refuses("needs all options of `createApp` at build time"),
    ),
];

/// Generates the server of an application with one option.
fn output(number: usize, name: &str, value: &str) -> Output {
    output_with(number, name, value, false)
}

/// Generates the server of an application with one option. `otlp` is true if the server can export telemetry.
fn output_with(number: usize, name: &str, value: &str, otlp: bool) -> Output {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("application-options/{number}"));
    let option = match (name, value) {
        ("routes", _) => String::new(),
        (spread, "") => spread.to_owned(),
        (name, value) => format!("{name}: {value}"),
    };
    let server = if name == "server" {
        ""
    } else {
        "server: nativeServer(),"
    };
    let source = format!(
        "import {{ createApp }} from \"@kit/core\";\nimport {{ nativeServer }} from \"@kit/server-native\";\n\
         declare const text: string;\ndeclare const more: object;\n\
         export const app = createApp({{ {server} routes: [], {option} }});\n"
    );
    write(
        &root.join("package.json"),
        "{ \"name\": \"options\", \"type\": \"module\" }\n",
    );
    write(&root.join("src/app.ts"), &source);
    let program = projects::understood(&root).unwrap_or_else(|errors| panic!("{source}: {errors:#?}"));
    let options = Options {
        name: "options".to_owned(),
        output_dir: ".kit".to_owned(),
        api_docs: true,
        otlp,
        ..Options::default()
    };
    generate(&program, &options)
}

#[test]
fn every_option_of_create_app_is_enforced_or_refused() {
    for (number, (name, value, effect)) in ROWS.iter().enumerate() {
        let row = format!("{name}: {value}");
        let Output {
            files,
            problems,
            warnings,
            ..
        } = output(number, name, value);
        let problems: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
        let warnings: Vec<_> = warnings.iter().map(|warning| warning.message.as_str()).collect();
        if let Refuses(text) = effect {
            assert!(
                problems.len() == 1 && problems[0].contains(text),
                "{row}: {problems:#?}"
            );
            assert!(
                problems[0].contains("Rust server") || problems[0].contains('`'),
                "{row}: {problems:#?}"
            );
            continue;
        }
        assert!(problems.is_empty(), "{row}: {problems:#?}");
        if !matches!(effect, Warns(_)) {
            assert!(warnings.is_empty(), "{row}: {warnings:#?}");
        }
        match effect {
            Generates(text) => {
                let router = files.iter().find(|file| file.path == "router.rs").unwrap();
                // The printer may break lines at any place between two tokens.
                let dense = |text: &str| {
                    text.split_whitespace()
                        .collect::<String>()
                        .replace(",)", ")")
                        .replace(",]", "]")
                };
                assert!(
                    dense(&router.text).contains(&dense(text)),
                    "{row}: {}",
                    router.text
                );
            }
            Omits(text) => {
                let router = files.iter().find(|file| file.path == "router.rs").unwrap();
                assert!(!router.text.contains(text), "{row}: {}", router.text);
            }
            Warns(text) => assert!(
                warnings.len() == 1 && warnings[0].contains(text),
                "{row}: {warnings:#?}"
            ),
            OnlyOnNode(reason) => assert!(!reason.is_empty(), "{row}"),
            Refuses(_) => unreachable!("handled above"),
        }
    }
}

#[test]
fn every_option_of_create_app_has_a_row() {
    let source = projects::repository().join("packages/core/src/app/options.ts");
    let source = fs::read_to_string(source).unwrap();
    // The compiler of TypeScript checks that this constant has all names of `AppOptions`.
    let (_, names) = source
        .split_once("const known: Readonly<Record<keyof AppOptions, true>> = {")
        .unwrap();
    let (names, _) = names.split_once("};").unwrap();
    let names: Vec<_> = names
        .lines()
        .filter_map(|line| line.trim().strip_suffix(": true,"))
        .collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        assert!(
            ROWS.iter().any(|(known, _, _)| *known == name),
            "the option `{name}` has no row"
        );
    }
}

#[test]
fn the_build_refuses_an_option_that_it_does_not_know() {
    let problems = output(ROWS.len(), "timeout", "5").problems;
    let messages: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages, ["there is no option `timeout` of `createApp`"]);
}

#[test]
fn a_server_with_an_exporter_refuses_to_turn_a_signal_off_in_the_source() {
    let messages = |number: usize, value: &str| {
        let problems = output_with(ROWS.len() + number, "telemetry", value, true).problems;
        problems
            .into_iter()
            .map(|problem| problem.message)
            .collect::<Vec<_>>()
    };
    assert!(
        messages(
            1,
            "{ tracing: true, metrics: true, logs: true, exporter: \"otlp\" }"
        )
        .is_empty()
    );
    assert_eq!(
        messages(2, "{ tracing: true, logs: false, exporter: \"none\" }"),
        [
            "the Rust server does not have the option `telemetry.logs: false`",
            "the Rust server does not have the option `telemetry.exporter`",
        ]
    );
}
