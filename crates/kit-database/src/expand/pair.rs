//! A table before and after the two halves of a migration.

use std::collections::BTreeMap;

use crate::sql::{Statement, TableAction, alter, names_in};
use crate::{Column, Index, Table, names};

/// A table that exists before and after the migration.
pub(super) struct Pair<'a> {
    pub(super) before: &'a Table,
    pub(super) after: &'a Table,
    /// New names of renamed columns, by their old names.
    pub(super) renamed: BTreeMap<&'a str, &'a str>,
}

impl<'a> Pair<'a> {
    /// Returns the columns that only the new build uses.
    pub(super) fn added(&self) -> impl Iterator<Item = &'a Column> {
        let before = self.before;
        self.after
            .columns
            .iter()
            .filter(move |column| before.column(&column.name).is_none())
    }

    /// Returns the columns that only the old build uses.
    pub(super) fn removed(&self) -> impl Iterator<Item = &'a Column> {
        let after = self.after;
        self.before
            .columns
            .iter()
            .filter(move |column| after.column(&column.name).is_none())
    }

    pub(super) fn is_added(&self, column: &str) -> bool {
        self.before.column(column).is_none() && self.after.column(column).is_some()
    }

    pub(super) fn is_kept(&self, column: &str) -> bool {
        self.before.column(column).is_some() && self.after.column(column).is_some()
    }

    /// Returns true if an index contains a column that only the old build uses, so that the index goes with the column.
    pub(super) fn is_removed(&self, index: &Index) -> bool {
        let condition = index.condition.as_deref().map_or_else(Vec::new, names_in);
        let mut columns = index.columns.iter().chain(&index.include).chain(&condition);
        columns.any(|column| self.before.column(column).is_some() && self.after.column(column).is_none())
    }

    /// Returns the indexes of the new build that the first half creates, with their names between the halves.
    pub(super) fn new_indexes(&self) -> Vec<Index> {
        let mut indexes = Vec::new();
        for index in &self.after.indexes {
            let known = self.before.indexes.iter();
            if known.clone().any(|known| known.is_defined_as(index)) {
                continue;
            }
            // An index of a kept name gives way in the second half, if nothing else removes the index.
            let same_name = known.clone().find(|known| known.name == index.name);
            if same_name.is_none_or(|known| self.is_removed(known)) {
                indexes.push(Index {
                    name: self.name_between(&index.name),
                    ..index.clone()
                });
            }
        }
        indexes
    }

    /// Returns the name that a new constraint or index has between the halves. The old build may use the name until then.
    pub(super) fn name_between(&self, name: &str) -> String {
        if names_of(self.before).any(|known| known == name) {
            names::constraint(&[name], "next")
        } else {
            name.to_owned()
        }
    }

    /// Returns the name of the new build for a constraint or index that has another name between the halves.
    fn final_name(&self, name: &str) -> Option<String> {
        let mut names = names_of(self.after);
        names
            .find(|own| *own != name && self.name_between(own) == name)
            .map(str::to_owned)
    }

    /// Returns true if an index contains a column that only the new build uses.
    pub(super) fn contains_added(&self, index: &Index) -> bool {
        let mut columns = index.columns.iter().chain(&index.include);
        columns.any(|column| self.is_added(column))
    }

    /// Returns the statements that give new constraints and indexes their own names.
    pub(super) fn rename_constraints(&self, between: &Table) -> Vec<Statement> {
        let constraints = between.uniques.iter().map(|key| &key.name);
        let constraints = constraints
            .chain(between.checks.iter().map(|check| &check.name))
            .chain(between.foreign_keys.iter().map(|key| &key.name));
        let mut statements = Vec::new();
        for name in constraints {
            if let Some(to) = self.final_name(name) {
                let from = name.clone();
                statements.push(alter(&between.name, TableAction::RenameConstraint { from, to }));
            }
        }
        for index in &between.indexes {
            if let Some(to) = self.final_name(&index.name) {
                let from = index.name.clone();
                let table = between.name.clone();
                statements.push(Statement::RenameIndex { table, from, to });
            }
        }
        statements
    }

    /// Returns the table between the halves with the new columns as the new build describes them, and still with the old
    /// ones.
    pub(super) fn completed(&self, between: &Table) -> Table {
        let mut table = between.clone();
        for column in &mut table.columns {
            if let Some(new) = self
                .after
                .column(&column.name)
                .filter(|_| self.is_added(&column.name))
            {
                *column = new.clone();
                column.source = crate::ColumnSource::default();
            }
        }
        table
    }

    /// Returns the table without the columns that only the old build uses, and without everything that PostgreSQL removes
    /// with them.
    pub(super) fn without_old(&self, table: &Table) -> Table {
        let mut table = table.clone();
        let is_removed =
            |column: &String| self.before.column(column).is_some() && self.after.column(column).is_none();
        table.indexes.retain(|index| !self.is_removed(index));
        table.uniques.retain(|key| !key.columns.iter().any(is_removed));
        table.checks.retain(|check| !is_removed(&check.column));
        table
            .foreign_keys
            .retain(|key| !key.columns.iter().any(is_removed));
        table.columns.retain(|column| !is_removed(&column.name));
        let rename = |name: &mut String| {
            if let Some(own) = self.final_name(name) {
                *name = own;
            }
        };
        table.uniques.iter_mut().for_each(|key| rename(&mut key.name));
        table.checks.iter_mut().for_each(|check| rename(&mut check.name));
        table
            .foreign_keys
            .iter_mut()
            .for_each(|key| rename(&mut key.name));
        table.indexes.iter_mut().for_each(|index| rename(&mut index.name));
        table
    }
}

/// Returns the names of the constraints and indexes of a table, without the primary key.
pub(super) fn names_of(table: &Table) -> impl Iterator<Item = &str> {
    let uniques = table.uniques.iter().map(|key| key.name.as_str());
    let checks = table.checks.iter().map(|check| check.name.as_str());
    let keys = table.foreign_keys.iter().map(|key| key.name.as_str());
    let indexes = table.indexes.iter().map(|index| index.name.as_str());
    uniques.chain(checks).chain(keys).chain(indexes)
}
