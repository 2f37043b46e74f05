//! Tests of the option `cors` of `createApp`, as the compiler reads it.

use crate::support::{mistakes, output};
use kit_ir::{Cors, CorsRules};

/// Compiles an application with this value of the option, and returns the option. The compiler must report nothing.
#[track_caller]
fn read(constants: &str, value: &str) -> Cors {
    let app = format!(
        "import {{ createApp }} from \"@kit/core\";\n{constants}\nexport const app = createApp({{ routes: [], cors: {value} }});"
    );
    let output = output(&[("src/app.ts", app.as_str())]);
    assert_eq!(mistakes(&output), "");
    output.program.application.cors.expect("the option is there")
}

#[test]
fn reads_cors_rules_from_literals_and_constants() {
    let rules = read(
        "const APP = \"https://app.example.com\"; const LOCAL = [\"http://localhost:5173\"] as const;",
        "{ origins: [APP, ...LOCAL], credentials: true, allowedHeaders: [\"x-a\"], exposedHeaders: [\"etag\"], maxAgeSeconds: 60 }",
    )
    .rules;
    let expected = CorsRules {
        origins: Some(vec![
            "https://app.example.com".to_owned(),
            "http://localhost:5173".to_owned(),
        ]),
        origins_variable: None,
        credentials: true,
        allowed_headers: Some(vec!["x-a".to_owned()]),
        exposed_headers: vec!["etag".to_owned()],
        max_age_seconds: Some(60),
    };
    assert_eq!(rules, Some(expected));
    let any = read("const cors = { origins: \"*\" };", "cors").rules;
    assert_eq!(any, Some(CorsRules::default()));
}

#[test]
fn reads_the_name_of_the_environment_variable_with_the_origins() {
    let constants = "import { env } from \"@kit/core\"; interface AppEnv { WEB_ORIGINS: string[]; } const variables = await env<AppEnv>(); const same = variables.WEB_ORIGINS;";
    for value in [
        "{ origins: variables.WEB_ORIGINS, credentials: true }",
        "{ origins: same, credentials: true }",
    ] {
        let expected = CorsRules {
            origins: Some(Vec::new()),
            origins_variable: Some("WEB_ORIGINS".to_owned()),
            credentials: true,
            ..CorsRules::default()
        };
        assert_eq!(read(constants, value).rules, Some(expected), "{value}");
    }
}

#[test]
fn keeps_the_location_of_cors_but_no_rules_if_the_value_is_known_only_at_run_time() {
    for value in [
        "{ origins: process.env.ORIGINS.split(\",\") }",
        "{ origins: [process.env.ORIGIN] }",
        "{ origins: process.env.ORIGINS }",
        "{ origins: more.ORIGINS }",
        "{ origins: [...origins()] }",
        "{ origins: [\"https://a.example\"], credentials: isSecure() }",
        "{ origins: [\"https://a.example\"], maxAgeSeconds: 0.5 }",
        "{ origins: [\"https://a.example\"], ...more }",
        "{ origins: [\"https://a.example\"], unknown: 1 }",
        "{ credentials: true }",
        "corsOptions()",
    ] {
        let cors = read(
            "declare function origins(): string[]; declare function isSecure(): boolean; declare function corsOptions(): { origins: string[] }; declare const more: object;",
            value,
        );
        assert_eq!((cors.rules, cors.span.line), (None, 3), "{value}");
    }
}

#[test]
fn reading_cors_ends_for_a_list_that_contains_itself() {
    let cors = read("const LIST = [...LIST];", "{ origins: LIST }");
    assert_eq!(cors.rules, None);
}
