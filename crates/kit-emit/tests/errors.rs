//! Tests of all artifacts that describe error bodies, for each format of the option `errors`.

#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.

use kit_test_programs as support;

use std::collections::BTreeMap;

use kit_emit::{ContractTests, EmitOptions, TestRunner, emit};
use kit_ir::{DeclaredFormat, ErrorFormat, ErrorPaths, ErrorRules, Errors, Program, Property, TypeKind};
use serde_json::{Value, json};
use support::Builder;

/// Returns all artifacts of the program `contracts` with these rules.
fn artifacts(make: impl FnOnce(&mut Program) -> ErrorRules) -> BTreeMap<String, String> {
    let mut program = support::contracts::program();
    let rules = make(&mut program);
    let span = program.routes.iter().next().unwrap().span;
    program.application.errors = Some(Errors {
        rules: Some(rules),
        span,
    });
    let options = EmitOptions {
        generated_at: "2026-01-01T00:00:00.000Z".to_owned(),
        output_dir_to_root: "..".to_owned(),
        title: "errors".to_owned(),
        tests: Some(ContractTests {
            app: "src/app.ts".to_owned(),
            fixtures: None,
            database: false,
            runner: TestRunner::Node,
            headers: BTreeMap::new(),
            routes: BTreeMap::new(),
        }),
        version: "1.0.0".to_owned(),
        about: kit_emit::ApiInfo::default(),
        openapi: kit_emit::OpenApiVersion::default(),
        client: true,
        replaced: std::collections::BTreeSet::new(),
    };
    emit(&program, &support::tree(&program), &options)
        .into_iter()
        .map(|artifact| (artifact.path.clone(), artifact.text.to_string()))
        .collect()
}

fn rules(format: ErrorFormat, validation_status: u16) -> ErrorRules {
    ErrorRules {
        format,
        validation_status,
    }
}

/// Adds the type `Failed { kind, data? }`, with the places of the code and the details unless `paths` is false.
fn declared(program: &mut Program, paths: bool) -> ErrorFormat {
    let mut b = Builder::new("src/errors.ts");
    std::mem::swap(&mut b.program, program);
    let (string, unknown) = (b.string(), b.kind(TypeKind::Unknown));
    let data = Property {
        optional: true,
        ..b.property("data", unknown)
    };
    let kind = b.property("kind", string);
    let body = b.interface("Failed", vec![kind, data]);
    std::mem::swap(&mut b.program, program);
    let place = |name: &str| if paths { vec![name.to_owned()] } else { Vec::new() };
    ErrorFormat::Declared(DeclaredFormat {
        body,
        content_type: "application/vnd.failed+json".to_owned(),
        paths: ErrorPaths {
            code: place("kind"),
            details: place("data"),
            ..ErrorPaths::default()
        },
    })
}

fn openapi(artifacts: &BTreeMap<String, String>) -> Value {
    serde_json::from_str(&artifacts["schemas/openapi.json"]).unwrap()
}

#[test]
fn openapi_describes_problem_details_and_the_status_of_validation_errors() {
    let document = openapi(&artifacts(|_| rules(ErrorFormat::ProblemDetails, 422)));
    let responses = &document["paths"]["/orders"]["post"]["responses"];
    assert!(responses["400"].is_null(), "{responses:#}");
    let content = &responses["422"]["content"];
    assert_eq!(
        content["application/problem+json"]["schema"]["$ref"],
        "#/components/schemas/Error"
    );
    let schema = &document["components"]["schemas"]["Error"];
    let required = json!(["type", "title", "status", "detail", "instance", "code", "traceId"]);
    assert_eq!(schema["required"], required);
    assert_eq!(
        schema["properties"]["errors"]["items"]["required"],
        json!(["path", "expected", "rule"])
    );
    let sold_out = &responses["409"]["content"]["application/problem+json"];
    let example = &sold_out["examples"]["SOLD_OUT"]["value"];
    assert_eq!(
        (&example["status"], &example["title"]),
        (&json!(409), &json!("Conflict"))
    );
    let text = sold_out["schema"].to_string();
    assert!(
        text.contains(r#""const":"SOLD_OUT""#) && text.contains("allOf"),
        "{text}"
    );
}

#[test]
fn openapi_uses_the_declared_type_and_content_type_for_errors() {
    let document = openapi(&artifacts(|program| rules(declared(program, true), 400)));
    let responses = &document["paths"]["/orders"]["post"]["responses"];
    let content = &responses["default"]["content"];
    let reference = &content["application/vnd.failed+json"]["schema"]["$ref"];
    assert_eq!(reference, "#/components/schemas/Failed");
    assert!(document["components"]["schemas"]["Error"].is_null());
    assert_eq!(document["components"]["schemas"]["Failed"]["type"], "object");
    let text = responses["409"]["content"].to_string();
    assert!(
        text.contains(r#""kind":{"const":"SOLD_OUT""#) || text.contains(r#""const":"SOLD_OUT""#),
        "{text}"
    );
}

#[test]
fn routes_export_an_error_serializer_only_for_a_declared_type() {
    let own = artifacts(|program| rules(declared(program, true), 400));
    assert!(own["routes/index.ts"].contains("errorBody: FailedSerializer,"));
    let problems = artifacts(|_| rules(ErrorFormat::ProblemDetails, 400));
    assert!(!problems["routes/index.ts"].contains("errorBody"));
}

#[test]
fn client_contains_the_paths_types_and_status_of_a_declared_error_format() {
    let problems = artifacts(|_| rules(ErrorFormat::ProblemDetails, 422));
    let client = &problems["client/index.ts"];
    assert!(
        client.contains("interface Routes extends Generated, ApiErrors<unknown, 422> {"),
        "{client}"
    );
    assert!(
        client.contains(r#"message: ["detail"]"#) && client.contains(r#"fields: ["errors"]"#),
        "{client}"
    );
    assert!(client.contains(r#"ApiFailure<"SOLD_OUT", 409"#), "{client}");
    let own = artifacts(|program| rules(declared(program, true), 400));
    let client = &own["client/index.ts"];
    assert!(
        client.contains("extends Generated, ApiErrors<Types.Failed, 400> {"),
        "{client}"
    );
    assert!(
        client.contains(r#"errors: { validationStatus: 400, code: ["kind"], details: ["data"] },"#),
        "{client}"
    );
}

#[test]
fn client_has_no_error_codes_if_the_declared_type_has_no_path_for_the_code() {
    let own = artifacts(|program| rules(declared(program, false), 400));
    let client = &own["client/index.ts"];
    assert!(client.contains("ApiFailure<string, 409"), "{client}");
    assert!(!client.contains(r#"ApiFailure<"SOLD_OUT""#), "{client}");
}

#[test]
fn contract_tests_contain_the_error_format_and_the_shape_of_its_declared_type() {
    let own = artifacts(|program| rules(declared(program, true), 422));
    let contracts = &own["tests/contracts.ts"];
    assert!(contracts.contains("body: FailedShape"), "{contracts}");
    assert!(contracts.contains("validationStatus: 422"), "{contracts}");
}

#[test]
fn artifacts_do_not_change_if_the_option_errors_selects_the_default() {
    let with = artifacts(|_| ErrorRules::DEFAULT);
    for text in [
        &with["client/index.ts"],
        &with["tests/contracts.ts"],
        &with["routes/index.ts"],
    ] {
        assert!(
            !text.contains("validationStatus") && !text.contains("ApiErrors"),
            "{text}"
        );
    }
}
