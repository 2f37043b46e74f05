//! Tests of columns whose type becomes `citext`.

use kit_test_postgres as support;

use kit_database::{ColumnType, ForeignKey, Index, Migration, Schema, Table, Unique, plan};
use kit_migrate::Half;

use crate::two_builds::{clean, column, first, run, table};
use support::{execute, on_each_release, query};

/// Returns users whose mail addresses are unique as far as the constraints and indexes say.
fn users(r#type: ColumnType, uniques: &[&str], condition: Option<&str>) -> Table {
    let unique = |name: &&str| Unique {
        name: format!("users_{name}_unique"),
        columns: vec![(*name).to_owned()],
    };
    let index = condition.map(|condition| Index {
        name: "users_mail_where".to_owned(),
        columns: vec!["mail".to_owned()],
        unique: true,
        condition: Some(condition.to_owned()),
        ..Index::default()
    });
    Table {
        uniques: uniques.iter().map(unique).collect(),
        indexes: index.into_iter().collect(),
        ..table(
            "users",
            vec![column("mail", r#type), column("active", ColumnType::Boolean)],
        )
    }
}

fn next(before: &Migration, tables: Vec<Table>) -> Migration {
    let previous = before.snapshot.as_ref();
    let plan = plan(previous, &Schema { tables }).unwrap_or_else(|error| panic!("{error}"));
    Migration::create("20260101000002", "next", &plan, previous).expect("a migration")
}

#[test]
fn refuses_a_text_without_case_before_any_change_if_a_unique_index_would_fail() {
    on_each_release(
        "refuses_a_text_without_case_before_any_change_if_a_unique_index_would_fail",
        |database| {
            let url = &database.url;
            // The constraint of the second case is new.
            for (before, after, condition) in [
                (&[][..], &[][..], Some("active")),
                (&[], &["mail"], None),
                (&["mail"], &["mail"], None),
            ] {
                let one = first(&[users(ColumnType::Text, before, condition)]);
                let all = [
                    one.clone(),
                    next(&one, vec![users(ColumnType::Citext, after, condition)]),
                ];
                run(url, &all[..1], Half::Both).expect("the first migration");
                execute(
                    url,
                    "INSERT INTO users (mail, active) VALUES ('a@x', true), ('A@x', true)",
                );
                let error = run(url, &all, Half::Both).expect_err("an error").to_string();
                assert!(
                    error.contains("two rows of users have the same values"),
                    "{error}"
                );
                assert!(
                    all[1].sql.contains("lower(mail::text)"),
                    "the check of the migration, not the index, finds the rows: {}",
                    all[1].sql
                );
                clean(url, &all[..1]);
                execute(url, "DELETE FROM users WHERE mail = 'A@x'");
                run(url, &all, Half::Both).expect("the second migration");
                clean(url, &all);
                assert_eq!(query(url, "SELECT mail FROM users WHERE mail = 'A@X'"), ["a@x"]);
                execute(
                    url,
                    "DROP TABLE users, kit_migrations, kit_migration_progress; DROP EXTENSION citext",
                );
            }
        },
    );
}

#[test]
fn refuses_a_text_without_case_if_the_condition_of_a_unique_index_uses_the_column() {
    let condition = Some("mail <> ''");
    for (from, to) in [
        (ColumnType::Text, ColumnType::Citext),
        (ColumnType::Citext, ColumnType::Text),
    ] {
        let one = first(&[users(from, &[], condition)]);
        let tables = vec![users(to, &[], condition)];
        let error = plan(one.snapshot.as_ref(), &Schema { tables }).expect_err("an error");
        assert!(
            error
                .to_string()
                .contains("the condition of the unique index users_mail_where uses the column"),
            "{error}"
        );
    }
}

#[test]
fn both_columns_of_a_foreign_key_become_texts_without_case() {
    on_each_release(
        "both_columns_of_a_foreign_key_become_texts_without_case",
        |database| {
            let url = &database.url;
            let tables = |r#type| {
                let members = table("members", vec![column("mail", r#type)]);
                let key = ForeignKey {
                    name: "members_mail_fk".to_owned(),
                    columns: vec!["mail".to_owned()],
                    table: "users".to_owned(),
                    targets: vec!["mail".to_owned()],
                    actions: kit_ir::ReferentialActions::default(),
                };
                vec![
                    users(r#type, &["mail"], None),
                    Table {
                        foreign_keys: vec![key],
                        ..members
                    },
                ]
            };
            let one = first(&tables(ColumnType::Text));
            let all = [one.clone(), next(&one, tables(ColumnType::Citext))];
            run(url, &all[..1], Half::Both).expect("the first migration");
            execute(
                url,
                "INSERT INTO users (mail, active) VALUES ('a@x', true); INSERT INTO members (mail) VALUES ('a@x')",
            );
            run(url, &all, Half::Both).expect("the second migration");
            clean(url, &all);
            execute(url, "INSERT INTO members (mail) VALUES ('A@X')");
        },
    );
}
