//! Writes the statements of a plan so that an application can use the tables while the migration runs.
//!
//! A plan has up to three parts: checks that only read, so that most mistakes stop the migration before it changes
//! anything; columns and indexes that are prepared while the application runs; and the changes themselves, which need
//! strong locks for a moment. A transaction locks at most one existing table, except for foreign keys, which need two.

use std::collections::BTreeSet;

use crate::change::{alter, comment, is_timestamp_conversion};
use crate::sql::{
    self, IN_BATCHES, NEW_TRANSACTION, OUTSIDE_TRANSACTION, Statement, TableAction, identifier,
    string_literal,
};
use crate::{Change, Column, ColumnCopy, ColumnDefault, ColumnType, Index, Unique, names};

/// Statements that run together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Group {
    /// Statements of a transaction, with the names of the existing tables that they lock.
    Locks(Vec<String>, Vec<Statement>),
    /// A statement outside of a transaction.
    Outside(Statement),
    /// An `UPDATE` that changes a part of the rows at a time.
    Batches(String),
    /// A place for statements of the user, with a comment for the user. The place is a transaction of its own. If the
    /// comment is empty, only begins a new transaction.
    Place(Vec<String>),
}

/// Statements of a change, by the part of the plan to which they belong.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) checks: Vec<Statement>,
    pub(crate) prepare: Vec<Group>,
    pub(crate) change: Vec<Group>,
}

/// Returns the statements of a plan with the lines that divide them into steps. Renames come before everything that uses the
/// new names.
pub(crate) fn assemble(renames: Vec<Parts>, others: Vec<Parts>) -> Vec<Statement> {
    let mut writer = Writer::default();
    let (mut first, mut prepare, mut change) = (Vec::new(), Vec::new(), Vec::new());
    for part in renames {
        writer.statements.extend(part.checks);
        first.extend(part.prepare.into_iter().chain(part.change));
    }
    for part in others {
        writer.statements.extend(part.checks);
        prepare.extend(part.prepare);
        change.extend(part.change);
    }
    writer.is_closed = !writer.statements.is_empty();
    for group in first.into_iter().chain(prepare).chain(change) {
        writer.group(group);
    }
    writer.statements
}

#[derive(Default)]
struct Writer {
    statements: Vec<Statement>,
    /// Existing tables that the current transaction locks.
    locked: BTreeSet<String>,
    /// True if the next statement cannot be in the current transaction.
    is_closed: bool,
}

impl Writer {
    fn group(&mut self, group: Group) {
        match group {
            Group::Locks(tables, statements) => {
                let grows = tables.iter().any(|table| !self.locked.contains(table));
                if self.is_closed || grows && !self.locked.is_empty() {
                    self.statements.push(Statement::Mark(NEW_TRANSACTION));
                    self.locked.clear();
                }
                self.locked.extend(tables);
                self.is_closed = false;
                self.statements.extend(statements);
            }
            Group::Outside(statement) => self.single(OUTSIDE_TRANSACTION, statement),
            Group::Batches(text) => self.single(IN_BATCHES, Statement::Text(text)),
            Group::Place(lines) => {
                if !lines.is_empty() {
                    let place = [Statement::Mark(NEW_TRANSACTION), Statement::Remark(lines)];
                    self.statements.extend(place);
                }
                self.is_closed = true;
            }
        }
    }

    fn single(&mut self, mark: &'static str, statement: Statement) {
        self.statements.extend([Statement::Mark(mark), statement]);
        // The next statement begins a transaction without a line.
        self.locked.clear();
        self.is_closed = false;
    }
}

/// Returns the groups that make a column `NOT NULL`, after a check of all rows.
pub(crate) fn set_not_null(table: &str, column: &str) -> Vec<Group> {
    let name = names::constraint(&[table, column], "not_null");
    let mut groups = not_null_check(table, column, &name);
    groups.push(Group::Locks(
        vec![table.to_owned()],
        vec![
            alter(table, TableAction::SetNotNull(column.to_owned())),
            alter(table, TableAction::DropConstraint(name)),
        ],
    ));
    groups
}

fn not_null_check(table: &str, column: &str, name: &str) -> Vec<Group> {
    let add = TableAction::AddNotNullCheck {
        name: name.to_owned(),
        column: column.to_owned(),
    };
    vec![
        Group::Locks(vec![table.to_owned()], vec![alter(table, add)]),
        validate(table, name),
    ]
}

fn validate(table: &str, constraint: &str) -> Group {
    Group::Outside(alter(
        table,
        TableAction::ValidateConstraint(constraint.to_owned()),
    ))
}

