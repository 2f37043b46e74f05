//! An empty database in which kit runs migrations to see their result.

use std::time::{SystemTime, UNIX_EPOCH};

use kit_database::sql::identifier;

use crate::MigrateError;
use crate::connect::{Connection, block_on, connect};
use crate::url::{is_url, parameters};

/// Prefix of the names of scratch databases.
const PREFIX: &str = "kit_scratch_";

/// Creates an empty database on the server of `url`, calls `work` with the URL of the new database, and drops the
/// database. The user of the URL needs the right to create databases. `url` itself names any database of the server,
/// which is not changed.
///
/// # Errors
/// Returns the error of `work`, an error if the database cannot be created or dropped, or
/// [`MigrateError::OtherDatabase`] if a connection to the new database reaches another one. `work` is not called then.
pub fn with_scratch_database<T>(
    url: &str,
    work: impl FnOnce(&str) -> Result<T, MigrateError>,
) -> Result<T, MigrateError> {
    let name = name();
    let sql = format!("CREATE DATABASE {} TEMPLATE template0", identifier(&name));
    run(
        url,
        &sql,
        "cannot create an empty scratch database on this server",
    )?;
    let made = database_url(url, &name);
    let done = refuse_other_database(&made, &name).and_then(|()| work(&made));
    // `FORCE` ends sessions that a failed run left open.
    let drop = format!("DROP DATABASE {} WITH (FORCE)", identifier(&name));
    let dropped = run(url, &drop, "cannot drop the scratch database");
    let done = done?;
    dropped?;
    Ok(done)
}

/// Checks that a URL reaches the database with the name. A pooler can give each client the same database.
fn refuse_other_database(url: &str, name: &str) -> Result<(), MigrateError> {
    block_on(async {
        let connection = connect(url).await?;
        let row = connection
            .query_one("SELECT pg_catalog.current_database()::text", &[])
            .await
            .map_err(MigrateError::database(
                "cannot read the name of the scratch database",
            ))?;
        let found: String = row.get(0);
        if found == name {
            return Ok(());
        }
        Err(MigrateError::OtherDatabase {
            wanted: name.to_owned(),
            found,
        })
    })
}

fn run(url: &str, sql: &str, doing: &'static str) -> Result<(), MigrateError> {
    block_on(async {
        let connection: Connection = connect(url).await?;
        connection
            .batch_execute(sql)
            .await
            .map_err(MigrateError::database(doing))
    })
}

/// Returns a name that no other run uses at the same time.
fn name() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{PREFIX}{}_{}", std::process::id(), since.as_nanos())
}

/// Returns the URL with the name of another database.
fn database_url(url: &str, name: &str) -> String {
    // A later name of the database replaces an earlier one, also that in the path of a URL.
    if !is_url(url) {
        return format!("{url} dbname={name}");
    }
    match parameters(url) {
        (place, "") => format!("{place}?dbname={name}"),
        (_, _) => format!("{}&dbname={name}", url.trim_end_matches('&')),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test
mod tests {
    use tokio_postgres::Config;

    use super::database_url;

    #[test]
    fn replaces_the_name_of_the_database_in_a_url() {
        for url in [
            "postgres://u:p@h:5432/app",
            "postgresql://h/app?connect_timeout=3",
            "postgres://h",
            "postgres://h?",
            "postgres://h/app?connect_timeout=3&",
            "postgres://u:p?w@h/app",
            "postgres://u:p/w@h/app?connect_timeout=3",
            "postgres:///app?host=/run/postgresql",
            "postgres:///?host=/run/postgresql&dbname=app",
            "postgres://h/app?%64bname=app&connect_timeout=3",
            "host=h dbname=app",
            "host=h password=a://b?c=d",
        ] {
            let given: Config = url.parse().unwrap();
            let made: Config = database_url(url, "x").parse().unwrap();
            assert_eq!(made.get_dbname(), Some("x"), "{url}");
            assert_eq!(
                (made.get_hosts(), made.get_user(), made.get_password()),
                (given.get_hosts(), given.get_user(), given.get_password()),
                "{url}"
            );
        }
    }
}
