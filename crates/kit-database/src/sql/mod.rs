//! SQL statements as a tree, and the printer for the PostgreSQL dialect.

mod check;
mod fragment;
mod print;
mod quote;

use crate::{Check, Column, ColumnDefault, ColumnType, ForeignKey, Index, Unique};

pub use crate::tables::pattern::translate as pattern;
pub use check::{condition, literal};
pub use fragment::fragment_problem;
pub(crate) use fragment::names_in;
pub(crate) use print::{TENANT_POLICY, index_columns, on, utc_in_milliseconds};
pub use print::{create_index, create_schema, default, now, print, print_one};
pub use quote::{beside, identifier, relation, string_literal};

/// Line above a statement of `migration.sql` that must run outside of a transaction, such as
/// `CREATE INDEX CONCURRENTLY`. Applies to the next statement only; the statements before and after it run
/// in separate transactions.
pub const OUTSIDE_TRANSACTION: &str = "-- kit: outside transaction";

/// Line in `migration.sql` at which a new transaction begins. The transaction before the line is committed, so that its
/// locks are free.
pub const NEW_TRANSACTION: &str = "-- kit: new transaction";

/// Line above an `UPDATE` or `DELETE` of `migration.sql` that changes a part of the rows at a time, each part in its own
/// transaction. Applies to the next statement only.
pub const IN_BATCHES: &str = "-- kit: in batches";

/// Line above an `UPDATE` that runs in batches and does not run the triggers of the table: the statement changes the form of
/// the rows and not their meaning. Applies to the next statement only.
pub const IN_BATCHES_WITHOUT_TRIGGERS: &str = "-- kit: in batches, without triggers";

/// Line in `migration.sql` at which the second half of the migration begins. `kit migrate:expand` runs the statements before
/// the line, and `kit migrate:contract` those after it.
pub const CONTRACT: &str = "-- kit: contract";

/// Beginning of the comment in `migration.sql` with the statements that undo the first half of the migration.
pub const ABORT: &str = "/* kit: abort";

/// A statement of a migration.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// `CREATE TABLE`.
    CreateTable {
        /// Name of the table.
        name: String,
        /// Columns of the table.
        columns: Vec<Column>,
        /// Names of the primary key's columns.
        primary_key: Vec<String>,
        /// Name of the primary key constraint.
        primary_key_name: String,
        /// Unique constraints.
        uniques: Vec<Unique>,
        /// Check constraints.
        checks: Vec<Check>,
    },
    /// `DROP TABLE`.
    DropTable {
        /// Name of the table.
        name: String,
    },
    /// `ALTER TABLE`.
    AlterTable {
        /// Name of the table.
        name: String,
        /// Change of the table.
        action: TableAction,
    },
    /// `CREATE INDEX`.
    CreateIndex {
        /// Name of the table.
        table: String,
        /// The index.
        index: Index,
    },
    /// `CREATE INDEX CONCURRENTLY`, which other sessions do not wait for. Runs outside of a transaction.
    CreateIndexConcurrently {
        /// Name of the table.
        table: String,
        /// The index.
        index: Index,
    },
    /// `DROP INDEX`.
    DropIndex {
        /// Name of the table, in whose schema the index is.
        table: String,
        /// Name of the index.
        name: String,
    },
    /// `ALTER INDEX … RENAME TO`.
    RenameIndex {
        /// Name of the table, in whose schema the index is.
        table: String,
        /// Old name.
        from: String,
        /// New name.
        to: String,
    },
    /// `COMMENT ON TABLE`, or on one of its columns.
    Comment {
        /// Name of the table.
        table: String,
        /// Name of the column; `None` for a comment on the table.
        column: Option<String>,
        /// Text of the comment; `None` removes the comment.
        comment: Option<String>,
    },
    /// `CREATE POLICY`: selects the rows of the current tenant.
    CreateTenantPolicy {
        /// Name of the table.
        table: String,
        /// Name of the column with the tenant of a row.
        column: String,
        /// Type of the column.
        r#type: ColumnType,
    },
    /// `DROP POLICY` for the policy of the current tenant.
    DropTenantPolicy {
        /// Name of the table.
        table: String,
    },
    /// `LOCK TABLE`: no other session reads or writes the table until the transaction ends.
    Lock {
        /// Name of the table.
        name: String,
    },
    /// A check that stops the migration if any row of a table satisfies a condition.
    Guard {
        /// Name of the table.
        table: String,
        /// The condition, in SQL.
        condition: String,
        /// Error message if a row satisfies the condition.
        message: String,
        /// Advice that PostgreSQL shows with the error message.
        hint: String,
    },
    /// Sets the sequence of an identity column to a number above all existing numbers.
    AdvanceIdentity {
        /// Name of the table.
        table: String,
        /// Name of the column.
        column: String,
    },
    /// A comment for readers of `migration.sql`. Each item is one line.
    Remark(Vec<String>),
    /// A line that kit reads, such as [`OUTSIDE_TRANSACTION`]. Applies to the next statement.
    Mark(&'static str),
    /// A comment as text, with its beginning and its end.
    Note(String),
    /// A statement as text, without its semicolon.
    Text(String),
}

