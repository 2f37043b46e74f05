//! Tests of migrations that take another role: the role holds until the end of the step, and kit's own tables belong to the role
//! of the connection.

use kit_test_postgres as support;

use kit_database::Migration;
use kit_migrate::{MigrateError, Options, apply};

use support::{execute, own_server, query};

#[allow(clippy::result_large_err)] // a test looks at one at a time
fn run(url: &str, all: &[&str]) -> Result<usize, MigrateError> {
    let migrations: Vec<Migration> = all
        .iter()
        .enumerate()
        .map(|(at, sql)| Migration {
            name: format!("2026010100000{at}_step"),
            sql: (*sql).to_owned(),
            destructive: false,
            changes: Vec::new(),
            snapshot: None,
        })
        .collect();
    apply(url, &migrations, &Options::default()).map(|report| report.applied.len())
}

const OWNERS: &str =
    "SELECT tablename || ' ' || tableowner FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename";

#[test]
fn a_role_that_a_migration_takes_ends_with_its_step() {
    let Some(server) = own_server("a_role_that_a_migration_takes_ends_with_its_step", &[], &[]) else {
        return;
    };
    let url = server.url();
    execute(
        &url,
        "CREATE ROLE shop_owner; CREATE ROLE migrator LOGIN; GRANT shop_owner TO migrator; \
         GRANT ALL ON SCHEMA public TO migrator, shop_owner",
    );
    let (_, rest) = url.split_once('@').expect("a URL with a user");
    let migrations = [
        "SET ROLE shop_owner; CREATE TABLE a ();",
        "CREATE TABLE b ();",
        "SET LOCAL ROLE shop_owner; CREATE TABLE c (id integer);",
        "SET ROLE shop_owner; CREATE TABLE d (id integer);\n-- kit: new transaction\nCREATE TABLE e ();\n\
         -- kit: outside transaction\nSET ROLE shop_owner;",
        "-- kit: in batches\nUPDATE d SET id = 1 WHERE id IS NULL;",
    ];
    assert_eq!(
        run(&format!("postgres://migrator@{rest}"), &migrations).unwrap(),
        5
    );
    assert_eq!(
        query(&url, OWNERS),
        [
            "a shop_owner",
            "b migrator",
            "c shop_owner",
            "d shop_owner",
            "e migrator",
            "kit_migration_progress migrator",
            "kit_migrations migrator"
        ]
    );
    // A superuser may take another session role too.
    assert_eq!(
        run(
            &url,
            &[
                &migrations[..],
                &[
                    "SET SESSION AUTHORIZATION shop_owner; CREATE TABLE f ();",
                    "CREATE TABLE g ();"
                ]
            ]
            .concat()
        )
        .unwrap(),
        2
    );
    assert_eq!(query(&url, OWNERS)[5..7], ["f shop_owner", "g postgres"]);
}

#[test]
fn the_role_of_the_connection_stays() {
    let Some(server) = own_server("the_role_of_the_connection_stays", &[], &[]) else {
        return;
    };
    let url = server.url();
    execute(
        &url,
        "CREATE ROLE shop_owner; CREATE ROLE other; GRANT ALL ON SCHEMA public TO shop_owner, other",
    );
    let with_role = format!("{url}?options=-c%20role%3Dshop_owner");
    let migrations = ["RESET ROLE; CREATE TABLE a ();", "CREATE TABLE b ();"];
    assert_eq!(run(&with_role, &migrations).unwrap(), 2);
    assert_eq!(
        query(&url, OWNERS),
        ["a shop_owner", "b shop_owner", "kit_migrations shop_owner"]
    );
}
