//! Tests the error messages at the start of a server that cannot use its database. They need no PostgreSQL.
#![cfg(feature = "sqlx")]
#![allow(clippy::unwrap_used)] // Reason: test helpers may panic like tests.

use std::net::TcpListener;

/// Listens on a port, and closes each connection at once. Returns the port.
fn closing() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            drop(stream);
        }
    });
    port
}

async fn said(url: &str) -> String {
    let error = kit_runtime::postgres::connect(url)
        .await
        .expect_err("there is no database");
    error.to_string()
}

#[tokio::test]
async fn reports_an_unreachable_database_in_three_lines_without_the_password() {
    let port = closing();
    let text = said(&format!(
        "postgres://ada:s3cret@127.0.0.1:{port}/app?sslmode=disable"
    ))
    .await;
    let lines: Vec<&str> = text.lines().collect();
    let [what, place, help] = lines.as_slice() else {
        panic!("{text}");
    };
    assert!(what.starts_with("the database cannot be reached: "), "{text}");
    assert_eq!(
        *place,
        format!("  at 127.0.0.1:{port}, database app, user ada (DATABASE_URL)")
    );
    assert!(help.starts_with("help: "), "{text}");
    assert!(!text.contains("s3cret"), "{text}");
}

#[tokio::test]
async fn refuses_an_invalid_database_url_without_showing_the_password() {
    assert_eq!(
        said("postgres://ada:s3#cret@db/app").await,
        "DATABASE_URL does not name a PostgreSQL database: error with configuration: invalid port number\n  \
         DATABASE_URL=postgres://…@db/app\n\
         help: set DATABASE_URL=postgres://user:password@host:5432/database; in the user name and the password, write \
         characters other than letters and digits as %XX"
    );
}
