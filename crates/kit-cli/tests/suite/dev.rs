//! Tests of `kit dev`: its builds, and its requests to the host. `packages/cli/test/dev.test.ts` tests the host, which runs
//! the application.
#![allow(clippy::disallowed_methods)] // Reason: tests edit the files that commands read.

use std::cell::RefCell;

use crate::support::Project;
use kit_cli::{BuildState, EnvFile, Event};
use serde_json::json;

const ROUTES: &str = "\
import type { RouteContract } from \"@kit/types\";
export interface HelloRoutes {
  \"GET /hello\": RouteContract<void, void, void, { text: string }>;
}
";

fn hello() -> Project {
    Project::new(&[("src/hello.routes.ts", ROUTES), ("src/main.ts", "export {};\n")])
}

/// Each time the host serves the application, runs the next of these functions.
fn edits(project: &Project, edits: Vec<Box<dyn Fn()>>) {
    *project.host.edits.borrow_mut() = edits.into_iter().rev().collect();
}

#[test]
fn keeps_serving_the_last_version_after_a_mistake_and_reports_it() {
    let project = hello();
    let path = project.root.join("src/wrong.types.ts");
    let again = path.clone();
    edits(
        &project,
        vec![
            Box::new(move || std::fs::write(&path, "export interface Wrong { a: ; }\n").unwrap()),
            Box::new(move || std::fs::write(&again, "export interface Wrong { a: string }\n").unwrap()),
        ],
    );
    let outcome = project.kit(&[
        "dev",
        "--no-db",
        "--port",
        "4000",
        "--host",
        "0.0.0.0",
        "--allow-host",
        "a.example",
    ]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let served = project.host.served.borrow();
    let [first, wrong, right] = served.as_slice() else {
        panic!("{served:?}");
    };
    assert_eq!(first.entry, "src/main.ts");
    assert_eq!(first.port, Some(4000));
    assert_eq!(first.host.as_deref(), Some("0.0.0.0"));
    assert_eq!(first.allowed_hosts, ["a.example"]);
    let watched = project.host.watched.borrow();
    assert_eq!(watched[0].ignored, [".kit", "dist"]);
    assert_eq!((watched[0].tests, watched[0].files.len()), (false, 0));
    let read = project.root.join("src/hello.routes.ts");
    assert!(
        watched[1].files.contains(&read.to_string_lossy().into_owned()),
        "{watched:?}"
    );
    let BuildState::Failed { text, report } = &wrong.build else {
        panic!("{wrong:?}");
    };
    assert!(text.contains("src/wrong.types.ts:1:29"), "{text}");
    assert_eq!(report["failures"][0]["path"], "src/wrong.types.ts");
    assert!(matches!(right.build, BuildState::Built { .. }), "{right:?}");
    assert!(outcome.err.contains("error[KIT1101]"), "{}", outcome.err);
    assert_eq!(outcome.out.matches("built 1 route").count(), 2, "{}", outcome.out);
}

#[test]
fn the_worker_beside_the_program_is_served_if_the_application_declares_jobs() {
    let project = hello();
    let jobs = "import { createJobs } from \"@kit/jobs\";\nexport const jobs = createJobs<{ mail: { to: string } }>({ pool: undefined as never });\n";
    project.write("src/jobs.ts", jobs);
    let outcome = project.kit(&["dev", "--no-db"]);
    assert!(
        outcome
            .err
            .contains("no program does the jobs of the application: the file src/worker.ts does not exist"),
        "{}",
        outcome.err
    );
    project.write("src/worker.ts", "export {};\n");
    for args in [&["dev", "--no-db"][..], &["dev", "--no-db", "--no-worker"]] {
        assert_eq!(project.kit(args).code, 0);
    }
    let missing = project.kit(&["dev", "--no-db", "--worker", "src/nobody.ts"]);
    assert!(
        missing.err.contains("there is no file src/nobody.ts"),
        "{}",
        missing.err
    );
    let served = project.host.served.borrow();
    let workers: Vec<Option<&str>> = served.iter().map(|serve| serve.worker.as_deref()).collect();
    assert_eq!(workers, [None, Some("src/worker.ts"), None, None]);
}

#[test]
fn error_lists_the_usual_entry_files_if_the_project_has_none() {
    let project = hello();
    project.remove("src/main.ts");
    let outcome = project.kit(&["dev"]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome
            .err
            .contains("none of src/main.ts, src/server.ts, src/index.ts"),
        "{}",
        outcome.err
    );
    let outcome = project.kit(&["dev", "--entry", "app/start.ts"]);
    assert!(
        outcome.err.contains("there is no file app/start.ts"),
        "{}",
        outcome.err
    );
}

#[test]
fn warns_if_the_database_is_not_available() {
    let mut project = hello();
    project.write(
        "src/note.types.ts",
        "/** @table notes */\nexport interface Note {\n  /** @id @generated uuid */\n  id: string;\n}\n",
    );
    project.host.database = Some(Err("there is no database".to_owned()));
    let outcome = project.kit(&["dev"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(
        outcome.err.contains("warning: there is no database"),
        "{}",
        outcome.err
    );
    assert_eq!(project.host.served.borrow().len(), 1);
    assert_eq!(*project.host.asked.borrow(), ["database"]);
}

#[test]
fn starts_and_waits_for_an_edit_if_the_configuration_cannot_be_loaded() {
    let mut project = hello();
    project.write("kit.config.ts", "");
    project.host.config = Some(Err("kit.config.ts cannot be loaded: no luck".to_owned()));
    let outcome = project.kit(&["dev", "--no-db"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(
        outcome
            .err
            .contains("error[KIT1004]: kit.config.ts cannot be loaded")
    );
    let served = project.host.served.borrow();
    assert!(matches!(served[0].build, BuildState::Failed { .. }), "{served:?}");
}

#[test]
fn runs_plugins_in_every_build_and_the_hook_done_at_the_end_of_the_build() {
    let mut project = hello();
    project.write("kit.config.ts", "");
    project.host.config = Some(Ok(
        json!({ "plugins": [{ "name": "a", "hooks": { "emit": 0, "done": 0 } }] }),
    ));
    let emitted = |text: &str| {
        Ok(
            json!({ "watch": ["notes.md"], "result": { "files": [{ "value": { "path": "a.txt", "text": text } }], "projectFiles": [] } }),
        )
    };
    let done = || Ok(json!({ "watch": [], "result": {} }));
    project.host.taps = RefCell::new([emitted("one"), done(), emitted("two"), done()].into());
    edits(&project, vec![Box::new(|| {})]);
    let outcome = project.kit(&["dev", "--no-db"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let asked = project.host.asked.borrow();
    let taps: Vec<&str> = asked
        .iter()
        .filter_map(|line| line.strip_prefix("tap ")?.split(' ').next())
        .collect();
    assert_eq!(taps, ["emit", "done", "emit", "done"]);
    assert!(
        asked
            .iter()
            .all(|line| !line.starts_with("tap ") || line.contains("\"mode\":\"dev\"")),
        "{asked:?}"
    );
    assert_eq!(project.tree(".kit")["a.txt"], b"two");
    let watched = project.host.watched.borrow();
    let notes = project.root.join("notes.md").to_string_lossy().into_owned();
    assert!(watched.last().unwrap().files.contains(&notes), "{watched:?}");
}

/// Creates a project with tsc and a tsconfig.json. The host simulates the type check.
fn checkable() -> Project {
    let project = hello();
    project.write("tsconfig.json", "{}");
    let tsc = if cfg!(windows) { "tsc.cmd" } else { "tsc" };
    project.write(&format!("node_modules/.bin/{tsc}"), "");
    project
}

const TYPE_ERROR: &str =
    "src/main.ts(1,8): error TS2322: Type 'number' is not assignable to type 'string'.\n";

#[test]
fn shows_a_type_error_once_and_reports_when_it_is_fixed() {
    let project = checkable();
    let checked = |text: &str| Event::Checked {
        code: Some(if text.is_empty() { 0 } else { 2 }),
        text: text.to_owned(),
    };
    let moved = TYPE_ERROR.replace("(1,8)", "(1,1)");
    *project.host.events.borrow_mut() = vec![checked(""), checked(&moved), checked(TYPE_ERROR), checked("")];
    let outcome = project.kit(&["dev", "--no-db"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert_eq!(
        outcome.err,
        "error[TS2322]: Type 'number' is not assignable to type 'string'.\n \
         --> src/main.ts:1:8\n  \
           |\n\
         1 | export {};\n  \
           |        ^\n\
         1 type error; the application still runs\n\
         no type errors any more\n"
    );
    let served = project.host.served.borrow();
    assert_eq!(served.len(), 1, "a type check starts no application");
    let types = served[0].types.as_ref().expect("there is a checker");
    assert!(types.args.contains(&"--noEmit".to_owned()), "{types:?}");
}

#[test]
fn checks_the_referenced_projects_of_a_solution() {
    let project = checkable();
    project.write(
        "tsconfig.json",
        "{ \"files\": [], /* no sources */ \"references\": [{ \"path\": \"./src\" }] }",
    );
    project.write("src/tsconfig.json", "{}");
    let outcome = project.kit(&["dev", "--no-db"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    let served = project.host.served.borrow();
    let types = served[0].types.as_ref().expect("there is a checker");
    assert_eq!(types.args, ["-b", ".", "--noEmit", "--pretty", "false"]);
}

#[test]
fn prints_a_failure_of_the_type_checker_only_once() {
    let project = checkable();
    let crash = || Event::Checked {
        code: None,
        text: "spawn tsc ENOENT".to_owned(),
    };
    *project.host.events.borrow_mut() = vec![crash(), crash()];
    let outcome = project.kit(&["dev", "--no-db"]);
    assert_eq!(
        outcome.err,
        "warning: types are not checked: `tsc` failed (it was not started or was ended): spawn tsc ENOENT\n"
    );
}

#[test]
fn prints_only_once_that_the_type_check_lacks_a_package_or_file() {
    let project = checkable();
    project.remove("tsconfig.json");
    edits(&project, vec![Box::new(|| {}), Box::new(|| {})]);
    let outcome = project.kit(&["dev", "--no-db"]);
    assert_eq!(
        outcome.err,
        "type errors are not shown: there is no tsconfig.json in the project's root; \
         write a tsconfig.json; a project of `kit scaffold init` contains an example\n"
    );
    assert!(
        project
            .host
            .served
            .borrow()
            .iter()
            .all(|serve| serve.types.is_none())
    );
}

#[test]
fn exits_with_1_if_the_application_cannot_listen_on_its_port() {
    let project = checkable();
    *project.host.events.borrow_mut() = vec![Event::Failed];
    let outcome = project.kit(&["dev", "--no-db"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (1, ""));
}

#[test]
fn prints_names_of_variables_from_the_env_file_when_they_change() {
    let project = checkable();
    *project.host.env.borrow_mut() = EnvFile {
        set: vec!["LOG_LEVEL".to_owned()],
        kept: vec!["PORT".to_owned()],
        changed: vec!["LOG_LEVEL".to_owned()],
    };
    edits(&project, vec![Box::new(|| {})]);
    let outcome = project.kit(&["dev", "--no-db"]);
    assert_eq!(
        outcome.err,
        ".env sets LOG_LEVEL; PORT already set, not changed\n"
    );
}
