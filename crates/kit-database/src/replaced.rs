//! Migrations that a squashed migration replaces.

use serde::{Deserialize, Serialize};

/// A migration that a squashed migration replaces. The history of a database lists the replaced migrations, never the
/// squashed one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Replaced {
    /// Name of the migration.
    pub name: String,
    /// Checksum of its SQL.
    pub checksum: String,
    /// Id of its snapshot; `None` if the migration had no snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// Changes with which a build from before the migration may fail; empty if there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub breaks: String,
}
