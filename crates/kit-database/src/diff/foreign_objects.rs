//! Refuses steps that would break foreign objects, and updates the list of foreign objects.

use crate::foreign::column_of;
use crate::{Change, ForeignObject, ObjectKind};

use super::Planner;

impl Planner<'_> {
    /// Refuses steps that would break or drop foreign objects, names the objects that a step drops together with its
    /// table or column, and updates the list of foreign objects. Must run after all steps are planned.
    pub(super) fn foreign(&mut self) {
        // All other steps use the new names.
        self.rename_foreign();
        let steps = std::mem::take(&mut self.steps);
        for (_, step, _) in &steps {
            match &step.change {
                Change::DropTable { table } => {
                    self.refuse_users(table, &format!("table {table}"), table, "drops this table");
                    let columns = self
                        .foreign
                        .iter()
                        .filter(|object| {
                            !object.belongs_to(table) && !object.is_owned_by(&format!("table {table}"))
                        })
                        .find(|object| object.uses.iter().any(|used| column_of(used, table).is_some()))
                        .map(ForeignObject::title);
                    if let Some(user) = columns {
                        self.used(table, "drops this table", &user);
                    }
                }
                Change::DropColumn { table, column } => {
                    let used = format!("column {table}.{column}");
                    self.refuse_users(&format!("{table}.{column}"), &used, table, "drops this column");
                }
                // The key that a primary key replaces is dropped.
                Change::DropConstraint {
                    table, constraint, ..
                }
                | Change::AddPrimaryKey {
                    table,
                    name: constraint,
                    replaces: true,
                    ..
                } => {
                    let used = format!("constraint {constraint} of {table}");
                    self.refuse_users(table, &used, table, "drops a key of this table");
                    self.refuse_missing_key(table, constraint);
                }
                Change::RenameConstraint { table, from, .. } => self.refuse_missing_key(table, from),
                Change::SetType { table, column, .. } => {
                    let used = format!("column {table}.{column}");
                    let place = format!("{table}.{column}");
                    self.refuse_users(&place, &used, table, "changes the type of this column");
                }
                _ => {}
            }
        }
        self.steps = steps;
        for at in 0..self.steps.len() {
            let change = self.steps[at].1.change.clone();
            let gone = match &change {
                Change::DropTable { table } => {
                    let used = format!("table {table}");
                    self.take_objects(|object| object.belongs_to(table) || object.is_owned_by(&used))
                }
                Change::DropColumn { table, column } => {
                    let used = format!("column {table}.{column}");
                    self.take_objects(|object| {
                        object.is_owned_by(&used)
                            || object.belongs_to(table)
                                && (object.uses.contains(&used)
                                    || (object.kind == ObjectKind::Column && object.name == *column))
                    })
                }
                Change::SetComment { table, column, .. } => {
                    let described = match column {
                        None => format!("table {table}"),
                        Some(column) => format!("column {table}.{column}"),
                    };
                    self.take_objects(|object| {
                        object.kind == ObjectKind::Comment && object.name == described
                    });
                    continue;
                }
                _ => continue,
            };
            let named: Vec<String> = gone
                .iter()
                .filter(|object| object.definition.is_some())
                .filter(|object| {
                    !matches!(
                        object.kind,
                        ObjectKind::Column | ObjectKind::Waived | ObjectKind::Comment
                    )
                })
                .map(ForeignObject::title)
                .collect();
            if !named.is_empty() {
                let step = &mut self.steps[at].1;
                step.reason = format!(
                    "{} Objects of hand-written SQL go with it: {}.",
                    step.reason,
                    named.join(", ")
                );
            }
        }
    }

    /// Returns true if a step changes the definitions of foreign objects. Must run before the list of foreign objects is
    /// updated.
    pub(super) fn touches_foreign(&self) -> bool {
        self.steps.iter().any(|(_, step, _)| {
            if let Change::RenameEnum { from, .. } = &step.change {
                let used = format!("type {from}");
                return self.foreign.iter().any(|object| object.uses.contains(&used));
            }
            let (table, column) = match &step.change {
                Change::RenameTable { from, .. } => (from, None),
                Change::RenameColumn { table, from, .. } => (table, Some(from)),
                Change::SetType { table, column, .. }
                | Change::SetDefault { table, column, .. }
                | Change::DropDefault { table, column, .. }
                | Change::SetNotNull { table, column }
                | Change::DropNotNull { table, column } => (table, Some(column)),
                _ => return false,
            };
            self.foreign.iter().any(|object| {
                let uses = object.uses.iter().any(|used| match column {
                    None => *used == format!("table {table}") || column_of(used, table).is_some(),
                    Some(column) => *used == format!("column {table}.{column}"),
                });
                let is_part = object.belongs_to(table)
                    && column
                        .is_none_or(|column| object.kind == ObjectKind::Column && object.name == *column);
                object.kind != ObjectKind::Waived && (uses || is_part)
            })
        })
    }

    /// Reports the first foreign object that uses the table or column and that PostgreSQL does not drop silently.
    fn refuse_users(&mut self, place: &str, used: &str, table: &str, what: &str) {
        let user = self
            .foreign
            .iter()
            .filter(|object| object.uses.iter().any(|one| one == used))
            .filter(|object| {
                // PostgreSQL drops or rebuilds these together with the column.
                let follows = matches!(
                    object.kind,
                    ObjectKind::Index | ObjectKind::Constraint | ObjectKind::Statistics | ObjectKind::Comment
                );
                !(object.belongs_to(table) && (follows || used.starts_with("table ")))
                    && !object.is_owned_by(used)
            })
            .map(ForeignObject::title)
            .next();
        if let Some(user) = user {
            self.used(place, what, &user);
        }
    }

    /// Reports a change of a primary key that the adopted database does not have.
    fn refuse_missing_key(&mut self, table: &str, name: &str) {
        let is_missing = self.foreign.iter().any(|object| {
            object.kind == ObjectKind::Constraint
                && object.belongs_to(table)
                && object.name == name
                && object.definition.is_none()
        });
        if is_missing {
            self.problem(
                table,
                format!(
                    "the migration changes the primary key `{name}`, which the adopted database does not have: its `@id` stands for other unique columns"
                ),
                "first create the primary key in a migration of its own, which `kit migrate:generate --empty` begins".to_owned(),
            );
        }
    }

    fn used(&mut self, place: &str, what: &str, user: &str) {
        self.problem(
            place,
            format!("the migration {what}, but hand-written SQL uses it: {user}"),
            format!(
                "first change or drop `{user}` in a migration of its own, which `kit migrate:generate --empty` begins"
            ),
        );
    }

    fn take_objects(&mut self, gone: impl Fn(&ForeignObject) -> bool) -> Vec<ForeignObject> {
        let (taken, kept) = std::mem::take(&mut self.foreign)
            .into_iter()
            .partition(|object| gone(object));
        self.foreign = kept;
        taken
    }

    /// Gives foreign objects the new names of tables and columns. Their definitions are found by running the migration.
    fn rename_foreign(&mut self) {
        for (_, step, _) in &self.steps {
            let (from, to) = match &step.change {
                Change::RenameTable { from, to } => (format!("table {from}"), format!("table {to}")),
                Change::RenameColumn { table, from, to } => {
                    (format!("column {table}.{from}"), format!("column {table}.{to}"))
                }
                Change::RenameEnum { from, to } => (format!("type {from}"), format!("type {to}")),
                Change::RenameConstraint { table, from, to } => (
                    format!("constraint {from} of {table}"),
                    format!("constraint {to} of {table}"),
                ),
                _ => continue,
            };
            for object in &mut self.foreign {
                if let Change::RenameTable { from, to } = &step.change {
                    if object.table.as_deref() == Some(from) {
                        object.table = Some(to.clone());
                    }
                    for used in &mut object.uses {
                        let renamed = column_of(used, from).map(|column| format!("column {to}.{column}"));
                        if let Some(renamed) = renamed {
                            *used = renamed;
                        }
                    }
                }
                for used in &mut object.uses {
                    if *used == from {
                        used.clone_from(&to);
                    }
                }
                if object.kind == ObjectKind::Comment && object.name == from {
                    object.name.clone_from(&to);
                }
                if let Change::RenameColumn { table, from, to } = &step.change
                    && object.kind == ObjectKind::Column
                    && object.belongs_to(table)
                    && object.name == *from
                {
                    object.name.clone_from(to);
                }
            }
        }
    }
}
