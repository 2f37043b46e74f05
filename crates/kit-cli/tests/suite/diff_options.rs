//! `kit diff`: changes of the options and environment variables of an application.

use serde_json::Value;

use crate::diff::{contract, ids, project};

/// Compares two applications with these options.
fn applications(old: &str, new: &str) -> Value {
    let app = |options: &str| {
        format!(
            "import {{ createApp, defineHandlers, env }} from \"@kit/core\";\nimport type {{ NoteRoutes }} from \"./notes.routes.ts\";\n\
             const handlers = defineHandlers<NoteRoutes>({{ \"PUT /note\": () => {{}} }});\n\
             export const app = createApp({{ routes: [{{ handlers }}], {options} }});\n"
        )
    };
    let project = project(&contract(
        "\"PUT /note\": RouteContract<void, void, string, void>;",
        "",
    ));
    project.write("src/app.ts", &app(old));
    assert_eq!(project.kit(&["diff", "--save", "old.json"]).code, 0);
    project.write("src/app.ts", &app(new));
    project.kit(&["diff", "old.json", "--json"]).json()
}

#[test]
fn options_that_allow_less_break_requests_of_web_pages() {
    let cors = |rules: &str| format!("cors: {{ {rules} }}");
    let both = cors("origins: [\"https://a.example\", \"https://b.example\"], credentials: true");
    let one = cors("origins: [\"https://a.example\"]");
    let report = applications(&both, &one);
    assert_eq!(ids(&report), ["cors: cors-origin", "cors: cors-credentials"]);
    assert_eq!(report["changes"][0]["value"], "https://b.example");
    assert_eq!(
        (
            report["changes"][0]["path"].as_str(),
            report["changes"][0]["line"].as_u64()
        ),
        (Some("src/app.ts"), Some(4))
    );
    assert_eq!(ids(&applications(&one, &both)), [""; 0]);
    assert_eq!(ids(&applications(&both, "")), ["cors: cors-removed"]);
    assert_eq!(ids(&applications("", &both)), [""; 0]);
    let headers = |list: &str| cors(&format!("origins: [\"https://a.example\"], {list}"));
    assert_eq!(
        ids(&applications(
            &headers("allowedHeaders: [\"X-A\", \"x-b\"], exposedHeaders: [\"etag\"]"),
            &headers("allowedHeaders: [\"x-a\"]")
        )),
        ["cors: cors-header", "cors: cors-exposed-header"]
    );
    let computed = applications(
        &both,
        "cors: { origins: (process.env.ORIGINS ?? \"\").split(\",\") }",
    );
    assert_eq!(ids(&computed), ["cors: cors-unknown"]);
    assert_eq!(computed["changes"][0]["certain"], false);
}

#[test]
fn protection_against_forged_requests_and_smaller_limits_break_requests() {
    assert_eq!(ids(&applications("", "csrf: true")), ["csrf: csrf-added"]);
    assert_eq!(ids(&applications("csrf: true", "")), [""; 0]);
    // `false` means that the option is off.
    assert_eq!(ids(&applications("", "csrf: false")), [""; 0]);
    assert_eq!(
        ids(&applications("csrf: false", "csrf: true")),
        ["csrf: csrf-added"]
    );
    assert_eq!(ids(&applications("csrf: true", "csrf: false")), [""; 0]);
    let origins = "csrf: { origins: [\"https://a.example\"] }";
    assert_eq!(ids(&applications(origins, "csrf: true")), ["csrf: csrf-origin"]);
    assert_eq!(
        ids(&applications(
            origins,
            "csrf: true, cors: { origins: [\"https://a.example\"] }"
        )),
        [""; 0]
    );
    let token = "csrf: { token: { cookie: \"c\", header: \"x-c\" } }";
    assert_eq!(ids(&applications("csrf: true", token)), ["csrf: csrf-token"]);
    let report = applications("", "limits: { bodyBytes: 1_000 }");
    assert_eq!(ids(&report), ["limits: body-limit"]);
    assert_eq!(
        report["changes"][0]["message"],
        "request bodies could have 1048576 bytes, and may have 1000"
    );
    assert_eq!(
        ids(&applications("", "limits: { bodyBytes: 2 * 1024 * 1024 }")),
        [""; 0]
    );
}

#[test]
fn new_environment_variables_need_another_deployment_and_break_no_clients() {
    let report = |old: &str, new: &str| {
        let app = |variables: &str| {
            format!(
                "import {{ createApp, env }} from \"@kit/core\";\ninterface Variables {{ {variables} }}\n\
                 await env<Variables>();\nexport const app = createApp({{ routes: [] }});\n"
            )
        };
        let project = project("export {};\n");
        project.write("src/app.ts", &app(old));
        assert_eq!(project.kit(&["diff", "--save", "old.json"]).code, 0);
        project.write("src/app.ts", &app(new));
        let found = project.kit(&["diff", "old.json", "--json"]);
        assert_eq!(found.code, 0, "{}", found.out);
        found.json()
    };
    let found = report("PORT: number", "PORT: number; KEY: string; NAME?: string");
    assert_eq!(ids(&found), ["environment.KEY: property-added"]);
    assert_eq!(found["changes"][0]["consequence"], "needs-environment");
    assert_eq!(found["counts"]["needsEnvironment"], 1);
    let found = report("PORT: string", "/** @integer */ PORT: number");
    assert_eq!(ids(&found), ["environment.PORT: type"]);
    assert_eq!(ids(&report("PORT: number; KEY: string", "PORT: number")), [""; 0]);
}
