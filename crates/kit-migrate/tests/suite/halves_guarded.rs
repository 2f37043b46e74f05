//! Tests of the removal of old columns: no row loses a value, and only the right command continues a half.
#![allow(clippy::unwrap_used)] // a helper of a test may fail the test

use kit_test_postgres as support;

use std::cell::RefCell;
use std::time::Duration;

use kit_database::{
    Column, ColumnType, Index, Migration, PlannedChange, Table, TypeName, Using, expand, plan,
};
use kit_migrate::{Event, Half, MigrateError, Options, State, apply, apply_watched, status};

use crate::two_builds::{
    ROWS, SPLIT, clean, column, first, in_two_halves, indexed, last_state, next_people, people, renamed, run,
    schema, table, with_default,
};
use support::{execute, on_each_release, query, with_client};

/// Runs a part of the migrations while another session holds a lock, and returns the error.
fn run_blocked(url: &str, migrations: &[Migration], half: Half, lock: &str) -> MigrateError {
    with_client(url, async |client| {
        client.batch_execute(&format!("BEGIN; {lock}")).await.unwrap();
        let (url, migrations) = (url.to_owned(), migrations.to_vec());
        let blocked = std::thread::spawn(move || {
            let options = Options {
                half,
                ignore_sessions: true,
                wait: Duration::from_millis(300),
                ..Options::default()
            };
            apply(&url, &migrations, &options).unwrap_err()
        });
        let error = blocked.join().unwrap();
        client.batch_execute("ROLLBACK").await.unwrap();
        error
    })
}

/// Runs the second half, and lets another session run `sql` before each statement that removes the trigger. Returns the
/// errors of the other session.
fn contract_against(url: &str, migrations: &[Migration], sql: &'static str) -> Vec<String> {
    let errors = RefCell::new(Vec::new());
    let watch = |event: &Event<'_>| {
        if let Event::Statement { title, .. } = event
            && title.starts_with("DROP TRIGGER")
        {
            let url = url.to_owned();
            // This thread runs an asynchronous runtime, which must not be blocked by a second one.
            let other =
                std::thread::spawn(move || with_client(&url, async |client| client.batch_execute(sql).await));
            let outcome = other.join().unwrap();
            errors.borrow_mut().extend(outcome.err().map(|error| {
                let code = error.code().map_or("", |code| code.code());
                code.to_owned()
            }));
        }
    };
    let options = Options {
        half: Half::Second,
        ignore_sessions: true,
        ..Options::default()
    };
    apply_watched(url, migrations, &options, &watch).unwrap_or_else(|error| panic!("{error}"));
    errors.into_inner()
}

#[test]
fn refuses_a_row_that_the_old_build_writes_after_the_last_check() {
    on_each_release(
        "refuses_a_row_that_the_old_build_writes_after_the_last_check",
        |database| {
            let url = database.url.as_str();
            let one = first(&[people()]);
            run(url, std::slice::from_ref(&one), Half::Both).unwrap();
            execute(url, ROWS);
            let all = [one.clone(), in_two_halves(2, &one, &[next_people()], &SPLIT)];
            run(url, &all, Half::First).unwrap();
            let errors = contract_against(
                url,
                &all,
                "INSERT INTO people (name, cents) VALUES ('  odd  ', 900)",
            );
            assert_eq!(errors, ["23514"], "the row breaks a constraint");
            assert!(matches!(clean(url, &all), State::Applied { .. }));
            assert_eq!(query(url, "SELECT count(*) FROM people"), ["500"]);
        },
    );
}

