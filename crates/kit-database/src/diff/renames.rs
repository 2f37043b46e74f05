//! Plans renames of tables and columns.

use crate::Change;
use crate::renames_from::{self, Kind, Renames};

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

    fn rename_table(&mut self, from: &str, to: &str) {
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
