//! Tests of statements in batches: a row is changed once, and a step is complete only if no row is left.

use kit_test_postgres as support;

use kit_database::Migration;
use kit_migrate::{Event, MigrateError, Options, State, apply, apply_watched, status};

use support::{Database, database, execute, on_each_release, query};

/// Table with a number and a copy of the number, which is filled.
const COUNTS: &str = "CREATE TABLE counts (id integer, number integer, copy integer);";

/// Rows in more pages than the first batch has.
const MANY: &str = "INSERT INTO counts SELECT n, n FROM generate_series(1, 10000) AS n;";

fn migration(statement: &str) -> Migration {
    Migration {
        name: "20260101000001_step".to_owned(),
        sql: format!("CREATE TABLE begun ();\n\n-- kit: in batches\n{statement};\n"),
        destructive: false,
        changes: Vec::new(),
        snapshot: None,
    }
}

#[allow(clippy::result_large_err)] // a test looks at one at a time
fn run(database: &Database, statement: &str) -> Result<usize, MigrateError> {
    apply(&database.url, &[migration(statement)], &Options::default()).map(|report| report.applied.len())
}

/// Runs the statement, which must fail, and returns the message. The step must not be recorded as complete.
fn refused(database: &Database, statement: &str) -> String {
    let error = run(database, statement).expect_err("an error").to_string();
    let found = status(&database.url, &[migration(statement)]).expect("a status");
    assert!(
        matches!(
            found.migrations[0].state,
            State::PartlyApplied { done: 1, of: 2, .. }
        ),
        "{:?}",
        found.migrations[0].state
    );
    error
}

#[test]
fn no_row_of_a_batch_changes_if_one_of_them_still_satisfies_the_condition() {
    on_each_release(
        "no_row_of_a_batch_changes_if_one_of_them_still_satisfies_the_condition",
        |database| {
            let url = &database.url;
            execute(
                url,
                &format!(
                    "{COUNTS} INSERT INTO counts SELECT n, CASE WHEN n % 10 < 7 THEN 1 ELSE 3 END FROM generate_series(1, 10000) AS n"
                ),
            );
            let figures = query(
                url,
                "SELECT count(*) FILTER (WHERE number = 3) || ' of ' || count(*) || ' rows of a batch' FROM counts WHERE ctid < '(8,0)'",
            );
            // Most rows are excluded after one change.
            let error = refused(database, "UPDATE counts SET number = number - 1 WHERE number > 0");
            assert!(
                error.contains("line 4: the condition does not exclude the rows")
                    && error.contains(&figures[0])
                    && error.contains("no row is changed. Write a condition"),
                "{error}"
            );
            assert_eq!(query(url, "SELECT sum(number) FROM counts"), ["16000"]);
            let error = refused(
                database,
                "UPDATE counts SET copy = nullif(number, 3) WHERE copy IS NULL",
            );
            assert!(error.contains(&figures[0]), "{error}");
            // The step may be edited.
            assert_eq!(
                run(
                    database,
                    "UPDATE counts SET copy = number WHERE copy IS DISTINCT FROM number"
                )
                .unwrap(),
                1
            );
            assert_eq!(query(url, "SELECT sum(copy) FROM counts"), ["16000"]);
        },
    );
}

#[test]
fn rows_of_earlier_batches_stay_changed_if_a_later_batch_is_refused() {
    let Some(database) = database("rows_of_earlier_batches_stay_changed_if_a_later_batch_is_refused") else {
        return;
    };
    execute(
        &database.url,
        &format!(
            "{COUNTS} INSERT INTO counts SELECT n, CASE WHEN n > 9000 THEN 3 ELSE 1 END FROM generate_series(1, 10000) AS n"
        ),
    );
    let error = refused(
        &database,
        "UPDATE counts SET number = number - 1 WHERE number > 0",
    );
    assert!(
        error.contains("the rows of earlier batches stay changed"),
        "{error}"
    );
    assert_eq!(
        query(
            &database.url,
            "SELECT bool_or(number = 0)::text || bool_or(number = 2)::text FROM counts"
        ),
        ["truefalse"]
    );
}

/// New versions of rows get the space of rows that were deleted from a later page.
#[test]
fn a_row_that_moves_to_a_later_page_changes_once() {
    let Some(database) = database("a_row_that_moves_to_a_later_page_changes_once") else {
        return;
    };
    let url = &database.url;
    execute(
        url,
        &format!(
            "{COUNTS} ALTER TABLE counts ADD COLUMN changes integer DEFAULT 0 NOT NULL; \
             INSERT INTO counts SELECT n, 2 FROM generate_series(1, 20000) AS n; DELETE FROM counts WHERE id > 10000 AND id < 19990"
        ),
    );
    execute(url, "VACUUM counts");
    // A second change of a moved row would make its number 0.
    refused(
        &database,
        "UPDATE counts SET number = number - 1 WHERE number > 0",
    );
    assert_eq!(query(url, "SELECT min(number) FROM counts"), ["2"]);
    run(
        &database,
        "UPDATE counts SET copy = number, changes = changes + 1 WHERE copy IS NULL",
    )
    .unwrap();
    // The first rows were in pages below 60.
    assert_eq!(
        query(
            url,
            "SELECT count(*) > 0 FROM counts WHERE id <= 10000 AND ctid > '(60,0)'"
        ),
        ["t"]
    );
    assert_eq!(
        query(
            url,
            "SELECT count(*) || ' ' || max(changes) FROM counts WHERE copy = number"
        ),
        ["10011 1"]
    );
}

