//! Tests of migrations in two halves: two builds of an application use the same tables between the halves.
#![allow(clippy::unwrap_used)] // a helper of a test may fail the test

use kit_test_postgres as support;

use kit_database::{Column, ColumnType, Index, Migration, Snapshot, Table, Using, expand, plan};
use kit_migrate::{Half, MigrateError, State};

use crate::two_builds::{
    ROWS, SPLIT, clean, column, first, in_two_halves, last_state, next_people, people, renamed, run,
    run_with, schema, with_states,
};
use support::{execute, on_each_release, query};

#[test]
fn both_builds_read_what_the_other_build_writes() {
    on_each_release("both_builds_read_what_the_other_build_writes", |database| {
        let url = database.url.as_str();
        let one = first(&[people()]);
        run(url, std::slice::from_ref(&one), Half::Both).unwrap();
        execute(url, ROWS);
        let all = [one.clone(), in_two_halves(2, &one, &[next_people()], &SPLIT)];
        assert!(!all[1].destructive);
        let report = run(url, &all, Half::First).unwrap();
        assert_eq!(report.applied.len(), 1);
        assert!(matches!(clean(url, &all), State::Expanded { .. }));
        let both =
            "SELECT concat_ws('|', name, cents, state, first_name, last_name, amount, status) FROM people";
        assert_eq!(
            query(url, &format!("{both} WHERE cents = 7")),
            ["Ada L7|7|open|Ada|L7|7|open"]
        );
        assert_eq!(
            query(
                url,
                "SELECT count(*) FROM people WHERE amount = cents::text AND status = state AND name = first_name || ' ' || last_name"
            ),
            ["500"]
        );
        // The old build inserts and updates.
        execute(
            url,
            "INSERT INTO people (name, cents, state) VALUES ('Bob Old', 1001, 'shut')",
        );
        execute(url, "INSERT INTO people (name, cents) VALUES ('Bob', 1002)");
        execute(
            url,
            "UPDATE people SET name = 'Eve New', cents = 2003 WHERE cents = 3",
        );
        // The new build inserts and updates.
        execute(
            url,
            "INSERT INTO people (first_name, last_name, amount, status) VALUES ('Cy', 'Dee', '1003', 'new')",
        );
        execute(
            url,
            "INSERT INTO people (first_name, last_name, amount) VALUES ('Cy', '', '1004')",
        );
        execute(
            url,
            "UPDATE people SET last_name = 'Zed', amount = '2004', status = 'gone' WHERE amount = '4'",
        );
        let expected = [
            "Bob Old|1001|shut|Bob|Old|1001|shut",
            "Bob|1002|open|Bob||1002|open",
            "Cy Dee|1003|new|Cy|Dee|1003|new",
            "Cy|1004|open|Cy||1004|open",
            "Eve New|2003|open|Eve|New|2003|open",
            "Ada Zed|2004|gone|Ada|Zed|2004|gone",
        ];
        assert_eq!(
            query(url, &format!("{both} WHERE cents > 1000 ORDER BY cents")),
            expected
        );
        let report = run(url, &all, Half::Second).unwrap();
        assert_eq!(report.applied[0].half, Half::Second);
        assert!(matches!(clean(url, &all), State::Applied { .. }));
        assert_eq!(query(url, "SELECT count(*) FROM people"), ["504"]);
        assert_eq!(
            query(
                url,
                "SELECT count(*) FROM pg_proc WHERE proname LIKE 'zz_kit%' UNION ALL SELECT count(*) FROM kit_migration_progress"
            ),
            ["0", "0"]
        );
        execute(
            url,
            "INSERT INTO people (first_name, last_name, amount) VALUES ('a', 'b', '3')",
        );
    });
}

#[test]
fn an_abort_goes_back_to_the_tables_of_the_old_build() {
    on_each_release("an_abort_goes_back_to_the_tables_of_the_old_build", |database| {
        let url = database.url.as_str();
        let one = first(&[people()]);
        run(url, std::slice::from_ref(&one), Half::Both).unwrap();
        execute(url, ROWS);
        let all = [one.clone(), in_two_halves(2, &one, &[next_people()], &SPLIT)];
        assert!(matches!(
            run(url, &all, Half::Undo),
            Err(MigrateError::NotExpanded)
        ));
        assert!(matches!(
            run(url, &all, Half::Second),
            Err(MigrateError::NotExpanded)
        ));
        run(url, &all, Half::First).unwrap();
        execute(
            url,
            "INSERT INTO people (first_name, last_name, amount, status) VALUES ('Cy', 'Dee', '1003', 'new')",
        );
        let report = run(url, &all, Half::Undo).unwrap();
        assert_eq!(report.applied[0].half, Half::Undo);
        assert!(matches!(clean(url, &all), State::Pending { .. }));
        assert_eq!(
            query(
                url,
                "SELECT concat_ws('|', name, cents, state) FROM people WHERE cents > 1000"
            ),
            ["Cy Dee|1003|new"]
        );
        // The same migration can be expanded again, and completed.
        run(url, &all, Half::First).unwrap();
        run(url, &all, Half::Second).unwrap();
        assert!(matches!(clean(url, &all), State::Applied { .. }));
        assert_eq!(query(url, "SELECT count(*) FROM people"), ["501"]);
    });
}

