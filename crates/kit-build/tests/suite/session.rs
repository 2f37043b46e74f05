//! Tests that builds in a session give the same bytes as new builds, after many random edits.

// A helper of a test may panic, which fails the test.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::SystemTime;

use crate::support::Project;
use kit_build::{BuildRequest, BuildTime, Disk, Session, resolve};

/// A generator of pseudorandom numbers. It gives the same numbers in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        // Constants of Knuth's MMIX generator. The high bits of its numbers are the most random.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).map_or(0, |number| number % sides)
    }
}

/// Numbers that determine the source files of a project. An edit changes one of them.
#[derive(Clone)]
struct State {
    parts: [usize; 15],
}

impl State {
    fn files(&self) -> Vec<(&'static str, String)> {
        let part = |index: usize| self.parts[index];
        let pick =
            |index: usize, texts: &[&str]| -> String { texts[self.parts[index] % texts.len()].to_owned() };
        let lines = "\n".repeat(part(0));
        let shared = format!(
            "{lines}/** {description} */\nexport interface Money {{ {unit}; /** {tag}@minimum {minimum} */ amount: number }}\n\
             export interface Page<T> {{ data: T[]; total: number }}\n\
             export type Tree = {{ value: {value}; children: Tree[] }};\n\
             export interface Measured {{ size: {{ wide: string; deep?: {deep} }} | {{ wide: string; high?: number }} }}\n{extra}",
            description = pick(1, &["An amount.", "How much."]),
            unit = pick(
                2,
                &[
                    "currency: string",
                    "currency: \"EUR\" | \"USD\"",
                    "currency?: string"
                ]
            ),
            minimum = part(3),
            // Facts about the whole program depend on these: sensitive names, documents of requests, unions whose members are tried.
            tag = pick(13, &["", "@sensitive ", "@default 9 "]),
            deep = pick(14, &["number", "string", "boolean"]),
            value = pick(4, &["string", "Money", "number | null"]),
            extra = pick(
                5,
                &[
                    "",
                    "export interface Email { /** @format email */ text: string }",
                    "export type Alias = Money;"
                ]
            ),
        );
        let orders = format!(
            "import type {{ Money{tree} }} from \"./shared.types.ts\";\n\
             /** @table */\nexport interface Order {{\n  /** @id @generated uuid */\n  id: string;\n  {field}: string;\n  \
             /** @default {default} */\n  count: number;\n}}\n\
             export interface Line {{ price: Money; kind: \"line\" }}\n\
             export interface Discount {{ price: Money; kind: {kind} }}\n\
             export type Entry = Line | Discount;\n\
             export type CreateOrder = {derived};\n\
             export interface Receipt {{ entries: Entry[]; {more} }}\n",
            tree = pick(6, &["", ", Tree"]),
            field = pick(7, &["title", "subject", "isEmail"]),
            default = part(3),
            // This edit changes no names. An edit of names would generate all files again, and hide errors in the tracking of
            // references.
            kind = pick(12, &["\"discount\"", "\"coupon\" | \"discount\""]),
            derived = pick(
                9,
                &["Omit<Order, \"id\">", "Pick<Order, \"count\">", "Partial<Order>"]
            ),
            more = pick(6, &["total: Money", "tree: Tree"]),
        );
        let routes = format!(
            "import type {{ RouteContract }} from \"@kit/types\";\n\
             import type {{ CreateOrder, Order, Receipt }} from \"./orders.types.ts\";\n\
             import type {{ Page }} from \"./shared.types.ts\";\n\
             export interface OrderRoutes {{\n  \
             \"GET /orders\": RouteContract<void, {{ {query} }}, void, Page<{listed}>>;\n  \
             \"POST /orders\": RouteContract<void, void, CreateOrder, Order>;\n{route}}}\n",
            query = pick(10, &["page?: number", "page?: number; since?: Date"]),
            listed = pick(8, &["Order", "Receipt"]),
            route = pick(
                11,
                &[
                    "",
                    "  /** @status 202 */\n  \"GET /orders/:id\": RouteContract<{ id: string }, void, void, Receipt>;\n",
                    "  \"GET /orders/:number\": RouteContract<{ number: string }, void, void, Receipt>;\n"
                ]
            ),
        );
        vec![
            ("src/shared.types.ts", shared),
            ("src/orders.types.ts", orders),
            ("src/orders.routes.ts", routes),
            // The OpenAPI document contains the project's name. `package.json` sets it, so that it is equal in both
            // directories.
            (
                "package.json",
                r#"{"name":"orders","version":"1.0.0"}"#.to_owned(),
            ),
        ]
    }
}

