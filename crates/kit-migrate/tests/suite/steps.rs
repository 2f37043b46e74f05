//! Tests of migrations that cannot be one transaction, and of interrupted runs.

use kit_test_postgres as support;

use std::time::Duration;

use kit_database::Migration;
use kit_migrate::{Event, MigrateError, Options, State, apply, apply_watched, status};

use support::{database, execute, on_each_release, own_server, query};

fn migration(sql: &str) -> Migration {
    Migration {
        name: "20260101000001_step".to_owned(),
        sql: sql.to_owned(),
        destructive: false,
        changes: Vec::new(),
        snapshot: None,
    }
}

const STEPS: &str = "\
CREATE TABLE notes (id integer, title text);
INSERT INTO notes SELECT n, 'note ' || n FROM generate_series(1, 100) AS n;

-- kit: outside transaction
CREATE INDEX CONCURRENTLY notes_title ON notes (title);

ALTER TABLE notes ADD COLUMN archived boolean DEFAULT false NOT NULL;

-- kit: outside transaction
CREATE UNIQUE INDEX CONCURRENTLY notes_id ON notes (id);
";

#[allow(clippy::result_large_err)] // a test looks at one at a time
fn run(url: &str, sql: &str) -> Result<usize, MigrateError> {
    let options = Options {
        wait: Duration::from_secs(5),
        ..Options::default()
    };
    apply(url, &[migration(sql)], &options).map(|report| report.applied.len())
}

fn state(url: &str, sql: &str) -> State {
    status(url, &[migration(sql)])
        .expect("a status")
        .migrations
        .remove(0)
        .state
}

#[test]
fn runs_marked_statements_outside_of_transactions() {
    on_each_release("runs_marked_statements_outside_of_transactions", |database| {
        assert!(matches!(state(&database.url, STEPS), State::Pending { .. }));
        assert_eq!(run(&database.url, STEPS).unwrap(), 1);
        assert_eq!(
            query(
                &database.url,
                "SELECT count(*) FROM pg_index WHERE indrelid = 'notes'::regclass AND indisvalid"
            ),
            ["2"]
        );
        assert_eq!(
            query(&database.url, "SELECT count(*) FROM kit_migration_progress"),
            ["0"]
        );
        assert_eq!(run(&database.url, STEPS).unwrap(), 0);
        assert!(matches!(state(&database.url, STEPS), State::Applied { .. }));
    });
}

#[test]
fn the_next_run_resumes_at_the_step_that_failed() {
    on_each_release("the_next_run_resumes_at_the_step_that_failed", |database| {
        // Two rows with the same number make the unique index fail, a frequent mistake in practice.
        let bad = STEPS.replace("generate_series(1, 100) AS n", "(VALUES (1), (1)) AS v (n)");
        let error = run(&database.url, &bad).unwrap_err();
        assert!(
            error.to_string().contains("failed after 3 of its steps"),
            "{error}"
        );
        assert!(
            error.to_string().contains("Key (id)=(1) is duplicated"),
            "{error}"
        );
        assert_eq!(
            query(
                &database.url,
                "SELECT to_regclass('notes_id') IS NULL, to_regclass('notes_title') IS NULL"
            ),
            ["t"],
            "what is not valid was taken away"
        );
        assert_eq!(
            state(&database.url, &bad),
            State::PartlyApplied {
                done: 3,
                of: 4,
                edited: false,
                half: None
            }
        );
        // Completed steps must not be edited; other steps may be edited.
        let error = run(&database.url, STEPS).unwrap_err();
        assert!(
            matches!(error, MigrateError::EditedWhilePartlyApplied { done: 3, .. }),
            "{error}"
        );
        let repaired = bad.replace(
        "-- kit: outside transaction\nCREATE UNIQUE",
        "DELETE FROM notes WHERE ctid IN (SELECT max(ctid) FROM notes GROUP BY id HAVING count(*) > 1);\n\n-- kit: outside transaction\nCREATE UNIQUE",
    );
        // A statement in the previous transaction would change a completed step, so the statement needs a step of its
        // own.
        assert!(matches!(
            run(&database.url, &repaired).unwrap_err(),
            MigrateError::EditedWhilePartlyApplied { .. }
        ));
        execute(
            &database.url,
            "DELETE FROM notes WHERE ctid IN (SELECT max(ctid) FROM notes GROUP BY id)",
        );
        assert_eq!(run(&database.url, &bad).unwrap(), 1);
        assert_eq!(query(&database.url, "SELECT count(*) FROM notes"), ["1"]);
    });
}

#[test]
fn creates_an_index_again_after_its_creation_was_killed() {
    on_each_release(
        "creates_an_index_again_after_its_creation_was_killed",
        |database| {
            // Create the state after a killed run: the step is recorded as started, and the index is invalid.
            let first = STEPS.split("-- kit").next().unwrap();
            let only = format!(
                "{first}-- kit: outside transaction\nCREATE UNIQUE INDEX CONCURRENTLY notes_title ON notes (title);\n"
            );
            let bad = only.replace("'note ' || n", "'same'");
            run(&database.url, &bad).unwrap_err();
            execute(&database.url, "UPDATE kit_migration_progress SET running = true");
            support::with_client(&database.url, async |client| {
                client
                    .batch_execute("CREATE UNIQUE INDEX CONCURRENTLY notes_title ON notes (title)")
                    .await
                    .unwrap_err();
            });
            assert_eq!(
                query(
                    &database.url,
                    "SELECT indisvalid FROM pg_index WHERE indexrelid = 'notes_title'::regclass"
                ),
                ["f"]
            );
            execute(&database.url, "UPDATE notes SET title = title || id");
            let said = std::cell::RefCell::new(Vec::new());
            let watch = |event: &Event<'_>| {
                if let Event::Repaired(text) = event {
                    said.borrow_mut().push(text.clone());
                }
            };
            let report =
                apply_watched(&database.url, &[migration(&bad)], &Options::default(), &watch).unwrap();
            assert_eq!(report.applied.len(), 1);
            assert_eq!(
                *said.borrow(),
                ["dropped the invalid index public.notes_title, whose creation was interrupted"]
            );
            assert_eq!(
                query(
                    &database.url,
                    "SELECT indisvalid FROM pg_index WHERE indexrelid = 'notes_title'::regclass"
                ),
                ["t"]
            );
            // If the index was created but the run did not record it, the next run does not create it twice.
            execute(
                &database.url,
                "INSERT INTO kit_migration_progress SELECT name, 1, '', true FROM kit_migrations; DELETE FROM kit_migrations",
            );
            assert!(matches!(
                run(&database.url, &bad).unwrap_err(),
                MigrateError::EditedWhilePartlyApplied { .. }
            ));
        },
    );
}

