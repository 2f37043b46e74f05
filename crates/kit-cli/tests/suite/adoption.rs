//! Tests of the adoption of existing databases: entities and a baseline are written, the first plan is empty, and nothing
//! differs from the database.
#![allow(clippy::disallowed_methods)] // schemas are files
#![allow(clippy::unwrap_used)] // helpers of tests may panic like tests

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use kit_build::pull_entities;
use kit_database::{Migration, Pulled, Schema, Snapshot, plan};
use kit_migrate::{ExistingDatabase, Options, apply, baseline, drift, record, status};
use kit_test_postgres::{database, execute, query};

use crate::support::Project;

const LIBRARY: &str = include_str!("../adoption/library.sql");
const COMPANY: &str = include_str!("../adoption/company.sql");

/// An adopted database.
pub(crate) struct Adopted {
    pub(crate) pulled: Pulled,
    pub(crate) schema: Schema,
    pub(crate) existing: ExistingDatabase,
    pub(crate) baseline: Migration,
}

impl Adopted {
    fn new(url: &str) -> Result<Self, String> {
        Self::with_schemas(url, &[])
    }

    /// Adopts all schemas that contain tables or views.
    pub(crate) fn with_all_schemas(url: &str) -> Result<Self, String> {
        let schemas = all_schemas(url)?;
        let schemas: Vec<&str> = schemas.iter().map(String::as_str).collect();
        Self::with_schemas(url, &schemas)
    }

    /// Adopts the first schema of the `search_path` and the given other schemas.
    fn with_schemas(url: &str, schemas: &[&str]) -> Result<Self, String> {
        let schemas: Vec<String> = schemas.iter().map(|schema| (*schema).to_owned()).collect();
        let existing = ExistingDatabase::read(url, &schemas).map_err(|error| format!("read: {error}"))?;
        let (pulled, mut schema) = pull_entities(&existing.objects(), BTreeMap::new());
        let sql = format!("SET LOCAL check_function_bodies = off;\n{}", existing.sql());
        let mut baseline =
            Migration::by_hand("20260101000000", "baseline", Some(sql), None).expect("a migration");
        let snapshot = existing
            .snapshot(&schema, baseline.checksum())
            .map_err(|error| format!("snapshot: {error}"))?;
        schema.keep_timestamps(&snapshot);
        let snapshot = Snapshot::from_json(&snapshot.to_json()).expect("kit reads what it wrote");
        baseline.snapshot = Some(snapshot);
        Ok(Self {
            pulled,
            schema,
            existing,
            baseline,
        })
    }

    pub(crate) fn snapshot(&self) -> &Snapshot {
        self.baseline.snapshot.as_ref().expect("a snapshot")
    }

    /// Returns the reason why the adoption is wrong, if any: the first plan is not empty, or the database differs.
    pub(crate) fn mistakes(&self, url: &str) -> Vec<String> {
        let mut found = Vec::new();
        match plan(Some(self.snapshot()), &self.schema) {
            Ok(plan) => found.extend(
                plan.changes
                    .iter()
                    .map(|step| format!("planned: {}", step.change.summary())),
            ),
            Err(error) => found.push(format!("refused: {error}")),
        }
        match drift(url, self.snapshot()) {
            Ok(drift) => {
                found.extend(drift.differences.iter().map(|difference| {
                    format!(
                        "drift: {}: {:?} -> {:?}",
                        difference.object, difference.expected, difference.found
                    )
                }));
                found.extend(drift.unknown.iter().map(|object| format!("unknown: {object}")));
            }
            Err(error) => found.push(format!("drift: {error}")),
        }
        found
    }
}

/// Returns the names of all schemas that contain tables or views, except for the first of the `search_path`.
pub(crate) fn all_schemas(url: &str) -> Result<Vec<String>, String> {
    let existing = ExistingDatabase::read(url, &[]).map_err(|error| format!("read: {error}"))?;
    Ok(existing.other_schemas.into_keys().collect())
}

