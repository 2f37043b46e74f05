//! Tests of squashed migrations: they make the same database, databases with the replaced migrations run nothing, and a
//! database with only some of them is refused.

use kit_test_postgres as support;

use kit_database::{Migration, latest, plan};
use kit_migrate::{
    Drift, Half, MigrateError, Options, Report, Rows, Squashed, State, apply, first_unrecorded, record,
    squash, status, with_structure,
};

use crate::branches::models::schema;
use crate::two_builds::{SPLIT, first, in_two_halves, next_people, people, run};
use support::{database, execute, on_each_release, query};

pub(crate) const ONE: &str = "/** @table notes */\nexport interface Note {\n  /** @id @integer @generated */\n  id: number;\n  title: string;\n}\n";
const TWO: &str = "/** @table notes */\nexport interface Note {\n  /** @id @integer @generated */\n  id: number;\n  /** @index */\n  title: string;\n  body?: string;\n}\n";
const THREE: &str = "/** @table notes */\nexport interface Note {\n  /** @id @integer @generated */\n  id: number;\n  /** @index */\n  title: string;\n  body?: string;\n  pinned?: boolean;\n}\n";

const BY_HAND: &str = "
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE FUNCTION clean() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM notes WHERE title = ''; RETURN NEW; END $$;
ALTER TABLE notes ADD COLUMN mood mood DEFAULT 'sad' NOT NULL;
CREATE INDEX notes_lower ON notes (lower(title));
CREATE TRIGGER notes_clean AFTER INSERT ON notes FOR EACH ROW EXECUTE FUNCTION clean();
ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON notes FOR SELECT USING (title = current_user);
CREATE VIEW short_notes AS SELECT id, title FROM notes WHERE length(title) < 100;
COMMENT ON VIEW short_notes IS 'brief';
";

fn timestamp(number: usize) -> String {
    format!("202601010000{number:02}")
}

/// Adds the migration that `kit migrate:generate` writes.
pub(crate) fn generated(mut migrations: Vec<Migration>, types: &str) -> Vec<Migration> {
    let previous = latest(&migrations).expect("they fit together").snapshot;
    let plan = plan(previous.as_ref(), &schema(types)).expect("a plan");
    let name = timestamp(migrations.len() + 1);
    let migration = Migration::create(&name, "m", &plan, previous.as_ref()).expect("a migration");
    migrations.push(with_structure(migration));
    migrations
}

/// Adds a hand-written migration, and records its result.
pub(crate) fn by_hand(server: &str, mut migrations: Vec<Migration>, sql: &str) -> Vec<Migration> {
    let previous = latest(&migrations).expect("they fit together").snapshot;
    let name = timestamp(migrations.len() + 1);
    let mut migration = Migration::by_hand(&name, "hand", None, previous.as_ref()).expect("a migration");
    migration.sql.push_str(sql);
    migrations.push(migration);
    let at = first_unrecorded(&migrations).expect("the new migration");
    record(server, &mut migrations, at).expect("the SQL runs");
    migrations
}

/// Returns three migrations, the last of which is hand-written.
fn three(server: &str) -> Vec<Migration> {
    by_hand(server, generated(generated(Vec::new(), ONE), TWO), BY_HAND)
}

pub(crate) const SQUASHED: &str = "20260101000003_squashed";

fn squashed(server: &str, migrations: &[Migration]) -> Migration {
    let made = squash(server, migrations, SQUASHED, None, true).unwrap_or_else(|error| panic!("{error}"));
    read_back(&made.migration)
}

/// Reads a migration from the files that kit writes.
pub(crate) fn read_back(migration: &Migration) -> Migration {
    let files = migration.files();
    let text = |at: usize| files[at].text.as_str();
    Migration::read(&migration.name, text(0), text(1), Some(text(2))).expect("kit reads its own files")
}

