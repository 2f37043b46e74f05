//! Tests of `runtime.ts`, the module that applications load.

#![allow(clippy::unwrap_used)] // helpers of tests may panic like tests

use kit_test_programs as support;

use std::collections::BTreeMap;

use kit_emit::{EmitOptions, emit};
use kit_ir::{Method, Program, RouteSlots};
use support::Builder;

/// Returns the text of each artifact, by path. Plugins replace the validators in `replaced`.
fn texts(program: &Program, replaced: &[&str]) -> BTreeMap<String, String> {
    let options = EmitOptions {
        generated_at: "2026-01-01T00:00:00.000Z".to_owned(),
        output_dir_to_root: "..".to_owned(),
        title: "runtime".to_owned(),
        tests: None,
        version: "1.0.0".to_owned(),
        about: kit_emit::ApiInfo::default(),
        openapi: kit_emit::OpenApiVersion::default(),
        client: true,
        replaced: replaced.iter().map(|path| (*path).to_owned()).collect(),
    };
    let artifacts = emit(program, &support::tree(program), &options);
    artifacts
        .into_iter()
        .map(|artifact| (artifact.path, artifact.text.to_string()))
        .collect()
}

/// Returns a program in which a route uses the first type, which refers to the second. The third type is unused.
fn program([outer, inner, unused]: [&str; 3]) -> Program {
    let mut b = Builder::new("src/app.types.ts");
    let text = b.string();
    let properties = vec![b.property("text", text)];
    let inner = b.interface(inner, properties);
    let reference = b.reference(inner);
    let properties = vec![b.property("inner", reference)];
    let outer = b.interface(outer, properties);
    let properties = vec![b.property("text", text)];
    b.interface(unused, properties);
    let slots = RouteSlots {
        body: Some(outer),
        response: Some(outer),
        ..RouteSlots::default()
    };
    let route = b.route(Method::Post, "/outer", "Routes", slots);
    b.program.routes.push(route);
    b.program
}

#[test]
fn runtime_module_contains_the_types_of_routes_after_the_types_they_refer_to() {
    let texts = texts(&program(["Note", "Tag", "Unused"]), &[]);
    let runtime = &texts["runtime.ts"];
    let sections: Vec<_> = runtime
        .lines()
        .filter_map(|line| line.strip_prefix("// "))
        .filter(|line| line.contains('/') && !line.contains(' '))
        .collect();
    let expected = [
        "validators/Tag.validator.ts",
        "validators/Note.validator.ts",
        "serializers/Tag.serializer.ts",
        "serializers/Note.serializer.ts",
    ];
    assert_eq!(sections, expected);
    assert!(!runtime.contains("Unused"));
    let index = &texts["routes/index.ts"];
    assert!(index.contains("import { NoteSerializer, NoteValidator } from \"../runtime.ts\";"));
    assert!(!index.contains("validators/"), "{index}");
}

#[test]
fn runtime_module_contains_the_code_of_the_other_generated_modules() {
    let texts = texts(&support::kitchen_sink::program(), &[]);
    let mut sections = 0;
    for section in texts["runtime.ts"].split("\n// ").skip(2) {
        let Some((path, items)) = section.split_once('\n') else {
            panic!("a section has a path: {section}");
        };
        // Artifacts end with a line break. Here, an empty line separates two modules.
        assert!(format!("{}\n", texts[path]).contains(items), "{path}:\n{items}");
        sections += 1;
    }
    assert_eq!(sections, 16);
}

#[test]
fn runtime_module_imports_validators_that_plugins_replace() {
    let replaced = "validators/Tag.validator.ts";
    let texts = texts(&program(["Note", "Tag", "Unused"]), &[replaced]);
    let runtime = &texts["runtime.ts"];
    assert!(!runtime.contains("function isTag"));
    assert!(
        runtime.contains("import { TagShape, decodeTag, isTag } from \"./validators/Tag.validator.ts\";")
    );
    assert!(runtime.contains("export { TagValidator } from \"./validators/Tag.validator.ts\";"));
    assert!(runtime.contains("export function isNote"));
}

/// If a project has the types `isFoo` and `FooShape`, `isFooShape` would be the shape of one and the check of
/// the other.
#[test]
fn runtime_module_is_not_written_if_two_modules_export_the_same_name() {
    for inner in ["FooShape", "FooUnion2"] {
        let texts = texts(&program(["isFoo", inner, "Unused"]), &[]);
        assert!(!texts.contains_key("runtime.ts"));
        let index = &texts["routes/index.ts"];
        assert!(index.contains("import { isFooValidator } from \"../validators/isFoo.validator.ts\";"));
    }
    assert!(texts(&program(["isFoo", "Foo", "Shape"]), &[]).contains_key("runtime.ts"));
}

#[test]
fn runtime_module_is_not_written_for_a_program_without_routes() {
    let mut b = Builder::new("src/app.types.ts");
    let text = b.string();
    let properties = vec![b.property("text", text)];
    b.interface("Note", properties);
    assert!(!texts(&b.program, &[]).contains_key("runtime.ts"));
}
