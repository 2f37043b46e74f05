//! SQL as a tree of statements, and the printer of PostgreSQL's dialect.

mod print;
mod quote;

use crate::{Check, Column, ForeignKey, Index, Unique};

pub use print::print;
pub use quote::{identifier, text};

/// A statement of a migration.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// `CREATE TABLE`.
    CreateTable {
        /// Its name.
        name: String,
        /// Its columns.
        columns: Vec<Column>,
        /// The primary key's columns.
        primary_key: Vec<String>,
        /// Unique constraints.
        uniques: Vec<Unique>,
        /// Value lists.
        checks: Vec<Check>,
    },
    /// `DROP TABLE`.
    DropTable {
        /// Its name.
        name: String,
    },
    /// `ALTER TABLE`.
    AlterTable {
        /// Its name.
        name: String,
        /// What happens to it.
        action: TableAction,
    },
    /// `CREATE INDEX`.
    CreateIndex {
        /// Its table.
        table: String,
        /// The index.
        index: Index,
    },
    /// `DROP INDEX`.
    DropIndex {
        /// Its name.
        name: String,
    },
}

/// What `ALTER TABLE` does.
#[derive(Debug, Clone, PartialEq)]
pub enum TableAction {
    /// `ADD COLUMN`.
    AddColumn(Column),
    /// `DROP COLUMN`.
    DropColumn(String),
    /// `ADD CONSTRAINT … UNIQUE`.
    AddUnique(Unique),
    /// `ADD CONSTRAINT … CHECK`.
    AddCheck(Check),
    /// `ADD CONSTRAINT … FOREIGN KEY`.
    AddForeignKey(ForeignKey),
    /// `DROP CONSTRAINT`.
    DropConstraint(String),
}
