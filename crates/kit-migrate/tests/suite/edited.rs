//! Tests of generated migrations that a user edited: their result is recorded, and the next plan starts from it.

use kit_test_postgres as support;

use kit_database::{Migration, latest, plan};
use kit_migrate::{Drift, Options, apply, drift, first_unrecorded, record, with_structure};

use crate::branches::models::schema;
use support::{database, query};

const NOTES: &str = "/** @table notes */\nexport interface Note {\n  /** @id @integer */\n  id: number;\n  title: string;\n  body?: string;\n}\n";

fn generated() -> Migration {
    let plan = plan(None, &schema(NOTES)).expect("a plan");
    with_structure(Migration::create("20260101000001", "m", &plan, None).expect("a migration"))
}

/// Records the result of an edited migration, applies it, and returns the changes that the types then need.
fn after_edit(url: &str, migration: Migration) -> Vec<String> {
    let mut migrations = [migration];
    assert_eq!(first_unrecorded(&migrations), Some(0));
    record(url, &mut migrations, 0).expect("the SQL runs");
    assert_eq!(first_unrecorded(&migrations), None);
    apply(url, &migrations, &Options::default()).expect("it applies");
    let snapshot = latest(&migrations)
        .expect("one migration")
        .snapshot
        .expect("a snapshot");
    assert_eq!(drift(url, &snapshot).expect("a comparison"), Drift::default());
    let plan = plan(Some(&snapshot), &schema(NOTES)).expect("a plan");
    plan.changes.iter().map(|step| step.change.summary()).collect()
}

#[test]
fn the_next_plan_adds_a_column_that_was_edited_out() {
    let Some(database) = database("the_next_plan_adds_a_column_that_was_edited_out") else {
        return;
    };
    let mut migration = generated();
    let without = migration.sql.replace(",\n  body text", "");
    assert_ne!(without, migration.sql);
    migration.sql = without;
    assert_eq!(after_edit(&database.url, migration), ["add column notes.body"]);
}

#[test]
fn objects_that_were_added_to_the_sql_are_accepted() {
    let Some(database) = database("objects_that_were_added_to_the_sql_are_accepted") else {
        return;
    };
    let mut migration = generated();
    migration.sql.push_str(
        "CREATE VIEW short AS SELECT id FROM notes;\nCREATE INDEX lower_title ON notes (lower(title));\n",
    );
    assert_eq!(after_edit(&database.url, migration), [""; 0]);
    assert_eq!(
        query(&database.url, "SELECT to_regclass('short') IS NOT NULL"),
        ["t"]
    );
}

#[test]
fn rows_comments_and_spaces_need_no_recording() {
    let mut migration = generated();
    migration.sql = format!(
        "-- reviewed\n{}\nINSERT INTO notes (id, title) VALUES (1, 'a');\nUPDATE notes SET title = 'b';\n",
        migration.sql.replace("  ", "\t")
    );
    assert_eq!(first_unrecorded(&[migration]), None);
}

#[test]
fn migrations_of_earlier_versions_of_kit_are_trusted() {
    let plan = plan(None, &schema(NOTES)).expect("a plan");
    let mut migration = Migration::create("20260101000001", "m", &plan, None).expect("a migration");
    migration.sql.push_str("DROP TABLE notes;");
    assert_eq!(first_unrecorded(&[migration]), None);
}

#[test]
fn an_edited_migration_is_marked_until_its_sql_is_restored() {
    let Some(database) = database("an_edited_migration_is_marked_until_its_sql_is_restored") else {
        return;
    };
    let url = &database.url;
    let dry = Options {
        dry_run: true,
        ..Options::default()
    };
    let is_edited = |migrations: &[Migration]| {
        let report = apply(url, migrations, &dry).expect("a dry run");
        report.pending[0].edited
    };
    let mut migrations = [generated()];
    let original = migrations[0].sql.clone();
    assert!(!is_edited(&migrations));
    migrations[0].sql = original.replace(",\n  body text", "");
    assert!(is_edited(&migrations), "before the result is recorded");
    record(url, &mut migrations, 0).expect("the SQL runs");
    assert!(is_edited(&migrations), "after the result is recorded");
    migrations[0]
        .sql
        .push_str("CREATE VIEW short AS SELECT id FROM notes;");
    record(url, &mut migrations, 0).expect("the SQL runs");
    let files = migrations[0].files();
    let read = Migration::read(
        &migrations[0].name,
        &files[0].text,
        &files[1].text,
        Some(&files[2].text),
    );
    migrations[0] = read.expect("kit reads its own files");
    assert!(is_edited(&migrations));
    migrations[0].sql = original;
    record(url, &mut migrations, 0).expect("the SQL runs");
    assert!(!is_edited(&migrations));
}
