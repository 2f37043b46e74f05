//! Tests of migrations that change a table while other sessions use the table, and whose process is killed at random times.
#![allow(clippy::disallowed_methods)] // processes are started
#![allow(clippy::unwrap_used)] // a helper of a test may fail the test

use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kit_database::{Migration, Schema};

use crate::models::{between, differences, migrate, migration, schema};
use crate::support::{Release, database_on, execute, is_long_run, query, with_client};

/// Environment variable with the URL of the database for the child process.
const TARGET: &str = "KIT_TEST_IN_USE_TARGET";

const BEFORE: &str = r#"
/** @table items */
export interface Item {
  /** @id @integer @minimum 0 @maximum 2000000000 */ id: number;
  /** @maxLength 40 */ code: string;
  /** @integer @minimum 0 @maximum 2000000000 */ amount: number;
  kind: "a" | "b";
  note?: string;
}"#;

/// Every change that has several steps: an index, a unique constraint, a check, another type, `NOT NULL`, another primary
/// key, and a column with its own values.
const AFTER: &str = r#"
/** @table items */
export interface Item {
  /** @id @integer @minimum 0 @maximum 2000000000 */ id: number;
  /** @maxLength 40 @unique @minLength 2 */ code: string;
  /** @integer @minimum 0 @maximum 9000000000 @index */ amount: number;
  /** @id */ kind: "a" | "b" | "c";
  note: string;
  /** @generated uuid */ token: string;
}"#;

const ROWS: &str = "INSERT INTO items (id, code, amount, kind, note) \
    SELECT n, 'code ' || n, n, 'a', 'note' FROM generate_series(1, 20000) AS n";

/// Returns the migrations and the tables after them.
fn migrations() -> (Vec<Migration>, Schema) {
    let (before, after) = (schema(BEFORE), schema(AFTER));
    let first = migration(1, &between(None, &before).unwrap());
    let second = migration(2, &between(Some(&before), &after).unwrap());
    (vec![first, second], after)
}

#[test]
fn other_sessions_use_a_table_while_a_migration_changes_it() {
    let Some(database) = database_on(
        Release::Oldest,
        "other_sessions_use_a_table_while_a_migration_changes_it",
    ) else {
        return;
    };
    let url = database.url.as_str();
    let (migrations, after) = migrations();
    migrate(url, &migrations[..1]).unwrap();
    execute(url, ROWS);
    let failures = Mutex::new(Vec::new());
    let stop = AtomicBool::new(false);
    let inserted = std::thread::scope(|scope| {
        let sessions: Vec<_> = (0..3_u32)
            .map(|number| {
                let (failures, stop) = (&failures, &stop);
                scope.spawn(move || {
                    with_client(url, async |client| {
                        let mut count = 0_u32;
                        while !stop.load(Ordering::Relaxed) {
                            count += 1;
                            let id = 100_000 * (number + 1) + count;
                            let row = 1 + (count * 7919 + number * 31) % 19_000;
                            // Two rows in descending order: a batch locks rows in ascending order.
                            let sql = format!(
                                "BEGIN; UPDATE items SET amount = amount + 1 WHERE id = {0}; UPDATE items SET amount = amount - 1 WHERE id = {row}; COMMIT; \
                                 INSERT INTO items (id, code, amount, kind, note) VALUES ({id}, 'code {id}', 1, 'b', ''); \
                                 SELECT id, code, amount FROM items WHERE id BETWEEN {row} AND {0}",
                                row + 1000
                            );
                            if let Err(error) = client.batch_execute(&sql).await {
                                failures.lock().unwrap().push(format!("{error:?}"));
                                let _ = client.batch_execute("ROLLBACK").await;
                            }
                        }
                        count
                    })
                })
            })
            .collect();
        let outcome = migrate(url, &migrations);
        stop.store(true, Ordering::Relaxed);
        let counts: u32 = sessions.into_iter().map(|session| session.join().unwrap()).sum();
        outcome.unwrap();
        counts
    });
    assert_eq!(*failures.lock().unwrap(), [""; 0]);
    assert_eq!(differences(url, &after), [""; 0]);
    let total = query(url, "SELECT count(*) || ' ' || sum(amount) FROM items");
    assert_eq!(
        total,
        [format!(
            "{} {}",
            20_000 + inserted,
            20_000_u32 * 20_001 / 2 + inserted
        )]
    );
}

#[test]
fn continues_after_kills_at_random_times() {
    const TEST: &str = "continues_after_kills_at_random_times";
    let (migrations, after) = migrations();
    if let Ok(url) = std::env::var(TARGET) {
        migrate(&url, &migrations).unwrap();
        return;
    }
    let Some(_server) = database_on(Release::Oldest, TEST) else {
        return;
    };
    let (mut kills, wanted) = (0_u64, if is_long_run() { 100 } else { 3 });
    while kills < wanted {
        let database = database_on(Release::Oldest, TEST).expect("the server runs");
        let url = database.url.as_str();
        migrate(url, &migrations[..1]).unwrap();
        execute(url, ROWS);
        // At most ten runs of a migration are killed, then it must end.
        for _ in 0..10 {
            let mut run = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "in_use::continues_after_kills_at_random_times"])
                .env(TARGET, url)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            // Different times for each kill: 137 and 1201 have no common divisor.
            std::thread::sleep(Duration::from_millis(100 + kills * 137 % 1201));
            if let Some(status) = run.try_wait().unwrap() {
                assert!(status.success());
                break;
            }
            run.kill().unwrap();
            run.wait().unwrap();
            kills += 1;
            assert_eq!(query(url, "SELECT count(*) FROM items"), ["20000"]);
        }
        migrate(url, &migrations).unwrap_or_else(|error| panic!("after {kills} kills: {error}"));
        assert_eq!(differences(url, &after), [""; 0], "after {kills} kills");
        let expected = "SELECT count(*) || ' ' || sum(amount) || ' ' || count(DISTINCT token) FROM items";
        assert_eq!(query(url, expected), ["20000 200010000 20000"]);
        let left = "SELECT proname FROM pg_proc WHERE proname LIKE 'zz%'";
        assert_eq!(query(url, left), [""; 0]);
    }
}
