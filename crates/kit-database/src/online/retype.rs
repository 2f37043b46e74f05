//! Change of the type of a column of a table in use.

use serde::{Deserialize, Serialize};

use super::{Group, not_null_check, validate};
use crate::sql::{
    Statement, TENANT_POLICY, TableAction, alter, identifier, is_timestamp_conversion, relation,
    string_literal,
};
use crate::{Column, ColumnDefault, ColumnType, ElementType, Index, Unique, local_name, names};

/// Column that replaces a column of another type.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ColumnCopy {
    /// True if the column cannot be null.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_null: bool,
    /// True if the default of the column is the next number of a sequence.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub identity: bool,
    /// Comment of the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Primary key that contains the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary_key: Option<Unique>,
    /// Unique constraints that contain the column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uniques: Vec<Unique>,
    /// Indexes that contain the column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<Index>,
}

/// Change of the type of a column. A second column is filled while the application runs, and then replaces the first.
pub(crate) struct Retype<'a> {
    table: &'a str,
    column: &'a str,
    from: ColumnType,
    to: ColumnType,
    guarded: bool,
    copy: &'a ColumnCopy,
}

impl<'a> Retype<'a> {
    pub(crate) fn new(
        table: &'a str,
        column: &'a str,
        from: ColumnType,
        to: ColumnType,
        guarded: bool,
        copy: &'a ColumnCopy,
    ) -> Self {
        Self {
            table,
            column,
            from,
            to,
            guarded,
            copy,
        }
    }

    /// Returns all statements, without the lines that divide them into steps.
    pub(crate) fn statements(&self) -> Vec<Statement> {
        let flat = |group: Group| match group {
            Group::Locks(_, statements) => statements,
            Group::Outside(statement) => vec![statement],
            Group::Batches(text) => vec![Statement::Text(text)],
            Group::Place(_) => Vec::new(),
        };
        self.prepare()
            .into_iter()
            .chain(self.swap())
            .flat_map(flat)
            .collect()
    }

    /// Name of the column that is filled.
    fn next(&self) -> String {
        names::constraint(&[self.column], "kit_next")
    }

    /// Name of the trigger and of its function.
    fn trigger(&self) -> String {
        // The hash separates `user.role_id` from `user_role.id`. Functions of all tables share one schema.
        let parts = [self.table, self.column];
        names::with_hash(
            &names::constraint(&[names::TRIGGER_PREFIX, &local_name(parts[0]), parts[1]], "next"),
            &parts,
            "next",
        )
    }

    fn next_name(name: &str) -> String {
        names::constraint(&[name], "next")
    }

    fn filled_check(&self) -> String {
        names::constraint(&[&local_name(self.table), self.column], "filled")
    }

    fn not_null_check(&self) -> String {
        super::not_null_check_name(self.table, &self.next())
    }

    /// Returns the expression of the new value. `value` is the old value in SQL.
    fn converted(&self, value: &str) -> String {
        converted(self.from, self.to, value)
    }

    /// Returns the columns of an index with the new column in place of the old one.
    fn columns(&self, columns: &[String]) -> Vec<String> {
        let renamed = |column: &String| {
            if column == self.column {
                self.next()
            } else {
                column.clone()
            }
        };
        columns.iter().map(renamed).collect()
    }

    fn locks(&self, statements: Vec<Statement>) -> Group {
        Group::Locks(vec![self.table.to_owned()], statements)
    }

