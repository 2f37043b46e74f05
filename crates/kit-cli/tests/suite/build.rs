//! Tests of `kit build` and `kit migrate:generate` on real projects.
// tidy: long because all tests use the same project.
#![allow(clippy::disallowed_methods)] // Reason: tests read the files that commands write.

use crate::support::Project;
use serde_json::json;

const TYPES: &str = "\
/** @table notes */
export interface Note {
  /** @id @generated uuid */
  id: string;
  /** @maxLength 20 */
  title: string;
}
";

const ROUTES: &str = "\
import type { RouteContract } from \"@kit/types\";
import type { Note } from \"./notes.types.ts\";

export interface NoteRoutes {
  \"GET /notes/:id\": RouteContract<{ id: string }, void, void, Note>;
}
";

fn notes() -> Project {
    Project::new(&[("src/notes.types.ts", TYPES), ("src/notes.routes.ts", ROUTES)])
}

/// Replaces durations in the output: `in 12 ms` becomes `in … ms`.
fn timeless(text: &str) -> String {
    let parts: Vec<&str> = text.split(' ').collect();
    let parts = parts.iter().enumerate().map(|(index, part)| {
        if index > 0 && parts[index - 1] == "in" && part.bytes().all(|byte| byte.is_ascii_digit()) {
            "…"
        } else {
            part
        }
    });
    parts.collect::<Vec<_>>().join(" ")
}

#[test]
fn prints_a_summary_of_the_build() {
    let project = notes();
    let first = project.kit(&["build"]);
    assert_eq!((first.code, first.err.as_str()), (0, ""));
    let written = project.tree(".kit").len() - 2; // the lock and the manifest
    assert_eq!(
        timeless(&first.out),
        format!(
            "built 1 route, 2 types in … ms ({written} files written)\n\
             1 change to the database without a migration: `kit migrate:generate --name <name>` writes the migration\n\
             left out: client (package.json does not list @kit/client), contract tests (package.json does not list \
             @kit/testing), compiled code (typescript is not installed)\n"
        )
    );
    let second = project.kit(&["build"]);
    assert!(second.out.contains("(nothing changed)"), "{}", second.out);
}

