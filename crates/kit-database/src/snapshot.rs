//! Snapshot of a schema. Committed with each migration; the next migration is planned from it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::{
    Column, ColumnSource, ColumnType, Expansion, ForeignObject, Replaced, Schema, Table, names, schema_of,
};

/// State of the database after all committed migrations (`snapshot.json`). A snapshot contains tables and no TypeScript
/// types, so renaming a property without renaming its column changes nothing.
///
/// Two snapshots are equal if their tables and foreign objects are equal. Their ids and parents are not compared.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    tables: Vec<Table>,
    /// Objects that no entity describes, sorted.
    foreign: Vec<ForeignObject>,
    /// Checksum of the hand-written SQL whose result the snapshot describes; `None` if kit wrote the SQL.
    sql: Option<String>,
    /// Checksum of the SQL that kit wrote: of the whole text in a squashed migration, and otherwise of the statements that may
    /// change tables. `None` if the SQL is hand-written, or an earlier version of kit wrote the file.
    generated: Option<String>,
    /// Checksum of the statements that kit planned, if these were edited since; `None` otherwise.
    planned: Option<String>,
    /// True if the SQL creates the objects of an adopted database.
    is_baseline: bool,
    /// State between the two halves of the migration; `None` if the migration has no halves.
    expansion: Option<Box<Expansion>>,
    /// Migrations that the migration replaces; empty unless it is a squashed one.
    replaces: Vec<Replaced>,
    /// Ids that the next snapshot records as its parents: the id of this snapshot, or if it merges other
    /// snapshots, their ids.
    ids: Vec<String>,
    /// Ids of the snapshots from which this snapshot was planned; `None` in a file of an earlier version of
    /// kit.
    parents: Option<Vec<String>>,
}

/// Returns the names of the schemas, sorted, in which the tables and foreign objects are. The first schema of the
/// `search_path` is not one of them.
///
/// ```
/// assert!(kit_database::schemas_of(&[], &[]).is_empty());
/// ```
pub fn schemas_of(tables: &[Table], foreign: &[ForeignObject]) -> Vec<String> {
    let of_tables = tables.iter().filter_map(|table| schema_of(&table.name));
    let of_foreign = foreign.iter().filter_map(ForeignObject::schema);
    let all: BTreeSet<String> = of_tables.map(Cow::into_owned).chain(of_foreign).collect();
    all.into_iter().collect()
}

