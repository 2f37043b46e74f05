//! Plans the changes to the columns of a table that exists before and after the migration.

use kit_ir::LiteralValue;

use crate::online::{self, Parts, Retype};
use crate::sql::names_in;
use crate::{
    Change, Check, Column, ColumnCopy, ColumnDefault, ColumnType, ForeignKey, Index, Rule, Snapshot, Table,
    Unique,
};

use super::types::{Conversion, conversion};
use super::{Phase, Planner, at_once, classify};

impl Planner<'_> {
    /// Plans the changes to the columns of a table.
    pub(super) fn columns(&mut self, before: &Table, after: &Table) {
        for column in &before.columns {
            match after.column(&column.name) {
                Some(kept) => self.compare(before, after, column, kept),
                None => self.drop_column(before, after, column),
            }
        }
        for column in &after.columns {
            if before.column(&column.name).is_none() {
                self.add_column(&after.name, column);
            }
        }
        if before.comment != after.comment {
            self.comment(&after.name, None, after.comment.clone());
        }
    }

    fn drop_column(&mut self, before: &Table, after: &Table, column: &Column) {
        let successor = after.columns.iter().find(|candidate| {
            before.column(&candidate.name).is_none() && candidate.r#type.is_stored_as(column.r#type)
        });
        let classification = classify::drop_column(&after.name, column, successor);
        let change = Change::DropColumn {
            table: after.name.clone(),
            column: column.name.clone(),
        };
        self.push(Phase::Remove, classification, change);
    }

    fn add_column(&mut self, table: &str, column: &Column) {
        self.added.insert((table.to_owned(), column.name.clone()));
        let change = Change::AddColumn {
            table: table.to_owned(),
            column: Snapshot::without_property(column),
        };
        let parts = Parts {
            change: online::add_column(table, column),
            ..Parts::default()
        };
        self.push_parts(Phase::Create, classify::add_column(table, column), change, parts);
    }

    fn comment(&mut self, table: &str, column: Option<String>, comment: Option<String>) {
        let change = Change::SetComment {
            table: table.to_owned(),
            column,
            comment,
        };
        self.push(Phase::Comment, classify::comment(), change);
    }

    /// Plans the changes to a column that exists before and after the migration. A default that the new type
    /// cannot store is dropped before the type changes. An identity column becomes `NOT NULL` before it gets
    /// its default, because PostgreSQL requires this order.
    fn compare(&mut self, was: &Table, owner: &Table, before: &Column, after: &Column) {
        let table = owner.name.as_str();
        let place = || (table.to_owned(), after.name.clone());
        let type_changes = !before.r#type.is_stored_as(after.r#type);
        let identity = before.default == Some(ColumnDefault::Identity);
        let counts = after.default == Some(ColumnDefault::Identity);
        let keeps_default =
            before.default == after.default && (!type_changes || identity || before.default.is_none());
        if !keeps_default
            && before.default.is_some()
            && (after.default.is_none() || type_changes || identity || counts)
        {
            let (table, column) = place();
            let required = after.default.is_none() && !after.nullable;
            let change = Change::DropDefault {
                table,
                column,
                identity,
                required,
            };
            self.push(Phase::Alter, classify::drop_default(required), change);
        }
        let is_copied = type_changes && self.set_type(was, owner, before, after);
        if before.nullable != after.nullable {
            let (table, column) = place();
            if after.nullable {
                self.push(
                    Phase::Alter,
                    classify::drop_not_null(),
                    Change::DropNotNull { table, column },
                );
            } else {
                let stored = (self.stored_table(&table), self.stored_column(&table, &column));
                let checks = vec![online::without_null(
                    &table,
                    &column,
                    stored.0,
                    stored.1.unwrap_or(&column),
                )];
                let locked = vec![table.clone()];
                let groups = online::set_not_null(&table, &column);
                let change = Change::SetNotNull { table, column };
                let change_groups = if is_copied {
                    // The copied column cannot be null, so this statement reads no row.
                    at_once(&change, locked)
                } else {
                    groups
                };
                let parts = Parts {
                    checks,
                    change: change_groups,
                    ..Parts::default()
                };
                self.push_parts(Phase::Alter, classify::set_not_null(), change, parts);
            }
        }
        if let Some(default) = after.default.clone().filter(|_| !keeps_default) {
            let (table, column) = place();
            let change = Change::SetDefault {
                table,
                column,
                default,
            };
            self.push(Phase::Alter, classify::set_default(counts), change);
        }
        if before.comment != after.comment {
            self.comment(table, Some(after.name.clone()), after.comment.clone());
        }
    }

    /// Plans the change of a type. Returns true if a copy of the column replaces the column.
    fn set_type(&mut self, was: &Table, owner: &Table, before: &Column, after: &Column) -> bool {
        let table = owner.name.as_str();
        let (from, to) = (before.r#type, after.r#type);
        let Some(conversion) = conversion(from, to) else {
            self.problem(
                &format!("{table}.{}", after.name),
                format!("its type changes from {from} to {to}, and kit knows no safe conversion between these types"),
                format!(
                    "add another property in a separate migration, fill its column with an UPDATE that you write into that migration, \
                     and remove this property afterwards; or, if the values may be lost, rename the property (without \
                     `@renamedFrom`), so that {} is dropped and a new column is created",
                    after.name
                ),
            );
            return false;
        };
        let place = (table.to_owned(), after.name.clone());
        // PostgreSQL would read all rows to check the constraints of a column whose type changes, so they are dropped and
        // added again.
        self.retyped_columns.insert(place.clone());
        if conversion != Conversion::Free {
            self.rewritten_columns.insert(place);
        }
        let stored = self.stored_table(table);
        let used = [
            format!("column {table}.{}", after.name),
            format!(
                "column {stored}.{}",
                self.stored_column(table, &after.name).unwrap_or(&after.name)
            ),
        ];
        // PostgreSQL rebuilds indexes and constraints of hand-written SQL if it rewrites the table.
        let is_foreign = self
            .foreign
            .iter()
            .any(|object| object.uses.iter().any(|one| used.contains(one)));
        let unique = unique_with_condition(was, owner, &after.name);
        let copy = (conversion != Conversion::Free && !is_foreign && unique.is_none())
            .then(|| copy(was, owner, after));
        // PostgreSQL would keep the former comparison in a condition, as in `mail::text <> ''`.
        let changes_comparison = [from, to]
            .iter()
            .any(|one| matches!(one, ColumnType::Citext | ColumnType::Enum { .. }));
        if copy.is_none() && (changes_comparison || online::needs_query(from, to)) {
            let (user, help) = match unique.filter(|_| !is_foreign) {
                Some(index) => (
                    format!("the condition of the unique index {}", index.name),
                    "first remove the tag of the index from the types, and migrate; then change the type, and write the tag again",
                ),
                None => (
                    "hand-written SQL".to_owned(),
                    "first drop what uses the column in a migration of its own, which `kit migrate:generate --empty` begins",
                ),
            };
            self.problem(
                &format!("{table}.{}", after.name),
                format!("its type changes from {from} to {to}, and {user} uses the column"),
                help,
            );
            return false;
        }
        // Values that differ become equal.
        let merges = matches!(conversion, Conversion::Caseless | Conversion::Milliseconds);
        let former = keys(was);
        let merged: Vec<_> = keys(owner)
            .into_iter()
            .filter(|key| merges && key.0.contains(&after.name) && former.contains(key))
            .collect();
        let refers = |key: &ForeignKey| key.table == table && key.targets.contains(&after.name);
        let mut references = self.after.iter().flat_map(|other| &other.foreign_keys);
        // The builds share the primary key and the columns to which other tables refer.
        let is_undivided = owner.primary_key.contains(&after.name) || references.any(refers);
        let classification = classify::set_type(from, to, conversion, !merged.is_empty(), copy.is_some())
            .undivided(is_undivided);
        let guarded = conversion == Conversion::Guarded;
        let parts = copy.as_ref().map(|copy| {
            self.retype(
                (was, owner),
                &Retype::new(table, &after.name, from, to, guarded, copy),
                copy,
                after,
            )
        });
        let change = Change::SetType {
            table: table.to_owned(),
            column: after.name.clone(),
            from,
            to,
            guarded,
            copy: copy.map(Box::new),
        };
        let is_copied = parts.is_some();
        let mut parts = parts.unwrap_or_else(|| Parts {
            change: at_once(&change, vec![table.to_owned()]),
            ..Parts::default()
        });
        for (columns, condition) in merged {
            parts
                .checks
                .extend(self.duplicate_check(owner, columns, condition));
        }
        self.push_parts(Phase::Alter, classification, change, parts);
        is_copied
    }

    fn retype(
        &self,
        (was, owner): (&Table, &Table),
        retype: &Retype<'_>,
        copy: &ColumnCopy,
        after: &Column,
    ) -> Parts {
        let table = was.name.as_str();
        let stored = self.stored_table(table);
        let name = |column: &String| self.stored_column(table, column).unwrap_or(column).to_owned();
        let mut checks = retype.checks((stored, &name(&after.name)), &self.known_objects(was));
        if let ColumnType::Enum { .. } = after.r#type {
            let values = after.labels.iter().cloned().map(LiteralValue::String).collect();
            let value = format!("{}::text", crate::sql::identifier(&name(&after.name)));
            checks.push(online::all_satisfy(
                &format!("{table}.{}", after.name),
                &crate::sql::condition(&Rule::Values(values), &value),
                stored,
            ));
        }
        // The index of a second column whose type changes needs the first column in its new form.
        let keys = copy.primary_key.iter().chain(&copy.uniques);
        let shares_index = keys
            .flat_map(|key| &key.columns)
            .chain(copy.indexes.iter().flat_map(|index| &index.columns))
            .any(|column| *column != after.name && is_converted(was, owner, column));
        let (prepare, mut change) = (retype.prepare(), retype.swap());
        if shares_index {
            change.splice(0..0, prepare);
            return Parts {
                checks,
                change,
                ..Parts::default()
            };
        }
        Parts {
            checks,
            prepare,
            change,
        }
    }

    /// Returns the present names of constraints and indexes of a table, and of foreign keys that refer to the table.
    fn known_objects(&self, table: &Table) -> Vec<String> {
        let keys = self.before.iter().flat_map(|other| {
            let own = other.name == table.name;
            other
                .foreign_keys
                .iter()
                .filter(move |key| own || key.table == table.name)
                .map(|key| key.name.clone())
        });
        let former = Table {
            name: self.stored_table(&table.name).to_owned(),
            ..table.clone()
        };
        let uniques = table.uniques.iter().map(|unique| unique.name.clone());
        let checks = table.checks.iter().map(|check| check.name.clone());
        let indexes = table.indexes.iter().map(|index| index.name.clone());
        std::iter::once(former.primary_key_name())
            .chain(uniques)
            .chain(checks)
            .chain(indexes)
            .chain(keys)
            .collect()
    }
}

