//! Orders the renames of constraints and indexes so that each new name is free when it is used.

use crate::Change;

use super::{Phase, Planner, classify};

/// A rename of a constraint or index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rename {
    table: String,
    from: String,
    to: String,
    /// True if an index is renamed, false if a constraint is renamed.
    index: bool,
}

impl Rename {
    /// Returns the rename, or `None` if the names are equal.
    pub(super) fn of(table: &str, from: &str, to: &str, index: bool) -> Option<Self> {
        (from != to).then(|| Self {
            table: table.to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
            index,
        })
    }
}

impl Planner<'_> {
    pub(super) fn rename_all(&mut self, renames: Vec<Rename>) {
        for rename in ordered(renames) {
            let Rename {
                table,
                from,
                to,
                index,
            } = rename;
            let change = if index {
                Change::RenameIndex { table, from, to }
            } else {
                Change::RenameConstraint { table, from, to }
            };
            self.push(Phase::RenameConstraint, classify::rename_constraint(), change);
        }
    }
}

/// Orders renames so that each runs after the rename that frees its new name. If renames form a circle, one
/// of them first renames to an unused temporary name.
fn ordered(mut waiting: Vec<Rename>) -> Vec<Rename> {
    let mut ordered = Vec::new();
    while !waiting.is_empty() {
        let free = waiting
            .iter()
            .position(|rename| !waiting.iter().any(|other| other.from == rename.to));
        let Some(at) = free else {
            let mut aside = waiting.remove(0);
            let resting = crate::names::with_hash(&aside.from, &[&aside.from, &aside.to], "moving");
            ordered.push(Rename {
                to: resting.clone(),
                ..aside.clone()
            });
            aside.from = resting;
            waiting.push(aside);
            continue;
        };
        ordered.push(waiting.remove(at));
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::{Rename, ordered};

    fn names(renames: &[(&str, &str)]) -> Vec<(String, String)> {
        let renames = renames
            .iter()
            .filter_map(|(from, to)| Rename::of("t", from, to, true))
            .collect();
        ordered(renames)
            .into_iter()
            .map(|rename| (rename.from, rename.to))
            .collect()
    }

    #[test]
    fn orders_a_rename_after_the_rename_that_makes_its_new_name_available() {
        let pairs = names(&[("a", "b"), ("b", "c"), ("x", "x")]);
        assert_eq!(pairs, [("b".into(), "c".into()), ("a".into(), "b".into())]);
    }

    #[test]
    fn uses_a_temporary_name_if_renames_form_a_circle() {
        let pairs = names(&[("a", "b"), ("b", "a")]);
        assert_eq!(pairs.len(), 3);
        assert_eq!(pairs[1], ("b".into(), "a".into()));
        assert_eq!((&pairs[0].1, pairs[2].1.as_str()), (&pairs[2].0, "b"));
    }
}
