//! Tests of the option `errors` of `createApp`, as the compiler reads it.

use crate::support::{mistakes, output};
use kit_ir::{ErrorFormat, ErrorRules, Program};

fn app(constants: &str, value: &str) -> String {
    format!(
        "import {{ createApp, defineErrorFormat }} from \"@kit/core\";\n{constants}\nexport const app = createApp({{ routes: [], errors: {value} }});"
    )
}

/// Compiles an application with this value of the option. The compiler must report nothing.
#[track_caller]
fn read(constants: &str, value: &str) -> (Program, ErrorRules) {
    let app = app(constants, value);
    let output = output(&[("src/app.ts", app.as_str())]);
    assert_eq!(mistakes(&output), "");
    let errors = output
        .program
        .application
        .errors
        .clone()
        .expect("the option is there");
    assert_eq!(errors.span.line, 3);
    (output.program, errors.rules.expect("the value is known"))
}

#[test]
fn reads_the_formats_of_kit_and_the_status() {
    assert_eq!(read("", "{}").1, ErrorRules::DEFAULT);
    let (_, rules) = read("const STATUS = 422;", "{ validationStatus: STATUS }");
    assert_eq!(
        (rules.format, rules.validation_status),
        (ErrorFormat::Envelope, 422)
    );
    let (_, rules) = read(
        "const problems = { format: \"problem-details\" } as const;",
        "problems",
    );
    assert_eq!(
        (rules.format, rules.validation_status),
        (ErrorFormat::ProblemDetails, 400)
    );
}

#[test]
fn reads_the_type_the_content_type_and_the_paths_of_a_declared_format() {
    let constants = "interface Zebra { a: string }\nexport interface MyError { error: { type: string; text: string }; z?: Zebra }\n";
    let constants = format!(
        "{constants}const format = defineErrorFormat<MyError>({{ contentType: \"application/problem+json\", body: (f) => ({{ error: {{ type: f.code, text: f.message }} }}), paths: {{ code: \"error.type\", traceId: \"id\" }} }});"
    );
    let source = app(&constants, "{ format }");
    let output = output(&[("src/app.ts", source.as_str())]);
    assert_eq!(mistakes(&output), "");
    let program = output.program;
    let format = program
        .application
        .declared_format()
        .expect("the format is declared");
    assert_eq!(program.declarations[format.body].name, "MyError");
    assert_eq!(format.content_type, "application/problem+json");
    assert_eq!(format.paths.code, ["error", "type"]);
    assert_eq!(format.paths.trace_id, ["id"]);
    assert!(format.paths.message.is_empty() && format.paths.details.is_empty());
}

#[test]
fn names_an_anonymous_type_of_an_error_format() {
    let constants = "const format = defineErrorFormat<{ errors: { body: string[] } }>({ body: () => ({ errors: { body: [] } }) });";
    let (program, _) = read(constants, "{ format, validationStatus: 422 }");
    let format = program
        .application
        .declared_format()
        .expect("the format is declared");
    assert_eq!(program.declarations[format.body].name, "ErrorBody");
}

#[test]
fn warns_and_reads_no_value_if_the_value_is_known_only_at_run_time() {
    for (value, message) in [
        ("options()", "the option `errors` cannot be read"),
        ("{ format: options() }", "this error format cannot be read"),
        (
            "{ format: defineErrorFormat({ body: () => ({}) }) }",
            "the type of this error format cannot be read",
        ),
        (
            "{ format: defineErrorFormat<{}>(options()) }",
            "the options of this error format cannot be read",
        ),
        ("{ validationStatus: options() }", "this status cannot be read"),
        ("{ ...options() }", "a part of the option `errors` cannot be read"),
    ] {
        let source = app("declare function options(): any;", value);
        let output = output(&[("src/app.ts", source.as_str())]);
        let reported = mistakes(&output);
        assert!(reported.contains(message), "{value}: {reported}");
        let errors = output.program.application.errors.expect("the option is there");
        assert_eq!(errors.rules, None, "{value}");
    }
}
