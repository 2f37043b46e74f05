//! What goes wrong before a database is reached; no server needed.

use kit_database::Migration;
use kit_migrate::{MigrateError, Options, apply};

fn fails(url: &str) -> MigrateError {
    apply(url, &[], &Options::default()).expect_err("no server")
}

#[test]
fn unreachable_servers_are_named_without_the_password() {
    let error = fails("postgres://me:secret@127.0.0.1:1/app");
    let text = format!("{error} {error:?}");
    assert!(text.contains("127.0.0.1:1/app"), "{text}");
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn tls_is_a_clear_error() {
    for mode in ["require", "verify-ca", "verify-full"] {
        assert!(matches!(
            fails(&format!("postgres://127.0.0.1:1/app?sslmode={mode}")),
            MigrateError::Tls
        ));
    }
}

#[test]
fn what_is_no_url_is_refused() {
    assert!(matches!(fails("mysql:/"), MigrateError::Url(_)));
    assert!(matches!(fails(""), MigrateError::Connect { .. }));
}

#[test]
fn migrations_come_in_the_order_of_their_names() {
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
