//! Changes that the two builds cannot share.

use std::collections::BTreeMap;

use crate::{Column, ObjectKind, Problem, Snapshot, Table, schema_of};

use super::pair::Pair;

/// Adds a problem for each change of a table that the two builds cannot share.
pub(super) fn refuse(
    pair: &Pair<'_>,
    previous: &Snapshot,
    renamed_tables: &BTreeMap<&str, &str>,
    problems: &mut Vec<Problem>,
) {
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
        } else if old.labels != new.labels {
            problems.push(own_migration(
                &place(&old.name),
                "its enum type gets more values, which the old build does not know",
            ));
        }
    }
    for (from, to) in &pair.renamed {
        let (Some(old), Some(new)) = (before.column(from), after.column(to)) else {
            continue;
        };
        if old.default.is_some() != new.default.is_some()
            || old.r#type.is_stored_as(new.r#type) && old.default != new.default
        {
            problems.push(own_migration(
                &place(to),
                "its default changes together with its name",
            ));
        }
    }
    if schema_of(&before.name) != schema_of(&after.name) {
        problems.push(own_migration(&after.name, "it moves to another schema"));
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
        let indexes = table.indexes.iter().filter(|index| index.unique);
        let indexes = indexes.filter(|index| kept(&index.columns)).map(|index| {
            let condition = index
                .condition
                .as_ref()
                .map(|condition| format!("where {condition}"));
            index.columns.iter().cloned().chain(condition).collect()
        });
        let mut all: Vec<Vec<String>> = all.filter(|columns| kept(columns)).chain(indexes).collect();
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
    let keys = |table: &Table, is_new: bool| -> Vec<String> {
        let all = table.foreign_keys.iter();
        let mut all: Vec<String> = all
            .filter(|key| kept(&key.columns))
            .map(|key| {
                let name = key.table.as_str();
                let target = if is_new {
                    name
                } else {
                    renamed_tables.get(name).copied().unwrap_or(name)
                };
                format!("{:?} {target:?} {:?} {:?}", key.columns, key.targets, key.actions)
            })
            .collect();
        all.sort();
        all
    };
    if keys(before, false) != keys(after, true) {
        problems.push(own_migration(&after.name, "its foreign keys change"));
    }
    for column in pair.removed() {
        let used = format!("column {}.{}", before.name, column.name);
        let users = previous.foreign().iter().filter(|object| {
            let is_live = object.definition.is_some() && object.kind != ObjectKind::Comment;
            is_live && object.uses.contains(&used)
        });
        let users: Vec<String> = users.map(crate::ForeignObject::title).collect();
        if !users.is_empty() {
            problems.push(Problem {
                place: format!("{}.{}", before.name, column.name),
                message: format!(
                    "the migration removes the column, and hand-written SQL uses it: {}",
                    users.join(", ")
                ),
                help: "drop these in an earlier migration, and create them again in a later migration"
                    .to_owned(),
            });
        }
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
pub(super) fn own_migration(place: &str, message: &str) -> Problem {
    Problem {
        place: place.to_owned(),
        message: format!("{message}, so the old and the new build cannot share the tables"),
        help: "make this change in a migration of its own, before or after the one with `--expand`"
            .to_owned(),
    }
}

/// Adds a problem for a column of one build whose null or default does not show which build inserted the row.
pub(super) fn refuse_fill(table: &str, column: &Column, problems: &mut Vec<Problem>) {
    let (message, help) = if column.default.is_some() {
        (
            "`--using` gives a value to a column that only one build has, and the default of the column already gives the value",
            "leave out `--using` for this column, or remove the default",
        )
    } else if column.nullable {
        (
            "`--using` gives a value to a column that only one build has and that may be null, but kit cannot know if a null is a value of that build",
            "leave out `--using` for this column and write its values in a later migration, or make the column required",
        )
    } else {
        return;
    };
    problems.push(Problem {
        place: format!("{table}.{}", column.name),
        message: message.to_owned(),
        help: help.to_owned(),
    });
}
