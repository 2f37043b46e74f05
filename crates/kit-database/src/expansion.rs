//! State of a database between the two halves of a migration.

use serde::{Deserialize, Serialize};

use crate::{ForeignObject, Table};

/// State of the database between the two halves of a migration. Part of the snapshot of the migration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Expansion {
    /// Checksum of `migration.sql` as kit wrote the file. Shows if the SQL was edited.
    pub sql: String,
    /// Tables with the columns of both builds.
    pub tables: Vec<Table>,
    /// Objects that no entity describes, as before the migration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<ForeignObject>,
    /// Titles of the triggers, functions and views of the first half.
    pub objects: Vec<String>,
    /// Tables and columns whose values only the new build knows: a return to the old tables deletes these values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_new: Vec<String>,
    /// Checks that the old columns contain all values of the new ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undo_checks: Vec<UndoCheck>,
}

/// Check that the old columns contain all values of a new column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoCheck {
    /// Table and column: `people.first_name`.
    pub place: String,
    /// Query of the rows whose value the old columns do not contain.
    pub query: String,
}
