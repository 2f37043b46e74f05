//! Changes that a migration makes to the database: `CreateTable`, `AddColumn` and so on.

mod statements;

use serde::{Deserialize, Serialize};

use crate::online::ColumnCopy;
use crate::{Check, Column, ColumnDefault, ColumnType, ForeignKey, Index, Table, Unique};

/// A change of a migration, as recorded in `changes.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "change")]
pub enum Change {
    /// Creates a table with its columns, primary key, unique constraints, checks and comments. Foreign keys and indexes
    /// are separate changes, so that tables may refer to each other.
    CreateTable {
        /// The new table.
        table: Table,
    },
    /// Creates a schema, unless it exists.
    CreateSchema {
        /// Name of the schema.
        name: String,
    },
    /// Creates an extension, unless it exists.
    CreateExtension {
        /// Name of the extension.
        name: String,
    },
    /// Creates an enum type.
    CreateEnum {
        /// Name of the type.
        name: String,
        /// Values, in order.
        labels: Vec<String>,
    },
    /// Adds a value to an enum type.
    AddEnumValue {
        /// Name of the type.
        name: String,
        /// The new value.
        value: String,
        /// Value before which the new value stands in the order of the type; `None` for the end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<String>,
    },
    /// Renames an enum type. All columns with the type keep their values.
    RenameEnum {
        /// Old name.
        from: String,
        /// New name.
        to: String,
    },
    /// Drops an enum type.
    DropEnum {
        /// Name of the type.
        name: String,
    },
    /// Drops a table with all its rows.
    DropTable {
        /// Name of the table.
        table: String,
    },
    /// Renames a table, moves the table to another schema, or both.
    RenameTable {
        /// Old name.
        from: String,
        /// New name.
        to: String,
    },
    /// Adds a column. A required column without a default is added as nullable. It becomes `NOT NULL` after SQL that
    /// the user writes has filled it.
    AddColumn {
        /// Name of the table.
        table: String,
        /// The new column.
        column: Column,
    },
    /// Drops a column with all its values.
    DropColumn {
        /// Name of the table.
        table: String,
        /// Name of the column.
        column: String,
    },
    /// Renames a column.
    RenameColumn {
        /// Name of the table.
        table: String,
        /// Old name.
        from: String,
        /// New name.
        to: String,
    },
    /// Replaces columns by others that contain the same values in another form. Only in a migration in two halves, which has
    /// the SQL of the values.
    ReplaceColumns {
        /// Name of the table.
        table: String,
        /// Names of the old columns.
        from: Vec<String>,
        /// Names of the new columns.
        to: Vec<String>,
    },
    /// Changes the type of a column. If `guarded` is true, fails and changes nothing if a value would differ after a
    /// conversion to the new type and back.
    SetType {
        /// Name of the table.
        table: String,
        /// Name of the column.
        column: String,
        /// Old type.
        from: ColumnType,
        /// New type.
        to: ColumnType,
        /// True if the conversion may lose values, so that all values are checked first.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        guarded: bool,
        /// Column that is filled while the application runs, and then replaces the column. `None` if PostgreSQL changes only
        /// the definition of the column, or rewrites the table.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        copy: Option<Box<ColumnCopy>>,
    },
    /// Sets or replaces the default of a column. Existing rows keep their values.
    SetDefault {
        /// Name of the table.
        table: String,
        /// Name of the column.
        column: String,
        /// The new default.
        default: ColumnDefault,
    },
    /// Removes the default of a column.
    DropDefault {
        /// Name of the table.
        table: String,
        /// Name of the column.
        column: String,
        /// True if the column is an identity column, whose default is the next number of a sequence.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        identity: bool,
        /// True if the column cannot be null and gets no other default, so that inserts without a value fail.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        required: bool,
    },
    /// Makes a column `NOT NULL`. Fails, and changes nothing, if a row has no value.
    SetNotNull {
        /// Name of the table.
        table: String,
        /// Name of the column.
        column: String,
    },
    /// Makes a column nullable.
    DropNotNull {
        /// Name of the table.
        table: String,
        /// Name of the column.
        column: String,
    },
    /// Adds a primary key.
    AddPrimaryKey {
        /// Name of the table.
        table: String,
        /// Name of the constraint.
        name: String,
        /// Names of the columns.
        columns: Vec<String>,
        /// True if the table has a primary key of the same name, which the new one replaces.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        replaces: bool,
    },
    /// Adds a unique constraint. Fails, and changes nothing, if rows have equal values.
    AddUnique {
        /// Name of the table.
        table: String,
        /// The constraint.
        unique: Unique,
    },
    /// Adds a check. Fails, and changes nothing, if a row does not satisfy the check.
    AddCheck {
        /// Name of the table.
        table: String,
        /// The constraint.
        check: Check,
        /// True if the column may have values that its former list of values does not contain.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        widens: bool,
    },
    /// Adds a foreign key. Fails, and changes nothing, if a row refers to a row that does not exist.
    AddForeignKey {
        /// Name of the table.
        table: String,
        /// The constraint.
        foreign_key: ForeignKey,
    },
    /// Drops a primary key, unique constraint, check or foreign key.
    DropConstraint {
        /// Name of the table.
        table: String,
        /// Name of the constraint.
        constraint: String,
        /// True if the constraint is a list of values that no other check replaces.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        widens: bool,
    },
    /// Renames a constraint.
    RenameConstraint {
        /// Name of the table.
        table: String,
        /// Old name.
        from: String,
        /// New name.
        to: String,
    },
    /// Creates an index.
    CreateIndex {
        /// Name of the table.
        table: String,
        /// The index.
        index: Index,
    },
    /// Drops an index.
    DropIndex {
        /// Name of the table.
        table: String,
        /// Name of the index.
        index: String,
    },
    /// Renames an index.
    RenameIndex {
        /// Name of the table.
        table: String,
        /// Old name.
        from: String,
        /// New name.
        to: String,
    },
    /// Lets a policy select the rows of the current tenant, also for the owner of the table.
    SetTenant {
        /// Name of the table.
        table: String,
        /// Name of the column with the tenant of a row.
        column: String,
        /// Type of the column.
        r#type: ColumnType,
        /// True if the table exists before the migration and has no such policy, so that applications use all its rows.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        in_use: bool,
    },
    /// Removes the policy of the current tenant. Every role with rights on the table sees all rows, unless the policy is
    /// replaced: then no role sees rows until the new policy exists.
    DropTenant {
        /// Name of the table.
        table: String,
        /// True if the same migration creates the policy again.
        is_replaced: bool,
    },
    /// Sets, replaces or removes the comment of a table or column (`COMMENT ON`).
    SetComment {
        /// Name of the table.
        table: String,
        /// Name of the column; `None` for a comment on the table.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<String>,
        /// Text of the comment; `None` removes the comment.
        #[serde(default)]
        comment: Option<String>,
    },
}

