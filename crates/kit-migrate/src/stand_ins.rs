//! Names under which tables of several schemas are created as temporary tables, which are all in one schema.

use kit_database::sql::relation;
use kit_database::{ForeignObject, ObjectKind, Table, schema_of};

/// Tables with the names for a comparison. Tables of other schemas, their keys and their indexes have stand-ins: names that
/// no other object has.
pub(crate) struct StandIns {
    pub(crate) tables: Vec<Table>,
    pub(crate) names: Names,
}

/// Names that the stand-ins stand for.
#[derive(Default)]
pub(crate) struct Names {
    /// Pairs of a stand-in and the name that it stands for.
    tables: Vec<(String, String)>,
    /// Pairs of a stand-in and the name that it stands for.
    constraints: Vec<(String, String)>,
}

impl StandIns {
    /// Chooses the names. Tables of the first schema of the `search_path` keep theirs.
    pub(crate) fn new(tables: &[Table]) -> Self {
        let mut stand_ins = Self {
            tables: tables.to_vec(),
            names: Names::default(),
        };
        if tables.iter().all(|table| schema_of(&table.name).is_none()) {
            return stand_ins;
        }
        let known = format!("{tables:?}");
        let mut prefix = "kit_expected".to_owned();
        while known.contains(&prefix) {
            prefix.push('_');
        }
        let mut number = 0_usize;
        // No stand-in is the beginning of another one.
        let mut next = || {
            number += 1;
            format!("{prefix}_{number}_")
        };
        let names = &mut stand_ins.names;
        for table in &mut stand_ins.tables {
            if schema_of(&table.name).is_none() {
                continue;
            }
            let mut rename = |own: &mut String| std::mem::replace(own, next());
            let mut key = table.primary_key_name();
            let own = rename(&mut key);
            names.constraints.push((key.clone(), own));
            table.key_name = Some(key);
            let uniques = table.uniques.iter_mut().map(|unique| &mut unique.name);
            for name in uniques.chain(table.indexes.iter_mut().map(|index| &mut index.name)) {
                let own = rename(name);
                names.constraints.push((name.clone(), own));
            }
            let own = rename(&mut table.name);
            names.tables.push((table.name.clone(), own));
        }
        for table in &mut stand_ins.tables {
            for key in &mut table.foreign_keys {
                if let Some((stand_in, _)) = names.tables.iter().find(|(_, own)| *own == key.table) {
                    key.table.clone_from(stand_in);
                }
            }
        }
        stand_ins
    }
}

impl Names {
    /// Returns the description of a part of a table with the stand-in for the name of the table.
    pub(crate) fn stand_in(&self, object: &ForeignObject) -> ForeignObject {
        let known = self
            .tables
            .iter()
            .find(|(_, own)| object.table.as_ref() == Some(own));
        ForeignObject {
            table: known
                .map(|(stand_in, _)| stand_in.clone())
                .or_else(|| object.table.clone()),
            ..object.clone()
        }
    }

    /// Gives the description of an object its own names.
    pub(crate) fn restore(&self, object: &mut ForeignObject) {
        for (stand_in, own) in &self.tables {
            if let Some(table) = &mut object.table
                && table == stand_in
            {
                table.clone_from(own);
            }
            if matches!(object.kind, ObjectKind::Table | ObjectKind::Comment) {
                object.name = object.name.replace(stand_in, own);
            }
            if object.kind != ObjectKind::Comment
                && let Some(definition) = &mut object.definition
            {
                *definition = definition.replace(stand_in, &relation(own));
            }
        }
        if let Some((_, own)) = self
            .constraints
            .iter()
            .find(|(stand_in, _)| *stand_in == object.name)
        {
            object.name.clone_from(own);
        }
    }
}
