//! Tests of `runtime.js` and `codecs.js`, which combine the modules of types.

#![allow(clippy::unwrap_used)] // helpers of tests may panic like tests

use kit_test_programs as support;

use std::collections::{BTreeMap, BTreeSet};

use kit_emit::{Artifact, EmitOptions, Emitter, emit};
use kit_ir::{Constraints, Method, Program, RouteSlots, TypeKind};
use serde_json::Value;
use support::Builder;

/// Returns the options of a project in which plugins replace the validators in `replaced`.
fn options(replaced: &[&str]) -> EmitOptions {
    EmitOptions {
        generated_at: "2026-01-01T00:00:00.000Z".to_owned(),
        output_dir_to_root: "..".to_owned(),
        title: "runtime".to_owned(),
        tests: None,
        version: "1.0.0".to_owned(),
        about: kit_emit::ApiInfo::default(),
        openapi: kit_emit::OpenApiVersion::default(),
        client: true,
        replaced: replaced.iter().map(|path| (*path).to_owned()).collect(),
    }
}

/// Returns the artifacts of a program. Plugins replace the validators in `replaced`.
fn artifacts(program: &Program, replaced: &[&str]) -> Vec<Artifact> {
    emit(program, &support::tree(program), &options(replaced))
}

/// Returns the text of each artifact, by path.
fn texts(program: &Program, replaced: &[&str]) -> BTreeMap<String, String> {
    artifacts(program, replaced)
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

/// Returns the modules in a combined file, in order.
fn sections(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("// "))
        .filter(|line| line.contains('.') && !line.contains(' '))
        .collect()
}

#[test]
fn runtime_contains_the_types_of_routes_after_the_types_they_refer_to() {
    let texts = texts(&program(["Note", "Tag", "Unused"]), &[]);
    let runtime = &texts["runtime.js"];
    let expected = [
        "Tag.validator.js",
        "Note.validator.js",
        "Tag.serializer.js",
        "Note.serializer.js",
    ];
    assert_eq!(sections(runtime), expected);
    assert!(!runtime.contains("Unused"));
    let routes = &texts["routes/routes.js"];
    assert!(routes.contains("import { NoteSerializer, NoteValidator } from \"../runtime.js\";"));
    assert!(!routes.contains("codecs"), "{routes}");
}

#[test]
fn codecs_contain_all_other_types_and_export_the_runtime_again() {
    let texts = texts(&program(["Note", "Tag", "Unused"]), &[]);
    let codecs = &texts["codecs.js"];
    assert!(codecs.contains("export * from \"./runtime.js\";"));
    assert_eq!(sections(codecs), ["Unused.validator.js", "Unused.serializer.js"]);
}

#[test]
fn declarations_contain_one_line_for_each_exported_constant() {
    let texts = texts(&program(["Note", "Tag", "Unused"]), &[]);
    let expected = "
import type { Serializer, Validator } from \"@kit/types\";
import type * as Types from \"./types.ts\";
export * from \"./runtime.js\";

export declare const UnusedValidator: Validator<Types.Unused>;
export declare const UnusedSerializer: Serializer<Types.Unused>;
";
    assert_eq!(texts["codecs.d.ts"].split_once('\n').unwrap().1, expected);
    assert!(texts["runtime.d.ts"].contains("export declare const NoteValidator: Validator<Types.Note>;"));
}

#[test]
fn each_type_has_a_file_that_exports_its_validator() {
    let texts = texts(&program(["Note", "Tag", "Unused"]), &[]);
    for name in ["Note", "Tag", "Unused"] {
        let text = &texts[&format!("validators/{name}.validator.ts")];
        let expected = format!("export {{ {name}Validator }} from \"../codecs.js\";");
        assert_eq!(text.lines().last(), Some(expected.as_str()));
    }
}

#[test]
fn types_have_no_files_of_their_own_if_there_are_more_than_500() {
    let program = |count| {
        let mut b = Builder::new("src/app.types.ts");
        let text = b.string();
        for number in 0..count {
            let properties = vec![b.property("text", text)];
            b.interface(&format!("Type{number}"), properties);
        }
        b.program
    };
    let written = |count| {
        let (program, used) = (program(count), BTreeSet::new());
        let artifacts =
            Emitter::default().emit_used(&program, &support::tree(&program), &options(&[]), Some(&used));
        let written = artifacts.iter();
        written
            .filter(|artifact| artifact.path.starts_with("validators/"))
            .count()
    };
    assert_eq!((written(500), written(501)), (500, 0));
}