    /// Returns the groups that add, fill and check the new column, and build its indexes.
    pub(crate) fn prepare(&self) -> Vec<Group> {
        let (table, next) = (self.table, self.next());
        let (quoted, old, new) = (relation(table), identifier(self.column), identifier(&next));
        let trigger = identifier(&self.trigger());
        let add = TableAction::AddColumn(Column {
            name: next.clone(),
            r#type: self.to,
            nullable: true,
            default: None,
            comment: None,
            labels: Vec::new(),
            source: crate::ColumnSource::default(),
        });
        let function = format!(
            "CREATE FUNCTION {trigger}() RETURNS trigger LANGUAGE plpgsql AS $kit$\nBEGIN\n  NEW.{new} := {};\n  RETURN NEW;\nEND\n$kit$",
            self.converted(&format!("NEW.{old}"))
        );
        let create = format!(
            "CREATE TRIGGER {trigger} BEFORE INSERT OR UPDATE ON {quoted} FOR EACH ROW EXECUTE FUNCTION {trigger}()"
        );
        // Every row has a new value with the same meaning. Without this check, a row could lose its value.
        let filled = if self.guarded {
            let (from, own) = comparable(self.from, &old);
            format!("{own} IS NOT DISTINCT FROM {}", converted(self.to, from, &new))
        } else {
            format!("({old} IS NULL) = ({new} IS NULL)")
        };
        let filled = format!(
            "ALTER TABLE {quoted} ADD CONSTRAINT {} CHECK ({filled}) NOT VALID",
            identifier(&self.filled_check())
        );
        let mut groups = vec![
            self.locks(vec![
                Statement::Remark(vec![
                    format!("{table}.{} becomes {}: the column {next} is filled while the application runs, and the trigger keeps it up to", self.column, self.to),
                    "date. At the end, the column takes the place of the old one in one short transaction.".to_owned(),
                ]),
                alter(table, add),
                Statement::Text(function),
                Statement::Text(create),
                Statement::Text(filled),
            ]),
            Group::Batches(format!(
                "UPDATE {quoted} SET {new} = {} WHERE {new} IS NULL AND {old} IS NOT NULL",
                self.converted(&old)
            )),
            validate(table, &self.filled_check()),
        ];
        if self.copy.not_null {
            groups.extend(not_null_check(table, &next, &self.not_null_check()));
        }
        let keys = self.copy.primary_key.iter().chain(&self.copy.uniques);
        let keys = keys.map(|key| Index {
            name: key.name.clone(),
            columns: key.columns.clone(),
            unique: true,
            ..Index::default()
        });
        groups.extend(keys.chain(self.copy.indexes.iter().cloned()).map(|index| {
            Group::Outside(Statement::CreateIndexConcurrently {
                table: table.to_owned(),
                index: Index {
                    name: Self::next_name(&index.name),
                    columns: self.columns(&index.columns),
                    ..index
                },
            })
        }));
        groups
    }

    /// Returns the group that puts the new column in the place of the old one.
    pub(crate) fn swap(&self) -> Vec<Group> {
        let (table, column) = (self.table, self.column);
        let quoted = relation(table);
        let trigger = identifier(&self.trigger());
        let sequence = format!(
            "pg_get_serial_sequence({}, {})",
            string_literal(&quoted),
            string_literal(column)
        );
        let mut statements = vec![
            Statement::Text(format!("DROP TRIGGER {trigger} ON {quoted}")),
            Statement::Text(format!("DROP FUNCTION {trigger}()")),
        ];
        if self.copy.identity {
            // The sequence of the old column is dropped with the column.
            statements.push(Statement::Text(format!(
                "SELECT set_config('kit.next_number', nextval({sequence})::text, true)"
            )));
        }
        statements.extend([
            alter(table, TableAction::DropColumn(column.to_owned())),
            alter(
                table,
                TableAction::RenameColumn {
                    from: self.next(),
                    to: column.to_owned(),
                },
            ),
        ]);
        if self.copy.not_null {
            statements.extend([
                alter(table, TableAction::SetNotNull(column.to_owned())),
                alter(table, TableAction::DropConstraint(self.not_null_check())),
            ]);
        }
        let keys = self.copy.primary_key.iter().map(|key| (key, true));
        statements.extend(keys.chain(self.copy.uniques.iter().map(|key| (key, false))).map(
            |(key, primary)| {
                alter(
                    table,
                    TableAction::AddKeyUsingIndex {
                        name: key.name.clone(),
                        primary,
                        index: Self::next_name(&key.name),
                    },
                )
            },
        ));
        statements.extend(self.copy.indexes.iter().map(|index| Statement::RenameIndex {
            table: table.to_owned(),
            from: Self::next_name(&index.name),
            to: index.name.clone(),
        }));
        if self.copy.identity {
            let default = TableAction::SetDefault {
                column: column.to_owned(),
                default: ColumnDefault::Identity,
            };
            statements.extend([
                alter(table, default),
                Statement::Text(format!(
                    "SELECT setval({sequence}, current_setting('kit.next_number')::bigint, false)"
                )),
            ]);
        }
        if let Some(comment) = &self.copy.comment {
            statements.push(Statement::Comment {
                table: table.to_owned(),
                column: Some(column.to_owned()),
                comment: Some(comment.clone()),
            });
        }
        vec![self.locks(statements)]
    }

    /// Returns the checks that must pass before the migration changes anything. `stored` is the present name of the table
    /// and the column; `known` has the present names of the constraints and indexes that kit creates again.
    pub(crate) fn checks(&self, stored: (&str, &str), known: &[String]) -> Vec<Statement> {
        let (table, name) = (stored.0, identifier(stored.1));
        let mut checks = vec![
            Statement::Remark(vec![format!(
                "Stops the migration if something that kit did not create uses {}.{}, such as a view or another index.",
                self.table, self.column
            )]),
            unknown_objects(
                stored,
                known,
                &format!(
                    "the type of {}.{} cannot change, because these use the column, and kit did not create them: ",
                    self.table, self.column
                ),
            ),
        ];
        // The enum type may not exist yet. The planner compares the values with its list.
        if self.guarded && !matches!(self.to, ColumnType::Enum { .. }) {
            let there = converted(self.from, self.to, &name);
            // A text that is no value of an enum type is an error, so such values are compared as texts.
            let (from, own) = match self.from {
                ColumnType::Enum { .. } => (ColumnType::Text, format!("{name}::text")),
                from => comparable(from, &name),
            };
            let condition = format!("{own} IS DISTINCT FROM {}", converted(self.to, from, &there));
            checks.push(Statement::Guard {
                table: table.to_owned(),
                message: format!(
                    "{}.{} holds values that a column of type {} would change",
                    self.table, self.column, self.to
                ),
                hint: format!(
                    "Look for them with: SELECT * FROM {} WHERE {condition}",
                    relation(table)
                ),
                condition,
            });
        }
        checks
    }
}

