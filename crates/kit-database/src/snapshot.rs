//! The committed picture of a schema, from which the next migration is planned.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::{Column, ColumnSource, Schema, Table, names};

/// What the database looks like once all committed migrations are applied (`snapshot.json`). It knows tables and
/// nothing of the types they came from, so that renaming a property whose column stays changes nothing.
///
/// Two of them are equal where their tables are, wherever they came from.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    tables: Vec<Table>,
    /// What those that come after it name as their parents: itself, or those that it brings together.
    ids: Vec<String>,
    /// Those that it was planned from; nothing in a file of an earlier kit.
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

/// Why a snapshot cannot be read.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// Not the JSON of a snapshot.
    #[error("the snapshot does not parse: {0}")]
    Syntax(#[source] serde_json::Error),
    /// Written by another kit.
    #[error("the snapshot has version {found}, and this kit reads version {supported}; update kit")]
    Version {
        /// The version in the file.
        found: u64,
        /// The version this kit reads.
        supported: u32,
    },
}

impl Snapshot {
    /// Version of the document.
    pub const VERSION: u32 = 1;

    /// The picture of a schema, as the first one there is.
    pub fn of(schema: &Schema) -> Self {
        Self::after(None, schema)
    }

    /// The picture of a schema that was planned from another one.
    pub fn after(previous: Option<&Self>, schema: &Schema) -> Self {
        let tables: Vec<Table> = schema.tables.iter().map(Self::forget_types).collect();
        let parents = previous.map_or_else(Vec::new, |previous| previous.ids.clone());
        Self {
            ids: vec![id(&tables, &parents)],
            tables,
            parents: Some(parents),
        }
    }

    /// What several make together.
    pub(crate) fn merged(tables: Vec<Table>, ids: Vec<String>) -> Self {
        Self {
            tables,
            ids,
            parents: None,
        }
    }

    /// By which those that come after it name it.
    pub(crate) fn id(&self) -> String {
        self.ids.join(" ")
    }

    /// Those that it was planned from; nothing in a file of an earlier kit.
    pub(crate) fn parents(&self) -> Option<&[String]> {
        self.parents.as_deref()
    }

    /// The table without what it came from.
    pub(crate) fn forget_types(table: &Table) -> Table {
        Table {
            entity: String::new(),
            renamed_from: None,
            columns: table.columns.iter().map(Self::forget_source).collect(),
            ..table.clone()
        }
    }

    /// The column without what it came from.
    pub(crate) fn forget_source(column: &Column) -> Column {
        Column {
            source: ColumnSource::default(),
            ..column.clone()
        }
    }

    /// The tables.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Reads `snapshot.json`.
    pub fn from_json(text: &str) -> Result<Self, SnapshotError> {
        let value: serde_json::Value = serde_json::from_str(text).map_err(SnapshotError::Syntax)?;
        // The version decides first: a later document may have another shape altogether.
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

    /// Writes `snapshot.json`.
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

/// A name by content: of the tables, and of what they were planned from.
fn id(tables: &[Table], parents: &[String]) -> String {
    let mut hash = Sha256::new();
    for parent in parents {
        hash.update(parent);
        hash.update([0]);
    }
    hash.update(serde_json::to_vec(tables).expect("tables have a JSON form"));
    names::hex(&hash.finalize()[..8])
}
