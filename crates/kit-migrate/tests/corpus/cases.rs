//! Pairs of models, before and after, with rows in between: `tests/corpus/cases/*.case`.
//!
//! A case is a text of sections. `=== before` and `=== after` are TypeScript, `=== rows` SQL; `=== plan` is what kit makes of
//! it, a change a line, and is written by `KIT_BLESS=1`; `=== query` and `=== result` are what is stored afterwards. With
//! `=== fails` the rows do not fit: applying fails with that in its message, and nothing has changed. `=== fill` is what a
//! person writes where migration.sql has a place for it. `=== refused` is what kit will not plan. With `=== alternative` the
//! other ways of changes.json are gone too, statement by statement. With `=== earlier` an earlier kit made the tables of
//! before, which stored a `Date` as `timestamp`.
#![allow(clippy::disallowed_methods)] // cases are files

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kit_database::{ColumnType, Plan, Schema, Snapshot};

use crate::models::{between, differences, migrate, migration, schema};
use crate::support::{Database, Release, database_on, execute, query};

type Case = BTreeMap<String, String>;

fn read(text: &str) -> Case {
    let mut case = Case::new();
    let mut section = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            name.trim().clone_into(&mut section);
            case.insert(section.clone(), String::new());
        } else if let Some(body) = case.get_mut(&section) {
            body.push_str(line);
            body.push('\n');
        }
    }
    case
}

fn lines(text: &str) -> Vec<&str> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect()
}

fn described(plan: &Plan) -> String {
    let mut text = String::new();
    for step in &plan.changes {
        let _ = writeln!(text, "{}: {}", step.class.name(), step.change.summary());
    }
    text
}

/// Holds the plan against the case, or writes it there.
fn hold_plan(path: &Path, text: &str, case: &Case, plan: &Plan) {
    let found = described(plan);
    if case["plan"].trim() == found.trim() {
        return;
    }
    assert!(
        std::env::var_os("KIT_BLESS").is_some(),
        "{}: the plan is\n{found}\nand in SQL\n{}",
        path.display(),
        plan.sql()
    );
    let (head, rest) = text.split_once("=== plan\n").expect("a place for the plan");
    let tail = rest.find("=== ").map_or("", |at| &rest[at..]);
    std::fs::write(path, format!("{head}=== plan\n{found}\n{tail}")).expect("a case");
}

#[test]
fn every_case_on_postgresql_16() {
    every_case(Release::Oldest, "every_case_on_postgresql_16");
}

#[test]
fn every_case_on_postgresql_18() {
    every_case(Release::Embedded, "every_case_on_postgresql_18");
}

fn every_case(release: Release, test: &str) {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/cases");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&directory)
        .expect("the corpus")
        .map(|entry| entry.expect("a case").path())
        .collect();
    paths.sort();
    assert!(paths.len() > 20);
    // One server for all of them.
    let Some(server) = database_on(release, test) else {
        return;
    };
    for path in &paths {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("a case");
        let case = read(&text);
        let (mut before, mut after) = (schema(&case["before"]), schema(&case["after"]));
        if case.contains_key("earlier") {
            as_before(&mut before);
            after.keep_timestamps(&Snapshot::of(&before));
        }
        let plan = match (between(Some(&before), &after), case.get("refused")) {
            (Ok(plan), None) => plan,
            (Err(error), Some(expected)) => {
                for line in lines(expected) {
                    assert!(error.to_string().contains(line), "{name}: {error}");
                }
                continue;
            }
            (Ok(plan), Some(_)) => panic!("{name}: is planned\n{}", plan.sql()),
            (Err(error), None) => panic!("{name}: {error}"),
        };
        hold_plan(path, &text, &case, &plan);
        run(release, &name, &case, &before, &after, &plan);
        if case.contains_key("alternative") {
            go_the_other_way(release, &name, &case, &before, &after, &plan);
        }
    }
    drop(server);
}

/// Makes every time a `timestamp`, as kit did until it made `timestamptz(3)`.
fn as_before(schema: &mut Schema) {
    for column in schema.tables.iter_mut().flat_map(|table| &mut table.columns) {
        if column.r#type == ColumnType::Timestamptz {
            column.r#type = ColumnType::Timestamp;
        }
    }
}

/// A database with the tables and rows of before.
fn prepared(
    release: Release,
    name: &str,
    case: &Case,
    before: &Schema,
) -> (Database, kit_database::Migration) {
    let database = database_on(release, name).expect("the server runs");
    let first = migration(1, &between(None, before).expect("a plan"), before);
    migrate(&database.url, std::slice::from_ref(&first)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(differences(&database.url, before), [""; 0], "{name}: at first");
    if let Some(rows) = case.get("rows") {
        execute(&database.url, rows);
    }
    (database, first)
}

fn run(release: Release, name: &str, case: &Case, before: &Schema, after: &Schema, plan: &Plan) {
    let (database, first) = prepared(release, name, case, before);
    let mut second = migration(2, plan, after);
    assert_eq!(second.destructive, plan.is_destructive());
    if let Some(fill) = case.get("fill") {
        let place = second.sql.lines().find(|line| line.starts_with("-- UPDATE"));
        let place = place.expect("a place to fill in").to_owned();
        second.sql = second.sql.replace(&place, fill.trim());
    }
    let outcome = migrate(&database.url, &[first, second]);
    match (case.get("fails"), outcome) {
        (None, Ok(())) => {
            assert_eq!(differences(&database.url, after), [""; 0], "{name}: afterwards");
            let again = between(Some(after), after).expect("a plan");
            assert!(again.is_empty(), "{name}: {}", again.sql());
        }
        (None, Err(error)) => panic!("{name}: {error}\n{}", plan.sql()),
        (Some(_), Ok(())) => panic!("{name}: was applied"),
        (Some(expected), Err(error)) => {
            for line in lines(expected) {
                assert!(error.to_string().contains(line), "{name}: {error}");
            }
            assert_eq!(
                differences(&database.url, before),
                [""; 0],
                "{name}: nothing changed"
            );
        }
    }
    if let Some(sql) = case.get("query") {
        assert_eq!(query(&database.url, sql), lines(&case["result"]), "{name}");
    }
}

/// The statements of the alternatives, one transaction each, where there are some; they end where the plan ends.
fn go_the_other_way(release: Release, name: &str, case: &Case, before: &Schema, after: &Schema, plan: &Plan) {
    let (database, _) = prepared(release, name, case, before);
    let mut gone = 0;
    for step in &plan.changes {
        if let Some(alternative) = &step.alternative {
            // What only a person knows is not there to run.
            for statement in alternative.steps.iter().filter(|step| !step.contains('…')) {
                execute(&database.url, statement);
                gone += 1;
            }
        } else {
            execute(
                &database.url,
                &kit_database::sql::print(&step.change.statements()),
            );
        }
    }
    assert!(gone > 0, "{name}: no alternative");
    assert_eq!(
        differences(&database.url, after),
        [""; 0],
        "{name}: the other way"
    );
}
