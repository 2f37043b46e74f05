//! Tests of an older release with the database of a later release.

use kit_test_postgres as support;

use kit_database::{Column, ColumnType, Migration, Schema, Table, plan};
use kit_migrate::{Half, MigrateError, State, status};

use crate::two_builds::{SPLIT, clean, column, first, in_two_halves, next_people, people, run};
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
