//! Tests that apply migrations to a real PostgreSQL.

use kit_test_postgres as support;

use std::time::Duration;

use kit_database::Migration;
use kit_migrate::{MigrateError, Options, apply};

use support::{database, execute, query, with_client};

fn migration(number: u32, sql: &str) -> Migration {
    Migration {
        name: format!("2026010100{number:04}_step"),
        sql: sql.to_owned(),
        destructive: false,
        changes: Vec::new(),
        snapshot: None,
    }
}

fn destructive(number: u32, sql: &str) -> Migration {
    Migration {
        destructive: true,
        ..migration(number, sql)
    }
}

fn quick() -> Options {
    Options {
        wait: Duration::from_millis(600),
        lock_timeout: Duration::from_millis(100),
        ..Options::default()
    }
}

const NOTES: &str = "CREATE TABLE notes (id integer PRIMARY KEY);\n";

#[test]
fn applies_each_migration_once_and_in_order() {
    let Some(database) = database("applies_each_migration_once_and_in_order") else {
        return;
    };
    let migrations = [
        migration(1, NOTES),
        migration(2, "ALTER TABLE notes ADD COLUMN title text;"),
    ];
    let report = apply(&database.url, &migrations, &quick()).unwrap();
    let names: Vec<&str> = report
        .applied
        .iter()
        .map(|applied| applied.name.as_str())
        .collect();
    assert_eq!(names, ["20260101000001_step", "20260101000002_step"]);
    assert_eq!((report.already_applied, report.warnings.len()), (0, 0));
    let again = apply(&database.url, &migrations, &quick()).unwrap();
    assert_eq!((again.applied.len(), again.already_applied), (0, 2));
    execute(&database.url, "INSERT INTO notes VALUES (1, 'x')");
    let history = query(
        &database.url,
        "SELECT name || ' ' || length(checksum) || ' ' || (applied_at <= now()) FROM kit_migrations ORDER BY name",
    );
    assert_eq!(
        history,
        ["20260101000001_step 64 true", "20260101000002_step 64 true"]
    );
}

#[test]
fn writes_nothing_in_a_dry_run() {
    let Some(database) = database("writes_nothing_in_a_dry_run") else {
        return;
    };
    let options = Options {
        dry_run: true,
        ..quick()
    };
    let report = apply(&database.url, &[destructive(1, NOTES)], &options).unwrap();
    assert_eq!(report.pending.len(), 1);
    assert_eq!(report.pending[0].name, "20260101000001_step");
    assert!(report.pending[0].destructive);
    let tables = query(
        &database.url,
        "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'",
    );
    assert_eq!(tables, ["0"]);
}

#[test]
fn rolls_back_a_failed_migration_and_continues_in_the_next_run() {
    let Some(database) = database("rolls_back_a_failed_migration_and_continues_in_the_next_run") else {
        return;
    };
    let bad = "CREATE TABLE half (id integer);\nALTER TABLE nites ADD COLUMN x text;\n";
    let error = apply(&database.url, &[migration(1, NOTES), migration(2, bad)], &quick()).unwrap_err();
    let text = error.to_string();
    let MigrateError::Statement {
        name,
        applied,
        source,
        ..
    } = error
    else {
        panic!("{error:?}")
    };
    assert_eq!((name.as_str(), applied.len()), ("20260101000002_step", 1));
    assert_eq!(source.code.as_deref(), Some("42P01"));
    assert!(text.contains("relation \"nites\" does not exist"), "{text}");
    assert_eq!(query(&database.url, "SELECT to_regclass('half') IS NULL"), ["t"]);
    let fixed = migration(2, "ALTER TABLE notes ADD COLUMN x text;");
    let report = apply(&database.url, &[migration(1, NOTES), fixed], &quick()).unwrap();
    assert_eq!((report.already_applied, report.applied.len()), (1, 1));
}

#[test]
fn reports_the_line_and_the_detail_of_an_error() {
    let Some(database) = database("reports_the_line_and_the_detail_of_an_error") else {
        return;
    };
    let syntax = migration(
        1,
        "-- ä\nCREATE TABLE a (id integer);\nCREATE TABEL b (id integer);\n",
    );
    let text = apply(&database.url, &[syntax], &quick()).unwrap_err().to_string();
    assert!(text.contains("line 3: CREATE TABEL b"), "{text}");
    let double = migration(
        1,
        "CREATE TABLE a (id integer UNIQUE);\nINSERT INTO a VALUES (7), (7);\n",
    );
    let text = apply(&database.url, &[double], &quick()).unwrap_err().to_string();
    assert!(text.contains("detail: Key (id)=(7) already exists."), "{text}");
}

#[test]
fn refuses_edited_and_missing_migrations() {
    let Some(database) = database("refuses_edited_and_missing_migrations") else {
        return;
    };
    apply(&database.url, &[migration(1, NOTES)], &quick()).unwrap();
    let edited = [migration(1, "SELECT 1;"), migration(2, "CREATE TABLE later ();")];
    assert!(matches!(
        apply(&database.url, &edited, &quick()),
        Err(MigrateError::Edited { name }) if name == "20260101000001_step"
    ));
    assert!(matches!(
        apply(&database.url, &[migration(2, "CREATE TABLE later ();")], &quick()),
        Err(MigrateError::Missing { .. })
    ));
    assert_eq!(query(&database.url, "SELECT to_regclass('later') IS NULL"), ["t"]);
    let windows = migration(1, &NOTES.replace('\n', "\r\n"));
    assert_eq!(
        apply(&database.url, &[windows], &quick())
            .unwrap()
            .already_applied,
        1
    );
}

