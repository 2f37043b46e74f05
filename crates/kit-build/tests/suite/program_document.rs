//! Tests of the JSON document of a program that plugins get and return. If a plugin returns it unchanged, the build is
//! unchanged. If the document is damaged, kit reports an error or builds a valid program.
#![allow(clippy::disallowed_methods)] // Reason: the test reads source files of projects.
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::SystemTime;

use crate::support::{Files, Project, beside, read_tree};
use kit_build::{
    BuildReport, BuildRequest, BuildTime, Disk, Plugin, ResolvedConfig, Tap, TapEvent, TapFuture, TapHost,
    build_with, check_with, resolve,
};
use kit_diagnostics::codes;
use serde_json::{Value, json};

/// A plugin that changes the program document with a function and returns it.
struct Changed<C: Fn(&mut Value)>(C);

impl<C: Fn(&mut Value)> TapHost for Changed<C> {
    fn run_tap<'a>(&'a self, _plugin: usize, hook: &'static str, event: TapEvent) -> TapFuture<'a> {
        assert_eq!(hook, "afterTypeParse");
        let mut program = event.complete_document()["event"]["program"].take();
        (self.0)(&mut program);
        Box::pin(async move { Ok(json!({ "watch": [], "result": { "program": program } })) })
    }
}

fn now<T>(work: impl Future<Output = T>) -> T {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("the host answers at once"),
    }
}

fn config(project: &Project) -> ResolvedConfig {
    let mut config = resolve(&project.root, None).unwrap().config;
    config.plugins.push(Plugin {
        index: 0,
        name: "changed".to_owned(),
        taps: vec![Tap {
            hook: "afterTypeParse",
            stage: 0.0,
        }],
        owns: Vec::new(),
        location: None,
    });
    config
}

fn request<'a>(project: &'a Project, config: &'a ResolvedConfig, time: &'a BuildTime) -> BuildRequest<'a> {
    BuildRequest {
        root: &project.root,
        config,
        files: Arc::new(Disk),
        time,
    }
}

/// Source file with at least one example of every kind of type.
const KINDS: &str = r#"
import type { RouteContract } from "@kit/types";
/** A row. @table things @renamedFrom old_things @index by_name (name, count) @deprecated soon */
export interface Thing {
  /** @id @generated uuid */ id: string;
  /** @minLength 1 @maxLength 9 @pattern ^a @unique @example "a" */ name: string;
  /** @minimum 1 @maximum 9 @multipleOf 0.5 @default 2 @index */ count: number;
  /** @exclusiveMinimum 1 @exclusiveMaximum 9 @sensitive @column rate_of */ rate: number;
  /** @generated now @onUpdate now */ changedAt: Date;
  /** @references Thing.id cascade */ parent: string | null;
  /** @format email @renamedFrom address */ mail?: string;
}
export interface Other {
  /** @minItems 1 @maxItems 2 @uniqueItems */ list: string[];
  pair: [first: string, second?: number, ...rest: boolean[]];
  /** @default [] */ tags: string[];
  /** @default null */ none: string | null;
  /** @default now */ at: Date;
  literal: "a" | 1 | true | 2n; big: bigint; bytes: Uint8Array; any: unknown;
  template: `x-${string}`; record: Record<string, number>; keyed: { [key: `a-${number}`]: string };
  self?: Other;
}
export interface Page<T> { data: T[] }
export interface Routes {
  /** List. @summary All @tag things @throws GONE 410 @status 200 */
  "GET /things": RouteContract<void, { page?: number }, void, Page<Other>>;
  "PUT /things/:id": RouteContract<{ id: string }, void, { name: string }, void>;
}
"#;

/// Returns the names and source files of several projects: the examples, a golden project, and one with all kinds of types.
fn projects() -> Vec<(&'static str, Files)> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let sources = |path: &str| -> Files {
        let files = read_tree(&repository.join(path).join("src"));
        files
            .into_iter()
            .map(|(path, text)| (format!("src/{path}"), text))
            .collect()
    };
    let kinds = ["src/things.types.ts", "src/things.routes.ts"].map(|path| {
        let (types, routes) = KINDS.split_once("export interface Routes").unwrap();
        let text = if path.ends_with("types.ts") {
            types.to_owned()
        } else {
            format!(
                "import type {{ RouteContract }} from \"@kit/types\";\nimport type {{ Other, Page }} from \"./things.types.ts\";\nexport interface Routes{routes}"
            )
        };
        (path.to_owned(), text)
    });
    vec![
        ("every kind", kinds.into()),
        ("golden entities", read_tree(&beside("goldens/entities/input"))),
        ("examples/notes", sources("examples/notes")),
        ("examples/teams", sources("examples/teams")),
    ]
}

