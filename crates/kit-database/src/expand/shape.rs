//! Tables before, between and after the two halves of a migration.

use std::collections::BTreeMap;

use crate::change::place;
use crate::diff::relations_of;
use crate::{Change, Check, Column, ForeignKey, Plan, Problem, Snapshot, Table, Unique, schema_of};

use super::pair::Pair;
use super::refuse::{own_migration, refuse};

/// Tables of a migration.
pub(super) struct Shape<'a> {
    pub(super) pairs: Vec<Pair<'a>>,
    /// Tables that only the old build uses.
    dropped: Vec<&'a Table>,
    /// Tables that only the new build uses.
    created: Vec<&'a Table>,
    /// Old names of tables, by their new names.
    former: BTreeMap<&'a str, &'a str>,
}

impl<'a> Shape<'a> {
    /// Compares the tables before and after the migration. Adds a problem for each change that the two builds cannot share.
    pub(super) fn new(previous: &'a Snapshot, whole: &'a Plan, problems: &mut Vec<Problem>) -> Self {
        let mut renamed_tables: BTreeMap<&str, &str> = BTreeMap::new();
        for step in &whole.changes {
            if let Change::RenameTable { from, to } = &step.change {
                renamed_tables.insert(from, to);
            }
        }
        let mut shape = Self {
            pairs: Vec::new(),
            dropped: Vec::new(),
            created: Vec::new(),
            former: renamed_tables.iter().map(|(from, to)| (*to, *from)).collect(),
        };
        for before in previous.tables() {
            let name = renamed_tables.get(before.name.as_str());
            let name = name.copied().unwrap_or(&before.name);
            let Some(after) = whole.tables.iter().find(|table| table.name == name) else {
                shape.dropped.push(before);
                continue;
            };
            let renamed = whole.changes.iter().filter_map(|step| match &step.change {
                Change::RenameColumn { table, from, to } if *table == after.name => {
                    Some((from.as_str(), to.as_str()))
                }
                _ => None,
            });
            let pair = Pair {
                before,
                after,
                renamed: renamed.collect(),
            };
            refuse(&pair, previous, &renamed_tables, problems);
            shape.pairs.push(pair);
        }
        for table in &shape.dropped {
            for key in &table.foreign_keys {
                let mut pairs = shape.pairs.iter().filter(|pair| pair.before.name == key.table);
                if pairs.any(|pair| {
                    key.targets
                        .iter()
                        .any(|target| pair.after.column(target).is_none())
                }) {
                    problems.push(own_migration(
                        &place(&table.name, &key.columns),
                        &format!(
                            "the table is dropped, and refers to a column of {} that is removed too",
                            key.table
                        ),
                    ));
                }
            }
        }
        for table in &whole.tables {
            let own = shape.pairs.iter().find(|pair| pair.after.name == table.name);
            for other in previous.tables() {
                let is_own = own.is_some_and(|pair| pair.before.name == other.name);
                if is_own || schema_of(&other.name) != schema_of(&table.name) {
                    continue;
                }
                let taken = relations_of(other);
                for name in relations_of(table)
                    .into_iter()
                    .filter(|name| taken.contains(name))
                {
                    problems.push(own_migration(
                        &table.name,
                        &format!("the old build has `{name}` as a name of {}", other.name),
                    ));
                }
            }
        }
        let known = |table: &Table| shape.pairs.iter().any(|pair| pair.after.name == table.name);
        shape.created = whole.tables.iter().filter(|table| !known(table)).collect();
        let pairs = &shape.pairs;
        for table in &whole.tables {
            for key in &table.foreign_keys {
                if pairs.iter().any(|pair| {
                    pair.after.name == key.table && key.targets.iter().any(|target| pair.is_added(target))
                }) {
                    problems.push(own_migration(
                        &place(&table.name, &key.columns),
                        &format!(
                            "it refers to a new column of {}: {}",
                            key.table,
                            key.targets.join(", ")
                        ),
                    ));
                }
            }
        }
        shape
    }

    /// Returns the tables that only the new build uses.
    pub(super) fn created(&self) -> impl Iterator<Item = &'a Table> {
        self.created.iter().copied()
    }

    /// Returns the old and new state of each renamed table.
    pub(super) fn renamed_tables(&self) -> impl Iterator<Item = (&'a Table, &'a Table)> {
        self.pairs
            .iter()
            .filter(|pair| pair.before.name != pair.after.name)
            .map(|pair| (pair.before, pair.after))
    }

    /// Returns the old tables with the new columns beside the old ones, without constraints of the new columns.
    pub(super) fn with_columns(&self) -> Vec<Table> {
        let pairs = self.pairs.iter().map(|pair| {
            let mut table = pair.before.clone();
            table.columns.extend(pair.added().map(|column| Column {
                nullable: true,
                ..column.clone()
            }));
            table
        });
        pairs
            .chain(self.dropped.iter().map(|table| (*table).clone()))
            .collect()
    }

    /// Returns the tables that both builds use, with the constraints of both.
    pub(super) fn between(&self) -> Vec<Table> {
        let mut tables = self.with_columns();
        for (table, pair) in tables.iter_mut().zip(&self.pairs) {
            let after = pair.after;
            let added = |column: &String| pair.is_added(column);
            let uniques = after.uniques.iter();
            table.uniques.extend(
                uniques
                    .filter(|key| key.columns.iter().any(added))
                    .map(|key| Unique {
                        name: pair.name_between(&key.name),
                        ..key.clone()
                    }),
            );
            let checks = after.checks.iter();
            table
                .checks
                .extend(checks.filter(|check| added(&check.column)).map(|check| Check {
                    name: pair.name_between(&check.name),
                    ..check.clone()
                }));
            let keys = after.foreign_keys.iter();
            table
                .foreign_keys
                .extend(
                    keys.filter(|key| key.columns.iter().any(added))
                        .map(|key| ForeignKey {
                            name: pair.name_between(&key.name),
                            ..key.clone()
                        }),
                );
            table.indexes.extend(pair.new_indexes());
            let kept_names = after.kept_names.iter();
            table
                .kept_names
                .extend(kept_names.map(|name| pair.name_between(name)));
            table.kept_names.extend(after.kept_names.iter().cloned());
        }
        tables.extend(self.created.iter().map(|table| (*table).clone()));
        for table in &mut tables {
            for key in &mut table.foreign_keys {
                if let Some(former) = self.former.get(key.table.as_str()) {
                    (*former).clone_into(&mut key.table);
                }
            }
        }
        tables
    }

    /// Returns the tables between the halves as the new build describes their columns: with the old columns, and without
    /// them.
    pub(super) fn contracted(&self, between: &[Table]) -> (Vec<Table>, Vec<Table>) {
        let mut completed = between.to_vec();
        for (table, pair) in completed.iter_mut().zip(&self.pairs) {
            *table = pair.completed(table);
        }
        let mut without_old = completed.clone();
        for (table, pair) in without_old.iter_mut().zip(&self.pairs) {
            *table = pair.without_old(table);
        }
        (completed, without_old)
    }

    /// Returns the tables between the halves with the new names of tables.
    pub(super) fn renamed(&self, between: &[Table]) -> Vec<Table> {
        let new_name = |name: &str| {
            let found = self.former.iter().find(|(_, from)| **from == name);
            found.map(|(to, _)| (*to).to_owned())
        };
        let mut tables = between.to_vec();
        for table in &mut tables {
            if let Some(name) = new_name(&table.name) {
                table.name = name;
            }
            for key in &mut table.foreign_keys {
                if let Some(name) = new_name(&key.table) {
                    key.table = name;
                }
            }
        }
        tables
    }
}
