//! SQL statements that make a change.

use super::Change;
use crate::online::Retype;
use crate::qualified::{parts, qualified};
use crate::sql::{
    Statement, TableAction, alter, comment, create_schema, identifier, is_timestamp_conversion, relation,
    string_literal,
};
use crate::{Column, ColumnDefault, ColumnType, Table};

impl Change {
    /// Returns the SQL statements that make the change, in the order in which they run. A change of an existing table
    /// without a [`ColumnCopy`](crate::ColumnCopy) is made in one transaction, while other sessions wait;
    /// [`Plan::sql`](crate::Plan::sql) contains the statements for a table in use.
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