#[test]
fn nothing_else_is_applied_between_the_halves() {
    on_each_release("nothing_else_is_applied_between_the_halves", |database| {
        let url = database.url.as_str();
        let one = first(&[people()]);
        run(url, std::slice::from_ref(&one), Half::Both).unwrap();
        let two = in_two_halves(2, &one, &[next_people()], &SPLIT);
        let mut wider = next_people();
        wider.columns.push(Column {
            nullable: true,
            ..column("note", ColumnType::Text)
        });
        let later = plan(two.snapshot.as_ref(), &schema(&[wider])).unwrap();
        let three = Migration::create("20260101000003", "later", &later, two.snapshot.as_ref()).unwrap();
        let all = [one, two, three];
        let report = run(url, &all, Half::First).unwrap();
        assert_eq!(report.waiting, ["20260101000003_later"]);
        let error = run(url, &all, Half::Both).unwrap_err();
        assert!(matches!(error, MigrateError::Expanded { .. }), "{error}");
        let report = run(url, &all, Half::First).unwrap();
        assert_eq!(report.applied, []);
        assert_eq!(report.expanded.as_deref(), Some("20260101000002_next"));
        run(url, &all, Half::Second).unwrap();
        run(url, &all, Half::First).unwrap();
        assert!(matches!(clean(url, &all), State::Applied { .. }));
    });
}

#[test]
fn apply_runs_both_halves_of_a_migration_that_is_not_expanded() {
    on_each_release(
        "apply_runs_both_halves_of_a_migration_that_is_not_expanded",
        |database| {
            let url = database.url.as_str();
            let one = first(&[people()]);
            let all = [one.clone(), in_two_halves(2, &one, &[next_people()], &SPLIT)];
            // A new database has no application, so the first half alone is of no use.
            let report = run(url, &all, Half::First).unwrap();
            assert_eq!(report.applied.len(), 2);
            assert!(matches!(clean(url, &all), State::Applied { .. }));
        },
    );
}

#[test]
fn refuses_a_migration_without_halves_that_breaks_the_running_application() {
    on_each_release(
        "refuses_a_migration_without_halves_that_breaks_the_running_application",
        |database| {
            let url = database.url.as_str();
            let one = first(&[people()]);
            run(url, std::slice::from_ref(&one), Half::Both).unwrap();
            let mut next = people();
            next.columns[1] = renamed("name", column("title", ColumnType::Varchar { length: 100 }));
            let plain = plan(one.snapshot.as_ref(), &schema(&[next])).unwrap();
            let two = Migration::create("20260101000002", "plain", &plain, one.snapshot.as_ref()).unwrap();
            let error = run(url, &[one, two], Half::First).unwrap_err();
            assert!(matches!(error, MigrateError::BreaksRunningApp { .. }), "{error}");
        },
    );
}

#[test]
fn refuses_a_migration_after_which_writes_of_the_running_application_fail() {
    on_each_release(
        "refuses_a_migration_after_which_writes_of_the_running_application_fail",
        |database| {
            let url = database.url.as_str();
            let mut table = with_states(people(), &["open", "shut"]);
            table.columns[1].nullable = true;
            let one = first(std::slice::from_ref(&table));
            run(url, std::slice::from_ref(&one), Half::Both).unwrap();
            let mut without_default = table.clone();
            without_default.columns[3].default = None;
            let mut required = table.clone();
            required.columns[1].nullable = false;
            let mut unique = table.clone();
            unique.uniques.push(kit_database::Unique {
                name: "people_name_key".to_owned(),
                columns: vec!["name".to_owned()],
            });
            let fewer = with_states(table.clone(), &["open"]);
            for next in [without_default, required, unique, fewer] {
                let plain = plan(one.snapshot.as_ref(), &schema(std::slice::from_ref(&next))).unwrap();
                let alternatives = plain.changes.iter().filter_map(|step| step.alternative.as_ref());
                assert_eq!(alternatives.count(), 0, "two halves cannot make this change");
                let error = expand(one.snapshot.as_ref(), &schema(&[next]), &[]).unwrap_err();
                assert!(error.to_string().contains("cannot share the tables"), "{error}");
                let two =
                    Migration::create("20260101000002", "plain", &plain, one.snapshot.as_ref()).unwrap();
                let error = run(url, &[one.clone(), two], Half::First).unwrap_err();
                assert!(matches!(error, MigrateError::BreaksRunningApp { .. }), "{error}");
            }
            // The running application does not read other values before a later one writes them.
            let mut optional = with_states(table, &["open", "shut", "new"]);
            optional.columns[2].nullable = true;
            let plain = plan(one.snapshot.as_ref(), &schema(&[optional])).unwrap();
            let two = Migration::create("20260101000002", "plain", &plain, one.snapshot.as_ref()).unwrap();
            run(url, &[one, two], Half::First).unwrap();
        },
    );
}

