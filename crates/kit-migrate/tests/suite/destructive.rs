//! Tests on a real PostgreSQL that statements which delete data need consent, independent of `changes.json`.

use kit_test_postgres as support;

use std::time::Duration;

use kit_database::{Change, ChangeClass, ColumnType, Migration, PlannedChange, Snapshot, sql};
use kit_migrate::{MigrateError, Options, State, apply, status};

use support::{database, execute, query};

fn migration(number: u32, sql: &str) -> Migration {
    Migration {
        name: format!("2026010100{number:04}_step"),
        sql: sql.to_owned(),
        destructive: false,
        changes: Vec::new(),
        snapshot: None,
    }
}

fn quick() -> Options {
    Options {
        wait: Duration::from_millis(600),
        lock_timeout: Duration::from_millis(100),
        ..Options::default()
    }
}

const NOTES: &str = "CREATE TABLE notes (id integer PRIMARY KEY, size double precision);\n";
const ROWS: &str = "INSERT INTO notes VALUES (1, 1.5), (2, 2);";

/// Returns a first migration whose snapshot describes its SQL.
fn by_hand(sql: &str) -> Migration {
    Migration::by_hand("20260101000001", "step", Some(sql.to_owned()), None).expect("a migration")
}

/// Returns a first migration of an adopted database.
fn baseline(sql: &str) -> Migration {
    let migration = by_hand(sql);
    let snapshot = migration.snapshot.clone().expect("a snapshot").of_baseline();
    Migration {
        snapshot: Some(Snapshot::from_json(&snapshot.to_json()).expect("a snapshot")),
        ..migration
    }
}

#[test]
fn only_functions_of_a_baseline_may_delete_rows_without_consent() {
    let Some(database) = database("only_functions_of_a_baseline_may_delete_rows_without_consent") else {
        return;
    };
    execute(
        &database.url,
        "CREATE SCHEMA old; CREATE TABLE old.notes (id integer)",
    );
    let function =
        "CREATE FUNCTION wipe() RETURNS void LANGUAGE plpgsql AS $$ BEGIN DELETE FROM old.notes; END $$;";
    for refused in [
        by_hand("DROP SCHEMA old CASCADE;"),
        by_hand("DELETE FROM old.notes;"),
        by_hand(function),
        baseline("DROP SCHEMA old CASCADE;"),
        baseline(&format!("{function} DELETE FROM old.notes;")),
        Migration {
            sql: format!("{function} SELECT wipe();"),
            ..baseline(function)
        },
    ] {
        let error = apply(&database.url, std::slice::from_ref(&refused), &quick()).unwrap_err();
        assert!(
            matches!(error, MigrateError::Destructive { .. }),
            "{}: {error}",
            refused.sql
        );
    }
    let report = apply(&database.url, &[baseline(function)], &quick()).unwrap();
    assert_eq!(report.applied.len(), 1);
}

#[test]
fn refuses_a_migration_that_was_edited_to_delete_rows() {
    let Some(database) = database("refuses_a_migration_that_was_edited_to_delete_rows") else {
        return;
    };
    apply(&database.url, &[migration(1, NOTES)], &quick()).unwrap();
    execute(&database.url, ROWS);
    // Each of these statements changes the rows, as the last part of the test verifies.
    for sql in [
        "DROP TABLE notes;",
        "ALTER TABLE notes DROP COLUMN size;",
        "ALTER TABLE notes DROP size;",
        "TRUNCATE notes;",
        "DELETE FROM notes -- WHERE id = 3\n;",
        "UPDATE notes SET size = 0;",
        "ALTER TABLE notes ALTER COLUMN size TYPE integer;",
        "WITH gone AS (DELETE FROM notes RETURNING id) SELECT count(*) FROM gone WHERE id = 1;",
        "DO $$ BEGIN /* nothing */ DELETE FROM notes; END $$;",
        "DO 'BEGIN TRUNCATE notes; END';",
        "DO E'BEGIN DELETE\\x20FROM notes; END';",
        "DO $$ BEGIN EXECUTE 'DR' || 'OP TABLE notes'; END $$;",
        "DO $$ BEGIN EXECUTE 'DELETE FROM notes'; END $$;",
        "SELECT 1 AS a$$; DROP TABLE notes; --$$\n",
        "SELECT 1 -- x\rDROP TABLE notes;",
        "SELECT E'a'\n'\\'' ; DROP TABLE notes; --'\n;",
        "CREATE FUNCTION wipe() RETURNS void LANGUAGE sql AS 'DELETE FROM notes'; SELECT wipe();",
    ] {
        let edited = [migration(1, NOTES), migration(2, sql)];
        let error = apply(&database.url, &edited, &quick()).unwrap_err();
        assert!(
            matches!(error, MigrateError::Destructive { .. }),
            "{sql}: {error}"
        );
        let text = error.to_string();
        assert!(text.contains("--allow-destructive"), "{text}");
        assert!(
            text.contains("migrations/20260101000002_step/migration.sql:1: "),
            "{text}"
        );
        assert_eq!(query(&database.url, "SELECT sum(size)::text FROM notes"), ["3.5"]);
        let found = status(&database.url, &edited).unwrap();
        assert!(
            matches!(
                found.migrations[1].state,
                State::Pending {
                    destructive: true,
                    ..
                }
            ),
            "{sql}"
        );
    }
}

#[test]
fn runs_statements_that_delete_rows_with_consent() {
    let Some(database) = database("runs_statements_that_delete_rows_with_consent") else {
        return;
    };
    apply(&database.url, &[migration(1, NOTES)], &quick()).unwrap();
    execute(&database.url, ROWS);
    let consent = Options {
        allow_destructive: true,
        ..quick()
    };
    let edited = [migration(1, NOTES), migration(2, "DELETE FROM notes;")];
    assert_eq!(apply(&database.url, &edited, &consent).unwrap().applied.len(), 1);
    assert_eq!(query(&database.url, "SELECT count(*) FROM notes"), ["0"]);
}

#[test]
fn refuses_a_planned_change_of_type_without_its_guard() {
    let Some(database) = database("refuses_a_planned_change_of_type_without_its_guard") else {
        return;
    };
    apply(&database.url, &[migration(1, NOTES)], &quick()).unwrap();
    execute(&database.url, "INSERT INTO notes VALUES (1, 7)");
    let change = Change::SetType {
        table: "notes".to_owned(),
        column: "size".to_owned(),
        from: ColumnType::DoublePrecision,
        to: ColumnType::BigInt,
        guarded: true,
        copy: None,
    };
    let whole = sql::print(&change.statements());
    let planned = |sql: &str| Migration {
        changes: vec![PlannedChange {
            change: change.clone(),
            class: ChangeClass::NeedsData,
            reason: String::new(),
            alternative: None,
        }],
        ..migration(2, sql)
    };
    let alter = &whole[whole.rfind("ALTER TABLE").unwrap()..];
    let unguarded = [migration(1, NOTES), planned(alter)];
    let error = apply(&database.url, &unguarded, &quick()).unwrap_err();
    assert!(
        error.to_string().contains("changes the type of a column"),
        "{error}"
    );
    let guarded = [migration(1, NOTES), planned(&whole)];
    assert_eq!(apply(&database.url, &guarded, &quick()).unwrap().applied.len(), 1);
    assert_eq!(query(&database.url, "SELECT size FROM notes"), ["7"]);
}
