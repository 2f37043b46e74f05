//! Compares the tables of the last committed snapshot with the tables that the TypeScript types describe, and plans the
//! steps from the former to the latter.

mod adopt;
mod classify;
mod columns;
mod constraints;
mod enums;
mod foreign_objects;
mod order;
mod renames;
mod tenants;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::online::{self, Group, Parts};
use crate::sql::{self, Statement};
use crate::step::Classification;
use crate::{
    Change, ColumnType, ForeignObject, PlannedChange, Schema, Snapshot, Table, schema_of, schemas_of,
};

pub(crate) use adopt::{keep_names, keep_unique_indexes};
pub(crate) use enums::enums;
pub(crate) use renames::relations_of;

/// The steps of a migration, in an order in which they can run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The steps, in order.
    pub changes: Vec<PlannedChange>,
    /// Tables after the steps, as the types describe them.
    pub(crate) tables: Vec<Table>,
    /// Objects that exist after the steps and that no entity describes.
    pub(crate) foreign: Vec<ForeignObject>,
    /// True if a step changes the definitions of foreign objects, as a rename of a column does.
    pub(crate) changes_foreign: bool,
    /// Statements of all steps, with the lines that divide them into transactions.
    pub(crate) statements: Vec<Statement>,
}

impl Plan {
    /// Returns true if the database already matches the types.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns true if at least one step loses stored values.
    pub fn is_destructive(&self) -> bool {
        self.changes.iter().any(PlannedChange::is_destructive)
    }

    /// Returns the snapshot after the steps. `previous` is the snapshot from which the steps were planned.
    pub fn snapshot(&self, previous: Option<&Snapshot>) -> Snapshot {
        Snapshot::with_parents(previous, self.tables.clone(), self.foreign.clone(), None)
    }

    /// Returns true if a step changes the definitions of objects that no entity describes, as a rename does. The
    /// migration must be run on an empty database to find the new definitions.
    pub fn changes_foreign(&self) -> bool {
        self.changes_foreign
    }

    /// Returns the SQL of all steps. An application can use the tables while the SQL runs.
    pub fn sql(&self) -> String {
        sql::print(&self.statements)
    }
}

/// A difference between the snapshot and the types for which kit cannot plan a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Table or column: `notes` or `notes.title`.
    pub place: String,
    /// Description of the difference.
    pub message: String,
    /// Advice for the user.
    pub help: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.place, self.message, self.help)
    }
}

/// Error for a plan that needs a decision by the user. Contains every problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanError {
    /// The problems, in the order of the tables; never empty.
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

/// Plans the steps from the last committed snapshot to the schema `next`. `previous` is `None` before the first
/// migration.
///
/// Renames run first, so that all later steps use the new names. Then foreign keys are dropped, then
/// constraints and indexes, then columns and tables. Adding runs in the opposite order, so that tables may
/// refer to each other in circles.
///
/// # Errors
/// Returns a [`PlanError`] with every difference for which kit cannot plan a change.
pub fn plan(previous: Option<&Snapshot>, next: &Schema) -> Result<Plan, PlanError> {
    let mut planner = Planner {
        before: previous.map_or_else(Vec::new, |snapshot| snapshot.tables().to_vec()),
        foreign: previous.map_or_else(Vec::new, |snapshot| snapshot.foreign().to_vec()),
        after: &next.tables,
        rewritten_columns: BTreeSet::new(),
        retyped_columns: BTreeSet::new(),
        former_tables: BTreeMap::new(),
        former_columns: BTreeMap::new(),
        lost_keys: BTreeSet::new(),
        created: BTreeSet::new(),
        added: BTreeSet::new(),
        steps: Vec::new(),
        problems: Vec::new(),
    };
    planner.schemas();
    planner.extensions();
    planner.renames();
    planner.rename_enums();
    // Earlier versions of kit wrote such constraints into snapshots.
    planner.before.iter_mut().for_each(Table::leave_out_key);
    let mut adopted = adopt::adopt(&mut planner.before, &mut planner.foreign, &next.tables);
    planner.problems.extend(adopted.problems);
    let stored = enums::adopt_enums(&planner.before, &mut planner.foreign, &mut adopted.tables);
    let mut planner = Planner {
        after: &adopted.tables,
        ..planner
    };
    planner.enums(&stored);
    planner.tables();
    planner.constraints();
    planner.tenants();
    let changes_foreign = planner.touches_foreign();
    planner.foreign();
    if planner.problems.is_empty() {
        // The sort is stable: steps of one phase keep the order of the tables.
        planner.steps.sort_by_key(|(phase, ..)| *phase);
        let mut plan = Plan {
            foreign: planner.foreign,
            tables: adopted.tables.iter().map(Snapshot::without_entity).collect(),
            changes_foreign,
            ..Plan::default()
        };
        let (mut renames, mut others) = (Vec::new(), Vec::new());
        for (phase, step, parts) in planner.steps {
            plan.changes.push(step);
            let list = if phase <= Phase::Rename {
                &mut renames
            } else {
                &mut others
            };
            list.push(parts);
        }
        plan.statements = online::assemble(renames, others);
        Ok(plan)
    } else {
        Err(PlanError {
            problems: planner.problems,
        })
    }
}

