//! Tests of migrations in two halves that could lose a value, a constraint or an index.
#![allow(clippy::unwrap_used)] // a helper of a test may fail the test

use kit_test_postgres as support;

use kit_database::{
    Column, ColumnDefault, ColumnType, ForeignKey, Index, Migration, Table, Unique, Using, expand,
};
use kit_migrate::{Half, MigrateError, Options, State, apply, record, status};

use crate::two_builds::{
    ROWS, SPLIT, clean, column, first, in_two_halves, last_state, next_people, nullable, people, renamed,
    run, run_with, schema, table, with_default,
};
use support::{execute, on_each_release, own_server, query};

/// Returns the problems of a migration that cannot have two halves.
fn problems(before: &Migration, tables: &[Table], using: &[&str]) -> Vec<String> {
    let using: Vec<Using> = using.iter().map(|text| Using::parse(text).unwrap()).collect();
    let error = expand(before.snapshot.as_ref(), &schema(tables), &using).expect_err("problems");
    let all = error.problems.iter();
    all.map(|problem| format!("{}: {}", problem.place, problem.message))
        .collect()
}

#[test]
fn refuses_hand_written_objects_on_columns_that_go_away() {
    on_each_release(
        "refuses_hand_written_objects_on_columns_that_go_away",
        |database| {
            let url = database.url.as_str();
            let one = first(&[people()]);
            run(url, std::slice::from_ref(&one), Half::Both).unwrap();
            let all = [one.clone(), in_two_halves(2, &one, &[next_people()], &SPLIT)];
            let objects = [
                ("CREATE INDEX mine ON people (lower(name))", "DROP INDEX mine"),
                ("CREATE UNIQUE INDEX mine ON people (cents)", "DROP INDEX mine"),
                (
                    "ALTER TABLE people ADD CONSTRAINT mine CHECK (cents > -5)",
                    "ALTER TABLE people DROP CONSTRAINT mine",
                ),
                (
                    "GRANT SELECT (name) ON people TO PUBLIC",
                    "REVOKE SELECT (name) ON people FROM PUBLIC",
                ),
            ];
            for (create, remove) in objects {
                execute(url, create);
                let error = run(url, &all, Half::First).unwrap_err().to_string();
                assert!(
                    error.contains("cannot be removed, because these use the column"),
                    "{create}: {error}"
                );
                execute(url, remove);
            }
            run(url, &all, Half::First).unwrap();
            for (create, remove) in objects {
                execute(url, create);
                let error = run(url, &all, Half::Second).unwrap_err().to_string();
                assert!(
                    error.contains("cannot be removed, because these use the column"),
                    "{create}: {error}"
                );
                execute(url, remove);
                assert!(matches!(clean(url, &all), State::Expanded { .. }));
            }
            run(url, &all, Half::Second).unwrap();
            assert!(matches!(clean(url, &all), State::Applied { .. }));
        },
    );
}

#[test]
fn names_hand_written_indexes_and_checks_of_earlier_migrations() {
    on_each_release(
        "names_hand_written_indexes_and_checks_of_earlier_migrations",
        |database| {
            let one = first(&[people()]);
            let mut two =
                Migration::by_hand("20260101000002", "by hand", None, one.snapshot.as_ref()).unwrap();
            two.sql.push_str(
                "CREATE INDEX mine ON people (lower(name));\nALTER TABLE people ADD CONSTRAINT own CHECK (cents > -5);\n",
            );
            let mut all = vec![one, two];
            record(&database.url, &mut all, 1).unwrap();
            let found = problems(&all[1], &[next_people()], &SPLIT);
            let expected = [
                "people.name: the migration removes the column, and hand-written SQL uses it: index mine of people",
                "people.cents: the migration removes the column, and hand-written SQL uses it: constraint own of people",
            ];
            assert_eq!(found, expected);
        },
    );
}