#[test]
fn the_second_half_stops_at_a_value_that_the_new_columns_do_not_contain() {
    on_each_release(
        "the_second_half_stops_at_a_value_that_the_new_columns_do_not_contain",
        |database| {
            let url = database.url.as_str();
            let one = first(&[people()]);
            run(url, std::slice::from_ref(&one), Half::Both).unwrap();
            execute(url, ROWS);
            let all = [one.clone(), in_two_halves(2, &one, &[next_people()], &SPLIT)];
            execute(url, "INSERT INTO people (name, cents) VALUES ('  odd  ', 900)");
            let error = run(url, &all, Half::First).unwrap_err().to_string();
            assert!(
                error.contains("the new columns cannot give back some values of people.name"),
                "{error}"
            );
            execute(url, "DELETE FROM people WHERE cents = 900");
            run(url, &all, Half::First).unwrap();
            execute(url, "INSERT INTO people (name, cents) VALUES ('  odd  ', 900)");
            let error = run(url, &all, Half::Second).unwrap_err().to_string();
            assert!(
                error.contains("the new columns do not contain some values of people.name"),
                "{error}"
            );
            assert!(matches!(last_state(url, &all), State::Expanded { .. }));
            execute(url, "UPDATE people SET name = 'odd' WHERE cents = 900");
            run(url, &all, Half::Second).unwrap();
        },
    );
}

#[test]
fn a_table_has_both_names_between_the_halves() {
    on_each_release("a_table_has_both_names_between_the_halves", |database| {
        let url = database.url.as_str();
        let one = first(&[people()]);
        run(url, std::slice::from_ref(&one), Half::Both).unwrap();
        execute(url, ROWS);
        let users = Table {
            name: "users".to_owned(),
            renamed_from: Some("people".to_owned()),
            indexes: vec![Index {
                name: "users_status_idx".to_owned(),
                columns: vec!["status".to_owned()],
                ..Index::default()
            }],
            ..next_people()
        };
        let all = [one.clone(), in_two_halves(2, &one, &[users], &SPLIT)];
        run(url, &all, Half::First).unwrap();
        assert!(matches!(clean(url, &all), State::Expanded { .. }));
        execute(
            url,
            "INSERT INTO users (first_name, last_name, amount) VALUES ('Cy', 'Dee', '1003') RETURNING id",
        );
        execute(url, "UPDATE users SET status = 'gone' WHERE amount = '1003'");
        assert_eq!(
            query(url, "SELECT name || state FROM people WHERE cents = 1003"),
            ["Cy Deegone"]
        );
        run(url, &all, Half::Undo).unwrap();
        assert!(matches!(clean(url, &all), State::Pending { .. }));
        run(url, &all, Half::First).unwrap();
        run(url, &all, Half::Second).unwrap();
        assert!(matches!(clean(url, &all), State::Applied { .. }));
        assert_eq!(query(url, "SELECT count(*) FROM users"), ["501"]);
    });
}

#[test]
fn columns_that_only_one_build_has_get_values() {
    on_each_release("columns_that_only_one_build_has_get_values", |database| {
        let url = database.url.as_str();
        let one = first(&[people()]);
        run(url, std::slice::from_ref(&one), Half::Both).unwrap();
        execute(url, ROWS);
        let mut next = people();
        next.columns.remove(2);
        next.columns.push(column("country", ColumnType::Text));
        let using = ["people.cents=0", "people.country='DE'"];
        let all = [one.clone(), in_two_halves(2, &one, &[next], &using)];
        assert!(all[1].destructive, "the column cents is lost");
        run(url, &all, Half::First).unwrap();
        assert!(matches!(clean(url, &all), State::Expanded { .. }));
        execute(url, "INSERT INTO people (name, cents) VALUES ('old', 1001)");
        execute(url, "INSERT INTO people (name, country) VALUES ('new', 'FR')");
        assert_eq!(
            query(
                url,
                "SELECT concat_ws('|', name, cents, country) FROM people WHERE name IN ('old', 'new', 'Ada L7') ORDER BY name"
            ),
            ["Ada L7|7|DE", "new|0|FR", "old|1001|DE"]
        );
        let error = run(url, &all, Half::Second).unwrap_err();
        assert!(matches!(error, MigrateError::Destructive { .. }), "{error}");
        let error = run(url, &all, Half::Undo).unwrap_err();
        assert!(
            matches!(&error, MigrateError::UndoLoses { places, .. } if places == &["people.country"]),
            "{error}"
        );
        run_with(url, &all, Half::Undo, true).unwrap();
        assert!(matches!(clean(url, &all), State::Pending { .. }));
        run(url, &all, Half::First).unwrap();
        run_with(url, &all, Half::Second, true).unwrap();
        assert!(matches!(clean(url, &all), State::Applied { .. }));
    });
}

