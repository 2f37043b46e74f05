//! Tests of the calls `env<AppEnv>()`, as the compiler reads them.

use crate::support::{mistakes, output};

const IMPORT: &str = "import { env } from \"@kit/core\";\n";

#[test]
fn finds_the_type_of_env_in_another_file_and_under_another_name() {
    let source = "import { env as read } from \"@kit/core\";\nimport type { AppEnv } from \"./app-env.js\";\nexport const values = await read<AppEnv>();\nconst again = await read<AppEnv>();";
    let output = output(&[
        ("src/main.ts", source),
        (
            "src/app-env.ts",
            "export interface AppEnv { PORT: number; HOSTS?: string[] }",
        ),
    ]);
    assert_eq!(mistakes(&output), "");
    let program = output.program;
    let environment = program
        .application
        .environment
        .as_ref()
        .expect("the call is there");
    assert_eq!(
        (program.path(environment.span), environment.span.line),
        ("src/main.ts", 3)
    );
    let declaration = &program.declarations[environment.declaration];
    assert_eq!(
        (declaration.name.as_str(), program.path(declaration.span)),
        ("AppEnv", "src/app-env.ts")
    );
}

#[test]
fn reads_the_variables_from_a_type_without_a_name() {
    let source = format!("{IMPORT}export const values = await env<{{ PORT: number }}>();");
    let output = output(&[("src/main.ts", source.as_str())]);
    assert_eq!(mistakes(&output), "");
    let environment = output.program.application.environment.expect("the call is there");
    let declaration = &output.program.declarations[environment.declaration];
    assert_eq!(declaration.name, "Environment");
}

#[test]
fn ignores_other_functions_with_the_name_env() {
    let output = output(&[(
        "src/main.ts",
        "import { createApp } from \"@kit/core\";\nfunction env<T>(): T { throw 1 }\nenv<{ a: () => void }>();",
    )]);
    assert_eq!(mistakes(&output), "");
    assert_eq!(output.program.application.environment, None);
}

#[test]
fn refuses_a_call_of_env_without_a_type_and_calls_with_two_different_types() {
    let source =
        format!("{IMPORT}await env();\nawait env<{{ A: string }}>();\nawait env<{{ B: string }}>();");
    let output = output(&[("src/main.ts", source.as_str())]);
    let found = mistakes(&output);
    assert!(
        found.contains("src/main.ts:2:7 KIT1418 this call of `env` has no type"),
        "{found}"
    );
    assert!(
        found.contains("src/main.ts:4:7 KIT1418 `env` is called with the type `{ B: string }`, and before with `{ A: string }`"),
        "{found}"
    );
}

#[test]
fn refuses_types_that_environment_variables_cannot_have() {
    for (written, message) in [
        ("string", "the type of `env` must be an object, not `string`"),
        ("Record<string, string>", "the type of `env` may have any key"),
        (
            "{ \"a-b\": string }",
            "`a-b` is not the name of an environment variable",
        ),
        (
            "{ A: { b: string } }",
            "text cannot be coerced to `{ b: string }`, the type of the variable `A`",
        ),
        (
            "{ A: string | number }",
            "text cannot be coerced to `string | number`, the type of the variable `A`",
        ),
        (
            "{ A: string[][] }",
            "text cannot be coerced to `string[][]`, the type of the variable `A`",
        ),
    ] {
        let source = format!("{IMPORT}export const values = await env<{written}>();");
        let output = output(&[("src/main.ts", source.as_str())]);
        let found = mistakes(&output);
        assert!(
            found.contains(&format!("KIT1418 {message}")),
            "{written}: {found}"
        );
    }
}
