//! Tests of several builds in a row: changed and unchanged files, and the output directory after a build that
//! failed.

use crate::support::Project;

const TYPES: &str = "/** @table notes */\nexport interface Note {\n  /** @id @generated uuid */\n  id: string;\n  /** @maxLength 20 */\n  title: string;\n}\n";

const ROUTES: &str = "import type { RouteContract } from \"@kit/types\";\nimport type { Note } from \"./notes.types.ts\";\n\nexport interface NoteRoutes {\n  \"GET /notes/:id\": RouteContract<{ id: string }, void, void, Note>;\n}\n";

fn notes() -> Project {
    Project::new([("src/notes.types.ts", TYPES), ("src/notes.routes.ts", ROUTES)])
}

fn time(project: &Project) -> String {
    let text = &project.output()["routes/tree.js"];
    let at = text.find("generatedAt").expect("the tree carries its time");
    text[at..]
        .split('"')
        .find(|part| part.starts_with("20"))
        .expect("a time")
        .to_owned()
}

#[test]
fn second_build_of_an_unchanged_project_changes_no_file() {
    let project = notes();
    let first = project.build_at(1_790_000_000, false);
    assert!(first.succeeded(), "{:#?}", first.diagnostics);
    assert!(!first.files.written.is_empty());
    let before = project.output();
    let second = project.build_at(1_790_009_999, false);
    assert_eq!(
        (second.files.written.as_slice(), second.files.removed.as_slice()),
        (&[][..], &[][..])
    );
    assert_eq!(project.output(), before);
}

#[test]
fn output_does_not_depend_on_the_location_of_the_project() {
    let (one, two) = (notes(), notes());
    one.build();
    two.build();
    assert_eq!(one.output(), two.output());
}

#[test]
fn file_contains_the_time_of_the_build_that_last_changed_it() {
    let project = notes();
    project.build_at(1_790_000_000, false);
    assert_eq!(time(&project), "2026-09-21T14:13:20.000Z");

    // A type changes, so files change. The route tree does not change.
    project.write("src/notes.types.ts", &TYPES.replace("20", "30"));
    let report = project.build_at(1_790_000_100, false);
    assert!(!report.files.written.is_empty());
    assert!(
        !report.files.written.contains(&"routes/tree.js".to_owned()),
        "{:?}",
        report.files
    );
    assert_eq!(time(&project), "2026-09-21T14:13:20.000Z");

    // A route changes, so the route tree changes.
    project.write(
        "src/notes.routes.ts",
        &ROUTES.replace("/notes/:id", "/all/notes/:id"),
    );
    let report = project.build_at(1_790_000_200, false);
    assert!(
        report.files.written.contains(&"routes/tree.js".to_owned()),
        "{:?}",
        report.files
    );
    assert_eq!(time(&project), "2026-09-21T14:16:40.000Z");

    // If `SOURCE_DATE_EPOCH` sets the time, every file contains it.
    project.build_at(1_700_000_000, true);
    assert_eq!(time(&project), "2023-11-14T22:13:20.000Z");
}

#[test]
fn removes_files_that_are_no_longer_generated() {
    let project = notes();
    project.write(
        "src/more.types.ts",
        "export interface More {\n  text: string;\n}\n",
    );
    project.build();
    assert!(
        project.output().contains_key("validators/More.validator.ts"),
        "{:?}",
        project.output().keys()
    );
    project.remove("src/more.types.ts");
    let report = project.build();
    assert!(
        report
            .files
            .removed
            .contains(&"validators/More.validator.ts".to_owned()),
        "{:?}",
        report.files
    );
    assert!(project.output().keys().all(|path| !path.contains("More")));
}

#[test]
fn build_with_an_error_changes_no_file() {
    let project = notes();
    project.build();
    let before = project.output();
    project.write("src/notes.types.ts", "export interface Note {");
    let report = project.build_at(1_790_000_100, false);
    assert!(!report.succeeded());
    assert!(report.files.written.is_empty());
    assert_eq!(project.output(), before);

    let fresh = Project::new([("src/notes.types.ts", "export interface Note {")]);
    assert!(!fresh.build_at(1_790_000_000, false).succeeded());
    assert!(!fresh.root.join(".kit").exists());
}