#[test]
fn a_condition_may_select_rows_by_a_subquery_of_the_same_table() {
    let Some(database) = database("a_condition_may_select_rows_by_a_subquery_of_the_same_table") else {
        return;
    };
    execute(&database.url, &format!("{COUNTS} {MANY}"));
    let statement = "UPDATE counts SET copy = number WHERE id IN (SELECT other.id FROM counts AS other WHERE other.copy IS NULL)";
    assert_eq!(run(&database, statement).unwrap(), 1);
    assert_eq!(
        query(&database.url, "SELECT count(*) FROM counts WHERE copy = number"),
        ["10000"]
    );
}

#[test]
fn a_step_is_not_complete_while_rows_satisfy_its_condition() {
    on_each_release(
        "a_step_is_not_complete_while_rows_satisfy_its_condition",
        |database| {
            let url = &database.url;
            execute(
            url,
            &format!(
                "{COUNTS} {MANY}
                 CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.id = 2 THEN RETURN NULL; END IF; \
                 IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$;
                 CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON counts FOR EACH ROW EXECUTE FUNCTION keep();"
            ),
        );
            for statement in [
                "UPDATE counts SET copy = number WHERE copy IS NULL",
                "DELETE FROM counts WHERE id > 1",
            ] {
                let error = refused(database, statement);
                assert!(
                    error.contains("line 4: the statement does not change all rows")
                        && error.contains("rows left: 1)"),
                    "{error}"
                );
            }
            execute(url, "DROP TRIGGER keep ON counts");
            assert_eq!(run(database, "DELETE FROM counts WHERE id > 1").unwrap(), 1);
            assert_eq!(query(url, "SELECT count(*) FROM counts"), ["1"]);
        },
    );
}

#[test]
fn a_table_with_child_tables_is_refused_without_only() {
    let Some(database) = database("a_table_with_child_tables_is_refused_without_only") else {
        return;
    };
    let url = &database.url;
    execute(
        url,
        &format!(
            "{COUNTS} {MANY} CREATE TABLE special () INHERITS (counts); INSERT INTO special VALUES (10001, 0)"
        ),
    );
    for statement in [
        "UPDATE counts SET copy = number WHERE copy IS NULL",
        "DELETE FROM counts WHERE copy IS NULL",
    ] {
        let error = refused(&database, statement);
        assert!(
            error.contains("counts has child tables (INHERITS)") && error.contains("write `ONLY counts`"),
            "{error}"
        );
    }
    // Its number of pages is that of all tables.
    execute(
        url,
        "CREATE TABLE parent (number integer); ALTER TABLE counts INHERIT parent",
    );
    let error = refused(&database, "UPDATE parent SET number = 1 WHERE number > 1");
    assert!(error.contains("parent has child tables"), "{error}");
    let error = refused(&database, "UPDATE counts SET copy = 1\nWHERE wrong");
    assert!(error.contains("line 4: UPDATE counts SET copy = 1"), "{error}");
    assert_eq!(
        run(
            &database,
            "UPDATE ONLY counts SET copy = number WHERE copy IS NULL"
        )
        .unwrap(),
        1
    );
    assert_eq!(
        query(url, "SELECT count(copy) || ' ' || count(*) FROM counts"),
        ["10000 10001"]
    );
}

#[test]
fn a_table_with_a_rule_for_updates_is_refused() {
    let Some(database) = database("a_table_with_a_rule_for_updates_is_refused") else {
        return;
    };
    execute(
        &database.url,
        &format!(
            "{COUNTS} {MANY} CREATE TABLE log (id integer); CREATE RULE log AS ON UPDATE TO counts DO ALSO INSERT INTO log VALUES (OLD.id)"
        ),
    );
    let error = refused(&database, "UPDATE counts SET copy = number WHERE copy IS NULL");
    assert!(error.contains("counts has a rule for UPDATE"), "{error}");
    assert_eq!(
        run(&database, "DELETE FROM counts WHERE copy IS NULL").unwrap(),
        1
    );
}

#[test]
fn an_error_of_a_batch_names_its_line() {
    let Some(database) = database("an_error_of_a_batch_names_its_line") else {
        return;
    };
    execute(&database.url, &format!("{COUNTS} {MANY}"));
    for (statement, expected) in [
        (
            "UPDATE counts\nSET copy = wrong\nWHERE copy IS NULL",
            "line 5: SET copy = wrong",
        ),
        (
            "UPDATE counts\nSET copy = 1\nWHERE copy IS NULL\n  AND wrong",
            "line 7: AND wrong",
        ),
        (
            "DELETE FROM counts\nWHERE copy IS NULL\nAND wrong",
            "line 6: AND wrong",
        ),
    ] {
        let error = refused(&database, statement);
        assert!(error.contains(expected), "{error}");
    }
}

