//! Tests of the schemas in which migrations and the history of kit are.

use kit_test_postgres as support;

use kit_migrate::{Half, MigrateError, State, drift};

use crate::two_builds::{clean, first, run, table};
use support::{execute, on_each_release, own_server, query};

#[test]
fn apply_refuses_a_first_schema_that_names_of_tables_contain() {
    on_each_release(
        "apply_refuses_a_first_schema_that_names_of_tables_contain",
        |database| {
            let url = &database.url;
            let migrations = [first(&[table("billing.invoices", Vec::new())])];
            execute(url, "CREATE SCHEMA billing");
            let other = format!("{url}?options=-csearch_path%3Dbilling,public");
            let error = run(&other, &migrations, Half::Both).expect_err("two names");
            assert!(
                matches!(&error, MigrateError::SchemaIsFirst { schema } if schema == "billing"),
                "{error}"
            );
            assert_eq!(
                query(url, "SELECT count(*) FROM pg_class WHERE relname LIKE 'kit_%'"),
                ["0"]
            );
            run(url, &migrations, Half::Both).expect("it applies");
        },
    );
}

#[test]
fn a_table_of_another_schema_can_have_the_name_of_the_history() {
    on_each_release(
        "a_table_of_another_schema_can_have_the_name_of_the_history",
        |database| {
            let url = &database.url;
            let table = table("app.kit_migrations", Vec::new());
            let migrations = [first(&[table])];
            run(url, &migrations, Half::Both).expect("it applies");
            assert!(matches!(clean(url, &migrations), State::Applied { .. }));
            execute(url, "DROP TABLE app.kit_migrations");
            let snapshot = migrations[0].snapshot.as_ref().expect("a snapshot");
            let found = drift(url, snapshot).expect("a comparison");
            assert_eq!(found.differences.len(), 1);
        },
    );
}

#[test]
fn a_schema_that_exists_needs_no_right_to_create_schemas() {
    const TEST: &str = "a_schema_that_exists_needs_no_right_to_create_schemas";
    let Some(server) = own_server(TEST, &[], &[]) else {
        return;
    };
    let url = server.url();
    execute(
        &url,
        "CREATE ROLE app LOGIN; CREATE SCHEMA billing AUTHORIZATION app; GRANT CREATE ON SCHEMA public TO app",
    );
    let (_, rest) = url.split_once('@').expect("a user");
    let as_app = format!("postgres://app@{rest}");
    let migrations = [first(&[table("billing.invoices", Vec::new())])];
    run(&as_app, &migrations, Half::Both).expect("the schema exists");
    assert!(matches!(clean(&as_app, &migrations), State::Applied { .. }));
    let other = [first(&[table("sales.orders", Vec::new())])];
    execute(&url, "DROP TABLE kit_migrations");
    let error = run(&as_app, &other, Half::Both).expect_err("the schema is missing");
    assert!(
        error.to_string().contains("permission denied for database"),
        "{error}"
    );
}