impl Change {
    /// Returns the name of the changed table, after a rename.
    pub(crate) fn table(&self) -> &str {
        match self {
            Self::CreateSchema { .. }
            | Self::CreateExtension { .. }
            | Self::CreateEnum { .. }
            | Self::AddEnumValue { .. }
            | Self::RenameEnum { .. }
            | Self::DropEnum { .. } => "",
            Self::CreateTable { table } => &table.name,
            Self::RenameTable { to: table, .. }
            | Self::DropTable { table }
            | Self::AddColumn { table, .. }
            | Self::DropColumn { table, .. }
            | Self::RenameColumn { table, .. }
            | Self::ReplaceColumns { table, .. }
            | Self::SetType { table, .. }
            | Self::SetDefault { table, .. }
            | Self::DropDefault { table, .. }
            | Self::SetNotNull { table, .. }
            | Self::DropNotNull { table, .. }
            | Self::AddPrimaryKey { table, .. }
            | Self::AddUnique { table, .. }
            | Self::AddCheck { table, .. }
            | Self::AddForeignKey { table, .. }
            | Self::DropConstraint { table, .. }
            | Self::RenameConstraint { table, .. }
            | Self::CreateIndex { table, .. }
            | Self::DropIndex { table, .. }
            | Self::RenameIndex { table, .. }
            | Self::SetComment { table, .. }
            | Self::SetTenant { table, .. }
            | Self::DropTenant { table, .. } => table,
        }
    }

    /// Returns true if queries of an application that was built before the change can fail or return other values after the
    /// change: renames, drops, changes of a type, required columns without a default, and policies that hide or show rows.
    /// [`PlannedChange::breaks_running_app`](crate::PlannedChange::breaks_running_app) also knows rules that its rows may
    /// break.
    pub(crate) fn breaks_running_app(&self) -> bool {
        match self {
            Self::DropTable { .. }
            | Self::DropColumn { .. }
            | Self::RenameTable { .. }
            | Self::RenameColumn { .. }
            | Self::ReplaceColumns { .. }
            // Rust servers name the type in their queries.
            | Self::RenameEnum { .. }
            | Self::DropTenant { .. } => true,
            Self::SetTenant { in_use, .. } => *in_use,
            Self::SetType { from, to, .. } => !(from.is_any_text() && to.is_any_text()),
            Self::AddColumn { column, .. } => !column.nullable && column.default.is_none(),
            Self::DropDefault { required, .. } => *required,
            _ => false,
        }
    }

