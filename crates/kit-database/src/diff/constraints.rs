//! Plans the changes to keys, constraints and indexes. Keys, constraints and indexes are compared by their
//! definitions: if only the name differs, the plan has a rename.
// tidy: long because all kinds of constraints are compared in the same way.

use crate::online::{self, Parts};
use crate::sql::{self, TableAction, identifier};
use crate::{Change, Check, ColumnType, ForeignKey, Index, Rule, Table, Unique};

use super::columns::{is_checked_again, is_rebuilt};
use super::order::Rename;
use super::{Phase, Planner, at_once, classify};

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
                        self.add_foreign_key(table, key, false, None);
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
        let has_key = !before.primary_key.is_empty();
        if has_key {
            self.record_lost_key(&after.name, &before.primary_key);
        }
        // A dropped column takes the primary key with it.
        let replaces = has_key
            && before.primary_key_name() == after.primary_key_name()
            && before.primary_key.iter().all(|column| {
                after.column(column).is_some()
                    && !self
                        .rewritten_columns
                        .contains(&(after.name.clone(), column.clone()))
            });
        if has_key && !replaces {
            self.drop_constraint(Phase::DropConstraints, &after.name, &before.primary_key_name());
        }
        let key = Unique {
            name: after.primary_key_name(),
            columns: after.primary_key.clone(),
        };
        let parts = Parts {
            checks: self.duplicate_check(after, &key.columns, None),
            change: online::add_key(&after.name, &key, true, replaces),
            ..Parts::default()
        };
        let change = Change::AddPrimaryKey {
            table: after.name.clone(),
            name: key.name,
            columns: key.columns,
            replaces,
        };
        self.push_parts(Phase::AddConstraints, classify::add_primary_key(), change, parts);
    }

    /// Returns the check that no two rows have the same values in the columns, after the changes of their types. Returns none
    /// if a column is new, or if PostgreSQL cannot read the condition yet.
    pub(super) fn duplicate_check(
        &self,
        table: &Table,
        columns: &[String],
        condition: Option<&str>,
    ) -> Vec<sql::Statement> {
        // A condition has the new names of renamed columns, so PostgreSQL cannot check it before the rename.
        if condition.is_some() && self.former_columns.keys().any(|(of, _)| *of == table.name) {
            return Vec::new();
        }
        let values: Option<Vec<String>> = columns
            .iter()
            .map(|column| self.value_after(table, column))
            .collect();
        let stored = self.stored_table(&table.name);
        values
            .map(|values| online::without_duplicates(&table.name, columns, stored, &values, condition))
            .into_iter()
            .collect()
    }

    /// Returns the expression of a stored value in the form that the value has after a change of the column's type, if values
    /// that differ become equal. Returns `None` if the column is new.
    fn value_after(&self, table: &Table, column: &str) -> Option<String> {
        let stored = identifier(self.stored_column(&table.name, column)?);
        let was = self.before.iter().find(|was| was.name == table.name);
        let from = was.and_then(|was| was.column(column)).map(|was| was.r#type);
        let to = table.column(column).map(|is| is.r#type);
        Some(match (from, to) {
            (Some(from @ ColumnType::Timestamp), Some(to @ ColumnType::Timestamptz)) => {
                online::converted(from, to, &stored)
            }
            // The extension with the type may not exist yet.
            (Some(from), Some(ColumnType::Citext)) if from != ColumnType::Citext => {
                format!("lower({stored}::text)")
            }
            _ => stored,
        })
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
            let parts = Parts {
                checks: self.duplicate_check(after, &unique.columns, None),
                change: online::add_key(&after.name, unique, false, false),
                ..Parts::default()
            };
            self.push_parts(Phase::AddConstraints, classification, change, parts);
        }
    }

    fn checks(&mut self, before: &Table, after: &Table, renames: &mut Vec<Rename>) {
        let retyped = self.retyped_columns.clone();
        let stays = |check: &Check| {
            !retyped.contains(&(after.name.clone(), check.column.clone()))
                && !is_checked_again(before, after, check)
        };
        let same = |one: &Check, other: &Check| {
            (&one.column, &one.rule) == (&other.column, &other.rule) && stays(one)
        };
        let matched = pair(&before.checks, &after.checks, same, |check| &check.name);
        for (was, check) in matched.kept {
            renames.extend(Rename::of(&after.name, &was.name, &check.name, false));
        }
        // A check that another one of the same name replaces is dropped in the transaction that adds the other one.
        let is_replaced =
            |check: &Check| stays(check) && matched.new.iter().any(|new| new.name == check.name);
        for check in &matched.gone {
            if is_replaced(check) {
                let change = Change::DropConstraint {
                    table: after.name.clone(),
                    constraint: check.name.clone(),
                    widens: false,
                };
                let (phase, parts) = (Phase::DropConstraints, Parts::default());
                self.push_parts(phase, classify::drop_constraint(), change, parts);
            } else if matches!(check.rule, Rule::Sql(_)) || after.column(&check.column).is_some() {
                // PostgreSQL drops a check together with its column, but a condition may use other columns only.
                let is_followed = matched.new.iter().any(|new| new.name == check.name);
                let change = Change::DropConstraint {
                    table: after.name.clone(),
                    constraint: check.name.clone(),
                    widens: !is_followed && classify::allows_other_values(&check.rule, None),
                };
                self.push(Phase::DropConstraints, classify::drop_constraint(), change);
            }
        }
        for check in &matched.new {
            let former = matched
                .gone
                .iter()
                .find(|former| former.name == check.name)
                .copied();
            let new = self.have_no_rows(&after.name, std::slice::from_ref(&check.column));
            let (classification, is_valid) = classify::add_check(check, former, new);
            let replaced = former.filter(|former| is_replaced(former));
            let parts = Parts {
                checks: if is_valid {
                    Vec::new()
                } else {
                    self.rule_check(before, after, check)
                },
                change: online::add_validated(
                    &after.name,
                    vec![after.name.clone()],
                    replaced.map(|former| former.name.as_str()),
                    TableAction::AddCheck((*check).clone()),
                    &check.name,
                ),
                ..Parts::default()
            };
            let change = Change::AddCheck {
                table: after.name.clone(),
                check: (*check).clone(),
                widens: former
                    .is_some_and(|former| classify::allows_other_values(&former.rule, Some(&check.rule))),
            };
            self.push_parts(Phase::AddConstraints, classification, change, parts);
        }
    }

    /// Returns the check that all rows satisfy the rule of a constraint. Returns none if the column is new.
    fn rule_check(&self, before: &Table, after: &Table, check: &Check) -> Vec<sql::Statement> {
        let place = format!("{}.{}", after.name, check.column);
        let stored = self.stored_table(&after.name);
        let (Some(name), Some(was), Some(is)) = (
            self.stored_column(&after.name, &check.column),
            before.column(&check.column),
            after.column(&check.column),
        ) else {
            return Vec::new();
        };
        let name = identifier(name);
        let is_stored = was.r#type.is_stored_as(is.r#type);
        // A condition that the user wrote has the new names of columns.
        let is_written = matches!(check.rule, Rule::Sql(_));
        let is_renamed = self.former_columns.keys().any(|(table, _)| *table == after.name);
        if is_written && (is_renamed || !is_stored) {
            return Vec::new();
        }
        let value = if is_stored {
            name
        } else {
            format!("({})", online::converted(was.r#type, is.r#type, &name))
        };
        vec![online::all_satisfy(
            &place,
            &sql::condition(&check.rule, &value),
            stored,
        )]
    }

    fn indexes(&mut self, before: &Table, after: &Table, renames: &mut Vec<Rename>) {
        let same = |one: &Index, other: &Index| one.is_defined_as(other) && !is_rebuilt(before, after, one);
        let matched = pair(&before.indexes, &after.indexes, same, |index| &index.name);
        for (was, index) in matched.kept {
            renames.extend(Rename::of(&after.name, &was.name, &index.name, true));
        }
        for index in matched.gone {
            if index.unique && index.condition.is_none() {
                self.record_lost_key(&after.name, &index.columns);
            }
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
            !lost_keys.contains(&(key.table.clone(), sorted(&key.targets)))
                && key.pairs().all(|(here, there)| {
                    !rewritten_columns.contains(&(after.name.clone(), here.to_owned()))
                        && !rewritten_columns.contains(&(key.table.clone(), there.to_owned()))
                })
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
        let is_alike = |one: &ForeignKey, other: &ForeignKey| {
            (&one.columns, &one.table, &one.targets) == (&other.columns, &other.table, &other.targets)
        };
        // A foreign key that another one between the same columns replaces is dropped in the transaction that adds the other
        // one.
        let is_replaced = |key: &ForeignKey| stays(key) && matched.new.iter().any(|new| is_alike(key, new));
        for key in &matched.gone {
            if is_replaced(key) {
                let change = Change::DropConstraint {
                    table: after.name.clone(),
                    constraint: key.name.clone(),
                    widens: false,
                };
                let (phase, parts) = (Phase::DropForeignKeys, Parts::default());
                self.push_parts(phase, classify::drop_constraint(), change, parts);
            } else {
                self.drop_constraint(Phase::DropForeignKeys, &after.name, &key.name);
            }
        }
        for key in &matched.new {
            // If both columns of a foreign key change to the same type, existing rows still satisfy the foreign key.
            let former = matched.gone.iter().find(|former| is_alike(former, key)).copied();
            let replaced = former.filter(|former| is_replaced(former));
            self.add_foreign_key(after, key, former.is_some(), replaced);
        }
    }

    /// Adds a foreign key. `known` is true if a foreign key with the same columns existed before, so that
    /// existing rows satisfy the new one. `replaced` is dropped in the same transaction.
    fn add_foreign_key(
        &mut self,
        table: &Table,
        key: &ForeignKey,
        known: bool,
        replaced: Option<&ForeignKey>,
    ) {
        let has_no_rows = |column: &&String| self.have_no_rows(&table.name, std::slice::from_ref(*column));
        let new: Vec<String> = key.columns.iter().filter(has_no_rows).cloned().collect();
        let change = Change::AddForeignKey {
            table: table.name.clone(),
            foreign_key: key.clone(),
        };
        let mut locked = self.locked_table(&change);
        if !self.created.contains(&key.table) && !locked.contains(&key.table) {
            locked.push(key.table.clone());
        }
        let (classification, parts) = if self.created.contains(&table.name) {
            let change = at_once(&change, locked);
            (
                classify::create_table(),
                Parts {
                    change,
                    ..Parts::default()
                },
            )
        } else {
            let (classification, is_valid) = classify::add_foreign_key(table, key, &new, known);
            let parts = Parts {
                checks: if is_valid {
                    Vec::new()
                } else {
                    self.reference_check(table, key)
                },
                change: online::add_validated(
                    &table.name,
                    locked,
                    replaced.map(|former| former.name.as_str()),
                    TableAction::AddForeignKey(key.clone()),
                    &key.name,
                ),
                ..Parts::default()
            };
            (classification, parts)
        };
        self.push_parts(Phase::AddForeignKeys, classification, change, parts);
    }

    /// Returns the check that all references refer to existing rows. Returns none if the values change before the foreign key
    /// is added.
    fn reference_check<'p>(&'p self, table: &Table, key: &'p ForeignKey) -> Vec<sql::Statement> {
        let is_rewritten = |table: &String, column: &String| {
            self.rewritten_columns.contains(&(table.clone(), column.clone()))
        };
        let stored = |table: &str, columns: &'p [String]| -> Option<Vec<&'p str>> {
            let columns = columns.iter();
            columns.map(|column| self.stored_column(table, column)).collect()
        };
        let Some(columns) = stored(&table.name, &key.columns) else {
            return Vec::new();
        };
        let is_changed =
            |table: &String, columns: &[String]| columns.iter().any(|column| is_rewritten(table, column));
        if is_changed(&table.name, &key.columns) || is_changed(&key.table, &key.targets) {
            return Vec::new();
        }
        let targets = stored(&key.table, &key.targets);
        if targets.is_none() && !self.created.contains(&key.table) {
            return Vec::new();
        }
        let place = crate::change::place(&table.name, &key.columns);
        let targets = targets
            .as_deref()
            .map(|targets| (self.stored_table(&key.table), targets));
        vec![online::all_refer(
            &place,
            (self.stored_table(&table.name), &columns),
            targets,
        )]
    }

    fn create_index(&mut self, table: &Table, index: &Index) {
        let created = self.created.contains(&table.name);
        let new = self.have_no_rows(&table.name, &index.columns);
        let change = Change::CreateIndex {
            table: table.name.clone(),
            index: index.clone(),
        };
        let groups = if created {
            at_once(&change, Vec::new())
        } else {
            online::create_index(&table.name, index)
        };
        let checks = if index.unique && !created && !new {
            self.duplicate_check(table, &index.columns, index.condition.as_deref())
        } else {
            Vec::new()
        };
        let parts = Parts {
            checks,
            change: groups,
            ..Parts::default()
        };
        let classification = classify::create_index(index, created, new);
        self.push_parts(Phase::Index, classification, change, parts);
    }

    fn drop_constraint(&mut self, phase: Phase, table: &str, constraint: &str) {
        let change = Change::DropConstraint {
            table: table.to_owned(),
            constraint: constraint.to_owned(),
            widens: false,
        };
        self.push(phase, classify::drop_constraint(), change);
    }

    /// Records columns that lose their primary key or unique constraint. Foreign keys that refer to the
    /// columns need this constraint, so they are dropped and added again.
    fn record_lost_key(&mut self, table: &str, columns: &[String]) {
        self.lost_keys.insert((table.to_owned(), sorted(columns)));
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

/// Returns the names in alphabetical order: a foreign key may list the columns of a key in another order.
fn sorted(columns: &[String]) -> Vec<String> {
    let mut sorted = columns.to_vec();
    sorted.sort();
    sorted
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
