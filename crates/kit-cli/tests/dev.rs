//! `kit dev`: what is built and what is told to the host. Processes are the host's; `packages/cli/test/dev.test.ts` has them.
#![allow(clippy::disallowed_methods)] // Reason: tests edit the files that commands read.

mod support;

use std::cell::RefCell;

use kit_cli::BuildState;
use serde_json::json;
use support::Project;

const ROUTES: &str = "\
import type { RouteContract } from \"@kit/types\";
export interface HelloRoutes {
  \"GET /hello\": RouteContract<void, void, void, { text: string }>;
}
";

fn hello() -> Project {
    Project::new(&[("src/hello.routes.ts", ROUTES), ("src/main.ts", "export {};\n")])
}

/// Does these things one after the other while the project is served.
fn edits(project: &Project, edits: Vec<Box<dyn Fn()>>) {
    *project.host.edits.borrow_mut() = edits.into_iter().rev().collect();
}

#[test]
fn a_mistake_keeps_what_was_served_and_is_told_with_its_report() {
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
    let outcome = project.kit(&["dev", "--no-db", "--port", "4000"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let served = project.host.served.borrow();
    let [first, wrong, right] = served.as_slice() else {
        panic!("{served:?}");
    };
    assert_eq!(first.entry, "src/main.ts");
    assert_eq!(first.port, Some(4000));
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
fn a_project_without_a_program_says_what_was_looked_for() {
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
fn a_database_that_is_not_there_is_a_warning() {
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
fn what_an_edit_mends_keeps_nobody_from_starting() {
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
fn plugins_step_into_every_build_and_hear_of_its_end() {
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