#[test]
fn refuses_an_existing_index_that_is_invalid() {
    let Some(database) = database("refuses_an_existing_index_that_is_invalid") else {
        return;
    };
    execute(
        &database.url,
        "CREATE TABLE t (a integer); INSERT INTO t VALUES (1), (1)",
    );
    support::with_client(&database.url, async |client| {
        client
            .batch_execute("CREATE UNIQUE INDEX CONCURRENTLY by_a ON t (a)")
            .await
            .unwrap_err();
    });
    for condition in ["", "IF NOT EXISTS "] {
        let sql = format!(
            "-- kit: outside transaction\nCREATE UNIQUE INDEX CONCURRENTLY {condition}by_a ON t (a);"
        );
        let error = run(&database.url, &sql).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("not valid; run `DROP INDEX CONCURRENTLY public.by_a`"),
            "{error}"
        );
        assert_eq!(
            query(
                &database.url,
                "SELECT indisvalid FROM pg_index WHERE indexrelid = 'by_a'::regclass"
            ),
            ["f"]
        );
    }
}

#[test]
fn refuses_statements_that_end_the_transaction_before_anything_runs() {
    let Some(database) = database("refuses_statements_that_end_the_transaction_before_anything_runs") else {
        return;
    };
    let error = run(&database.url, "CREATE TABLE a ();\nCOMMIT;").unwrap_err();
    assert!(matches!(error, MigrateError::Script { .. }), "{error}");
    assert!(
        error.to_string().contains("migration.sql, line 2: `COMMIT`"),
        "{error}"
    );
    let error = run(
        &database.url,
        "CREATE TABLE a ();\nCREATE INDEX CONCURRENTLY x ON a ((1));",
    )
    .unwrap_err();
    assert!(
        error.help().unwrap().contains("-- kit: outside transaction"),
        "{error}"
    );
    assert_eq!(query(&database.url, "SELECT to_regclass('a') IS NULL"), ["t"]);
}

#[test]
fn reports_a_lost_server_and_continues_in_the_next_run() {
    let Some(mut server) = own_server("reports_a_lost_server_and_continues_in_the_next_run", &[], &[]) else {
        return;
    };
    let url = server.url();
    execute(&url, "CREATE TABLE before ()");
    let running =
        std::thread::spawn(move || run(&url, "CREATE TABLE a ();\nSELECT pg_sleep(120);").unwrap_err());
    let url = server.url();
    let sleeping = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'";
    while query(&url, sleeping) != ["1"] {
        std::thread::sleep(Duration::from_millis(20));
    }
    server.kill();
    let error = running.join().unwrap();
    assert!(matches!(error, MigrateError::Lost { line: 2, .. }), "{error:?}");
    assert!(error.to_string().contains("nothing was applied"), "{error}");
    assert!(matches!(run(&url, "").unwrap_err(), MigrateError::Connect { .. }));
}

#[test]
fn a_role_from_which_a_policy_hides_rows_cannot_migrate_them() {
    let Some(server) = own_server(
        "a_role_from_which_a_policy_hides_rows_cannot_migrate_them",
        &[],
        &[],
    ) else {
        return;
    };
    let url = server.url();
    execute(
        &url,
        "CREATE ROLE owner_of_notes LOGIN; GRANT ALL ON SCHEMA public TO owner_of_notes;\n\
         CREATE TABLE notes (tenant text, size integer); INSERT INTO notes VALUES ('a', NULL);\n\
         ALTER TABLE notes OWNER TO owner_of_notes; ALTER TABLE notes ENABLE ROW LEVEL SECURITY;\n\
         ALTER TABLE notes FORCE ROW LEVEL SECURITY;\n\
         CREATE POLICY tenant ON notes USING (tenant = current_setting('kit.tenant', true));",
    );
    let (_, rest) = url.split_once('@').expect("a URL with a user");
    let owner = format!("postgres://owner_of_notes@{rest}");
    for sql in [
        "UPDATE notes SET size = 0 WHERE size IS NULL;",
        "-- kit: in batches\nUPDATE notes SET size = 0 WHERE size IS NULL;",
    ] {
        let error = run(&owner, sql).unwrap_err();
        assert!(error.to_string().contains("row-level security"), "{sql}: {error}");
    }
    execute(&url, "ALTER ROLE owner_of_notes BYPASSRLS");
    assert_eq!(
        run(
            &owner,
            "-- kit: in batches\nUPDATE notes SET size = 0 WHERE size IS NULL;"
        )
        .unwrap(),
        1
    );
    assert_eq!(query(&url, "SELECT sum(size) FROM notes"), ["0"]);
}
