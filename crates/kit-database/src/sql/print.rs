//! Prints statements for PostgreSQL.

use std::fmt::Write as _;

use kit_ir::{Nulls, ReferentialAction};

use super::check::{condition, literal};
use super::quote::{beside, identifier, relation, string_literal};
use super::{Statement, TableAction};
use crate::{Check, Column, ColumnDefault, ColumnType, ForeignKey, Index, Unique, local_name};

/// Prints statements, each with a semicolon, separated by empty lines. A remark is printed directly above the next
/// statement.
pub fn print(statements: &[Statement]) -> String {
    let mut sql = String::new();
    for (at, statement) in statements.iter().enumerate() {
        if at > 0 && !is_line(&statements[at - 1]) {
            sql.push('\n');
        }
        sql.push_str(&print_one(statement));
        if !is_line(statement) && !matches!(statement, Statement::Note(_)) {
            sql.push(';');
        }
        sql.push('\n');
    }
    sql
}

/// Name of the policy that selects the rows of the current tenant.
pub(crate) const TENANT_POLICY: &str = "kit_tenant";

/// Returns true for lines that stand above a statement.
fn is_line(statement: &Statement) -> bool {
    matches!(statement, Statement::Remark(_) | Statement::Mark(_))
}

/// Prints one statement without its semicolon.
pub fn print_one(statement: &Statement) -> String {
    match statement {
        Statement::CreateTable {
            name,
            columns,
            primary_key,
            primary_key_name,
            uniques,
            checks,
        } => {
            // Name that PostgreSQL gives the constraint by default.
            let usual = *primary_key_name == format!("{}_pkey", local_name(name));
            let inline = primary_key.len() == 1 && usual;
            let mut lines: Vec<String> = Vec::new();
            for column in columns {
                lines.push(if inline && primary_key.contains(&column.name) {
                    format!("{} PRIMARY KEY{}", head(column), defaulted(column))
                } else {
                    self::column(column)
                });
            }
            if !inline {
                let named = if usual {
                    String::new()
                } else {
                    format!("CONSTRAINT {} ", identifier(primary_key_name))
                };
                lines.push(format!("{named}PRIMARY KEY ({})", list(primary_key)));
            }
            lines.extend(uniques.iter().map(unique));
            lines.extend(checks.iter().map(check));
            format!("CREATE TABLE {} (\n  {}\n)", relation(name), lines.join(",\n  "))
        }
        Statement::DropTable { name } => format!("DROP TABLE {}", relation(name)),
        Statement::AlterTable { name, action } => {
            format!("ALTER TABLE {} {}", relation(name), self::action(action))
        }
        Statement::CreateIndex { table, index } => create_index(table, index, false),
        Statement::CreateIndexConcurrently { table, index } => create_index(table, index, true),
        Statement::DropIndex { table, name } => format!("DROP INDEX {}", beside(table, name)),
        Statement::RenameIndex { table, from, to } => {
            format!("ALTER INDEX {} RENAME TO {}", beside(table, from), identifier(to))
        }
        Statement::Comment {
            table,
            column,
            comment,
        } => {
            let place = match column {
                None => format!("TABLE {}", relation(table)),
                Some(column) => format!("COLUMN {}.{}", relation(table), identifier(column)),
            };
            let comment = comment
                .as_deref()
                .map_or_else(|| "NULL".to_owned(), string_literal);
            format!("COMMENT ON {place} IS {comment}")
        }
        Statement::CreateTenantPolicy {
            table,
            column,
            r#type,
        } => {
            let r#type = if r#type.is_text() {
                ColumnType::Text
            } else {
                *r#type
            };
            // The setting is empty after a transaction that had a tenant.
            format!(
                "CREATE POLICY {TENANT_POLICY} ON {} USING ({} = NULLIF(current_setting('kit.tenant', true), '')::{type})",
                relation(table),
                identifier(column)
            )
        }
        Statement::DropTenantPolicy { table } => {
            format!("DROP POLICY {TENANT_POLICY} ON {}", relation(table))
        }
        Statement::Lock { name } => format!("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE", relation(name)),
        Statement::Guard {
            table,
            condition,
            message,
            hint,
        } => guard(table, condition, message, hint),
        Statement::AdvanceIdentity { table, column } => {
            let (quoted, sequence) = (
                identifier(column),
                format!(
                    "pg_get_serial_sequence({}, {})",
                    string_literal(&relation(table)),
                    string_literal(column)
                ),
            );
            format!(
                "SELECT setval({sequence}, coalesce(max({quoted}), 0) + 1, false) FROM {}",
                relation(table)
            )
        }
        Statement::Remark(lines) => {
            let lines: Vec<String> = lines.iter().map(|line| format!("-- {line}")).collect();
            lines.join("\n")
        }
        Statement::Mark(line) => (*line).to_owned(),
        Statement::Text(text) | Statement::Note(text) => text.clone(),
    }
}

