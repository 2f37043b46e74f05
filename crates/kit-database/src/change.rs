//! Changes that a migration makes to the database: `CreateTable`, `AddColumn` and so on.
// tidy: long because all changes are one list.

use serde::{Deserialize, Serialize};

use crate::online::{ColumnCopy, Retype};
use crate::qualified::{parts, qualified};
use crate::sql::{
    Statement, TableAction, alter, comment, create_schema, identifier, is_timestamp_conversion, relation,
    string_literal,
};
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

    /// Returns the SQL statements that make the change, in the order in which they run. A change of an existing table
    /// without a [`ColumnCopy`] is made in one transaction, while other sessions wait; [`Plan::sql`](crate::Plan::sql)
    /// contains the statements for a table in use.
    pub fn statements(&self) -> Vec<Statement> {
        match self {
            Self::CreateTable { table } => create_table(table),
            Self::CreateSchema { name } => {
                vec![Statement::Text(create_schema(name))]
            }
            Self::CreateExtension { name } => {
                vec![Statement::Text(format!(
                    "CREATE EXTENSION IF NOT EXISTS {}",
                    identifier(name)
                ))]
            }
            Self::CreateEnum { name, labels } => {
                let labels: Vec<String> = labels.iter().map(|label| string_literal(label)).collect();
                vec![Statement::Text(format!(
                    "CREATE TYPE {} AS ENUM ({})",
                    identifier(name),
                    labels.join(", ")
                ))]
            }
            Self::AddEnumValue { name, value, before } => {
                let place = before
                    .as_deref()
                    .map(|before| format!(" BEFORE {}", string_literal(before)))
                    .unwrap_or_default();
                // A run that was interrupted may have added the value.
                vec![Statement::Text(format!(
                    "ALTER TYPE {} ADD VALUE IF NOT EXISTS {}{place}",
                    identifier(name),
                    string_literal(value)
                ))]
            }
            Self::RenameEnum { from, to } => vec![Statement::Text(format!(
                "ALTER TYPE {} RENAME TO {}",
                identifier(from),
                identifier(to)
            ))],
            Self::DropEnum { name } => vec![Statement::Text(format!("DROP TYPE {}", identifier(name)))],
            Self::DropTable { table } => vec![Statement::DropTable { name: table.clone() }],
            Self::RenameTable { from, to } => rename_table(from, to),
            Self::AddColumn { table, column } => add_column(table, column),
            Self::DropColumn { table, column } => {
                vec![alter(table, TableAction::DropColumn(column.clone()))]
            }
            Self::RenameColumn { table, from, to } => {
                let (from, to) = (from.clone(), to.clone());
                vec![alter(table, TableAction::RenameColumn { from, to })]
            }
            // The SQL of the values is only in the migration.
            Self::ReplaceColumns { .. } => Vec::new(),
            Self::SetType {
                table,
                column,
                from,
                to,
                guarded,
                copy,
            } => match copy {
                Some(copy) => Retype::new(table, column, *from, *to, *guarded, copy).statements(),
                None => set_type(table, column, *from, *to, *guarded),
            },
            Self::SetDefault {
                table,
                column,
                default,
            } => {
                let (column, default) = (column.clone(), default.clone());
                let identity = default == ColumnDefault::Identity;
                let advance = Statement::AdvanceIdentity {
                    table: table.clone(),
                    column: column.clone(),
                };
                let mut statements = vec![alter(table, TableAction::SetDefault { column, default })];
                statements.extend(identity.then_some(advance));
                statements
            }
            Self::DropDefault {
                table,
                column,
                identity,
                ..
            } => {
                let action = if *identity {
                    TableAction::DropIdentity
                } else {
                    TableAction::DropDefault
                };
                vec![alter(table, action(column.clone()))]
            }
            Self::SetNotNull { table, column } => {
                vec![alter(table, TableAction::SetNotNull(column.clone()))]
            }
            Self::DropNotNull { table, column } => {
                vec![alter(table, TableAction::DropNotNull(column.clone()))]
            }
            Self::AddPrimaryKey {
                table,
                name,
                columns,
                replaces,
            } => {
                let drop = replaces.then(|| alter(table, TableAction::DropConstraint(name.clone())));
                let (name, columns) = (name.clone(), columns.clone());
                let add = alter(table, TableAction::AddPrimaryKey { name, columns });
                drop.into_iter().chain([add]).collect()
            }
            Self::AddUnique { table, unique } => {
                vec![alter(table, TableAction::AddUnique(unique.clone()))]
            }
            Self::SetTenant {
                table,
                column,
                r#type,
                in_use: _,
            } => vec![
                Statement::CreateTenantPolicy {
                    table: table.clone(),
                    column: column.clone(),
                    r#type: *r#type,
                },
                alter(table, TableAction::EnableRowSecurity),
                alter(table, TableAction::ForceRowSecurity),
            ],
            // The next statements of the migration may run later, and without a policy nobody sees rows.
            Self::DropTenant {
                table,
                is_replaced: true,
            } => vec![Statement::DropTenantPolicy { table: table.clone() }],
            Self::DropTenant {
                table,
                is_replaced: false,
            } => vec![
                Statement::DropTenantPolicy { table: table.clone() },
                alter(table, TableAction::NoForceRowSecurity),
                alter(table, TableAction::DisableRowSecurity),
            ],
            Self::AddCheck { table, check, .. } => vec![alter(table, TableAction::AddCheck(check.clone()))],
            Self::AddForeignKey { table, foreign_key } => {
                vec![alter(table, TableAction::AddForeignKey(foreign_key.clone()))]
            }
            Self::DropConstraint {
                table, constraint, ..
            } => {
                vec![alter(table, TableAction::DropConstraint(constraint.clone()))]
            }
            Self::RenameConstraint { table, from, to } => {
                let (from, to) = (from.clone(), to.clone());
                vec![alter(table, TableAction::RenameConstraint { from, to })]
            }
            Self::CreateIndex { table, index } => vec![Statement::CreateIndex {
                table: table.clone(),
                index: index.clone(),
            }],
            Self::DropIndex { table, index } => vec![Statement::DropIndex {
                table: table.clone(),
                name: index.clone(),
            }],
            Self::RenameIndex { table, from, to } => vec![Statement::RenameIndex {
                table: table.clone(),
                from: from.clone(),
                to: to.clone(),
            }],
            Self::SetComment {
                table,
                column,
                comment,
            } => vec![Statement::Comment {
                table: table.clone(),
                column: column.clone(),
                comment: comment.clone(),
            }],
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

/// Returns the statements that give a table another name, another schema, or both.
fn rename_table(from: &str, to: &str) -> Vec<Statement> {
    let ((old_schema, old), (schema, new)) = (parts(from), parts(to));
    let mut statements = Vec::new();
    if old_schema != schema {
        statements.push(free_sequences(from, schema.as_deref()));
        statements.push(match &schema {
            Some(schema) => alter(from, TableAction::SetSchema(schema.to_string())),
            // Only the server knows the name of the first schema of the `search_path`.
            None => Statement::Text(format!(
                "DO $kit$\nBEGIN\n  EXECUTE format({}, current_schema());\nEND\n$kit$",
                string_literal(&format!(
                    "ALTER TABLE {} SET SCHEMA %I",
                    relation(from).replace('%', "%%")
                ))
            )),
        });
    }
    if old != new {
        let moved = qualified(schema.as_deref(), &old);
        statements.push(alter(&moved, TableAction::Rename(new.into_owned())));
    }
    statements
}

/// Returns the statement that gives the sequences of a table other names if the other schema has relations with their names.
/// The sequences move with the table, and the database has chosen their names.
fn free_sequences(table: &str, schema: Option<&str>) -> Statement {
    let schema = schema.map_or_else(|| "current_schema()".to_owned(), string_literal);
    Statement::Text(format!(
        "DO $kit$\nDECLARE\n  own record;\nBEGIN\n  \
         FOR own IN SELECT n.nspname, s.relname FROM pg_depend AS d JOIN pg_class AS s ON s.oid = d.objid JOIN pg_namespace AS n ON n.oid = s.relnamespace\n    \
         WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = {}::regclass\n      \
         AND d.deptype IN ('a', 'i') AND s.relkind = 'S'\n      \
         AND EXISTS (SELECT FROM pg_class AS o JOIN pg_namespace AS t ON t.oid = o.relnamespace WHERE t.nspname = {schema} AND o.relname = s.relname)\n  \
         LOOP\n    EXECUTE format('ALTER SEQUENCE %I.%I RENAME TO %I', own.nspname, own.relname, 'kit_' || md5(own.nspname || '.' || own.relname) || '_seq');\n  END LOOP;\nEND\n$kit$",
        string_literal(&relation(table))
    ))
}

fn create_table(table: &Table) -> Vec<Statement> {
    let mut statements = vec![Statement::CreateTable {
        name: table.name.clone(),
        columns: table.columns.clone(),
        primary_key: table.primary_key.clone(),
        primary_key_name: table.primary_key_name(),
        uniques: table.uniques.clone(),
        checks: table.checks.clone(),
    }];
    let own = std::iter::once((None, &table.comment));
    let columns = table
        .columns
        .iter()
        .map(|column| (Some(column.name.clone()), &column.comment));
    statements.extend(own.chain(columns).filter_map(|(column, comment)| {
        comment.clone().map(|comment| Statement::Comment {
            table: table.name.clone(),
            column,
            comment: Some(comment),
        })
    }));
    statements
}

fn add_column(table: &str, column: &Column) -> Vec<Statement> {
    let comment = comment(table, column);
    let mut statements = if column.nullable || column.default.is_some() {
        vec![alter(table, TableAction::AddColumn(column.clone()))]
    } else {
        let open = Column {
            nullable: true,
            ..column.clone()
        };
        vec![
            alter(table, TableAction::AddColumn(open)),
            alter(table, TableAction::SetNotNull(column.name.clone())),
        ]
    };
    statements.extend(comment);
    statements
}

fn set_type(table: &str, column: &str, from: ColumnType, to: ColumnType, guarded: bool) -> Vec<Statement> {
    let set = alter(
        table,
        TableAction::SetType {
            column: column.to_owned(),
            r#type: to,
            using: if guarded || matches!(to, ColumnType::Jsonb | ColumnType::Array { .. }) {
                Some(crate::online::converted(
                    from,
                    to,
                    &crate::sql::identifier(column),
                ))
            } else if is_timestamp_conversion(from, to) {
                Some(crate::sql::utc_in_milliseconds(column))
            } else {
                None
            },
        },
    );
    if is_timestamp_conversion(from, to) {
        return vec![
            Statement::Remark(vec![
                format!("{table}.{column}: the values are read as UTC, and digits below a millisecond are dropped."),
                "The table is rewritten, and its indexes are rebuilt, under an ACCESS EXCLUSIVE lock: other sessions".to_owned(),
                "cannot read or write the table meanwhile.".to_owned(),
            ]),
            set,
        ];
    }
    if !guarded {
        return vec![set];
    }
    let name = crate::sql::identifier(column);
    vec![
        Statement::Lock {
            name: table.to_owned(),
        },
        Statement::Guard {
            table: table.to_owned(),
            condition: format!("{name} IS DISTINCT FROM {name}::{to}::{from}"),
            message: format!("{table}.{column} holds values that a column of type {to} would change"),
            hint: format!(
                "Look for them with: SELECT * FROM {} WHERE {name} IS DISTINCT FROM {name}::{to}::{from}",
                crate::sql::relation(table)
            ),
        },
        set,
    ]
}
