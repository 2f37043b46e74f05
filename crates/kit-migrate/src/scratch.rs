//! An empty database in which kit runs migrations to see their result.

use std::time::{SystemTime, UNIX_EPOCH};

use kit_database::sql::identifier;

use crate::MigrateError;
use crate::connect::{Connection, block_on, connect};

/// Prefix of the names of scratch databases.
const PREFIX: &str = "kit_scratch_";

/// Creates an empty database on the server of `url`, calls `work` with the URL of the new database, and drops the
/// database. The user of the URL needs the right to create databases. `url` itself names any database of the server,
/// which is not changed.
///
/// # Errors
/// Returns the error of `work`, or an error if the database cannot be created or dropped.
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
    let done = work(&database_url(url, &name));
    // `FORCE` ends sessions that a failed run left open.
    let drop = format!("DROP DATABASE {} WITH (FORCE)", identifier(&name));
    let dropped = run(url, &drop, "cannot drop the scratch database");
    let done = done?;
    dropped?;
    Ok(done)
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
    let Some((scheme, rest)) = url.split_once("://") else {
        // A later key of a connection string such as `host=… dbname=…` replaces an earlier one.
        return format!("{url} dbname={name}");
    };
    let (place, options) = rest
        .split_once('?')
        .map_or((rest, ""), |(place, options)| (place, options));
    let authority = place.split('/').next().unwrap_or_default();
    let question = if options.is_empty() { "" } else { "?" };
    format!("{scheme}://{authority}/{name}{question}{options}")
}

#[cfg(test)]
mod tests {
    use super::database_url;

    #[test]
    fn replaces_the_name_of_the_database_in_a_url() {
        for (url, expected) in [
            ("postgres://u:p@h:5432/app", "postgres://u:p@h:5432/x"),
            (
                "postgresql://h/app?sslmode=require",
                "postgresql://h/x?sslmode=require",
            ),
            ("postgres://h", "postgres://h/x"),
            ("host=h dbname=app", "host=h dbname=app dbname=x"),
        ] {
            assert_eq!(database_url(url, "x"), expected);
        }
    }
}