#[test]
fn the_trigger_stays_until_the_old_columns_go() {
    on_each_release("the_trigger_stays_until_the_old_columns_go", |database| {
        let url = database.url.as_str();
        let one = first(&[people()]);
        run(url, std::slice::from_ref(&one), Half::Both).unwrap();
        execute(url, ROWS);
        let all = [one.clone(), in_two_halves(2, &one, &[next_people()], &SPLIT)];
        run(url, &all, Half::First).unwrap();
        let second = all[1].sql.split("-- kit: contract").nth(1).unwrap();
        let trigger = second.find("DROP TRIGGER").unwrap();
        let step = &second[trigger..];
        let step = &step[..step.find("-- kit:").unwrap_or(step.len())];
        assert!(step.contains("DROP COLUMN"), "{step}");
        assert!(!second[..trigger].contains("DROP COLUMN"), "{second}");
        assert!(second[..trigger].contains("VALIDATE CONSTRAINT"), "{second}");
        // A view stops the removal of the columns, and both builds go on.
        execute(url, "CREATE VIEW mine AS SELECT state FROM people");
        run(url, &all, Half::Second).unwrap_err();
        execute(url, "INSERT INTO people (name, cents) VALUES ('Bob Old', 1001)");
        execute(
            url,
            "INSERT INTO people (first_name, last_name, amount) VALUES ('Cy', 'New', '1002')",
        );
        assert_eq!(
            query(
                url,
                "SELECT concat_ws('|', name, amount) FROM people WHERE cents > 1000 ORDER BY cents"
            ),
            ["Bob Old|1001", "Cy New|1002"]
        );
        execute(url, "DROP VIEW mine");
        run(url, &all, Half::Second).unwrap();
        assert!(matches!(clean(url, &all), State::Applied { .. }));
    });
}

#[test]
fn an_older_release_refuses_a_migration_that_a_later_release_has_begun() {
    on_each_release(
        "an_older_release_refuses_a_migration_that_a_later_release_has_begun",
        |database| {
            let url = database.url.as_str();
            let one = first(&[people()]);
            run(url, std::slice::from_ref(&one), Half::Both).unwrap();
            execute(url, ROWS);
            let two = in_two_halves(2, &one, &[next_people()], &SPLIT);
            let refused = |half| {
                let own = std::slice::from_ref(&one);
                assert!(!status(url, own).unwrap().is_up_to_date());
                let error = run(url, own, half).unwrap_err();
                assert!(
                    matches!(&error, MigrateError::LaterReleaseRuns { names } if *names == [two.name.clone()]),
                    "{error}"
                );
            };
            // Stops in the first half.
            let (before, after) = two.sql.split_once("-- kit: contract").unwrap();
            let broken = Migration {
                sql: format!("{before}\n-- kit: new transaction\nSELECT 1 / 0;\n-- kit: contract{after}"),
                ..two.clone()
            };
            run(url, &[one.clone(), broken.clone()], Half::First).unwrap_err();
            refused(Half::Both);
            refused(Half::First);
            run(url, &[one.clone(), broken], Half::Undo).unwrap();
            // Between the halves, the older release works.
            let all = [one.clone(), two.clone()];
            run(url, &all, Half::First).unwrap();
            run(url, &all[..1], Half::Both).unwrap();
            // Stops in the second half.
            let broken = Migration {
                sql: two.sql.replacen(
                    "/* kit: abort",
                    "-- kit: new transaction\nSELECT 1 / 0;\n\n/* kit: abort",
                    1,
                ),
                ..two.clone()
            };
            run_with(url, &[one.clone(), broken], Half::Second, true).unwrap_err();
            refused(Half::Both);
            run(url, &all, Half::Second).unwrap();
        },
    );
}

#[test]
fn an_abort_keeps_values_that_only_the_new_columns_contain() {
    on_each_release(
        "an_abort_keeps_values_that_only_the_new_columns_contain",
        |database| {
            let url = database.url.as_str();
            let one = first(&[people()]);
            run(url, std::slice::from_ref(&one), Half::Both).unwrap();
            let all = [one.clone(), in_two_halves(2, &one, &[next_people()], &SPLIT)];
            run(url, &all, Half::First).unwrap();
            execute(
                url,
                "INSERT INTO people (first_name, last_name, amount) VALUES ('Mary Ann', 'Dee', '7')",
            );
            let error = run(url, &all, Half::Undo).unwrap_err();
            assert!(
                matches!(&error, MigrateError::UndoLoses { places, .. }
                if places == &["some values of people.first_name", "some values of people.last_name"]),
                "{error}"
            );
            assert!(matches!(clean(url, &all), State::Expanded { .. }));
            run_with(url, &all, Half::Undo, true).unwrap();
            assert!(matches!(clean(url, &all), State::Pending { .. }));
        },
    );
}