#[test]
fn locks_the_table_before_the_last_check_if_an_expression_has_a_query() {
    on_each_release(
        "locks_the_table_before_the_last_check_if_an_expression_has_a_query",
        |database| {
            let url = database.url.as_str();
            let one = first(&[people()]);
            run(url, std::slice::from_ref(&one), Half::Both).unwrap();
            execute(url, ROWS);
            let with_query = [
                SPLIT[0],
                SPLIT[1],
                "people.name=(SELECT trim(first_name || ' ' || last_name))",
            ];
            let all = [one.clone(), in_two_halves(2, &one, &[next_people()], &with_query)];
            run(url, &all, Half::First).unwrap();
            let errors = contract_against(
                url,
                &all,
                "SET lock_timeout = '200ms'; INSERT INTO people (name, cents) VALUES ('  odd  ', 900)",
            );
            assert_eq!(errors, ["55P03"], "the insert waits for the lock");
            assert!(matches!(clean(url, &all), State::Applied { .. }));
        },
    );
}

#[test]
fn only_contract_and_abort_continue_an_interrupted_second_half() {
    on_each_release(
        "only_contract_and_abort_continue_an_interrupted_second_half",
        |database| {
            let url = database.url.as_str();
            let one = first(&[people()]);
            run(url, std::slice::from_ref(&one), Half::Both).unwrap();
            execute(url, ROWS);
            let all = [one.clone(), in_two_halves(2, &one, &[next_people()], &SPLIT)];
            run(url, &all, Half::First).unwrap();
            // The checks only read. The first change of the table needs a lock.
            let reading = "LOCK TABLE people IN ACCESS SHARE MODE";
            let error = run_blocked(url, &all, Half::Second, reading);
            assert!(matches!(error, MigrateError::Blocked { .. }), "{error}");
            let is_interrupted = || {
                assert!(matches!(
                    last_state(url, &all),
                    State::PartlyApplied {
                        half: Some(Half::Second),
                        edited: false,
                        ..
                    }
                ));
                for half in [Half::Both, Half::First] {
                    let error = run(url, &all, half).unwrap_err();
                    assert!(
                        matches!(
                            error,
                            MigrateError::StoppedInHalf {
                                half: Half::Second,
                                ..
                            }
                        ),
                        "{half:?}: {error}"
                    );
                }
            };
            is_interrupted();
            // The old build still works.
            execute(url, "INSERT INTO people (name, cents) VALUES ('Bob Old', 1001)");
            let error = run_blocked(url, &all, Half::Undo, reading);
            assert!(matches!(error, MigrateError::Blocked { .. }), "{error}");
            let states: Vec<(String, State)> = status(url, &all[..1])
                .unwrap()
                .migrations
                .into_iter()
                .map(|migration| (migration.name, migration.state))
                .skip(1)
                .collect();
            assert_eq!(states, [(all[1].name.clone(), State::Missing { at: None })]);
            run(url, &all, Half::Undo).unwrap();
            assert!(matches!(clean(url, &all), State::Pending { .. }));
            run(url, &all, Half::First).unwrap();
            run_blocked(url, &all, Half::Second, reading);
            is_interrupted();
            run(url, &all, Half::Second).unwrap();
            assert!(matches!(clean(url, &all), State::Applied { .. }));
            assert_eq!(
                query(
                    url,
                    "SELECT first_name || last_name FROM people WHERE amount = '1001'"
                ),
                ["BobOld"]
            );
        },
    );
}

#[test]
fn an_edited_second_half_cannot_be_undone_after_its_first_step() {
    on_each_release(
        "an_edited_second_half_cannot_be_undone_after_its_first_step",
        |database| {
            let url = database.url.as_str();
            let one = first(&[people()]);
            run(url, std::slice::from_ref(&one), Half::Both).unwrap();
            let two = in_two_halves(2, &one, &[next_people()], &SPLIT);
            let edited = Migration {
                sql: two.sql.replacen(
                    "-- kit: contract\n",
                    "-- kit: contract\nDO $$ BEGIN NULL; END $$;\n\n-- kit: new transaction\n",
                    1,
                ),
                ..two
            };
            let all = [one, edited];
            run(url, &all, Half::First).unwrap();
            with_client(url, async |client| {
                client
                    .batch_execute("BEGIN; LOCK TABLE people IN ACCESS SHARE MODE")
                    .await
                    .unwrap();
                let (url, all) = (url.to_owned(), all.clone());
                std::thread::spawn(move || {
                    let options = Options {
                        half: Half::Second,
                        ignore_sessions: true,
                        allow_destructive: true,
                        wait: Duration::from_millis(300),
                        ..Options::default()
                    };
                    apply(&url, &all, &options).unwrap_err();
                })
                .join()
                .unwrap();
            });
            let error = run(url, &all, Half::Undo).unwrap_err();
            assert!(matches!(error, MigrateError::ContractBegan { .. }), "{error}");
        },
    );
}