/// Action of an `ALTER TABLE`.
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
    /// `ADD PRIMARY KEY`.
    AddPrimaryKey {
        /// Name of the constraint.
        name: String,
        /// Names of the columns.
        columns: Vec<String>,
    },
    /// The given action, which adds a check or a foreign key, with `NOT VALID`: PostgreSQL checks only new rows.
    AddNotValid(Box<TableAction>),
    /// `ADD CONSTRAINT … CHECK (column IS NOT NULL) NOT VALID`.
    AddNotNullCheck {
        /// Name of the constraint.
        name: String,
        /// Name of the column.
        column: String,
    },
    /// `VALIDATE CONSTRAINT`: checks all rows while other sessions read and write.
    ValidateConstraint(String),
    /// `ADD CONSTRAINT … UNIQUE USING INDEX`, or `… PRIMARY KEY USING INDEX`. The index gets the name of the constraint.
    AddKeyUsingIndex {
        /// Name of the constraint.
        name: String,
        /// True for a primary key.
        primary: bool,
        /// Name of the unique index.
        index: String,
    },
    /// `DROP CONSTRAINT`.
    DropConstraint(String),
    /// `RENAME CONSTRAINT`.
    RenameConstraint {
        /// Old name.
        from: String,
        /// New name.
        to: String,
    },
    /// `RENAME TO`, within the schema of the table. The name has no schema.
    Rename(String),
    /// `SET SCHEMA`.
    SetSchema(String),
    /// `RENAME COLUMN`.
    RenameColumn {
        /// Old name.
        from: String,
        /// New name.
        to: String,
    },
    /// `ALTER COLUMN … TYPE`.
    SetType {
        /// Name of the column.
        column: String,
        /// New type.
        r#type: ColumnType,
        /// Expression of the new value. `None` if PostgreSQL converts the values itself, as from text to text.
        using: Option<String>,
    },
    /// `ALTER COLUMN … SET DEFAULT`, or `ADD GENERATED BY DEFAULT AS IDENTITY`.
    SetDefault {
        /// Name of the column.
        column: String,
        /// The new default.
        default: ColumnDefault,
    },
    /// `ALTER COLUMN … DROP DEFAULT`.
    DropDefault(String),
    /// `ALTER COLUMN … DROP IDENTITY`.
    DropIdentity(String),
    /// `ALTER COLUMN … SET NOT NULL`.
    SetNotNull(String),
    /// `ALTER COLUMN … DROP NOT NULL`.
    DropNotNull(String),
    /// `ENABLE ROW LEVEL SECURITY`: policies hold for other roles than the owner.
    EnableRowSecurity,
    /// `FORCE ROW LEVEL SECURITY`: policies hold for the owner too.
    ForceRowSecurity,
    /// `DISABLE ROW LEVEL SECURITY`.
    DisableRowSecurity,
    /// `NO FORCE ROW LEVEL SECURITY`.
    NoForceRowSecurity,
}

/// Returns an `ALTER TABLE` with one action.
pub(crate) fn alter(table: &str, action: TableAction) -> Statement {
    Statement::AlterTable {
        name: table.to_owned(),
        action,
    }
}

/// Returns the statement for the comment of a column.
pub(crate) fn comment(table: &str, column: &Column) -> Option<Statement> {
    column.comment.clone().map(|comment| Statement::Comment {
        table: table.to_owned(),
        column: Some(column.name.clone()),
        comment: Some(comment),
    })
}

/// Returns true for a change from `timestamp`, which earlier versions of kit used for a `Date`, to `timestamptz`.
pub(crate) fn is_timestamp_conversion(from: ColumnType, to: ColumnType) -> bool {
    (from, to) == (ColumnType::Timestamp, ColumnType::Timestamptz)
}
