//! Tests of unions in OpenAPI documents.

#![allow(clippy::unwrap_used)] // helpers of tests may panic like tests

use kit_test_programs as support;

use kit_emit::{EmitOptions, emit};
use kit_ir::{Method, RouteSlots, TypeId, TypeKind};
use serde_json::{Value, json};
use support::Builder;

/// Returns the schema of `Tested`, a union, as a response.
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
fn union_has_a_discriminator_if_a_property_tells_components_apart() {
    let found = schema(|b| vec![tagged(b, "Cat", "cat"), tagged(b, "Dog", "dog")]);
    assert_eq!(found, discriminated());
}

#[test]
fn null_is_a_separate_member_beside_a_discriminator() {
    let found = schema(|b| {
        let null = b.kind(TypeKind::Null);
        vec![tagged(b, "Cat", "cat"), null, tagged(b, "Dog", "dog")]
    });
    assert_eq!(found, json!({ "oneOf": [discriminated(), { "type": "null" }] }));
}

#[test]
fn members_with_common_values_are_an_any_of() {
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
fn disjoint_members_without_components_are_a_one_of() {
    let found = schema(|b| vec![b.string(), b.kind(TypeKind::Number)]);
    assert_eq!(
        found,
        json!({ "oneOf": [{ "type": "string" }, { "type": "number" }] })
    );
}