fn mood(name: &str, labels: &[&str]) -> Column {
    Column {
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        ..column(
            "mood",
            ColumnType::Enum {
                name: TypeName::new(name).unwrap(),
            },
        )
    }
}

fn moods(column: Column) -> Table {
    let name = column.name.clone();
    indexed(table("moods", vec![column]), &name)
}

fn type_change(before: &Migration, tables: &[Table]) -> PlannedChange {
    let plan = plan(before.snapshot.as_ref(), &schema(tables)).unwrap_or_else(|error| panic!("{error}"));
    let mut changes = plan.changes.into_iter();
    changes
        .find(|step| step.change.summary().starts_with("change the type of"))
        .unwrap()
}

#[test]
fn a_new_type_in_two_halves_works_as_the_alternative_says() {
    on_each_release(
        "a_new_type_in_two_halves_works_as_the_alternative_says",
        |database| {
            let url = database.url.as_str();
            let text = || column("mood", ColumnType::Text);
            let one_type = || mood("mood_a", &["happy", "sad"]);
            for (before, after) in [
                (text(), one_type()),
                (one_type(), text()),
                (one_type(), mood("mood_b", &["sad", "happy", "calm"])),
                (mood("mood_b", &["sad", "happy", "calm"]), one_type()),
                (with_default(text(), "sad"), with_default(one_type(), "sad")),
                (text(), column("mood", ColumnType::Citext)),
            ] {
                let name = format!("{} to {}", before.r#type, after.r#type);
                let one = first(&[moods(before.clone())]);
                run(url, std::slice::from_ref(&one), Half::Both).unwrap();
                execute(
                    url,
                    "INSERT INTO moods (mood) SELECT 'sad' FROM generate_series(1, 50); INSERT INTO moods (mood) VALUES ('happy')",
                );
                // The third case only renames the type, and a text without case breaks no query.
                if after.labels.len() < 3 && after.r#type != ColumnType::Citext {
                    let change = type_change(&one, &[moods(after.clone())]);
                    let alternative = change.alternative.unwrap();
                    assert!(
                        alternative.steps[0].contains("`@column mood_next @renamedFrom mood`"),
                        "{alternative:?}"
                    );
                    assert!(alternative.steps[1].contains("--expand"), "{alternative:?}");
                }
                let next = Column {
                    name: "mood_next".to_owned(),
                    ..renamed("mood", after)
                };
                let all = [one.clone(), in_two_halves(2, &one, &[moods(next)], &[])];
                run(url, &all, Half::First).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(matches!(clean(url, &all), State::Expanded { .. }));
                execute(url, "INSERT INTO moods (mood) VALUES ('happy')");
                execute(url, "INSERT INTO moods (mood_next) VALUES ('happy')");
                assert_eq!(
                    query(
                        url,
                        "SELECT count(*) FROM moods WHERE mood::text = mood_next::text"
                    ),
                    ["53"]
                );
                run(url, &all, Half::Undo).unwrap_or_else(|error| panic!("{name}: {error}"));
                // An extension stays, because other programs may use it.
                if !name.ends_with("citext") {
                    assert!(matches!(clean(url, &all), State::Pending { .. }));
                }
                run(url, &all, Half::First).unwrap_or_else(|error| panic!("{name}: {error}"));
                run(url, &all, Half::Second).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(matches!(clean(url, &all), State::Applied { .. }), "{name}");
                assert_eq!(
                    query(url, "SELECT count(*) FROM moods WHERE mood_next = 'happy'"),
                    ["3"]
                );
                execute(
                    url,
                    "DROP TABLE moods, kit_migrations, kit_migration_progress; DROP TYPE IF EXISTS mood_a, mood_b; \
                 DROP EXTENSION IF EXISTS citext",
                );
            }
        },
    );
}

