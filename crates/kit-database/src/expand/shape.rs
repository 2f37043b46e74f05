//! Tables before, between and after the two halves of a migration.

use std::collections::BTreeMap;

use crate::{Change, Column, ColumnDefault, Index, Plan, Problem, Snapshot, Table};

/// A table that exists before and after the migration.
pub(super) struct Pair<'a> {
    pub(super) before: &'a Table,
    pub(super) after: &'a Table,
    /// New names of renamed columns, by their old names.
    pub(super) renamed: BTreeMap<&'a str, &'a str>,
}

impl<'a> Pair<'a> {
    /// Returns the columns that only the new build uses.
    pub(super) fn added(&self) -> impl Iterator<Item = &'a Column> {
        let before = self.before;
        self.after
            .columns
            .iter()
            .filter(move |column| before.column(&column.name).is_none())
    }

    /// Returns the columns that only the old build uses.
    pub(super) fn removed(&self) -> impl Iterator<Item = &'a Column> {
        let after = self.after;
        self.before
            .columns
            .iter()
            .filter(move |column| after.column(&column.name).is_none())
    }

    fn is_added(&self, column: &str) -> bool {
        self.before.column(column).is_none() && self.after.column(column).is_some()
    }

    fn is_kept(&self, column: &str) -> bool {
        self.before.column(column).is_some() && self.after.column(column).is_some()
    }

    /// Returns the indexes of the new build that contain no new column.
    pub(super) fn new_indexes(&self) -> impl Iterator<Item = &'a Index> {
        let before = self.before;
        let after = self.after;
        let added = move |column: &String| before.column(column).is_none();
        after.indexes.iter().filter(move |index| {
            !before.indexes.iter().any(|known| known.name == index.name)
                && !index.columns.iter().chain(&index.include).any(added)
        })
    }
}

/// Tables of a migration.
pub(super) struct Shape<'a> {
    pub(super) pairs: Vec<Pair<'a>>,
    /// Tables that only the old build uses.
    dropped: Vec<&'a Table>,
    /// Tables that only the new build uses.
    created: Vec<&'a Table>,
    /// Old names of tables, by their new names.
    former: BTreeMap<&'a str, &'a str>,
}

impl<'a> Shape<'a> {
    /// Compares the tables before and after the migration. Adds a problem for each change that the two builds cannot share.
    pub(super) fn new(previous: &'a Snapshot, whole: &'a Plan, problems: &mut Vec<Problem>) -> Self {
        let mut renamed_tables: BTreeMap<&str, &str> = BTreeMap::new();
        for step in &whole.changes {
            if let Change::RenameTable { from, to } = &step.change {
                renamed_tables.insert(from, to);
            }
        }
        let mut shape = Self {
            pairs: Vec::new(),
            dropped: Vec::new(),
            created: Vec::new(),
            former: renamed_tables.iter().map(|(from, to)| (*to, *from)).collect(),
        };
        for before in previous.tables() {
            let name = renamed_tables.get(before.name.as_str());
            let name = name.copied().unwrap_or(&before.name);
            let Some(after) = whole.tables.iter().find(|table| table.name == name) else {
                shape.dropped.push(before);
                continue;
            };
            let renamed = whole.changes.iter().filter_map(|step| match &step.change {
                Change::RenameColumn { table, from, to } if *table == after.name => {
                    Some((from.as_str(), to.as_str()))
                }
                _ => None,
            });
            let pair = Pair {
                before,
                after,
                renamed: renamed.collect(),
            };
            refuse(&pair, previous, problems);
            shape.pairs.push(pair);
        }
        let known = |table: &Table| shape.pairs.iter().any(|pair| pair.after.name == table.name);
        shape.created = whole.tables.iter().filter(|table| !known(table)).collect();
        let pairs = &shape.pairs;
        for table in &whole.tables {
            for key in &table.foreign_keys {
                if pairs.iter().any(|pair| {
                    pair.after.name == key.table && key.targets.iter().any(|target| pair.is_added(target))
                }) {
                    problems.push(own_migration(
                        &format!("{}.{}", table.name, key.columns.join(", ")),
                        &format!(
                            "it refers to a new column of {}: {}",
                            key.table,
                            key.targets.join(", ")
                        ),
                    ));
                }
            }
        }
        shape
    }

    /// Returns the tables that only the new build uses.
    pub(super) fn created(&self) -> impl Iterator<Item = &'a Table> {
        self.created.iter().copied()
    }

    /// Returns the old and new state of each renamed table.
    pub(super) fn renamed_tables(&self) -> impl Iterator<Item = (&'a Table, &'a Table)> {
        self.pairs
            .iter()
            .filter(|pair| pair.before.name != pair.after.name)
            .map(|pair| (pair.before, pair.after))
    }

    /// Returns the old tables with the new columns beside the old ones, without constraints of the new columns.
    pub(super) fn with_columns(&self) -> Vec<Table> {
        let pairs = self.pairs.iter().map(|pair| {
            let mut table = pair.before.clone();
            table.columns.extend(pair.added().map(|column| Column {
                nullable: true,
                ..column.clone()
            }));
            table
        });
        pairs
            .chain(self.dropped.iter().map(|table| (*table).clone()))
            .collect()
    }

    /// Returns the tables that both builds use, with the constraints of both.
    pub(super) fn between(&self) -> Vec<Table> {
        let mut tables = self.with_columns();
        for (table, pair) in tables.iter_mut().zip(&self.pairs) {
            let after = pair.after;
            let added = |column: &String| pair.is_added(column);
            let uniques = after.uniques.iter();
            table
                .uniques
                .extend(uniques.filter(|key| key.columns.iter().any(added)).cloned());
            let checks = after.checks.iter();
            table
                .checks
                .extend(checks.filter(|check| added(&check.column)).cloned());
            let keys = after.foreign_keys.iter();
            table
                .foreign_keys
                .extend(keys.filter(|key| key.columns.iter().any(added)).cloned());
            let new = |index: &&Index| {
                !pair
                    .before
                    .indexes
                    .iter()
                    .any(|known| known.name == index.name || known.is_defined_as(index))
            };
            table.indexes.extend(after.indexes.iter().filter(new).cloned());
            table.kept_names.extend(after.kept_names.iter().cloned());
        }
        tables.extend(self.created.iter().map(|table| (*table).clone()));
        for table in &mut tables {
            for key in &mut table.foreign_keys {
                if let Some(former) = self.former.get(key.table.as_str()) {
                    (*former).clone_into(&mut key.table);
                }
            }
        }
        tables
    }

    /// Returns the tables between the halves with the new names of tables.
    pub(super) fn renamed(&self, between: &[Table]) -> Vec<Table> {
        let new_name = |name: &str| {
            let found = self.former.iter().find(|(_, from)| **from == name);
            found.map(|(to, _)| (*to).to_owned())
        };
        let mut tables = between.to_vec();
        for table in &mut tables {
            if let Some(name) = new_name(&table.name) {
                table.name = name;
            }
            for key in &mut table.foreign_keys {
                if let Some(name) = new_name(&key.table) {
                    key.table = name;
                }
            }
        }
        tables
    }
}