#[test]
fn an_abort_without_statements_is_refused() {
    on_each_release("an_abort_without_statements_is_refused", |database| {
        let url = database.url.as_str();
        let one = first(&[people()]);
        run(url, std::slice::from_ref(&one), Half::Both).unwrap();
        let two = in_two_halves(2, &one, &[next_people()], &SPLIT);
        let (sql, _) = two.sql.split_once("/* kit: abort").unwrap();
        let edited = Migration {
            sql: sql.to_owned(),
            ..two
        };
        let all = [one, edited];
        run(url, &all, Half::First).unwrap();
        let error = run(url, &all, Half::Undo).unwrap_err();
        assert!(matches!(error, MigrateError::NoAbort { .. }), "{error}");
        assert!(matches!(last_state(url, &all), State::Expanded { .. }));
    });
}

#[test]
fn refuses_columns_that_do_not_show_which_build_inserted_a_row() {
    let before = table("people", vec![nullable(column("code", ColumnType::Text))]);
    let one = first(&[before]);
    let token = Column {
        default: Some(ColumnDefault::RandomUuid),
        ..column("token", ColumnType::Uuid)
    };
    let using = ["people.token=code::uuid", "people.code=token::text"];
    let found = problems(&one, &[table("people", vec![token])], &using);
    assert!(
        found
            .iter()
            .any(|problem| problem.starts_with("people.token: the database gives each row its own value")),
        "{found:?}"
    );
    let slug = nullable(column("slug", ColumnType::Text));
    let mut next = people();
    next.columns.remove(2);
    let found = problems(
        &first(&[people()]),
        &[Table {
            columns: next.columns.iter().cloned().chain([slug]).collect(),
            ..next.clone()
        }],
        &["people.cents=0", "people.slug=lower(name)"],
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("people.slug: `--using` gives"), "{found:?}");
    let kind = with_default(column("kind", ColumnType::Text), "x");
    next.columns.push(kind);
    let found = problems(
        &first(&[people()]),
        &[next],
        &["people.cents=0", "people.kind='y'"],
    );
    assert!(found[0].starts_with("people.kind: `--using` gives"), "{found:?}");
}

#[test]
fn constraints_and_indexes_may_keep_their_names() {
    on_each_release("constraints_and_indexes_may_keep_their_names", |database| {
        let url = database.url.as_str();
        let named = |table: Table, column: &str| Table {
            uniques: vec![Unique {
                name: "one_person".to_owned(),
                columns: vec![column.to_owned()],
            }],
            indexes: vec![
                Index {
                    name: "by_person".to_owned(),
                    columns: vec![column.to_owned(), "id".to_owned()],
                    ..Index::default()
                },
                Index {
                    name: "given".to_owned(),
                    columns: vec!["id".to_owned()],
                    unique: true,
                    condition: Some(format!("{column} <> ''")),
                    ..Index::default()
                },
            ],
            ..table
        };
        let one = first(&[named(
            table("people", vec![column("name", ColumnType::Text)]),
            "name",
        )]);
        run(url, std::slice::from_ref(&one), Half::Both).unwrap();
        execute(url, "INSERT INTO people (name) VALUES ('a'), ('b')");
        let title = renamed("name", column("title", ColumnType::Text));
        let next = named(table("people", vec![title]), "title");
        let found = expand(one.snapshot.as_ref(), &schema(std::slice::from_ref(&next)), &[]);
        // The condition of the unique index `given` changes, and the columns do not.
        assert!(found.is_err());
        let without = |mut table: Table| {
            table.indexes.truncate(1);
            table
        };
        execute(
            url,
            "DROP TABLE people; DROP TABLE kit_migrations; DROP TABLE IF EXISTS kit_migration_progress",
        );
        let one = first(&[without(named(
            table("people", vec![column("name", ColumnType::Text)]),
            "name",
        ))]);
        run(url, std::slice::from_ref(&one), Half::Both).unwrap();
        let all = [one.clone(), in_two_halves(2, &one, &[without(next)], &[])];
        run(url, &all, Half::First).unwrap();
        assert!(matches!(clean(url, &all), State::Expanded { .. }));
        let indexes = "SELECT indexname || ' ' || split_part(indexdef, 'btree ', 2) FROM pg_indexes WHERE tablename = 'people' ORDER BY 1";
        assert_eq!(
            query(url, indexes),
            [
                "by_person (name, id)",
                "by_person_next (title, id)",
                "one_person (name)",
                "one_person_next (title)",
                "people_pkey (id)"
            ]
        );
        run(url, &all, Half::Undo).unwrap();
        assert!(matches!(clean(url, &all), State::Pending { .. }));
        run(url, &all, Half::First).unwrap();
        run(url, &all, Half::Second).unwrap();
        assert!(matches!(clean(url, &all), State::Applied { .. }));
        assert_eq!(
            query(url, indexes),
            ["by_person (title, id)", "one_person (title)", "people_pkey (id)"]
        );
    });
}