pub(crate) fn apply_all(url: &str, migrations: &[Migration]) -> Report {
    apply(url, migrations, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn history(url: &str) -> Vec<String> {
    query(
        url,
        "SELECT name || ' ' || left(checksum, 8) FROM kit_migrations ORDER BY name",
    )
}

fn assert_up_to_date(url: &str, migrations: &[Migration]) {
    let found = status(url, migrations).expect("a status");
    assert_eq!(found.drift, Ok(Drift::default()));
    assert!(found.is_up_to_date(), "{found:?}");
}

#[test]
fn runs_nothing_in_a_database_with_all_replaced_migrations() {
    on_each_release(
        "runs_nothing_in_a_database_with_all_replaced_migrations",
        |database| {
            let url = &database.url;
            let old = three(url);
            apply_all(url, &old);
            let before = history(url);
            let new = [squashed(url, &old)];
            let report = apply_all(url, &new);
            assert_eq!((report.applied.len(), report.already_applied), (0, 1));
            assert_eq!(report.warnings, [""; 0]);
            assert_up_to_date(url, &new);
            let found = status(url, &new).expect("a status");
            assert!(
                matches!(&found.migrations[..], [one] if one.name == SQUASHED && matches!(one.state, State::Applied { .. })),
                "{found:?}"
            );
            assert_eq!(history(url), before);
            let mut edited = new.clone();
            edited[0]
                .sql
                .push_str("INSERT INTO notes (title) VALUES ('x');\n");
            let error = apply(url, &edited, &Options::default()).expect_err("an error");
            assert!(matches!(error, MigrateError::Edited { .. }), "{error}");
            let found = status(url, &edited).expect("a status");
            assert!(
                matches!(found.migrations[0].state, State::Edited { .. }),
                "{found:?}"
            );
            assert_eq!(first_unrecorded(&edited), None);
        },
    );
}

#[test]
fn makes_the_same_database_as_the_replaced_migrations() {
    on_each_release("makes_the_same_database_as_the_replaced_migrations", |database| {
        let url = &database.url;
        let old = three(url);
        let new = [squashed(url, &old)];
        let mut edited = new.clone();
        edited[0].sql.push_str("SELECT 1;\n");
        let error = apply(url, &edited, &Options::default()).expect_err("an error");
        assert!(matches!(error, MigrateError::Edited { .. }), "{error}");
        // The function with DELETE does not need `--allow-destructive` in a new database.
        let report = apply_all(url, &new);
        assert_eq!(report.applied.len(), 1);
        assert_up_to_date(url, &new);
        assert_eq!(query(url, "SELECT count(*) FROM kit_migrations"), ["3"]);
        let snapshot = latest(&new).expect("one migration").snapshot;
        assert!(plan(snapshot.as_ref(), &schema(TWO)).expect("a plan").is_empty());
        // The release from before the squash works with the database that the squashed migration made.
        let report = apply_all(url, &old);
        assert_eq!((report.applied.len(), report.already_applied), (0, 3));
        assert_up_to_date(url, &old);
        assert_eq!(apply_all(url, &new).applied, []);
    });
}

#[test]
fn a_migration_after_the_squash_runs_in_old_and_new_databases() {
    let name = "a_migration_after_the_squash_runs_in_old_and_new_databases";
    let (Some(old_database), Some(new_database)) = (database(name), database(name)) else {
        return;
    };
    let server = &old_database.url;
    let old = three(server);
    apply_all(server, &old);
    // The migration was planned before the squash, on another branch.
    let mut new = vec![squashed(server, &old)];
    new.extend(generated(old, THREE).pop());
    for database in [&old_database, &new_database] {
        let report = apply_all(&database.url, &new);
        assert_eq!(
            report.applied.last().map(|applied| applied.name.as_str()),
            Some("20260101000004_m")
        );
        assert_up_to_date(&database.url, &new);
        assert_eq!(query(&database.url, "SELECT count(*) FROM kit_migrations"), ["4"]);
    }
    // A later squash replaces the squashed migration too.
    let again = squash(server, &new, "20260101000004_squashed", None, true).expect("a migration");
    let again = [read_back(&again.migration)];
    assert_eq!(again[0].replaces().len(), 4);
    for database in [&old_database, &new_database] {
        assert_eq!(apply_all(&database.url, &again).applied, []);
        assert_up_to_date(&database.url, &again);
    }
}

#[test]
fn refuses_a_database_with_only_some_of_the_replaced_migrations() {
    let Some(database) = database("refuses_a_database_with_only_some_of_the_replaced_migrations") else {
        return;
    };
    let url = &database.url;
    let old = three(url);
    apply_all(url, &old[..2]);
    let new = [squashed(url, &old)];
    let before = history(url);
    for dry_run in [true, false] {
        let options = Options {
            dry_run,
            ..Options::default()
        };
        let error = apply(url, &new, &options).expect_err("an error");
        let MigrateError::PartlyReplaced {
            missing, different, ..
        } = &error
        else {
            panic!("{error}");
        };
        assert_eq!(
            (missing.as_slice(), different.len()),
            (&[old[2].name.clone()][..], 0)
        );
        assert!(
            error
                .help()
                .is_some_and(|help| help.contains("before the squash"))
        );
    }
    let found = status(url, &new).expect("a status");
    assert!(
        matches!(&found.migrations[0].state, State::PartlyReplaced { missing, .. } if missing.len() == 1),
        "{found:?}"
    );
    assert!(!found.is_up_to_date() && found.drift.is_err(), "{found:?}");
    assert_eq!(history(url), before);
    // After the missing migration was applied with the old release, the squashed one is accepted.
    apply_all(url, &old);
    assert_up_to_date(url, &new);
    execute(
        url,
        "UPDATE kit_migrations SET checksum = 'x' WHERE name = '20260101000001_m'",
    );
    let error = apply(url, &new, &Options::default()).expect_err("an error");
    assert!(
        error
            .to_string()
            .contains("Applied with another text:\n  20260101000001_m"),
        "{error}"
    );
}

#[test]
fn refuses_a_database_between_the_halves_of_a_replaced_migration() {
    let Some(database) = database("refuses_a_database_between_the_halves_of_a_replaced_migration") else {
        return;
    };
    let url = &database.url;
    let one = first(&[people()]);
    let old = [one.clone(), in_two_halves(2, &one, &[next_people()], &SPLIT)];
    run(url, &old[..1], Half::Both).expect("the first migration");
    run(url, &old, Half::First).expect("the first half");
    let new = squash(url, &old, "20260101000002_squashed", None, true).expect("a migration");
    assert!(
        !new.migration.sql.contains("CREATE TRIGGER"),
        "{}",
        new.migration.sql
    );
    let new = [read_back(&new.migration)];
    let error = run(url, &new, Half::Both).expect_err("an error");
    assert!(
        matches!(&error, MigrateError::PartlyReplaced { missing, .. } if missing.len() == 1),
        "{error}"
    );
    run(url, &old, Half::Second).expect("the second half");
    run(url, &new, Half::Both).expect("no error");
    assert_up_to_date(url, &new);
}

#[test]
fn refuses_directories_of_replaced_migrations() {
    let Some(database) = database("refuses_directories_of_replaced_migrations") else {
        return;
    };
    let old = three(&database.url);
    let mut both = old.clone();
    both.push(squashed(&database.url, &old));
    let error = apply(&database.url, &both, &Options::default()).expect_err("an error");
    assert!(
        matches!(&error, MigrateError::ReplacedButPresent { present, .. } if present.len() == 3),
        "{error}"
    );
    let error = latest(&both).expect_err("an error");
    assert_eq!(error.problems.len(), 3);
    assert!(
        error
            .to_string()
            .contains("delete the directory migrations/20260101000001_m"),
        "{error}"
    );
}

#[test]
fn refuses_a_migration_that_was_planned_in_the_middle_of_the_replaced_ones() {
    let Some(database) = database("refuses_a_migration_that_was_planned_in_the_middle_of_the_replaced_ones")
    else {
        return;
    };
    let old = three(&database.url);
    let mut on_branch = generated(old[..2].to_vec(), THREE).pop().expect("a migration");
    on_branch.name = "20260101000009_branch".to_owned();
    let both = [squashed(&database.url, &old), on_branch];
    let refused = apply(&database.url, &both, &Options::default()).expect_err("an error");
    assert!(matches!(refused, MigrateError::Misplaced { .. }), "{refused}");
    let error = latest(&both).expect_err("an error");
    assert!(
        error
            .to_string()
            .starts_with("20260101000009_branch: the migration was planned before some of the migrations"),
        "{error}"
    );
}

/// Rows that migrations insert into tables with an identity, a generated column, a trigger and a foreign key.
const WITH_ROWS: &str = "
ALTER TABLE notes ADD COLUMN upper text GENERATED ALWAYS AS (upper(title)) STORED;
CREATE TABLE kinds (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, parent int REFERENCES kinds);
CREATE FUNCTION twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.title := NEW.title || NEW.title; RETURN NEW; END $$;
CREATE TRIGGER notes_twice BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION twice();
INSERT INTO notes (title) VALUES ('it''s \\ a'), (E'two\\nlines');
INSERT INTO kinds (name, parent) VALUES ('root', NULL), ('leaf', 1);
DELETE FROM kinds WHERE name = 'leaf';
CREATE SEQUENCE numbers;
SELECT setval('numbers', 41);
ALTER TABLE notes FORCE ROW LEVEL SECURITY;
";

#[test]
fn keeps_or_drops_rows_by_choice() {
    let name = "keeps_or_drops_rows_by_choice";
    let (Some(database), Some(other)) = (database(name), database(name)) else {
        return;
    };
    let url = &database.url;
    let old = by_hand(url, generated(Vec::new(), ONE), WITH_ROWS);
    let with = |rows| squash(url, &old, SQUASHED, rows, true).map_err(Box::new);
    let error = with(None).expect_err("an error");
    assert!(error.to_string().contains("kinds: 1\n  notes: 2"), "{error}");
    let kept: Squashed = with(Some(Rows::Keep)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(kept.rows, [("kinds".to_owned(), 1), ("notes".to_owned(), 2)]);
    apply_all(url, &[kept.migration]);
    // The trigger does not run again, and new rows do not collide with the kept ones.
    assert_eq!(
        query(url, "SELECT upper FROM notes ORDER BY id"),
        [r"IT'S \ AIT'S \ A", "TWO\nLINESTWO\nLINES"]
    );
    execute(
        url,
        "INSERT INTO kinds (name, parent) VALUES ('new', 1); INSERT INTO notes (title) VALUES ('c')",
    );
    assert_eq!(
        query(
            url,
            "SELECT max(id) FROM kinds UNION ALL SELECT max(id) FROM notes"
        ),
        ["3", "3"]
    );
    assert_eq!(query(url, "SELECT nextval('numbers')"), ["42"]);
    let dropped = with(Some(Rows::Drop)).expect("a migration");
    apply_all(&other.url, &[dropped.migration]);
    assert_eq!(
        query(
            &other.url,
            "SELECT count(*) FROM notes UNION ALL SELECT count(*) FROM kinds"
        ),
        ["0", "0"]
    );
}

#[test]
fn keeps_rows_of_a_table_whose_name_has_a_dot() {
    let name = "keeps_rows_of_a_table_whose_name_has_a_dot";
    let Some(database) = database(name) else { return };
    let url = &database.url;
    let sql = "CREATE TABLE \"a.b\" (id integer PRIMARY KEY); INSERT INTO \"a.b\" VALUES (7);";
    let old = by_hand(url, generated(Vec::new(), ONE), sql);
    let made = squash(url, &old, SQUASHED, Some(Rows::Keep), true).unwrap_or_else(|error| panic!("{error}"));
    apply_all(url, &[made.migration]);
    assert_eq!(query(url, "SELECT id FROM \"a.b\""), ["7"]);
}

#[test]
fn a_squashed_migration_that_is_recorded_again_is_not_edited() {
    let name = "a_squashed_migration_that_is_recorded_again_is_not_edited";
    let Some(database) = database(name) else { return };
    let url = &database.url;
    let old = three(url);
    apply_all(url, &old);
    let mut new = vec![squashed(url, &old)];
    record(url, &mut new, 0).expect("the SQL runs");
    assert_eq!(apply_all(url, &new).already_applied, 1);
    assert_up_to_date(url, &new);
}

#[test]
fn keeps_privileges_and_leaves_out_code() {
    let Some(database) = database("keeps_privileges_and_leaves_out_code") else {
        return;
    };
    let url = &database.url;
    let sql = "
GRANT SELECT ON notes TO PUBLIC;
DO $$ BEGIN
  CREATE TABLE made_by_code (id int PRIMARY KEY);
END $$;
";
    let old = by_hand(url, generated(Vec::new(), ONE), sql);
    let made = squash(url, &old, SQUASHED, None, true).expect("a migration");
    let texts = |all: &[kit_migrate::Unmodelled]| -> Vec<String> {
        all.iter()
            .map(|one| {
                format!(
                    "{}:{}: {}",
                    one.migration,
                    one.line,
                    one.text.lines().next().unwrap_or_default()
                )
            })
            .collect()
    };
    assert_eq!(
        texts(&made.kept),
        ["20260101000002_hand:5: GRANT SELECT ON notes TO PUBLIC"]
    );
    assert_eq!(texts(&made.left_out), ["20260101000002_hand:6: DO $$ BEGIN"]);
    apply_all(url, &[made.migration]);
    assert_eq!(
        query(url, "SELECT to_regclass('made_by_code') IS NOT NULL"),
        ["t"]
    );
    let granted = "SELECT count(*) FROM information_schema.role_table_grants WHERE grantee = 'PUBLIC' AND table_name = 'notes'";
    assert_eq!(query(url, granted), ["1"]);
    // A privilege for all tables of one time does not fit all tables of the end.
    let all = "GRANT UPDATE ON ALL TABLES IN SCHEMA public TO PUBLIC;";
    let later = by_hand(
        url,
        by_hand(url, old.clone(), all),
        "CREATE TABLE secrets (id int PRIMARY KEY);",
    );
    let error = squash(url, &later, SQUASHED, None, true).expect_err("an error");
    assert!(
        error.to_string().ends_with("\n  privileges of secrets"),
        "{error}"
    );
    let defaults = "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC;";
    let with_defaults = generated(by_hand(url, Vec::new(), defaults), ONE);
    squash(url, &with_defaults, SQUASHED, None, true).unwrap_or_else(|error| panic!("{error}"));
    // A statement that no longer fits is found before anything is written.
    let renamed = by_hand(url, old, "ALTER TABLE notes RENAME TO texts;");
    let error = squash(url, &renamed, SQUASHED, None, true).expect_err("an error");
    assert!(
        error.to_string().contains("relation \"notes\" does not exist"),
        "{error}"
    );
    assert!(
        error
            .help()
            .is_some_and(|help| help.contains("--statements drop"))
    );
    squash(url, &renamed, SQUASHED, None, false).expect("a migration");
}

#[test]
fn refuses_migrations_that_end_in_several_branches() {
    let Some(database) = database("refuses_migrations_that_end_in_several_branches") else {
        return;
    };
    let url = &database.url;
    let base = generated(Vec::new(), ONE);
    let mut branches = generated(base.clone(), TWO);
    let other = "/** @table tags */\nexport interface Tag {\n  /** @id @integer */\n  id: number;\n}\n";
    let mut second = generated(base, &format!("{ONE}{other}"))
        .pop()
        .expect("a migration");
    second.name = "20260101000003_m".to_owned();
    branches.push(second);
    let error = squash(url, &branches, SQUASHED, None, true).expect_err("an error");
    assert!(error.to_string().contains("several branches"), "{error}");
}