#[test]
fn refuses_rows_and_defaults_that_do_not_fit_an_enum_type_before_the_type_exists() {
    on_each_release(
        "refuses_rows_and_defaults_that_do_not_fit_an_enum_type_before_the_type_exists",
        |database| {
            let url = database.url.as_str();
            let one = first(&[moods(column("mood", ColumnType::Text))]);
            run(url, std::slice::from_ref(&one), Half::Both).unwrap();
            execute(url, "INSERT INTO moods (mood) VALUES ('happy'), ('angry')");
            let next = |column: Column| {
                moods(Column {
                    name: "mood_next".to_owned(),
                    ..renamed("mood", column)
                })
            };
            let all = [
                one.clone(),
                in_two_halves(2, &one, &[next(mood("mood_a", &["happy"]))], &[]),
            ];
            let error = run(url, &all, Half::First).unwrap_err().to_string();
            assert!(
                error.contains("the enum type does not have some values of moods.mood_next"),
                "{error}"
            );
            assert!(matches!(clean(url, &all), State::Pending { .. }));
            execute(url, "DELETE FROM moods WHERE mood = 'angry'");
            run(url, &all, Half::First).unwrap();
            let before = moods(with_default(column("mood", ColumnType::Text), "happy"));
            let other = with_default(mood("mood_a", &["happy", "sad"]), "sad");
            let error = expand(first(&[before]).snapshot.as_ref(), &schema(&[next(other)]), &[]).unwrap_err();
            assert!(
                error
                    .to_string()
                    .contains("its default changes together with an enum type"),
                "{error}"
            );
        },
    );
}

#[test]
fn a_new_type_of_a_key_has_no_alternative() {
    let key = |r#type| Table {
        primary_key: vec!["code".to_owned()],
        ..table("codes", vec![column("code", r#type)])
    };
    let one = first(&[key(ColumnType::Integer)]);
    let change = type_change(&one, &[key(ColumnType::BigInt)]);
    assert_eq!(change.alternative, None);
}

#[test]
fn refuses_a_name_that_moves_to_another_table_between_the_halves() {
    let named = |table: Table, is_named: bool| Table {
        indexes: is_named
            .then(|| Index {
                name: "newest".to_owned(),
                columns: vec!["id".to_owned()],
                ..Index::default()
            })
            .into_iter()
            .collect(),
        ..table
    };
    let (notes, tags) = (
        || table("notes", vec![column("title", ColumnType::Text)]),
        || table("tags", vec![column("label", ColumnType::Text)]),
    );
    let one = first(&[named(notes(), true), named(tags(), false)]);
    let mut next = notes();
    next.columns[1] = renamed("title", column("heading", ColumnType::Text));
    let using: [Using; 0] = [];
    let tables = [named(next.clone(), false), named(tags(), true)];
    let error = expand(one.snapshot.as_ref(), &schema(&tables), &using).unwrap_err();
    assert_eq!(error.problems.len(), 1, "{error}");
    assert!(
        error
            .to_string()
            .starts_with("tags: the old build has `newest` as a name of notes"),
        "{error}"
    );
    let tables = [named(next, true), named(tags(), false)];
    expand(one.snapshot.as_ref(), &schema(&tables), &using).unwrap();
}

#[test]
fn refuses_more_values_of_an_enum_type_that_both_builds_use() {
    let moods = |name: &str, labels: &[&str]| {
        table(
            "moods",
            vec![column(name, ColumnType::Text), mood("mood_a", labels)],
        )
    };
    let one = first(&[moods("title", &["happy"])]);
    let mut next = moods("heading", &["happy", "sad"]);
    next.columns[1] = renamed("title", next.columns[1].clone());
    let error = expand(one.snapshot.as_ref(), &schema(&[next]), &[]).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("moods.mood: its enum type gets more values"),
        "{error}"
    );
}
