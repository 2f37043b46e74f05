//! Tests with other sessions that use the same tables: waits have a limit, and do not block other sessions for long.
#![allow(clippy::unwrap_used)] // a helper of a test may fail the test

use kit_test_postgres as support;

use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use kit_database::Migration;
use kit_migrate::{Event, MigrateError, Options, apply, apply_watched};

use support::{execute, on_each_release, own_server, query, with_client};

fn migration(number: u32, sql: &str) -> Migration {
    Migration {
        name: format!("2026010100{number:04}_step"),
        sql: sql.to_owned(),
        destructive: false,
        changes: Vec::new(),
        snapshot: None,
    }
}

const NOTES: &str = "CREATE TABLE notes (id integer PRIMARY KEY);\nINSERT INTO notes VALUES (1), (2);\n";

fn options(wait: u64, lock_timeout: u64) -> Options {
    Options {
        wait: Duration::from_millis(wait),
        lock_timeout: Duration::from_millis(lock_timeout),
        ..Options::default()
    }
}

#[test]
fn stops_waiting_for_a_locked_table_and_names_the_holder() {
    on_each_release(
        "stops_waiting_for_a_locked_table_and_names_the_holder",
        |database| {
            apply(&database.url, &[migration(1, NOTES)], &options(1000, 100)).unwrap();
            with_client(&database.url, async |client| {
                client
                    .batch_execute("SET application_name = 'reporting'; BEGIN; SELECT * FROM notes")
                    .await
                    .unwrap();
                let url = database.url.clone();
                let migrations = [
                    migration(1, NOTES),
                    migration(
                        2,
                        "CREATE TABLE other ();\n\nALTER TABLE notes ADD COLUMN x text;",
                    ),
                ];
                let error =
                    std::thread::spawn(move || apply(&url, &migrations, &options(900, 100)).unwrap_err())
                        .join()
                        .unwrap();
                let text = error.to_string();
                let MigrateError::Blocked { line, tries, .. } = error else {
                    panic!("{text}")
                };
                assert_eq!(line, 3);
                assert!(tries >= 2, "{tries}");
                assert!(text.contains("`reporting`, idle in transaction"), "{text}");
            });
            assert_eq!(query(&database.url, "SELECT to_regclass('other') IS NULL"), ["t"]);
        },
    );
}

/// A transaction holds a lock on the table `notes`, a migration needs a lock that conflicts with it, and other queries
/// on the table run all the time. Without short attempts, these queries would wait behind the migration until the
/// transaction ends.
#[test]
fn keeps_other_queries_fast_while_a_migration_waits() {
    on_each_release("keeps_other_queries_fast_while_a_migration_waits", |database| {
        apply(&database.url, &[migration(1, NOTES)], &options(1000, 100)).unwrap();
        let url = database.url.as_str();
        let waits = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            // A failed assertion drops `release`, which ends the thread with the transaction.
            let (release, released) = channel::<()>();
            let (holding, held) = channel::<()>();
            scope.spawn(move || {
                with_client(url, async |client| {
                    client.batch_execute("BEGIN; SELECT * FROM notes").await.unwrap();
                    holding.send(()).unwrap();
                    released.recv().unwrap();
                    client.batch_execute("COMMIT").await.unwrap();
                });
            });
            held.recv().unwrap();
            let waits = &waits;
            let run = scope.spawn(move || {
                let migrations = [
                    migration(1, NOTES),
                    migration(2, "ALTER TABLE notes ADD COLUMN x text;"),
                ];
                let watch = |event: &Event<'_>| {
                    if let Event::Waiting { pause, .. } = event {
                        waits.lock().unwrap().push(*pause);
                    }
                };
                apply_watched(url, &migrations, &options(100_000, 200), &watch).unwrap()
            });
            let mut longest = Duration::ZERO;
            with_client(url, async |client| {
                let end = Instant::now() + Duration::from_mins(2);
                // Run until the migration had to wait four times.
                while waits.lock().unwrap().len() < 4 {
                    assert!(Instant::now() < end, "it never waited");
                    let begun = Instant::now();
                    client.simple_query("SELECT count(*) FROM notes").await.unwrap();
                    longest = longest.max(begun.elapsed());
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            });
            release.send(()).unwrap();
            assert_eq!(run.join().unwrap().applied.len(), 1);
            // Limit: one attempt and a margin for a busy machine. The transaction holds its lock several times as long.
            let held_for: Duration =
                waits.lock().unwrap().iter().sum::<Duration>() + Duration::from_millis(800);
            println!("longest query {longest:?} while the table was held for {held_for:?}");
            assert!(longest < held_for / 2, "{longest:?} of {held_for:?}");
            assert!(waits.lock().unwrap().is_sorted());
        });
    });
}

