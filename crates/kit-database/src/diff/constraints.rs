//! Plans the changes to keys, constraints and indexes. Keys, constraints and indexes are compared by their
//! definitions: if only the name differs, the plan has a rename.

use crate::{Change, Check, ForeignKey, Index, Table, Unique};

use super::order::Rename;
use super::{Phase, Planner, classify};

impl Planner<'_> {
    /// Plans the changes to constraints and indexes. Must run after the changes to tables and columns are planned.
    pub(super) fn constraints(&mut self) {
        let after = self.after;
        let before = self.before.clone();
        let mut renames = Vec::new();
        for table in after {
            match before.iter().find(|candidate| candidate.name == table.name) {
                Some(was) => {
                    self.primary_key(was, table);
                    self.uniques(was, table, &mut renames);
                    self.checks(was, table, &mut renames);
                    self.indexes(was, table, &mut renames);
                }
                None => {
                    for index in &table.indexes {
                        self.create_index(table, index);
                    }
                }
            }
        }
        // Foreign keys come last, because they need to know which primary keys and unique constraints are dropped.
        for table in after {
            match before.iter().find(|candidate| candidate.name == table.name) {
                Some(was) => self.foreign_keys(was, table, &mut renames),
                None => {
                    for key in &table.foreign_keys {
                        self.add_foreign_key(table, key, false);
                    }
                }
            }
        }
        for table in &before {
            if !after.iter().any(|kept| kept.name == table.name) {
                for key in &table.foreign_keys {
                    self.drop_constraint(Phase::DropForeignKeys, &table.name, &key.name);
                }
            }
        }
        self.rename_all(renames);
    }

    fn primary_key(&mut self, before: &Table, after: &Table) {
        if before.primary_key == after.primary_key {
            return;
        }
        // A table of hand-written SQL may have no key.
        if !before.primary_key.is_empty() {
            self.record_lost_key(&after.name, &before.primary_key);
            self.drop_constraint(Phase::DropConstraints, &after.name, &before.primary_key_name());
        }
        let change = Change::AddPrimaryKey {
            table: after.name.clone(),
            name: after.primary_key_name(),
            columns: after.primary_key.clone(),
        };
        self.push(Phase::AddConstraints, classify::add_primary_key(after), change);
    }

    fn uniques(&mut self, before: &Table, after: &Table, renames: &mut Vec<Rename>) {
        let same = |one: &Unique, other: &Unique| one.columns == other.columns;
        let matched = pair(&before.uniques, &after.uniques, same, |unique| &unique.name);
        for (was, unique) in matched.kept {
            renames.extend(Rename::of(&after.name, &was.name, &unique.name, false));
        }
        for unique in matched.gone {
            self.record_lost_key(&after.name, &unique.columns);
            // Dropping a column also drops its constraints, so they need no step of their own.
            if has(after, &unique.columns) {
                self.drop_constraint(Phase::DropConstraints, &after.name, &unique.name);
            }
        }
        for unique in matched.new {
            let new = self.have_no_rows(&after.name, &unique.columns);
            let change = Change::AddUnique {
                table: after.name.clone(),
                unique: unique.clone(),
            };
            let classification = classify::add_unique(after, unique, new);
            self.push(Phase::AddConstraints, classification, change);
        }
    }

    fn checks(&mut self, before: &Table, after: &Table, renames: &mut Vec<Rename>) {
        let rewritten_columns = self.rewritten_columns.clone();
        let stays = |check: &Check| !rewritten_columns.contains(&(after.name.clone(), check.column.clone()));
        let same = |one: &Check, other: &Check| {
            (&one.column, &one.rule) == (&other.column, &other.rule) && stays(one)
        };
        let matched = pair(&before.checks, &after.checks, same, |check| &check.name);
        for (was, check) in matched.kept {
            renames.extend(Rename::of(&after.name, &was.name, &check.name, false));
        }
        for check in &matched.gone {
            if check.column.is_empty() || after.column(&check.column).is_some() {
                self.drop_constraint(Phase::DropConstraints, &after.name, &check.name);
            }
        }
        for check in matched.new {
            let former = matched.gone.iter().find(|former| former.name == check.name);
            let new = self.have_no_rows(&after.name, std::slice::from_ref(&check.column));
            let change = Change::AddCheck {
                table: after.name.clone(),
                check: check.clone(),
            };
            let classification = classify::add_check(after, check, former.copied(), new);
            self.push(Phase::AddConstraints, classification, change);
        }
    }

    fn indexes(&mut self, before: &Table, after: &Table, renames: &mut Vec<Rename>) {
        let same = |one: &Index, other: &Index| one.is_defined_as(other);
        let matched = pair(&before.indexes, &after.indexes, same, |index| &index.name);
        for (was, index) in matched.kept {
            renames.extend(Rename::of(&after.name, &was.name, &index.name, true));
        }
        for index in matched.gone {
            if has(after, &index.columns) {
                let change = Change::DropIndex {
                    table: after.name.clone(),
                    index: index.name.clone(),
                };
                self.push(Phase::DropConstraints, classify::drop_index(), change);
            }
        }
        for index in matched.new {
            self.create_index(after, index);
        }
    }

    fn foreign_keys(&mut self, before: &Table, after: &Table, renames: &mut Vec<Rename>) {
        let (rewritten_columns, lost_keys) = (self.rewritten_columns.clone(), self.lost_keys.clone());
        let stays = |key: &ForeignKey| {
            let (here, there) = (
                (after.name.clone(), key.column.clone()),
                (key.table.clone(), key.target.clone()),
            );
            !rewritten_columns.contains(&here)
                && !rewritten_columns.contains(&there)
                && !lost_keys.contains(&there)
        };
        let same = |one: &ForeignKey, other: &ForeignKey| {
            let named_alike = ForeignKey {
                name: other.name.clone(),
                ..one.clone()
            };
            named_alike == *other && stays(one)
        };
        let matched = pair(&before.foreign_keys, &after.foreign_keys, same, |key| &key.name);
        for (was, key) in matched.kept {
            renames.extend(Rename::of(&after.name, &was.name, &key.name, false));
        }
        for key in &matched.gone {
            self.drop_constraint(Phase::DropForeignKeys, &after.name, &key.name);
        }
        for key in matched.new {
            // If both columns of a foreign key change to the same type, existing rows still satisfy the foreign key.
            let known = matched.gone.iter().any(|former| {
                (&former.column, &former.table, &former.target) == (&key.column, &key.table, &key.target)
            });
            self.add_foreign_key(after, key, known);
        }
    }

    /// Adds a foreign key. `known` is true if a foreign key with the same columns existed before, so that
    /// existing rows satisfy the new one.
    fn add_foreign_key(&mut self, table: &Table, key: &ForeignKey, known: bool) {
        let new = self.have_no_rows(&table.name, std::slice::from_ref(&key.column));
        let change = Change::AddForeignKey {
            table: table.name.clone(),
            foreign_key: key.clone(),
        };
        let classification = if self.created.contains(&table.name) {
            classify::create_table()
        } else {
            classify::add_foreign_key(table, key, new, known)
        };
        self.push(Phase::AddForeignKeys, classification, change);
    }

    fn create_index(&mut self, table: &Table, index: &Index) {
        let created = self.created.contains(&table.name);
        let new = self.have_no_rows(&table.name, &index.columns);
        let classification = classify::create_index(table, index, created, new);
        let change = Change::CreateIndex {
            table: table.name.clone(),
            index: index.clone(),
        };
        self.push(Phase::Index, classification, change);
    }

    fn drop_constraint(&mut self, phase: Phase, table: &str, constraint: &str) {
        let change = Change::DropConstraint {
            table: table.to_owned(),
            constraint: constraint.to_owned(),
        };
        self.push(phase, classify::drop_constraint(), change);
    }

    /// Records a column that loses its primary key or unique constraint. Foreign keys that refer to the
    /// column need this constraint, so they are dropped and added again.
    fn record_lost_key(&mut self, table: &str, columns: &[String]) {
        if let [column] = columns {
            self.lost_keys.insert((table.to_owned(), column.clone()));
        }
    }

    /// Returns true if the columns contain no stored values yet, because the table or each of the columns is
    /// new.
    fn have_no_rows(&self, table: &str, columns: &[String]) -> bool {
        self.created.contains(table)
            || columns
                .iter()
                .all(|column| self.added.contains(&(table.to_owned(), column.clone())))
    }
}

fn has(table: &Table, columns: &[String]) -> bool {
    columns.iter().all(|column| table.column(column).is_some())
}

/// Result of [`pair`]: constraints or indexes that the old and the new table have, that only the old table
/// has, and that only the new table has.
struct Matched<'a, T> {
    kept: Vec<(&'a T, &'a T)>,
    gone: Vec<&'a T>,
    new: Vec<&'a T>,
}

/// Pairs items with the same definition. Items that also have the same name are paired first.
fn pair<'a, T>(
    before: &'a [T],
    after: &'a [T],
    same: impl Fn(&T, &T) -> bool,
    name: impl Fn(&T) -> &String,
) -> Matched<'a, T> {
    let mut gone: Vec<&T> = before.iter().collect();
    let mut new: Vec<&T> = after.iter().collect();
    let mut kept = Vec::new();
    for by_name in [true, false] {
        new.retain(|candidate| {
            let found = gone
                .iter()
                .position(|was| same(was, candidate) && (!by_name || name(was) == name(candidate)));
            if let Some(at) = found {
                kept.push((gone.remove(at), *candidate));
            }
            found.is_none()
        });
    }
    Matched { kept, gone, new }
}
