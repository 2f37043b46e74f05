//! Entities of an existing database: writes them and compiles them again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kit_database::{ForeignObject, Pulled, Schema, pulled};
use kit_diagnostics::{Diagnostic, Severity};
use kit_typescript::{AnyMeaning, Input, MemoryFiles, compile};

/// Root of the files in memory.
const ROOT: &str = "/entities";

/// Writes entities for the tables of a database, and returns them with the tables that kit derives from them.
///
/// An entity that the compiler would refuse gets no tags for indexes and checks. If the compiler would still refuse the
/// entity, the table gets no entity, and the result lists the table with the message of the compiler. `without` contains
/// tables that get no entity for another reason.
///
/// ```
/// use kit_build::pull_entities;
///
/// let (pulled, schema) = pull_entities(&[], Default::default());
/// assert!(pulled.entities.is_empty() && schema.tables.is_empty());
/// ```
pub fn pull_entities(objects: &[ForeignObject], mut without: BTreeMap<String, String>) -> (Pulled, Schema) {
    let mut plain = BTreeSet::new();
    loop {
        let found = pulled(objects, &without, &plain);
        let (schema, errors) = compile_entities(&found);
        if errors.is_empty() {
            return (found, schema);
        }
        let before = (without.len(), plain.len());
        let mut failed: BTreeMap<String, String> = BTreeMap::new();
        for error in &errors {
            let table = error
                .primary()
                .and_then(|label| table_of(&label.path, &found))
                // An error without a place concerns any of the entities: leave out the last, and try again.
                .or_else(|| found.entities.last().map(|entity| entity.table.clone()));
            if let Some(table) = table {
                failed.entry(table).or_insert_with(|| error.message.clone());
            }
        }
        for (table, message) in failed {
            if !plain.insert(table.clone()) {
                without
                    .entry(table)
                    .or_insert_with(|| format!("kit cannot read its entity: {message}"));
            }
        }
        if (without.len(), plain.len()) == before {
            return (
                Pulled {
                    entities: Vec::new(),
                    ..found
                },
                Schema::default(),
            );
        }
    }
}

fn path_of(at: usize) -> PathBuf {
    Path::new(ROOT).join(format!("{at}.types.ts"))
}

/// Returns the table whose entity is in the file.
fn table_of(path: &str, found: &Pulled) -> Option<String> {
    let name = path.rsplit('/').next()?.strip_suffix(".types.ts")?;
    let at: usize = name.parse().ok()?;
    found.entities.get(at).map(|entity| entity.table.clone())
}

fn compile_entities(found: &Pulled) -> (Schema, Vec<Diagnostic>) {
    let files: Vec<(PathBuf, &str)> = found
        .entities
        .iter()
        .enumerate()
        .map(|(at, entity)| (path_of(at), entity.text.as_str()))
        .collect();
    let output = compile(&Input {
        root: Path::new(ROOT),
        type_files: files.iter().map(|(path, _)| path.clone()).collect(),
        route_files: Vec::new(),
        any: AnyMeaning::Error,
        entry_files: Vec::new(),
        files: Arc::new(MemoryFiles::new(files)),
    });
    let (schema, more) = Schema::from_program(&output.program);
    let errors = output
        .diagnostics
        .iter()
        .chain(more.iter())
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .cloned()
        .collect();
    (schema, errors)
}
