//! Snapshot of a schema. Committed with each migration; the next migration is planned from it.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::{Column, ColumnSource, Schema, Table, names};

/// State of the database after all committed migrations (`snapshot.json`). A snapshot contains tables and no TypeScript
/// types, so renaming a property without renaming its column changes nothing.
///
/// Two snapshots are equal if their tables are equal. Their ids and parents are not compared.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    tables: Vec<Table>,
    /// Ids that the next snapshot records as its parents: the id of this snapshot, or if it merges other
    /// snapshots, their ids.
    ids: Vec<String>,
    /// Ids of the snapshots from which this snapshot was planned; `None` in a file of an earlier version of
    /// kit.
    parents: Option<Vec<String>>,
}

impl PartialEq for Snapshot {
    fn eq(&self, other: &Self) -> bool {
        self.tables == other.tables
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parents: Option<Vec<String>>,
    tables: Vec<Table>,
}

/// Error for a snapshot that cannot be read.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// The text is not valid JSON of a snapshot.
    #[error("the snapshot does not parse: {0}")]
    Syntax(#[source] serde_json::Error),
    /// The file was written by another version of kit.
    #[error("the snapshot has version {found}, and this kit reads version {supported}; update kit")]
    Version {
        /// The version in the file.
        found: u64,
        /// The version this kit reads.
        supported: u32,
    },
}

impl Snapshot {
    /// Version of the format of `snapshot.json`.
    pub const VERSION: u32 = 1;

    /// Creates the snapshot of a schema without a predecessor.
    pub fn of(schema: &Schema) -> Self {
        Self::after(None, schema)
    }

    /// Creates the snapshot of a schema that was planned from another snapshot.
    pub fn after(previous: Option<&Self>, schema: &Schema) -> Self {
        let tables: Vec<Table> = schema.tables.iter().map(Self::without_entity).collect();
        let parents = previous.map_or_else(Vec::new, |previous| previous.ids.clone());
        Self {
            ids: vec![id(&tables, &parents)],
            tables,
            parents: Some(parents),
        }
    }

    /// Creates the snapshot that merges several branches. `ids` are the ids of the merged snapshots.
    pub(crate) fn merged(tables: Vec<Table>, ids: Vec<String>) -> Self {
        Self {
            tables,
            ids,
            parents: None,
        }
    }

    /// Returns the id that the next snapshot records as its parent.
    pub(crate) fn id(&self) -> String {
        self.ids.join(" ")
    }

    /// Returns the ids of the snapshots from which this snapshot was planned, or `None` if the file is from an
    /// earlier version of kit.
    pub(crate) fn parents(&self) -> Option<&[String]> {
        self.parents.as_deref()
    }

    /// Returns the table without the facts about its entity and properties, which a snapshot does not contain.
    pub(crate) fn without_entity(table: &Table) -> Table {
        Table {
            entity: String::new(),
            renamed_from: None,
            columns: table.columns.iter().map(Self::without_property).collect(),
            ..table.clone()
        }
    }

    /// Returns the column without the facts about its property, which a snapshot does not contain.
    pub(crate) fn without_property(column: &Column) -> Column {
        Column {
            source: ColumnSource::default(),
            ..column.clone()
        }
    }

    /// Returns the tables.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Reads `snapshot.json`.
    ///
    /// # Errors
    /// Returns a [`SnapshotError`] if the text is not a snapshot, or was written by another version of kit.
    pub fn from_json(text: &str) -> Result<Self, SnapshotError> {
        let value: serde_json::Value = serde_json::from_str(text).map_err(SnapshotError::Syntax)?;
        // Check the version first: a later version may have a different structure.
        if let Some(found) = value.get("version").and_then(serde_json::Value::as_u64)
            && found != u64::from(Self::VERSION)
        {
            return Err(SnapshotError::Version {
                found,
                supported: Self::VERSION,
            });
        }
        let document: Document = serde_json::from_value(value).map_err(SnapshotError::Syntax)?;
        let named = document.parents.clone().unwrap_or_default();
        let own = document.id.unwrap_or_else(|| id(&document.tables, &named));
        Ok(Self {
            tables: document.tables,
            ids: vec![own],
            parents: document.parents,
        })
    }

    /// Formats the content of `snapshot.json`.
    ///
    /// # Panics
    /// Never: every value of a table has a JSON form.
    pub fn to_json(&self) -> String {
        let document = Document {
            version: Self::VERSION,
            id: Some(self.id()),
            parents: self.parents.clone(),
            tables: self.tables.clone(),
        };
        let mut text = serde_json::to_string_pretty(&document).expect("tables have a JSON form");
        text.push('\n');
        text
    }
}

/// Returns an id that is a hash of the tables and of the ids of the parents.
fn id(tables: &[Table], parents: &[String]) -> String {
    let mut hash = Sha256::new();
    for parent in parents {
        hash.update(parent);
        hash.update([0]);
    }
    hash.update(serde_json::to_vec(tables).expect("tables have a JSON form"));
    names::hex(&hash.finalize()[..8])
}