#[test]
fn prints_the_build_as_json() {
    let project = notes();
    let first = project.kit(&["build", "--json"]);
    assert_eq!((first.code, first.err.as_str()), (0, ""));
    let report = first.json();
    assert_eq!(report["status"], "built");
    assert_eq!(
        report["counts"],
        json!({ "sources": 2, "types": 2, "entities": 1, "routes": 1 })
    );
    assert_eq!(report["pendingMigration"], json!({ "changes": 1, "problems": 0 }));
    assert_eq!(report["warnings"], json!([]));
    let steps: Vec<&str> = report["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["name"].as_str().unwrap())
        .collect();
    assert_eq!(steps, ["sources", "types", "routes", "database", "emit", "write"]);

    project.remove("src/notes.routes.ts");
    let second = project.kit(&["build", "--json"]).json();
    let removed = second["files"]["removed"].as_array().unwrap();
    assert!(
        removed.contains(&json!("validators/GetNotesByIdParams.validator.ts")),
        "{removed:?}"
    );
    assert_eq!(second["warnings"][0]["code"], "KIT1002");
}

#[test]
fn builds_the_project_in_the_directory_of_the_option_root() {
    let project = Project::new(&[("apps/notes/src/notes.types.ts", TYPES)]);
    let outcome = project.kit(&["build", "--root", "apps/notes"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(project.root.join("apps/notes/.kit/types.ts").is_file());
    assert!(!project.root.join(".kit").exists());
}

#[test]
fn build_prints_the_location_of_a_mistake_as_text_and_as_json() {
    let project = notes();
    project.write(
        "src/notes.types.ts",
        &TYPES.replace("@maxLength 20", "@format emial"),
    );
    let people = project.kit(&["build"]);
    assert_eq!(
        people.parts(),
        (
            1,
            "",
            "error[KIT1302]: unknown format `emial`
 --> src/notes.types.ts:5:7
  |
5 |   /** @format emial */
  |       ^^^^^^^^^^^^^
  |
  = help: did you mean `@format email`?

1 error; nothing was written
`kit explain KIT1302` gives details about the error
"
        )
    );
    assert!(!project.root.join(".kit").exists());
    let programs = project.kit(&["build", "--json"]);
    assert_eq!((programs.code, programs.err.as_str()), (1, ""));
    assert_eq!(
        programs.json(),
        json!({
            "code": "BUILD_ERROR",
            "phase": "types",
            "failures": [{
                "path": "src/notes.types.ts",
                "line": 5,
                "column": 7,
                "message": "unknown format `emial`",
                "suggestion": "did you mean `@format email`?",
                "code": "KIT1302",
            }],
        })
    );
}

#[test]
fn shows_progress_and_colours_only_on_terminals() {
    let mut project = notes();
    project.terminal = true;
    let outcome = project.kit(&["build"]);
    let (_, after) = outcome
        .err
        .rsplit_once("\r\u{1b}[2K")
        .expect("steps are shown while they are under way, and taken away");
    let times = after.trim_end_matches('\n');
    assert_eq!(times.lines().count(), 1, "{times:?}");
    let json = project.kit(&["build", "--json"]);
    assert!(!json.err.contains(" ms"), "{:?}", json.err);
    for step in json.json()["steps"].as_array().unwrap() {
        let name = step["name"].as_str().unwrap();
        assert!(times.contains(&format!("{name} ")), "{name} in {times:?}");
    }
    assert!(
        outcome.out.starts_with("\u{1b}[1m\u{1b}[32mbuilt"),
        "{:?}",
        outcome.out
    );
}

#[test]
fn refuses_an_output_directory_with_files_that_kit_did_not_write() {
    let project = notes();
    project.write("package.json", r#"{ "kit": { "outputDir": "out" } }"#);
    project.write("out/mine.txt", "mine");
    let outcome = project.kit(&["build"]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.err.contains("contains files that kit did not write"),
        "{}",
        outcome.err
    );
    assert_eq!(project.tree("out").len(), 1);
}

#[test]
fn generates_migrations_from_changes_of_the_types() {
    let project = notes();
    let first = project.kit(&["migrate:generate", "--name", "Create notes"]);
    assert_eq!(
        first.parts(),
        (
            0,
            "migrations/20260921141320_create_notes: 1 change\n  create table notes\n",
            ""
        )
    );
    let files = project.tree("migrations/20260921141320_create_notes");
    assert_eq!(
        files.keys().collect::<Vec<_>>(),
        ["changes.json", "migration.sql", "snapshot.json"]
    );
    assert!(!project.root.join("migrations/.staging").exists());

    let current = project.kit(&["migrate:generate", "--check", "--json"]);
    assert_eq!(
        (current.code, &current.json()["status"]),
        (0, &json!("unchanged"))
    );
    let again = project.kit(&["migrate:generate", "--name", "again", "--json"]);
    assert_eq!(
        again.json(),
        json!({ "status": "unchanged", "destructive": false, "changes": [] })
    );

    // The second migration is generated in the same second, but its name must sort after the first.
    project.write(
        "src/notes.types.ts",
        &TYPES.replace("  /** @maxLength 20 */\n  title: string;\n", ""),
    );
    let second = project.kit(&["migrate:generate", "--name", "drop_title", "--json"]);
    assert_eq!(
        second.json(),
        json!({
            "status": "generated",
            "path": "migrations/20260921141321_drop_title",
            "destructive": true,
            "changes": [{
                "summary": "drop column notes.title and all its values",
                "class": "destructive",
                "risks": ["destructive", "breaksRunningApp"],
                "destructive": true,
                "reason": "its values are lost for good",
                "alternative": {
                    "summary": "the running application and the next one work side by side",
                    "steps": ["kit migrate:generate --expand --name <name>"],
                },
            }],
        })
    );
    // Only a build writes the preview of the next migration into `.kit/`.
    assert!(!project.root.join(".kit").exists());
}

#[test]
fn migrate_generate_converts_timestamp_columns_only_with_its_option() {
    let project = notes();
    let types = TYPES.replace("  title: string;\n", "  title: string;\n  at: Date;\n");
    project.write("src/notes.types.ts", &types);
    project.kit(&["migrate:generate", "--name", "one"]);
    // The snapshot in the form that an earlier version of kit wrote.
    let directory = "migrations/20260921141320_one";
    let snapshot = String::from_utf8(project.tree(directory)["snapshot.json"].clone()).unwrap();
    assert!(snapshot.contains("\"timestamptz\""), "{snapshot}");
    project.write(
        &format!("{directory}/snapshot.json"),
        &snapshot.replace("\"timestamptz\"", "\"timestamp\""),
    );
    let generate = |more: &[&str]| project.kit(&[&["migrate:generate", "--name", "two"], more].concat());
    assert_eq!(generate(&["--json"]).json()["status"], "unchanged");
    assert_eq!(
        generate(&["--convert-timestamps", "notes.title,notes.at"]).parts(),
        (
            1,
            "",
            "error: notes.title: this column does not exist, or its type is not one of times\n\
             help: name a column as `table.column`; these can be converted: notes.at\n"
        )
    );
    assert_eq!(
        generate(&["--convert-timestamps", "notes.at"]).parts(),
        (
            0,
            "migrations/20260921141321_two: 1 change\n  \
               change the type of notes.at from timestamp to timestamptz(3) (breaks the running application)\n    \
                 values are read as UTC and lose their digits below a millisecond; a second column is filled in batches while \
                 the application runs, and then replaces the column\n    \
                 instead (the running application and the next one work side by side):\n      \
                 write `@column at_next @renamedFrom at` on the property, so that each build has a column of its type\n      \
                 kit migrate:generate --expand --name <name>\n",
            ""
        )
    );
    assert_eq!(
        generate(&["--convert-timestamps", "--json"]).json()["status"],
        "unchanged"
    );
}

#[test]
fn migrate_generate_explains_changes_that_kit_cannot_migrate() {
    let project = notes();
    project.kit(&["migrate:generate", "--name", "one"]);
    project.write(
        "src/notes.types.ts",
        &TYPES.replace(
            "  /** @maxLength 20 */\n  title: string;\n",
            "  title: string[];\n",
        ),
    );
    let outcome = project.kit(&["migrate:generate", "--name", "two"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (1, ""));
    assert!(
        outcome
            .err
            .starts_with("error: notes.title: its type changes from varchar(20) to jsonb"),
        "{}",
        outcome.err
    );
    assert!(
        outcome.err.contains("\nhelp: add another property"),
        "{}",
        outcome.err
    );
    let json = project
        .kit(&["migrate:generate", "--name", "two", "--json"])
        .json();
    assert_eq!(json["code"], "MIGRATION_ERROR");
    let build = project.kit(&["build"]);
    assert!(
        build.out.contains("run `kit migrate:generate` to see the reason"),
        "{}",
        build.out
    );
}

#[test]
fn refuses_a_migration_without_a_valid_name_or_valid_types() {
    let project = notes();
    let outcome = project.kit(&["migrate:generate", "--name", "!!"]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.err.contains("cannot be the name of a migration"),
        "{}",
        outcome.err
    );
    project.write("src/notes.types.ts", "export interface {");
    let outcome = project.kit(&["migrate:generate", "--name", "one"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("error[KIT1101]"), "{}", outcome.err);
    assert!(!project.root.join("migrations").exists());
}

#[test]
fn check_lists_files_that_are_out_of_date_and_writes_nothing() {
    let project = notes();
    let missing = project.kit(&["build", "--check"]);
    assert_eq!((missing.code, missing.err.as_str()), (1, ""));
    assert!(missing.out.contains("\n  .kit/routes.json\n"), "{}", missing.out);
    assert!(project.tree(".kit").is_empty());

    assert_eq!(project.kit(&["build"]).code, 0);
    let fresh = project.kit(&["build", "--check"]);
    assert_eq!(fresh.parts(), (0, ".kit/ is up to date\n", ""));

    project.write(
        "src/notes.types.ts",
        &TYPES.replace("@maxLength 20", "@maxLength 30"),
    );
    project.write(".kit/routes.json", "[]\n");
    let before = project.tree(".kit");
    let stale = project.kit(&["build", "--check", "--json"]);
    assert_eq!((stale.code, stale.err.as_str()), (1, ""));
    let report = stale.json();
    assert_eq!(report["status"], "stale");
    let written = report["files"]["written"].as_array().unwrap();
    for path in ["runtime.js", "routes.json"] {
        assert!(written.iter().any(|found| found == path), "{path} in {written:?}");
    }
    assert_eq!(report["files"]["removed"], json!([]));
    assert_eq!(project.tree(".kit"), before);

    project.write("src/notes.types.ts", "export interface Note {");
    let broken = project.kit(&["build", "--check"]);
    assert_eq!((broken.code, broken.out.as_str()), (1, ""));
}

#[test]
fn check_lists_files_that_are_no_longer_generated() {
    let project = notes();
    assert_eq!(project.kit(&["build"]).code, 0);
    project.write("src/notes.types.ts", &TYPES.replace("/** @table notes */\n", ""));
    let stale = project.kit(&["build", "--check"]);
    assert_eq!(stale.code, 1);
    assert!(
        stale.out.contains("  .kit/migrations/pending.sql (left over)\n"),
        "{}",
        stale.out
    );
}

#[test]
fn copies_the_openapi_document_to_the_path_of_the_option_out() {
    let project = notes();
    let outcome = project.kit(&["generate:openapi"]);
    assert_eq!(outcome.parts(), (0, "wrote .kit/schemas/openapi.json\n", ""));
    let document = project.tree(".kit")["schemas/openapi.json"].clone();
    assert!(!project.tree(".kit").contains_key("openapi.json"));
    assert_eq!(project.kit(&["build", "--check"]).code, 0);

    for path in [".kit/openapi.json", "docs/../.kit/schemas/openapi.json"] {
        let refused = project.kit(&["generate:openapi", "--out", path]);
        assert_eq!(
            refused.parts(),
            (
                1,
                "",
                "error: `--out` names a file in .kit/, which contains only generated files\n\
                 help: run the command without `--out` and read .kit/schemas/openapi.json, or name a file in another directory\n"
            )
        );
    }

    let outcome = project.kit(&["generate:openapi", "--out", "docs/api/openapi.json", "--json"]);
    assert_eq!(
        outcome.json(),
        json!({ "status": "generated", "path": "docs/api/openapi.json", "routes": 1 })
    );
    assert_eq!(project.tree("docs")["api/openapi.json"], document);
    assert_eq!(project.tree("docs").len(), 1);

    let outcome = project.kit(&["generate:openapi", "--out", "-"]);
    assert_eq!((outcome.code, outcome.out.as_bytes()), (0, &*document));
    let outcome = project.kit(&["generate:openapi", "--out", "-", "--json"]);
    assert_eq!(outcome.code, 1);
    assert_eq!(
        outcome.json()["failures"][0]["suggestion"],
        "use only one of the two options"
    );
}

#[test]
fn removes_the_openapi_document_of_an_earlier_version() {
    let project = notes();
    assert_eq!(project.kit(&["build"]).code, 0);
    project.write(".kit/openapi.json", "{}");
    let check = project.kit(&["build", "--check"]);
    assert_eq!(
        check.parts(),
        (
            1,
            ".kit/ is out of date; `kit build` would write\n  .kit/openapi.json (left over)\n",
            ""
        )
    );
    assert_eq!(project.kit(&["build"]).code, 0);
    assert!(!project.root.join(".kit/openapi.json").exists());
    assert_eq!(project.kit(&["build", "--check"]).code, 0);
}

#[test]
fn lists_the_artifacts_that_a_build_left_out_with_reasons() {
    let project = notes();
    let left_out = |arguments: &[&str]| {
        let outcome = project.kit(arguments);
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        outcome
            .out
            .lines()
            .find(|line| line.starts_with("left out"))
            .map(str::to_owned)
    };
    let packages = "client (package.json does not list @kit/client), contract tests (package.json does not list @kit/testing)";
    assert_eq!(
        left_out(&["build"]),
        Some(format!(
            "left out: {packages}, compiled code (typescript is not installed)"
        ))
    );
    // These commands run no compiler, so they do not mention that no compiler ran.
    assert_eq!(
        left_out(&["build", "--no-compile"]),
        Some(format!("left out: {packages}"))
    );
    assert_eq!(left_out(&["generate"]), Some(format!("left out: {packages}")));

    project.write(
        "package.json",
        r#"{ "dependencies": { "@kit/client": "*" }, "devDependencies": { "@kit/testing": "*" } }"#,
    );
    project.write("node_modules/.bin/tsc", "");
    assert_eq!(
        left_out(&["build"]).as_deref(),
        Some(
            "left out: contract tests (no file calls `createApp`; name the module that exports the application in `tests.app` of the configuration), \
             compiled code (there is no tsconfig.json)"
        )
    );
    project.write(
        "src/app.ts",
        "import { createApp } from \"@kit/core\";\nexport const app = createApp({ server, routes: [] });\n",
    );
    project.write("base.json", r#"{ "compilerOptions": { "noEmit": true } }"#);
    project.write("tsconfig.json", r#"{ "extends": "./base.json" }"#);
    assert_eq!(
        project.kit(&["build", "--json"]).json()["leftOut"],
        json!([{
            "what": "compiled code",
            "reason": "tsconfig.json has `noEmit`, so the app runs from its sources",
        }])
    );
}

#[test]
fn generate_writes_the_same_artifacts_as_build() {
    let project = notes();
    let outcome = project.kit(&["generate", "--json"]);
    assert_eq!((outcome.code, &outcome.json()["status"]), (0, &json!("built")));
    assert_eq!(project.kit(&["build", "--check"]).code, 0);
}