/// Returns the groups that add a check or a foreign key, and then check all rows.
pub(crate) fn add_validated(
    table: &str,
    locked: Vec<String>,
    former: Option<&str>,
    add: TableAction,
    name: &str,
) -> Vec<Group> {
    let drop = former.map(|former| alter(table, TableAction::DropConstraint(former.to_owned())));
    let add = alter(table, TableAction::AddNotValid(Box::new(add)));
    vec![
        Group::Locks(locked, drop.into_iter().chain([add]).collect()),
        validate(table, name),
    ]
}

/// Returns the groups that add a unique constraint or a primary key to a table in use.
pub(crate) fn add_key(table: &str, key: &Unique, primary: bool, replaces: bool) -> Vec<Group> {
    // The index of the replaced key has the name of the key.
    let index = if replaces {
        names::constraint(&[&key.name], "next")
    } else {
        key.name.clone()
    };
    let create = Statement::CreateIndexConcurrently {
        table: table.to_owned(),
        index: Index {
            name: index.clone(),
            columns: key.columns.clone(),
        },
        unique: true,
    };
    let drop = replaces.then(|| alter(table, TableAction::DropConstraint(key.name.clone())));
    let add = TableAction::AddKeyUsingIndex {
        name: key.name.clone(),
        primary,
        index,
    };
    vec![
        Group::Outside(create),
        Group::Locks(
            vec![table.to_owned()],
            drop.into_iter().chain([alter(table, add)]).collect(),
        ),
    ]
}

pub(crate) fn create_index(table: &str, index: &Index) -> Vec<Group> {
    vec![Group::Outside(Statement::CreateIndexConcurrently {
        table: table.to_owned(),
        index: index.clone(),
        unique: false,
    })]
}

/// Returns the groups that add a column to a table in use.
pub(crate) fn add_column(table: &str, column: &Column) -> Vec<Group> {
    let (quoted, name) = (identifier(table), identifier(&column.name));
    let bare = Column {
        nullable: true,
        default: None,
        ..column.clone()
    };
    let locks = |statements: Vec<Statement>| Group::Locks(vec![table.to_owned()], statements);
    let add = |column: Column| {
        let comment = comment(table, &column);
        let add = alter(table, TableAction::AddColumn(column));
        std::iter::once(add).chain(comment).collect::<Vec<Statement>>()
    };
    match &column.default {
        // Each row gets its own value, so PostgreSQL would rewrite the table.
        Some(default @ ColumnDefault::RandomUuid) => {
            let set = TableAction::SetDefault {
                column: column.name.clone(),
                default: default.clone(),
            };
            let mut statements = add(bare);
            statements.push(alter(table, set));
            let fill = format!(
                "UPDATE {quoted} SET {name} = {} WHERE {name} IS NULL",
                sql::default(default)
            );
            let mut groups = vec![locks(statements), Group::Batches(fill)];
            if !column.nullable {
                groups.extend(set_not_null(table, &column.name));
            }
            groups
        }
        None if !column.nullable => {
            let mut groups = vec![
                locks(add(bare)),
                Group::Place(vec![
                    "Existing rows have no value in this column yet, and kit does not know the value. Write it here. Without it, the".to_owned(),
                    "next statement stops the migration if the table has rows. The next run continues at that statement.".to_owned(),
                    format!("Write `{IN_BATCHES}` above the UPDATE, so that it locks few rows at a time:"),
                    format!("UPDATE {quoted} SET {name} = … WHERE {name} IS NULL;"),
                ]),
                // This check reads only. Without it, an application could not insert rows after the migration stopped.
                Group::Locks(Vec::new(), vec![without_null(table, &column.name, table, &column.name)]),
                Group::Place(Vec::new()),
            ];
            groups.extend(set_not_null(table, &column.name));
            groups
        }
        _ => vec![locks(add(column.clone()))],
    }
}

