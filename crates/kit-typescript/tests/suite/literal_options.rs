//! Tests of the options of `createApp` whose values consist of literals, as the compiler reads them.

use crate::support::{mistakes, output};
use kit_ir::{Application, LiteralOption};
use serde_json::{Value, json};

/// Compiles an application with these options. The compiler must report nothing.
#[track_caller]
fn read(constants: &str, options: &str) -> Application {
    let app = format!(
        "import {{ createApp }} from \"@kit/core\";\n{constants}\nexport const app = createApp({{ routes: [], {options} }});"
    );
    let output = output(&[("src/app.ts", app.as_str())]);
    assert_eq!(mistakes(&output), "");
    output.program.application
}

#[track_caller]
fn compression(constants: &str, value: &str) -> Option<LiteralOption> {
    read(constants, &format!("compression: {value}")).compression
}

#[test]
fn reads_literals_constants_and_spreads() {
    let value = |constants, value| {
        compression(constants, value)
            .expect("the option is on")
            .value
            .expect("the value is known")
    };
    assert_eq!(value("const ON = true;", "ON"), json!(true));
    assert_eq!(value("", "{}"), json!({}));
    let constants = "const CODINGS = [\"br\"] as const; const base = { minBytes: 1_024, level: -0.5 };";
    assert_eq!(
        value(
            constants,
            "{ ...base, encodings: [...CODINGS, `gzip`], minBytes: 2048 }"
        ),
        json!({ "minBytes": 2048, "level": -0.5, "encodings": ["br", "gzip"] })
    );
}

#[test]
fn an_option_that_is_false_is_off() {
    assert_eq!(compression("const OFF = false;", "OFF"), None);
}

#[test]
fn option_has_a_location_but_no_value_if_the_value_is_known_only_at_run_time() {
    for value in [
        "isOn()",
        "process.env.ON === \"1\"",
        "{ minBytes: Number(process.env.MIN) }",
        "{ ...more }",
        "{ encodings: [...more] }",
        "{ [name]: 1 }",
    ] {
        let constants =
            "declare function isOn(): boolean; declare const more: any; declare const name: string;";
        let option = compression(constants, value).expect("the option is there");
        assert_eq!((option.value, option.span.line), (None, 3), "{value}");
    }
}

#[test]
fn reading_an_option_ends_if_a_constant_contains_itself() {
    let option =
        compression("const list: any = [list];", "{ encodings: list }").expect("the option is there");
    assert_eq!(option.value, None);
}

#[test]
fn reads_each_option_whose_value_is_a_literal() {
    let application = read(
        "",
        "compression: true, csrf: { origins: [] }, etag: true, requestLog: true, limits: { bodyBytes: 2 ** 20 }",
    );
    let value = |option: Option<LiteralOption>| option.and_then(|option| option.value);
    assert_eq!(value(application.compression), Some(Value::Bool(true)));
    assert_eq!(value(application.csrf), Some(json!({ "origins": [] })));
    assert_eq!(value(application.etag), Some(Value::Bool(true)));
    assert_eq!(value(application.request_log), Some(Value::Bool(true)));
    assert_eq!(value(application.limits), Some(json!({ "bodyBytes": 1_048_576 })));
}

/// Names and values of the options that the compiler reads for a Rust server.
#[track_caller]
fn options(constants: &str, options: &str) -> Value {
    let read = read(constants, options).options;
    let values = read
        .into_iter()
        .map(|(name, option)| (name, option.value.unwrap_or_default()));
    Value::Object(values.collect())
}

#[test]
fn reads_all_other_options_by_their_names() {
    let read = options(
        "const MINUTE = 60 * 1000;",
        "requestTimeoutMs: MINUTE / 2, trustProxy: [\"loopback\"], signals: false, docs: { path: \"/reference\" }, health: undefined, plugins: []",
    );
    let expected = json!({
        "requestTimeoutMs": 30_000,
        "trustProxy": ["loopback"],
        "signals": false,
        "docs": { "path": "/reference" },
    });
    assert_eq!(read, expected);
}

#[test]
fn property_of_an_option_is_null_if_its_value_is_known_only_at_run_time() {
    let read = options(
        "declare const pool: any;",
        "logging: { level: process.env.LEVEL, redact: [\"iban\"] }, health: { checks: { database: () => pool.query() } }, errorMiddleware() {}",
    );
    let expected = json!({
        "logging": { "level": null, "redact": ["iban"] },
        "health": { "checks": null },
        "errorMiddleware": null,
    });
    assert_eq!(read, expected);
}