#[test]
fn applies_each_migration_once_if_runs_are_concurrent() {
    on_each_release("applies_each_migration_once_if_runs_are_concurrent", |database| {
        let migrations = [
            migration(1, "SELECT pg_sleep(0.2);\nCREATE TABLE once (id integer);"),
            migration(
                2,
                "-- kit: outside transaction\nCREATE INDEX CONCURRENTLY once_id ON once (id);",
            ),
        ];
        let options = Options::default();
        let mut applied: Vec<usize> = std::thread::scope(|scope| {
            let runs: Vec<_> = (0..3)
                .map(|_| scope.spawn(|| apply(&database.url, &migrations, &options).unwrap().applied.len()))
                .collect();
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        });
        applied.sort_unstable();
        assert_eq!(applied, [0, 0, 2]);
    });
}

#[test]
fn fails_if_another_run_takes_too_long_and_names_that_run() {
    on_each_release(
        "fails_if_another_run_takes_too_long_and_names_that_run",
        |database| {
            with_client(&database.url, async |client| {
                client
                    .batch_execute(
                        "SET application_name = 'the other'; SELECT pg_advisory_lock(7739845387819247474)",
                    )
                    .await
                    .unwrap();
                let url = database.url.clone();
                let error = std::thread::spawn(move || apply(&url, &[], &options(300, 100)).unwrap_err())
                    .join()
                    .unwrap();
                assert!(matches!(error, MigrateError::Locked { .. }), "{error:?}");
                assert!(error.to_string().contains("`the other`"), "{error}");
                assert!(error.help().unwrap().contains("--wait"));
            });
        },
    );
}

#[test]
fn blocks_no_queries_while_it_waits_for_old_transactions() {
    on_each_release(
        "blocks_no_queries_while_it_waits_for_old_transactions",
        |database| {
            apply(&database.url, &[migration(1, NOTES)], &options(1000, 100)).unwrap();
            with_client(&database.url, async |client| {
                client
                    .batch_execute("BEGIN; UPDATE notes SET id = 3 WHERE id = 1")
                    .await
                    .unwrap();
                let url = database.url.clone();
                let migrations = [
                    migration(1, NOTES),
                    migration(
                        2,
                        "-- kit: outside transaction\nCREATE INDEX CONCURRENTLY by_id ON notes (id);",
                    ),
                ];
                let error =
                    std::thread::spawn(move || apply(&url, &migrations, &options(700, 100)).unwrap_err())
                        .join()
                        .unwrap();
                assert!(matches!(error, MigrateError::Blocked { .. }), "{error}");
                client.batch_execute("COMMIT").await.unwrap();
            });
            // The transaction also prevented the removal of the index; the next run removes it.
            let migrations = [
                migration(1, NOTES),
                migration(
                    2,
                    "-- kit: outside transaction\nCREATE INDEX CONCURRENTLY by_id ON notes (id);",
                ),
            ];
            assert_eq!(
                apply(&database.url, &migrations, &options(60_000, 100))
                    .unwrap()
                    .applied
                    .len(),
                1
            );
            assert_eq!(
                query(
                    &database.url,
                    "SELECT indisvalid FROM pg_index WHERE indexrelid = 'by_id'::regclass"
                ),
                ["t"]
            );
            assert_eq!(
                query(&database.url, "SELECT count(*) FROM kit_migration_progress"),
                ["0"]
            );
        },
    );
}

const BY_ID: &str = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'by_id'::regclass";

/// Begins a transaction that writes to the table `notes`, and then the creation of the index `by_id` in another session, which
/// waits for the transaction. Calls `work`, then ends the transaction when `work` sends `()`, or is done. The creation must
/// succeed.
fn while_another_session_creates_the_index<T: Send>(
    url: &str,
    work: impl FnOnce(std::sync::mpsc::Sender<()>) -> T + Send,
) -> T {
    std::thread::scope(|scope| {
        let (release, released) = channel::<()>();
        let (holding, held) = channel::<()>();
        scope.spawn(move || {
            with_client(url, async |client| {
                client
                    .batch_execute("BEGIN; INSERT INTO notes VALUES (3)")
                    .await
                    .unwrap();
                holding.send(()).unwrap();
                // An error means that the work has failed.
                let _ = released.recv();
                client.batch_execute("COMMIT").await.unwrap();
            });
        });
        held.recv().unwrap();
        let creation = scope.spawn(move || {
            execute(url, "CREATE UNIQUE INDEX CONCURRENTLY by_id ON notes (id)");
        });
        let end = Instant::now() + Duration::from_mins(1);
        while query(url, "SELECT to_regclass('by_id') IS NULL") == ["t"] {
            assert!(Instant::now() < end, "the creation did not begin");
            std::thread::sleep(Duration::from_millis(20));
        }
        let run = scope.spawn(move || work(release));
        let outcome = run.join().unwrap();
        creation.join().expect("the creation succeeds");
        outcome
    })
}