#[test]
fn adopts_a_database_without_a_change() {
    let Some(database) = database("adopts_a_database_without_a_change") else {
        return;
    };
    execute(&database.url, LIBRARY);
    let adopted = Adopted::new(&database.url).unwrap();
    assert_eq!(adopted.mistakes(&database.url), [""; 0]);
    let text = adopted.pulled.single_file();
    let mut report = String::new();
    for left_out in &adopted.pulled.left_out {
        let _ = writeln!(report, "{}: {}", left_out.object, left_out.reason);
    }
    for object in adopted.snapshot().foreign() {
        let _ = writeln!(
            report,
            "{}: {}",
            object.title(),
            object.definition.as_deref().unwrap_or("not in the database")
        );
    }
    compare("library.types.ts", &text);
    compare("library.objects.txt", &report);
    compare("library.baseline.sql", &adopted.baseline.sql);
    // The SQL of the baseline creates the same objects in an empty database.
    let differences = adopted
        .existing
        .try_baseline(&database.url, &adopted.baseline)
        .unwrap();
    assert_eq!(differences, []);
    // After the baseline, nothing is to be done.
    let migrations = [adopted.baseline];
    assert_eq!(
        baseline(&database.url, &migrations, true).unwrap(),
        "20260101000000_baseline"
    );
    assert!(
        query(
            &database.url,
            "SELECT relname FROM pg_class WHERE relname = 'kit_migrations'"
        )
        .is_empty()
    );
    baseline(&database.url, &migrations, false).unwrap();
    assert!(status(&database.url, &migrations).unwrap().is_up_to_date());
    assert!(
        apply(&database.url, &migrations, &Options::default())
            .unwrap()
            .applied
            .is_empty()
    );
    assert!(
        baseline(&database.url, &migrations, false)
            .unwrap_err()
            .to_string()
            .contains("needs no baseline")
    );
}

/// Compares a text with a golden file, or writes the file if `KIT_BLESS` is set.
fn compare(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/adoption")
        .join(name);
    if std::env::var_os("KIT_BLESS").is_some() {
        std::fs::write(&path, text).expect("a golden");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == text,
        "{} differs; KIT_BLESS=1 writes\n{text}",
        path.display()
    );
}

#[test]
fn adopts_several_schemas_without_a_change() {
    let Some(database) = database("adopts_several_schemas_without_a_change") else {
        return;
    };
    let url = &database.url;
    execute(url, COMPANY);
    let adopted = Adopted::with_schemas(url, &["billing", "Sales", "public"]).unwrap();
    assert_eq!(adopted.mistakes(url), [""; 0]);
    let text = adopted.pulled.single_file();
    let mut report = String::new();
    for left_out in &adopted.pulled.left_out {
        let _ = writeln!(report, "{}: {}", left_out.object, left_out.reason);
    }
    for object in adopted.snapshot().foreign() {
        let _ = writeln!(
            report,
            "{}: {}",
            object.title(),
            object.definition.as_deref().unwrap_or("not in the database")
        );
    }
    for (schema, count) in &adopted.existing.other_schemas {
        let _ = writeln!(report, "not read: {schema}: {count}");
    }
    compare("company.types.ts", &text);
    compare("company.objects.txt", &report);
    compare("company.baseline.sql", &adopted.baseline.sql);
    let differences = adopted.existing.try_baseline(url, &adopted.baseline).unwrap();
    assert_eq!(differences, []);
    let migrations = [adopted.baseline];
    baseline(url, &migrations, false).unwrap();
    assert!(status(url, &migrations).unwrap().is_up_to_date());
    // The search path of the connection changes nothing.
    let with_path = format!("{url}?options=-csearch_path%3Dpublic,billing");
    assert!(status(&with_path, &migrations).unwrap().is_up_to_date());
    execute(
        url,
        "DROP TRIGGER touched ON billing.invoices; CREATE TABLE billing.mine (id integer)",
    );
    let found = status(url, &migrations).unwrap().drift.unwrap();
    assert_eq!(found.differences.len(), 1, "{found:?}");
    assert_eq!(found.unknown, ["billing.mine"]);
}

#[test]
fn a_foreign_key_keeps_the_type_of_its_column() {
    let Some(database) = database("a_foreign_key_keeps_the_type_of_its_column") else {
        return;
    };
    let url = &database.url;
    execute(
        url,
        "CREATE EXTENSION citext;
         CREATE TYPE level AS ENUM ('low', 'high');
         CREATE TABLE days (day date PRIMARY KEY);
         CREATE TABLE mails (mail citext PRIMARY KEY);
         CREATE TABLE levels (level level PRIMARY KEY);
         CREATE TABLE paths (path text[] PRIMARY KEY);
         CREATE TABLE visits (
           id integer PRIMARY KEY,
           day date NOT NULL REFERENCES days,
           mail citext NOT NULL REFERENCES mails,
           level level NOT NULL REFERENCES levels,
           path text[] NOT NULL REFERENCES paths
         )",
    );
    let adopted = Adopted::new(url).unwrap();
    assert_eq!(adopted.mistakes(url), [""; 0]);
    assert_eq!(adopted.pulled.left_out, []);
    let text = adopted.pulled.single_file();
    for tags in [
        "@storedAs date @references Day.day",
        "@storedAs citext @references Mail.mail",
        "@storedAs enum level @references Level.level",
        "@storedAs array @references Path.path",
    ] {
        assert!(text.contains(tags), "{tags}: {text}");
    }
}