/// Returns the program with 500 more types, which no route uses.
fn with_more_types(program: Program) -> Program {
    let mut b = Builder::new("src/more.types.ts");
    b.program = program;
    let text = b.string();
    for number in 0..500 {
        let properties = vec![b.property("text", text)];
        b.interface(&format!("More{number}"), properties);
    }
    b.program
}

#[test]
fn operations_of_a_large_program_refer_to_error_responses_that_operations_of_a_small_program_contain() {
    let program = program(["Note", "Tag", "Unused"]);
    let (small, large) = (texts(&program, &[]), texts(&with_more_types(program), &[]));
    let errors = |texts: &BTreeMap<String, String>| {
        let document: Value = serde_json::from_str(&texts["schemas/openapi.json"]).unwrap();
        let responses = document["paths"]["/outer"]["post"]["responses"].as_object();
        let errors = responses.unwrap().iter().filter(|(status, _)| *status != "201");
        let errors = errors.map(|(status, response)| {
            let reference = response["$ref"].as_str().and_then(|to| to.strip_prefix('#'));
            let resolved = reference.map_or(response, |pointer| document.pointer(pointer).unwrap());
            (status.clone(), (reference.is_some(), resolved.clone()))
        });
        errors.collect::<BTreeMap<_, _>>()
    };
    let (inside, referred) = (errors(&small), errors(&large));
    let statuses: Vec<&str> = inside.keys().map(String::as_str).collect();
    assert_eq!(statuses, ["400", "413", "415", "default"]);
    for (status, (is_reference, response)) in &inside {
        assert!(!is_reference);
        assert_eq!(referred[status], (true, response.clone()), "{status}");
    }
}

/// OpenAPI does not allow two paths that differ only in the names of parameters.
#[test]
fn openapi_has_one_path_for_routes_that_differ_only_in_names_of_parameters() {
    let mut b = Builder::new("src/users.types.ts");
    let text = b.string();
    let routes = [
        (Method::Get, "/users/:id", "id"),
        (Method::Delete, "/users/:userId", "userId"),
        (Method::Put, "/files/*path", "path"),
    ];
    for (method, path, name) in routes {
        let properties = vec![b.property(name, text)];
        let slots = RouteSlots {
            params: Some(b.slot(&format!("{method}.params"), properties)),
            ..RouteSlots::default()
        };
        let route = b.route(method, path, "Users", slots);
        b.program.routes.push(route);
    }
    let texts = texts(&b.program, &[]);
    let document: Value = serde_json::from_str(&texts["schemas/openapi.json"]).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, operations)| {
        let operations = operations.as_object().unwrap().iter();
        operations.map(move |(method, operation)| {
            let name = &operation["parameters"][0]["name"];
            (path.as_str(), method.as_str(), name.as_str().unwrap())
        })
    });
    let expected = [
        ("/users/{id}", "get", "id"),
        ("/users/{id}", "delete", "id"),
        ("/files/{path}", "put", "path"),
    ];
    assert_eq!(operations.collect::<Vec<_>>(), expected);
}

#[test]
fn a_large_program_has_only_the_code_that_routes_need() {
    let program = program(["Note", "Tag", "Unused"]);
    let (small, large) = (texts(&program, &[]), texts(&with_more_types(program), &[]));
    assert!(small["codecs.js"].contains("UnusedSerializer") && small["codecs.js"].contains("explain$Unused"));
    assert!(
        !large["codecs.js"].contains("UnusedSerializer") && !large["codecs.js"].contains("explain$Unused")
    );
    assert!(large["codecs.js"].contains("UnusedValidator"));
    // The route writes a note, whose serializer calls the function that writes the tag in it.
    let (runtime, before) = (&large["runtime.js"], &small["runtime.js"]);
    assert!(before.contains("TagSerializer") && before.contains("explain$Note"));
    assert!(!runtime.contains("TagSerializer") && !runtime.contains("explain$Note"));
    assert!(runtime.contains("NoteSerializer") && runtime.contains("function writeTag"));
    let lines = |texts: &BTreeMap<String, String>| texts["schemas/openapi.json"].lines().count();
    assert!(lines(&large) < lines(&small));
}