#[test]
fn build_is_unchanged_if_a_plugin_returns_the_program_document_unchanged() {
    for (name, files) in projects() {
        let (plain, echoed) = (Project::new(&files), Project::new(&files));
        plain.build();
        let config = config(&echoed);
        let time = BuildTime::new(Some("1790000000"), SystemTime::UNIX_EPOCH).unwrap();
        let host = Changed(|_| {});
        let report = now(build_with(&request(&echoed, &config, &time), &host, &())).unwrap();
        assert!(report.succeeded(), "{name}: {:#?}", report.diagnostics);
        assert!(report.counts.types > 2, "{name} has types");
        assert_eq!(plain.output(), echoed.output(), "{name}");
    }
}

/// A generator of pseudorandom numbers. It starts from a seed, so that a failure can be reproduced.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }
}

/// Adds the JSON pointers of all values in a document to `found`.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{at}/{index}"), found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                places(member, &format!("{at}/{name}"), found);
            }
        }
        _ => {}
    }
}

/// Damages a document at a random location and returns a description of the change.
fn spoil(document: &mut Value, dice: &mut Dice) -> String {
    let mut all = Vec::new();
    places(document, "", &mut all);
    let place = all[1 + dice.roll(all.len() - 1)].clone();
    let other = document.pointer(&all[dice.roll(all.len())]).unwrap().clone();
    let value = document.pointer_mut(&place).unwrap();
    let before = value.to_string();
    *value = match (dice.roll(6), &*value) {
        (0, _) => other,
        (1, _) => Value::Null,
        (2, Value::Array(items)) => items.iter().chain(items).cloned().collect(),
        (3, Value::Array(items)) => items.iter().skip(1).cloned().collect(),
        (4, Value::Object(members)) if !members.is_empty() => {
            let mut members = members.clone();
            let name = members.keys().nth(dice.roll(members.len())).unwrap().clone();
            members.shift_remove(&name);
            members.into()
        }
        (_, Value::Number(_)) => json!(dice.roll(40)),
        (_, Value::String(text)) => {
            let texts = [
                "",
                "0",
                "Thing",
                "a b",
                "`${x}`\n*/",
                "кит",
                "string",
                "object",
                "/things/:id",
            ];
            match dice.roll(texts.len() + 1) {
                0 => json!(format!("{text}{text}")),
                index => json!(texts[index - 1]),
            }
        }
        (_, Value::Bool(flag)) => json!(!flag),
        (_, other) => json!([other]),
    };
    format!("{place}: {before} is now {value}")
}

#[test]
fn damaged_program_document_gives_an_error_or_a_valid_program() {
    let (_, files) = projects().remove(0);
    let project = Project::new(&files);
    project.build();
    let config = config(&project);
    let time = BuildTime::new(Some("1790000000"), SystemTime::UNIX_EPOCH).unwrap();
    let (mut refused, mut taken, mut changed) = (0, 0, 0);
    for seed in 1..=400 {
        let said = std::cell::RefCell::default();
        let host = Changed(|document| {
            *said.borrow_mut() = spoil(
                document,
                &mut Dice(u64::wrapping_mul(seed, 0x9e37_79b9_7f4a_7c15)),
            );
        });
        let check =
            || -> BuildReport { now(check_with(&request(&project, &config, &time), &host, &())).unwrap() };
        let report = catch_unwind(AssertUnwindSafe(check));
        let report = report.unwrap_or_else(|_| panic!("seed {seed}: {}", said.borrow()));
        if report.succeeded() {
            taken += 1;
            changed += usize::from(!report.files.written.is_empty());
        } else {
            let mut of_plugin = report.diagnostics.iter();
            refused += usize::from(of_plugin.any(|diagnostic| diagnostic.code == codes::PLUGIN_PROGRAM));
        }
    }
    // Both outcomes must be frequent. Otherwise the test would prove little.
    assert!(
        refused > 100 && taken > 50 && changed > 30,
        "{refused}, {taken}, {changed}"
    );
}
