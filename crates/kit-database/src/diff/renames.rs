//! Plans renames of tables and columns.

use std::collections::BTreeSet;

use crate::renames_from::{self, Kind, Renames};
use crate::{Change, Table, local_name, qualified, schema_of};

use super::{Phase, Planner, classify};

impl Planner<'_> {
    /// Plans the renames that `@renamedFrom` tags declare.
    pub(super) fn renames(&mut self) {
        let after = self.after;
        let former = renames_from::tables(&self.before, after);
        self.refuse(Kind::Table, "", &former);
        for (from, to) in &former.renames {
            self.rename_table(from, to);
        }
        for table in after {
            let Some(before) = self.before.iter().find(|before| before.name == table.name) else {
                continue;
            };
            let former = renames_from::columns(&before.columns, &table.columns);
            self.refuse(Kind::Column, &format!("{}.", table.name), &former);
            for (from, to) in &former.renames {
                self.rename_column(&table.name, from, to);
            }
        }
    }

    fn refuse(&mut self, kind: Kind, place: &str, former: &Renames) {
        for (name, finding) in &former.findings {
            if finding.is_refused() {
                let (message, help) = renames_from::message_and_help(kind, name, finding);
                self.problem(&format!("{place}{name}"), message, help);
            }
        }
    }

    /// Reports a move to a schema that has a relation with the name of the table, of one of its keys or of its indexes, which
    /// move too. PostgreSQL would refuse the move.
    fn refuse_taken_names(&mut self, from: &str, to: &str) {
        if schema_of(from) == schema_of(to) {
            return;
        }
        let Some(moved) = self.before.iter().find(|table| table.name == from) else {
            return;
        };
        let names = relations_of(moved);
        let others = self
            .before
            .iter()
            .filter(|other| schema_of(&other.name) == schema_of(to));
        let taken: BTreeSet<String> = others
            .flat_map(relations_of)
            .filter(|name| names.contains(name))
            .collect();
        if !taken.is_empty() {
            let list: Vec<String> = taken.into_iter().collect();
            self.problem(
                to,
                format!(
                    "`{from}` cannot move to the other schema, which has relations with the same names as the table, its keys and its indexes: {}",
                    list.join(", ")
                ),
                format!(
                    "first give the table and its named indexes other names in a migration of its own: `@table {} @renamedFrom {from}`",
                    qualified(schema_of(from).as_deref(), &local_name(to))
                ),
            );
        }
    }

    fn rename_table(&mut self, from: &str, to: &str) {
        self.refuse_taken_names(from, to);
        self.former_tables.insert(to.to_owned(), from.to_owned());
        let Some(table) = self.before.iter_mut().find(|table| table.name == from) else {
            return;
        };
        let key = table.primary_key_name();
        to.clone_into(&mut table.name);
        let new_key = table.primary_key_name();
        for table in &mut self.before {
            for key in table.foreign_keys.iter_mut().filter(|key| key.table == from) {
                to.clone_into(&mut key.table);
            }
        }
        let (from, to) = (from.to_owned(), to.to_owned());
        let table = to.clone();
        self.push(
            Phase::Rename,
            classify::rename(),
            Change::RenameTable { from, to },
        );
        if key != new_key {
            let change = Change::RenameConstraint {
                table,
                from: key,
                to: new_key,
            };
            self.push(Phase::Rename, classify::rename_constraint(), change);
        }
    }

    fn rename_column(&mut self, table: &str, from: &str, to: &str) {
        self.former_columns
            .insert((table.to_owned(), to.to_owned()), from.to_owned());
        let rename = |name: &mut String| {
            if name == from {
                to.clone_into(name);
            }
        };
        for before in &mut self.before {
            for key in before.foreign_keys.iter_mut().filter(|key| key.table == table) {
                key.targets.iter_mut().for_each(rename);
            }
            if before.name != table {
                continue;
            }
            before
                .columns
                .iter_mut()
                .for_each(|column| rename(&mut column.name));
            before.primary_key.iter_mut().for_each(rename);
            before
                .foreign_keys
                .iter_mut()
                .for_each(|key| key.columns.iter_mut().for_each(rename));
            before
                .checks
                .iter_mut()
                .for_each(|check| rename(&mut check.column));
            before.tenant.iter_mut().for_each(rename);
            let uniques = before.uniques.iter_mut().flat_map(|unique| &mut unique.columns);
            let indexes = before
                .indexes
                .iter_mut()
                .flat_map(|index| index.columns.iter_mut().chain(&mut index.include));
            uniques.chain(indexes).for_each(rename);
        }
        let change = Change::RenameColumn {
            table: table.to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
        };
        self.push(Phase::Rename, classify::rename(), change);
    }
}

/// Returns the names of a table, of its keys and of its indexes, which must be unique in a schema.
pub(crate) fn relations_of(table: &Table) -> Vec<String> {
    let keys = table.uniques.iter().map(|unique| unique.name.clone());
    let indexes = table.indexes.iter().map(|index| index.name.clone());
    [local_name(&table.name).into_owned(), table.primary_key_name()]
        .into_iter()
        .chain(keys)
        .chain(indexes)
        .collect()
}
