//! Golden tests that compare all generated files byte for byte. `KIT_BLESS=1 cargo test -p kit-emit` rewrites the golden
//! files; review the changes. The tests of `packages/core` check the types of the golden files and run them.

// The tests read golden files from the disk. Test helpers may panic, as tests do.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use kit_test_programs as support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use kit_emit::{
    Artifact, ContractTests, EmitOptions, OpenApiVersion, RouteTests, TestRunner, emit, emit_dated,
};
use kit_ir::{LiteralOption, Program};

#[test]
fn emits_the_golden_files_of_the_notes_application() {
    check("notes", &support::notes::program());
}

#[test]
fn emits_the_golden_files_of_every_kind_of_type() {
    check("kitchen-sink", &support::kitchen_sink::program());
}

#[test]
fn emits_the_golden_files_of_types_that_differ_between_request_and_response() {
    check("directions", &support::directions::program());
}

#[test]
fn emits_the_golden_files_of_contracts_with_headers_cookies_replies_and_failures() {
    check("contracts", &support::contracts::program());
}

#[test]
fn emits_the_golden_files_of_routes_with_wrappers() {
    check("wrappers", &support::wrappers::program());
}

#[test]
fn emits_the_golden_files_of_bodies_that_are_not_json() {
    check("bodies", &support::bodies::program());
}

#[test]
fn emits_the_golden_files_of_unions_of_formats() {
    check("formats", &support::formats::program());
}

#[test]
fn emits_the_golden_files_of_routes_with_websockets() {
    check("sockets", &support::sockets::program());
}

#[test]
fn emits_the_golden_files_of_jobs() {
    check("jobs", &support::jobs::program());
}

#[test]
fn emits_the_golden_openapi_documents_of_other_versions() {
    for version in [OpenApiVersion::V3_0, OpenApiVersion::V3_2] {
        for (name, program) in [
            ("bodies", support::bodies::program()),
            ("formats", support::formats::program()),
            ("contracts", support::contracts::program()),
            ("kitchen-sink", support::kitchen_sink::program()),
        ] {
            let options = EmitOptions {
                openapi: version,
                ..options(name)
            };
            let artifacts = emit(&program, &support::tree(&program), &options);
            let documents = artifacts
                .into_iter()
                .filter(|artifact| artifact.path == "schemas/openapi.json");
            compare(
                &format!("openapi-{}/{name}", version.name()),
                &documents.collect::<Vec<_>>(),
            );
        }
    }
}

#[test]
fn emits_the_golden_openapi_documents_of_applications_with_entity_tags() {
    let mut program = support::contracts::program();
    program.application.etag = Some(etag(Some(true.into())));
    for version in [OpenApiVersion::V3_0, OpenApiVersion::V3_1, OpenApiVersion::V3_2] {
        let options = EmitOptions {
            openapi: version,
            ..options("contracts")
        };
        let artifacts = emit(&program, &support::tree(&program), &options);
        let documents = artifacts
            .into_iter()
            .filter(|artifact| artifact.path == "schemas/openapi.json");
        compare(
            &format!("entity-tags/{}", version.name()),
            &documents.collect::<Vec<_>>(),
        );
    }
}

#[test]
fn describes_304_and_412_only_if_the_build_knows_that_entity_tags_are_on() {
    let responses = |option: Option<LiteralOption>| {
        let mut program = support::notes::program();
        program.application.etag = option;
        let artifacts = emit(&program, &support::tree(&program), &options("notes"));
        let document = artifacts
            .into_iter()
            .find(|artifact| artifact.path == "schemas/openapi.json");
        let document: serde_json::Value = serde_json::from_str(&document.unwrap().text).unwrap();
        move |pointer: &str| document.pointer(&format!("/paths{pointer}")).is_some()
    };
    let added = [
        "/~1notes/get/responses/304",
        "/~1notes/get/responses/412",
        "/~1notes/get/responses/200/headers/etag",
    ];
    for (option, expected) in [
        (None, false),
        (Some(etag(None)), false),
        (Some(etag(Some(true.into()))), true),
        (Some(etag(Some(serde_json::json!({ "generate": false })))), true),
    ] {
        let has = responses(option);
        for pointer in added {
            assert_eq!(has(pointer), expected, "{pointer}");
        }
        // Preconditions of methods that change data are the handler's.
        assert!(has("/~1notes/post/responses/201"));
        for status in ["304", "412"] {
            assert!(!has(&format!("/~1notes/post/responses/{status}")));
        }
    }
}

/// Creates the option `etag`. Without a value, the value is known only when the application runs.
fn etag(value: Option<serde_json::Value>) -> LiteralOption {
    let program = support::notes::program();
    LiteralOption {
        value,
        span: program.application.middleware[0].span,
    }
}

