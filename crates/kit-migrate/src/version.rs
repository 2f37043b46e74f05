//! Reads the version of a PostgreSQL server.

use crate::MigrateError;
use crate::connect::{block_on, connect};

/// The version of a PostgreSQL server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerVersion {
    /// Major version: `18`.
    pub major: u32,
    /// Complete version as the server reports it: `18.4 (Debian 18.4-1)`.
    pub text: String,
}

/// Connects to the database and returns the version of the server. Blocks until done.
///
/// # Errors
/// Returns a [`MigrateError`] if the database cannot be reached or the query fails.
pub fn server_version(url: &str) -> Result<ServerVersion, MigrateError> {
    block_on(async {
        let client = connect(url).await?;
        let row = client
            .query_one(
                "SELECT current_setting('server_version_num')::int, current_setting('server_version')",
                &[],
            )
            .await
            .map_err(MigrateError::database("cannot find the version of the server"))?;
        Ok(ServerVersion {
            // 180004 means 18.4.
            major: u32::try_from(row.get::<_, i32>(0) / 10_000).unwrap_or_default(),
            text: row.get(1),
        })
    })
}
