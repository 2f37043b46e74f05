//! Finds the statements of a migration that may delete stored data.
//!
//! Judges the SQL that runs, not only `changes.json`, because `changes.json` does not list statements that users wrote
//! by hand. The judgement is cautious: a statement that kit cannot judge counts as destructive, so that a person
//! reviews it. If all statements of a change are as kit planned them, they are judged by their plan: a planned change
//! of a type checks all values first.
//!
//! Calls of functions that already exist in the database cannot be judged, because their source is not part of the
//! migration.

mod rules;
mod words;

use std::fmt;

use kit_database::{Change, Migration, PlannedChange, Snapshot, sql};

use crate::script::{Script, Statement};
pub(crate) use words::{Kind, Word, unquoted};

/// A statement that may delete stored data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// Name of the migration.
    pub migration: String,
    /// Line in `migration.sql`, from 1.
    pub line: usize,
    /// The beginning of the statement.
    pub statement: String,
    /// Reason, as a sentence without a subject: `drops a table and its rows`.
    pub reason: String,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "migrations/{}/migration.sql:{}: `{}` {}",
            self.migration, self.line, self.statement, self.reason
        )
    }
}

/// Finds the statements of a migration that may delete stored data. The list has their order and no duplicates.
pub(crate) fn losses(migration: &Migration, script: &Script<'_>) -> Vec<Loss> {
    // kit checks before the second half that the new columns contain all values of the old ones.
    let expansion = migration.snapshot.as_ref().and_then(Snapshot::expansion);
    if expansion.is_some_and(|expansion| expansion.sql == migration.checksum()) {
        return Vec::new();
    }
    let statements: Vec<&Statement<'_>> = script.steps.iter().flat_map(|step| &step.statements).collect();
    let words: Vec<Vec<Word>> = statements
        .iter()
        .map(|statement| words::words(statement.text, statement.line))
        .collect();
    let planned = plans(&migration.changes, &words);
    let mut losses = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        if planned[at].is_some() {
            continue;
        }
        let finding = rules::first_finding(statement.text, &words[at]);
        losses.extend(finding.map(|finding| Loss {
            migration: migration.name.clone(),
            line: finding.line,
            statement: statement.title(),
            reason: finding.reason,
        }));
    }
    losses
}

/// Returns the words of a statement.
pub(crate) fn words_of(statement: &Statement<'_>) -> Vec<Word> {
    words::words(statement.text, statement.line)
}

/// Splits SQL into words.
pub(crate) fn words_in(sql: &str) -> Vec<Word> {
    words::words(sql, 1)
}

/// Returns for each statement the change for which kit planned the statement: a change that deletes nothing, and all of
/// whose statements are still there. A change of a type can damage values if its guard statement was removed.
pub(crate) fn plans<'a>(
    changes: &'a [PlannedChange],
    statements: &[Vec<Word>],
) -> Vec<Option<&'a PlannedChange>> {
    let mut planned = vec![None; statements.len()];
    for step in changes.iter().filter(|step| !step.is_destructive()) {
        let wanted = statements_of(&step.change);
        let mut found = Vec::new();
        let mut from = 0;
        for wanted in &wanted {
            let at = (from..statements.len()).find(|at| words::are_equal(&statements[*at], wanted));
            let Some(at) = at else { break };
            found.push(at);
            from = at + 1;
        }
        if found.len() == wanted.len() {
            for at in found {
                planned[at] = Some(step);
            }
        }
    }
    planned
}

/// Returns the statements that kit writes for a change.
fn statements_of(change: &Change) -> Vec<Vec<Word>> {
    let text = sql::print(&change.statements());
    // kit can always parse what it prints. If not, an empty list means that the statements are judged by their SQL.
    let script = Script::parse(&text);
    script.map_or_else(
        |_| Vec::new(),
        |script| {
            script
                .steps
                .iter()
                .flat_map(|step| &step.statements)
                .map(|statement| words::words(statement.text, statement.line))
                .collect()
        },
    )
}

#[cfg(test)]
mod tests;
