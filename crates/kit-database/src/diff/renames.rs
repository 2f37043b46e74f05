//! Tables and columns under other names.

use crate::{Change, Column, Table, names};

use super::{Phase, Planner, verdicts};

impl Planner<'_> {
    /// Renames what `@renamedFrom` says, wherever the new name is not there yet and the former one is: the tag may stay in the
    /// source for ever.
    pub(super) fn renames(&mut self) {
        for table in self.after {
            if let Some(from) = self.former_table(table) {
                self.rename_table(&from, &table.name);
            }
        }
        for table in self.after {
            for column in &table.columns {
                if let Some(from) = self.former_column(table, column) {
                    self.rename_column(&table.name, &from, &column.name);
                }
            }
        }
    }

    fn former_table(&mut self, table: &Table) -> Option<String> {
        let from = table.renamed_from.as_ref()?;
        let known = |name: &str| self.before.iter().any(|table| table.name == name);
        if known(&table.name) || !known(from) {
            return None;
        }
        if self.after.iter().any(|other| other.name == *from) {
            self.problem(
                &table.name,
                format!("it was `{from}` before (`@renamedFrom`), and there is a table `{from}` in the types as well"),
                "rename in one migration, and add the other table in the next one",
            );
            return None;
        }
        Some(from.clone())
    }

    fn former_column(&mut self, table: &Table, column: &Column) -> Option<String> {
        let written = column.source.renamed_from.as_ref()?;
        let before = self.before.iter().find(|before| before.name == table.name)?;
        if before.column(&column.name).is_some() {
            return None;
        }
        // The name of a property or of a column.
        let from = [written.clone(), names::column(written)]
            .into_iter()
            .find(|name| before.column(name).is_some())?;
        if table.column(&from).is_some() {
            self.problem(
                &format!("{}.{}", table.name, column.name),
                format!("it was `{from}` before (`@renamedFrom`), and there is a column `{from}` in the types as well"),
                "rename in one migration, and add the other property in the next one",
            );
            return None;
        }
        Some(from)
    }

    fn rename_table(&mut self, from: &str, to: &str) {
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
            verdicts::rename(),
            Change::RenameTable { from, to },
        );
        self.push(
            Phase::Rename,
            verdicts::rename_constraint(),
            Change::RenameConstraint {
                table,
                from: key,
                to: new_key,
            },
        );
    }

    fn rename_column(&mut self, table: &str, from: &str, to: &str) {
        let rename = |name: &mut String| {
            if name == from {
                to.clone_into(name);
            }
        };
        for before in &mut self.before {
            for key in before.foreign_keys.iter_mut().filter(|key| key.table == table) {
                rename(&mut key.target);
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
                .for_each(|key| rename(&mut key.column));
            before
                .checks
                .iter_mut()
                .for_each(|check| rename(&mut check.column));
            let uniques = before.uniques.iter_mut().flat_map(|unique| &mut unique.columns);
            let indexes = before.indexes.iter_mut().flat_map(|index| &mut index.columns);
            uniques.chain(indexes).for_each(rename);
        }
        let change = Change::RenameColumn {
            table: table.to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
        };
        self.push(Phase::Rename, verdicts::rename(), change);
    }
}
