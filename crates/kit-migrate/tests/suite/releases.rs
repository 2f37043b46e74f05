//! Tests of an older release with the database of a later release.

use kit_test_postgres as support;

use kit_database::{Column, ColumnType, Migration, Schema, Table, plan};
use kit_migrate::{Half, MigrateError, State, status};

use crate::two_builds::{SPLIT, clean, column, first, in_two_halves, next_people, people, run, with_states};
use support::{execute, on_each_release};

/// Returns the migration of a release that changes the table.
fn next(before: &Migration, table: Table) -> Migration {
    let previous = before.snapshot.as_ref();
    let plan = plan(previous, &Schema { tables: vec![table] }).expect("a plan");
    Migration::create("20260101000002", "next", &plan, previous).expect("a migration")
}

fn is_up_to_date(url: &str, migrations: &[Migration]) -> bool {
    status(url, migrations).expect("a status").is_up_to_date()
}

#[test]
fn an_older_release_accepts_later_migrations_with_which_it_can_work() {
    on_each_release(
        "an_older_release_accepts_later_migrations_with_which_it_can_work",
        |database| {
            let one = first(&[people()]);
            let mut wider = people();
            wider.columns.push(Column {
                nullable: true,
                ..column("note", ColumnType::Text)
            });
            let all = [one.clone(), next(&one, wider)];
            run(&database.url, &all, Half::Both).expect("both migrations");
            let found = status(&database.url, &all[..1]).expect("a status");
            let states = found.migrations.iter().map(|migration| &migration.state);
            let states: Vec<&State> = states.collect();
            assert!(
                matches!(states[..], [State::Applied { .. }, State::Later { .. }]),
                "{states:?}"
            );
            assert!(found.is_up_to_date(), "{found:?}");
            for half in [Half::Both, Half::First] {
                let report = run(&database.url, &all[..1], half).expect("no error");
                assert_eq!(report.applied, []);
                assert!(
                    report
                        .warnings
                        .iter()
                        .any(|warning| warning.contains("20260101000002_next")),
                    "{:?}",
                    report.warnings
                );
            }
        },
    );
}

#[test]
fn an_older_release_refuses_later_migrations_with_which_it_may_fail() {
    on_each_release(
        "an_older_release_refuses_later_migrations_with_which_it_may_fail",
        |database| {
            let one = first(&[people()]);
            let all = [one.clone(), in_two_halves(2, &one, &[next_people()], &SPLIT)];
            run(&database.url, &all[..1], Half::Both).expect("the first migration");
            run(&database.url, &all, Half::First).expect("the first half");
            // Between the halves, the older release works.
            run(&database.url, &all[..1], Half::Both).expect("no error");
            assert!(is_up_to_date(&database.url, &all[..1]));
            run(&database.url, &all, Half::Second).expect("the second half");
            assert!(!is_up_to_date(&database.url, &all[..1]));
            let error = run(&database.url, &all[..1], Half::Both).expect_err("an error");
            let MigrateError::LaterRelease { changes } = &error else {
                panic!("{error}");
            };
            assert!(
                changes[0].starts_with("20260101000002_next: ")
                    && changes[0].contains("replace people (name) by"),
                "{changes:?}"
            );
            clean(&database.url, &all);
        },
    );
}

#[test]
fn an_older_release_refuses_rows_with_values_that_it_does_not_know() {
    on_each_release(
        "an_older_release_refuses_rows_with_values_that_it_does_not_know",
        |database| {
            let url = database.url.as_str();
            let one = first(&[with_states(people(), &["open", "shut"])]);
            run(url, std::slice::from_ref(&one), Half::Both).expect("the first migration");
            let mut optional = with_states(people(), &["open", "shut"]);
            optional.columns[1].nullable = true;
            let more = with_states(people(), &["open", "shut", "new"]);
            for (table, change) in [
                (optional, "let people.name be null"),
                (more, "limit the values of people.state"),
                (people(), "drop constraint people_state_check of people"),
            ] {
                let all = [one.clone(), next(&one, table)];
                run(url, &all, Half::First).expect("a change with which the running application works");
                let error = run(url, &all[..1], Half::Both).expect_err("an error");
                let MigrateError::LaterRelease { changes } = &error else {
                    panic!("{error}");
                };
                assert_eq!(*changes, [format!("20260101000002_next: {change}")]);
                execute(
                    url,
                    "DELETE FROM kit_migrations WHERE name = '20260101000002_next';
                     ALTER TABLE people ALTER name SET NOT NULL, DROP CONSTRAINT IF EXISTS people_state_check,
                     ADD CONSTRAINT people_state_check CHECK (state IN ('open', 'shut'))",
                );
            }
        },
    );
}

#[test]
fn an_older_release_judges_hand_written_statements() {
    on_each_release("an_older_release_judges_hand_written_statements", |database| {
        let url = database.url.as_str();
        let one = first(&[people()]);
        run(url, std::slice::from_ref(&one), Half::Both).expect("the first migration");
        for (sql, breaks) in [
            ("ALTER TABLE people ALTER name DROP NOT NULL", true),
            ("ALTER TABLE people ALTER state DROP DEFAULT", true),
            (
                "ALTER TABLE people ADD CONSTRAINT c CHECK (cents > 0) NOT VALID",
                true,
            ),
            ("CREATE TYPE mood AS ENUM ('a')", false),
            ("ALTER TYPE mood ADD VALUE 'b'", true),
        ] {
            let written = Migration {
                name: "20260101000002_written".to_owned(),
                sql: format!("{sql};\n"),
                destructive: false,
                changes: Vec::new(),
                snapshot: one.snapshot.clone(),
            };
            run(url, &[one.clone(), written], Half::Both).expect("both migrations");
            let result = run(url, std::slice::from_ref(&one), Half::Both);
            if breaks {
                let error = result.expect_err(sql).to_string();
                assert!(error.contains(&sql[..20]), "{error}");
            } else {
                result.expect(sql);
            }
            execute(
                url,
                "DELETE FROM kit_migrations WHERE name = '20260101000002_written'",
            );
        }
    });
}

#[test]
fn an_older_release_does_not_trust_a_history_without_the_changes() {
    on_each_release(
        "an_older_release_does_not_trust_a_history_without_the_changes",
        |database| {
            let one = first(&[people()]);
            let mut wider = people();
            wider.columns.push(Column {
                nullable: true,
                ..column("note", ColumnType::Text)
            });
            let all = [one.clone(), next(&one, wider)];
            run(&database.url, &all, Half::Both).expect("both migrations");
            // A history of an earlier version of kit has no such column.
            execute(&database.url, "ALTER TABLE kit_migrations DROP COLUMN breaks");
            assert!(!is_up_to_date(&database.url, &all[..1]));
            let error = run(&database.url, &all[..1], Half::Both).expect_err("an error");
            assert!(matches!(error, MigrateError::Missing { .. }), "{error}");
            run(&database.url, &all, Half::Both).expect("no error");
        },
    );
}