/// Returns the check that a column contains no null. `stored` is the present name of the table and the column.
pub(crate) fn without_null(table: &str, column: &str, stored: &str, stored_column: &str) -> Statement {
    let name = identifier(stored_column);
    Statement::Guard {
        table: stored.to_owned(),
        condition: format!("{name} IS NULL"),
        message: format!("{table}.{column} contains null values"),
        hint: format!(
            "Look for them with: SELECT * FROM {} WHERE {name} IS NULL",
            identifier(stored)
        ),
    }
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

    /// Name of the trigger and of its function. PostgreSQL runs triggers in the order of their names, and this one must see
    /// the values that other triggers set.
    fn trigger(&self) -> String {
        names::constraint(&["zz_kit", self.table, self.column], "next")
    }

    fn next_name(name: &str) -> String {
        names::constraint(&[name], "next")
    }

    fn filled_check(&self) -> String {
        names::constraint(&[self.table, self.column], "filled")
    }

    fn not_null_check(&self) -> String {
        names::constraint(&[self.table, &self.next()], "not_null")
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
        let (quoted, old, new) = (identifier(table), identifier(self.column), identifier(&next));
        let trigger = identifier(&self.trigger());
        let add = TableAction::AddColumn(Column {
            name: next.clone(),
            r#type: self.to,
            nullable: true,
            default: None,
            comment: None,
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
            format!("{old} IS NOT DISTINCT FROM {new}::{}", self.from)
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
        let keys = keys.map(|key| (&key.name, &key.columns, true));
        let indexes = self
            .copy
            .indexes
            .iter()
            .map(|index| (&index.name, &index.columns, false));
        groups.extend(keys.chain(indexes).map(|(name, columns, unique)| {
            Group::Outside(Statement::CreateIndexConcurrently {
                table: table.to_owned(),
                index: Index {
                    name: Self::next_name(name),
                    columns: self.columns(columns),
                },
                unique,
            })
        }));
        groups
    }

    /// Returns the group that puts the new column in the place of the old one.
    pub(crate) fn swap(&self) -> Vec<Group> {
        let (table, column) = (self.table, self.column);
        let quoted = identifier(table);
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
            unknown_objects(self, stored, known),
        ];
        if self.guarded {
            let condition = format!("{name} IS DISTINCT FROM {name}::{}::{}", self.to, self.from);
            checks.push(Statement::Guard {
                table: table.to_owned(),
                message: format!(
                    "{}.{} holds values that a column of type {} would change",
                    self.table, self.column, self.to
                ),
                hint: format!(
                    "Look for them with: SELECT * FROM {} WHERE {condition}",
                    identifier(table)
                ),
                condition,
            });
        }
        checks
    }
}

/// Returns the expression of a value that is converted to another type. `value` is SQL.
pub(crate) fn converted(from: ColumnType, to: ColumnType, value: &str) -> String {
    if is_timestamp_conversion(from, to) {
        format!("date_trunc('milliseconds', {value} AT TIME ZONE 'UTC')")
    } else {
        format!("{value}::{to}")
    }
}

/// Returns a statement that stops the migration if something that kit does not know depends on the column, because it would
/// be dropped with the old column.
fn unknown_objects(retype: &Retype<'_>, stored: (&str, &str), known: &[String]) -> Statement {
    let list = |names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| string_literal(name)).collect();
        names.join(", ")
    };
    let names = if known.is_empty() {
        "''".to_owned()
    } else {
        list(known)
    };
    let (place, hint) = (
        format!("{}.{}", retype.table, retype.column),
        "Drop them in an earlier migration, and create them again in a later migration",
    );
    let (table, column) = (string_literal(&identifier(stored.0)), string_literal(stored.1));
    Statement::Text(format!(
        "DO $kit$\nDECLARE\n  found text;\nBEGIN\n  \
         SELECT string_agg(DISTINCT pg_describe_object(d.classid, d.objid, d.objsubid), ', ') INTO found\n    \
         FROM pg_depend AS d JOIN pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid\n    \
         LEFT JOIN pg_class AS c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid\n    \
         LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid\n    \
         LEFT JOIN pg_attrdef AS f ON d.classid = 'pg_attrdef'::regclass AND f.oid = d.objid\n    \
         WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = {table}::regclass AND a.attname = {column}\n      \
         AND coalesce(c.relname, k.conname, '') NOT IN ({names})\n      \
         AND (c.relkind IS NULL OR c.relkind <> 'S') AND (k.contype IS NULL OR k.contype <> 'n')\n      \
         AND (f.oid IS NULL OR f.adrelid <> d.refobjid OR f.adnum <> d.refobjsubid);\n  \
         IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = {table}::regclass AND attname = {column} AND attacl IS NOT NULL) THEN\n    \
         found := concat_ws(', ', found, 'privileges on the column');\n  \
         END IF;\n  \
         IF found IS NOT NULL THEN\n    \
         RAISE EXCEPTION USING MESSAGE = {} || found, HINT = {};\n  \
         END IF;\nEND\n$kit$",
        string_literal(&format!(
            "the type of {place} cannot change, because these use the column, and kit did not create them: "
        )),
        string_literal(hint)
    ))
}

