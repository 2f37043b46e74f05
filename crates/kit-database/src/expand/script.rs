//! Steps of a migration in two halves.

use crate::sql::{NEW_TRANSACTION, OUTSIDE_TRANSACTION, Statement, TableAction, alter};
use crate::{Check, Table};

use super::links::Links;

/// Statements with the lines that divide them into steps.
#[derive(Default)]
pub(super) struct Script(pub(super) Vec<Statement>);

impl Script {
    /// Adds statements that run in a transaction of their own.
    pub(super) fn transaction(&mut self, statements: Vec<Statement>) {
        if statements.is_empty() {
            return;
        }
        self.separate();
        self.0.extend(statements);
    }

    /// Adds a statement that runs in the way that the line says.
    pub(super) fn one(&mut self, mark: &'static str, statement: Statement) {
        self.0.extend([Statement::Mark(mark), statement]);
    }

    /// Adds the statements of a plan.
    pub(super) fn plan(&mut self, statements: Vec<Statement>) {
        if !matches!(statements.first(), None | Some(Statement::Mark(_))) {
            self.separate();
        }
        self.0.extend(statements);
    }

    /// Adds constraints with which no row can lose a value of the old columns of a table: PostgreSQL checks existing rows while
    /// the application runs, and refuses new rows at once.
    pub(super) fn keep_values(&mut self, table: &Table, links: &Links<'_>) {
        let kept = links.kept_constraints(table);
        if kept.is_empty() {
            return;
        }
        let mut statements = vec![Statement::Remark(vec![format!(
            "From now on, the new columns of {} contain the values of the old ones. The constraints go with the old columns.",
            table.name
        )])];
        let add = |check: &Check| {
            let check = TableAction::AddCheck(check.clone());
            alter(&table.name, TableAction::AddNotValid(Box::new(check)))
        };
        statements.extend(kept.iter().map(add));
        self.transaction(statements);
        for check in kept {
            let validate = TableAction::ValidateConstraint(check.name);
            self.one(OUTSIDE_TRANSACTION, alter(&table.name, validate));
        }
    }

    /// Begins the next part of the migration.
    pub(super) fn half(&mut self, mark: &'static str) {
        self.0.push(Statement::Mark(mark));
    }

    fn separate(&mut self) {
        if !matches!(self.0.last(), None | Some(Statement::Mark(_))) {
            self.0.push(Statement::Mark(NEW_TRANSACTION));
        }
    }
}