#[test]
fn session_gives_the_same_output_as_new_builds_after_random_edits() {
    assert!(files_left_alone(80, "") > 500);
}

/// A program of more than 500 types has other code, and its files share more parts.
#[test]
fn session_of_a_large_program_gives_the_same_output_as_new_builds_after_random_edits() {
    let mut more = String::new();
    for number in 0..500 {
        writeln!(
            more,
            "export interface More{number} {{ /** @minLength {number} */ id: string }}"
        )
        .unwrap();
    }
    assert!(files_left_alone(12, &more) > 100);
}

/// Compares builds in a session with new builds after `steps` random edits. Returns the number of files that the builds did not
/// write because they were unchanged. `more` is the text of a file that no edit changes.
fn files_left_alone(steps: usize, more: &str) -> usize {
    let mut dice = Dice(20_260_721);
    let mut state = State { parts: [0; 15] };
    let files = |state: &State| {
        let mut files = state.files();
        files.push(("src/more.types.ts", more.to_owned()));
        files
    };
    let project = Project::new(files(&state));
    let config = resolve(&project.root, None).unwrap().config;
    let time = BuildTime::new(Some("1700000000"), SystemTime::now()).unwrap();
    let mut session = Session::default();
    let mut reused = 0;
    for step in 0..steps {
        // Some rounds change no source file, and some change files of the output directory.
        if dice.roll(8) > 0 {
            let part = dice.roll(15);
            state.parts[part] = dice.roll(6);
        }
        for (path, text) in state.files() {
            project.write(path, &text);
        }
        if step % 7 == 3 {
            project.remove(".kit/types.ts");
            project.write(".kit/routes.json", "[]");
        }
        let request = BuildRequest {
            root: &project.root,
            config: &config,
            files: Arc::new(Disk),
            time: &time,
        };
        let report = session.build(&request, &()).unwrap();
        assert!(report.succeeded(), "step {step}: {:?}", report.diagnostics);
        reused += report.files.unchanged;
        let fresh = Project::new(files(&state));
        let expected = fresh.build_at(1_700_000_000, true);
        assert!(expected.succeeded());
        assert_eq!(report.counts, expected.counts, "step {step}");
        assert_eq!(
            format!("{:?}", report.diagnostics),
            format!("{:?}", expected.diagnostics),
            "step {step}"
        );
        let (incremental, cold) = (project.output(), fresh.output());
        for (path, text) in &cold {
            assert!(
                incremental.get(path) == Some(text),
                "step {step}: {path} is another one"
            );
        }
        assert_eq!(incremental.len(), cold.len(), "step {step}");
    }
    reused
}

/// After a build that fails, the next build must compare with the last successful one.
#[test]
fn session_writes_no_file_if_edits_after_a_failed_build_restore_the_sources() {
    let state = State { parts: [1; 15] };
    let project = Project::new(state.files());
    let config = resolve(&project.root, None).unwrap().config;
    let time = BuildTime::new(Some("1700000000"), SystemTime::now()).unwrap();
    let mut session = Session::default();
    let request = BuildRequest {
        root: &project.root,
        config: &config,
        files: Arc::new(Disk),
        time: &time,
    };
    assert!(session.build(&request, &()).unwrap().succeeded());
    let before = project.output();
    project.write("src/shared.types.ts", "export interface Money {");
    assert!(!session.build(&request, &()).unwrap().succeeded());
    assert_eq!(project.output(), before);
    for (path, text) in state.files() {
        project.write(path, &text);
    }
    let report = session.build(&request, &()).unwrap();
    assert!(report.succeeded());
    assert_eq!(report.files.written, Vec::<String>::new());
    assert_eq!(project.output(), before);
}