#[test]
fn types_with_equal_properties_share_their_shapes_and_in_a_large_program_their_checks() {
    let codecs = |count| {
        let mut b = Builder::new("src/app.types.ts");
        let short = b.constrained(
            TypeKind::String,
            Constraints {
                max_length: Some(20),
                ..Constraints::default()
            },
        );
        for number in 0..count {
            let properties = vec![b.property("title", short)];
            b.interface(&format!("Type{number}"), properties);
        }
        texts(&b.program, &[]).remove("codecs.js").unwrap()
    };
    let (small, large) = (codecs(2), codecs(501));
    for text in [&small, &large] {
        assert_eq!(
            text.matches("{ kind: \"string\", maxLength: 20 }").count(),
            1,
            "{text}"
        );
        assert_eq!(text.matches("key: \"title\"").count(), 1);
    }
    assert_eq!(
        large.matches("codePointsWithin(value, 0, 20)").count(),
        1,
        "{large}"
    );
    assert!(large.contains("return $is_"));
    // The condition itself is faster than a call.
    assert!(
        small.contains("codePointsWithin(title, 0, 20)") && !small.contains("$is_"),
        "{small}"
    );
}

/// Plugins get the code of a validator as one module, and return a changed module.
#[test]
fn source_of_a_validator_imports_the_validators_to_which_it_refers_from_modules() {
    let program = program(["Note", "Tag", "Unused"]);
    let replaced = "validators/Note.validator.ts";
    let artifacts = artifacts(&program, &[replaced]);
    let note = artifacts
        .iter()
        .find(|artifact| artifact.path == replaced)
        .unwrap();
    let source = note.source.as_ref().unwrap().text();
    assert!(source.contains("// @ts-nocheck\n"));
    assert!(source.contains("import { TagShape, decodeTag, isTag } from \"../modules/Tag.validator.js\";"));
    assert!(
        source.contains("export const NoteValidator: Validator<Types.Note> = /* @__PURE__ */ validator(")
    );
    let paths: Vec<_> = artifacts.iter().map(|artifact| artifact.path.as_str()).collect();
    assert!(paths.contains(&"modules/Tag.validator.js") && paths.contains(&"modules/Tag.validator.d.ts"));
    assert!(!paths.contains(&"modules/Note.validator.js"));
    assert!(!paths.contains(&"modules/Unused.validator.js"));
}

#[test]
fn runtime_imports_validators_that_plugins_replace() {
    let replaced = "validators/Tag.validator.ts";
    let texts = texts(&program(["Note", "Tag", "Unused"]), &[replaced]);
    let runtime = &texts["runtime.js"];
    assert!(!runtime.contains("function isTag"));
    assert!(
        runtime.contains("import { TagShape, decodeTag, isTag } from \"./validators/Tag.validator.ts\";")
    );
    let export = "export { TagValidator } from \"./validators/Tag.validator.ts\";";
    assert!(runtime.contains(export) && texts["runtime.d.ts"].contains(export));
    assert!(runtime.contains("export function isNote"));
}

/// If a project has the types `isFoo` and `FooShape`, `isFooShape` would be the shape of one and the check of
/// the other.
#[test]
fn modules_are_not_combined_if_two_of_them_export_the_same_name() {
    for inner in ["FooShape", "FooUnion2"] {
        let texts = texts(&program(["isFoo", inner, "Unused"]), &[]);
        assert!(!texts.contains_key("runtime.js") && !texts.contains_key("codecs.js"));
        let routes = &texts["routes/routes.js"];
        assert!(routes.contains("import { isFooValidator } from \"../modules/isFoo.validator.js\";"));
        let own = &texts["validators/isFoo.validator.ts"];
        assert!(own.contains("export { isFooValidator } from \"../modules/isFoo.validator.js\";"));
        assert!(texts["modules/isFoo.validator.js"].contains(&format!("from \"./{inner}.validator.js\";")));
        assert!(texts.contains_key("modules/isFoo.validator.d.ts"));
    }
    assert!(texts(&program(["isFoo", "Foo", "Shape"]), &[]).contains_key("runtime.js"));
}

#[test]
fn a_program_without_routes_has_no_runtime() {
    let mut b = Builder::new("src/app.types.ts");
    let text = b.string();
    let properties = vec![b.property("text", text)];
    b.interface("Note", properties);
    let texts = texts(&b.program, &[]);
    assert!(!texts.contains_key("runtime.js"));
    assert!(!texts["codecs.js"].contains("export *"));
}