#[test]
fn reads_the_options_of_the_server_adapter() {
    let constants = "import { nativeServer } from \"@kit/server-native\"; const server = nativeServer({ maxConnections: 1_000 });";
    assert_eq!(
        options(constants, "server"),
        json!({ "server": { "maxConnections": 1000 } })
    );
    let constants = "import { nativeServer } from \"@kit/server-native\";";
    assert_eq!(options(constants, "server: nativeServer()"), json!({}));
}

#[test]
fn options_have_unread_parts_if_a_spread_object_is_known_only_at_run_time() {
    let app = "import { createApp } from \"@kit/core\";\ndeclare const more: any;\nexport const app = createApp({ routes: [], ...more });";
    assert!(
        output(&[("src/app.ts", app)])
            .program
            .application
            .has_unread_options
    );
    assert!(!read("", "etag: true").has_unread_options);
}

/// The compiler reads the file with types first, but the program lists the files by their paths.
#[test]
fn the_location_of_an_option_is_in_the_file_of_the_application() {
    let output = output(&[
        ("src/z.types.ts", "export interface Z { id: string }"),
        (
            "src/app.ts",
            "import { createApp } from \"@kit/core\";\n\
             export const app = createApp({\n  routes: [],\n  requestTimeoutMs: 5,\n  etag: true,\n});",
        ),
    ]);
    assert_eq!(mistakes(&output), "");
    let program = &output.program;
    let (timeout, etag) = (
        &program.application.options["requestTimeoutMs"],
        &program.application.etag,
    );
    let place = |option: &LiteralOption| (program.path(option.span), option.span.line);
    assert_eq!(place(timeout), ("src/app.ts", 4));
    assert_eq!(etag.as_ref().map(place), Some(("src/app.ts", 5)));
}

/// The option `tls` of the calls of `listen` in a module.
#[track_caller]
fn tls(code: &str) -> Option<LiteralOption> {
    let source = format!(
        "import {{ createApp, type App }} from \"@kit/core\";\nexport const app = createApp({{ routes: [] }});\ndeclare const production: boolean; declare const path: string; declare const files: {{ cert: string; key: string }};\n{code}\n"
    );
    let output = output(&[("src/app.ts", source.as_str())]);
    assert_eq!(mistakes(&output), "");
    output.program.application.tls
}

#[test]
fn reads_the_paths_of_tls_in_a_call_of_listen() {
    let files = json!({ "cert": "/etc/tls/a.pem", "key": "/etc/tls/a.key" });
    let object = "{ cert: \"/etc/tls/a.pem\", key: \"/etc/tls/a.key\" }";
    for code in [
        format!("await app.listen({{ port: 1, tls: {object} }});"),
        format!(
            "const tls = {object} as const;\nexport const start = (one: App) => one.listen({{ port: 1, tls }});"
        ),
        format!("await app.listen({{ port: 1, tls: production ? {object} : undefined }});"),
        format!("await app.listen({{ port: 1, tls: !production ? undefined : {object} }});"),
        format!("await app.listen({{ port: 1, ...(production && {{ tls: {object} }}) }});"),
        format!("await app.listen({{ port: 1, ...(production ? {{ tls: {object} }} : {{}}) }});"),
        format!("const options = {{ port: 1, tls: {object} }};\nawait app.listen(options);"),
        format!("await app.listen({{ port: 1 }});\nawait app.listen({{ port: 2, tls: {object} }});"),
    ] {
        let option = tls(&code).unwrap_or_else(|| panic!("no option in {code}"));
        assert_eq!(option.value.as_ref(), Some(&files), "{code}");
    }
}

#[test]
fn tls_without_paths_in_the_source_has_a_location_only() {
    for code in [
        "await app.listen({ port: 1, tls: files });",
        "export const start = (tls: typeof files) => app.listen({ port: 1, tls });",
        "await app.listen({ port: 1, tls: production ? files : undefined });",
    ] {
        let option = tls(code).unwrap_or_else(|| panic!("no option in {code}"));
        assert_eq!(option.value, None, "{code}");
    }
    let option = tls("await app.listen({ port: 1, tls: { cert: path, key: \"k.pem\" } });").unwrap();
    assert_eq!(option.value, Some(json!({ "cert": null, "key": "k.pem" })));
}

#[test]
fn a_call_of_listen_without_tls_has_no_option() {
    for code in [
        "await app.listen({ port: 1 });",
        "await app.listen({ port: 1, tls: undefined });",
        "await app.listen({ port: 1, ...(production && {}) });",
        "export const other = { tls: files };",
    ] {
        assert_eq!(tls(code), None, "{code}");
    }
}