/// Returns the type and the expression with which a converted value is compared. PostgreSQL cannot compare `citext` with an
/// enum type, and would ignore the case.
fn comparable(from: ColumnType, value: &str) -> (ColumnType, String) {
    match from {
        ColumnType::Citext => (ColumnType::Text, format!("{value}::text")),
        from => (from, value.to_owned()),
    }
}

/// Returns the expression of a value that is converted to another type. `value` is SQL.
pub(crate) fn converted(from: ColumnType, to: ColumnType, value: &str) -> String {
    if is_timestamp_conversion(from, to) {
        return format!("date_trunc('milliseconds', {value} AT TIME ZONE 'UTC')");
    }
    match (from, to) {
        (ColumnType::Jsonb, ColumnType::Array { .. }) => format!(
            "(SELECT ARRAY(SELECT jsonb_array_elements_text({value})) WHERE {value} IS NOT NULL)::{to}"
        ),
        // PostgreSQL converts a text at the assignment. The name of the type is unknown until the extension exists.
        (_, ColumnType::Citext) => value.to_owned(),
        (ColumnType::Enum { .. }, ColumnType::Enum { .. }) => format!("{value}::text::{to}"),
        // A decimal number is a text in JSON.
        (
            ColumnType::Array {
                element: ElementType::Numeric { .. },
            },
            ColumnType::Jsonb,
        ) => format!("to_jsonb({value}::text[])"),
        (ColumnType::Array { .. }, ColumnType::Jsonb) => format!("to_jsonb({value})"),
        _ => format!("{value}::{to}"),
    }
}

/// Returns true if the conversion needs a query, which PostgreSQL does not allow in the definition of a column.
pub(crate) fn needs_query(from: ColumnType, to: ColumnType) -> bool {
    matches!((from, to), (ColumnType::Jsonb, ColumnType::Array { .. }))
}

/// Returns a statement that stops the migration if something that kit does not know depends on the column, because it would
/// be dropped with the old column. `stored` is the present name of the table and the column, `known` has the names of the
/// constraints and indexes of kit, and `message` is the text before the list of objects.
pub(crate) fn unknown_objects(stored: (&str, &str), known: &[String], message: &str) -> Statement {
    let list = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| string_literal(name)).collect();
        names.join(", ")
    };
    let names = if known.is_empty() {
        "''".to_owned()
    } else {
        list(known)
    };
    let hint = "Drop them in an earlier migration, and create them again in a later migration";
    let (table, column) = (string_literal(&relation(stored.0)), string_literal(stored.1));
    Statement::Text(format!(
        "DO $kit$\nDECLARE\n  found text;\nBEGIN\n  \
         SELECT string_agg(DISTINCT pg_describe_object(d.classid, d.objid, d.objsubid), ', ') INTO found\n    \
         FROM pg_depend AS d JOIN pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid\n    \
         LEFT JOIN pg_class AS c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid\n    \
         LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid\n    \
         LEFT JOIN pg_attrdef AS f ON d.classid = 'pg_attrdef'::regclass AND f.oid = d.objid\n    \
         LEFT JOIN pg_policy AS p ON d.classid = 'pg_policy'::regclass AND p.oid = d.objid\n    \
         WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = {table}::regclass AND a.attname = {column}\n      \
         AND coalesce(c.relname, k.conname, '') NOT IN ({names})\n      \
         AND (p.oid IS NULL OR p.polname <> '{TENANT_POLICY}')\n      \
         AND (c.relkind IS NULL OR c.relkind <> 'S') AND (k.contype IS NULL OR k.contype <> 'n')\n      \
         AND (f.oid IS NULL OR f.adrelid <> d.refobjid OR f.adnum <> d.refobjsubid);\n  \
         IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = {table}::regclass AND attname = {column} AND attacl IS NOT NULL) THEN\n    \
         found := concat_ws(', ', found, 'privileges on the column');\n  \
         END IF;\n  \
         IF found IS NOT NULL THEN\n    \
         RAISE EXCEPTION USING MESSAGE = {} || found, HINT = {};\n  \
         END IF;\nEND\n$kit$",
        string_literal(message),
        string_literal(hint)
    ))
}