#[test]
fn components_of_requests_and_responses_have_unique_names() {
    let program = support::directions::program();
    let artifacts = emit(&program, &support::tree(&program), &options("directions"));
    let document = artifacts
        .iter()
        .find(|artifact| artifact.path == "schemas/openapi.json")
        .unwrap();
    let document: serde_json::Value = serde_json::from_str(&document.text).unwrap();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    // Components are sorted by declaration, with a response before its request. Types that no route uses are missing.
    let names: Vec<_> = schemas.keys().map(String::as_str).collect();
    let expected = [
        "Note",
        "NoteInput2",
        "NoteOutput",
        "NoteInput",
        "TaskOutput2",
        "TaskInput",
        "Draft",
        "DraftInput3",
        "Folder",
        "FolderInput",
        "Label",
        "SentInput",
        "Error",
    ];
    assert_eq!(names, expected);
    let required = |name: &str| schemas[name]["required"].as_array().unwrap().len();
    for (response, request) in [
        ("Note", "NoteInput2"),
        ("NoteOutput", "NoteInput"),
        ("TaskOutput2", "TaskInput"),
        ("Draft", "DraftInput3"),
    ] {
        assert_eq!(
            (required(response), required(request)),
            (2, 1),
            "{response}, {request}"
        );
    }
    let reference = |folder: &str, pointer: &str| schemas[folder].pointer(pointer).cloned().unwrap();
    let (notes, input) = ("/properties/notes/items/$ref", "/properties/input/$ref");
    assert_eq!(reference("Folder", notes), "#/components/schemas/Note");
    assert_eq!(reference("FolderInput", notes), "#/components/schemas/NoteInput2");
    assert_eq!(reference("Folder", input), "#/components/schemas/NoteOutput");
    assert_eq!(reference("FolderInput", input), "#/components/schemas/NoteInput");
}

#[test]
fn emits_the_golden_files_of_a_program_without_types() {
    check("empty", &Program::default());
}

#[test]
fn same_program_gives_the_same_bytes_in_every_run() {
    let program = support::kitchen_sink::program();
    let tree = support::tree(&program);
    let once = emit(&program, &tree, &options("sink"));
    // The seeds of hash maps are random. If the output depended on their order, the runs would differ.
    for _ in 0..8 {
        assert_eq!(once, emit(&program, &tree, &options("sink")));
    }
}

#[test]
fn only_artifacts_that_contain_the_build_time_are_marked_as_dated() {
    let program = support::kitchen_sink::program();
    let tree = support::tree(&program);
    let options = options("sink");
    let (dated, undated): (Vec<_>, Vec<_>) = emit(&program, &tree, &options)
        .into_iter()
        .partition(|artifact| artifact.dated);
    assert_eq!(dated, emit_dated(&tree, &options));
    assert!(
        dated
            .iter()
            .all(|artifact| artifact.text.contains(&options.generated_at))
    );
    assert!(
        !undated
            .iter()
            .any(|artifact| artifact.text.contains(&options.generated_at))
    );
}

#[test]
fn paths_of_artifacts_differ_even_if_case_is_ignored() {
    let program = support::kitchen_sink::program();
    let artifacts = emit(&program, &support::tree(&program), &options("sink"));
    let paths: BTreeSet<_> = artifacts
        .iter()
        .map(|artifact| artifact.path.to_lowercase())
        .collect();
    assert_eq!(
        paths.len(),
        artifacts.len(),
        "two artifacts share a path on a file system that ignores case"
    );
}

fn options(title: &str) -> EmitOptions {
    EmitOptions {
        generated_at: "2026-01-01T00:00:00.000Z".to_owned(),
        output_dir_to_root: "..".to_owned(),
        title: title.to_owned(),
        version: "1.0.0".to_owned(),
        about: kit_emit::ApiInfo::default(),
        openapi: kit_emit::OpenApiVersion::default(),
        client: true,
        replaced: BTreeSet::new(),
        tests: Some(tests()),
    }
}

fn tests() -> ContractTests {
    ContractTests {
        runner: TestRunner::Node,
        app: "src/app.ts".to_owned(),
        database: true,
        fixtures: Some("tests/fixtures.ts".to_owned()),
        headers: BTreeMap::from([("authorization".to_owned(), "Bearer tester:admin".to_owned())]),
        routes: BTreeMap::from([
            (
                "DELETE /notes/:id".to_owned(),
                RouteTests {
                    skip: Some("it is tested by hand".to_owned()),
                    ..RouteTests::default()
                },
            ),
            (
                "GET /notes/:id".to_owned(),
                RouteTests {
                    headers: BTreeMap::from([("x-reader".to_owned(), "yes".to_owned())]),
                    params: BTreeMap::from([("id".to_owned(), "1".to_owned())]),
                    ..RouteTests::default()
                },
            ),
        ]),
    }
}

fn check(name: &str, program: &Program) {
    compare(name, &emit(program, &support::tree(program), &options(name)));
}

/// Compares artifacts with all golden files in a directory.
fn compare(name: &str, artifacts: &[Artifact]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/goldens")
        .join(name);
    if std::env::var_os("KIT_BLESS").is_some() {
        if root.exists() {
            fs::remove_dir_all(&root).unwrap();
        }
        for artifact in artifacts {
            let path = root.join(&artifact.path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, artifact.text.as_bytes()).unwrap();
        }
        return;
    }
    let mut stale: BTreeSet<PathBuf> = files(&root);
    for artifact in artifacts {
        let path = root.join(&artifact.path);
        assert!(stale.remove(&path), "no golden for {name}/{}", artifact.path);
        let golden = fs::read_to_string(&path).unwrap();
        assert!(
            golden == *artifact.text,
            "{name}/{} differs:\n{}",
            artifact.path,
            first_difference(&golden, &artifact.text)
        );
        assert!(
            artifact.text.ends_with('\n'),
            "{} does not end its last line",
            artifact.path
        );
    }
    assert!(stale.is_empty(), "goldens that nothing makes: {stale:?}");
}

fn first_difference(golden: &str, now: &str) -> String {
    let mut lines = golden.lines().zip(now.lines()).enumerate();
    match lines.find(|(_, (before, after))| before != after) {
        Some((line, (before, after))) => format!("line {}\n- {before}\n+ {after}", line + 1),
        None => format!(
            "{} lines before, {} now",
            golden.lines().count(),
            now.lines().count()
        ),
    }
}

fn files(directory: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let Ok(entries) = fs::read_dir(directory) else {
        return found;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path);
        }
    }
    found
}