impl PartialEq for Snapshot {
    fn eq(&self, other: &Self) -> bool {
        self.tables == other.tables && self.foreign == other.foreign
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
    /// Checksum of the hand-written SQL whose result the snapshot describes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sql: Option<String>,
    /// Checksum of the SQL that kit wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    generated: Option<String>,
    /// Checksum of the statements that kit planned, if these were edited since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    planned: Option<String>,
    /// True if the SQL creates the objects of an adopted database.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    baseline: bool,
    tables: Vec<Table>,
    /// Objects that no entity describes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    foreign: Vec<ForeignObject>,
    /// State between the two halves of the migration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expansion: Option<Box<Expansion>>,
    /// Migrations that the migration replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    replaces: Vec<Replaced>,
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
        let mut columns = tables.iter().flat_map(|table| &table.columns);
        let has_citext = columns.any(|column| column.r#type == ColumnType::Citext);
        let foreign = has_citext.then(ForeignObject::citext).into_iter().collect();
        Self::with_parents(previous, tables, foreign, None)
    }

    /// Creates the snapshot of a database that was described. `checksum` identifies the SQL if it is hand-written.
    pub fn recorded(
        previous: Option<&Self>,
        tables: Vec<Table>,
        foreign: Vec<ForeignObject>,
        checksum: Option<String>,
    ) -> Self {
        Self::with_parents(previous, tables, foreign, checksum)
    }

    pub(crate) fn with_parents(
        previous: Option<&Self>,
        tables: Vec<Table>,
        foreign: Vec<ForeignObject>,
        sql: Option<String>,
    ) -> Self {
        let parents = previous.map_or_else(Vec::new, |previous| previous.ids.clone());
        Self::new(tables, foreign, sql, parents)
    }

    fn new(
        tables: Vec<Table>,
        mut foreign: Vec<ForeignObject>,
        sql: Option<String>,
        parents: Vec<String>,
    ) -> Self {
        foreign.sort();
        Self {
            ids: vec![id(&tables, &foreign, &parents)],
            tables,
            foreign,
            sql,
            generated: None,
            planned: None,
            is_baseline: false,
            expansion: None,
            replaces: Vec::new(),
            parents: Some(parents),
        }
    }

    /// Creates the snapshot that merges several branches. `ids` are the ids of the merged snapshots.
    pub(crate) fn merged(tables: Vec<Table>, foreign: Vec<ForeignObject>, ids: Vec<String>) -> Self {
        Self {
            tables,
            foreign,
            sql: None,
            generated: None,
            planned: None,
            is_baseline: false,
            expansion: None,
            replaces: Vec::new(),
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

    /// Returns the objects that no entity describes: hand-written SQL made them, or an adopted database has them.
    pub fn foreign(&self) -> &[ForeignObject] {
        &self.foreign
    }

    /// Returns the names of the schemas, sorted, in which the tables and foreign objects are. The first schema of the
    /// `search_path` is not one of them.
    pub fn schemas(&self) -> Vec<String> {
        schemas_of(&self.tables, &self.foreign)
    }

    /// Returns the checksum of the hand-written SQL whose result the snapshot describes, or `None` if kit wrote the
    /// SQL.
    pub fn sql_checksum(&self) -> Option<&str> {
        self.sql.as_deref()
    }

    /// Returns the checksum of the SQL that kit wrote: of the whole text in a squashed migration, and otherwise of the
    /// statements that may change tables. Returns `None` if the SQL is hand-written, or an earlier version of kit wrote the
    /// file.
    pub fn generated_checksum(&self) -> Option<&str> {
        self.generated.as_deref()
    }

    /// Returns the snapshot with the checksum of the SQL that kit wrote.
    #[must_use]
    pub fn with_generated(self, generated: Option<String>) -> Self {
        Self { generated, ..self }
    }

    /// Returns the snapshot after an edit of the SQL of `earlier`. The statements of `earlier` are the planned ones, unless
    /// these were edited before.
    ///
    /// ```
    /// use kit_database::{Schema, Snapshot};
    ///
    /// let with = |checksum: &str| Snapshot::of(&Schema::default()).with_generated(Some(checksum.to_owned()));
    /// let edited = with("edited").edited_from(&with("planned"));
    /// assert!(edited.is_edited());
    /// assert!(!with("planned").edited_from(&edited).is_edited());
    /// ```
    #[must_use]
    pub fn edited_from(self, earlier: &Self) -> Self {
        let planned = earlier.planned.as_ref().or(earlier.generated.as_ref());
        Self {
            planned: planned
                .filter(|planned| Some(*planned) != self.generated.as_ref())
                .cloned(),
            ..self
        }
    }

    /// Returns true if the SQL that kit planned was edited, so that `changes.json` may list other changes than the SQL makes.
    pub fn is_edited(&self) -> bool {
        self.planned.is_some()
    }

    /// Returns the snapshot, marked as the one of a baseline.
    #[must_use]
    pub fn of_baseline(self) -> Self {
        Self {
            is_baseline: true,
            ..self
        }
    }

    /// Returns true if the SQL creates the objects of an adopted database.
    pub fn is_baseline(&self) -> bool {
        self.is_baseline
    }

    /// Returns the snapshot with the state between the two halves of its migration.
    #[must_use]
    pub fn with_expansion(self, expansion: Option<Expansion>) -> Self {
        Self {
            expansion: expansion.map(Box::new),
            ..self
        }
    }

    /// Returns the state between the two halves of the migration; `None` if the migration has no halves.
    pub fn expansion(&self) -> Option<&Expansion> {
        self.expansion.as_deref()
    }

    /// Returns the snapshot as that of a squashed migration: the first one, with the id of the last migration that it
    /// replaces. So migrations that were planned from that one stay valid.
    #[must_use]
    pub fn squashed(self, replaces: Vec<Replaced>) -> Self {
        Self {
            sql: None,
            planned: None,
            is_baseline: false,
            expansion: None,
            parents: Some(Vec::new()),
            replaces,
            ..self
        }
    }

    /// Returns the migrations that the migration of this snapshot replaces; empty unless it is a squashed one.
    pub(crate) fn replaces(&self) -> &[Replaced] {
        &self.replaces
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
        let own = document
            .id
            .unwrap_or_else(|| id(&document.tables, &document.foreign, &named));
        Ok(Self {
            tables: document.tables,
            foreign: document.foreign,
            sql: document.sql,
            generated: document.generated,
            planned: document.planned,
            is_baseline: document.baseline,
            expansion: document.expansion,
            replaces: document.replaces,
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
            sql: self.sql.clone(),
            generated: self.generated.clone(),
            planned: self.planned.clone(),
            baseline: self.is_baseline,
            tables: self.tables.clone(),
            foreign: self.foreign.clone(),
            expansion: self.expansion.clone(),
            replaces: self.replaces.clone(),
        };
        let mut text = serde_json::to_string_pretty(&document).expect("tables have a JSON form");
        text.push('\n');
        text
    }
}

/// Returns an id that is a hash of the tables, of the foreign objects and of the ids of the parents.
fn id(tables: &[Table], foreign: &[ForeignObject], parents: &[String]) -> String {
    let mut hash = Sha256::new();
    for parent in parents {
        hash.update(parent);
        hash.update([0]);
    }
    hash.update(serde_json::to_vec(tables).expect("tables have a JSON form"));
    // Snapshots without foreign objects keep the ids that earlier versions of kit gave them.
    if !foreign.is_empty() {
        hash.update(serde_json::to_vec(foreign).expect("foreign objects have a JSON form"));
    }
    names::hex(&hash.finalize()[..8])
}
