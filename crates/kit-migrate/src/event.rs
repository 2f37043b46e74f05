//! What a run says while it goes on.

use std::time::Duration;

use crate::{Applied, Loss};

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// What is about to be applied, once; not where nothing is.
    Planned(&'a [Planned]),
    /// A statement begins.
    Statement {
        /// The migration.
        name: &'a str,
        /// Its number, from 1.
        number: usize,
        /// How many the migration has.
        of: usize,
        /// Its line in `migration.sql`.
        line: usize,
        /// Its beginning.
        title: &'a str,
    },
    /// It has to wait, for another run or for a lock on a table.
    Waiting {
        /// For what.
        what: String,
        /// How long until the next try.
        pause: Duration,
    },
    /// What was left behind by a run that broke off is put in order.
    Repaired(String),
    /// A migration is applied.
    Applied(&'a Applied),
}

/// A migration that is not applied yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Its name.
    pub name: String,
    /// True if the migration loses stored values, by its plan or by its statements.
    pub destructive: bool,
    /// Its statements that may delete stored data.
    pub losses: Vec<Loss>,
    /// Whether one that comes after it by name was applied already, as after a merge of two branches.
    pub out_of_order: bool,
    /// Steps of it that an earlier run has done already.
    pub steps_done: usize,
}
