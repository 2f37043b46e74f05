//! The committed picture of a schema, from which the next migration is planned.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Schema, Table};

/// What the database looks like once all committed migrations are applied (`snapshot.json`). It knows tables and
/// nothing of the types they came from, so that renaming a property whose column stays changes nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    tables: Vec<Table>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    version: u32,
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

    /// The picture of a schema.
    pub fn of(schema: &Schema) -> Self {
        let tables = schema.tables.iter().map(forget_types).collect();
        Self { tables }
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
        Ok(Self {
            tables: document.tables,
        })
    }

    /// Writes `snapshot.json`.
    ///
    /// # Panics
    /// Never: every value of a table has a JSON form.
    pub fn to_json(&self) -> String {
        let document = Document {
            version: Self::VERSION,
            tables: self.tables.clone(),
        };
        let mut text = serde_json::to_string_pretty(&document).expect("tables have a JSON form");
        text.push('\n');
        text
    }
}

/// The table without what it came from.
fn forget_types(table: &Table) -> Table {
    let mut table = table.clone();
    table.entity = String::new();
    for column in &mut table.columns {
        column.source = crate::ColumnSource::default();
    }
    table
}
