//! Keys, constraints and indexes, by what they say: one that says the same under another name is renamed.

use crate::{Change, Check, ForeignKey, Index, Table, Unique};

use super::order::Rename;
use super::{Phase, Planner, verdicts};

impl Planner<'_> {
    /// What becomes of constraints and indexes, once it is known what becomes of tables and columns.
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
        // Only now it is known which keys are gone that references stand on.
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
                    self.drop_constraint(Phase::Release, &table.name, &key.name);
                }
            }
        }
        self.rename_all(renames);
    }

    fn primary_key(&mut self, before: &Table, after: &Table) {
        if before.primary_key == after.primary_key {
            return;
        }
        self.unkey(&after.name, &before.primary_key);
        self.drop_constraint(Phase::Loosen, &after.name, &before.primary_key_name());
        let change = Change::AddPrimaryKey {
            table: after.name.clone(),
            name: after.primary_key_name(),
            columns: after.primary_key.clone(),
        };
        self.push(Phase::Constrain, verdicts::add_primary_key(after), change);
    }

    fn uniques(&mut self, before: &Table, after: &Table, renames: &mut Vec<Rename>) {
        let same = |one: &Unique, other: &Unique| one.columns == other.columns;
        let matched = pair(&before.uniques, &after.uniques, same, |unique| &unique.name);
        for (was, unique) in matched.kept {
            renames.extend(Rename::of(&after.name, &was.name, &unique.name, false));
        }
        for unique in matched.gone {
            self.unkey(&after.name, &unique.columns);
            // A column that goes takes along what stands on it.
            if has(after, &unique.columns) {
                self.drop_constraint(Phase::Loosen, &after.name, &unique.name);
            }
        }
        for unique in matched.new {
            let new = self.are_new(&after.name, &unique.columns);
            let change = Change::AddUnique {
                table: after.name.clone(),
                unique: unique.clone(),
            };
            let verdict = verdicts::add_unique(after, unique, new);
            self.push(Phase::Constrain, verdict, change);
        }
    }

    fn checks(&mut self, before: &Table, after: &Table, renames: &mut Vec<Rename>) {
        let retyped = self.retyped.clone();
        let stays = |check: &Check| !retyped.contains(&(after.name.clone(), check.column.clone()));
        let same = |one: &Check, other: &Check| {
            (&one.column, &one.rule) == (&other.column, &other.rule) && stays(one)
        };
        let matched = pair(&before.checks, &after.checks, same, |check| &check.name);
        for (was, check) in matched.kept {
            renames.extend(Rename::of(&after.name, &was.name, &check.name, false));
        }
        for check in &matched.gone {
            if after.column(&check.column).is_some() {
                self.drop_constraint(Phase::Loosen, &after.name, &check.name);
            }
        }
        for check in matched.new {
            let former = matched.gone.iter().find(|former| former.name == check.name);
            let new = self.are_new(&after.name, std::slice::from_ref(&check.column));
            let change = Change::AddCheck {
                table: after.name.clone(),
                check: check.clone(),
            };
            let verdict = verdicts::add_check(after, check, former.copied(), new);
            self.push(Phase::Constrain, verdict, change);
        }
    }

    fn indexes(&mut self, before: &Table, after: &Table, renames: &mut Vec<Rename>) {
        let same = |one: &Index, other: &Index| one.columns == other.columns;
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
                self.push(Phase::Loosen, verdicts::drop_index(), change);
            }
        }
        for index in matched.new {
            self.create_index(after, index);
        }
    }

    fn foreign_keys(&mut self, before: &Table, after: &Table, renames: &mut Vec<Rename>) {
        let (retyped, unkeyed) = (self.retyped.clone(), self.unkeyed.clone());
        let stays = |key: &ForeignKey| {
            let (here, there) = (
                (after.name.clone(), key.column.clone()),
                (key.table.clone(), key.target.clone()),
            );
            !retyped.contains(&here) && !retyped.contains(&there) && !unkeyed.contains(&there)
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
            self.drop_constraint(Phase::Release, &after.name, &key.name);
        }
        for key in matched.new {
            // Every row that refers to one does so afterwards, whatever type the two columns have: both change alike.
            let known = matched.gone.iter().any(|former| {
                (&former.column, &former.table, &former.target) == (&key.column, &key.table, &key.target)
            });
            self.add_foreign_key(after, key, known);
        }
    }

    /// `known`: a reference that said the same of the rows held until now.
    fn add_foreign_key(&mut self, table: &Table, key: &ForeignKey, known: bool) {
        let new = self.are_new(&table.name, std::slice::from_ref(&key.column));
        let change = Change::AddForeignKey {
            table: table.name.clone(),
            foreign_key: key.clone(),
        };
        let verdict = if self.created.contains(&table.name) {
            verdicts::create_table()
        } else {
            verdicts::add_foreign_key(table, key, new, known)
        };
        self.push(Phase::Connect, verdict, change);
    }

    fn create_index(&mut self, table: &Table, index: &Index) {
        let verdict = verdicts::create_index(table, index, self.created.contains(&table.name));
        let change = Change::CreateIndex {
            table: table.name.clone(),
            index: index.clone(),
        };
        self.push(Phase::Index, verdict, change);
    }

    fn drop_constraint(&mut self, phase: Phase, table: &str, constraint: &str) {
        let change = Change::DropConstraint {
            table: table.to_owned(),
            constraint: constraint.to_owned(),
        };
        self.push(phase, verdicts::drop_constraint(), change);
    }

    /// Notes that references to these columns lose what they stand on.
    fn unkey(&mut self, table: &str, columns: &[String]) {
        if let [column] = columns {
            self.unkeyed.insert((table.to_owned(), column.clone()));
        }
    }

    /// Whether no row can have a value there: the table is new, or each of the columns is.
    fn are_new(&self, table: &str, columns: &[String]) -> bool {
        self.created.contains(table)
            || columns
                .iter()
                .all(|column| self.added.contains(&(table.to_owned(), column.clone())))
    }
}

fn has(table: &Table, columns: &[String]) -> bool {
    columns.iter().all(|column| table.column(column).is_some())
}

/// Which of the things that were there are there still.
struct Matched<'a, T> {
    kept: Vec<(&'a T, &'a T)>,
    gone: Vec<&'a T>,
    new: Vec<&'a T>,
}

/// Pairs things that say the same, first those that are named alike too.
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
