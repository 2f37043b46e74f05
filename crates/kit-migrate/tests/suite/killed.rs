//! Tests that kill a run (`kill -9`) at each point of a migration: the next run continues, no statement runs twice, and
//! no row is lost.
//!
//! The killed run is a child process that executes this test's own program.
#![allow(clippy::disallowed_methods)] // processes are started
#![allow(clippy::unwrap_used)] // a helper of a test may fail the test

use kit_test_postgres as support;

use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use kit_database::Migration;
use kit_migrate::{Options, apply};

use support::{Release, database_on, execute, query, with_client};

/// Environment variable with the URL of the database for the child process.
const TARGET: &str = "KIT_TEST_KILLED_TARGET";
/// Number of the advisory locks that serve as gates: while the test holds a gate, the migration waits at it.
const GATE: u32 = 7;

const ROWS: &str = "CREATE TABLE people (id integer PRIMARY KEY, name text NOT NULL);\
    INSERT INTO people SELECT n, 'person ' || n FROM generate_series(1, 1000) AS n;";

/// Ten statements. Some run outside of a transaction, and some have a visible effect if they run twice.
const STATEMENTS: [&str; 10] = [
    "ALTER TABLE people ADD COLUMN age integer",
    "UPDATE people SET age = id % 90",
    "INSERT INTO people VALUES (1001, 'new', 1)",
    "-- kit: outside transaction\nCREATE INDEX CONCURRENTLY people_age ON people (age)",
    "CREATE TABLE pets (id integer PRIMARY KEY, owner integer REFERENCES people (id))",
    "INSERT INTO pets SELECT id, id FROM people",
    "-- kit: outside transaction\nCREATE UNIQUE INDEX CONCURRENTLY pets_owner ON pets (owner)",
    "ALTER TABLE people ALTER COLUMN age SET NOT NULL",
    "UPDATE people SET name = name || '!'",
    "DELETE FROM pets WHERE id = 1001",
];

/// Query whose result shows if each statement of the migration ran exactly once.
const DONE: &str = "SELECT concat_ws(' ', (SELECT count(*) FROM people), \
    (SELECT count(*) FROM people WHERE name ~ '[^!]!$'), (SELECT count(*) FROM people WHERE age IS NOT NULL), \
    (SELECT count(*) FROM pets), (SELECT count(*) FROM kit_migrations), (SELECT count(*) FROM kit_migration_progress), \
    (SELECT count(*) FROM pg_index WHERE indexrelid IN ('people_age'::regclass, 'pets_owner'::regclass) AND indisvalid))";

fn migration() -> Migration {
    let gate = |number: usize| format!("SELECT pg_advisory_xact_lock_shared({GATE}, {number});\n");
    let mut sql = gate(0);
    for (at, statement) in STATEMENTS.iter().enumerate() {
        sql.extend([*statement, ";\n", &gate(at + 1)]);
    }
    Migration {
        name: "20260101000001_ten".to_owned(),
        sql,
        destructive: false,
        changes: Vec::new(),
        snapshot: None,
    }
}

#[test]
fn continues_a_migration_whose_process_was_killed() {
    if let Ok(url) = std::env::var(TARGET) {
        let options = Options {
            // The migration updates all rows.
            allow_destructive: true,
            lock_timeout: Duration::from_mins(10),
            ..Options::default()
        };
        apply(&url, &[migration()], &options).unwrap();
        return;
    }
    // On the embedded release, packages/cli/test/migrate-crash.test.ts runs the same test with `kit migrate:apply`.
    let Some(_server) = database_on(Release::Oldest, "continues_a_migration_whose_process_was_killed") else {
        return;
    };
    for at in 0..=STATEMENTS.len() {
        let database = database_on(Release::Oldest, "continues_a_migration_whose_process_was_killed")
            .expect("the server runs");
        kill_at(&database.url, at);
    }
}

fn kill_at(url: &str, at: usize) {
    execute(url, ROWS);
    std::thread::scope(|scope| {
        let (shut, is_shut) = channel::<()>();
        // A failed assertion drops `open`, which ends the thread that holds the gate.
        let (open, opens) = channel::<()>();
        scope.spawn(move || {
            with_client(url, async |client| {
                let lock = format!("SELECT pg_advisory_lock({GATE}, {at})");
                client.batch_execute(&lock).await.unwrap();
                shut.send(()).unwrap();
                // The gate opens when the session closes, even if the test fails.
                let _ = opens.recv();
            });
        });
        is_shut.recv().unwrap();
        let mut run = started(url);
        until("the run comes to its gate", || {
            assert_eq!(
                run.try_wait().unwrap(),
                None,
                "the run ended by itself at gate {at}"
            );
            waits(url, at)
        });
        run.kill().unwrap();
        run.wait().unwrap();
        // PostgreSQL stops the statement of a killed client, and then releases the lock that excludes other runs.
        until("the killed session ends", || !waits(url, at));
        assert_eq!(
            query(url, "SELECT count(*) FROM people WHERE id <= 1000"),
            ["1000"]
        );
        drop(open);
    });
    let report = apply(
        url,
        &[migration()],
        &Options {
            allow_destructive: true,
            ..Options::default()
        },
    )
    .unwrap_or_else(|error| panic!("at gate {at}: {error}"));
    assert_eq!(report.applied.len(), 1);
    assert_eq!(query(url, DONE), ["1001 1001 1001 1000 1 0 2"], "at gate {at}");
}

/// Starts this test in a child process, which applies the migration.
fn started(url: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "killed::continues_a_migration_whose_process_was_killed",
        ])
        .env(TARGET, url)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns true if a session waits at a gate.
fn waits(url: &str, at: usize) -> bool {
    let sql = format!(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = {GATE} AND objid = {at} \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    );
    query(url, &sql) != ["0"]
}
