//! Splits and checks SQL before it runs. Needs no database.

use kit_database::Migration;

use crate::Loss;
use crate::destructive::losses;
use crate::script::{Mode, Script};

/// A statement of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitStatement<'a> {
    /// The statement from its first word on, without the semicolon.
    pub text: &'a str,
    /// Line of its first word, from 1.
    pub line: usize,
    /// True if the statement is marked to run outside of a transaction or in batches.
    pub outside_transaction: bool,
}

/// Splits SQL into the statements that `kit migrate:apply` runs, in order.
///
/// ```
/// let statements = kit_migrate::split_statements("SELECT ';';\nSELECT 2").unwrap();
/// assert_eq!(statements[1].text, "SELECT 2");
/// assert_eq!(statements[1].line, 2);
/// ```
///
/// # Errors
///
/// Returns the line and the reason if the SQL cannot be a migration.
pub fn split_statements(sql: &str) -> Result<Vec<SplitStatement<'_>>, String> {
    let script = Script::parse(sql).map_err(|error| error.to_string())?;
    Ok(script
        .steps
        .iter()
        .flat_map(|step| {
            step.statements.iter().map(|statement| SplitStatement {
                text: statement.text,
                line: statement.line,
                outside_transaction: step.mode != Mode::Transaction,
            })
        })
        .collect())
}

/// Returns the statements of SQL that may delete stored data. Applies the rules for a migration that kit did not plan.
///
/// ```
/// assert_eq!(kit_migrate::find_data_loss("DELETE FROM notes").unwrap().len(), 1);
/// assert_eq!(kit_migrate::find_data_loss("DELETE FROM notes WHERE id = 1").unwrap().len(), 0);
/// ```
///
/// # Errors
///
/// Returns the line and the reason if the SQL cannot be a migration.
pub fn find_data_loss(sql: &str) -> Result<Vec<Loss>, String> {
    let script = Script::parse(sql).map_err(|error| error.to_string())?;
    let migration = Migration {
        name: String::new(),
        sql: sql.to_owned(),
        destructive: false,
        changes: Vec::new(),
        snapshot: None,
    };
    Ok(losses(&migration, &script))
}
