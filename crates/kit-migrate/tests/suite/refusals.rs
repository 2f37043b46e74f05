//! Tests of errors that occur before a database is reached. They need no server.

use kit_database::Migration;
use kit_migrate::{MigrateError, Options, apply};

fn fails(url: &str) -> MigrateError {
    apply(url, &[], &Options::default()).expect_err("no server")
}

#[test]
fn names_an_unreachable_server_without_the_password() {
    let error = fails("postgres://me:secret@127.0.0.1:1/app");
    let text = format!("{error} {error:?}");
    assert!(text.contains("127.0.0.1:1/app"), "{text}");
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn refuses_a_url_that_its_parser_would_divide_within_the_password() {
    for (url, part) in [
        ("postgres://me:pa@secret@127.0.0.1:1/app", "contains `@` twice"),
        (
            "postgress://me:secret@127.0.0.1:1/app?application_name=ci",
            "does not begin with postgres://",
        ),
        // A file for `docker run --env-file` has no quotes around values.
        (
            "\"postgres://me:secret@127.0.0.1:1/app?application_name=ci\"",
            "does not begin with postgres://",
        ),
    ] {
        let error = fails(url);
        assert!(matches!(error, MigrateError::MalformedUrl(_)), "{error:?}");
        let text = format!("{error} {error:?}");
        assert!(text.contains(part) && !text.contains("secret"), "{text}");
        assert!(error.help().is_some_and(|help| help.contains("%XX")), "{error}");
    }
}

#[test]
fn refuses_tls_settings_that_cannot_be_used() {
    for (query, part) in [
        ("sslmode=full", "`sslmode=full` is not known"),
        ("sslmode=verify-full&sslrootcert=/not/there.pem", "/not/there.pem"),
        ("sslcert=/a.pem", "`sslkey` must be used together"),
    ] {
        let error = fails(&format!("postgres://127.0.0.1:1/app?{query}"));
        assert!(matches!(error, MigrateError::Tls(_)), "{error:?}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn refuses_an_invalid_url() {
    assert!(matches!(fails("mysql:/"), MigrateError::Url(_)));
    assert!(matches!(fails(""), MigrateError::Connect { .. }));
}

#[test]
fn refuses_migrations_that_are_not_in_the_order_of_their_names() {
    let migration = |name: &str| Migration {
        name: name.to_owned(),
        sql: String::new(),
        destructive: false,
        changes: Vec::new(),
        snapshot: None,
    };
    let unordered = [migration("20260101000002_b"), migration("20260101000001_a")];
    let error = apply("", &unordered, &Options::default()).unwrap_err();
    assert!(matches!(error, MigrateError::Order(name) if name == "20260101000001_a"));
}