#[test]
fn refuses_to_read_a_schema_that_the_database_does_not_have() {
    let Some(database) = database("refuses_to_read_a_schema_that_the_database_does_not_have") else {
        return;
    };
    execute(
        &database.url,
        "CREATE SCHEMA sales; CREATE TABLE notes (id integer PRIMARY KEY)",
    );
    for (schema, known) in [("biling", "; it has sales"), ("pg_catalog", "; it has sales")] {
        let error = Adopted::with_schemas(&database.url, &[schema]).err().unwrap();
        let expected = format!("the database has no schema `{schema}` that kit can read{known}");
        assert_eq!(error, format!("read: {expected}"));
    }
}

#[test]
fn refuses_a_baseline_for_a_database_that_differs() {
    let Some(database) = database("refuses_a_baseline_for_a_database_that_differs") else {
        return;
    };
    execute(&database.url, LIBRARY);
    let adopted = Adopted::new(&database.url).unwrap();
    execute(
        &database.url,
        "DROP TRIGGER books_updated ON books; ALTER TABLE books DROP COLUMN weight;",
    );
    let error = baseline(&database.url, &[adopted.baseline], false)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("trigger books_updated of books") && error.contains("column books.weight"),
        "{error}"
    );
    assert!(
        query(
            &database.url,
            "SELECT relname FROM pg_class WHERE relname = 'kit_migrations'"
        )
        .is_empty()
    );
}

#[test]
fn plans_changes_of_an_adopted_database_with_its_own_names() {
    let Some(database) = database("plans_changes_of_an_adopted_database_with_its_own_names") else {
        return;
    };
    execute(&database.url, LIBRARY);
    let adopted = Adopted::new(&database.url).unwrap();
    let mut migrations = vec![adopted.baseline.clone()];
    baseline(&database.url, &migrations, false).unwrap();
    let types = adopted.pulled.single_file();
    // Drops the unique name of branches and the unique index of ISBNs, renames the e-mail, and adds a column.
    let changed = types
        .replace("@maxLength 80 @unique", "@maxLength 80")
        .replace("  /** @unique */\n  isbn:", "  isbn:")
        .replace(
            "  details?:",
            "  /** @integer @minimum 0 @maximum 9 @default 3 */\n  stars: number;\n  details?:",
        )
        .replace("  website:", "  /** @renamedFrom website */\n  homepage:")
        .replace("@default \"novel\"", "@default \"poem\"");
    assert_ne!(changed, types);
    let schema = schema(&changed, adopted.snapshot());
    let plan = plan(Some(adopted.snapshot()), &schema).unwrap();
    let steps: Vec<String> = plan.changes.iter().map(|step| step.change.summary()).collect();
    assert_eq!(
        steps,
        [
            "rename column authors.website to homepage",
            "drop index books_isbn of books",
            "drop constraint one_name of branches",
            "set the default of books.kind",
            "add column books.stars",
            "limit the values of books.stars",
        ]
    );
    let next = Migration::create("20260102000000", "change", &plan, Some(adopted.snapshot())).unwrap();
    migrations.push(next);
    assert!(plan.changes_foreign());
    record(&database.url, &mut migrations, 1).unwrap();
    apply(&database.url, &migrations, &Options::default()).unwrap();
    let status = status(&database.url, &migrations).unwrap();
    assert!(status.is_up_to_date(), "{:?}", status.drift);
}

fn schema(types: &str, committed: &Snapshot) -> Schema {
    let project = Project::new(&[("src/all.types.ts", types)]);
    let resolution = kit_build::resolve(&project.root, None).unwrap();
    let request = kit_build::BuildRequest {
        root: &project.root,
        config: &resolution.config,
        files: std::sync::Arc::new(kit_build::Disk),
        time: &kit_build::BuildTime::new(None, std::time::SystemTime::now()).unwrap(),
    };
    let analysis = kit_build::analyze(&request, &()).unwrap();
    assert!(!analysis.diagnostics.has_errors(), "{:#?}", analysis.diagnostics);
    let mut schema = analysis.schema;
    schema.keep_timestamps(committed);
    schema
}
