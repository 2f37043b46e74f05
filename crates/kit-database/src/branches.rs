//! Combines the snapshots of migrations that were planned on separate branches.
//!
//! Every snapshot records its parents: the snapshots that its migration was planned from. Two snapshots with the same
//! parent come from different branches. Their changes are combined if no table, column, constraint or index was changed
//! on both branches.

use std::collections::BTreeSet;

use crate::{ForeignObject, Migration, PlanError, Problem, Snapshot, Table, squash_problems};

/// State of the database after all migrations are applied.
#[derive(Debug, Clone, PartialEq)]
pub struct Latest {
    /// Snapshot of the tables; `None` before the first migration.
    pub snapshot: Option<Snapshot>,
    /// Name of the last migration of each branch, if no later migration merges the branches. Empty if there are no
    /// branches.
    pub side_by_side: Vec<String>,
}

/// Computes the state of the database after all migrations are applied.
///
/// `migrations` must be in the order of their names. Migrations without a snapshot change only data.
///
/// # Errors
/// Returns a [`PlanError`] if two branches changed the same table, column, constraint or index: the migration
/// that runs second would not find the state for which it was planned. Also returns one if a migration does not fit a
/// squashed migration.
pub fn latest(migrations: &[Migration]) -> Result<Latest, PlanError> {
    let problems = squash_problems(migrations);
    if !problems.is_empty() {
        return Err(PlanError { problems });
    }
    let nodes: Vec<Node<'_>> = nodes(migrations);
    let inner: BTreeSet<usize> = nodes
        .iter()
        .flat_map(|node| node.parents.iter().copied())
        .collect();
    let heads: Vec<usize> = (0..nodes.len()).filter(|at| !inner.contains(at)).collect();
    let (first, others) = match heads.as_slice() {
        [] => {
            return Ok(Latest {
                snapshot: None,
                side_by_side: Vec::new(),
            });
        }
        [head] => {
            return Ok(Latest {
                snapshot: Some(nodes[*head].snapshot.clone()),
                side_by_side: Vec::new(),
            });
        }
        [first, others @ ..] => (*first, others),
    };
    let mut merge = Merge::default();
    let mut tables = nodes[first].snapshot.tables().to_vec();
    let mut foreign = nodes[first].snapshot.foreign().to_vec();
    let mut behind = ancestors(&nodes, first);
    let mut names = vec![nodes[first].name];
    for &head in others {
        let own = ancestors(&nodes, head);
        let base = behind.intersection(&own).last();
        let foreign_base = base.map_or(&[][..], |at| nodes[*at].snapshot.foreign());
        let base = base.map_or(&[][..], |at| nodes[*at].snapshot.tables());
        merge.between = format!("{} and {}", names.join(", "), nodes[head].name);
        tables = merge.tables(base, &tables, nodes[head].snapshot.tables());
        foreign = merge.foreign(foreign_base, &foreign, nodes[head].snapshot.foreign());
        behind.extend(own);
        names.push(nodes[head].name);
    }
    if !merge.problems.is_empty() {
        return Err(PlanError {
            problems: merge.problems,
        });
    }
    let ids = heads.iter().map(|at| nodes[*at].snapshot.id()).collect();
    Ok(Latest {
        snapshot: Some(Snapshot::merged(tables, foreign, ids)),
        side_by_side: names.into_iter().map(str::to_owned).collect(),
    })
}

/// Returns the snapshot of the tables after all migrations, or `None` before the first migration. If the changes of two
/// branches conflict, returns the snapshot of the newest migration that has a snapshot.
pub fn committed(migrations: &[Migration]) -> Option<Snapshot> {
    match latest(migrations) {
        Ok(latest) => latest.snapshot,
        Err(_) => migrations
            .iter()
            .rev()
            .find_map(|migration| migration.snapshot.clone()),
    }
}

struct Node<'a> {
    name: &'a str,
    snapshot: &'a Snapshot,
    /// Indexes of the nodes that this snapshot was planned from.
    parents: Vec<usize>,
}

impl Node<'_> {
    /// Returns true if the node is a squashed migration, and the id is that of the last snapshot that it replaces.
    fn replaces_last(&self, id: &str) -> bool {
        let mut replaced = self.snapshot.replaces().iter().rev();
        replaced.find_map(|one| one.snapshot.as_deref()) == Some(id)
    }
}

fn nodes(migrations: &[Migration]) -> Vec<Node<'_>> {
    let mut nodes: Vec<Node<'_>> = Vec::new();
    for migration in migrations {
        let Some(snapshot) = &migration.snapshot else {
            continue;
        };
        let named: Option<Vec<usize>> = snapshot.parents().map(|parents| {
            parents
                .iter()
                .filter_map(|parent| {
                    let has_id = |node: &Node<'_>| node.snapshot.id() == *parent;
                    nodes
                        .iter()
                        .rposition(has_id)
                        .or_else(|| nodes.iter().position(|node| node.replaces_last(parent)))
                })
                .collect()
        });
        let parents = match named {
            Some(found) if !found.is_empty() || snapshot.parents() == Some(&[]) => found,
            // The snapshot was written by an earlier version of kit, or its parent was deleted. Treat it as the
            // successor of the node before it.
            _ => nodes.len().checked_sub(1).into_iter().collect(),
        };
        nodes.push(Node {
            name: &migration.name,
            snapshot,
            parents,
        });
    }
    nodes
}

