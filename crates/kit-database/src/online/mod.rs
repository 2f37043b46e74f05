//! Writes the statements of a plan so that an application can use the tables while the migration runs.
//!
//! A plan has up to three parts: checks that only read, so that most mistakes stop the migration before it changes
//! anything; columns and indexes that are prepared while the application runs; and the changes themselves, which need
//! strong locks for a moment. A transaction locks at most one existing table, except for foreign keys, which need two.

use std::collections::BTreeSet;

use kit_ir::LiteralValue;

use crate::sql::{
    self, IN_BATCHES, IN_BATCHES_WITHOUT_TRIGGERS, NEW_TRANSACTION, OUTSIDE_TRANSACTION, Statement,
    TableAction, alter, comment, identifier,
};
use crate::{Column, ColumnDefault, Index, Unique, local_name, names};

mod checks;
mod retype;

pub(crate) use checks::{all_refer, all_satisfy, without_duplicates, without_null};
pub use retype::ColumnCopy;
pub(crate) use retype::{Retype, converted, needs_query, unknown_objects};

/// Statements that run together.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)] // a plan has few groups
pub(crate) enum Group {
    /// Statements of a transaction, with the names of the existing tables that they lock.
    Locks(Vec<String>, Vec<Statement>),
    /// A statement outside of a transaction.
    Outside(Statement),
    /// An `UPDATE` that changes a part of the rows at a time, without the triggers of the table.
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
            Group::Batches(text) => self.single(IN_BATCHES_WITHOUT_TRIGGERS, Statement::Text(text)),
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
    let name = not_null_check_name(table, column);
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

/// Returns the name of the temporary check that a column contains no null. PostgreSQL 18 names its own constraint
/// `…_not_null`, and keeps this name if the column is renamed.
fn not_null_check_name(table: &str, column: &str) -> String {
    names::constraint(&[&local_name(table), column], "kit_not_null")
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
            unique: true,
            ..Index::default()
        },
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
    })]
}

/// Returns the groups that add a column to a table in use.
pub(crate) fn add_column(table: &str, column: &Column) -> Vec<Group> {
    let (quoted, name) = (sql::relation(table), identifier(&column.name));
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
        Some(default @ (ColumnDefault::RandomUuid | ColumnDefault::UuidV7)) => {
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
        // Stored numbers begin at 1, so 0 marks the rows without a number. PostgreSQL adds a constant without a rewrite.
        Some(ColumnDefault::Identity) => {
            let zero = Column {
                default: Some(ColumnDefault::Literal(LiteralValue::Number(0.0))),
                ..column.clone()
            };
            let mut statements = add(zero);
            statements.extend([
                alter(table, TableAction::DropDefault(column.name.clone())),
                alter(
                    table,
                    TableAction::SetDefault {
                        column: column.name.clone(),
                        default: ColumnDefault::Identity,
                    },
                ),
            ]);
            let fill = format!(
                "UPDATE {quoted} SET {name} = nextval(pg_get_serial_sequence({}, {})) WHERE {name} = 0",
                sql::string_literal(&quoted),
                sql::string_literal(&column.name)
            );
            vec![locks(statements), Group::Batches(fill)]
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
             alter c;\n\n-- kit: in batches, without triggers\nupdate c;\n\nreference c;\n"
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
