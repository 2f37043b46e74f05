//! Steps from one schema to the next.

use serde::{Deserialize, Serialize};

use crate::sql::{Statement, TableAction};
use crate::{Check, Column, ForeignKey, Index, Table, Unique};

/// One step of a migration, as `changes.json` records it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "change")]
pub enum Change {
    /// A new table with its columns, primary key, unique constraints and value lists. Its foreign keys and indexes are
    /// changes of their own, so that tables may refer to each other.
    CreateTable {
        /// The table.
        table: Table,
    },
    /// A table goes away with all its rows.
    DropTable {
        /// Its name.
        table: String,
    },
    /// A new column.
    AddColumn {
        /// Its table.
        table: String,
        /// The column.
        column: Column,
    },
    /// A column goes away with all its values.
    DropColumn {
        /// Its table.
        table: String,
        /// Its name.
        column: String,
    },
    /// A new unique constraint. Fails, and changes nothing, where rows have equal values.
    AddUnique {
        /// Its table.
        table: String,
        /// The constraint.
        unique: Unique,
    },
    /// A new value list. Fails, and changes nothing, where a row has another value.
    AddCheck {
        /// Its table.
        table: String,
        /// The constraint.
        check: Check,
    },
    /// A new reference. Fails, and changes nothing, where a row refers to none.
    AddForeignKey {
        /// Its table.
        table: String,
        /// The constraint.
        foreign_key: ForeignKey,
    },
    /// A unique constraint, a value list or a reference goes away.
    DropConstraint {
        /// Its table.
        table: String,
        /// Its name.
        constraint: String,
    },
    /// A new index.
    CreateIndex {
        /// Its table.
        table: String,
        /// The index.
        index: Index,
    },
    /// An index goes away.
    DropIndex {
        /// Its table.
        table: String,
        /// Its name.
        index: String,
    },
}

impl Change {
    /// Whether stored values are lost for good. Constraints that may turn out not to hold are not: they fail as a whole.
    pub fn is_destructive(&self) -> bool {
        matches!(self, Self::DropTable { .. } | Self::DropColumn { .. })
    }

    /// The change in a few words: `add column notes.archived`.
    pub fn summary(&self) -> String {
        match self {
            Self::CreateTable { table } => format!("create table {}", table.name),
            Self::DropTable { table } => format!("drop table {table} and all its rows"),
            Self::AddColumn { table, column } => format!("add column {table}.{}", column.name),
            Self::DropColumn { table, column } => format!("drop column {table}.{column} and all its values"),
            Self::AddUnique { table, unique } => {
                format!("make {table} ({}) unique", unique.columns.join(", "))
            }
            Self::AddCheck { table, check } => format!("limit the values of {table}.{}", check.column),
            Self::AddForeignKey { table, foreign_key } => format!(
                "let {table}.{} refer to {}.{}",
                foreign_key.column, foreign_key.table, foreign_key.target
            ),
            Self::DropConstraint { table, constraint } => format!("drop constraint {constraint} of {table}"),
            Self::CreateIndex { table, index } => format!("index {table} ({})", index.columns.join(", ")),
            Self::DropIndex { table, index } => format!("drop index {index} of {table}"),
        }
    }

    /// The statement that makes it.
    pub fn statement(&self) -> Statement {
        let alter = |table: &String, action| Statement::AlterTable {
            name: table.clone(),
            action,
        };
        match self {
            Self::CreateTable { table } => Statement::CreateTable {
                name: table.name.clone(),
                columns: table.columns.clone(),
                primary_key: table.primary_key.clone(),
                uniques: table.uniques.clone(),
                checks: table.checks.clone(),
            },
            Self::DropTable { table } => Statement::DropTable { name: table.clone() },
            Self::AddColumn { table, column } => alter(table, TableAction::AddColumn(column.clone())),
            Self::DropColumn { table, column } => alter(table, TableAction::DropColumn(column.clone())),
            Self::AddUnique { table, unique } => alter(table, TableAction::AddUnique(unique.clone())),
            Self::AddCheck { table, check } => alter(table, TableAction::AddCheck(check.clone())),
            Self::AddForeignKey { table, foreign_key } => {
                alter(table, TableAction::AddForeignKey(foreign_key.clone()))
            }
            Self::DropConstraint { table, constraint } => {
                alter(table, TableAction::DropConstraint(constraint.clone()))
            }
            Self::CreateIndex { table, index } => Statement::CreateIndex {
                table: table.clone(),
                index: index.clone(),
            },
            Self::DropIndex { index, .. } => Statement::DropIndex { name: index.clone() },
        }
    }
}
