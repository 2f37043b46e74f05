//! Tests of the JSON Schema of unions in OpenAPI documents.

#![allow(clippy::unwrap_used)] // helpers of tests may panic like tests

use kit_test_programs as support;

use kit_emit::{EmitOptions, emit};
use kit_ir::{Method, RouteSlots, TypeId, TypeKind};
use serde_json::{Value, json};
use support::Builder;

/// Returns the schema of the response type `Tested`, a union of these members.
fn schema(members: impl FnOnce(&mut Builder) -> Vec<TypeId>) -> Value {
    let mut b = Builder::new("src/app.types.ts");
    let members = members(&mut b);
    let union = b.union(&members);
    let tested = b.declare("Tested", union);
    let slots = RouteSlots {
        response: Some(tested),
        ..RouteSlots::default()
    };
    let route = b.route(Method::Get, "/tested", "Routes", slots);
    b.program.routes.push(route);
    let options = EmitOptions {
        generated_at: "2026-01-01T00:00:00.000Z".to_owned(),
        output_dir_to_root: "..".to_owned(),
        title: "unions".to_owned(),
        version: "1.0.0".to_owned(),
        about: kit_emit::ApiInfo::default(),
        openapi: kit_emit::OpenApiVersion::default(),
        client: true,
        replaced: std::collections::BTreeSet::new(),
        tests: None,
    };
    let artifacts = emit(&b.program, &support::tree(&b.program), &options);
    let document = artifacts
        .iter()
        .find(|artifact| artifact.path == "schemas/openapi.json")
        .unwrap();
    let document: Value = serde_json::from_str(&document.text).unwrap();
    document["components"]["schemas"]["Tested"].clone()
}

fn tagged(b: &mut Builder, name: &str, tag: &str) -> TypeId {
    let kind = b.literal(tag);
    let properties = vec![b.property("kind", kind)];
    let declaration = b.interface(name, properties);
    b.reference(declaration)
}

fn discriminated() -> Value {
    json!({
        "oneOf": [{ "$ref": "#/components/schemas/Cat" }, { "$ref": "#/components/schemas/Dog" }],
        "discriminator": {
            "propertyName": "kind",
            "mapping": { "cat": "#/components/schemas/Cat", "dog": "#/components/schemas/Dog" },
        },
    })
}

#[test]
fn union_becomes_a_one_of_with_a_discriminator_if_a_property_distinguishes_its_members() {
    let found = schema(|b| vec![tagged(b, "Cat", "cat"), tagged(b, "Dog", "dog")]);
    assert_eq!(found, discriminated());
}

#[test]
fn union_with_null_becomes_a_one_of_null_and_the_union_with_a_discriminator() {
    let found = schema(|b| {
        let null = b.kind(TypeKind::Null);
        vec![tagged(b, "Cat", "cat"), null, tagged(b, "Dog", "dog")]
    });
    assert_eq!(found, json!({ "oneOf": [discriminated(), { "type": "null" }] }));
}

#[test]
fn union_becomes_an_any_of_if_a_value_can_match_two_members() {
    let found = schema(|b| {
        let string = b.string();
        let properties = vec![b.property("name", string)];
        let named = b.interface("Named", properties);
        vec![tagged(b, "Cat", "cat"), b.reference(named)]
    });
    let members = json!([{ "$ref": "#/components/schemas/Cat" }, { "$ref": "#/components/schemas/Named" }]);
    assert_eq!(found, json!({ "anyOf": members }));
}

#[test]
fn union_becomes_a_one_of_without_a_discriminator_if_disjoint_members_are_not_components() {
    let found = schema(|b| vec![b.string(), b.kind(TypeKind::Number)]);
    assert_eq!(
        found,
        json!({ "oneOf": [{ "type": "string" }, { "type": "number" }] })
    );
}