    /// Returns true if rows may have values after the change that an application from before the change does not expect: null,
    /// or values that its list of values does not contain.
    pub(crate) fn allows_unknown_values(&self) -> bool {
        match self {
            Self::DropNotNull { .. } | Self::AddEnumValue { .. } => true,
            Self::AddCheck { widens, .. } | Self::DropConstraint { widens, .. } => *widens,
            _ => false,
        }
    }

    /// Returns true if the change permanently deletes stored values. A constraint that existing rows may
    /// violate is not destructive: if a row violates it, adding the constraint fails and changes nothing.
    pub fn is_destructive(&self) -> bool {
        matches!(self, Self::DropTable { .. } | Self::DropColumn { .. })
    }

    /// Returns a short description of the change: `add column notes.archived`.
    pub fn summary(&self) -> String {
        match self {
            Self::CreateTable { table } => format!("create table {}", table.name),
            Self::CreateSchema { name } => format!("create schema {name}"),
            Self::CreateExtension { name } => format!("create extension {name}"),
            Self::CreateEnum { name, .. } => format!("create enum type {name}"),
            Self::AddEnumValue { name, value, .. } => format!("add value '{value}' to enum type {name}"),
            Self::RenameEnum { from, to } => format!("rename enum type {from} to {to}"),
            Self::DropEnum { name } => format!("drop enum type {name}"),
            Self::DropTable { table } => format!("drop table {table} and all its rows"),
            Self::RenameTable { from, to } => format!("rename table {from} to {to}"),
            Self::AddColumn { table, column } => format!("add column {table}.{}", column.name),
            Self::DropColumn { table, column } => format!("drop column {table}.{column} and all its values"),
            Self::RenameColumn { table, from, to } => format!("rename column {table}.{from} to {to}"),
            Self::ReplaceColumns { table, from, to } => {
                format!("replace {table} ({}) by ({})", from.join(", "), to.join(", "))
            }
            Self::SetType {
                table,
                column,
                from,
                to,
                ..
            } => format!("change the type of {table}.{column} from {from} to {to}"),
            Self::SetDefault { table, column, .. } => format!("set the default of {table}.{column}"),
            Self::DropDefault { table, column, .. } => format!("drop the default of {table}.{column}"),
            Self::SetNotNull { table, column } => format!("no longer let {table}.{column} be null"),
            Self::DropNotNull { table, column } => format!("let {table}.{column} be null"),
            Self::AddPrimaryKey { table, columns, .. } => {
                format!("make {table} ({}) the primary key", columns.join(", "))
            }
            Self::AddUnique { table, unique } => {
                format!("make {table} ({}) unique", unique.columns.join(", "))
            }
            Self::AddCheck { table, check, .. } if check.column.is_empty() => {
                format!("limit the rows of {table} by {}", check.name)
            }
            Self::AddCheck { table, check, .. } => format!("limit the values of {table}.{}", check.column),
            Self::AddForeignKey { table, foreign_key } => format!(
                "let {} refer to {}",
                place(table, &foreign_key.columns),
                place(&foreign_key.table, &foreign_key.targets)
            ),
            Self::DropConstraint {
                table, constraint, ..
            } => format!("drop constraint {constraint} of {table}"),
            Self::RenameConstraint { table, from, to } => {
                format!("rename constraint {from} of {table} to {to}")
            }
            Self::CreateIndex { table, index } => format!("index {table} ({})", index.columns.join(", ")),
            Self::DropIndex { table, index } => format!("drop index {index} of {table}"),
            Self::RenameIndex { table, from, to } => format!("rename index {from} of {table} to {to}"),
            Self::SetTenant { table, column, .. } => {
                format!("show each tenant only its rows of {table}, by {column}")
            }
            Self::DropTenant {
                table,
                is_replaced: false,
            } => format!("show the rows of {table} to every tenant"),
            Self::DropTenant {
                table,
                is_replaced: true,
            } => format!("hide the rows of {table} until the new policy of tenants exists"),
            Self::SetComment { table, column, .. } => match column {
                None => format!("comment on {table}"),
                Some(column) => format!("comment on {table}.{column}"),
            },
        }
    }
}

/// Returns a table with columns: `notes.author_id`, or `notes (tenant_id, author_id)`.
pub(crate) fn place(table: &str, columns: &[String]) -> String {
    match columns {
        [only] => format!("{table}.{only}"),
        several => format!("{table} ({})", several.join(", ")),
    }
}