#[test]
fn refuses_destructive_migrations_without_consent_before_anything_runs() {
    let Some(database) = database("refuses_destructive_migrations_without_consent_before_anything_runs")
    else {
        return;
    };
    let migrations = [migration(1, NOTES), destructive(2, "DROP TABLE notes;")];
    let error = apply(&database.url, &migrations, &quick()).unwrap_err();
    assert!(error.to_string().contains("--allow-destructive"), "{error}");
    assert_eq!(query(&database.url, "SELECT to_regclass('notes') IS NULL"), ["t"]);
    let consent = Options {
        allow_destructive: true,
        ..quick()
    };
    assert_eq!(
        apply(&database.url, &migrations, &consent).unwrap().applied.len(),
        2
    );
}

#[test]
fn resets_changed_settings_before_the_next_migration() {
    let Some(database) = database("resets_changed_settings_before_the_next_migration") else {
        return;
    };
    let migrations = [
        migration(
            1,
            "CREATE SCHEMA other; SET search_path = other; CREATE TABLE a ();",
        ),
        migration(2, "CREATE TABLE b ();"),
    ];
    apply(&database.url, &migrations, &quick()).unwrap();
    let found = query(
        &database.url,
        "SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname IN ('public', 'other') ORDER BY 1",
    );
    assert_eq!(found, ["other.a", "public.b", "public.kit_migrations"]);
}

#[test]
fn warns_if_the_time_zone_of_the_database_is_not_utc() {
    let Some(database) = database("warns_if_the_time_zone_of_the_database_is_not_utc") else {
        return;
    };
    let name = query(&database.url, "SELECT current_database()").remove(0);
    execute(
        &database.url,
        &format!("ALTER DATABASE {name} SET timezone TO 'Europe/Berlin'"),
    );
    let report = apply(&database.url, &[], &quick()).unwrap();
    assert!(
        report.warnings[0].contains("Europe/Berlin"),
        "{:?}",
        report.warnings
    );
}

#[test]
fn applies_the_migrations_of_the_goldens() {
    let Some(database) = database("applies_the_migrations_of_the_goldens") else {
        return;
    };
    for golden in ["reference", "mixed"] {
        let directory = format!(
            "{}/../kit-database/tests/goldens/{golden}/migrations",
            env!("CARGO_MANIFEST_DIR")
        );
        #[allow(clippy::disallowed_methods)] // goldens are files
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let read = |name| std::fs::read_to_string(path.join(name)).unwrap();
            let name = path.file_name().unwrap().to_str().unwrap();
            let migration = Migration::read(
                name,
                &read("migration.sql"),
                &read("changes.json"),
                Some(&read("snapshot.json")),
            )
            .unwrap();
            execute(&database.url, "DROP TABLE IF EXISTS kit_migrations");
            apply(&database.url, &[migration], &quick()).unwrap();
        }
    }
    execute(
        &database.url,
        "INSERT INTO users (email, display_name) VALUES ('a@b.c', 'A');\
         INSERT INTO notes (title, content, author_id) VALUES ('t', 'c', 'a')",
    );
    let columns = query(
        &database.url,
        "SELECT column_name || ' ' || format_type(atttypid, atttypmod) || ' ' || is_nullable || ' ' || coalesce(column_default, '-') \
         FROM information_schema.columns JOIN pg_attribute ON attrelid = 'notes'::regclass AND attname = column_name \
         WHERE table_name = 'notes' ORDER BY ordinal_position",
    );
    assert_eq!(
        columns,
        [
            "id uuid NO gen_random_uuid()",
            "title character varying(200) NO -",
            "content character varying(10000) NO -",
            "author_id character varying(100) NO -",
            "archived boolean NO false",
            "created_at timestamp(3) with time zone NO now()",
            "updated_at timestamp(3) with time zone NO now()",
        ]
    );
    with_client(&database.url, async |client| {
        let error = client
            .batch_execute("INSERT INTO users (email, display_name, status) VALUES ('x@y.z', 'A', 'gone')")
            .await
            .unwrap_err();
        assert!(format!("{error:?}").contains("users_status_check"), "{error:?}");
    });
}

#[test]
fn the_advice_for_a_role_that_another_database_created_works() {
    let (Some(first), Some(second)) = (database("advice_for_a_role"), database("advice_for_a_role_too"))
    else {
        return;
    };
    let drop = "DROP ROLE IF EXISTS kit_advised_reader";
    execute(&first.url, drop);
    let create = [migration(1, "CREATE ROLE kit_advised_reader;")];
    apply(&first.url, &create, &quick()).unwrap();
    let error = apply(&second.url, &create, &quick()).unwrap_err();
    let help = error.help().expect("advice");
    assert!(
        help.starts_with("a role belongs to all databases of the server"),
        "{help}"
    );
    let written = help.split('`').nth(1).expect("a statement");
    apply(&second.url, &[migration(1, written)], &quick()).unwrap();
    execute(&first.url, drop);
    apply(
        &second.url,
        &[migration(1, written), migration(2, written)],
        &quick(),
    )
    .unwrap();
    execute(&first.url, drop);
}