/// A database with few rows gets the same result from earlier versions of kit, which kept changed rows that satisfy the condition.
#[test]
fn a_table_of_one_batch_changes_once_in_the_transaction_of_its_record() {
    on_each_release(
        "a_table_of_one_batch_changes_once_in_the_transaction_of_its_record",
        |database| {
            let url = &database.url;
            execute(
                url,
                &format!(
                    "{COUNTS} INSERT INTO counts VALUES (1, 2), (2, 3), (3, NULL); CREATE TABLE special () INHERITS (counts); \
                     INSERT INTO special VALUES (4, 4); CREATE TABLE log (id integer); \
                     CREATE RULE log AS ON UPDATE TO counts DO ALSO INSERT INTO log VALUES (OLD.id)"
                ),
            );
            let statement =
                "UPDATE counts SET number = number - 1, copy = number WHERE number > 0 OR copy IS NULL";
            assert_eq!(run(database, statement).unwrap(), 1);
            assert_eq!(
                query(
                    url,
                    "SELECT concat_ws(' ', id, number, copy) FROM counts ORDER BY id"
                ),
                ["1 1 2", "2 2 3", "3", "4 3 4"]
            );
            assert_eq!(
                query(
                    url,
                    "SELECT DISTINCT xmin::text = (SELECT xmin::text FROM kit_migrations) FROM counts"
                ),
                ["t"]
            );
            assert_eq!(query(url, "SELECT count(*) FROM kit_migration_progress"), ["0"]);
            assert_eq!(run(database, statement).unwrap(), 0);
        },
    );
}

/// kit does not look at the triggers and foreign keys of child tables, which the statement would change without triggers.
#[test]
fn a_table_of_one_batch_with_child_tables_is_refused_without_triggers() {
    let Some(database) = database("a_table_of_one_batch_with_child_tables_is_refused_without_triggers")
    else {
        return;
    };
    let url = &database.url;
    execute(
        url,
        &format!(
            "{COUNTS} CREATE TABLE known (number integer PRIMARY KEY); \
             CREATE TABLE special (FOREIGN KEY (copy) REFERENCES known) INHERITS (counts); INSERT INTO special VALUES (1, 5)"
        ),
    );
    let mut migration = migration("UPDATE counts SET copy = number WHERE copy IS NULL");
    migration.sql = migration
        .sql
        .replace("in batches", "in batches, without triggers");
    let error = apply(url, &[migration], &Options::default())
        .expect_err("an error")
        .to_string();
    assert!(error.contains("counts has child tables"), "{error}");
    assert_eq!(query(url, "SELECT count(copy) FROM special"), ["0"]);
}

#[test]
fn a_table_without_selected_rows_may_have_child_tables_and_rules() {
    let Some(database) = database("a_table_without_selected_rows_may_have_child_tables_and_rules") else {
        return;
    };
    execute(
        &database.url,
        &format!(
            "{COUNTS} {MANY} CREATE TABLE special () INHERITS (counts); INSERT INTO special VALUES (10001, 0); \
             CREATE RULE nothing AS ON UPDATE TO counts DO INSTEAD NOTHING"
        ),
    );
    refused(&database, "UPDATE counts SET copy = number WHERE number = 0");
    assert_eq!(
        run(&database, "UPDATE counts SET copy = number WHERE number < 0").unwrap(),
        1
    );
}

#[test]
fn the_error_for_rows_of_other_sessions_names_a_trigger_which_is_sufficient() {
    let Some(database) = database("the_error_for_rows_of_other_sessions_names_a_trigger_which_is_sufficient")
    else {
        return;
    };
    let url = &database.url;
    execute(url, &format!("{COUNTS} {MANY}"));
    // The old build writes more rows than a page has, behind the batches of a pass.
    let old_build = |event: &Event<'_>| {
        if matches!(event, Event::Statement { line: 4, .. }) {
            let url = url.clone();
            // This thread runs an asynchronous runtime, which must not be blocked by a second one.
            let other = std::thread::spawn(move || {
                execute(
                    &url,
                    "INSERT INTO counts SELECT n, n FROM generate_series(1, 500) AS n",
                );
            });
            other.join().unwrap();
        }
    };
    let migrations = [migration("UPDATE counts SET copy = number WHERE copy IS NULL")];
    let error = apply_watched(url, &migrations, &Options::default(), &old_build).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("line 4: after 10 passes over the table, other sessions still write rows")
            && error
                .to_string()
                .contains("add a trigger (BEFORE INSERT OR UPDATE)"),
        "{error}"
    );
    execute(
        url,
        "CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.copy := NEW.number; RETURN NEW; END $$; \
         CREATE TRIGGER fill BEFORE INSERT OR UPDATE ON counts FOR EACH ROW EXECUTE FUNCTION fill()",
    );
    let report = apply_watched(url, &migrations, &Options::default(), &old_build).unwrap();
    assert_eq!(report.applied.len(), 1);
    assert_eq!(
        query(url, "SELECT count(*) FROM counts WHERE copy IS NULL"),
        ["0"]
    );
}