/// Adds a problem for each change of a table that the two builds cannot share.
fn refuse(pair: &Pair<'_>, previous: &Snapshot, problems: &mut Vec<Problem>) {
    let (before, after) = (pair.before, pair.after);
    let place = |column: &str| format!("{}.{column}", after.name);
    for old in &before.columns {
        let Some(new) = after.column(&old.name) else {
            continue;
        };
        if !old.r#type.is_stored_as(new.r#type) {
            problems.push(Problem {
                place: place(&old.name),
                message: format!(
                    "its type changes from {} to {}, and one column cannot have a type for each build",
                    old.r#type, new.r#type
                ),
                help: format!(
                    "give the new column another name: write `@column {0}_next @renamedFrom {0}` on the property, whose own name can stay",
                    old.name
                ),
            });
        } else if old.nullable != new.nullable || old.default != new.default {
            let what = if old.nullable == new.nullable {
                "its default changes"
            } else if new.nullable {
                "it may be null from now on"
            } else {
                "it may no longer be null"
            };
            problems.push(own_migration(&place(&old.name), what));
        }
    }
    for (from, to) in &pair.renamed {
        let (Some(old), Some(new)) = (before.column(from), after.column(to)) else {
            continue;
        };
        let by_itself = |default: &Option<ColumnDefault>| {
            matches!(
                default,
                Some(ColumnDefault::Identity | ColumnDefault::RandomUuid | ColumnDefault::UuidV7)
            )
        };
        if by_itself(&old.default) || by_itself(&new.default) {
            problems.push(own_migration(
                &place(to),
                "the database gives each row its own value of this column, so two columns would get different values",
            ));
        } else if old.default.is_some() != new.default.is_some()
            || old.r#type.is_stored_as(new.r#type) && old.default != new.default
        {
            problems.push(own_migration(
                &place(to),
                "its default changes together with its name",
            ));
        }
    }
    let key = |table: &Table| table.primary_key.clone();
    if key(before) != key(after) {
        problems.push(own_migration(&after.name, "its primary key changes"));
    }
    if before.tenant != after.tenant {
        problems.push(own_migration(&after.name, "its policy of tenants changes"));
    }
    let kept = |columns: &[String]| columns.iter().all(|column| pair.is_kept(column));
    let uniques = |table: &Table| -> Vec<Vec<String>> {
        let all = table.uniques.iter().map(|key| key.columns.clone());
        let mut all: Vec<Vec<String>> = all.filter(|columns| kept(columns)).collect();
        all.sort();
        all
    };
    if uniques(before) != uniques(after) {
        problems.push(own_migration(&after.name, "its unique constraints change"));
    }
    let checks = |table: &Table| -> Vec<String> {
        let all = table.checks.iter();
        let all = all.filter(|check| check.column.is_empty() || pair.is_kept(&check.column));
        let mut all: Vec<String> = all
            .map(|check| format!("{} {:?}", check.column, check.rule))
            .collect();
        all.sort();
        all
    };
    if checks(before) != checks(after) {
        problems.push(own_migration(
            &after.name,
            "rules of columns that both builds use change",
        ));
    }
    let keys = |table: &Table| -> Vec<String> {
        let all = table.foreign_keys.iter();
        let mut all: Vec<String> = all
            .filter(|key| kept(&key.columns))
            .map(|key| format!("{:?} {:?} {:?}", key.columns, key.targets, key.actions))
            .collect();
        all.sort();
        all
    };
    if keys(before) != keys(after) {
        problems.push(own_migration(&after.name, "its foreign keys change"));
    }
    if before.name != after.name
        && let Some(object) = previous.foreign().iter().find(|object| {
            object.belongs_to(&before.name)
                || object
                    .uses
                    .iter()
                    .any(|used| *used == format!("table {}", before.name))
        })
    {
        problems.push(own_migration(
            &after.name,
            &format!(
                "the table gets another name, and hand-written SQL uses it: {}",
                object.title()
            ),
        ));
    }
}

/// Returns the problem of a change that needs a migration of its own.
fn own_migration(place: &str, message: &str) -> Problem {
    Problem {
        place: place.to_owned(),
        message: format!("{message}, so the old and the new build cannot share the tables"),
        help: "make this change in a migration of its own, before or after the one with `--expand`"
            .to_owned(),
    }
}