/// Phase in which a step runs. Phases run in the order of this list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// Create schemas, extensions and enum types, and add values of enum types, which later steps use.
    Types,
    /// Rename tables and columns.
    Rename,
    /// Drop foreign keys, because they prevent dropping tables, columns and unique constraints.
    DropForeignKeys,
    /// Drop constraints and indexes.
    DropConstraints,
    /// Drop tables and columns.
    Remove,
    /// Rename constraints and indexes, after the old constraints and indexes have made their names available.
    RenameConstraint,
    /// Change the type, the default or the nullability of columns.
    Alter,
    /// Create tables and columns.
    Create,
    /// Add constraints. Unique constraints must exist before foreign keys.
    AddConstraints,
    /// Add foreign keys.
    AddForeignKeys,
    /// Create indexes.
    Index,
    /// Create policies, which need their columns.
    Policy,
    /// Drop enum types that no column has any more.
    DropTypes,
    /// Set comments.
    Comment,
}

/// Name of a table, and name of one of its columns.
type TableColumn = (String, String);

/// Returns the change as a group, for a table that is new or a change that needs locks only for a moment.
fn at_once(change: &Change, locked: Vec<String>) -> Vec<Group> {
    vec![Group::Locks(locked, change.statements())]
}

struct Planner<'a> {
    /// The committed tables. Renames that are already planned are applied to them.
    before: Vec<Table>,
    after: &'a [Table],
    /// Objects that no entity describes.
    foreign: Vec<ForeignObject>,
    /// Columns whose values are rewritten. Their constraints must be dropped and added again.
    rewritten_columns: BTreeSet<TableColumn>,
    /// Columns whose type changes, with and without a rewrite of their values.
    retyped_columns: BTreeSet<TableColumn>,
    /// Present names of renamed tables, by their new names.
    former_tables: BTreeMap<String, String>,
    /// Present names of renamed columns, by the new names of the table and the column.
    former_columns: BTreeMap<TableColumn, String>,
    /// Tables, each with the sorted columns that lose the primary key or unique constraint that foreign keys need.
    lost_keys: BTreeSet<(String, Vec<String>)>,
    /// Names of the new tables.
    created: BTreeSet<String>,
    /// New columns of existing tables.
    added: BTreeSet<TableColumn>,
    steps: Vec<(Phase, PlannedChange, Parts)>,
    problems: Vec<Problem>,
}

impl Planner<'_> {
    /// Adds a change that needs locks only for a moment.
    fn push(&mut self, phase: Phase, classification: Classification, change: Change) {
        let mut locked = self.locked_table(&change);
        if let (Phase::DropForeignKeys, Change::DropConstraint { constraint, .. }) = (phase, &change) {
            // Two tables are locked, so no other foreign key is dropped in the same transaction.
            locked.push(constraint.clone());
        }
        let parts = Parts {
            change: at_once(&change, locked),
            ..Parts::default()
        };
        self.push_parts(phase, classification, change, parts);
    }

    fn push_parts(&mut self, phase: Phase, classification: Classification, change: Change, parts: Parts) {
        self.steps.push((phase, classification.of(change), parts));
    }

    /// Returns the name of the existing table that a change locks.
    fn locked_table(&self, change: &Change) -> Vec<String> {
        let table = change.table();
        if table.is_empty() || self.created.contains(table) {
            Vec::new()
        } else {
            vec![table.to_owned()]
        }
    }

    /// Returns the present name of a table.
    fn stored_table<'a>(&'a self, table: &'a str) -> &'a str {
        self.former_tables.get(table).map_or(table, String::as_str)
    }

    /// Returns the present name of a column. Returns `None` if the column or its table is new.
    fn stored_column<'a>(&'a self, table: &str, column: &'a str) -> Option<&'a str> {
        let key = (table.to_owned(), column.to_owned());
        if self.created.contains(table) || self.added.contains(&key) {
            return None;
        }
        Some(self.former_columns.get(&key).map_or(column, String::as_str))
    }

    /// Plans schemas of tables. No step drops a schema, because other objects may be in it.
    fn schemas(&mut self) {
        let known = schemas_of(&self.before, &self.foreign);
        let wanted = self.after.iter().filter_map(|table| schema_of(&table.name));
        let mut new: Vec<String> = Vec::new();
        for schema in wanted {
            let schema = schema.into_owned();
            if !known.contains(&schema) && !new.contains(&schema) {
                new.push(schema);
            }
        }
        for name in new {
            let change = Change::CreateSchema { name };
            self.push(Phase::Types, classify::create_schema(), change);
        }
    }

    /// Plans extensions whose types the columns have.
    fn extensions(&mut self) {
        let needs = |r#type| {
            let mut columns = self.after.iter().flat_map(|table| &table.columns);
            columns.any(|column| column.r#type == r#type)
        };
        let extension = ForeignObject::citext();
        let exists = self
            .foreign
            .iter()
            .any(|object| object.is_same_object(&extension));
        if exists || !needs(ColumnType::Citext) {
            return;
        }
        let change = Change::CreateExtension {
            name: extension.name.clone(),
        };
        self.foreign.push(extension);
        self.push(Phase::Types, classify::create_extension(), change);
    }

    fn problem(&mut self, place: &str, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(Problem {
            place: place.to_owned(),
            message: message.into(),
            help: help.into(),
        });
    }

    /// Plans tables that are added, dropped or changed.
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
            ..Snapshot::without_entity(table)
        };
        self.push(
            Phase::Create,
            classify::create_table(),
            Change::CreateTable { table: bare },
        );
    }

    fn drop_table(&mut self, table: &Table) {
        // A new table with the same columns may be the dropped table under another name.
        let successor = self.after.iter().find(|candidate| {
            !self.before.iter().any(|known| known.name == candidate.name)
                && candidate.columns.len() == table.columns.len()
                && candidate
                    .columns
                    .iter()
                    .all(|column| table.column(&column.name).is_some())
        });
        let classification = classify::drop_table(table, successor);
        let name = table.name.clone();
        self.push(Phase::Remove, classification, Change::DropTable { table: name });
    }
}