/// Returns the indexes of a node and of all its ancestors.
fn ancestors(nodes: &[Node<'_>], of: usize) -> BTreeSet<usize> {
    let (mut found, mut waiting) = (BTreeSet::new(), vec![of]);
    while let Some(at) = waiting.pop() {
        if found.insert(at) {
            waiting.extend(&nodes[at].parents);
        }
    }
    found
}

#[derive(Default)]
struct Merge {
    /// Names of the migrations that are merged, for messages.
    between: String,
    problems: Vec<Problem>,
}

impl Merge {
    fn conflict(&mut self, place: &str, what: &str) {
        self.problems.push(Problem {
            place: place.to_owned(),
            message: format!("{} come from branches that {what}", self.between),
            help: "choose one of the two migrations that was not applied to any database yet, delete its directory, and run `kit migrate:generate` again"
                .to_owned(),
        });
    }

    fn tables(&mut self, base: &[Table], ours: &[Table], theirs: &[Table]) -> Vec<Table> {
        self.each(
            "",
            base,
            ours,
            theirs,
            |table| &table.name,
            |merge, base, one, other| {
                let place = format!("{}.", one.name);
                Some(Table {
                    comment: merge.value(&one.name, &base.comment, &one.comment, &other.comment),
                    tenant: merge.value(&one.name, &base.tenant, &one.tenant, &other.tenant),
                    key_name: merge.value(&one.name, &base.key_name, &one.key_name, &other.key_name),
                    kept_names: one.kept_names.union(&other.kept_names).cloned().collect(),
                    primary_key: merge.value(
                        &one.name,
                        &base.primary_key,
                        &one.primary_key,
                        &other.primary_key,
                    ),
                    columns: merge.each(
                        &place,
                        &base.columns,
                        &one.columns,
                        &other.columns,
                        |column| &column.name,
                        |_, _, _, _| None,
                    ),
                    uniques: merge.each(
                        &place,
                        &base.uniques,
                        &one.uniques,
                        &other.uniques,
                        |unique| &unique.name,
                        |_, _, _, _| None,
                    ),
                    checks: merge.each(
                        &place,
                        &base.checks,
                        &one.checks,
                        &other.checks,
                        |check| &check.name,
                        |_, _, _, _| None,
                    ),
                    foreign_keys: merge.each(
                        &place,
                        &base.foreign_keys,
                        &one.foreign_keys,
                        &other.foreign_keys,
                        |key| &key.name,
                        |_, _, _, _| None,
                    ),
                    indexes: merge.each(
                        &place,
                        &base.indexes,
                        &one.indexes,
                        &other.indexes,
                        |index| &index.name,
                        |_, _, _, _| None,
                    ),
                    ..one.clone()
                })
            },
        )
    }

    fn foreign(
        &mut self,
        base: &[ForeignObject],
        ours: &[ForeignObject],
        theirs: &[ForeignObject],
    ) -> Vec<ForeignObject> {
        let named = |list: &[ForeignObject]| -> Vec<(String, ForeignObject)> {
            list.iter()
                .map(|object| (object.title(), object.clone()))
                .collect()
        };
        let merged = self.each(
            "",
            &named(base),
            &named(ours),
            &named(theirs),
            |(title, _)| title,
            |_, _, one, other| (one == other).then(|| one.clone()),
        );
        merged.into_iter().map(|(_, object)| object).collect()
    }

    fn value<T: PartialEq + Clone>(&mut self, place: &str, base: &T, ours: &T, theirs: &T) -> T {
        if ours != base && theirs != base {
            self.conflict(place, "both changed it");
        }
        if ours == base {
            theirs.clone()
        } else {
            ours.clone()
        }
    }

    /// Merges lists of tables, columns, constraints or indexes from two branches. An item that only one
    /// branch changed is taken from this branch. `both` merges an item that was changed in the two branches,
    /// or returns `None` for a conflict.
    fn each<T: PartialEq + Clone>(
        &mut self,
        place: &str,
        base: &[T],
        ours: &[T],
        theirs: &[T],
        name: impl Fn(&T) -> &String,
        both: impl Fn(&mut Self, &T, &T, &T) -> Option<T>,
    ) -> Vec<T> {
        let find = |list: &[T], wanted: &str| list.iter().find(|item| name(item) == wanted).cloned();
        let mut merged = Vec::new();
        let mut seen = BTreeSet::new();
        for item in ours.iter().chain(theirs).chain(base) {
            let wanted = name(item);
            if !seen.insert(wanted.clone()) {
                continue;
            }
            let at = format!("{place}{wanted}");
            let (was, one, other) = (find(base, wanted), find(ours, wanted), find(theirs, wanted));
            if one == was {
                merged.extend(other);
            } else if other == was {
                merged.extend(one);
            } else {
                match (was, one, other) {
                    (Some(was), Some(one), Some(other)) => match both(self, &was, &one, &other) {
                        Some(item) => merged.push(item),
                        None => self.conflict(&at, "both changed it"),
                    },
                    (None, ..) => self.conflict(&at, "both added it"),
                    (Some(_), None, None) => self.conflict(&at, "both dropped it"),
                    (Some(_), ..) => self.conflict(&at, "dropped it and changed it"),
                }
            }
        }
        merged
    }
}