/// Returns the columns and the condition of each key and unique index of a table.
fn keys(table: &Table) -> Vec<(&[String], Option<&str>)> {
    let uniques = table.uniques.iter().map(|unique| unique.columns.as_slice());
    let indexes = table.indexes.iter().filter(|index| index.unique);
    std::iter::once(table.primary_key.as_slice())
        .chain(uniques)
        .map(|columns| (columns, None))
        .chain(indexes.map(|index| (index.columns.as_slice(), index.condition.as_deref())))
        .collect()
}

/// Returns the columns of a table whose values get another form.
fn converted<'a>(before: &'a Table, after: &'a Table) -> impl Iterator<Item = &'a String> {
    let names = after.columns.iter().map(|column| &column.name);
    names.filter(|name| is_converted(before, after, name))
}

/// Returns true for an index that must be dropped before the values of a column get another form, and then created again: it
/// uses the column outside of its key. A unique index stays, because rows would be equal meanwhile.
pub(super) fn is_rebuilt(before: &Table, after: &Table, index: &Index) -> bool {
    !index.unique && converted(before, after).any(|column| index.uses_outside_key(column))
}

/// Returns true for a check that must be dropped before the values of a column get another form, and then added again.
pub(super) fn is_checked_again(before: &Table, after: &Table, check: &Check) -> bool {
    match &check.rule {
        Rule::Sql(condition) => {
            let names = names_in(condition);
            converted(before, after).any(|column| names.contains(column))
        }
        _ => false,
    }
}