/// A session checks directories for changes, not files. It does not notice a file that was overwritten in place; a build
/// without a session does.
#[test]
fn build_without_a_session_restores_a_file_that_was_overwritten_in_place() {
    let state = State { parts: [1; 15] };
    let project = Project::new(state.files());
    let config = resolve(&project.root, None).unwrap().config;
    let time = BuildTime::new(Some("1700000000"), SystemTime::now()).unwrap();
    let mut session = Session::default();
    let request = BuildRequest {
        root: &project.root,
        config: &config,
        files: Arc::new(Disk),
        time: &time,
    };
    assert!(session.build(&request, &()).unwrap().succeeded());
    let before = project.output();
    project.write(".kit/validators/Order.validator.ts", "export {};");
    let report = session.build(&request, &()).unwrap();
    assert_eq!(report.files.written, Vec::<String>::new());
    // After a file of the directory is removed, the session compares all files there.
    project.remove(".kit/validators/Line.validator.ts");
    let report = session.build(&request, &()).unwrap();
    let changed = ["validators/Line.validator.ts", "validators/Order.validator.ts"];
    assert_eq!(report.files.written, changed);
    assert_eq!(project.output(), before);
    project.write(".kit/validators/Order.validator.ts", "export {};");
    assert!(project.build_at(1_700_000_000, true).succeeded());
    assert_eq!(project.output(), before);
}

/// The compiler reads only the types that the edit affects, and these do not contain the import.
#[test]
fn session_notices_a_new_file_that_changes_the_target_of_an_import() {
    let project = Project::new([
        ("package.json", r#"{"name":"orders","version":"1.0.0"}"#),
        ("lib/money/index.ts", "export interface Money { cents: number }\n"),
        (
            "src/order.types.ts",
            "import type { Money } from \"../lib/money\";\nexport interface Order { price: Money }\n",
        ),
        (
            "src/tag.types.ts",
            "export interface Tag { /** @maxLength 10 */ name: string }\n",
        ),
    ]);
    let config = resolve(&project.root, None).unwrap().config;
    let time = BuildTime::new(Some("1700000000"), SystemTime::now()).unwrap();
    let request = BuildRequest {
        root: &project.root,
        config: &config,
        files: Arc::new(Disk),
        time: &time,
    };
    let mut session = Session::default();
    assert!(session.build(&request, &()).unwrap().succeeded());
    assert!(project.output()["types.ts"].contains("cents"));
    project.write("lib/money.ts", "export interface Money { euros: number }\n");
    project.write(
        "src/tag.types.ts",
        "export interface Tag { /** @maxLength 20 */ name: string }\n",
    );
    assert!(session.build(&request, &()).unwrap().succeeded());
    assert!(project.output()["types.ts"].contains("euros"));
}

/// The operations of the OpenAPI document are kept between builds, and the edit changes no route.
#[test]
fn session_documents_not_modified_responses_after_an_edit_turns_on_entity_tags() {
    let app = |options: &str| {
        format!(
            "import {{ createApp, defineHandlers }} from \"@kit/core\";\n\
             import type {{ NoteRoutes }} from \"./note.routes.ts\";\n\
             const handlers = defineHandlers<NoteRoutes>({{ \"GET /notes\": () => [] }});\n\
             export const app = createApp({{ {options}routes: [{{ handlers }}] }});\n"
        )
    };
    let project = Project::new([
        ("package.json", r#"{"name":"notes","version":"1.0.0"}"#.to_owned()),
        (
            "src/note.routes.ts",
            "import type { RouteContract } from \"@kit/types\";\n\
             export interface NoteRoutes { \"GET /notes\": RouteContract<void, void, void, string[]> }\n"
                .to_owned(),
        ),
        ("src/app.ts", app("")),
    ]);
    let config = resolve(&project.root, None).unwrap().config;
    let time = BuildTime::new(Some("1700000000"), SystemTime::now()).unwrap();
    let request = BuildRequest {
        root: &project.root,
        config: &config,
        files: Arc::new(Disk),
        time: &time,
    };
    let mut session = Session::default();
    assert!(session.build(&request, &()).unwrap().succeeded());
    assert!(!project.output()["schemas/openapi.json"].contains("\"304\""));
    project.write("src/app.ts", &app("etag: true, "));
    assert!(session.build(&request, &()).unwrap().succeeded());
    assert!(project.output()["schemas/openapi.json"].contains("\"304\""));
}