/// Returns the statement that creates an index. If `concurrently` is true, other sessions can write meanwhile.
///
/// ```
/// use kit_database::{Index, sql::create_index};
///
/// let index = Index {
///     name: "notes_title_idx".to_owned(),
///     columns: vec!["title".to_owned()],
///     condition: Some("deleted_at IS NULL".to_owned()),
///     ..Index::default()
/// };
/// let expected = "CREATE INDEX CONCURRENTLY notes_title_idx ON notes (title) WHERE deleted_at IS NULL";
/// assert_eq!(create_index("notes", &index, true), expected);
/// ```
pub fn create_index(table: &str, index: &Index, concurrently: bool) -> String {
    let mut text = format!(
        "CREATE {}INDEX {}{} ON {}{} ({})",
        if index.unique { "UNIQUE " } else { "" },
        if concurrently { "CONCURRENTLY " } else { "" },
        identifier(&index.name),
        relation(table),
        index
            .method
            .map_or_else(String::new, |method| format!(" USING {}", method.name())),
        index_columns(index)
    );
    if !index.include.is_empty() {
        let _ = write!(text, " INCLUDE ({})", list(&index.include));
    }
    if let Some(condition) = &index.condition {
        let _ = write!(text, " WHERE {condition}");
    }
    text
}

/// Returns the columns of an index with their operator classes and orders: `title text_pattern_ops DESC`.
pub(crate) fn index_columns(index: &Index) -> String {
    let columns = index.columns.iter().enumerate().map(|(at, column)| {
        let options = index.options.get(at).cloned().unwrap_or_default();
        let mut text = identifier(column);
        if let Some(class) = &options.operator_class {
            text.push(' ');
            text.push_str(&identifier(class));
        }
        if options.descending {
            text.push_str(" DESC");
        }
        match options.nulls {
            Some(Nulls::First) => text.push_str(" NULLS FIRST"),
            Some(Nulls::Last) => text.push_str(" NULLS LAST"),
            None => {}
        }
        text
    });
    let columns: Vec<String> = columns.collect();
    columns.join(", ")
}