#[test]
fn refuses_another_target_of_a_foreign_key_and_a_new_unique_index() {
    let shop = |name: &str| table(name, Vec::new());
    let refer = |target: &str, name: &str| Table {
        foreign_keys: vec![ForeignKey {
            name: "orders_shop_id_id_fk".to_owned(),
            columns: vec!["shop_id".to_owned()],
            table: target.to_owned(),
            targets: vec!["id".to_owned()],
            actions: kit_ir::ReferentialActions::default(),
        }],
        ..table(
            "orders",
            vec![
                column("shop_id", ColumnType::Uuid),
                column(name, ColumnType::Text),
            ],
        )
    };
    let one = first(&[shop("shops"), shop("stores"), refer("shops", "note")]);
    let mut next = refer("stores", "text");
    next.columns[2] = renamed("note", next.columns[2].clone());
    let found = problems(&one, &[shop("shops"), shop("stores"), next.clone()], &[]);
    assert!(found[0].contains("its foreign keys change"), "{found:?}");
    let mut same = refer("shops", "text");
    same.columns[2] = next.columns[2].clone();
    same.indexes.push(Index {
        name: "orders_shop_id_unique".to_owned(),
        columns: vec!["shop_id".to_owned()],
        unique: true,
        condition: Some("shop_id IS NOT NULL".to_owned()),
        ..Index::default()
    });
    let found = problems(&one, &[shop("shops"), shop("stores"), same], &[]);
    assert!(found[0].contains("its unique constraints change"), "{found:?}");
}

#[test]
fn sessions_whose_beginning_the_role_cannot_see_are_unknown() {
    const TEST: &str = "sessions_whose_beginning_the_role_cannot_see_are_unknown";
    let Some(server) = own_server(TEST, &[], &[]) else {
        return;
    };
    let url = server.url();
    let url = url.as_str();
    let one = first(&[people()]);
    run(url, std::slice::from_ref(&one), Half::Both).unwrap();
    let all = [one.clone(), in_two_halves(2, &one, &[next_people()], &SPLIT)];
    run(url, &all, Half::First).unwrap();
    execute(
        url,
        "CREATE ROLE kit_plain LOGIN; GRANT ALL ON SCHEMA public TO kit_plain; \
         ALTER TABLE people OWNER TO kit_plain; ALTER TABLE kit_migrations OWNER TO kit_plain; \
         ALTER TABLE kit_migration_progress OWNER TO kit_plain",
    );
    let (_, rest) = url.split_once('@').unwrap();
    let limited = format!("postgres://kit_plain@{rest}");
    support::with_client(url, async |client| {
        client
            .batch_execute("SET application_name = 'old build'")
            .await
            .unwrap();
        let all = all.clone();
        let error = std::thread::spawn(move || {
            apply(
                &limited,
                &all,
                &Options {
                    half: Half::Second,
                    ..Options::default()
                },
            )
            .unwrap_err()
        })
        .join()
        .unwrap();
        assert!(
            matches!(&error, MigrateError::OldSessions { sessions, .. } if sessions[0].contains("pg_read_all_stats")),
            "{error}"
        );
        client.batch_execute("SELECT 1").await.unwrap();
    });
}
