//! Tests of values in migrations in two halves: defaults, nulls, and texts that differ only in case.
#![allow(clippy::unwrap_used)] // a helper of a test may fail the test

use kit_test_postgres as support;

use kit_database::{Column, ColumnDefault, ColumnType};
use kit_ir::LiteralValue;
use kit_migrate::{Half, State};

use crate::two_builds::{clean, column, first, in_two_halves, nullable, renamed, run, table, with_default};
use support::{execute, on_each_release, query};

#[test]
fn defaults_of_both_builds_that_differ_stop_the_first_half() {
    on_each_release(
        "defaults_of_both_builds_that_differ_stop_the_first_half",
        |database| {
            let url = database.url.as_str();
            let number = |name, default| Column {
                default: Some(ColumnDefault::Literal(LiteralValue::Number(default))),
                ..column(name, ColumnType::Integer)
            };
            let one = first(&[table("people", vec![number("cents", 5.0)])]);
            run(url, std::slice::from_ref(&one), Half::Both).unwrap();
            let next = |default: &str| {
                let amount = with_default(column("amount", ColumnType::Text), default);
                in_two_halves(2, &one, &[table("people", vec![renamed("cents", amount)])], &[])
            };
            let error = run(url, &[one.clone(), next("7")], Half::First)
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("the defaults of the old and the new columns differ (people.cents: amount)"),
                "{error}"
            );
            let all = [one.clone(), next("5")];
            run(url, &all, Half::First).unwrap();
            execute(url, "INSERT INTO people (cents) VALUES (5), (6)");
            execute(url, "INSERT INTO people (amount) VALUES ('5'), ('8')");
            execute(url, "INSERT INTO people DEFAULT VALUES");
            assert_eq!(
                query(url, "SELECT cents || '|' || amount FROM people ORDER BY 1"),
                ["5|5", "5|5", "5|5", "6|6", "8|8"]
            );
            run(url, &all, Half::Second).unwrap();
            assert!(matches!(clean(url, &all), State::Applied { .. }));
        },
    );
}

#[test]
fn nulls_that_an_expression_changes_stop_the_first_half() {
    on_each_release(
        "nulls_that_an_expression_changes_stop_the_first_half",
        |database| {
            let url = database.url.as_str();
            let one = first(&[table("people", vec![nullable(column("code", ColumnType::Text))])]);
            run(url, std::slice::from_ref(&one), Half::Both).unwrap();
            let next = table("people", vec![nullable(column("slug", ColumnType::Text))]);
            let using = ["people.slug=coalesce(code, '-')", "people.code=nullif(slug, '-')"];
            let all = [one.clone(), in_two_halves(2, &one, &[next], &using)];
            let error = run(url, &all, Half::First).unwrap_err().to_string();
            assert!(error.contains("does not show which build"), "{error}");
        },
    );
}

#[test]
fn texts_of_citext_keep_their_case() {
    on_each_release("texts_of_citext_keep_their_case", |database| {
        let url = database.url.as_str();
        let one = first(&[table(
            "people",
            vec![
                column("email", ColumnType::Text),
                column("nick", ColumnType::Citext),
            ],
        )]);
        run(url, std::slice::from_ref(&one), Half::Both).unwrap();
        execute(url, "INSERT INTO people (email, nick) VALUES ('A@x', 'Nick')");
        let next = table(
            "people",
            vec![
                renamed("email", column("mail", ColumnType::Citext)),
                renamed("nick", column("alias", ColumnType::Citext)),
            ],
        );
        let all = [one.clone(), in_two_halves(2, &one, &[next], &[])];
        run(url, &all, Half::First).unwrap();
        let both = "SELECT concat_ws('|', email, mail, nick, alias) FROM people";
        execute(url, "UPDATE people SET email = 'a@X', nick = 'nICK'");
        assert_eq!(query(url, both), ["a@X|a@X|nICK|nICK"]);
        execute(url, "UPDATE people SET mail = 'A@X', alias = 'NICK'");
        assert_eq!(query(url, both), ["A@X|A@X|NICK|NICK"]);
        run(url, &all, Half::Second).unwrap();
        assert!(matches!(clean(url, &all), State::Applied { .. }));
    });
}

#[test]
fn the_first_citext_column_can_be_computed() {
    on_each_release("the_first_citext_column_can_be_computed", |database| {
        let url = database.url.as_str();
        let one = first(&[table("people", vec![column("email", ColumnType::Text)])]);
        run(url, std::slice::from_ref(&one), Half::Both).unwrap();
        execute(url, "INSERT INTO people (email) VALUES ('A@x')");
        let next = table("people", vec![column("mail", ColumnType::Citext)]);
        let using = ["people.mail=email", "people.email=mail"];
        let all = [one.clone(), in_two_halves(2, &one, &[next], &using)];
        run(url, &all, Half::First).unwrap();
        execute(url, "UPDATE people SET email = 'a@X'");
        run(url, &all, Half::Second).unwrap();
        assert_eq!(query(url, "SELECT mail::text FROM people"), ["a@X"]);
    });
}
