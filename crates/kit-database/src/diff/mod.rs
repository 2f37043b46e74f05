//! What has to happen for a database to follow the types.

mod columns;
mod constraints;
mod order;
mod renames;
mod types;
mod verdicts;

use std::collections::BTreeSet;
use std::fmt;

use crate::sql::{self, Statement};
use crate::step::Verdict;
use crate::{Change, Schema, Snapshot, Step, Table};

/// The steps of a migration, in an order in which they can run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The steps.
    pub changes: Vec<Step>,
}

impl Plan {
    /// Whether the database is as the types want it.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Whether any step loses stored values.
    pub fn is_destructive(&self) -> bool {
        self.changes.iter().any(Step::is_destructive)
    }

    /// The statements.
    pub fn sql(&self) -> String {
        let statements: Vec<Statement> = self
            .changes
            .iter()
            .flat_map(|step| step.change.statements())
            .collect();
        sql::print(&statements)
    }
}

/// A difference that kit will not write a statement for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The place: `notes` or `notes.title`.
    pub place: String,
    /// What the difference is.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.place, self.message, self.help)
    }
}

/// There is no plan: at least one difference needs a person. Holds all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanError {
    /// In the order of the tables; never empty.
    pub problems: Vec<Problem>,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for PlanError {}

/// Plans the way from the committed snapshot (nothing before the first migration) to the schema of the types.
///
/// Things are renamed first, so that all that follows knows them by one name. What holds others in place goes before them
/// and comes after them: references, then constraints and indexes, then columns and tables. So tables may refer to each
/// other in circles.
pub fn plan(previous: Option<&Snapshot>, next: &Schema) -> Result<Plan, PlanError> {
    let mut planner = Planner {
        before: previous.map_or_else(Vec::new, |snapshot| snapshot.tables().to_vec()),
        after: &next.tables,
        retyped: BTreeSet::new(),
        unkeyed: BTreeSet::new(),
        created: BTreeSet::new(),
        added: BTreeSet::new(),
        steps: Vec::new(),
        problems: Vec::new(),
    };
    planner.renames();
    planner.tables();
    planner.constraints();
    if planner.problems.is_empty() {
        // Stable: within a phase, the order of the tables.
        planner.steps.sort_by_key(|(phase, _)| *phase);
        Ok(Plan {
            changes: planner.steps.into_iter().map(|(_, step)| step).collect(),
        })
    } else {
        Err(PlanError {
            problems: planner.problems,
        })
    }
}

/// When a step can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// Tables and columns get their names.
    Rename,
    /// Foreign keys that go: they hold tables, columns and unique constraints in place.
    Release,
    /// Constraints and indexes that go.
    Loosen,
    /// Tables and columns that go.
    Remove,
    /// Constraints and indexes get their names, once those that went have left them.
    RenameConstraint,
    /// Columns become other ones.
    Alter,
    /// Tables and columns that come.
    Create,
    /// Constraints that come; foreign keys need the unique ones.
    Constrain,
    /// Foreign keys that come.
    Connect,
    /// Indexes that come.
    Index,
    /// Comments.
    Comment,
}

/// A column, or a key on a column: the names of table and column.
type Place = (String, String);

struct Planner<'a> {
    /// The tables as they are, under the names that they have once things were renamed.
    before: Vec<Table>,
    after: &'a [Table],
    /// Columns whose values are written anew, under which constraints cannot stay.
    retyped: BTreeSet<Place>,
    /// Columns that lose the primary key or unique constraint that references to them stand on.
    unkeyed: BTreeSet<Place>,
    /// Tables that are new.
    created: BTreeSet<String>,
    /// Columns that are new in a table that is not.
    added: BTreeSet<Place>,
    steps: Vec<(Phase, Step)>,
    problems: Vec<Problem>,
}

impl Planner<'_> {
    fn push(&mut self, phase: Phase, verdict: Verdict, change: Change) {
        self.steps.push((phase, verdict.of(change)));
    }

    fn problem(&mut self, place: &str, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Problem {
            place: place.to_owned(),
            message: message.into(),
            help: help.into(),
        });
    }

    /// Tables and columns that come, go, and change.
    fn tables(&mut self) {
        let after = self.after;
        let before = self.before.clone();
        for table in &before {
            match after.iter().find(|candidate| candidate.name == table.name) {
                Some(kept) => self.columns(table, kept),
                None => self.drop_table(table),
            }
        }
        for table in after {
            if !before.iter().any(|candidate| candidate.name == table.name) {
                self.create_table(table);
            }
        }
    }

    fn create_table(&mut self, table: &Table) {
        self.created.insert(table.name.clone());
        let bare = Table {
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            ..Snapshot::forget_types(table)
        };
        self.push(
            Phase::Create,
            verdicts::create_table(),
            Change::CreateTable { table: bare },
        );
    }

    fn drop_table(&mut self, table: &Table) {
        // Its former self may be there under another name.
        let heir = self.after.iter().find(|candidate| {
            !self.before.iter().any(|known| known.name == candidate.name)
                && candidate.columns.len() == table.columns.len()
                && candidate
                    .columns
                    .iter()
                    .all(|column| table.column(&column.name).is_some())
        });
        let verdict = verdicts::drop_table(table, heir);
        let name = table.name.clone();
        self.push(Phase::Remove, verdict, Change::DropTable { table: name });
    }
}
