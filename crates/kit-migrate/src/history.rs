//! The record of what was applied.

use std::collections::HashMap;
use std::time::Duration;

use kit_database::sql::identifier;
use kit_database::{Migration, sql};
use tokio_postgres::Client;

use crate::{MigrateError, Refusal};

/// The table's name.
const TABLE: &str = "kit_migrations";

/// The history of one database.
pub(crate) struct History {
    /// The qualified name: a migration that sets `search_path` must not lead it elsewhere.
    table: String,
}

impl History {
    /// Finds the schema that the history stands in.
    pub(crate) async fn locate(client: &Client) -> Result<Self, MigrateError> {
        let row = client
            .query_one("SELECT current_schema()::text", &[])
            .await
            .map_err(|error| failed("cannot find the schema of the database", error))?;
        let schema: Option<&str> = row.get(0);
        let schema = schema.ok_or(MigrateError::NoSchema)?;
        Ok(Self {
            table: format!("{}.{TABLE}", identifier(schema)),
        })
    }

    /// Makes the table where it is not there.
    pub(crate) async fn create(&self, client: &Client) -> Result<(), MigrateError> {
        client
            .batch_execute(&format!(
                "CREATE TABLE IF NOT EXISTS {} (\n  name text PRIMARY KEY,\n  checksum text NOT NULL,\n  \
                 applied_at timestamptz DEFAULT now() NOT NULL,\n  duration_ms bigint NOT NULL\n)",
                self.table
            ))
            .await
            .map_err(|error| failed("cannot create the table kit_migrations", error))
    }

    /// Checksums by name of what was applied; nothing where there is no table yet.
    pub(crate) async fn read(&self, client: &Client) -> Result<HashMap<String, String>, MigrateError> {
        let doing = "cannot read the table kit_migrations";
        let row = client
            .query_one("SELECT to_regclass($1) IS NOT NULL", &[&self.table])
            .await
            .map_err(|error| failed(doing, error))?;
        if !row.get::<_, bool>(0) {
            return Ok(HashMap::new());
        }
        let rows = client
            .query(&format!("SELECT name, checksum FROM {}", self.table), &[])
            .await
            .map_err(|error| failed(doing, error))?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    /// The statement that records a migration, to run in its own transaction.
    pub(crate) fn record(&self, migration: &Migration, duration: Duration) -> String {
        format!(
            "INSERT INTO {} (name, checksum, duration_ms) VALUES ({}, {}, {})",
            self.table,
            sql::text(&migration.name),
            sql::text(&migration.checksum()),
            duration.as_millis()
        )
    }
}

fn failed(doing: &'static str, error: tokio_postgres::Error) -> MigrateError {
    MigrateError::Database {
        doing,
        source: Refusal::of(error, None),
    }
}
