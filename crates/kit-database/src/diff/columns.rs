//! Plans the changes to the columns of a table that exists before and after the migration.

use crate::{Change, Column, ColumnDefault, Snapshot, Table};

use super::types::{Conversion, conversion};
use super::{Phase, Planner, classify};

impl Planner<'_> {
    /// Plans the changes to the columns of a table.
    pub(super) fn columns(&mut self, before: &Table, after: &Table) {
        for column in &before.columns {
            match after.column(&column.name) {
                Some(kept) => self.compare(after, column, kept),
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
        self.push(Phase::Create, classify::add_column(table, column), change);
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
    fn compare(&mut self, owner: &Table, before: &Column, after: &Column) {
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
            let change = Change::DropDefault {
                table,
                column,
                identity,
            };
            self.push(Phase::Alter, classify::drop_default(), change);
        }
        if type_changes {
            self.set_type(owner, before, after);
        }
        if before.nullable != after.nullable {
            let (table, column) = place();
            if after.nullable {
                self.push(
                    Phase::Alter,
                    classify::drop_not_null(),
                    Change::DropNotNull { table, column },
                );
            } else {
                let classification = classify::set_not_null(&table, after);
                self.push(Phase::Alter, classification, Change::SetNotNull { table, column });
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

    fn set_type(&mut self, owner: &Table, before: &Column, after: &Column) {
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
            return;
        };
        // A change between `text` and `varchar` keeps the constraints of the column, so they are not dropped and added
        // again.
        if !(from.is_text() && to.is_text()) {
            self.rewritten_columns
                .insert((table.to_owned(), after.name.clone()));
        }
        let change = Change::SetType {
            table: table.to_owned(),
            column: after.name.clone(),
            from,
            to,
            guarded: conversion == Conversion::Guarded,
        };
        let is_key = owner.primary_key.contains(&after.name)
            || owner
                .uniques
                .iter()
                .any(|unique| unique.columns.contains(&after.name));
        let classification = classify::set_type(table, after, from, conversion, is_key);
        self.push(Phase::Alter, classification, change);
    }
}
