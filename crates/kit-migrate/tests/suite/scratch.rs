//! Tests of scratch databases on a real PostgreSQL.

use kit_test_postgres as support;

use kit_database::Migration;
use kit_migrate::{Options, apply, with_scratch_database};

use support::{database, query};

/// The form of URL that libpq has for Unix sockets names the database in a parameter.
#[test]
#[allow(clippy::result_large_err)] // a test looks at one at a time
fn a_scratch_database_is_used_although_the_url_names_its_database_in_a_parameter() {
    let Some(database) =
        database("a_scratch_database_is_used_although_the_url_names_its_database_in_a_parameter")
    else {
        return;
    };
    let (server, name) = database.url.rsplit_once('/').expect("a path");
    let url = format!("{server}/?dbname={name}&application_name=scratch");
    let migration = Migration::by_hand(
        "20260101000000",
        "notes",
        Some("CREATE TABLE notes (id integer);".to_owned()),
        None,
    );
    let migrations = [migration.expect("a migration")];
    let found = with_scratch_database(&url, |url| {
        apply(url, &migrations, &Options::default())?;
        Ok(query(url, "SELECT current_database()::text"))
    });
    let found = found.expect("the migration is applied");
    assert!(found[0].starts_with("kit_scratch_"), "{found:?}");
    assert_eq!(
        query(&database.url, "SELECT to_regclass('notes')::text"),
        ["null"]
    );
    let left = "SELECT count(*) FROM pg_database WHERE datname = '";
    assert_eq!(query(&database.url, &format!("{left}{}'", found[0])), ["0"]);
}