#[test]
fn warns_of_globs_without_a_match_and_names_the_directories() {
    let project = Project::new([(
        "kit.config.json",
        r#"{ "typeFiles": ["lib/**/*.ts"], "routeFiles": ["src/*.routes.ts", "src/missing.ts"] }"#,
    )]);
    project.write("src/a.routes.ts", "export {};\n");
    let report = project.build();
    let said: Vec<String> = report
        .diagnostics
        .iter()
        .map(|item| format!("{} {} ({})", item.code, item.message, item.notes.join("; ")))
        .collect();
    assert_eq!(
        said,
        [
            "KIT1002 no file matches `typeFiles`: `lib/**/*.ts` (there is no directory `lib/`)",
            "KIT1002 no file matches `routeFiles`: `src/missing.ts` (kit searched `src/`, but not node_modules, \
             output directories and names that begin with a dot)",
        ]
    );
}

#[test]
fn default_globs_need_not_match_if_the_application_names_its_routes() {
    let project = Project::new([("package.json", "{}")]);
    project.write(
        "src/notes.schemas.ts",
        "import type { Route } from \"@kit/types\";\nexport interface Note { id: string }\n\
         export interface NoteRoutes { \"GET /notes\": Route<{ response: Note[] }> }\n",
    );
    project.write(
        "src/app.ts",
        "import { createApp, defineHandlers } from \"@kit/core\";\n\
         import type { NoteRoutes } from \"./notes.schemas.ts\";\n\
         const handlers = defineHandlers<NoteRoutes>({ \"GET /notes\": () => [] });\n\
         export const app = createApp({ routes: [{ handlers }] });\n",
    );
    let report = project.build();
    assert_eq!(report.counts.routes, 1);
    let said: Vec<&str> = report
        .diagnostics
        .iter()
        .map(|item| item.message.as_str())
        .collect();
    assert_eq!(said, [""; 0]);
}

