//! Checks `@renamedFrom` tags and reports the tags that need the user's attention.

use crate::renames_from::{self, Kind};
use crate::{Schema, Snapshot};

/// A `@renamedFrom` tag that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenameTag {
    /// Name of the entity.
    pub entity: String,
    /// Name of the property; `None` if the tag is on the interface.
    pub property: Option<String>,
    /// Description of the mistake.
    pub message: String,
    /// Advice for the user.
    pub help: String,
}

/// Returns the `@renamedFrom` tags whose former name is not in the snapshot, and the tags whose renames kit cannot
/// plan. Ignores tags whose rename is already done.
pub fn rename_tags(committed: &Snapshot, schema: &Schema) -> Vec<RenameTag> {
    let before = committed.tables();
    let mut found = Vec::new();
    let tables = renames_from::tables(before, &schema.tables);
    for table in &schema.tables {
        for (_, finding) in tables.findings.iter().filter(|(name, _)| *name == table.name) {
            let (message, help) = renames_from::message_and_help(Kind::Table, &table.name, finding);
            found.push(RenameTag {
                entity: table.entity.clone(),
                property: None,
                message: format!("{}: {message}", table.name),
                help,
            });
        }
        let was = tables.name(&table.name, |name| before.iter().any(|table| table.name == name));
        let Some(was) = before.iter().find(|table| Some(table.name.as_str()) == was) else {
            continue;
        };
        for (name, finding) in renames_from::columns(&was.columns, &table.columns).findings {
            let (message, help) = renames_from::message_and_help(Kind::Column, &name, &finding);
            found.push(RenameTag {
                entity: table.entity.clone(),
                property: table.column(&name).map(|column| column.source.property.clone()),
                message: format!("{}.{name}: {message}", table.name),
                help,
            });
        }
    }
    found
}
