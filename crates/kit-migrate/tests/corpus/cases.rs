//! Tests the migrations in `tests/corpus/cases/*.case`. Each case has TypeScript types before and after a change, and
//! rows in the tables.
//!
//! A case file has these sections:
//! - `=== before` and `=== after`: TypeScript types.
//! - `=== rows`: SQL that inserts rows before the migration.
//! - `=== plan`: the plan of kit, one change per line; written with `KIT_BLESS=1`.
//! - `=== query` and `=== result`: a query after the migration, with its expected rows.
//! - `=== fails`: the rows do not satisfy the new types. The migration must fail with this message and change nothing.
//! - `=== remains`: with `fails`, the differences that the completed steps of the migration leave.
//! - `=== fill`: SQL that the user writes at the marked location in migration.sql.
//! - `=== refused`: a change that kit refuses to plan.
//! - `=== earlier`: an earlier version of kit, which stored a `Date` as `timestamp`, created the tables of `before`.
//! - `=== convert`: the user requests that these `timestamp` columns become `timestamptz(3)`; all if the section is empty.
#![allow(clippy::disallowed_methods)] // cases are files

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kit_database::{ColumnType, Plan, Schema, Snapshot};

use crate::models::{between, differences, migrate, migration, schema};
use crate::support::{Database, Release, database_on, execute, query, runs_only_if_long};

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

/// Compares the plan with the section `plan` of the case file, or writes it there if `KIT_BLESS` is set.
fn compare_plan(path: &Path, text: &str, case: &Case, plan: &Plan) {
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
fn migrates_every_case_on_postgresql_16() {
    every_case(Release::Oldest, "migrates_every_case_on_postgresql_16");
}

#[test]
fn migrates_every_case_on_postgresql_18() {
    const TEST: &str = "migrates_every_case_on_postgresql_18";
    if runs_only_if_long(TEST) {
        every_case(Release::Embedded, TEST);
    }
}

fn every_case(release: Release, test: &str) {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/cases");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&directory)
        .expect("the corpus")
        .map(|entry| entry.expect("a case").path())
        .collect();
    paths.sort();
    assert!(paths.len() > 20);
    // All cases share one server.
    let Some(server) = database_on(release, test) else {
        return;
    };
    for path in &paths {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("a case");
        let case = read(&text);
        let (mut before, mut after) = (schema(&case["before"]), schema(&case["after"]));
        if case.contains_key("earlier") {
            use_timestamps(&mut before);
            after.keep_timestamps(&Snapshot::of(&before));
        }
        if let Some(columns) = case.get("convert") {
            let columns: Vec<String> = lines(columns).into_iter().map(str::to_owned).collect();
            after
                .convert_timestamps(&columns)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
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
        compare_plan(path, &text, &case, &plan);
        run(release, &name, &case, &before, &after, &plan);
    }
    drop(server);
}

/// Makes every time column a `timestamp`, as kit did before it used `timestamptz(3)`.
fn use_timestamps(schema: &mut Schema) {
    for column in schema.tables.iter_mut().flat_map(|table| &mut table.columns) {
        if column.r#type == ColumnType::Timestamptz {
            column.r#type = ColumnType::Timestamp;
        }
    }
}

/// Creates a database with the tables and rows of `before`.
fn prepared(
    release: Release,
    name: &str,
    case: &Case,
    before: &Schema,
) -> (Database, kit_database::Migration) {
    let database = database_on(release, name).expect("the server runs");
    let first = migration(1, &between(None, before).expect("a plan"));
    migrate(&database.url, std::slice::from_ref(&first)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(differences(&database.url, before), [""; 0], "{name}: at first");
    if let Some(rows) = case.get("rows") {
        execute(&database.url, rows);
    }
    (database, first)
}

fn run(release: Release, name: &str, case: &Case, before: &Schema, after: &Schema, plan: &Plan) {
    let (database, first) = prepared(release, name, case, before);
    let mut second = migration(2, plan);
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
                lines(case.get("remains").map_or("", String::as_str)),
                "{name}: nothing else changed"
            );
        }
    }
    if let Some(sql) = case.get("query") {
        assert_eq!(query(&database.url, sql), lines(&case["result"]), "{name}");
    }
}
