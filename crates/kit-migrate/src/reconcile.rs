//! Finds the tables and foreign objects of a snapshot from the description of a database.

use kit_database::{ForeignObject, Index, ObjectKind, Table, sql};

use crate::catalog::Catalog;

/// Handling of parts of a table that the database does not have as expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Hand-written SQL changed the tables: the next plan compares the types with the changed tables.
    Record,
    /// Entities were written for an existing database: the next plan must not change anything.
    Adopt,
}

/// Changes the tables so that they describe the database as far as possible. `expected` is the description of the
/// tables, which has the same order, and `found` that of the database.
///
/// Constraints and indexes take the names that the database uses. A unique constraint becomes an index if the database has
/// only a unique index. Parts that the database does not have are removed. In
/// [`Mode::Adopt`], the result also contains a [`ObjectKind::Waived`] object for each removed check.
pub(crate) fn reconcile(
    tables: &mut Vec<Table>,
    expected: &Catalog,
    found: &Catalog,
    mode: Mode,
) -> Vec<ForeignObject> {
    let mut waived = Vec::new();
    tables.retain(|table| found.table(&table.name).is_some());
    for table in tables.iter_mut() {
        let name = table.name.clone();
        let missing: Vec<String> = table
            .columns
            .iter()
            .filter(|column| of(found, ObjectKind::Column, &name).all(|live| live.name != column.name))
            .map(|column| column.name.clone())
            .collect();
        table.columns.retain(|column| !missing.contains(&column.name));
        if mode == Mode::Record {
            record_columns(table, expected, found);
        }
        // Names that an equal part of the table already uses must not be given to a second part.
        let mut taken: Vec<String> = Vec::new();
        let mut live_name = |kind: ObjectKind, own: &str| -> Option<String> {
            let definition = of(expected, kind, &name).find(|object| object.name == own)?;
            let candidates =
                || of(found, kind, &name).filter(|object| object.definition == definition.definition);
            let live = candidates()
                .find(|object| object.name == own)
                .or_else(|| candidates().find(|object| !taken.contains(&object.name)))?;
            taken.push(live.name.clone());
            Some(live.name.clone())
        };
        let key = live_name(ObjectKind::Constraint, &table.primary_key_name());
        if let Some(key) = key
            && key != table.primary_key_name()
        {
            table.key_name = Some(key);
        }
        let kept = &mut table.kept_names;
        let mut rename = |kind: ObjectKind, own: &mut String| match live_name(kind, own) {
            Some(live) => {
                if live != *own {
                    kept.remove(own);
                    kept.insert(live.clone());
                    *own = live;
                }
                true
            }
            None => false,
        };
        let mut unique_indexes: Vec<Index> = Vec::new();
        table.uniques.retain_mut(|unique| {
            let is_constraint = rename(ObjectKind::Constraint, &mut unique.name);
            if !is_constraint {
                let wanted = unique.as_index("").definition(&name);
                let same = of(found, ObjectKind::Index, &name)
                    .find(|object| object.definition.as_deref() == Some(&wanted));
                unique_indexes.extend(same.map(|object| unique.as_index(&object.name)));
            }
            is_constraint
        });
        table
            .foreign_keys
            .retain_mut(|key| rename(ObjectKind::Constraint, &mut key.name));
        table
            .indexes
            .retain_mut(|index| rename(ObjectKind::Index, &mut index.name));
        table.checks.retain_mut(|check| {
            let is_there = rename(ObjectKind::Constraint, &mut check.name);
            if !is_there && mode == Mode::Adopt {
                waived.push(ForeignObject {
                    kind: ObjectKind::Waived,
                    table: Some(name.clone()),
                    name: check.name.clone(),
                    definition: Some(sql::condition(&check.rule, &sql::identifier(&check.column))),
                    uses: Vec::new(),
                });
            }
            is_there
        });
        for index in unique_indexes {
            table.kept_names.insert(index.name.clone());
            table.indexes.push(index);
        }
    }
    waived
}

/// Takes over changes of columns that kit can model: nullability, and a default that was dropped.
fn record_columns(table: &mut Table, expected: &Catalog, found: &Catalog) {
    for column in &mut table.columns {
        let find = |catalog: &Catalog| {
            of(catalog, ObjectKind::Column, &table.name)
                .find(|object| object.name == column.name)
                .and_then(|object| object.definition.clone())
        };
        let (Some(own), Some(live)) = (find(expected), find(found)) else {
            continue;
        };
        if own == live {
            continue;
        }
        if let Some(changed) = column.with_definition(&live) {
            *column = changed;
        }
    }
}

fn of<'a>(catalog: &'a Catalog, kind: ObjectKind, table: &'a str) -> impl Iterator<Item = &'a ForeignObject> {
    catalog
        .described()
        .filter(move |object| object.kind == kind && object.table.as_deref() == Some(table))
}

/// Returns the objects that differ from the description of the tables: those of the database that the tables do not
/// describe in the same way, and those that the database does not have.
pub(crate) fn foreign(expected: &Catalog, found: &Catalog) -> Vec<ForeignObject> {
    let mut foreign: Vec<ForeignObject> = found
        .described()
        .filter(|object| {
            expected
                .find(object)
                .is_none_or(|known| known.definition != object.definition)
        })
        .cloned()
        .collect();
    foreign.extend(
        expected
            .described()
            .filter(|object| found.find(object).is_none())
            .map(|object| ForeignObject {
                definition: None,
                uses: Vec::new(),
                ..object.clone()
            }),
    );
    foreign.sort();
    foreign
}
