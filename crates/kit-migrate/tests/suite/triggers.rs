//! Tests of statements in batches that run no triggers of their table.

use kit_test_postgres as support;

use kit_database::Migration;
use kit_migrate::{MigrateError, Options, apply};

use support::{database, execute, on_each_release, own_server, query};

/// Table with a trigger of the team that sets `updated_at`.
const NOTES: &str = "\
    CREATE TABLE topics (id integer PRIMARY KEY);
    CREATE TABLE notes (id integer PRIMARY KEY, topic integer REFERENCES topics, size integer, next bigint, updated_at text DEFAULT 'then');
    INSERT INTO notes (id, size) SELECT n, n FROM generate_series(1, 100) AS n;
    CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.updated_at := 'now'; RETURN NEW; END $$;
    CREATE TRIGGER touch BEFORE UPDATE ON notes FOR EACH ROW EXECUTE FUNCTION touch();";

const FILL: &str = "UPDATE notes SET next = size WHERE next IS NULL AND size IS NOT NULL;";

#[allow(clippy::result_large_err)] // a test looks at one at a time
fn run(url: &str, sql: &str) -> Result<usize, MigrateError> {
    let migration = Migration {
        name: "20260101000001_step".to_owned(),
        sql: sql.to_owned(),
        destructive: false,
        changes: Vec::new(),
        snapshot: None,
    };
    apply(url, &[migration], &Options::default()).map(|report| report.applied.len())
}

/// Returns the SQL with a first step, which shows if the migration changed anything.
fn without_triggers(statement: &str) -> String {
    format!("CREATE TABLE begun ();\n-- kit: in batches, without triggers\n{statement}")
}

const STATE: &str = "SELECT updated_at || ' ' || count(next) FROM notes GROUP BY updated_at ORDER BY 1";

#[test]
fn rows_that_a_step_without_triggers_fills_keep_the_values_that_triggers_set() {
    on_each_release(
        "rows_that_a_step_without_triggers_fills_keep_the_values_that_triggers_set",
        |database| {
            let url = &database.url;
            execute(url, NOTES);
            // More rows than one batch has.
            execute(
                url,
                "INSERT INTO notes (id, size) SELECT n, n FROM generate_series(101, 10000) AS n",
            );
            let sql = format!(
                "{}\nINSERT INTO notes (id) VALUES (0);\nUPDATE notes SET size = 0 WHERE id = 0;",
                without_triggers(FILL)
            );
            assert_eq!(run(url, &sql).unwrap(), 1);
            // Later steps run triggers again.
            assert_eq!(query(url, STATE), ["now 0", "then 10000"]);
        },
    );
}

#[test]
fn triggers_run_in_a_step_in_batches_unless_its_line_excludes_them() {
    let Some(database) = database("triggers_run_in_a_step_in_batches_unless_its_line_excludes_them") else {
        return;
    };
    execute(&database.url, NOTES);
    run(&database.url, &format!("-- kit: in batches\n{FILL}")).unwrap();
    assert_eq!(query(&database.url, STATE), ["now 100"]);
}

#[test]
fn a_role_that_cannot_switch_triggers_off_changes_nothing_if_a_trigger_would_run() {
    const TEST: &str = "a_role_that_cannot_switch_triggers_off_changes_nothing_if_a_trigger_would_run";
    let Some(server) = own_server(TEST, &[], &[]) else {
        return;
    };
    let url = server.url();
    execute(&url, NOTES);
    execute(
        &url,
        "CREATE ROLE migrator LOGIN; GRANT ALL ON SCHEMA public TO migrator; ALTER TABLE notes OWNER TO migrator",
    );
    let (_, rest) = url.split_once('@').expect("a URL with a user");
    let migrator = format!("postgres://migrator@{rest}");
    let error = run(&migrator, &without_triggers(FILL)).unwrap_err().to_string();
    assert!(
        error.contains("line 3: these triggers of notes would run for each row: `touch`")
            && error.contains("GRANT SET ON PARAMETER session_replication_role TO migrator"),
        "{error}"
    );
    assert_eq!(query(&url, "SELECT to_regclass('begun') IS NULL"), ["t"]);
    // A trigger of other columns does not run, and without triggers the role needs no privilege.
    execute(
        &url,
        "DROP TRIGGER touch ON notes; CREATE TRIGGER touch BEFORE UPDATE OF size ON notes FOR EACH ROW EXECUTE FUNCTION touch()",
    );
    assert_eq!(run(&migrator, &without_triggers(FILL)).unwrap(), 1);
    assert_eq!(query(&url, STATE), ["then 100"]);
    // The privilege of the error message is sufficient.
    execute(
        &url,
        "DROP TABLE begun, kit_migrations; UPDATE notes SET next = NULL; GRANT SET ON PARAMETER session_replication_role TO migrator; \
         CREATE TRIGGER again BEFORE UPDATE ON notes FOR EACH ROW EXECUTE FUNCTION touch()",
    );
    assert_eq!(run(&migrator, &without_triggers(FILL)).unwrap(), 1);
    assert_eq!(query(&url, STATE), ["then 100"]);
}

#[test]
fn refuses_statements_that_need_triggers_before_anything_runs() {
    let Some(database) = database("refuses_statements_that_need_triggers_before_anything_runs") else {
        return;
    };
    let url = &database.url;
    execute(url, NOTES);
    let refused = |statement: &str| run(url, &without_triggers(statement)).unwrap_err().to_string();
    let error = refused("DELETE FROM notes WHERE id > 10;");
    assert!(error.contains("without triggers` needs an UPDATE"), "{error}");
    let error = refused("UPDATE notes SET next = 1, topic = 7 WHERE topic IS NULL;");
    assert!(error.contains("the statement sets `topic`"), "{error}");
    // PostgreSQL checks keys of other tables that refer to a row with triggers too.
    let error = refused("UPDATE topics SET id = id + 1000 WHERE id < 1000;");
    assert!(error.contains("the statement sets `id`"), "{error}");
    execute(url, "ALTER TABLE notes ENABLE ALWAYS TRIGGER touch");
    let error = refused(FILL);
    assert!(
        error.contains("these triggers of notes run for every session") && error.contains("`touch`"),
        "{error}"
    );
    assert_eq!(query(url, "SELECT to_regclass('begun') IS NULL"), ["t"]);
}