#[test]
fn an_index_that_another_session_is_creating_is_left_alone() {
    on_each_release(
        "an_index_that_another_session_is_creating_is_left_alone",
        |database| {
            let url = database.url.as_str();
            apply(url, &[migration(1, NOTES)], &options(1000, 100)).unwrap();
            let migrations = [
                migration(1, NOTES),
                migration(
                    2,
                    "-- kit: outside transaction\nCREATE UNIQUE INDEX CONCURRENTLY by_id ON notes (id);",
                ),
            ];
            let error = while_another_session_creates_the_index(url, |release| {
                std::thread::scope(|scope| {
                    let run = scope.spawn(|| apply(url, &migrations, &options(3000, 100)).unwrap_err());
                    // The creation continues when the run ends or would drop the index.
                    let drops = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'DROP INDEX%' AND state = 'active' AND datname = current_database()";
                    while !run.is_finished() && query(url, drops) == ["0"] {
                        std::thread::sleep(Duration::from_millis(20));
                    }
                    release.send(()).unwrap();
                    run.join().unwrap()
                })
            });
            assert!(matches!(error, MigrateError::Blocked { .. }), "{error}");
            assert!(error.to_string().contains("server process"), "{error}");
            assert_eq!(query(url, BY_ID), ["t"]);
            assert_eq!(query(url, "SELECT count(*) FROM kit_migration_progress"), ["0"]);
            // The index of the other session is not recorded as the work of the migration.
            let error = apply(url, &migrations, &options(3000, 100)).unwrap_err();
            assert!(error.to_string().contains("\"by_id\" already exists"), "{error}");
            assert_eq!(query(url, BY_ID), ["t"]);
        },
    );
}

#[test]
fn waits_until_another_session_has_created_an_index() {
    on_each_release("waits_until_another_session_has_created_an_index", |database| {
        let url = database.url.as_str();
        let migrations = [
            migration(1, NOTES),
            migration(
                2,
                "-- kit: outside transaction\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS by_id ON notes (id);",
            ),
        ];
        apply(url, &migrations[..1], &options(1000, 100)).unwrap();
        let report = while_another_session_creates_the_index(url, |release| {
            let watch = |event: &Event<'_>| {
                if matches!(event, Event::Waiting { .. }) {
                    // Later events find the transaction at its end.
                    let _ = release.send(());
                }
            };
            apply_watched(url, &migrations, &options(60_000, 100), &watch).unwrap()
        });
        assert_eq!(report.applied.len(), 1);
        assert_eq!(query(url, BY_ID), ["t"]);
    });
}

/// An automatic vacuum ends only if another session waits for a second (`deadlock_timeout`), and an attempt is shorter. The
/// settings make the vacuum of this table take minutes.
#[test]
fn ends_an_automatic_vacuum_of_the_table_that_a_migration_changes() {
    const VACUUM: &str = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'autovacuum worker' AND query LIKE '%public.notes%'";
    let settings = [
        "autovacuum_naptime=1s",
        "autovacuum_vacuum_cost_delay=100ms",
        "autovacuum_vacuum_cost_limit=1",
        "autovacuum_vacuum_threshold=50",
    ];
    let Some(server) = own_server(
        "ends_an_automatic_vacuum_of_the_table_that_a_migration_changes",
        &[],
        &settings,
    ) else {
        return;
    };
    let url = server.url();
    execute(
        &url,
        "CREATE TABLE notes (id integer PRIMARY KEY, text text); \
         INSERT INTO notes SELECT n, repeat('x', 500) FROM generate_series(1, 20000) AS n; UPDATE notes SET text = text || 'y'",
    );
    let end = Instant::now() + Duration::from_mins(1);
    while query(&url, VACUUM) == ["0"] {
        assert!(Instant::now() < end, "no vacuum began");
        std::thread::sleep(Duration::from_millis(50));
    }
    let waits = Mutex::new(0);
    let watch = |event: &Event<'_>| {
        if matches!(event, Event::Waiting { .. }) {
            *waits.lock().unwrap() += 1;
        }
    };
    let report = apply_watched(
        &url,
        &[migration(1, "ALTER TABLE notes ADD COLUMN size integer;")],
        &options(30_000, 50),
        &watch,
    )
    .unwrap();
    assert_eq!(report.applied.len(), 1);
    assert!(*waits.lock().unwrap() > 0, "the vacuum was in nobody's way");
    #[allow(clippy::disallowed_methods)] // Reason: the server of the test writes the file.
    let log = std::fs::read_to_string(server.file("log")).expect("the log");
    assert!(log.contains("canceling autovacuum task"), "{log}");
}
