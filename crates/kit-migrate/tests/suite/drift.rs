//! Tests that compare the tables in PostgreSQL with the snapshot of the migrations.
#![allow(clippy::disallowed_methods)] // goldens are files

use kit_test_postgres as support;

use kit_database::Snapshot;
use kit_migrate::{Difference, drift};

use support::{Database, database, execute, query};

/// Returns a database with the tables of a golden file, and their snapshot.
fn golden(test: &str, name: &str) -> Option<(Database, Snapshot)> {
    let database = database(test)?;
    let directory = format!(
        "{}/../kit-database/tests/goldens/{name}/migrations",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut snapshot = None;
    for entry in std::fs::read_dir(directory).expect("goldens") {
        let path = entry.expect("a golden").path();
        let read = |name| std::fs::read_to_string(path.join(name)).expect(name);
        execute(&database.url, &read("migration.sql"));
        snapshot = Some(Snapshot::from_json(&read("snapshot.json")).expect("a snapshot"));
    }
    Some((database, snapshot.expect("a migration")))
}

fn lines(differences: &[Difference]) -> Vec<String> {
    differences
        .iter()
        .map(|difference| {
            format!(
                "{}: {} -> {}",
                difference.object,
                difference.expected.as_deref().unwrap_or("nothing"),
                difference.found.as_deref().unwrap_or("nothing")
            )
        })
        .collect()
}

#[test]
fn finds_no_difference_in_tables_that_kit_created() {
    for name in ["reference", "mixed", "billing"] {
        let Some((database, snapshot)) = golden("finds_no_difference_in_tables_that_kit_created", name)
        else {
            return;
        };
        let found = drift(&database.url, &snapshot).unwrap();
        assert_eq!(lines(&found.differences), [""; 0], "{name}");
        assert_eq!(found.unknown, [""; 0]);
        assert!(!snapshot.tables().is_empty());
    }
}

#[test]
fn reports_every_kind_of_difference() {
    let Some((database, snapshot)) = golden("reports_every_kind_of_difference", "reference") else {
        return;
    };
    execute(
        &database.url,
        "ALTER TABLE notes ADD COLUMN extra text, DROP COLUMN archived, ALTER COLUMN title TYPE varchar(300), \
         ALTER COLUMN content DROP NOT NULL, ALTER COLUMN updated_at DROP DEFAULT;\
         ALTER TABLE notes ADD CONSTRAINT odd CHECK (title <> 'x') NOT VALID;\
         CREATE INDEX by_hand ON notes (title);\
         COMMENT ON TABLE notes IS 'by hand';\
         CREATE TABLE mine (id integer);\
         CREATE TABLE kit_migrations (); CREATE TABLE kit_migration_progress ();",
    );
    let found = drift(&database.url, &snapshot).unwrap();
    assert_eq!(
        lines(&found.differences),
        [
            "comment of table notes: nothing -> by hand",
            "column notes.title: character varying(200) NOT NULL -> character varying(300) NOT NULL",
            "column notes.content: character varying(10000) NOT NULL -> character varying(10000)",
            "column notes.archived: boolean DEFAULT false NOT NULL -> nothing",
            "column notes.updated_at: timestamp(3) with time zone DEFAULT now() NOT NULL -> timestamp(3) with time zone NOT NULL",
            "column notes.extra: nothing -> text",
            "constraint odd of notes: nothing -> CHECK (title::text <> 'x'::text) NOT VALID",
            "index by_hand of notes: nothing -> CREATE INDEX ON notes USING btree (title)",
        ]
    );
    assert_eq!(found.unknown, ["mine"]);
    execute(&database.url, "DROP TABLE notes CASCADE");
    let found = drift(&database.url, &snapshot).unwrap();
    assert!(
        lines(&found.differences)
            .iter()
            .any(|line| line.starts_with("table notes: ") && line.ends_with("-> nothing"))
    );
}

#[test]
fn reports_an_invalid_index_as_a_difference() {
    let Some((database, snapshot)) = golden("reports_an_invalid_index_as_a_difference", "reference") else {
        return;
    };
    execute(
        &database.url,
        "INSERT INTO notes (title, content, author_id) VALUES ('t', '', ''), ('t', '', '')",
    );
    support::with_client(&database.url, async |client| {
        client
            .batch_execute("CREATE UNIQUE INDEX CONCURRENTLY broken ON notes (title)")
            .await
            .unwrap_err();
    });
    let found = drift(&database.url, &snapshot).unwrap();
    assert_eq!(
        lines(&found.differences),
        [
            "index broken of notes: nothing -> CREATE UNIQUE INDEX ON notes USING btree (title) (invalid: its creation was interrupted)"
        ]
    );
}

#[test]
fn comparing_the_tables_writes_nothing_to_the_database() {
    let Some((database, snapshot)) = golden("comparing_the_tables_writes_nothing_to_the_database", "mixed")
    else {
        return;
    };
    let state = "SELECT string_agg(oid::regclass || ' ' || relfilenode, ',' ORDER BY oid) FROM pg_class";
    let before = query(&database.url, state);
    drift(&database.url, &snapshot).unwrap();
    assert_eq!(query(&database.url, state), before);
}