#[test]
fn existing_rows_get_values_without_the_triggers_of_the_team() {
    on_each_release(
        "existing_rows_get_values_without_the_triggers_of_the_team",
        |database| {
            let url = database.url.as_str();
            let one = first(&[people()]);
            run(url, std::slice::from_ref(&one), Half::Both).unwrap();
            execute(
                url,
                &format!(
                    "{ROWS}; CREATE TABLE log (n integer); \
                 CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO log VALUES (1); RETURN NEW; END'; \
                 CREATE TRIGGER log AFTER UPDATE ON people FOR EACH ROW EXECUTE FUNCTION log()"
                ),
            );
            let all = [one.clone(), in_two_halves(2, &one, &[next_people()], &SPLIT)];
            run(url, &all, Half::First).unwrap();
            assert_eq!(query(url, "SELECT count(*) FROM log"), ["0"]);
            assert_eq!(
                query(url, "SELECT count(*) FROM people WHERE amount = cents::text"),
                ["500"]
            );
            execute(url, "UPDATE people SET cents = -cents WHERE cents = 1");
            assert_eq!(query(url, "SELECT count(*) FROM log"), ["1"]);
        },
    );
}

#[test]
fn the_second_half_waits_until_sessions_of_the_old_build_are_gone() {
    on_each_release(
        "the_second_half_waits_until_sessions_of_the_old_build_are_gone",
        |database| {
            let url = database.url.as_str();
            let one = first(&[people()]);
            run(url, std::slice::from_ref(&one), Half::Both).unwrap();
            let all = [one.clone(), in_two_halves(2, &one, &[next_people()], &SPLIT)];
            support::with_client(url, async |client| {
                client
                    .batch_execute("SET application_name = 'old build'")
                    .await
                    .unwrap();
                let (url, all) = (url.to_owned(), all.clone());
                let error = std::thread::spawn(move || {
                    run(&url, &all, Half::First).unwrap();
                    run(&url, &all, Half::Second).unwrap_err()
                })
                .join()
                .unwrap();
                assert!(
                    matches!(&error, MigrateError::OldSessions { sessions, .. } if sessions[0].contains("1 session of `old build`")),
                    "{error}"
                );
                client.batch_execute("SELECT 1").await.unwrap();
            });
            run(url, &all, Half::Second).unwrap();
        },
    );
}

#[test]
fn names_each_change_that_the_builds_cannot_share_and_each_missing_expression() {
    let one = first(&[people()]);
    let problems = |next: Table, using: &[&str]| -> Vec<String> {
        let using: Vec<Using> = using.iter().map(|text| Using::parse(text).unwrap()).collect();
        let error = expand(one.snapshot.as_ref(), &schema(&[next]), &using).unwrap_err();
        error
            .problems
            .iter()
            .map(|problem| format!("{}: {}", problem.place, problem.help))
            .collect()
    };
    let mut retyped = people();
    retyped.columns[2].r#type = ColumnType::Text;
    assert!(problems(retyped, &[])[0].contains("`@column cents_next @renamedFrom cents`"));
    let missing = problems(next_people(), &SPLIT[..2]);
    assert_eq!(missing.len(), 1, "{missing:?}");
    assert!(missing[0].starts_with("people.name: add `--using \"people.name=<SQL>\"`"));
    assert!(problems(next_people(), &["people.nothing=1"])[0].starts_with("people.nothing: "));
    let mut looser = next_people();
    looser.columns[0].default = None;
    assert!(
        problems(looser, &SPLIT)
            .iter()
            .any(|problem| problem.starts_with("people.id: "))
    );
    assert!(problems(people(), &[])[0].contains("leave out `--expand`"));
    assert_eq!(
        Snapshot::from_json(&one.snapshot.as_ref().unwrap().to_json()).unwrap(),
        *one.snapshot.as_ref().unwrap()
    );
}
