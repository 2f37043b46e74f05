//! Tests of `kit build --watch`: its builds and their output. `packages/cli/test/watch.test.ts` tests the host, which watches
//! files.
#![allow(clippy::disallowed_methods)] // Reason: tests edit the files that commands read.

use std::cell::RefCell;

use crate::support::Project;
use serde_json::{Value, json};

const ROUTES: &str = "\
import type { RouteContract } from \"@kit/types\";
export interface HelloRoutes {
  \"GET /hello\": RouteContract<void, void, void, { text: string }>;
}
";

fn hello() -> Project {
    Project::new(&[("src/hello.routes.ts", ROUTES)])
}

/// Each time the command waits, writes the next of these files.
fn edits(project: &Project, edits: &[(&str, &str)]) {
    let edits = edits.iter().rev().map(|(path, text)| {
        let (path, text) = (project.root.join(path), (*text).to_owned());
        Box::new(move || std::fs::write(&path, &text).expect("the project can be written")) as Box<dyn Fn()>
    });
    *project.host.edits.borrow_mut() = edits.collect();
}

#[test]
fn prints_one_line_per_build_and_continues_after_a_failed_build() {
    let project = hello();
    project.write("src/wrong.types.ts", "export interface Wrong { a: ; }\n");
    edits(
        &project,
        &[
            ("src/wrong.types.ts", "export interface Wrong { a: string }\n"),
            ("src/more.types.ts", "export interface More { a: string }\n"),
        ],
    );
    let outcome = project.kit(&["build", "--watch"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.err.contains("error[KIT1101]"), "{}", outcome.err);
    let lines: Vec<&str> = outcome.out.lines().collect();
    // Only the first build prints the line about artifacts that it did not generate.
    let [mended, left_out, more] = lines.as_slice() else {
        panic!("{lines:?}");
    };
    assert!(left_out.starts_with("left out: "), "{left_out}");
    assert!(mended.starts_with("built 1 route, 2 types in "), "{mended}");
    assert!(more.starts_with("built 1 route, 3 types in "), "{more}");
    let watched = project.host.watched.borrow();
    assert!(watched[0].tests && watched[0].files.is_empty(), "{watched:?}");
    // The host watches the files that a failed build has read, too.
    let read = project.root.join("src/wrong.types.ts");
    assert!(
        watched[1].files.contains(&read.to_string_lossy().into_owned()),
        "{watched:?}"
    );
}

#[test]
fn prints_one_line_of_json_per_build() {
    let project = hello();
    edits(
        &project,
        &[
            ("src/wrong.types.ts", "export interface Wrong { a: ; }\n"),
            ("src/wrong.types.ts", "export interface Wrong { a: string }\n"),
        ],
    );
    let outcome = project.kit(&["build", "--watch", "--json"]);
    let lines: Vec<Value> = outcome
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3, "{}", outcome.out);
    assert_eq!(lines[0]["status"], "built");
    assert_eq!(lines[1]["code"], "BUILD_ERROR");
    assert_eq!(lines[1]["failures"][0]["path"], "src/wrong.types.ts");
    assert_eq!(lines[2]["status"], "built");
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
}

#[test]
fn continues_after_a_configuration_that_cannot_be_loaded() {
    let mut project = hello();
    project.write("kit.config.ts", "");
    project.host.config = Some(Err("kit.config.ts cannot be loaded: no luck".to_owned()));
    edits(&project, &[("src/hello.routes.ts", ROUTES)]);
    let outcome = project.kit(&["build", "--watch"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert_eq!(
        outcome.err.matches("cannot be loaded").count(),
        2,
        "{}",
        outcome.err
    );
}

#[test]
fn exits_on_errors_that_no_edit_can_fix() {
    let mut project = hello();
    let outcome = project.kit(&["build", "--watch", "--root", "nowhere"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("there is no directory"), "{}", outcome.err);
    project.set("SOURCE_DATE_EPOCH", "yesterday");
    let outcome = project.kit(&["build", "--watch"]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.err.contains("SOURCE_DATE_EPOCH must be"),
        "{}",
        outcome.err
    );
    assert_eq!(project.kit(&["build", "--watch", "--check"]).code, 2);
}

#[test]
fn runs_the_hook_done_after_each_build_and_does_not_build_again_for_files_of_plugins() {
    let mut project = hello();
    project.write("kit.config.ts", "");
    let hooks = json!({ "emit": 0, "done": 0 });
    project.host.config = Some(Ok(
        json!({ "plugins": [{ "name": "a", "owns": ["a.toml"], "hooks": hooks }] }),
    ));
    let emitted = |text: &str| {
        let file = json!({ "path": "a.toml", "text": text, "onlyIfMissing": false });
        Ok(json!({ "watch": [], "result": { "files": [], "projectFiles": [{ "value": file }] } }))
    };
    let done = || Ok(json!({ "watch": [], "result": {} }));
    project.host.taps = RefCell::new(
        [
            emitted("# Generated by a\n"),
            done(),
            emitted("# Generated by a\nx = 1\n"),
            done(),
        ]
        .into(),
    );
    edits(&project, &[("src/hello.routes.ts", ROUTES)]);
    let outcome = project.kit(&["build", "--watch"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let asked = project.host.asked.borrow();
    let done: Vec<&String> = asked.iter().filter(|line| line.starts_with("tap done")).collect();
    assert_eq!(done.len(), 2, "{asked:?}");
    assert!(
        done.iter().all(|line| line.contains("\"mode\":\"watch\"")),
        "{done:?}"
    );
    let watched = project.host.watched.borrow();
    let path = project.root.join("a.toml").to_string_lossy().into_owned();
    assert_eq!(watched.last().unwrap().written, [path]);
}
