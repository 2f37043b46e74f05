//! Tests that artifacts of types that refer to each other many times take little time and memory. Without the bounds, each level
//! of these types doubles the work.

#![allow(clippy::unwrap_used)] // helpers of tests may panic like tests

use kit_test_programs as support;

use std::collections::BTreeMap;

use kit_emit::{ContractTests, EmitOptions, TestRunner, emit};
use kit_ir::{Constraints, Method, RouteSlots, TypeId, TypeKind};
use support::{Builder, optional};

/// Number of levels. With work that doubles at each level, no test would end.
const LEVELS: usize = 36;

/// Returns the artifacts of a program whose only route has a type as its body and its response.
fn artifacts(make: impl FnOnce(&mut Builder) -> TypeId) -> BTreeMap<String, String> {
    let mut b = Builder::new("src/app.types.ts");
    let made = make(&mut b);
    let tested = b.declare("Tested", made);
    let slots = RouteSlots {
        body: Some(tested),
        response: Some(tested),
        ..RouteSlots::default()
    };
    let route = b.route(Method::Post, "/tested", "Routes", slots);
    b.program.routes.push(route);
    let options = EmitOptions {
        generated_at: "2026-01-01T00:00:00.000Z".to_owned(),
        output_dir_to_root: "..".to_owned(),
        title: "bounds".to_owned(),
        version: "1.0.0".to_owned(),
        about: kit_emit::ApiInfo::default(),
        openapi: kit_emit::OpenApiVersion::default(),
        client: true,
        replaced: std::collections::BTreeSet::new(),
        tests: Some(ContractTests {
            app: "src/app.ts".to_owned(),
            fixtures: None,
            database: false,
            runner: TestRunner::Node,
            headers: BTreeMap::new(),
            routes: BTreeMap::new(),
        }),
    };
    emit(&b.program, &support::tree(&b.program), &options)
        .into_iter()
        .map(|artifact| (artifact.path.clone(), artifact.text.to_string()))
        .collect()
}

/// Adds interfaces that refer to each other. `level` creates the type of a level from the type of the level below.
fn chain(b: &mut Builder, mut below: TypeId, level: fn(&mut Builder, TypeId) -> TypeId) -> TypeId {
    for number in 0..LEVELS {
        let r#type = level(b, below);
        let declared = b.declare(&format!("Level{number}"), r#type);
        below = b.reference(declared);
    }
    level(b, below)
}

fn is_untested(artifacts: &BTreeMap<String, String>) -> bool {
    artifacts["tests/Routes.contract.js"].contains("kit cannot generate a valid body")
}

#[test]
fn a_type_that_contains_another_twice_at_each_level_has_no_example() {
    let artifacts = artifacts(|b| {
        let number = b.kind(TypeKind::Number);
        chain(b, number, |b, below| {
            let properties = vec![b.property("a", below), b.property("b", below)];
            b.object(properties)
        })
    });
    assert!(is_untested(&artifacts));
    assert!(!artifacts["schemas/openapi.json"].contains("\"example\""));
}

#[test]
fn lists_with_a_minimum_of_items_at_each_level_have_no_example() {
    let artifacts = artifacts(|b| {
        let number = b.kind(TypeKind::Number);
        chain(b, number, |b, element| {
            let constraints = Constraints {
                min_items: Some(900),
                ..Constraints::default()
            };
            let list = b.constrained(TypeKind::Array { element }, constraints);
            let properties = vec![b.property("list", list)];
            b.object(properties)
        })
    });
    assert!(is_untested(&artifacts));
}

#[test]
fn lists_of_lists_of_long_texts_have_no_example() {
    let artifacts = artifacts(|b| {
        let mut element = b.text(200_000, 200_000);
        for _ in 0..2 {
            let constraints = Constraints {
                min_items: Some(300),
                ..Constraints::default()
            };
            element = b.constrained(TypeKind::Array { element }, constraints);
        }
        let properties = vec![b.property("texts", element)];
        b.object(properties)
    });
    assert!(is_untested(&artifacts));
}

#[test]
fn members_of_unions_are_not_all_tried_if_no_value_is_found() {
    let artifacts = artifacts(|b| {
        // kit makes no texts of this length.
        let long = b.text(1_000_000, 2_000_000);
        chain(b, long, |b, below| {
            let members = ["a", "b"].map(|name| {
                let property = b.property(name, below);
                b.object(vec![property])
            });
            let union = b.union(&members);
            let properties = vec![b.property("either", union)];
            b.object(properties)
        })
    });
    assert!(is_untested(&artifacts));
}

/// A union that no property distinguishes, in a recursive type, lets generated functions pass on which members matched.
#[test]
fn nested_unions_in_a_recursive_type_are_visited_once() {
    let artifacts = artifacts(|b| {
        let (string, number) = (b.string(), b.kind(TypeKind::Number));
        let one = vec![b.property("a", string)];
        let other = vec![b.property("b", string), optional(b.property("c", number))];
        let members = [b.object(one), b.object(other)];
        let tried = b.union(&members);
        let mut nested = string;
        for _ in 0..LEVELS {
            let tags = [b.literal("x"), b.literal("y")];
            let deeper = vec![b.property("kind", tags[0]), b.property("nested", nested)];
            let end = vec![b.property("kind", tags[1])];
            let members = [b.object(deeper), b.object(end)];
            nested = b.union(&members);
        }
        let properties = vec![b.property("tried", tried), b.property("nested", nested)];
        let declared = b.interface("Deep", properties);
        let own = b.reference(declared);
        let recursion = optional(b.property("deep", own));
        let id = b.program.declarations[declared].r#type;
        if let TypeKind::Object(object) = &mut b.program.types[id].kind {
            object.properties.push(recursion);
        }
        b.reference(declared)
    });
    assert!(artifacts.values().any(|text| text.contains("DeepUnion")));
}

/// Adds unions in each other. Each member has three literals as its tag, and one of them contains the union of the level below.
fn tagged(b: &mut Builder, levels: usize) -> TypeId {
    let mut nested = b.kind(TypeKind::Date);
    for _ in 0..levels {
        let date = b.kind(TypeKind::Date);
        let tags = [b.literals(&["a", "b", "c"]), b.literals(&["d", "e", "f"])];
        let deeper = vec![b.property("kind", tags[0]), b.property("nested", nested)];
        let end = vec![b.property("kind", tags[1]), b.property("at", date)];
        let members = [b.object(deeper), b.object(end)];
        nested = b.union(&members);
    }
    nested
}

#[test]
fn artifacts_of_nested_unions_stay_small_if_their_tags_have_several_literals() {
    let few = artifacts(|b| tagged(b, 6));
    let many = artifacts(|b| tagged(b, 12));
    for (path, text) in &many {
        // Contract tests send a whole body for each level.
        let most = if path.ends_with("contract.js") { 4 } else { 3 };
        let (few, many) = (few[path].len(), text.len());
        assert!(many < most * few, "{path}: {few} bytes at 6 levels, {many} at 12");
    }
}