fn action(of: &TableAction) -> String {
    let alter = |column: &String, what: String| format!("ALTER COLUMN {} {what}", identifier(column));
    match of {
        TableAction::AddColumn(column) => format!("ADD COLUMN {}", self::column(column)),
        TableAction::DropColumn(column) => format!("DROP COLUMN {}", identifier(column)),
        TableAction::AddUnique(constraint) => format!("ADD {}", unique(constraint)),
        TableAction::AddCheck(constraint) => format!("ADD {}", check(constraint)),
        TableAction::AddForeignKey(key) => format!("ADD {}", foreign_key(key)),
        TableAction::AddPrimaryKey { name, columns } => {
            format!(
                "ADD CONSTRAINT {} PRIMARY KEY ({})",
                identifier(name),
                list(columns)
            )
        }
        TableAction::AddNotValid(added) => format!("{} NOT VALID", action(added)),
        TableAction::AddNotNullCheck { name, column } => format!(
            "ADD CONSTRAINT {} CHECK ({} IS NOT NULL) NOT VALID",
            identifier(name),
            identifier(column)
        ),
        TableAction::ValidateConstraint(name) => format!("VALIDATE CONSTRAINT {}", identifier(name)),
        TableAction::AddKeyUsingIndex { name, primary, index } => format!(
            "ADD CONSTRAINT {} {} USING INDEX {}",
            identifier(name),
            if *primary { "PRIMARY KEY" } else { "UNIQUE" },
            identifier(index)
        ),
        TableAction::DropConstraint(constraint) => format!("DROP CONSTRAINT {}", identifier(constraint)),
        TableAction::RenameConstraint { from, to } => {
            format!("RENAME CONSTRAINT {} TO {}", identifier(from), identifier(to))
        }
        TableAction::Rename(to) => format!("RENAME TO {}", identifier(to)),
        TableAction::SetSchema(schema) => format!("SET SCHEMA {}", identifier(schema)),
        TableAction::RenameColumn { from, to } => {
            format!("RENAME COLUMN {} TO {}", identifier(from), identifier(to))
        }
        TableAction::SetType {
            column,
            r#type,
            using: None,
        } => alter(column, format!("TYPE {type}")),
        TableAction::SetType {
            column,
            r#type,
            using: Some(value),
        } => alter(column, format!("TYPE {type} USING {value}")),
        TableAction::SetDefault {
            column,
            default: ColumnDefault::Identity,
        } => alter(column, "ADD GENERATED BY DEFAULT AS IDENTITY".to_owned()),
        TableAction::SetDefault { column, default } => {
            alter(column, format!("SET DEFAULT {}", self::default(default)))
        }
        TableAction::DropDefault(column) => alter(column, "DROP DEFAULT".to_owned()),
        TableAction::DropIdentity(column) => alter(column, "DROP IDENTITY".to_owned()),
        TableAction::SetNotNull(column) => alter(column, "SET NOT NULL".to_owned()),
        TableAction::EnableRowSecurity => "ENABLE ROW LEVEL SECURITY".to_owned(),
        TableAction::ForceRowSecurity => "FORCE ROW LEVEL SECURITY".to_owned(),
        TableAction::DisableRowSecurity => "DISABLE ROW LEVEL SECURITY".to_owned(),
        TableAction::NoForceRowSecurity => "NO FORCE ROW LEVEL SECURITY".to_owned(),
        TableAction::DropNotNull(column) => alter(column, "DROP NOT NULL".to_owned()),
    }
}

/// Returns a tag for a dollar-quoted body with these parts. The body ends at its tag, so no part may contain the tag.
fn dollar_tag(parts: &[&str]) -> String {
    let mut tag = "$kit$".to_owned();
    while parts.iter().any(|part| part.contains(&tag)) {
        tag.insert(1, '_');
    }
    tag
}

/// Returns the statement that creates a schema, unless the schema exists. `CREATE SCHEMA IF NOT EXISTS` would need the right
/// `CREATE` on the database even then.
///
/// ```
/// let sql = kit_database::sql::create_schema("billing");
/// assert!(sql.contains("IF to_regnamespace('billing') IS NULL THEN\n    CREATE SCHEMA billing;"));
/// ```
pub fn create_schema(name: &str) -> String {
    let name = identifier(name);
    let text = string_literal(&name);
    let tag = dollar_tag(&[&text]);
    format!(
        "DO {tag}\nBEGIN\n  IF to_regnamespace({text}) IS NULL THEN\n    CREATE SCHEMA {name};\n  END IF;\nEND\n{tag}"
    )
}