/// Returns the check that no two rows have equal values. `stored` are the present names of the table and the expressions of
/// the values.
pub(crate) fn without_duplicates(
    table: &str,
    columns: &[String],
    stored: &str,
    values: &[String],
) -> Statement {
    let given: Vec<String> = values
        .iter()
        .map(|value| format!("{value} IS NOT NULL"))
        .collect();
    let list = values.join(", ");
    let condition = format!("{} GROUP BY {list} HAVING count(*) > 1", given.join(" AND "));
    Statement::Guard {
        table: stored.to_owned(),
        message: format!(
            "two rows of {table} have the same values of ({})",
            columns.join(", ")
        ),
        hint: format!(
            "Look for them with: SELECT {list}, count(*) FROM {} WHERE {condition}",
            identifier(stored)
        ),
        condition,
    }
}

/// Returns the check that all rows satisfy a condition.
pub(crate) fn all_satisfy(place: &str, rule: &str, stored: &str) -> Statement {
    Statement::Guard {
        table: stored.to_owned(),
        condition: format!("NOT ({rule})"),
        message: format!("{place} holds values that the new rule forbids"),
        hint: format!(
            "Look for them with: SELECT * FROM {} WHERE NOT ({rule})",
            identifier(stored)
        ),
    }
}

/// Returns the check that each reference of a column refers to an existing row. `target` is the present name of the other
/// table and its column; `None` if they are new.
pub(crate) fn all_refer(place: &str, stored: (&str, &str), target: Option<(&str, &str)>) -> Statement {
    let (table, column) = (identifier(stored.0), identifier(stored.1));
    let condition = match target {
        None => format!("{column} IS NOT NULL"),
        Some((other, key)) => format!(
            "{table}.{column} IS NOT NULL AND NOT EXISTS (SELECT FROM {} AS kit_target WHERE kit_target.{} = {table}.{column})",
            identifier(other),
            identifier(key)
        ),
    };
    Statement::Guard {
        table: stored.0.to_owned(),
        message: format!("{place} refers to rows that do not exist"),
        hint: format!("Look for them with: SELECT * FROM {table} WHERE {condition}"),
        condition,
    }
}

/// Returns the change as groups for a table that is new, or for a change that needs a strong lock only for a moment.
pub(crate) fn at_once(change: &Change, locked: Vec<String>) -> Vec<Group> {
    vec![Group::Locks(locked, change.statements())]
}

#[cfg(test)]
mod tests {
    use super::{Group, Parts, assemble};
    use crate::sql::{Statement, print};

    fn text(text: &str) -> Statement {
        Statement::Text(text.to_owned())
    }

    fn locks(tables: &[&str], statement: &str) -> Group {
        Group::Locks(
            tables.iter().map(|table| (*table).to_owned()).collect(),
            vec![text(statement)],
        )
    }

    #[test]
    fn a_transaction_locks_at_most_one_existing_table() {
        let change = vec![
            locks(&[], "create x"),
            locks(&["a"], "alter a"),
            locks(&["a"], "alter a again"),
            locks(&["b"], "alter b"),
            Group::Outside(text("index b")),
            locks(&["c"], "alter c"),
            Group::Batches("update c".to_owned()),
            locks(&["c", "d"], "reference c"),
        ];
        let parts = Parts {
            change,
            ..Parts::default()
        };
        assert_eq!(
            print(&assemble(Vec::new(), vec![parts])),
            "create x;\n\nalter a;\n\nalter a again;\n\n-- kit: new transaction\nalter b;\n\n-- kit: outside transaction\nindex b;\n\n\
             alter c;\n\n-- kit: in batches\nupdate c;\n\nreference c;\n"
        );
    }

    #[test]
    fn checks_come_before_all_changes_in_a_transaction_of_their_own() {
        let part = |name: &str| Parts {
            checks: vec![text(&format!("check {name}"))],
            prepare: vec![Group::Outside(text(&format!("prepare {name}")))],
            change: vec![locks(&[name], &format!("change {name}"))],
        };
        assert_eq!(
            print(&assemble(
                vec![Parts {
                    change: vec![locks(&["a"], "rename")],
                    ..Parts::default()
                }],
                vec![part("a"), part("b")]
            )),
            "check a;\n\ncheck b;\n\n-- kit: new transaction\nrename;\n\n-- kit: outside transaction\nprepare a;\n\n-- kit: outside transaction\nprepare b;\n\n\
             change a;\n\n-- kit: new transaction\nchange b;\n"
        );
    }
}
