//! Tests of the option `securityHeaders` of `createApp`, as the compiler reads it.

use crate::support::{mistakes, output};
use kit_ir::SecurityHeaders;

/// Compiles an application with this value of the option, and returns the option. The compiler must report nothing.
#[track_caller]
fn read(constants: &str, value: &str) -> Option<SecurityHeaders> {
    let app = format!(
        "import {{ createApp }} from \"@kit/core\";\n{constants}\nexport const app = createApp({{ routes: [], securityHeaders: {value} }});"
    );
    let output = output(&[("src/app.ts", app.as_str())]);
    assert_eq!(mistakes(&output), "");
    output.program.application.security_headers
}

#[test]
fn reads_booleans_literals_and_constants() {
    assert_eq!(read("", "false"), None);
    let on = read("const ON = true;", "ON").expect("the option is on");
    assert_eq!(on.values.map(|values| values.len()), Some(0));
    let read = read(
        "const HSTS = \"max-age=60\"; const headers = { strictTransportSecurity: HSTS, frameOptions: false };",
        "headers",
    );
    let values = read
        .expect("the option is on")
        .values
        .expect("the value is known");
    let values: Vec<_> = values
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_deref()))
        .collect();
    assert_eq!(
        values,
        [
            ("frameOptions", None),
            ("strictTransportSecurity", Some("max-age=60"))
        ]
    );
}

#[test]
fn option_has_a_location_but_no_values_if_the_value_is_known_only_at_run_time() {
    for value in [
        "isOn()",
        "process.env.HEADERS === \"on\"",
        "{ referrerPolicy: process.env.POLICY }",
        "{ referrerPolicy: true }",
        "{ ...more }",
    ] {
        let read = read(
            "declare function isOn(): boolean; declare const more: object;",
            value,
        );
        let option = read.expect("the option is there");
        assert_eq!((option.values, option.span.line), (None, 3), "{value}");
    }
}