fn guard(table: &str, condition: &str, message: &str, hint: &str) -> String {
    let table = relation(table);
    let tag = dollar_tag(&[&table, condition, message, hint]);
    // `RAISE` reads `%` as a placeholder.
    let message = string_literal(&message.replace('%', "%%"));
    let hint = string_literal(hint);
    format!(
        "DO {tag}\nBEGIN\n  IF EXISTS (SELECT FROM {table} WHERE {condition}) THEN\n    \
         RAISE EXCEPTION {message}\n      USING ERRCODE = 'check_violation', HINT = {hint};\n  END IF;\nEND\n{tag}"
    )
}

fn column(column: &Column) -> String {
    let not_null = if column.nullable { "" } else { " NOT NULL" };
    format!("{}{}{not_null}", head(column), defaulted(column))
}

fn head(column: &Column) -> String {
    format!("{} {}", identifier(&column.name), column.r#type)
}

fn defaulted(column: &Column) -> String {
    match &column.default {
        None => String::new(),
        Some(ColumnDefault::Identity) => " GENERATED BY DEFAULT AS IDENTITY".to_owned(),
        Some(default) => format!(" DEFAULT {}", self::default(default)),
    }
}

/// SQL expression of a UUID of version 7 (RFC 9562): 48 bits of the time in milliseconds, then the version, then random
/// bits. PostgreSQL has the function `uuidv7` since version 18. `clock_timestamp` differs between the rows of one
/// statement, as the time of `uuidv7` does.
const UUID_V7: &str = "encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING \
    substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid";

/// Returns the SQL expression of a default. Returns `NULL` for an identity column, because its default has no
/// expression.
pub fn default(default: &ColumnDefault) -> String {
    match default {
        ColumnDefault::RandomUuid => "gen_random_uuid()".to_owned(),
        ColumnDefault::UuidV7 => UUID_V7.to_owned(),
        ColumnDefault::Now => "now()".to_owned(),
        ColumnDefault::Identity => "NULL".to_owned(),
        ColumnDefault::Literal(value) => literal(value),
        ColumnDefault::Json(json) => format!("{}::jsonb", string_literal(json)),
        ColumnDefault::Array(text) => string_literal(text),
    }
}

/// Returns the SQL expression that converts the UTC times of a `timestamp` column to `timestamptz(3)`. The result does
/// not depend on the session's time zone.
pub(crate) fn utc_in_milliseconds(column: &str) -> String {
    format!(
        "date_trunc('milliseconds', {} AT TIME ZONE 'UTC')",
        identifier(column)
    )
}

/// Returns the SQL expression of the current time in milliseconds, for a column of the given type. The time does not
/// depend on the session's time zone. A `timestamptz(3)` column itself drops the digits below a millisecond.
pub fn now(r#type: ColumnType) -> &'static str {
    match r#type {
        ColumnType::Timestamp => "date_trunc('milliseconds', now() AT TIME ZONE 'UTC')",
        _ => "now()",
    }
}

fn unique(unique: &Unique) -> String {
    format!(
        "CONSTRAINT {} UNIQUE ({})",
        identifier(&unique.name),
        list(&unique.columns)
    )
}

fn check(check: &Check) -> String {
    format!(
        "CONSTRAINT {} CHECK ({})",
        identifier(&check.name),
        condition(&check.rule, &identifier(&check.column))
    )
}

fn foreign_key(key: &ForeignKey) -> String {
    format!(
        "CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {} ({}){}{}",
        identifier(&key.name),
        list(&key.columns),
        relation(&key.table),
        list(&key.targets),
        on("DELETE", key.actions.on_delete),
        on("UPDATE", key.actions.on_update)
    )
}

/// Returns the action of a foreign key at an event: ` ON DELETE CASCADE`. Returns an empty text for the default action.
pub(crate) fn on(event: &str, action: ReferentialAction) -> String {
    if action.is_default() {
        return String::new();
    }
    format!(" ON {event} {}", action.name().to_uppercase())
}

fn list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| identifier(name)).collect();
    names.join(", ")
}