/// Returns the unique index that uses the column, and that uses a column whose values get another form outside of its key.
fn unique_with_condition<'a>(before: &'a Table, after: &Table, column: &String) -> Option<&'a Index> {
    before.indexes.iter().find(|index| {
        index.unique
            && (index.columns.contains(column) || index.uses_outside_key(column))
            && converted(before, after).any(|other| index.uses_outside_key(other))
    })
}

/// Returns true if the values of a column get another form.
fn is_converted(before: &Table, after: &Table, name: &str) -> bool {
    match (before.column(name), after.column(name)) {
        (Some(was), Some(is)) => {
            !was.r#type.is_stored_as(is.r#type) && conversion(was.r#type, is.r#type) != Some(Conversion::Free)
        }
        _ => false,
    }
}

/// Returns the copy that replaces a column.
fn copy(before: &Table, after: &Table, column: &Column) -> ColumnCopy {
    let contains = |columns: &[String]| columns.contains(&column.name);
    let uniques: Vec<Unique> = after
        .uniques
        .iter()
        .filter(|unique| contains(&unique.columns))
        .filter(|unique| before.uniques.iter().any(|was| was.columns == unique.columns))
        .cloned()
        .collect();
    let indexes: Vec<_> = after
        .indexes
        .iter()
        .filter(|index| contains(&index.columns) && !is_rebuilt(before, after, index))
        .filter(|index| before.indexes.iter().any(|was| was.is_defined_as(index)))
        .cloned()
        .collect();
    let primary_key =
        (before.primary_key == after.primary_key && contains(&after.primary_key)).then(|| Unique {
            name: after.primary_key_name(),
            columns: after.primary_key.clone(),
        });
    let kept = before.column(&column.name).and_then(|was| was.default.clone());
    ColumnCopy {
        not_null: !column.nullable,
        identity: kept == Some(ColumnDefault::Identity) && column.default == kept,
        comment: column.comment.clone(),
        primary_key,
        uniques,
        indexes,
    }
}
