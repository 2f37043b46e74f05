//! Progress events of a run.

use std::time::Duration;

use kit_database::Risk;

use crate::{Finding, Loss};

/// Progress event of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The migrations that the run will apply. The event occurs once, or never if there are no migrations to apply.
    Planned(&'a [Planned]),
    /// A statement starts.
    Statement {
        /// Name of the migration.
        name: &'a str,
        /// Number of the statement, from 1.
        number: usize,
        /// Number of statements in the migration.
        of: usize,
        /// Line of the statement in `migration.sql`.
        line: usize,
        /// First line of the statement, cut after 72 characters.
        title: &'a str,
    },
    /// The run waits for another run or for a lock on a table.
    Waiting {
        /// Description of what the run waits for.
        what: String,
        /// Time until the next attempt.
        pause: Duration,
    },
    /// The run removed something that an interrupted run had left, such as an invalid index. Contains a description.
    Repaired(String),
    /// A migration was applied.
    Applied(&'a Applied),
}

/// A migration that is not applied yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Name of the migration.
    pub name: String,
    /// True if the migration loses stored values, by its plan or by its statements.
    pub destructive: bool,
    /// Statements that may delete stored data.
    pub losses: Vec<Loss>,
    /// Statements that make other sessions wait, fail on existing rows, or break the running application.
    pub findings: Vec<Finding>,
    /// Risks of the planned changes and of the statements, each once.
    pub risks: Vec<Risk>,
    /// True if a migration with a later name was already applied, which happens after a merge of two branches.
    pub out_of_order: bool,
    /// Number of steps that an earlier run already completed.
    pub steps_done: usize,
    /// True if the SQL that kit planned was edited, so that `changes.json` may list other changes than the SQL makes.
    pub edited: bool,
}

/// An applied migration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// Name of the migration.
    pub name: String,
    /// Duration of the migration.
    pub duration: Duration,
    /// Part of the migration that was run.
    pub half: Half,
}

/// Part of a migration in two halves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Half {
    /// Both halves. Also for a migration without halves.
    #[default]
    Both,
    /// The first half, after which the old and the new build of the application can run.
    First,
    /// The second half, which removes what only the old build uses.
    Second,
    /// The first half was undone.
    Undo,
}