#[test]
fn ignores_sources_in_dependencies_and_output_directories() {
    let project = notes();
    let wrong = "export interface Wrong {";
    for path in [
        "node_modules/a/src/a.types.ts",
        "dist/a.types.ts",
        ".git/a.types.ts",
        ".kit-old/a.types.ts",
    ] {
        project.write(path, wrong);
    }
    project.write("kit.config.json", r#"{ "typeFiles": ["**/*.types.ts"] }"#);
    assert_eq!(project.build().counts.sources, 2);
}

#[test]
fn build_generates_a_preview_of_the_next_migration_and_counts_its_changes() {
    let project = notes();
    let report = project.build();
    assert_eq!((report.pending.changes, report.pending.problems), (1, 0));
    assert!(project.output()["migrations/pending.sql"].contains("CREATE TABLE"));
    // The project depends on no database library, so its adapter is `raw`.
    assert!(project.output()["schemas/notes.ts"].contains("export const notes: Table<NoteRow, NewNoteRow>"));
}

#[test]
fn build_generates_the_database_schema_for_a_project_whose_last_table_was_removed() {
    let project = notes();
    project.build();
    let snapshot = project.output()["migrations/snapshot.json"].clone();
    let without = TYPES.replace("/** @table notes */\n", "");
    project.write("src/notes.types.ts", &without);
    assert!(project.build().succeeded());
    let any = |project: &Project| {
        project
            .output()
            .keys()
            .any(|path| path.starts_with("schemas/database"))
    };
    assert!(!any(&project), "a project that never had a table");

    // A migration has created the table, so the application may still import the schema.
    let migration = "migrations/20260102030405_notes";
    project.write(&format!("{migration}/snapshot.json"), &snapshot);
    project.write(&format!("{migration}/migration.sql"), "CREATE TABLE notes ();\n");
    project.write(
        &format!("{migration}/changes.json"),
        "{ \"version\": 1, \"destructive\": false, \"changes\": [] }\n",
    );
    for (library, export) in [
        ("pg", "export function insert"),
        ("kysely", "export interface Database {\n}"),
    ] {
        project.write(
            "package.json",
            &format!("{{ \"dependencies\": {{ \"{library}\": \"*\" }} }}"),
        );
        let report = project.build();
        assert!(report.succeeded(), "{:#?}", report.diagnostics);
        let text = &project.output()["schemas/database.ts"];
        assert!(text.contains("export function configure"), "{text}");
        assert!(text.contains(export), "{text}");
    }
}

#[test]
fn generated_routes_list_the_tests_that_mention_them() {
    const HANDLERS: &str = "import { defineHandlers } from \"@kit/core\";\nimport type { NoteRoutes } from \"./notes.routes.ts\";\nexport const handlers = defineHandlers<NoteRoutes>({ \"GET /notes/:id\": () => null as never });\n";
    const APP: &str = "import { createApp } from \"@kit/core\";\nimport { handlers } from \"./handlers.ts\";\nexport const app = createApp({ server: null as never, routes: [{ handlers }] });\n";
    let project = notes();
    project.write("src/handlers.ts", HANDLERS);
    project.write("src/app.ts", APP);
    let tests = |project: &Project| {
        project.build();
        let text = project.output()["routes/routes.js"].clone();
        let line = text
            .lines()
            .find_map(|line| line.trim().strip_prefix("tests: ").map(str::to_owned));
        line.expect("a route names its tests")
    };
    assert_eq!(tests(&project), "[],");

    for (path, text) in [
        ("test/path.test.ts", "await get(`${url}/notes/${id}?x=1`);"),
        ("src/key.spec.ts", "call(\"GET /notes/:id\");"),
        (
            "test/module.test.mts",
            "import { handlers } from '../src/handlers.ts';",
        ),
        // None of these files is a test that mentions the route.
        (
            "test/other.test.ts",
            "get(\"/notes\"); get(\"/users/1\"); import \"../../src/handlers.ts\";",
        ),
        ("test/helper.ts", "get(\"/notes/1\");"),
        ("node_modules/x/a.test.ts", "get(\"/notes/1\");"),
        ("dist/path.test.ts", "get(\"/notes/1\");"),
    ] {
        project.write(path, text);
    }
    let expected = r#"["src/key.spec.ts", "test/module.test.mts", "test/path.test.ts"],"#;
    assert_eq!(tests(&project), expected);

    project.write("src/key.spec.ts", "nothing();");
    assert_eq!(
        tests(&project),
        r#"["test/module.test.mts", "test/path.test.ts"],"#
    );
}

#[test]
fn documents_of_entities_in_a_large_project_refer_to_the_complete_document() {
    let more: Vec<String> = (0..500)
        .map(|number| format!("export type More{number} = string;\n"))
        .collect();
    let project = Project::new([
        ("src/notes.types.ts", TYPES),
        ("src/notes.routes.ts", ROUTES),
        ("src/more.types.ts", &more.concat()),
        (
            "src/app.ts",
            "import { createApp, defineHandlers, defineMiddleware } from \"@kit/core\";\n\
             import type { NoteRoutes } from \"./notes.routes.ts\";\n\
             /** @security bearer JWT */\n\
             const auth = defineMiddleware(() => ({ userId: \"1\" }));\n\
             const handlers = defineHandlers<NoteRoutes>({ \"GET /notes/:id\": () => null as never });\n\
             export const app = createApp({\n\
               server: null as never,\n\
               middleware: [{ name: \"auth\", middleware: auth, priority: 5 }],\n\
               routes: [{ handlers }],\n\
             });\n",
        ),
    ]);
    project.build();
    let output = project.output();
    let read = |path: &str| serde_json::from_str::<serde_json::Value>(&output[path]).expect("JSON");
    let (own, complete) = (read("schemas/note.openapi.json"), read("schemas/openapi.json"));
    let target = |reference: &serde_json::Value| {
        let pointer = reference["$ref"].as_str()?.strip_prefix("openapi.json#")?;
        complete.pointer(&pointer.replace("%7B", "{").replace("%7D", "}"))
    };
    let path = target(&own["paths"]["/notes/{id}"]);
    assert_eq!(path, Some(&complete["paths"]["/notes/{id}"]), "{own}");
    let note = target(&own["components"]["schemas"]["Note"]);
    assert_eq!(note, Some(&complete["components"]["schemas"]["Note"]), "{own}");
    // Names of security schemes refer to the document that a reader opens.
    let security = &complete["paths"]["/notes/{id}"]["get"]["security"][0];
    let scheme = security.as_object().and_then(|security| security.keys().next());
    let scheme = scheme.expect("the route needs a token");
    assert!(own["components"]["securitySchemes"][scheme].is_object(), "{own}");
}

#[test]
fn a_large_project_keeps_the_validator_files_that_it_imports() {
    let types: Vec<String> = (0..501)
        .map(|number| format!("export interface Item{number} {{ text: string }}\n"))
        .collect();
    let types = types.concat();
    let entities = ["Thing", "Other"].map(|name| {
        format!(
            "/** @table */\nexport interface {name} {{\n  /** @id @generated uuid */\n  id: string;\n}}\n"
        )
    });
    let project = Project::new([
        ("src/items.types.ts", types.as_str()),
        ("src/entities.types.ts", &entities.concat()),
        (
            "tests/items.test.ts",
            "import { Item7Validator } from \"../.kit/validators/Item7.validator.ts\";\n\
             import { ThingValidator } from \"../.kit/validators/thing.ts\";\n",
        ),
    ]);
    project.build();
    let files = project.output();
    let files: Vec<&String> = files
        .keys()
        .filter(|path| path.starts_with("validators/"))
        .collect();
    assert_eq!(files, ["validators/Item7.validator.ts", "validators/thing.ts"]);
}
