//! What has to happen for a database to follow the types.

use std::fmt;

use crate::sql::{self, Statement};
use crate::{Change, Column, Schema, Snapshot, Table};

/// The steps of a migration, in an order in which they can run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The steps.
    pub changes: Vec<Change>,
}

impl Plan {
    /// Whether the database is as the types want it.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Whether any step loses stored values.
    pub fn is_destructive(&self) -> bool {
        self.changes.iter().any(Change::is_destructive)
    }

    /// The statements.
    pub fn sql(&self) -> String {
        let statements: Vec<Statement> = self.changes.iter().map(Change::statement).collect();
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

/// How to go on where a statement cannot be generated.
const BY_HAND: &str = "write the migration by hand: make migrations/<yyyymmddhhmmss>_<name>/ with migration.sql, \
    changes.json (`{ \"version\": 1, \"destructive\": false, \"changes\": [] }`) and, as snapshot.json, a copy of \
    .kit/migrations/snapshot.json";

/// Plans the way from the committed snapshot (nothing before the first migration) to the schema of the types.
///
/// Foreign keys and indexes that go away go first and new ones come last, so that tables may be made and dropped in any
/// order between them.
pub fn plan(previous: Option<&Snapshot>, next: &Schema) -> Result<Plan, PlanError> {
    let before = previous.map_or(&[][..], Snapshot::tables);
    let after = Snapshot::of(next);
    let mut steps = Steps::default();
    for table in before {
        match after
            .tables()
            .iter()
            .find(|candidate| candidate.name == table.name)
        {
            Some(kept) => steps.alter(table, kept),
            None => steps.drop_table(table),
        }
    }
    for table in after.tables() {
        if !before.iter().any(|candidate| candidate.name == table.name) {
            steps.create_table(table);
        }
    }
    if steps.problems.is_empty() {
        Ok(Plan {
            changes: [
                steps.released,
                steps.loosened,
                steps.reshaped,
                steps.constrained,
                steps.connected,
            ]
            .concat(),
        })
    } else {
        Err(PlanError {
            problems: steps.problems,
        })
    }
}

/// The changes by the time at which they can run.
#[derive(Default)]
struct Steps {
    /// Foreign keys that go: they hold tables, columns and unique constraints in place.
    released: Vec<Change>,
    /// Constraints and indexes that go.
    loosened: Vec<Change>,
    /// Tables and columns that come and go.
    reshaped: Vec<Change>,
    /// Constraints that come; foreign keys need the unique ones.
    constrained: Vec<Change>,
    /// Foreign keys and indexes that come.
    connected: Vec<Change>,
    problems: Vec<Problem>,
}

impl Steps {
    fn create_table(&mut self, table: &Table) {
        let bare = Table {
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            ..table.clone()
        };
        self.reshaped.push(Change::CreateTable { table: bare });
        for foreign_key in &table.foreign_keys {
            self.connected.push(Change::AddForeignKey {
                table: table.name.clone(),
                foreign_key: foreign_key.clone(),
            });
        }
        for index in &table.indexes {
            self.connected.push(Change::CreateIndex {
                table: table.name.clone(),
                index: index.clone(),
            });
        }
    }

    fn drop_table(&mut self, table: &Table) {
        for foreign_key in &table.foreign_keys {
            self.released.push(drop_constraint(table, &foreign_key.name));
        }
        self.reshaped.push(Change::DropTable {
            table: table.name.clone(),
        });
    }

    fn alter(&mut self, before: &Table, after: &Table) {
        if before.primary_key != after.primary_key {
            self.problem(
                &after.name,
                format!(
                    "the primary key changes from ({}) to ({}), which kit cannot generate yet",
                    before.primary_key.join(", "),
                    after.primary_key.join(", ")
                ),
                BY_HAND,
            );
        }
        for column in &before.columns {
            match after.column(&column.name) {
                Some(kept) => self.compare(&after.name, column, kept),
                None => self.reshaped.push(Change::DropColumn {
                    table: after.name.clone(),
                    column: column.name.clone(),
                }),
            }
        }
        for column in &after.columns {
            if before.column(&column.name).is_none() {
                self.add_column(&after.name, column);
            }
        }
        self.constraints(before, after);
        self.indexes(before, after);
    }

    fn add_column(&mut self, table: &str, column: &Column) {
        if !column.nullable && column.default.is_none() {
            self.problem(
                &format!("{table}.{}", column.name),
                "the new column may not be null and has no default, so rows that exist already have no value for it"
                    .to_owned(),
                "give the property a `@default`, or make it optional, or write the migration by hand in three steps: \
                 add it as null, fill it, set it not null",
            );
            return;
        }
        self.reshaped.push(Change::AddColumn {
            table: table.to_owned(),
            column: column.clone(),
        });
    }

    fn compare(&mut self, table: &str, before: &Column, after: &Column) {
        let mut differences = Vec::new();
        if before.r#type != after.r#type {
            differences.push(format!(
                "its type changes from {} to {}",
                before.r#type, after.r#type
            ));
        }
        match (before.nullable, after.nullable) {
            (true, false) => differences.push("it may no longer be null".to_owned()),
            (false, true) => differences.push("it may now be null".to_owned()),
            _ => {}
        }
        if before.default != after.default {
            differences.push("its default changes".to_owned());
        }
        if !differences.is_empty() {
            self.problem(
                &format!("{table}.{}", after.name),
                format!("{}, which kit cannot generate yet", differences.join(" and ")),
                BY_HAND,
            );
        }
    }

    fn constraints(&mut self, before: &Table, after: &Table) {
        // A column that goes takes along what stands on it alone.
        let kept = |columns: &[String]| columns.iter().all(|column| after.column(column).is_some());
        for unique in before
            .uniques
            .iter()
            .filter(|unique| !after.uniques.contains(unique))
        {
            if kept(&unique.columns) {
                self.loosened.push(drop_constraint(after, &unique.name));
            }
        }
        for check in before.checks.iter().filter(|check| !after.checks.contains(check)) {
            if after.column(&check.column).is_some() {
                self.loosened.push(drop_constraint(after, &check.name));
            }
        }
        for key in before
            .foreign_keys
            .iter()
            .filter(|key| !after.foreign_keys.contains(key))
        {
            self.released.push(drop_constraint(after, &key.name));
        }
        let table = &after.name;
        for unique in after
            .uniques
            .iter()
            .filter(|unique| !before.uniques.contains(unique))
        {
            self.constrained.push(Change::AddUnique {
                table: table.clone(),
                unique: unique.clone(),
            });
        }
        for check in after.checks.iter().filter(|check| !before.checks.contains(check)) {
            self.constrained.push(Change::AddCheck {
                table: table.clone(),
                check: check.clone(),
            });
        }
        for key in after
            .foreign_keys
            .iter()
            .filter(|key| !before.foreign_keys.contains(key))
        {
            self.connected.push(Change::AddForeignKey {
                table: table.clone(),
                foreign_key: key.clone(),
            });
        }
    }

    fn indexes(&mut self, before: &Table, after: &Table) {
        for index in before
            .indexes
            .iter()
            .filter(|index| !after.indexes.contains(index))
        {
            self.loosened.push(Change::DropIndex {
                table: after.name.clone(),
                index: index.name.clone(),
            });
        }
        for index in after
            .indexes
            .iter()
            .filter(|index| !before.indexes.contains(index))
        {
            self.connected.push(Change::CreateIndex {
                table: after.name.clone(),
                index: index.clone(),
            });
        }
    }

    fn problem(&mut self, place: &str, message: String, help: &str) {
        self.problems.push(Problem {
            place: place.to_owned(),
            message,
            help: help.to_owned(),
        });
    }
}

fn drop_constraint(table: &Table, constraint: &str) -> Change {
    Change::DropConstraint {
        table: table.name.clone(),
        constraint: constraint.to_owned(),
    }
}
